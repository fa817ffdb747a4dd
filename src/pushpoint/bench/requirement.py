"""A number that a benchmark has to reach."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Requirement:
    """A number that has to be reached; `met` is None where it could not be measured."""

    what: str
    value: float | None
    allowed: str
    met: bool | None
