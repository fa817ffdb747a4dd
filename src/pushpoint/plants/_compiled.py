"""The base of compiled plants: everything about a run but the steps themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pushpoint.numerics.records import from_table, table
from pushpoint.numerics.restored import LAYOUT, Limits, layout, restored
from pushpoint.plants._base import StateArrays
from pushpoint.plants._tape import OK, TABLE_FULL
from pushpoint.tape import ExtraColumn, Tape, grown
from pushpoint.types import CommandTable, Event, Failure, Status

Stopped = tuple[int, int, int]  # status, and the tick and the step of it that were not completed


class CompiledPlant(ABC):
    """A plant whose state is a NamedTuple of arrays, some of them records."""

    name: ClassVar[str]
    State: ClassVar[type]
    records: ClassVar[Mapping[str, tuple[str, ...]]]  # fields of those parts of the state that are records
    advice: Mapping[Status, str]  # what to try when it stops
    extra_columns: ClassVar[tuple[ExtraColumn, ...]] = ()
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

    def events(self, tape: Tape) -> Iterator[Event]:
        """None, unless the plant tracks some."""
        return iter(())

    def complete(self, tape: Tape) -> None:
        """Fill in the extra columns that follow from whole rows, once a run is over."""

    def dump(self, state: Any) -> StateArrays:
        dumped = {name: table(a) if name in self.records else a.copy() for name, a in state._asdict().items()}
        return dumped | {LAYOUT: layout(dumped, self.records)}

    def restore(self, arrays: StateArrays) -> Any:
        template = self.dump(self.resting_state())
        checked = restored(f"state of {self.name}", arrays, template, self.limits(arrays), self.records)
        return self.State(**checked | {name: from_table(checked[name], self.records[name]) for name in self.records})
