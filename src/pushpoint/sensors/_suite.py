"""The sensors of a run: exact readings, then noise, bias, dropout, rate and latency, alike for all sensors."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.fields import Wording
from pushpoint.scenario import Scenario
from pushpoint.sensors import sensors
from pushpoint.sensors._base import Error, Mount, Readings, Sensor
from pushpoint.types import Observation, Snapshot
from pushpoint.user_code import refuse_result

Memory = dict[str, Any]  # what all sensors of a run remember, arrays by "sensor/kind/field": a checkpoint holds it
WHOLE = 1e-6  # of a period: decimal times are not exact in binary


class Mounted:
    """One sensor with its imperfections."""

    def __init__(self, name: str, sensor: Sensor, period: float, seed: int) -> None:
        own = sensor.options
        self.name, self.sensor, self._seed = name, sensor, seed if own.seed is None else own.seed
        self._delay = _ticks(f"sensors.{name}.latency", own.latency, period)
        self._every = max(1, _ticks(f"sensors.{name}.rate", 0.0 if own.rate is None else 1.0 / own.rate, period))
        self._errors = {field: error for field, error in sensor.errors().items() if error != Error()}
        self._stream = zlib.crc32(name.encode())  # keeps draws of sensors with one seed apart
        self._keeps_readings = self._delay > 0 or self._every > 1 or own.dropout > 0.0
        forgets = type(sensor).remember is Sensor.remember
        self.is_exact = not self._keeps_readings and not self._errors and forgets and sensor.is_unlimited

    def read(self, seen: Snapshot, memory: Memory, tick: int) -> Readings:
        """The reading that arrives at a tick; the memory goes on with it."""
        if self.is_exact:
            return self._exact(seen, {})
        own = {key: memory.pop(key) for key in [key for key in memory if key.startswith(f"{self.name}/")]}
        before = _named(own, f"{self.name}/before/")
        old = [_named(own, f"{self.name}/{age}/") for age in range(self._delay + 1)]
        fresh = self._sampled(seen, before, tick, old[0])
        memory |= {f"{self.name}/before/{key}": value for key, value in self.sensor.remember(seen, before).items()}
        if not self._keeps_readings:
            return fresh
        queue = [_flat(fresh), *(past or _flat(fresh) for past in old[:-1])]  # the newest first
        for age, past in enumerate(queue):
            memory |= {f"{self.name}/{age}/{field}": value for field, value in past.items()}
        return _like(fresh, queue[-1])

    def _exact(self, seen: Snapshot, before: Readings) -> Readings:
        exact = self.sensor.read(seen, before)
        if not isinstance(exact, dict):
            refuse_result(sensors.place_of(self.name), f"read of sensor {self.name!r}", exact, "readings by name")
        return exact

    def _sampled(self, seen: Snapshot, before: Readings, tick: int, last: Readings) -> Readings:
        """A new reading, or the last one where none is due or it is lost."""
        exact = self._exact(seen, before)
        draw = None
        if self._errors or self.sensor.options.dropout > 0.0:
            draw = np.random.default_rng([self._seed, self._stream, tick])
        lost = draw is not None and bool(draw.random() < self.sensor.options.dropout)
        if last and (lost or tick % self._every):
            return _like(exact, last)
        return self.sensor.limited(exact if draw is None else self._spoilt(exact, draw))

    def _spoilt(self, exact: Readings, draw: np.random.Generator) -> Readings:
        flat = _flat(exact)
        for field, error in self._errors.items():
            value = np.asarray(flat[field])
            flat[field] = value + error.bias + error.noise * draw.standard_normal(value.shape)
            if error.relative > 0.0:
                flat[field] = flat[field] + error.relative * value * draw.standard_normal(value.shape)
            if error.missed > 0.0:
                flat[field] = np.where(draw.random(len(value)) < error.missed, 0.0, flat[field].T).T
        return _like(exact, flat)


def _ticks(name: str, time: float, period: float) -> int:
    """A time [s] as a whole number of control ticks."""
    count = round(time / period)
    if count > limits.LATENCY_TICKS:
        raise InvalidInput(
            f"{name}: {time:g} s is {count} times control_period = {period:g} s; should be {limits.LATENCY_TICKS} "
            "times at most"
        )
    if abs(time / period - count) > WHOLE:
        raise InvalidInput(
            f"{name}: {time:g} s is not a multiple of control_period = {period:g} s; nearest {count * period:g} s"
        )
    return count


def _named(arrays: Mapping[str, Any], start: str) -> Readings:
    return {key.removeprefix(start): value for key, value in arrays.items() if key.startswith(start)}


def _flat(readings: Readings) -> Readings:
    """Arrays by name; parts of dataclasses as "contacts.force"."""
    out: Readings = {}
    for name, value in readings.items():
        if is_dataclass(value):
            out |= {f"{name}.{field.name}": getattr(value, field.name) for field in fields(value)}
        else:
            out[name] = value
    return out


def _like(readings: Readings, flat: Readings) -> Readings:
    """The inverse of `_flat`, with the types of `readings`."""
    out: Readings = {}
    for name, value in readings.items():
        if is_dataclass(value) and not isinstance(value, type):
            out[name] = replace(value, **{field.name: flat[f"{name}.{field.name}"] for field in fields(value)})
        else:
            out[name] = flat[name]
    return out


class Suite:
    """What a controller gets of the truth."""

    def __init__(self, mounted: Iterable[Mounted], period: float) -> None:
        self._mounted, self._period = tuple(mounted), period
        self.is_exact = all(sensor.is_exact for sensor in self._mounted)  # readings are what a plant shows at the tick

    @classmethod
    def of(cls, scenario: Scenario, uses: Iterable[str], mount: Mount) -> Suite:
        """The sensors that a controller uses, as the scenario has them; without a word they are all there, exact."""
        return cls(_mounted(scenario, uses, mount), mount.period)

    @property
    def options(self) -> dict[str, Any]:
        """Of the sensors, by name."""
        return {mounted.name: mounted.sensor.options for mounted in self._mounted}

    def observe(self, seen: Snapshot, memory: Memory, tick: int) -> Observation:
        """The observation at a tick, with the same time to the bit as in a table of commands."""
        found = Observation(tick * self._period)
        readings = found.__dict__
        for sensor in self._mounted:
            readings.update(sensor.read(seen, memory, tick))
        return found


def _mounted(scenario: Scenario, uses: Iterable[str], mount: Mount) -> Iterator[Mounted]:
    listed = scenario.sensors
    options: dict[str, Any] = {}
    for name, given in (listed or {}).items():
        _check_registered(f"sensors.{name}", name)
        options[name] = _options_of(name, given)
    for name in sorted(uses):
        _check_registered(f"controller {scenario.controller.name!r}", name)
        if listed is not None and name not in listed:
            raise InvalidInput(
                f"controller {scenario.controller.name!r} uses sensor {name!r}, which the scenario does not list; "
                f"add it to sensors, or leave sensors out to have all of them"
            )
        own = _options_of(name, {}) if listed is None else options[name]
        yield Mounted(name, sensors[name](own, mount), mount.period, scenario.seed)


def _options_of(name: str, given: Mapping[str, Any]) -> Any:
    return sensors[name].Options.parse(given, Wording(f"sensors.{name}", f"option of sensor {name!r}:", ""))


def _check_registered(where: str, name: str) -> None:
    if name not in sensors:
        raise InvalidInput(f"{where}: {UnknownName('sensor', name, list(sensors))}")
