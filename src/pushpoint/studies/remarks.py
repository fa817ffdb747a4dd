"""What people should know before they believe the numbers of a study: what has no effect on them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pushpoint.studies.result_cache import canonical

if TYPE_CHECKING:
    from pushpoint.studies.results import Results, Row


class _Digest:
    """Of the numbers of many runs, in their order."""

    def __init__(self) -> None:
        self._hash, self.count = hashlib.sha256(), 0

    def add(self, text: bytes) -> None:
        self._hash.update(text)
        self.count += 1

    @property
    def value(self) -> tuple[int, bytes]:
        return self.count, self._hash.digest()


@dataclass
class Effects:
    """What makes no difference, found in one pass over the rows of a study."""

    seeds: bool = False  # whether runs that differ in the seed alone are equal, in one group of them at least
    variants: list[list[str]] = field(default_factory=list)  # labels of those that are equal in all runs
    fields: list[str] = field(default_factory=list)  # swept ones, with several values, that change nothing

    @classmethod
    def of(cls, results: Results) -> Effects:
        study = results.study
        seeds, variants = _Seeds(len(study.seeds)), {label: _Digest() for label in study.variants}
        crossed = {key: [_Digest() for _ in values] for key, values in study.points.crossed.items()}
        some = False
        for row in results.rows:
            seeds.add(row)
            some = some or bool(row.values)
            text = canonical([row.status, row.values]).encode()
            variants[row.variant].add(text)
            for key, place in _places(study.points.crossed, row.point).items():
                crossed[key][place].add(text)
        if not some:
            return cls()
        return cls(
            seeds.equal,
            [labels for labels in _equal(variants) if len(labels) > 1],
            [key for key, digests in crossed.items() if len(digests) > 1 and len({d.value for d in digests}) == 1],
        )


class _Seeds:
    """Rows come group by group: those that differ in the seed alone are neighbours."""

    def __init__(self, seeds: int) -> None:
        self.equal, self._seeds = False, seeds
        self._group: tuple[str, int] | None = None
        self._first: dict[str, float] = {}
        self._count, self._same = 0, True

    def add(self, row: Row) -> None:
        if (row.variant, row.point) != self._group:
            self._group, self._first = (row.variant, row.point), row.values
            self._count, self._same = 0, row.values != {}
        self._count += 1
        self._same = self._same and row.values == self._first
        if self._same and self._count > 1 and self._count == self._seeds:
            self.equal = True


def _equal(variants: dict[str, _Digest]) -> Iterable[list[str]]:
    groups: dict[Any, list[str]] = {}
    for label, digest in variants.items():
        groups.setdefault(digest.value, []).append(label)
    return groups.values()


def _places(crossed: dict[str, tuple[Any, ...]], point: int) -> dict[str, int]:
    """Which of its values each crossed field has at a point."""
    found = {}
    for key, values in reversed(crossed.items()):
        point, found[key] = divmod(point, len(values))
    return found
