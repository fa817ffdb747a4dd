"""The spatial time-stepping model behind the common door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pushpoint._jit import compiling_once, for_types_of
from pushpoint.fields import Frozen
from pushpoint.numerics.records import as_columns, from_table, table
from pushpoint.numerics.restored import LAYOUT, layout, restored
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays
from pushpoint.plants._resting import resting_in_space
from pushpoint.plants.spatial_stepping.limits import limits
from pushpoint.plants.spatial_stepping.model import (
    BODY_FIELDS,
    MEMORY_FIELDS,
    PAIR_FIELDS,
    WORST_LINK,
    State,
    make_problem,
    make_rows,
    make_state,
    make_surroundings,
)
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.plants.spatial_stepping.run import TABLE_FULL, run_ticks
from pushpoint.plants.spatial_stepping.step import OK
from pushpoint.plants.spatial_stepping.unknown import refuse_by_scheme, refuse_unknown
from pushpoint.robots import Robot, Servo
from pushpoint.types import (
    CommandTable,
    Event,
    ExtraColumn,
    Failure,
    Pairs,
    Snapshot,
    SpatialPose,
    Status,
    Trace,
    grown,
)
from pushpoint.worlds import World

if TYPE_CHECKING:
    from pushpoint.plants.spatial_stepping.paper.model import Printed

ADVICE = {
    Status.NOT_CONVERGED: "not in 64 parts either; try a smaller plant.dt, a smaller plant.hardness, a looser "
    "plant.tolerance, or plant.on_failure = 'accept'",
    Status.NOT_FINITE: "try a smaller plant.dt; check servo gains and feed-forward torques",
    Status.TOO_MANY_CONTACTS: "obstacles are packed too densely around one link; merge or thin them out",
}
PRINTED_ADVICE = {
    Status.NOT_CONVERGED: "try a smaller plant.dt, smaller plant.r_N, plant.r_T and plant.r_V, a larger "
    "plant.max_iterations, a looser plant.tolerance, or plant.scheme = 'conserving'",
    Status.NOT_FINITE: "try smaller plant.r_N, plant.r_T and plant.r_V, or a smaller plant.dt; check feed-forward "
    "torques",
}
Run = Callable[..., tuple[int, int]]
RECORDS = {"body": BODY_FIELDS, "memory": MEMORY_FIELDS, "pair": PAIR_FIELDS}  # parts of the state that are records
GRAVITY_WORK = ExtraColumn("gravity_work", "J", "work of gravity since t = 0")


@plants.register("spatial_stepping")
class SpatialStepping:
    """Spatial non-smooth time-stepping model with set-valued friction and unilateral contact (P5)."""

    Options: ClassVar[type[Frozen]] = SpatialSteppingOptions
    dimensions = 3
    extra_columns: ClassVar[tuple[ExtraColumn, ...]] = (GRAVITY_WORK,)

    def __init__(self, robot: Robot, world: World, servo: Servo, options: SpatialSteppingOptions) -> None:
        self.dt = options.dt
        self._problem = make_problem(robot, world, servo, options)
        self._joint_of = _torque_places(robot)
        self._solids = make_surroundings(robot, world)
        self._room = make_rows(self._problem)
        self._kernels = "spatial_stepping" + (", with solids" if self._solids else "")
        self._fast_run: Run | None = None  # see `_run`
        self._printed = None if options.scheme == "conserving" else self._as_printed(robot, world, servo, options)

    def _as_printed(self, robot: Robot, world: World, servo: Servo, options: SpatialSteppingOptions) -> Printed:
        from pushpoint.plants.spatial_stepping.paper.model import make_printed

        self._kernels = "spatial_stepping, P5's own scheme"
        return make_printed(robot, world, servo, options)

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: SpatialSteppingOptions) -> SpatialStepping:
        refuse_unknown(robot, world, servo)
        refuse_by_scheme(robot, world, servo, options)
        return cls(robot, world, servo, options)

    def events(self, trace: Trace) -> Iterator[Event]:
        return iter(())

    def initial_state(self, pose: SpatialPose) -> State:
        return make_state(self._problem, pose)

    def snapshot(self, state: State) -> Snapshot:
        body = state.body
        return Snapshot(
            time=float(state.clock[0] * self.dt),
            joint_angle=state.angle[0].copy(),
            joint_rate=state.angle[1].copy(),
            joint_impulse=state.sums[self._joint_of],
            position=table(body, "x", "y", "z"),
            attitude=table(body, "qw", "qx", "qy", "qz"),
            velocity=table(body, "vx", "vy", "vz"),
            rate=table(body, "wx", "wy", "wz"),
            contact_impulse=state.sums[:, :3],
            ground_impulse=state.sums[:, 3:6],
            pairs=_pairs_that_pushed(state),
            obstacle_position=np.zeros((0, 3)),
        )

    def rollout(self, state: State, table: CommandTable, substeps: int, trace: Trace) -> tuple[Trace, Failure | None]:
        status, tick = self._run(state, table, 0, substeps, trace)
        while status == TABLE_FULL:
            trace = grown(trace, max(2 * len(trace.contact), 2 * len(state.pair), 4096))
            status, tick = self._run(state, table, tick, substeps, trace)
        return trace, None if status == OK else self._failure(state, trace, Status(status))

    def _run(self, state: State, table: CommandTable, tick: int, substeps: int, trace: Trace) -> tuple[int, int]:
        """The first run, and those with tables of another kind, take the long way past Numba's look at all types."""
        run: Run = run_ticks
        arguments: tuple[Any, ...] = (self._problem, self._solids, self._room, state, table, tick, substeps, trace)
        if self._printed is not None:
            from pushpoint.plants.spatial_stepping.paper.run import run_ticks_as_printed as run

            arguments = (self._printed, state, table, tick, substeps, trace)
        usual = all(column.dtype.char == "d" and column.flags.c_contiguous for column in table)
        if usual and self._fast_run is not None:
            return self._fast_run(*arguments)
        with compiling_once(self._kernels):
            result: tuple[int, int] = run(*arguments)
        if usual:
            self._fast_run = for_types_of(run, *arguments)
        return result

    def _failure(self, state: State, trace: Trace, status: Status) -> Failure:
        residual = float(trace.step[trace.cursor[2] - 1, 0])
        if self._printed is None:
            link, advice = int(self._problem.number[WORST_LINK]), ADVICE[status]
        else:
            from pushpoint.plants.spatial_stepping.paper import model

            link, advice = int(self._printed.number[model.WORST_LINK]), PRINTED_ADVICE.get(status, ADVICE[status])
        return Failure(status, float(state.clock[0] * self.dt), link, residual, advice)

    def record_start(self, state: State, trace: Trace) -> None:
        trace.link[0, :, :13] = as_columns(state.body)[:, :13]
        trace.energy[0, 0], trace.energy[0, 1:] = state.clock[0] * self.dt, state.ledger[:5]
        trace.extra[0, 0] = state.ledger[5]
        trace.cursor[0] = 1

    def dump(self, state: State) -> StateArrays:
        arrays = state._asdict()
        dumped = {name: table(a) if name in RECORDS else a.copy() for name, a in arrays.items()}
        return dumped | {LAYOUT: layout(dumped, RECORDS)}

    def restore(self, arrays: StateArrays) -> State:
        rest = self.initial_state(resting_in_space(len(self._problem.link), len(self._problem.joint)))
        checked = restored("state of spatial_stepping", arrays, self.dump(rest), limits(rest), RECORDS)
        return State(**checked | {name: from_table(checked[name], RECORDS[name]) for name in RECORDS})


def _torque_places(robot: Robot) -> Any:
    """Where State.sums keeps the impulses of each freedom: rows and columns."""
    numbers = [j for j, _ in robot.freedoms]
    second = [int(k > 0 and numbers[k - 1] == j) for k, j in enumerate(numbers)]
    return np.array([j + 1 for j in numbers], dtype=np.int64), 6 + np.array(second, dtype=np.int64)


def _pairs_that_pushed(state: State) -> Pairs:
    pair = state.pair[: state.clock[2]]
    impulse = table(pair, "tick_x", "tick_y", "tick_z")
    pushed = np.flatnonzero(impulse.any(axis=1))
    pair = pair[pushed]
    return Pairs(
        link=pair["link"].astype(np.int64),
        obstacle=pair["obstacle"].astype(np.int64),
        place=pair["place"].copy(),
        point=table(pair, "point_x", "point_y", "point_z"),
        normal=table(pair, "normal_x", "normal_y", "normal_z"),
        impulse=impulse[pushed],
    )
