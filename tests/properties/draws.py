"""Random cases that are the same every time, whatever else is installed, imported or edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Draw:
    """Plain random numbers by seed: shares that fail are compared, so that the same worlds must come every time."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def uniform(self, low: float, high: float) -> float:
        return float(self._random.uniform(low, high))

    def integer(self, low: int, high: int) -> int:
        return int(self._random.integers(low, high + 1))

    def yes(self) -> bool:
        return bool(self._random.integers(2))

    def one_of(self, values: Sequence[T]) -> T:
        return values[int(self._random.integers(len(values)))]
