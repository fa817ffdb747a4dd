"""The planar time-stepping model as a plant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.feedback import flat_layout, new_feedback
from pushpoint.fields import Frozen
from pushpoint.mechanics.self_contact import SelfClearance
from pushpoint.numerics.records import as_columns, table
from pushpoint.numerics.restored import Limits
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays
from pushpoint.plants._compiled import CompiledPlant, Entry, Stopped
from pushpoint.plants._resting import resting
from pushpoint.plants._supports import Supports
from pushpoint.plants._tape import OK
from pushpoint.plants.planar_stepping.free_flight import keeps_momenta, show_kept_spin, start_motion
from pushpoint.plants.planar_stepping.limits import limits
from pushpoint.plants.planar_stepping.model import BODY_FIELDS, PAIR_FIELDS, SELF_PAIRS, State, make_state
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.run import APPROACH
from pushpoint.plants.planar_stepping.supports import NEWTON, PROJECTION, refuse_thin_at_edges
from pushpoint.plants.planar_stepping.touching import (
    TOUCHING,
    Watch,
    check_clearance,
    let_through,
    set_bounds,
    watch_for,
)
from pushpoint.plants.planar_stepping.variant import Variant
from pushpoint.robots import Robot, Servo
from pushpoint.tape import Tape
from pushpoint.types import CommandTable, FloatArray, Pose, Status
from pushpoint.worlds import World

NOTHING = np.zeros((0, 2))
ADVICE = {
    Status.NOT_CONVERGED: "try a smaller plant.dt, a larger plant.max_iterations, or a looser plant.tolerance",
    Status.NOT_FINITE: "try a smaller plant.dt; check servo gains and feed-forward torques",
    Status.TOO_MANY_CONTACTS: "obstacles are packed too densely around one link; merge or thin them out",
}


@plants.register("planar_stepping")
class PlanarStepping(CompiledPlant):
    """Planar non-smooth time-stepping model with set-valued friction and unilateral contact (P2)."""

    Options: ClassVar[type[Frozen]] = PlanarSteppingOptions
    supports: ClassVar[tuple[Supports, ...]] = (NEWTON, PROJECTION)
    name: ClassVar[str] = "planar_stepping"
    state_type: ClassVar[type] = State
    records: ClassVar[Mapping[str, tuple[str, ...]]] = {"link": BODY_FIELDS, "pair": PAIR_FIELDS}
    advice = ADVICE
    dimensions = 2
    places = 2

    def __init__(self, robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions) -> None:
        self.dt = options.dt
        self._inputs = (robot, world, servo, options)
        self._always_touching = options.self_contact is True
        self._usual = Variant(*self._inputs, self_contact=self._always_touching)
        self._touching: Variant | None = None  # built when links come near each other, see `_variant`
        self._problem, self._movable = self._usual.problem, world.movable_discs
        self._free = keeps_momenta(self._problem)
        self._pairs = len(self._usual.around.pair_code)
        self._watch: Watch | None = None
        if options.self_contact == "auto" and options.scheme == "conserving" and options.solver == "newton":
            self._watch_links(robot, len(world.obstacles))
        self.layout = flat_layout(len(robot.links), len(robot.links) - 1, 2)
        self.feedback = new_feedback(self.layout, self._pairs)

    def _watch_links(self, robot: Robot, discs: int) -> None:
        clearance, basic = SelfClearance.of(robot), self._usual.contacts is None
        if len(robot.links) > 2:
            self._watch = watch_for(self._problem, clearance, basic, discs)
            if basic:  # room for what extended contacts list
                self._pairs = 2 * self._pairs + len(robot.links) * SELF_PAIRS

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions) -> PlanarStepping:
        model = PROJECTION if options.solver == "projection" else NEWTON
        model.check(robot, world, servo, options.self_contact)
        refuse_thin_at_edges(robot, world)
        if options.solver == "projection" and options.step_error is not None:
            raise InvalidInput("plant.step_error: adaptive steps need plant.solver = 'newton'")
        if options.solver == "projection" and options.extended == "all":
            raise InvalidInput("plant.extended = 'all': only plant.solver = 'newton' has extended parts")
        for name, value in (("r_h", options.r_h), ("r_t", options.r_t)):
            if value is not None and options.solver != "projection":
                raise InvalidInput(
                    f"plant.{name} = {value:g}: only P2's iteration has it; allowed with plant.solver = 'projection'"
                )
        return cls(robot, world, servo, options)

    def initial_state(self, pose: Pose) -> State:
        touching = self._always_touching
        state = make_state(self._problem, pose, self._movable, self._pairs, touching or self._watch is not None)
        state.clock[TOUCHING] = touching
        if touching:
            clearance = SelfClearance.of(self._inputs[0])
            let_through(state, clearance, clearance.gaps(pose.position, pose.angle, 0.0), new=True)
        return state

    def obstacle_position(self, state: State) -> FloatArray:
        if not self._movable:
            return NOTHING
        return table(state.link[self.layout.links :], "x", "y")

    def before_ticks(self, state: State) -> None:
        if self._free and state.clock[1] == 0:
            start_motion(self._problem, state)

    def after_ticks(self, tape: Tape, first_row: int) -> None:
        if self._free:
            show_kept_spin(self._problem, tape.link[first_row : tape.cursor[0].row, :, :6])

    def call(self, state: State) -> tuple[Entry, tuple[Any, ...]]:
        variant = self._variant(state)
        return variant.entry, variant.given

    def twin(self) -> PlanarStepping:
        return PlanarStepping(*self._inputs)

    def resolve(self, state: State, table: CommandTable, at: Stopped, tape: Tape) -> Stopped:
        """Check the clearance of links that may be near each other, or make a step in parts."""
        status, tick, step = at
        if status == APPROACH and self._watch is not None:
            check_clearance(self._watch, state)
            return OK, tick, step
        return self._variant(state).repeat(state, table, tick, step, tape), tick, step + 1

    def contact_room(self, state: State) -> int:
        return len(state.pair_code)

    def worst_link(self, state: State) -> int:
        return int(self._variant(state).problem.number[0].worst_link)

    def _variant(self, state: State) -> Variant:
        """The kernels for a state: those with extended contacts where links may touch each other."""
        touching, variant = bool(state.clock[TOUCHING]), self._usual
        if touching and variant.contacts is None:
            if self._touching is None:
                self._touching = Variant(*self._inputs, self_contact=True)
                if self._watch is not None:
                    set_bounds(self._touching.problem, self._watch.clearance)
            variant = self._touching
        variant.problem.number["self_contact"][0] = touching
        if touching and variant.contacts is not None:
            variant.contacts.through[:] = state.through
        return variant

    def record_start(self, state: State, tape: Tape) -> None:
        steps, free = state.clock.tolist()[:2]
        tape.link[0, :, :6] = as_columns(state.link)[:, :6]
        if free:
            show_kept_spin(self._problem, tape.link[:1, :, :6])
        tape.energy[0, 0], tape.energy[0, 1:] = steps * self.dt, state.ledger[:5]
        tape.cursor[0].row = 1

    def resting_state(self) -> State:
        return self.initial_state(resting(len(self._problem.chain)))

    def limits(self, arrays: StateArrays) -> Limits:
        """Neighbours are numbered by disc or, where contacts are extended, by feature and link."""
        clock = arrays.get("clock")
        touching = isinstance(clock, np.ndarray) and clock.size > TOUCHING and clock.flat[TOUCHING] == 1
        contacts, discs = self._usual.contacts, len(self._usual.around.disc)
        features = discs if contacts is None else len(contacts.feature)
        codes = discs if contacts is None and not touching else 3 * (features + len(self._problem.chain))
        return limits(self._pairs, codes, self._always_touching or self._watch is not None)
