"""States, robots and worlds that several tests of the planar hybrid plant need."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.types import FloatArray, Pose
from tests.verification.dense_hybrid import Motion, Physics
from tests.verification.hybrids import (
    Model,
    robot_of,
    rod,
)

IMPACT, DETACHMENT, SIDE = 1, 2, 3  # kinds of events
ROWS, TRACK = "liljeback2010/rows", "liljeback2010/track"
SIZES = range(1, 13)


def random_motion(n: int, random: np.random.Generator, speed: float = 1.0) -> Motion:
    return Motion(
        random.uniform(-3, 3, n), random.uniform(-1, 1, 2), speed * random.normal(size=n), speed * random.normal(size=2)
    )


def pose_of(robot: Robot, at: Motion) -> Pose:
    """Ours from P1's q and dq."""
    pose = planar_pose(robot, np.diff(at.theta), float(at.theta.mean()), (at.p[0], at.p[1]))
    return moving(robot, pose, (at.dp[0], at.dp[1]), float(at.dtheta.mean()), np.diff(at.dtheta))


def equal_links(n: int, physics: Physics) -> Robot:
    return robot_of(*[rod(2 * physics.l, mass=physics.m, inertia=physics.J)] * n)


def touching(mod: Model, alpha: FloatArray) -> None:
    """Say that these links touch obstacle 0."""
    mod.state.alpha[:] = alpha
    mod.state.pushing[:] = alpha != 0


def random_alpha(n: int, most: int, random: np.random.Generator) -> FloatArray:
    alpha = np.zeros(n, np.int64)
    chosen = random.permutation(n)[: random.integers(0, min(most, n) + 1)]
    alpha[chosen] = random.choice([-1, 1], len(chosen))
    return alpha


def off(found: FloatArray, expected: FloatArray) -> float:
    """Largest difference, relative to the largest value."""
    return float(np.abs(found - expected).max(initial=0.0) / max(np.abs(expected).max(initial=0.0), 1e-300))


ONE = robot_of(rod())  # 0.2 m, 1 kg, 0.01 kg m2, no width


def moved(name: str, disc: Any, start: Any, **fields: Any) -> Scenario:
    """A registered run with other discs and another start, no jitter."""
    scenario = scenarios[name]
    world = scenario.built_world()
    world = world.model_copy(update={"name": "moved", "obstacles": tuple(disc(d) for d in world.discs)})
    still = scenario.start.model_copy(update={"jitter": 0.0})
    return scenario.model_copy(update={"world": world, "start": start(still), "duration": 2.0, **fields})
