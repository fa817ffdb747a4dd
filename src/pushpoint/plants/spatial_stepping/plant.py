"""The spatial time-stepping model as a plant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pushpoint.feedback import flat_layout, new_feedback
from pushpoint.fields import Frozen
from pushpoint.numerics.records import as_columns
from pushpoint.numerics.restored import MOST_COUNT, Limit, Limits
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays
from pushpoint.plants._compiled import CompiledPlant, Entry
from pushpoint.plants._resting import resting_in_space
from pushpoint.plants._supports import Supports
from pushpoint.plants.spatial_stepping.model import RECORDS, State, make_problem, make_rows, make_state, solids_of
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.plants.spatial_stepping.run import run_ticks
from pushpoint.plants.spatial_stepping.supports import CONSERVING, PAPER, refuse_by_scheme, refuse_thin
from pushpoint.robots import Robot, Servo
from pushpoint.tape import ExtraColumn, Tape
from pushpoint.types import SpatialPose, Status
from pushpoint.worlds import World

ADVICE = {
    Status.NOT_CONVERGED: "not in 64 parts either; try a smaller plant.dt, a smaller plant.hardness, a looser "
    "plant.tolerance, or plant.on_failure = 'accept'",
    Status.NOT_FINITE: "try a smaller plant.dt; check servo gains and feed-forward torques",
    Status.TOO_MANY_CONTACTS: "obstacles are packed too densely around one link; merge or thin them out",
}
PAPER_ADVICE = {
    Status.NOT_CONVERGED: "try a smaller plant.dt, smaller plant.r_N, plant.r_T and plant.r_V, a larger "
    "plant.max_iterations, a looser plant.tolerance, or plant.scheme = 'conserving'",
    Status.NOT_FINITE: "try smaller plant.r_N, plant.r_T and plant.r_V, or a smaller plant.dt; check feed-forward "
    "torques",
}
GRAVITY_WORK = ExtraColumn("gravity_work", "J", "work of gravity since t = 0")


@plants.register("spatial_stepping")
class SpatialStepping(CompiledPlant):
    """Spatial non-smooth time-stepping model with set-valued friction and unilateral contact (P5)."""

    Options: ClassVar[type[Frozen]] = SpatialSteppingOptions
    supports: ClassVar[tuple[Supports, ...]] = (CONSERVING, PAPER)
    name: ClassVar[str] = "spatial_stepping"
    state_type: ClassVar[type] = State
    records: ClassVar[Mapping[str, tuple[str, ...]]] = RECORDS
    dimensions = 3
    extra_columns: tuple[ExtraColumn, ...] = (GRAVITY_WORK,)

    def __init__(self, robot: Robot, world: World, servo: Servo, options: SpatialSteppingOptions) -> None:
        self.dt, self.advice = options.dt, ADVICE
        self._inputs = (robot, world, servo, options)
        self._problem = make_problem(*self._inputs)
        self.layout = flat_layout(len(robot.links), len(robot.freedoms), 3)
        self.feedback = new_feedback(self.layout, len(self.resting_state().pair))
        if options.scheme == "paper":
            self._use_paper_scheme(robot, options)
        else:
            solids = solids_of(robot, world)
            self._entry = Entry(run_ticks, "spatial_stepping" + (", with solids" if solids else ""))
            self._given: tuple[Any, ...] = (self._problem, solids, make_rows(self._problem))

    def _use_paper_scheme(self, robot: Robot, options: SpatialSteppingOptions) -> None:
        from pushpoint.plants.spatial_stepping.paper.model import make_paper_problem
        from pushpoint.plants.spatial_stepping.paper.run import run_paper_ticks

        self.advice = {**ADVICE, **PAPER_ADVICE}
        self._entry = Entry(run_paper_ticks, "spatial_stepping, P5's own scheme")
        self._given = (make_paper_problem(robot, self._problem, options),)

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: SpatialSteppingOptions) -> SpatialStepping:
        model = PAPER if options.scheme == "paper" else CONSERVING
        model.check(robot, world, servo, options.self_contact)
        refuse_thin(robot)
        refuse_by_scheme(robot, servo, options)
        return cls(robot, world, servo, options)

    def initial_state(self, pose: SpatialPose) -> State:
        return make_state(self._problem, pose)

    def call(self, state: State) -> tuple[Entry, tuple[Any, ...]]:
        return self._entry, self._given

    def twin(self) -> SpatialStepping:
        return SpatialStepping(*self._inputs)

    def contact_room(self, state: State) -> int:
        return len(state.pair)

    def worst_link(self, state: State) -> int:
        return int(self._problem.number[0].worst_link)

    def record_start(self, state: State, tape: Tape) -> None:
        tape.link[0, :, :13] = as_columns(state.body)[:, :13]
        tape.energy[0, 0], tape.energy[0, 1:] = state.clock[0] * self.dt, state.ledger[:5]
        tape.extra[0, 0] = state.ledger[5]
        tape.cursor[0].row = 1

    def resting_state(self) -> State:
        return self.initial_state(resting_in_space(len(self._problem.link), len(self._problem.joint)))

    def limits(self, arrays: StateArrays) -> Limits:
        problem, state = self._problem, self.resting_state()
        return {
            "clock": Limit(0, MOST_COUNT),
            "clock.1": Limit(0, len(state.memory)),
            "clock.2": Limit(0, len(state.pair)),
            "pair.link": Limit(-1, len(problem.link) - 1),
            "pair.obstacle": Limit(-1 - len(problem.link), MOST_COUNT),  # -1 is the ground, -2 - j link j
            "pair.which": Limit(0, 2),
        }
