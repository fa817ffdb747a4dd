"""What a source states, as numbers: a value, a range, a bound, a sign or an order, and how well it is known.

The range in which a measured number confirms it is computed from these, and from the scatter of our own runs where
there are several; nobody writes it down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import model_validator

from pushpoint.fields import Frozen, NonNegative, Number
from pushpoint.studies.statistics import median, quantile

Kind = Literal["printed", "read", "derived", "check"]

LENGTH_READING = 0.004  # [m], of points read off figures: published/README.md
TIME_READING = 0.05  # [s]
OUTSIDE = 0.05  # share of the runs of an ensemble that its scatter leaves out at either end


class Scatter(NamedTuple):
    """How far nine tenths of the runs of an ensemble reach from their median, downwards and upwards."""

    below: float = 0.0
    above: float = 0.0

    @classmethod
    def of(cls, values: Sequence[float]) -> Scatter:
        middle = median(values)
        return cls(middle - quantile(values, OUTSIDE), quantile(values, 1.0 - OUTSIDE) - middle)


NO_SCATTER = Scatter()


class Range(NamedTuple):
    """Where a measured number confirms a statement; None leaves a side open."""

    low: float | None
    high: float | None
    strict: bool = False  # the ends do not belong to it

    def contains(self, number: float) -> bool:
        """Infinities and NaN are never in it."""
        if not math.isfinite(number) or (self.strict and number in (self.low, self.high)):
            return False
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    @property
    def text(self) -> str:
        if self.low is None:
            return f"{'<' if self.strict else '≤'} {self.high:.4g}"
        if self.high is None:
            return f"{'>' if self.strict else '≥'} {self.low:.4g}"
        return f"{self.low:.4g}" if self.low == self.high else f"{self.low:.4g} … {self.high:.4g}"


class Statement(Frozen):
    """What a source states, in the unit of the claim: `low` and `high` are equal for a value; one is None for a bound.

    `strict` is for signs and orders, which are judged alone: neither accuracy nor scatter widens them.
    """

    kind: Kind  # how the numbers are known
    text: str  # as shown: what is printed, or what was read
    low: Number | None = None  # [unit]
    high: Number | None = None  # [unit]
    strict: bool = False  # whether the bounds are left out
    accuracy: NonNegative = 0.0  # of the numbers [unit]
    reason: str = ""  # of derived values how they follow, of checks why this range

    @model_validator(mode="after")
    def _makes_sense(self) -> Statement:
        if self.low is None and self.high is None:
            raise ValueError("low, high: at least one must be a number")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low: {self.low:g} exceeds high = {self.high:g}")
        if self.strict and (self.accuracy or (self.low is not None and self.high is not None)):
            raise ValueError("strict: a sign or an order has one bound, and no accuracy")
        if self.kind in ("derived", "check") and not self.reason:
            raise ValueError(f"reason: missing; a {self.kind} value says how it follows")
        return self

    def accepted(self, scatter: Scatter = NO_SCATTER) -> Range:
        """The statement, as wide as its accuracy, and such that one of our runs could be the published one.

        Parameters
        ----------
        scatter
            Of the runs of an ensemble.
        """
        if self.strict or self.kind == "check":
            return Range(self.low, self.high, self.strict)
        low = None if self.low is None else self.low - self.accuracy - scatter.above
        high = None if self.high is None else self.high + self.accuracy + scatter.below
        return Range(low, high)


def half_digit(number: str) -> float:
    """Half a unit of the last digit of a printed number: `2.5` is good to 0.05."""
    return 0.5 * 10.0 ** -len(number.partition(".")[2])


def printed(number: str, text: str = "") -> Statement:
    """A printed number, good to half a unit of its last digit."""
    return within(number, number, text or number)


def counted(number: int) -> Statement:
    """A printed count, which is exact."""
    return Statement(kind="printed", text=str(number), low=number, high=number)


def at_least(number: str, text: str = "") -> Statement:
    """A printed lower bound."""
    return Statement(kind="printed", text=text or f"at least {number}", low=float(number), accuracy=half_digit(number))


def within(low: str, high: str, text: str = "") -> Statement:
    """A printed range."""
    text, accuracy = text or f"{low} to {high}", max(half_digit(low), half_digit(high))
    return Statement(kind="printed", text=text, low=float(low), high=float(high), accuracy=accuracy)


def more_than(limit: float, text: str) -> Statement:
    """A qualitative statement: a sign (0), or an order (1 for a ratio)."""
    return Statement(kind="printed", text=text, low=limit, strict=True)


def less_than(limit: float, text: str) -> Statement:
    """A qualitative statement: a sign (0), or an order (1 for a ratio)."""
    return Statement(kind="printed", text=text, high=limit, strict=True)


def read(number: str, text: str = "") -> Statement:
    """A number read off a figure of which no curve is kept, good to half a unit of its last digit."""
    return printed(number, text).model_copy(update={"kind": "read"})


def read_length(number: str, metre: float = 1.0) -> Statement:
    """A coordinate of a curve in `published/`; `metre` is one metre in the unit of the claim."""
    value = float(number)
    return Statement(kind="read", text=number, low=value, high=value, accuracy=LENGTH_READING * metre)


def read_time(number: str) -> Statement:
    """An instant of a table in `published/` [s]."""
    return Statement(kind="read", text=number, low=float(number), high=float(number), accuracy=TIME_READING)


def derived(number: float, accuracy: float, how: str, text: str = "") -> Statement:
    """A value that follows from what is printed or read."""
    return Statement(kind="derived", text=text or f"{number:g}", low=number, high=number, accuracy=accuracy, reason=how)


def check(text: str, low: float | None, high: float | None, reason: str) -> Statement:
    """What we expect of our own solver and runs. It is no claim of anybody."""
    return Statement(kind="check", text=text, low=low, high=high, reason=reason)
