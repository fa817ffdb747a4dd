"""What a claim is: one published statement, the runs it needs and how it is measured."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PositiveInt, computed_field, model_validator

from pushpoint.analysis import unit_of
from pushpoint.fields import Frozen, Number, Positive
from pushpoint.reproduction._statement import Scatter, Statement
from pushpoint.scenario import Choice


class Claim(Frozen):
    """A statement of a paper that can be checked by a number, or a check of our own (`published.kind`).

    `scenarios` are handed to the measure in this order. A curve, if named, is passed to it as `curve`.
    `overrides`, with dotted keys, change all of them. With `seeds` = n > 1 the number is measured for each of the
    seeds 0 to n - 1, and its median is judged. What confirms the claim follows from `published` and from the scatter
    of these runs. Where ours is something else, `differs` says why, and `ours` keeps our number.
    """

    id: str  # key/slug
    figure: str  # figure or section
    statement: str  # in words
    published: Statement  # in numbers
    given_unit: str = Field(default="", alias="unit", exclude=True)  # if it is not that of the measure
    scenarios: Annotated[tuple[str, ...], Field(min_length=1)]  # that are run, by name
    overrides: dict[str, Any] = Field(default_factory=dict)  # of all scenarios, by dotted key
    seeds: PositiveInt = 1  # how many
    measure: Choice  # of the recordings, with options
    curve: str | None = None  # name in published.CURVES
    scale: Number = 1.0  # measured number times this is in `unit`, as all numbers here are
    note: str = ""  # for people
    differs: str = ""  # why the published statement does not come out here
    ours: Number | None = None  # what comes out instead
    ours_within: Positive | None = None  # how far it may move, besides the scatter of an ensemble: steps, machines

    @model_validator(mode="after")
    def _makes_sense(self) -> Claim:
        if "/" not in self.id:
            raise ValueError("id: must look like key/slug")
        if self.seeds > 1 and "seed" in self.overrides:
            raise ValueError("overrides: a seed, but seeds asks for several")
        if len({bool(self.differs), self.ours is not None, self.ours_within is not None}) > 1:
            raise ValueError("differs, ours, ours_within: all three, or none of them")
        if self.differs and self.is_check:
            raise ValueError("differs: a check holds or fails")
        if self.ours is not None and self.published.accepted().contains(self.ours):
            raise ValueError(f"ours: {self.ours:g} does not differ from what is published")
        return self

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unit(self) -> str:
        """Of all its numbers."""
        return self.given_unit or (unit_of(self.measure.name) if self.scale == 1.0 else "")

    @property
    def paper(self) -> str:
        """Key of the paper."""
        return self.id.split("/")[0]

    @property
    def is_check(self) -> bool:
        """Whether it is about our own solver or runs, and nobody published it."""
        return self.published.kind == "check"

    def keeps(self, measured: float, scatter: Scatter) -> bool:
        """Whether a number that differs is still the one that is known.

        Parameters
        ----------
        measured
            The number.
        scatter
            Of the runs of an ensemble.
        """
        if self.ours is None or self.ours_within is None:
            return False
        return -scatter.below <= self.ours - measured + self.ours_within and (
            self.ours - measured - self.ours_within <= scatter.above
        )
