"""Sweeps: the values that settable fields take in a study. Lists and ranges are crossed; the rest is sampled."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from pushpoint import limits
from pushpoint.errors import InvalidInput, MissingExtra
from pushpoint.fields import Frozen, Number
from pushpoint.quantities import Seed

DIGITS = 12  # significant ones of computed values: 0.15, not 0.15000000000000002; people can type them again
End = Annotated[int, Field(ge=-(10**15), le=10**15)] | Number  # a whole number stays one
Count = Annotated[int, Field(ge=1, le=limits.RUNS)]


class Axis(Frozen):
    """The values of one field, in one of three forms: a list, a range with both ends, or bounds to sample between.

    Whole numbers as ends mean whole numbers between them, as far as the steps are whole.

    Examples
    --------
    >>> from pushpoint.studies.sweep import Axis
    >>> Axis(start=0.1, end=0.5, count=5).listed
    (0.1, 0.2, 0.3, 0.4, 0.5)
    >>> Axis(values=["planar_stepping", "mujoco"]).listed
    ('planar_stepping', 'mujoco')
    """

    values: tuple[Any, ...] | None = None  # a list
    start: End | None = None  # of a range
    end: End | None = None  # of a range, included
    count: Count | None = None  # of a range
    low: End | None = None  # of a field that is sampled
    high: End | None = None  # of a field that is sampled
    spacing: Literal["linear", "log"] = "linear"  # of a range, or of what is sampled

    @model_validator(mode="before")
    @classmethod
    def _list_alone(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return {"values": value}
        if not isinstance(value, Axis | Mapping):
            raise ValueError("should be a list, start, end and count, or low and high")
        return value

    @field_validator("values", mode="before")
    @classmethod
    def _for_files(cls, value: Any) -> Any:
        return [_plain(item) for item in value] if isinstance(value, list | tuple) else value

    @model_validator(mode="after")
    def _is_one_of_three(self) -> Axis:
        given = {name for name in ("values", "start", "end", "count", "low", "high") if getattr(self, name) is not None}
        if given not in ({"values"}, {"start", "end", "count"}, {"low", "high"}):
            raise ValueError(f"has {', '.join(sorted(given)) or 'nothing'}; give values, or start, end and count, or "
                             "low and high")  # fmt: skip
        if self.values == ():
            raise ValueError("values: there are none; give one at least")
        if self.count == 1 and self.start != self.end:
            raise ValueError(f"count = 1: a range from {self.start} to {self.end} has two ends; should be 2 at least")
        low, high = self._ends
        if self.is_sampled and not low < high:
            raise ValueError(f"low = {low:g} and high = {high:g}: low should be less than high")
        if self.values is None and self.spacing == "log" and not min(low, high) > 0.0:
            raise ValueError(f"spacing = 'log' from {low:g} to {high:g}: both ends should be positive")
        return self

    @property
    def is_sampled(self) -> bool:
        """Whether values are drawn between bounds."""
        return self.low is not None

    @property
    def _ends(self) -> tuple[float, float]:
        low, high = (self.low, self.high) if self.is_sampled else (self.start, self.end)
        return float(low or 0.0), float(high or 0.0)

    @property
    def _is_whole(self) -> bool:
        ends = (self.low, self.high) if self.is_sampled else (self.start, self.end)
        return all(isinstance(end, int) for end in ends)

    @property
    def listed(self) -> tuple[Any, ...]:
        """All values of a list or a range, in their order."""
        if self.values is not None:
            return self.values
        assert self.count is not None
        last = max(1, self.count - 1)
        found = [self._at(k / last) for k in range(self.count)]
        if self._is_whole and all(value == round(value) for value in found):
            return tuple(round(value) for value in found)
        return tuple(found)

    def plain(self) -> Any:
        """As in files: a list, or the fields that are set."""
        data = self.model_dump(mode="json")
        if self.values is not None:
            return data["values"]
        return {
            key: value for key, value in data.items() if value is not None and (key, value) != ("spacing", "linear")
        }

    def sampled(self, fraction: float) -> float | int:
        """The value at a fraction of the distance between the bounds.

        Parameters
        ----------
        fraction
            From 0 to 1.
        """
        if self._is_whole:  # each whole number, both bounds included, has an equal share
            low, high = round(self._ends[0]), round(self._ends[1])
            if self.spacing == "linear":
                return low + min(high - low, math.floor(fraction * (high - low + 1)))
            return round(self._at(fraction))
        return self._at(fraction)

    def _at(self, fraction: float) -> float:
        start, end = self._ends
        if fraction in (0.0, 1.0):
            return (start, end)[int(fraction)]
        if self.spacing == "log":
            return _rounded(math.exp(math.log(start) + fraction * (math.log(end) - math.log(start))))
        return _rounded(start + fraction * (end - start))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


class Samples(Frozen):
    """How often, and how, fields with bounds are sampled."""

    count: Count  # points
    method: Literal["sobol", "random"] = "sobol"  # spread evenly, or independent
    seed: Seed = 0  # of the points; that of runs is another

    @model_validator(mode="before")
    @classmethod
    def _count_alone(cls, value: Any) -> Any:
        return {"count": value} if isinstance(value, int) and not isinstance(value, bool) else value


class Points:
    """The points of a sweep by number: the last of the crossed fields changes first, samples change last of all."""

    def __init__(self, axes: Mapping[str, Axis], samples: Samples | None) -> None:
        self.crossed = {key: axis.listed for key, axis in axes.items() if not axis.is_sampled}
        self.drawn = {key: axis for key, axis in axes.items() if axis.is_sampled}
        self._keys = tuple(axes)
        self._crossings = math.prod(len(values) for values in self.crossed.values())
        self._fractions = None if samples is None else fractions(len(self.drawn), samples)

    def __len__(self) -> int:
        return self._crossings * (1 if self._fractions is None else len(self._fractions))

    def __getitem__(self, number: int) -> dict[str, Any]:
        """Values by dotted key."""
        sample, rest = divmod(number, self._crossings)
        found: dict[str, Any] = {}
        for key, values in reversed(self.crossed.items()):
            rest, place = divmod(rest, len(values))
            found[key] = values[place]
        if self._fractions is not None:
            drawn = zip(self.drawn.items(), self._fractions[sample], strict=True)
            found |= {key: axis.sampled(float(fraction)) for (key, axis), fraction in drawn}
        return {key: found[key] for key in self._keys}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[k] for k in range(len(self)))

    @property
    def corners(self) -> Iterator[dict[str, Any]]:
        """Points with the first and the last value of every field: what is refused is refused there, most of the time.
        There are few: of more than three fields, one changes at a time."""
        ends = {key: _first_and_last(values) for key, values in self.crossed.items()}
        ends |= {key: [axis.sampled(0.0), axis.sampled(1.0)] for key, axis in self.drawn.items()}
        first = {key: ends[key][0] for key in self._keys}
        if len(ends) <= 3:
            yield from (
                dict(zip(self._keys, values, strict=True)) for values in product(*(ends[k] for k in self._keys))
            )
            return
        yield first
        yield from ({**first, key: ends[key][-1]} for key in self._keys)


def _first_and_last(values: tuple[Any, ...]) -> list[Any]:
    """Names and other values that are no numbers are all looked at."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [values[0], values[-1]] if len(values) > 1 else [values[0]]
    return list(values)


@lru_cache(maxsize=4)
def fractions(dimensions: int, samples: Samples) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Points in the unit cube, one per row."""
    if samples.method == "random":
        return np.random.default_rng(samples.seed).random((samples.count, dimensions))
    try:
        from scipy.stats import qmc
    except ImportError:
        raise MissingExtra("samples.method = 'sobol'", "studies") from None
    if dimensions > qmc.Sobol.MAXDIM:
        raise InvalidInput(f"sweep: {dimensions} sampled fields; should be {qmc.Sobol.MAXDIM} at most")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # counts that are no power of two lose a little evenness
        found: np.ndarray[Any, np.dtype[np.float64]] = qmc.Sobol(dimensions, seed=samples.seed).random(samples.count)
    return found


def _plain(value: Any) -> Any:
    """Without NumPy's numbers and arrays, which no file can hold."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value
