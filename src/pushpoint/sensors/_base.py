"""The interface that all sensors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from pushpoint.fields import Frozen
from pushpoint.quantities import Delay, Seed
from pushpoint.robots import Robot
from pushpoint.types import Snapshot
from pushpoint.worlds import World

Readings = dict[str, Any]  # fields of the Observation: arrays, or dataclasses of arrays
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Frequency = Annotated[float, Field(gt=0, le=1e7, allow_inf_nan=False)]


class SensorOptions(Frozen):
    """What all sensors have; noise, bias and range are options of those that know their units."""

    latency: Delay = 0.0  # [s], a multiple of the control period
    dropout: Share = 0.0  # probability that a reading is lost; the last one stays
    rate: Frequency | None = None  # [1/s], of readings, a whole part of the control rate; None: at every tick
    seed: Seed | None = None  # of noise and dropout; None: that of the scenario


class Mount(NamedTuple):
    """Where a sensor is."""

    robot: Robot  # that carries it
    world: World  # the true one
    period: float  # [s], of control


class Error(NamedTuple):
    """What is wrong with a field of the readings, in its unit."""

    noise: float = 0.0  # standard deviation of a normal distribution, drawn anew for every reading
    bias: float = 0.0  # the same for all
    relative: float = 0.0  # noise in proportion to the value: its standard deviation as a share
    missed: float = 0.0  # probability that an entry, all its parts at once, reads zero


class Sensor(ABC):
    """Snapshot to readings. All that changes in time is in the memory that it hands out.

    Parameters
    ----------
    options
        What the scenario gives, checked; of the class `Options`. Kept as an attribute.
    mount
        Where it is. Kept as an attribute.
    """

    Options: ClassVar[type[SensorOptions]] = SensorOptions  # class of its options
    gives: ClassVar[tuple[str, ...]]  # the fields of the Observation that it fills

    def __init__(self, options: Any, mount: Mount) -> None:
        self.options, self.mount = options, mount

    @abstractmethod
    def read(self, seen: Snapshot, memory: Readings) -> Readings:
        """The exact readings.

        Parameters
        ----------
        seen
            All that the plant reports about itself.
        memory
            What `remember` returned for the tick before; nothing at the first.
        """

    def remember(self, seen: Snapshot, memory: Readings) -> Readings:
        """What of a snapshot the next reading needs, arrays by name.

        Parameters
        ----------
        seen
            All that the plant reports about itself.
        memory
            What `remember` returned for the tick before; nothing at the first.
        """
        return {}

    def errors(self) -> Mapping[str, Error]:
        """By field, of those whose options say so."""
        return {}

    @property
    def is_unlimited(self) -> bool:
        """Whether `limited` changes nothing of exact readings."""
        return type(self).limited is Sensor.limited

    def limited(self, readings: Readings) -> Readings:
        """Readings with their errors, cut to what the sensor can show.

        Parameters
        ----------
        readings
            With noise and bias.
        """
        return readings
