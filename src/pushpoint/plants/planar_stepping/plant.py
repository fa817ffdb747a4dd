"""The planar time-stepping model behind the common door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from pushpoint._jit import compiling_once, for_types_of
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.mechanics.flatness import refuse_spatial
from pushpoint.mechanics.yaw import yaw_quaternions
from pushpoint.numerics.records import as_columns, from_table, table
from pushpoint.numerics.restored import LAYOUT, layout, restored
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays
from pushpoint.plants._resting import resting
from pushpoint.plants.planar_stepping.adaptive import run_ticks_adaptively
from pushpoint.plants.planar_stepping.extras import make_extras
from pushpoint.plants.planar_stepping.free_flight import keeps_momenta, show_kept_spin, start_motion
from pushpoint.plants.planar_stepping.limits import limits
from pushpoint.plants.planar_stepping.model import (
    BODY_FIELDS,
    OBSTACLE,
    PAIR_FIELDS,
    WORST_LINK,
    State,
    make_problem,
    make_state,
    make_surroundings,
)
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.projection import run_ticks_by_projection
from pushpoint.plants.planar_stepping.run import TABLE_FULL, run_ticks
from pushpoint.plants.planar_stepping.step import OK
from pushpoint.robots import Robot, Servo
from pushpoint.types import (
    Command,
    CommandTable,
    Contacts,
    Failure,
    IntArray,
    Observation,
    Pose,
    Status,
    Trace,
    grown,
    new_trace,
)
from pushpoint.worlds import Disc, World

ADVICE = {
    Status.NOT_CONVERGED: "try a smaller plant.dt, a larger plant.max_iterations, or a looser plant.tolerance",
    Status.NOT_FINITE: "try a smaller plant.dt; check servo gains and feed-forward torques",
    Status.TOO_MANY_CONTACTS: "obstacles are packed too densely around one link; merge or thin them out",
}
Run = Callable[..., tuple[int, int]]
FLOAT = np.dtype(np.float64)
RECORDS = {"link": BODY_FIELDS, "pair": PAIR_FIELDS}  # parts of the state that are arrays of records


@plants.register("planar_stepping")
class PlanarStepping:
    """Planar non-smooth time-stepping model with set-valued friction and unilateral contact (P2)."""

    Options: ClassVar[type[Frozen]] = PlanarSteppingOptions
    dimensions = 2

    def __init__(self, robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions) -> None:
        self.dt = options.dt
        adaptive = options.step_error is not None
        self._extras = make_extras(robot, world, options.dt)
        self._around = make_surroundings(robot, world, self._extras)
        self._problem = make_problem(robot, world, servo, options, len(self._around.pair))
        self._movable, self._free = world.movable_discs, keeps_momenta(self._problem)
        variant = options.solver + (", beyond P2" if self._extras else "") + (", adaptive" if adaptive else "")
        self._kernels = f"planar_stepping ({variant})"
        self._given: tuple[Any, ...] = (self._problem, self._around, self._extras)
        self._slow_run: Run = run_ticks_adaptively if adaptive else run_ticks
        if options.solver == "projection":
            self._given, self._slow_run = self._given[:2], run_ticks_by_projection
        self._fast_run: Run | None = None  # see `_run`

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions) -> PlanarStepping:
        refuse_spatial("planar_stepping", robot, world)
        thin = [i for i, link in enumerate(robot.links) if link.radius == 0.0]
        flat = [k for k, thing in enumerate(world.obstacles) if not isinstance(thing, Disc)]
        if thin and flat:
            kind = type(world.obstacles[flat[0]]).__name__.lower()
            raise InvalidInput(
                f"robot.links.{thin[0]}.radius = 0.0 m: links without width cannot be told on which side of a {kind} "
                f"they are (world.obstacles.{flat[0]}); give them a radius, or use discs only"
            )
        if options.solver == "projection" and not (world.is_plain and robot.has_plain_joints):
            raise InvalidInput(
                "plant.solver = 'projection': P2's own solver knows P2's own problem only: dry friction that is the "
                "same forward and backward, fixed smooth discs, joints with nothing but a servo; use solver 'newton'"
            )
        if options.solver == "projection" and options.step_error is not None:
            raise InvalidInput("plant.step_error: adaptive steps need plant.solver = 'newton'")
        return cls(robot, world, servo, options)

    def initial_state(self, pose: Pose) -> State:
        return make_state(self._problem, pose, self._movable)

    def observe(self, state: State, period: float) -> Observation:
        link = state.link[: len(self._problem.chain)]
        return Observation(
            time=float(state.clock[0] * self.dt),
            joint_angle=np.diff(link["angle"]),
            joint_rate=np.diff(link["w"]),
            joint_torque=state.sums[1 : len(link), 4] / period,
            link_position=table(link, "x", "y"),
            link_yaw=link["angle"].copy(),
            link_orientation=yaw_quaternions(link["angle"]),
            link_velocity=table(link, "vx", "vy"),
            contacts=self._contacts(state, period),
        )

    def _contacts(self, state: State, period: float) -> Contacts:
        """The pairs that pushed during the last tick."""
        links = len(self._problem.chain)  # movable obstacles that touch others come behind
        pair = state.pair[: state.pair_start[links]]
        pushed = np.flatnonzero((pair["tick_x"] != 0.0) | (pair["tick_y"] != 0.0))
        link = np.repeat(np.arange(links), np.diff(state.pair_start[: links + 1]))[pushed]
        pair, angle = pair[pushed], state.link["angle"][link]
        across = -np.sin(angle) * pair["normal_x"] + np.cos(angle) * pair["normal_y"]
        return Contacts(
            link=link,
            obstacle=self._obstacles(state.pair_code[pushed]),
            place=pair["place"].copy(),
            side=np.where(across < 0, 1, -1),  # pushed to the right: the obstacle is on the left
            point=table(pair, "point_x", "point_y"),
            normal=table(pair, "normal_x", "normal_y"),
            force=table(pair, "tick_x", "tick_y") / period,
        )

    def _obstacles(self, code: IntArray) -> IntArray:
        """Indices in World.obstacles."""
        if self._extras is None:
            return code
        return np.asarray(self._extras.feature[code // 3, OBSTACLE], dtype=np.int64)

    def advance(self, state: State, command: Command, substeps: int) -> Failure | None:
        rows = (command.joint_angle, command.joint_rate, command.torque)
        commands = CommandTable(*(np.array(row, dtype=float)[np.newaxis] for row in rows))
        scrap = new_trace(len(state.link), 1, substeps, 2)  # two ticks per row: one tick writes none
        return self.rollout(state, commands, substeps, scrap)[1]

    def rollout(self, state: State, table: CommandTable, substeps: int, trace: Trace) -> tuple[Trace, Failure | None]:
        first_row = int(trace.cursor[0])
        if self._free and state.clock[1] == 0:
            start_motion(self._problem, state)
        status, tick = self._run(state, table, 0, substeps, trace)
        while status == TABLE_FULL:
            trace = grown(trace, max(2 * len(trace.contact), 2 * len(state.pair_code), 4096))
            status, tick = self._run(state, table, tick, substeps, trace)
        if self._free:
            show_kept_spin(self._problem, trace.link[first_row : trace.cursor[0], :, :6])
        return trace, None if status == OK else self._failure(state, trace, Status(status))

    def _run(self, state: State, table: CommandTable, tick: int, substeps: int, trace: Trace) -> tuple[int, int]:
        """The first run, and those with tables of another kind, take the long way past Numba's look at all types."""
        arguments = (*self._given, state, table, tick, substeps, trace)
        angle, rate, torque = table
        usual = angle.dtype is rate.dtype is torque.dtype is FLOAT and (
            angle.flags.c_contiguous and rate.flags.c_contiguous and torque.flags.c_contiguous
        )
        if usual and self._fast_run is not None:
            return self._fast_run(*arguments)
        with compiling_once(self._kernels):
            result = self._slow_run(*arguments)
        if usual:
            self._fast_run = for_types_of(self._slow_run, *arguments)
        return result

    def _failure(self, state: State, trace: Trace, status: Status) -> Failure:
        residual = float(trace.step[trace.cursor[2] - 1, 0])
        link = int(self._problem.number[WORST_LINK])
        return Failure(status, float(state.clock[0] * self.dt), link, residual, ADVICE[status])

    def record_start(self, state: State, trace: Trace) -> None:
        steps, free = state.clock.tolist()[:2]
        trace.link[0, :, :6] = as_columns(state.link)[:, :6]
        if free:
            show_kept_spin(self._problem, trace.link[:1, :, :6])
        trace.energy[0, 0], trace.energy[0, 1:] = steps * self.dt, state.ledger[:5]
        trace.cursor[0] = 1

    def dump(self, state: State) -> StateArrays:
        arrays = state._asdict()
        dumped = {name: table(a) if name in RECORDS else a.copy() for name, a in arrays.items()}
        return dumped | {LAYOUT: layout(dumped, RECORDS)}

    def restore(self, arrays: StateArrays) -> State:
        template = self.dump(self.initial_state(resting(len(self._problem.chain))))
        checked = restored("state of planar_stepping", arrays, template, limits(self._around, self._extras), RECORDS)
        return State(**checked | {name: from_table(checked[name], RECORDS[name]) for name in RECORDS})
