"""The base of compiled plants: everything about a run but the steps themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from pushpoint._jit import compiling_once, for_types_of
from pushpoint.numerics.records import from_table, table
from pushpoint.numerics.restored import LAYOUT, Limits, layout, restored
from pushpoint.plants._base import StateArrays, Uneventful
from pushpoint.plants._tape import OK, TABLE_FULL
from pushpoint.tape import Tape, grown
from pushpoint.types import CommandTable, Failure, Status

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

    @abstractmethod
    def run(self, state: Any, table: CommandTable, at: Stopped, substeps: int, tape: Tape) -> Stopped:
        """Go on from a tick and a step of it; one compiled call."""

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

    def rollout(self, state: Any, table: CommandTable, substeps: int, tape: Tape) -> tuple[Tape, Failure | None]:
        at = self.run(state, table, (OK, 0, 0), substeps, tape)
        while at[0] < OK:
            if at[0] == TABLE_FULL:
                tape = self.with_room(state, substeps, tape)
            else:
                at = self.resolve(state, table, at, tape)
                if at[0] > OK:
                    break
            at = self.run(state, table, at, substeps, tape)
        return tape, None if at[0] == OK else self.failure(state, tape, Status(at[0]))

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
