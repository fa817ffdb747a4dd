"""How hard is an obstacle pushed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between, times
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("peg_force")
def peg_force(run: Recording, *, peg: int, start: float, end: float | None = None) -> float:
    """Mean normal force [N] of all links on an obstacle between two times [s]."""
    return float(peg_forces(run, peg)[between(run, start, end)].mean())


@measures.register("peg_force_off")
def peg_force_off(run: Recording, *, peg: int, force: float, start: float, end: float | None = None) -> float:
    """Largest distance [N] of the normal force on an obstacle from `force` between two times [s]."""
    return float(np.abs(peg_forces(run, peg)[between(run, start, end)] - force).max())


def peg_forces(run: Recording, peg: int) -> FloatArray:
    """Normal force [N] on an obstacle, (rows,), as means from row to row."""
    count = len(run.scenario.built_world().obstacles)
    if not 0 <= peg < count:
        raise InvalidInput(f"peg = {peg}: the world has obstacles 0 to {count - 1}")
    t, table = times(run), run.contacts
    chosen = np.asarray(table["obstacle"].values) == peg
    row = np.searchsorted(t, np.asarray(table["time"].values, dtype=float)[chosen] - 1e-9)
    out = np.zeros(len(t))
    np.add.at(out, row, np.asarray(table["normal_force"].values, dtype=float)[chosen])
    return out
