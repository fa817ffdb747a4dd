"""How files of claims register them: what is asked of which runs, what is published, and where ours differs."""

from __future__ import annotations

from collections.abc import Callable
from math import degrees
from typing import Any, NamedTuple

from pushpoint.reproduction import Claim, Statement, claims
from pushpoint.scenario import Choice

# Units other than those of the measures, with the factors to them.
MM: dict[str, Any] = {"unit": "mm", "scale": 1e3}
CM: dict[str, Any] = {"unit": "cm", "scale": 100.0}
CM_PER_S: dict[str, Any] = {"unit": "cm/s", "scale": 100.0}
DEG: dict[str, Any] = {"unit": "deg", "scale": degrees(1.0)}


class Asked(NamedTuple):
    """A measure, and the runs that it takes, in its order."""

    scenarios: tuple[str, ...]
    measure: Choice


def measured(scenarios: str, measure: str, /, **options: Any) -> Asked:
    """`scenarios` are separated by blanks: slugs of the key of the claim, or whole names."""
    return Asked(tuple(scenarios.split()), Choice(name=measure, options=options))


class Subject(NamedTuple):
    """What a claim is about, before it is said."""

    key: str
    slug: str
    figure: str
    asked: Asked

    def says(self, statement: str, published: Statement, **fields: Any) -> None:
        """Register the claim; further fields are those of Claim."""
        names = tuple(name if "/" in name else f"{self.key}/{name}" for name in self.asked.scenarios)
        claim = Claim(
            id=f"{self.key}/{self.slug}",
            figure=self.figure,
            statement=statement,
            published=published,
            scenarios=names,
            measure=self.asked.measure,
            **fields,
        )
        claims.add(claim.id, claim)


def claims_about(key: str) -> Callable[[str, str, Asked], Subject]:
    """What begins the claims of a key: with slug, figure or section, and what is measured."""
    return lambda slug, figure, asked: Subject(key, slug, figure, asked)


def known(reason: str, ours: float, within: float) -> dict[str, Any]:
    """Fields of a claim that differs: why, our number, and how far it may move."""
    return {"differs": reason, "ours": ours, "ours_within": within}
