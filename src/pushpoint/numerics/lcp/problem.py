"""The linear complementarity problem for people: arrays in, a checked solution out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from pushpoint.errors import InvalidInput
from pushpoint.numerics.lcp import enumeration, gauss_seidel, lemke, pivoting
from pushpoint.numerics.lcp.arguments import count_of, square, vector
from pushpoint.numerics.lcp.basis import SOLVED, workspace
from pushpoint.numerics.lcp.residual import natural_residual, refine, row_scales, row_units
from pushpoint.types import FloatArray, IntArray

ACCEPTED = 1e-9  # the largest residual of a solution
DECIDED = 1e12  # A z may cancel to a by this factor: beyond, round-off decides whether there is a solution
PIVOTS = 100_000  # least index and Lemke may need 2^n
SWEEPS = 20_000


class Status(Enum):
    SOLVED = "solved"  # z and w are a solution: residual at most 1e-9
    RAY = "ray"  # Lemke's path ends in a ray, or enumeration proved that no solution exists
    LIMIT = "limit"  # ended without an answer: z is no solution


@dataclass(frozen=True, slots=True)
class Solution:
    """z and w = a + A z with w_i z_i = 0, if `status` says so; else where the method stopped."""

    z: FloatArray
    w: FloatArray
    status: Status
    pivots: int  # sweeps of Gauss-Seidel, sets tried by enumeration
    residual: float  # natural map over the scales of the data, before round-off is taken out of w


Start = npt.ArrayLike | None
Method = Callable[[FloatArray, FloatArray, FloatArray, IntArray, int | None], tuple[int, int]]


def _pivoting(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, limit: int | None) -> tuple[int, int]:
    rows = len(a)
    return pivoting.pivot_from_python(A, a, rows, z, basic, workspace(rows), PIVOTS if limit is None else limit)


def _lemke(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, limit: int | None) -> tuple[int, int]:
    rows = len(a)
    if basic.any() and _pivoting(A, a, z, basic, 0)[0] == SOLVED:  # the start was right
        return SOLVED, 0
    work = lemke.lemke_workspace(rows)
    return lemke.lemke_from_python(A, a, rows, z, basic, work, PIVOTS if limit is None else limit)


def _enumeration(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, limit: int | None) -> tuple[int, int]:
    rows = len(a)
    if rows > enumeration.LARGEST:
        raise InvalidInput(f"A has {rows} rows: enumeration takes at most {enumeration.LARGEST}")
    return enumeration.try_all(A, a, rows, z, basic, workspace(rows))


def _gauss_seidel(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, limit: int | None) -> tuple[int, int]:
    rows = len(a)
    status, sweeps = gauss_seidel.sweeps_from_python(A, a, rows, z, SWEEPS if limit is None else limit)
    basic[:] = z > 0.0
    return status, sweeps


METHODS: dict[str, Method] = {
    "lemke": _lemke,
    "pivoting": _pivoting,
    "gauss_seidel": _gauss_seidel,
    "enumeration": _enumeration,
}


def solve(
    A: npt.ArrayLike, a: npt.ArrayLike, method: str = "lemke", start: Start = None, max_pivots: int | None = None
) -> Solution:
    """w = a + A z with w >= 0, z >= 0 and w_i z_i = 0 in every row.

    `start` is a guess: a boolean set of the rows with z_i > 0, or a z, say of a similar problem.
    """
    if method not in METHODS:
        raise InvalidInput(f"method is {method!r}: allowed are {', '.join(METHODS)}")
    matrix = square("A", A)
    rows = len(matrix)
    offset = vector("a", a, rows)
    limit = None if max_pivots is None else count_of("max_pivots", max_pivots)
    z, basic = _starting_point(start, rows)
    if not offset.any():  # nothing to solve, also without rows
        return Solution(np.zeros(rows), np.zeros(rows), Status.SOLVED, 0, 0.0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        status, pivots = METHODS[method](matrix, offset, z, basic, limit)
        if status == SOLVED and method != "gauss_seidel":
            z = _polished(matrix, offset, z, basic)
        return _checked(matrix, offset, z, tuple(Status)[status], int(pivots))


def _starting_point(start: Start, rows: int) -> tuple[FloatArray, IntArray]:
    if start is None:
        return np.zeros(rows), np.zeros(rows, dtype=np.int64)
    guess = vector("start", start, rows)
    is_set = np.asarray(start).dtype == np.bool_
    z = np.zeros(rows) if is_set else np.maximum(guess, 0.0)
    return z, (guess > 0.0).astype(np.int64)


def _polished(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray) -> FloatArray:
    """z refined on the final set, or as it is if that is no better.

    A z that is zero but for round-off may turn negative by it and then leaves the set.
    """
    rows, better = len(a), z.copy()
    work, left, step = workspace(rows), np.zeros(rows), np.zeros(rows)
    refine(A, a, better, basic, left, step, work)
    while np.any(better < 0.0):
        basic[better < 0.0] = 0
        pivoting.pivot_from_python(A, a, rows, better, basic, work, 0)  # no exchange: z of the smaller set
        refine(A, a, better, basic, left, step, work)
    old, new = (natural_residual(A, a, trial, a + A @ trial) for trial in (z, better))
    return better if new <= old else z


def _checked(A: FloatArray, a: FloatArray, z: FloatArray, status: Status, pivots: int) -> Solution:
    """No method is believed: w comes from z, and what is not small enough is no solution."""
    z = np.maximum(z, 0.0)
    w, scales = a + A @ z, row_scales(A, a, z)
    if not np.all(np.isfinite([z, w, scales])):
        return Solution(np.zeros_like(a), a.copy(), _less_than_solved(status), pivots, natural_residual(A, a, 0 * a, a))
    residual = natural_residual(A, a, z, w)
    clean = np.where(z > 0.0, 0.0, np.maximum(w, 0.0))
    if status is Status.SOLVED and np.all(np.abs(w - clean) <= ACCEPTED * scales) and _decided(A, a, scales):
        return Solution(z, clean, status, pivots, residual)
    return Solution(z, w, _less_than_solved(status), pivots, residual)


def _less_than_solved(status: Status) -> Status:
    return Status.LIMIT if status is Status.SOLVED else status


def _decided(A: FloatArray, a: FloatArray, scales: FloatArray) -> bool:
    """A z so much larger than a that their sum is made of round-off proves nothing."""
    units = row_units(A)
    return bool(np.max(scales * units) <= DECIDED * np.max(np.abs(a) * units))
