"""Wild worlds for `planar_hybrid`, the same for a seed every time: scenarios that nobody tuned anything for.

Robots of 1 to 40 unequal links, with and without width; limp at up to 10 m/s, or driven with gains of three decades and
torque limits; up to 80 pegs, smooth, rough or rougher than the bound below which contact forces are unique; forces at
centres or at points, friction as it is or as it was printed; steps of 0.5 to 10 ms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.pose import planar_pose
from pushpoint.robots import Link, Robot, Servo
from pushpoint.scenario import Scenario
from pushpoint.types import Pose
from pushpoint.worlds import Disc, Ground, World
from tests.properties.draws import Draw

MOST_LINKS, MOST_PEGS = 40, 80
STIFFEST = 5e4  # [1/s], of a damped joint: the flow is integrated explicitly, and steps are a few times its inverse
PERIOD = 0.01  # [s]


def wild_hybrid(seed: int, duration: float = 2.0) -> Scenario:
    """The scenario of a seed; the start touches nothing."""
    draw = Draw(seed)
    robot = _robot(draw)
    limp, n = draw.uniform(0, 1) < 0.4, len(robot.links)
    servo = Servo() if limp else _servo(draw, robot)
    gait, bend = _gait(draw, n)
    if limp:
        bend = np.array([draw.uniform(-0.3, 0.3) for _ in range(n - 1)])
    angle = draw.uniform(-3.0, 3.0)
    pose = planar_pose(robot, bend, angle, (0.0, 0.0))
    return Scenario.parse(
        {
            "name": f"wild/{seed}",
            "robot": robot.model_copy(update={"servo": servo}),
            "world": _world(draw, robot, pose),
            "plant": {"name": "planar_hybrid", "options": _options(draw)},
            "controller": {"name": "hold"} if limp else {"name": "serpenoid", "options": gait},
            "start": {"angle": angle, "joint_angle": bend.tolist(), **_motion(draw, n, limp)},
            "duration": duration,
            "control_period": PERIOD,
            "seed": seed,
        }
    )


def _robot(draw: Draw) -> Robot:
    mass, length, radius = 10 ** draw.uniform(-1.3, 0.5), draw.uniform(0.06, 0.25), draw.uniform(0.012, 0.05)
    thin = draw.uniform(0, 1) < 0.25  # as P1's robots
    count = draw.one_of([1, 2, 3]) if draw.uniform(0, 1) < 0.15 else draw.integer(2, MOST_LINKS)
    links = [_link(draw, mass, length, 0.0 if thin else radius) for _ in range(count)]
    return Robot(name="wild", links=tuple(links))


def _link(draw: Draw, mass: float, length: float, radius: float) -> Link:
    mass, length = mass * 10 ** draw.uniform(-0.4, 0.4), length * draw.uniform(0.5, 1.6)
    radius = min(radius * draw.uniform(0.7, 1.3), 0.45 * length)
    inertia = mass * (length**2 / 12 + radius**2 / 4) * draw.uniform(0.7, 2.0)
    core = 0.3 * length if draw.uniform(0, 1) < 0.2 else None
    return Link(length=length, mass=mass, inertia=inertia, radius=radius, core=core)


def _servo(draw: Draw, robot: Robot) -> Servo:
    inertia = min(link.inertia for link in robot.links)
    stiffness, damping = 10 ** draw.uniform(0.3, 2.9), 10 ** draw.uniform(-2.0, 1.0)
    limit = 10 ** draw.uniform(-1.0, 1.5) if draw.uniform(0, 1) < 0.7 else math.inf
    return Servo(stiffness=stiffness, damping=min(damping, 0.25 * STIFFEST * inertia), torque_limit=limit)


def _gait(draw: Draw, links: int) -> tuple[dict[str, float], np.ndarray]:
    """Options of the serpenoid controller, and the shape it begins with."""
    gait = {
        "amplitude": draw.uniform(0.05, 1.2),
        "frequency": draw.uniform(0.5, 10.0),
        "phase_shift": draw.uniform(-1.2, 1.2),
        "start_phase": draw.uniform(0.0, 6.0),
    }
    phase = (links - 2 - np.arange(links - 1)) * gait["phase_shift"] + gait["start_phase"]
    return gait, gait["amplitude"] * np.sin(phase)


def _motion(draw: Draw, links: int, limp: bool) -> dict[str, Any]:
    """Limp robots are thrown, a third of them fast; some driven ones too."""
    if not limp and draw.uniform(0, 1) < 0.7:
        return {}
    speed = 10.0 if draw.uniform(0, 1) < 0.33 else 1.5
    return {
        "velocity": [draw.uniform(-speed, speed), draw.uniform(-speed, speed)],
        "rate": draw.uniform(-speed, speed),
        "joint_rate": [draw.uniform(-2 * speed, 2 * speed) for _ in range(links - 1)],
    }


def _world(draw: Draw, robot: Robot, pose: Pose) -> World:
    ground = Ground(friction=draw.one_of([0.0, 0.05, 0.2, 0.4, 0.8]), torque=draw.yes())
    roughest = draw.one_of([0.0, 0.0, 0.3, 0.8, 1.6])
    low, high = pose.position.min(axis=0) - 0.5, pose.position.max(axis=0) + 0.5
    pegs: list[Disc] = []
    for _ in range(draw.integer(0, MOST_PEGS)):
        place = draw.uniform(low[0], high[0]), draw.uniform(low[1], high[1])
        peg = Disc(x=place[0], y=place[1], radius=draw.uniform(0.005, 0.15), friction=draw.uniform(0.0, roughest))
        wider = peg.model_copy(update={"radius": peg.radius + 0.002})
        if not overlaps(robot, World(name="one", ground=ground, obstacles=(wider,)), pose):
            pegs.append(peg)
    return World(name="wild", ground=ground, obstacles=tuple(pegs))


def _options(draw: Draw) -> dict[str, Any]:
    return {
        "dt": draw.one_of([0.5e-3, 1e-3, 2e-3, 5e-3, 1e-2]),
        "contact": draw.one_of(["centre", "point"]),
        "obstacle_friction": draw.one_of(["physical", "physical", "physical", "printed"]),
    }
