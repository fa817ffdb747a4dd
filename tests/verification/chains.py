"""Small robots and runs that the verification tests share."""

from __future__ import annotations

import numpy as np

import pushpoint as pp
from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.plant import PlanarStepping
from pushpoint.robots import Link, Robot, Servo
from pushpoint.tape import Tape, new_tape
from pushpoint.types import CommandTable, Pose
from pushpoint.worlds import Disc, Ground, World

LIMP = Servo()
SMOOTH = World(name="smooth", ground=Ground(friction=0.0))
ROUGH = World(name="rough", ground=Ground(friction=0.2))
PEGS = tuple(Disc(x=0.35 * k, y=0.28 * (-1) ** k, radius=0.06) for k in range(-3, 6))


def uneven(links: int = 6) -> Robot:
    """A chain whose links all differ."""
    parts = tuple(
        Link(length=0.1 + 0.01 * i, mass=0.4 + 0.1 * i, inertia=1e-3 * (1 + 0.2 * i), radius=0.03 + 0.002 * i)
        for i in range(links)
    )
    return Robot(name="uneven", links=parts)


def flung(robot: Robot, seed: int = 1, speed: float = 1.0) -> Pose:
    """A bent pose with every joint in motion."""
    random = np.random.default_rng(seed)
    joints = len(robot.links) - 1
    pose = planar_pose(robot, random.uniform(-0.6, 0.6, joints), 0.3, (0.0, 0.0))
    return moving(robot, pose, (0.4 * speed, -0.2 * speed), 0.8 * speed, random.uniform(-2, 2, joints) * speed)


def coast(robot: Robot, world: World, pose: Pose, duration: float, **options: object) -> Tape:
    """Let go: no servo, no command. One row per 10 ms."""
    settings = PlanarSteppingOptions(**options)  # type: ignore[arg-type]  # options by keyword
    plant = PlanarStepping.build(robot, world, LIMP, settings)
    period = max(0.01, settings.dt)
    ticks, substeps, joints = round(duration / period), round(period / settings.dt), len(robot.links) - 1
    table = CommandTable(*(np.zeros((ticks, joints)) for _ in range(3)))
    tape = new_tape(len(robot.links), ticks + 1, ticks * substeps, 1)
    state = plant.initial_state(pose)
    plant.record_start(state, tape)
    tape, failure = plant.rollout(state, table, substeps, tape)
    assert failure is None, failure
    return tape


def momenta(robot: Robot, tape: Tape) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Linear (rows, 2) and angular (rows,) momentum about the origin, and their scales sum m|v|, sum m|r||v|."""
    mass = np.array([link.mass for link in robot.links])
    inertia = np.array([link.inertia for link in robot.links])
    r, v, w = tape.link[:, :, 0:2], tape.link[:, :, 3:5], tape.link[:, :, 5]
    linear = np.einsum("i,tik->tk", mass, v)
    angular = (mass * (r[..., 0] * v[..., 1] - r[..., 1] * v[..., 0]) + inertia * w).sum(axis=1)
    speed, reach = np.linalg.norm(v[0], axis=1), np.linalg.norm(r[0], axis=1)
    return linear, angular, float((mass * speed).sum()), float((mass * reach * speed).sum())


def rms(a: np.ndarray, b: np.ndarray) -> float:
    """Root mean square distance of two paths (rows, 2) [m]."""
    return float(np.sqrt(((a - b) ** 2).sum(axis=-1).mean()))


def middle_path(recording: pp.Recording) -> np.ndarray:
    """Path of link 6 of P2, the middle one of eleven (rows, 2) [m]."""
    return np.asarray(recording.data["link_position"].sel(link=5))
