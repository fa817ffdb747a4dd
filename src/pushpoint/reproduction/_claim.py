"""What a claim is: one published statement, the runs it needs and how it is measured."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import Field, PositiveInt, model_validator

from pushpoint.fields import Frozen, Number
from pushpoint.scenario import Choice


class Claim(Frozen):
    """A statement of a paper that can be checked by a number.

    `scenarios` are handed to the measure in this order. A curve, if named, is passed to it as `curve`.
    `overrides`, with dotted keys, change all of them. With `seeds` = n > 1 the number is measured for each of the
    seeds 0 to n - 1, and its median is judged. `accepted` is the closed range in which the measured number
    confirms the claim; None leaves a side open.
    """

    id: str  # key/slug
    figure: str  # figure or section
    statement: str
    published: str  # as printed, or as read off a figure
    unit: str = ""
    scenarios: Annotated[tuple[str, ...], Field(min_length=1)]
    overrides: dict[str, Any] = Field(default_factory=dict)
    seeds: PositiveInt = 1
    measure: Choice
    curve: str | None = None  # name in published.CURVES
    accepted: tuple[Number | None, Number | None]
    scale: Number = 1.0  # measured number times this is in `unit`; `accepted` is in `unit` too
    note: str = ""
    differs: str = ""  # why the published statement does not come out here; then it is shown, but fails nothing

    @model_validator(mode="after")
    def _range_in_order(self) -> Claim:
        low, high = self.accepted
        if low is None and high is None:
            raise ValueError("accepted: at least one side must be a number")
        if low is not None and high is not None and low > high:
            raise ValueError(f"accepted: {low} exceeds {high}")
        if "/" not in self.id:
            raise ValueError("id: must look like key/slug")
        if self.seeds > 1 and "seed" in self.overrides:
            raise ValueError("overrides: a seed, but seeds asks for several")
        return self

    @property
    def paper(self) -> str:
        """Key of the paper."""
        return self.id.split("/")[0]

    def accepts(self, measured: float) -> bool:
        """Whether a measured number [unit] confirms the claim; infinities and NaN never do."""
        low, high = self.accepted
        above, below = low is None or measured >= low, high is None or measured <= high
        return math.isfinite(measured) and above and below

    @property
    def accepted_text(self) -> str:
        low, high = self.accepted
        if low is None:
            return f"≤ {high:g}"
        if high is None:
            return f"≥ {low:g}"
        return f"{low:g} … {high:g}"
