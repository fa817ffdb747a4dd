"""The interface that all plants share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pushpoint.fields import Frozen
from pushpoint.robots import Robot, Servo
from pushpoint.tape import ExtraColumn, Tape
from pushpoint.types import CommandTable, Event, Failure, Snapshot
from pushpoint.worlds import World

if TYPE_CHECKING:
    from pushpoint.plants._supports import Supports

StateArrays = dict[str, Any]  # NumPy arrays by name: what a checkpoint holds of a plant


class Plant(Protocol):
    """One simulation model. Built once; all that changes in time is in the state it hands out."""

    Options: ClassVar[type[Frozen]]  # class of its options
    supports: ClassVar[tuple[Supports, ...]]  # one for each of its models: solvers, schemes, dimensions
    dt: float  # [s], time step
    dimensions: int  # 2: planar, 3: spatial
    extra_columns: tuple[ExtraColumn, ...]  # of Tape.extra: what only this plant knows

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: Any) -> Plant:
        """Check that this model can represent robot and world, and prepare everything for stepping.

        Parameters
        ----------
        robot
            What moves.
        world
            Where.
        servo
            Of all joints.
        options
            An object of the class `Options`.
        """
        ...

    def initial_state(self, pose: Any) -> Any:
        """A state at t = 0.

        Parameters
        ----------
        pose
            A Pose or, for spatial plants, a SpatialPose.
        """
        ...

    def snapshot(self, state: Any) -> Snapshot:
        """All that sensors can read, in arrays of their own.

        Parameters
        ----------
        state
            Of `initial_state` or `restore`.
        """
        ...

    def rollout(self, state: Any, table: CommandTable, substeps: int, tape: Tape) -> tuple[Tape, Failure | None]:
        """All ticks of the table.

        Parameters
        ----------
        state
            Of `initial_state` or `restore`; is changed.
        table
            A command per tick.
        substeps
            Steps of the plant per tick.
        tape
            Records the ticks; returned, as it may have to grow.
        """
        ...

    def record_start(self, state: Any, tape: Tape) -> None:
        """Write the first row of the tape.

        Parameters
        ----------
        state
            Of `initial_state` or `restore`.
        tape
            An empty one.
        """
        ...

    def events(self, tape: Tape) -> Iterator[Event]:
        """The events of a tape, for people.

        Parameters
        ----------
        tape
            Of a run that is over.
        """
        ...

    def complete(self, tape: Tape) -> None:
        """Fill in the extra columns that follow from whole rows.

        Parameters
        ----------
        tape
            Of a run that is over.
        """
        ...

    def dump(self, state: Any) -> StateArrays:
        """The state as plain arrays.

        Parameters
        ----------
        state
            Of `initial_state` or `restore`.
        """
        ...

    def restore(self, arrays: StateArrays) -> Any:
        """The state that `dump` was given: running on from it is equal to the bit.

        Parameters
        ----------
        arrays
            Of `dump`.
        """
        ...


class Uneventful:
    """What plants have that track no events and know no more of a row than others."""

    extra_columns: tuple[ExtraColumn, ...] = ()  # none

    def events(self, tape: Tape) -> Iterator[Event]:
        """None.

        Parameters
        ----------
        tape
            Of a run that is over.
        """
        return iter(())

    def complete(self, tape: Tape) -> None:
        """Does nothing.

        Parameters
        ----------
        tape
            Of a run that is over.
        """
        return None
