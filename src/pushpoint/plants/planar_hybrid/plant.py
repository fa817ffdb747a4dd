"""The planar hybrid model as a plant."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from pushpoint._jit import compiling_once
from pushpoint.feedback import flat_layout, new_feedback
from pushpoint.fields import Frozen
from pushpoint.numerics.restored import MOST_COUNT, Limit, Limits
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays
from pushpoint.plants._compiled import CompiledPlant, Entry
from pushpoint.plants._resting import resting
from pushpoint.plants._supports import Supports
from pushpoint.plants.planar_hybrid.assumptions import narrow_gaps, refuse_many_links
from pushpoint.plants.planar_hybrid.crossing import crossing_counts, crossing_events
from pushpoint.plants.planar_hybrid.integrate import SHORTEST
from pushpoint.plants.planar_hybrid.jump import BEYOND_BOUND
from pushpoint.plants.planar_hybrid.model import MOST_JUMPS, NEXT_STEP, RECORDS, State, make_problem, make_state
from pushpoint.plants.planar_hybrid.options import PlanarHybridOptions
from pushpoint.plants.planar_hybrid.run import FIRST_ROW, run_ticks
from pushpoint.plants.planar_hybrid.supports import HYBRID
from pushpoint.robots import Robot, Servo
from pushpoint.tape import ExtraColumn, Tape, grown
from pushpoint.types import CommandTable, Event, Pose, Status
from pushpoint.worlds import World

ADVICE = {
    Status.NOT_CONVERGED: "contact forces do not exist or are not unique: obstacle friction may exceed mu_o*, "
    "see friction_bound; try less of it, or plant 'planar_stepping'",
    Status.NOT_FINITE: "steps became too short: check servo gains and feed-forward torques, or loosen plant.tolerance",
    Status.TOO_MANY_CONTACTS: "thin out obstacles that are packed around the robot",
    Status.TOO_MANY_EVENTS: "jumps accumulate; try plant 'planar_stepping', which has no events",
}
CONTACT_ROOM = 1024  # lines by which the table of contacts grows, and twice over
CROSSING = 2  # its place among the extra columns
JUMPS = ("", "impact", "detachment", "change-of-side", "friction-beyond-bound")


@plants.register("planar_hybrid")
class PlanarHybrid(CompiledPlant):
    """Planar hybrid model that tracks events, with contact forces from a complementarity problem (P1)."""

    Options: ClassVar[type[Frozen]] = PlanarHybridOptions
    supports: ClassVar[tuple[Supports, ...]] = (HYBRID,)
    name: ClassVar[str] = "planar_hybrid"
    state_type: ClassVar[type] = State
    records: ClassVar[Mapping[str, tuple[str, ...]]] = RECORDS
    advice = ADVICE
    dimensions = 2
    extra_columns: tuple[ExtraColumn, ...] = (
        ExtraColumn("friction_bound", "1", "obstacle friction up to which contact forces are unique, at most 2"),
        ExtraColumn("links_in_contact", "1", "contacts that enter the complementarity problem"),
        ExtraColumn("links_crossing", "1", "pairs of links that cross each other"),
    )

    def __init__(self, robot: Robot, world: World, servo: Servo, options: PlanarHybridOptions) -> None:
        self.dt, self._robot = options.dt, robot
        self._inputs = (robot, world, servo, options)
        self._problem = make_problem(*self._inputs)
        self._given = (self._problem,)
        self._entry = Entry(run_ticks, "planar_hybrid")
        self.layout = flat_layout(len(robot.links), len(robot.links) - 1, 2)
        self.feedback = new_feedback(self.layout, len(self.resting_state().pushed))

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: PlanarHybridOptions) -> PlanarHybrid:
        HYBRID.check(robot, world, servo)
        refuse_many_links(robot)
        for message in narrow_gaps(robot, world) if options.contact == "centre" else ():
            warnings.warn(message, stacklevel=2)
        return cls(robot, world, servo, options)

    def initial_state(self, pose: Pose) -> State:
        return make_state(self._problem, pose)

    def call(self, state: State) -> tuple[Entry, tuple[Any, ...]]:
        return self._entry, self._given

    def twin(self) -> PlanarHybrid:
        return PlanarHybrid(*self._inputs)

    def event_room(self, substeps: int) -> int:
        return MOST_JUMPS * (substeps + 1)

    def with_room(self, state: State, substeps: int, tape: Tape) -> Tape:
        """For another tick at least, and twice as many contacts or events as there are."""
        room, most = max(CONTACT_ROOM, len(state.pushed)), self.event_room(substeps)
        contacts = len(tape.contact) + room if tape.cursor[0].contact + room > len(tape.contact) else 0
        events = len(tape.event) + most if tape.cursor[0].event + most > len(tape.event) else 0
        return grown(tape, contacts, events)

    def contact_room(self, state: State) -> int:
        return len(state.pushed)

    def worst_link(self, state: State) -> int:
        return int(self._problem.number[0].worst_link)

    def events(self, tape: Tape) -> Iterator[Event]:
        for time, kind, link, obstacle, impulse, bound in tape.event[: tape.cursor[0].event]:
            detail = f"link {link:.0f}, obstacle {obstacle:.0f}"
            if kind == BEYOND_BOUND:
                detail = f"contact forces are unique for friction below {bound:.3g} only"
            elif impulse > 0.0:
                detail += f", {impulse:.3g} N s"
            yield Event(float(time), JUMPS[int(kind)], detail)
        yield from crossing_events(self._robot, tape)

    def complete(self, tape: Tape) -> None:
        tape.extra[: tape.cursor[0].row, CROSSING] = crossing_counts(self._robot, tape)

    def record_start(self, state: State, tape: Tape) -> None:
        nothing = CommandTable(*(np.zeros((0, 0)) for _ in CommandTable._fields))
        with compiling_once("planar_hybrid"):
            run_ticks(self._problem, state, nothing, FIRST_ROW, 1, tape, self.feedback)

    def resting_state(self) -> State:
        return self.initial_state(resting(len(self._problem.link)))

    def limits(self, arrays: StateArrays) -> Limits:
        discs = len(self._problem.disc)
        side = 1 if discs else 0  # without obstacles no link touches one
        return {
            "clock": Limit(0, MOST_COUNT),
            "alpha": Limit(-side, side),
            "pushing": Limit(0, 1),
            "leaving": Limit(0, 1),
            "touch.obstacle": Limit(0, max(discs - 1, 0)),
            f"ledger.{NEXT_STEP}": Limit(min(SHORTEST, self.dt), self.dt),
        }
