"""Small robots, runs and an interface to the kernels of the planar hybrid plant that its verification tests share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pushpoint._jit import entry_point
from pushpoint.mechanics.joint_forces import accelerate_all, factor_joints
from pushpoint.numerics.records import table
from pushpoint.plants.planar_hybrid.contacts import gather_contacts, place_links
from pushpoint.plants.planar_hybrid.flow import slopes
from pushpoint.plants.planar_hybrid.integrate import flow, interpolate, stages
from pushpoint.plants.planar_hybrid.jump import collide, jump
from pushpoint.plants.planar_hybrid.model import Problem, State, make_problem, make_state
from pushpoint.plants.planar_hybrid.options import PlanarHybridOptions
from pushpoint.plants.planar_hybrid.plant import PlanarHybrid
from pushpoint.robots import Link, Robot, Servo
from pushpoint.tape import Tape, grown, new_tape
from pushpoint.types import CommandTable, Failure, FloatArray, Pose
from pushpoint.worlds import Disc, Ground, World

LIMP = Servo()
SLOPES, GATHER, CHAIN, COLLIDE, JUMP, FLOW, DENSE_OUTPUT = range(7)


@entry_point
def interface(problem: Problem, state: State, tape: Tape, what: int, number: float, share: float) -> int:
    """One entry point for all, as each costs compile time. What the kernels find stays in `problem` and `state`."""
    if what == SLOPES:  # into problem.slope[0], `number` after the tick began
        return slopes(problem, state, state.vector, number, problem.slope[0])
    if what == FLOW:  # one step of dt
        return flow(problem, state, tape, number, 0.0)
    if what == JUMP:  # at the time `number`
        return jump(problem, state, tape, number)
    if what == DENSE_OUTPUT:  # of a step `number`, into problem.vector[2]
        slopes(problem, state, state.vector, 0.0, problem.slope[0])
        _, status = stages(problem, state, number, 0.0)
        interpolate(problem, state, number, share, problem.vector[2], state.vector.shape[0])
        return status
    if what == CHAIN:  # accelerations under the forces that are in the links
        factor_joints(problem.link)
        accelerate_all(problem.link)
        return 0
    place_links(problem, state.vector)
    gather_contacts(problem, state)
    return collide(problem, state, tape) if what == COLLIDE else 0


class Model(NamedTuple):
    """Arrays of the kernels."""

    problem: Problem
    state: State
    tape: Tape

    def call(self, what: int, number: float = 0.0, share: float = 0.0) -> int:
        return int(interface(self.problem, self.state, self.tape, what, number, share))

    def copy(self) -> Model:
        """Another state in the same problem, an empty tape."""
        return Model(self.problem, State(*(np.copy(a) for a in self.state)), empty_trace(len(self.state.alpha)))

    def contacts(self) -> dict[str, FloatArray]:
        """Columns of the contacts that were gathered last."""
        rows = self.problem.contact[: self.problem.touching[0]]
        return {name: table(rows, name)[:, 0] for name in rows.dtype.names}

    def events(self) -> FloatArray:
        return np.asarray(self.tape.event[: self.tape.cursor[0].event])


class Run(NamedTuple):
    """What a plant made of a robot that was let go."""

    link: FloatArray  # (rows, n, 11)
    energy: FloatArray  # (rows, 6)
    step: FloatArray  # (steps, 3)
    event: FloatArray  # (events, 6)
    failure: Failure | None
    state: State


def empty_trace(n: int, events: int = 100) -> Tape:
    return grown(new_tape(n, 4, 4, 1), 0, events)


def rod(length: float = 0.2, radius: float = 0.0, mass: float = 1.0, inertia: float = 0.01, **more: Any) -> Link:
    return Link(length=length, radius=radius, mass=mass, inertia=inertia, **more)


def robot_of(*links: Link) -> Robot:
    return Robot(name="rods", links=links)


def world_of(*discs: Disc, friction: float = 0.0, torque: bool = False) -> World:
    return World(name="discs", ground=Ground(friction=friction, torque=torque), obstacles=discs)


def single(
    x: float = 0.0, y: float = 0.0, angle: float = 0.0, vx: float = 0.0, vy: float = 0.0, w: float = 0.0
) -> Pose:
    """Pose of one link."""
    return Pose(np.array([[x, y]]), np.array([angle]), np.array([[vx, vy]]), np.array([w]))


def model(robot: Robot, world: World, pose: Pose, servo: Servo = LIMP, **options: Any) -> Model:
    problem = make_problem(robot, world, servo, PlanarHybridOptions(**options))
    return Model(problem, make_state(problem, pose), empty_trace(len(robot.links)))


def go(
    robot: Robot, world: World, pose: Pose, duration: float, every: int = 1, servo: Servo = LIMP, **options: Any
) -> Run:
    """Let the robot go, servos holding zero angles: one tick per dt, a row every so many ticks."""
    settings = PlanarHybridOptions(**options)
    plant = PlanarHybrid(robot, world, servo, settings)
    ticks, n = round(duration / settings.dt), len(robot.links)
    state = plant.initial_state(pose)
    tape = new_tape(n, ticks // every + 1, ticks, every)
    tape = tape._replace(extra=np.zeros((len(tape.link), len(PlanarHybrid.extra_columns))))
    plant.record_start(state, tape)
    zeros = CommandTable(*(np.zeros((ticks, n - 1)) for _ in range(3)))
    tape, failure = plant.rollout(state, zeros, 1, tape)
    rows, steps, events = tape.cursor[0].row, tape.cursor[0].step, tape.cursor[0].event
    return Run(tape.link[:rows], tape.energy[:rows], tape.step[:steps], tape.event[:events], failure, state)
