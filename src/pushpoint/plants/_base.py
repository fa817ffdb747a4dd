"""The interface that all plants share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Protocol, runtime_checkable

from pushpoint.fields import Frozen
from pushpoint.robots import Robot, Servo
from pushpoint.types import CommandTable, Event, ExtraColumn, Failure, Snapshot, Trace
from pushpoint.worlds import World

StateArrays = dict[str, Any]  # NumPy arrays by name: what a checkpoint holds of a plant


class Plant(Protocol):
    """One simulation model. Built once; all that changes in time is in the state it hands out."""

    Options: ClassVar[type[Frozen]]
    dt: float  # [s]
    dimensions: int  # 2: planar, 3: spatial

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: Any) -> Plant:
        """Check that this model can represent robot and world, and prepare everything for stepping."""
        ...

    def initial_state(self, pose: Any) -> Any:
        """A state at t = 0; the pose is a Pose or, for spatial plants, a SpatialPose."""
        ...

    def snapshot(self, state: Any) -> Snapshot:
        """All that sensors can read, in arrays of their own."""
        ...

    def rollout(self, state: Any, table: CommandTable, substeps: int, trace: Trace) -> tuple[Trace, Failure | None]:
        """All ticks of the table, recorded in the trace (returned, as it may have to grow); changes the state."""
        ...

    def record_start(self, state: Any, trace: Trace) -> None:
        """Write the first row of the trace."""
        ...

    def dump(self, state: Any) -> StateArrays:
        """The state as plain arrays."""
        ...

    def restore(self, arrays: StateArrays) -> Any:
        """The state that `dump` was given: running on from it is equal to the bit."""
        ...


@runtime_checkable
class Eventful(Protocol):
    """A plant that tracks events and knows more of a row than others."""

    extra_columns: ClassVar[tuple[ExtraColumn, ...]]  # of Trace.extra

    def events(self, trace: Trace) -> Iterator[Event]:
        """The events of a trace, for people."""
        ...


@runtime_checkable
class Completing(Protocol):
    """A plant whose extra columns follow partly from whole rows."""

    def complete(self, trace: Trace) -> None:
        """Fill in the extra columns that follow from whole rows, once a run is over."""
        ...
