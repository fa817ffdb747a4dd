"""Solvers that are extras, SciPy and DAQP: what is said where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from pushpoint.errors import MissingExtra
from pushpoint.types import FloatArray

SOLVED = 1  # exit flag of DAQP
NO_BOUND = 1e30  # its infinity
EQUALITY = 5  # its mark of a row whose bounds are equal


def scipy_part(name: str) -> Any:
    """A module of SciPy, such as `optimize`."""
    try:
        return import_module(f"scipy.{name}")
    except ImportError as error:
        raise MissingExtra("planning with push-points", "qp") from error


def quadratic_solver(equalities: int = 0) -> Any:
    """min z' H z / 2 + g' z within bounds of z and of rows, of which the last `equalities` have equal bounds: a
    function that gives z, or None where it fails."""
    try:
        import daqp
    except ImportError as error:
        raise MissingExtra("a controller that solves quadratic programs", "qp") from error

    def solve(H: FloatArray, g: FloatArray, rows: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray | None:
        sense = np.zeros(len(low), dtype=np.int32)
        sense[len(low) - equalities :] = EQUALITY
        z, _, flag, _ = daqp.solve(H, g, rows, high, low, sense)
        z = np.asarray(z)
        return z if flag >= SOLVED and np.isfinite(z).all() else None

    return solve
