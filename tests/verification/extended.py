"""Runs of planar_stepping with the extended laws that the verification tests share: bodies, worlds, momenta, gaps."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.plant import PlanarStepping
from pushpoint.robots import Joint, Link, Robot, Servo
from pushpoint.tape import Tape, new_tape
from pushpoint.types import CommandTable, Failure, FloatArray, Pose
from pushpoint.worlds import Disc, Ground, Obstacle, Polygon, Wall, World

GRAVITY = 9.81
ICE = Ground(friction=0.0)
LIMP = Servo()


@dataclass(frozen=True)
class Run:
    """A tape cut to what was written, and how the run ended."""

    tape: Tape
    failure: Failure | None

    @property
    def link(self) -> FloatArray:
        return np.asarray(self.tape.link[: self.tape.cursor[0].row])

    @property
    def energy(self) -> FloatArray:
        return np.asarray(self.tape.energy[: self.tape.cursor[0].row])

    @property
    def contact(self) -> FloatArray:
        return np.asarray(self.tape.contact[: self.tape.cursor[0].contact])

    @property
    def step(self) -> FloatArray:
        return np.asarray(self.tape.step[: self.tape.cursor[0].step])


def body(
    mass: float = 1.0, length: float = 0.2, radius: float = 0.05, core: float = 0.0, inertia: float = 0.01
) -> Robot:
    """A robot of one link; with `core` 0 it is round."""
    return Robot(name="body", links=(Link(length=length, mass=mass, inertia=inertia, radius=radius, core=core),))


def chain_of(links: int, joint: Joint | None = None, radius: float = 0.03, length: float = 0.12) -> Robot:
    part = Link(length=length, mass=0.5, inertia=1.2e-3, radius=radius)
    joints = () if joint is None else (joint,) * (links - 1)
    return Robot(name="chain", links=(part,) * links, joints=joints)


def world_of(*obstacles: Obstacle, ground: Ground = ICE, gravity: float = GRAVITY) -> World:
    return World(name="extended", ground=ground, obstacles=obstacles, gravity=gravity)


def thrown(
    robot: Robot,
    at: tuple[float, float],
    velocity: tuple[float, float],
    angle: float = 0.0,
    rate: float = 0.0,
    joint_angle: FloatArray | None = None,
    joint_rate: FloatArray | None = None,
) -> Pose:
    """Centre of mass `at` a place with a `velocity`; `angle` and `rate` are means over the links."""
    none = np.zeros(len(robot.links) - 1)
    pose = planar_pose(robot, none if joint_angle is None else joint_angle, angle, at)
    return moving(robot, pose, velocity, rate, none if joint_rate is None else joint_rate)


def still(robot: Robot, ticks: int) -> CommandTable:
    return CommandTable(*(np.zeros((ticks, len(robot.links) - 1)) for _ in range(3)))


def attempt(
    robot: Robot,
    world: World,
    pose: Pose,
    ticks: int,
    dt: float = 1e-2,
    substeps: int = 1,
    servo: Servo = LIMP,
    table: CommandTable | None = None,
    **options: Any,
) -> Run:
    """Run; the failure is reported, not raised. One row per tick."""
    plant = PlanarStepping.build(robot, world, servo, PlanarSteppingOptions(dt=dt, **options))
    tape = new_tape(len(robot.links) + len(world.movable), ticks + 1, ticks * substeps, 1)
    state = plant.initial_state(pose)
    plant.record_start(state, tape)
    return Run(*plant.rollout(state, still(robot, ticks) if table is None else table, substeps, tape))


def go(*args: Any, **kwargs: Any) -> Run:
    """attempt() that must not fail."""
    done = attempt(*args, **kwargs)
    assert done.failure is None, done.failure
    return done


def masses(robot: Robot, world: World) -> tuple[FloatArray, FloatArray]:
    """Masses and inertias of links and movable obstacles."""
    pegs = world.movable_discs
    mass = [*(link.mass for link in robot.links), *(peg.mass or 0.0 for peg in pegs)]
    inertia = [*(link.inertia for link in robot.links), *(0.5 * (peg.mass or 0.0) * peg.radius**2 for peg in pegs)]
    return np.array(mass), np.array(inertia)


def momenta(robot: Robot, world: World, link: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Linear (rows, 2) and angular (rows,) momentum about the origin."""
    mass, inertia = masses(robot, world)
    r, v, w = link[..., 0:2], link[..., 3:5], link[..., 5]
    linear = np.einsum("i,tik->tk", mass, v)
    angular = (mass * (r[..., 0] * v[..., 1] - r[..., 1] * v[..., 0]) + inertia * w).sum(axis=1)
    return linear, angular


def ledger_gap(run: Run) -> float:
    """Kinetic energy less the sum of all works, over their scale."""
    kinetic, works = run.energy[:, 1], run.energy[:, 2:]
    gap = kinetic - kinetic[0] - (works - works[0]).sum(axis=1)
    return float(np.abs(gap).max() / (kinetic.max() + np.abs(works[-1]).sum() + 1e-12))


def _segment_distance(p: FloatArray, q: FloatArray, a: FloatArray, b: FloatArray) -> float:
    """Between segments p-q and a-b, zero if they cross."""

    def point(x: FloatArray, s: FloatArray, e: FloatArray) -> float:
        d = e - s
        square = float(d @ d)
        t = 0.0 if square == 0 else min(1.0, max(0.0, float((x - s) @ d) / square))
        return float(np.linalg.norm(x - s - t * d))

    def turn(s: FloatArray, e: FloatArray, x: FloatArray) -> float:
        return float((e[0] - s[0]) * (x[1] - s[1]) - (e[1] - s[1]) * (x[0] - s[0]))

    if turn(p, q, a) * turn(p, q, b) < 0 and turn(a, b, p) * turn(a, b, q) < 0:
        return 0.0
    return min(point(p, a, b), point(q, a, b), point(a, p, q), point(b, p, q))


def _inside(polygon: Polygon, p: FloatArray) -> bool:
    corner = np.array(polygon.points)
    d = np.roll(corner, -1, axis=0) - corner
    return bool(np.all(d[:, 0] * (p[1] - corner[:, 1]) - d[:, 1] * (p[0] - corner[:, 0]) > 0))


def depth(robot: Robot, world: World, row: FloatArray) -> float:
    """Deepest overlap of links and pegs with obstacles in one row of a tape [m], by other formulas than the plant's;
    negative: the smallest gap."""
    n = len(robot.links)
    capsules = [
        (row[i, :2], link.half_core * np.array([np.cos(row[i, 2]), np.sin(row[i, 2])]), link.radius)
        for i, link in enumerate(robot.links)
    ]
    capsules += [(row[n + k, :2], np.zeros(2), peg.radius) for k, peg in enumerate(world.movable_discs)]
    deepest, moved = -np.inf, 0
    for obstacle in world.obstacles:
        others = capsules
        if isinstance(obstacle, Disc):
            centre = np.array([obstacle.x, obstacle.y])
            if obstacle.mass is not None:
                centre, moved = row[n + moved, :2], moved + 1
                others = capsules[: n + moved - 1]
            edges, thick = [(centre, centre)], obstacle.radius
        elif isinstance(obstacle, Wall):
            points = np.array(obstacle.points)
            edges, thick = list(itertools.pairwise(points)), 0.0
        elif isinstance(obstacle, Polygon):
            points = np.array(obstacle.points)
            edges, thick = list(zip(points, np.roll(points, -1, axis=0), strict=True)), 0.0
        else:
            raise TypeError(obstacle)
        for centre, arm, radius in others:
            gap = min(_segment_distance(centre - arm, centre + arm, a, b) for a, b in edges)
            if isinstance(obstacle, Polygon) and _inside(obstacle, centre):
                gap = -gap
            deepest = max(deepest, radius + thick - gap)
    return float(deepest)


def deepest(robot: Robot, world: World, run: Run) -> float:
    return max(depth(robot, world, row) for row in run.link)
