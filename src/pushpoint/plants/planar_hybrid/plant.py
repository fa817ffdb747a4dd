"""The planar hybrid model behind the common door."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from pushpoint._jit import compiling_once
from pushpoint.fields import Frozen
from pushpoint.numerics.records import as_columns, from_table, table
from pushpoint.numerics.restored import LAYOUT, layout, restored
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays
from pushpoint.plants._resting import resting
from pushpoint.plants.planar_hybrid.crossing import crossing_counts, crossing_events
from pushpoint.plants.planar_hybrid.jump import BEYOND
from pushpoint.plants.planar_hybrid.limits import limits
from pushpoint.plants.planar_hybrid.model import (
    MOST_JUMPS,
    PUSH,
    TOUCH_FIELDS,
    WORST_LINK,
    State,
    make_problem,
    make_state,
)
from pushpoint.plants.planar_hybrid.options import PlanarHybridOptions
from pushpoint.plants.planar_hybrid.run import FIRST_ROW, TABLE_FULL, place_from_python, run_ticks
from pushpoint.plants.planar_hybrid.unknown import narrow_gaps, refuse_unknown
from pushpoint.robots import Robot, Servo
from pushpoint.types import (
    CommandTable,
    Event,
    ExtraColumn,
    Failure,
    Pairs,
    Pose,
    Snapshot,
    Status,
    Trace,
    grown,
)
from pushpoint.worlds import World

ADVICE = {
    Status.NOT_CONVERGED: "contact forces do not exist or are not unique: obstacle friction may exceed mu_o*, "
    "see friction_bound; try less of it, or plant 'planar_stepping'",
    Status.NOT_FINITE: "steps became too short: check servo gains and feed-forward torques, or loosen plant.tolerance",
    Status.TOO_MANY_CONTACTS: "thin out obstacles that are packed around the robot",
    Status.TOO_MANY_EVENTS: "jumps accumulate; try plant 'planar_stepping', which has no events",
}
CONTACT_ROOM = 1024  # lines by which the table of contacts grows, and twice over
RECORDS = {"touch": TOUCH_FIELDS}  # parts of the state that are records
CROSSING = 2  # its place among the extra columns
JUMPS = ("", "impact", "detachment", "change-of-side", "friction-beyond-bound")


@plants.register("planar_hybrid")
class PlanarHybrid:
    """Planar hybrid model that tracks events, with contact forces from a complementarity problem (P1)."""

    Options: ClassVar[type[Frozen]] = PlanarHybridOptions
    dimensions = 2
    extra_columns: ClassVar[tuple[ExtraColumn, ...]] = (
        ExtraColumn("friction_bound", "1", "obstacle friction up to which contact forces are unique, at most 2"),
        ExtraColumn("links_in_contact", "1", "contacts that enter the complementarity problem"),
        ExtraColumn("links_crossing", "1", "pairs of links that cross each other"),
    )

    def __init__(self, robot: Robot, world: World, servo: Servo, options: PlanarHybridOptions) -> None:
        self.dt, self._robot = options.dt, robot
        self._problem = make_problem(robot, world, servo, options)

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: PlanarHybridOptions) -> PlanarHybrid:
        refuse_unknown(robot, world, servo)
        for message in narrow_gaps(robot, world) if options.contact == "centre" else ():
            warnings.warn(message, stacklevel=2)
        return cls(robot, world, servo, options)

    def initial_state(self, pose: Pose) -> State:
        return make_state(self._problem, pose)

    def snapshot(self, state: State) -> Snapshot:
        link, n = self._problem.link, len(self._problem.link)
        place_from_python(self._problem, state.vector)
        angle, rate = state.vector[:n].copy(), state.vector[n + 2 : 2 * n + 2]
        pushed = state.pushed[:, :PUSH]
        return Snapshot(
            time=float(state.clock[0] * self.dt),
            joint_angle=angle[1:] - angle[:-1],
            joint_rate=rate[1:] - rate[:-1],
            joint_impulse=state.sums[1:, 2],
            position=table(link, "x", "y"),
            attitude=angle,
            velocity=table(link, "vx", "vy"),
            rate=rate.copy(),
            contact_impulse=pushed.reshape(n, -1, PUSH).sum(axis=1),
            ground_impulse=state.sums[:, :2],
            pairs=self._pairs_that_pushed(state),
            obstacle_position=np.zeros((0, 2)),
        )

    def _pairs_that_pushed(self, state: State) -> Pairs:
        pushed = np.flatnonzero(state.pushed[:, :PUSH].any(axis=1))
        touch = as_columns(state.touch)[pushed]
        return Pairs(
            link=pushed // (len(state.pushed) // len(state.sums)),
            obstacle=touch[:, 0].astype(np.int64),
            place=touch[:, 1],
            point=touch[:, 4:6],
            normal=touch[:, 2:4],
            impulse=state.pushed[pushed, :PUSH],
        )

    def rollout(self, state: State, table: CommandTable, substeps: int, trace: Trace) -> tuple[Trace, Failure | None]:
        with compiling_once("planar_hybrid"):
            status, tick = run_ticks(self._problem, state, table, 0, substeps, trace)
        while status == TABLE_FULL:
            trace = self._with_room(trace, max(CONTACT_ROOM, len(state.pushed)), substeps)
            status, tick = run_ticks(self._problem, state, table, tick, substeps, trace)
        return trace, None if status == Status.OK else self._failure(state, trace, Status(status))

    def _with_room(self, trace: Trace, room: int, substeps: int) -> Trace:
        """For another tick at least, and twice as many contacts or events as there are."""
        contacts = len(trace.contact) + room if trace.cursor[1] + room > len(trace.contact) else 0
        most = MOST_JUMPS * (substeps + 1)
        events = len(trace.event) + most if trace.cursor[5] + most > len(trace.event) else 0
        return grown(trace, contacts, events)

    def _failure(self, state: State, trace: Trace, status: Status) -> Failure:
        residual = float(trace.step[trace.cursor[2] - 1, 0])
        link = int(self._problem.number[WORST_LINK])
        return Failure(status, float(state.clock[0] * self.dt), link, residual, ADVICE[status])

    def events(self, trace: Trace) -> Iterator[Event]:
        for time, kind, link, obstacle, impulse, bound in trace.event[: trace.cursor[5]]:
            detail = f"link {link:.0f}, obstacle {obstacle:.0f}"
            if kind == BEYOND:
                detail = f"contact forces are unique for friction below {bound:.3g} only"
            elif impulse > 0.0:
                detail += f", {impulse:.3g} N s"
            yield Event(float(time), JUMPS[int(kind)], detail)
        yield from crossing_events(self._robot, trace)

    def complete(self, trace: Trace) -> None:
        trace.extra[: trace.cursor[0], CROSSING] = crossing_counts(self._robot, trace)

    def record_start(self, state: State, trace: Trace) -> None:
        nothing = CommandTable(*(np.zeros((0, 0)) for _ in CommandTable._fields))
        with compiling_once("planar_hybrid"):
            run_ticks(self._problem, state, nothing, FIRST_ROW, 1, trace)

    def dump(self, state: State) -> StateArrays:
        dumped = {name: table(a) if name in RECORDS else a.copy() for name, a in state._asdict().items()}
        return dumped | {LAYOUT: layout(dumped, RECORDS)}

    def restore(self, arrays: StateArrays) -> State:
        template = self.dump(self.initial_state(resting(len(self._problem.link))))
        checked = restored("state of planar_hybrid", arrays, template, limits(self._problem), RECORDS)
        return State(**checked | {name: from_table(checked[name], RECORDS[name]) for name in RECORDS})
