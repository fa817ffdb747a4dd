"""The base of compiled plants: everything about a run but the steps themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from pushpoint._jit import compiling_once, for_types_of
from pushpoint._many_calls import kinds_of
from pushpoint.feedback import (
    CompiledLoop,
    Feedback,
    FlatLayout,
    as_pairs,
    as_snapshot,
    end_of,
    read_events,
    with_controller,
)
from pushpoint.numerics.records import from_table, table
from pushpoint.numerics.restored import LAYOUT, Limits, layout, restored
from pushpoint.plants._base import StateArrays, Uneventful
from pushpoint.plants._feedback import LOG_FULL
from pushpoint.plants._tape import OK, TABLE_FULL
from pushpoint.tape import Tape, grown, new_tape
from pushpoint.types import CommandTable, Failure, FloatArray, Snapshot, Status

FLOAT = np.dtype(np.float64)
_known: dict[Any, Callable[..., Any]] = {}  # compiled functions, by entry point and kinds of arguments
Stopped = tuple[int, int, int]  # status, and the tick and the step of it that were not completed


class Entry:
    """A compiled entry point. The first call, and those with tables of another kind, pass Numba's check of all types;
    the others go past it."""

    def __init__(self, function: Callable[..., Any], kernels: str) -> None:
        self.function, self._kernels = function, kernels
        self._direct: Callable[..., Any] | None = None

    def __call__(self, table: CommandTable, arguments: tuple[Any, ...]) -> Any:
        """`table` is one of the arguments."""
        angle, rate, torque = table
        usual = angle.dtype is rate.dtype is torque.dtype is FLOAT and (
            angle.flags.c_contiguous and rate.flags.c_contiguous and torque.flags.c_contiguous
        )
        if usual and self._direct is not None:
            return self._direct(*arguments)
        key = (self.function, kinds_of(arguments)) if usual else None
        if key in _known:
            self._direct = _known[key]
            return self._direct(*arguments)
        with compiling_once(self._kernels):
            result = self.function(*arguments)
        if usual:
            self._direct = _known[key] = for_types_of(self.function, *arguments)
        return result


class CompiledPlant(Uneventful, ABC):
    """A plant whose state is a NamedTuple of arrays, some of them records."""

    name: ClassVar[str]
    state_type: ClassVar[type]  # of the NamedTuple
    records: ClassVar[Mapping[str, tuple[str, ...]]]  # fields of those parts of the state that are records
    advice: Mapping[Status, str]  # what to try when it stops
    dt: float
    places: ClassVar[int] = 1  # numbers by which its compiled call takes and returns a place: tick, or tick and step
    layout: FlatLayout  # of the observation
    feedback: Feedback  # room for it
    _shown: tuple[Any, Feedback] | None = None  # the state that was run last, and what was observed of it

    @abstractmethod
    def call(self, state: Any) -> tuple[Entry, tuple[Any, ...]]:
        """The compiled call for this state, and its first arguments: robot, world, scratch."""

    @abstractmethod
    def twin(self) -> Self:
        """The same model with scratch of its own, for another robot at the same time."""

    @abstractmethod
    def initial_state(self, pose: Any) -> Any:
        """A state at t = 0."""

    @abstractmethod
    def record_start(self, state: Any, tape: Tape) -> None:
        """Write the first row of the tape."""

    @abstractmethod
    def contact_room(self, state: Any) -> int:
        """Contacts that a row may have."""

    @abstractmethod
    def worst_link(self, state: Any) -> int:
        """Where the residual of the last step was largest."""

    @abstractmethod
    def resting_state(self) -> Any:
        """Some state of this plant, as a template for those from files."""

    @abstractmethod
    def limits(self, arrays: StateArrays) -> Limits:
        """What entries of a state from a file may be."""

    def run(
        self, state: Any, table: CommandTable, at: Stopped, substeps: int, tape: Tape, feedback: Feedback
    ) -> Stopped:
        """Go on from a tick and a step of it, and observe the end; one compiled call."""
        entry, given = self.call(state)
        place = at[1 : 1 + self.places]
        stopped: Stopped = entry(table, (*given, state, table, *place, substeps, tape, feedback))
        return stopped if self.places == 2 else (stopped[0], stopped[1], 0)

    def rollout(
        self, state: Any, table: CommandTable, substeps: int, tape: Tape, loop: CompiledLoop | None = None
    ) -> tuple[Tape, Failure | None]:
        """All ticks of the table; with a compiled controller the table is filled as it goes."""
        run = Rollout(self, state, table, substeps, tape, loop)
        return run.end(run.go_on((OK, 0, 0)))

    def rollout_many(
        self,
        states: Sequence[Any],
        commands: CommandTable | Sequence[CompiledLoop],
        substeps: int,
        ticks: int | None = None,
        *,
        plants: Sequence[CompiledPlant] = (),
        threads: int | None = None,
    ) -> list[tuple[Tape, Failure | None]]:
        """Rollouts of many robots at once, on threads, without Python's lock.

        Parameters
        ----------
        states
            Of each robot; are changed.
        commands
            A table whose arrays have the shape (robots, ticks, f), or a compiled controller per robot.
        substeps
            Steps of the plant per tick.
        ticks
            How many; needed with controllers, a table has its own.
        plants
            Of each robot, such as others of the same size in other worlds; by default all are like this one.
        threads
            As many as there are processors by default.

        Returns
        -------
        list[tuple[Tape, Failure | None]]
            As of `rollout`, with a row per tick.
        """
        from pushpoint.plants._many import rollout_many

        return rollout_many(plants or [self.twin() for _ in states], states, commands, substeps, ticks, threads)

    def before_ticks(self, state: Any) -> None:
        """What a rollout has to do before its first compiled call: nothing."""

    def after_ticks(self, tape: Tape, first_row: int) -> None:
        """What it has to do with the rows from `first_row` on after its last: nothing."""

    def event_room(self, substeps: int) -> int:
        """Events that a tick may have."""
        return 0

    def snapshot(self, state: Any) -> Snapshot:
        if self._shown is None or self._shown[0] is not state:
            self._observe(state)
        assert self._shown is not None
        feedback, layout = self._shown[1], self.layout
        pairs = as_pairs(feedback.pairs[: feedback.number["pairs"][0]].copy(), layout.dimensions)
        return as_snapshot(feedback.values[: layout.size].copy(), layout, pairs, self.obstacle_position(state))

    def _observe(self, state: Any) -> None:
        """No tick at all, but what is observed at the end of one."""
        nothing = CommandTable(*(np.zeros((0, self.layout.joints)) for _ in CommandTable._fields))
        tape = new_tape(0, 0, 0, 1, contacts=0, dimensions=self.layout.dimensions)
        self.run(state, nothing, (OK, 0, 0), 1, tape, self.feedback)
        self._shown = state, self.feedback

    def forget_shown(self) -> None:
        """The state that was run last is about to change."""
        self._shown = None

    def keep_shown(self, state: Any, feedback: Feedback) -> None:
        """What was observed at the end of a run of this state."""
        self._shown = state, feedback

    def obstacle_position(self, state: Any) -> FloatArray:
        """[m], (movable, d): of obstacles that can be pushed about."""
        return np.zeros((0, self.layout.dimensions))

    def resolve(self, state: Any, table: CommandTable, at: Stopped, tape: Tape) -> Stopped:
        """Do what a compiled call came back for with a status of this plant's own, below zero."""
        raise AssertionError(at)

    def with_room(self, state: Any, substeps: int, tape: Tape) -> Tape:
        """The tape with room for another tick at least."""
        return grown(tape, max(2 * len(tape.contact), 2 * self.contact_room(state), 4096))

    def failure(self, state: Any, tape: Tape, status: Status) -> Failure:
        residual = float(tape.step[tape.cursor[0].step - 1, 0])
        return Failure(status, float(state.clock[0] * self.dt), self.worst_link(state), residual, self.advice[status])

    def dump(self, state: Any) -> StateArrays:
        dumped = {name: table(a) if name in self.records else a.copy() for name, a in state._asdict().items()}
        return dumped | {LAYOUT: layout(dumped, self.records)}

    def restore(self, arrays: StateArrays) -> Any:
        template = self.dump(self.resting_state())
        checked = restored(f"state of {self.name}", arrays, template, self.limits(arrays), self.records)
        as_records = {name: from_table(checked[name], fields) for name, fields in self.records.items()}
        return self.state_type(**checked | as_records)


class Rollout:
    """One call of `CompiledPlant.rollout`: its arguments, and what is left to do when a compiled call comes back."""

    def __init__(
        self, plant: CompiledPlant, state: Any, table: CommandTable, substeps: int, tape: Tape,
        loop: CompiledLoop | None = None, feedback: Feedback | None = None,
    ) -> None:  # fmt: skip
        self.plant, self.state, self.table, self.substeps, self.tape, self.loop = (
            plant, state, table, substeps, tape, loop
        )  # fmt: skip
        self.feedback = feedback or (plant.feedback if loop is None else with_controller(plant.feedback, loop))
        self._first_row = int(tape.cursor["row"][0])
        plant.forget_shown()
        plant.before_ticks(state)

    def arguments(self) -> tuple[Entry, tuple[Any, ...], tuple[Any, ...]]:
        """Of its first compiled call: the entry point, those that belong to the plant, and all."""
        entry, given = self.plant.call(self.state)
        place = (0,) * self.plant.places
        return entry, given, (*given, self.state, self.table, *place, self.substeps, self.tape, self.feedback)

    def go_on(self, at: Stopped) -> Stopped:
        """From a place on: to the end, or until the plant gives up."""
        return self.resolve(self.call(at), self.call)

    def call(self, at: Stopped) -> Stopped:
        """One compiled call."""
        return self.plant.run(self.state, self.table, at, self.substeps, self.tape, self.feedback)

    def resolve(self, at: Stopped, call: Callable[[Stopped], Stopped]) -> Stopped:
        """Do what a compiled call came back for, and go on by others."""
        plant, state = self.plant, self.state
        while at[0] < OK:
            if at[0] == TABLE_FULL:
                self.tape = plant.with_room(state, self.substeps, self.tape)
            elif at[0] == LOG_FULL and self.loop is not None:
                read_events(self.feedback, self.loop)
            else:
                at = plant.resolve(state, self.table, at, self.tape)
                if at[0] > OK:
                    break
            at = call(at)
        return at

    def end(self, at: Stopped) -> tuple[Tape, Failure | None]:
        """What `rollout` returns."""
        if self.loop is not None:
            end_of(self.feedback, self.loop, at[1])
        failure = None
        if at[0] != OK:
            failure = self.plant.failure(self.state, self.tape, Status(at[0]))
        else:
            self.plant.keep_shown(self.state, self.feedback)
        self.plant.after_ticks(self.tape, self._first_row)
        return self.tape, failure
