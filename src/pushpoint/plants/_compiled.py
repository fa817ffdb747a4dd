"""The base of compiled plants: everything about a run but the steps themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from pushpoint._jit import compiling_once, for_types_of
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
Stopped = tuple[int, int, int]  # status, and the tick and the step of it that were not completed


class Entry:
    """A compiled entry point. The first call, and those with tables of another kind, pass Numba's check of all types;
    the others go past it."""

    def __init__(self, function: Callable[..., Any], kernels: str) -> None:
        self._function, self._kernels = function, kernels
        self._direct: Callable[..., Any] | None = None

    def __call__(self, table: CommandTable, arguments: tuple[Any, ...]) -> Any:
        """`table` is one of the arguments."""
        angle, rate, torque = table
        usual = angle.dtype is rate.dtype is torque.dtype is FLOAT and (
            angle.flags.c_contiguous and rate.flags.c_contiguous and torque.flags.c_contiguous
        )
        if usual and self._direct is not None:
            return self._direct(*arguments)
        with compiling_once(self._kernels):
            result = self._function(*arguments)
        if usual:
            self._direct = for_types_of(self._function, *arguments)
        return result


class CompiledPlant(Uneventful, ABC):
    """A plant whose state is a NamedTuple of arrays, some of them records."""

    name: ClassVar[str]
    state_type: ClassVar[type]  # of the NamedTuple
    records: ClassVar[Mapping[str, tuple[str, ...]]]  # fields of those parts of the state that are records
    advice: Mapping[Status, str]  # what to try when it stops
    dt: float
    layout: FlatLayout  # of the observation
    feedback: Feedback  # room for it
    _shown: tuple[Any, Feedback] | None = None  # the state that was run last, and what was observed of it

    @abstractmethod
    def run(
        self, state: Any, table: CommandTable, at: Stopped, substeps: int, tape: Tape, feedback: Feedback
    ) -> Stopped:
        """Go on from a tick and a step of it, and observe the end; one compiled call."""

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

    def rollout(
        self, state: Any, table: CommandTable, substeps: int, tape: Tape, loop: CompiledLoop | None = None
    ) -> tuple[Tape, Failure | None]:
        """All ticks of the table; with a compiled controller the table is filled as it goes."""
        feedback = self.feedback if loop is None else with_controller(self.feedback, loop)
        self._shown = None
        at = self.run(state, table, (OK, 0, 0), substeps, tape, feedback)
        while at[0] < OK:
            if at[0] == TABLE_FULL:
                tape = self.with_room(state, substeps, tape)
            elif at[0] == LOG_FULL and loop is not None:
                read_events(feedback, loop)
            else:
                at = self.resolve(state, table, at, tape)
                if at[0] > OK:
                    break
            at = self.run(state, table, at, substeps, tape, feedback)
        if loop is not None:
            end_of(feedback, loop, at[1])
        if at[0] != OK:
            return tape, self.failure(state, tape, Status(at[0]))
        self._shown = state, feedback
        return tape, None

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
