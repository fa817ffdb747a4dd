"""How files of claims register them: what is asked of which runs, what is published, and where ours differs."""

from __future__ import annotations

from math import degrees
from typing import Any, NamedTuple, Protocol

from pushpoint.reproduction import Claim, claims
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


class Add(Protocol):
    """Registers one claim; fields are those of Claim."""

    def __call__(self, slug: str, asked: Asked, /, **fields: Any) -> None: ...


def adder(key: str, **common: Any) -> Add:
    """What registers claims of a key; `common` are fields that all of them have, unless they give others."""

    def add(slug: str, asked: Asked, /, **fields: Any) -> None:
        names = tuple(name if "/" in name else f"{key}/{name}" for name in asked.scenarios)
        claim = Claim(id=f"{key}/{slug}", scenarios=names, measure=asked.measure, **(common | fields))
        claims.add(claim.id, claim)

    return add


def known(reason: str, ours: float, within: float) -> dict[str, Any]:
    """Fields of a claim that differs: why, our number, and how far it may move."""
    return {"differs": reason, "ours": ours, "ours_within": within}
