"""A number that a benchmark has to reach."""

from __future__ import annotations

import operator
from dataclasses import dataclass

COMPARISONS = {">=": operator.ge, "<=": operator.le, "<": operator.lt}


@dataclass(frozen=True)
class Requirement:
    """A number that has to be reached; `met` is None where it could not be measured."""

    what: str
    value: float | None
    allowed: str
    met: bool | None


def required(what: str, value: float | None, comparison: str, bound: float, failed: bool = False) -> Requirement:
    """Whether the value compares like that with the bound; where our own run `failed` it is missed in any case."""
    met = None if value is None else bool(COMPARISONS[comparison](value, bound))
    return Requirement(what, value, f"{comparison} {bound:g}", False if failed else met)
