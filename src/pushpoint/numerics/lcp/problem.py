"""The linear complementarity problem for people: arrays in, a checked solution out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from pushpoint.errors import InvalidInput
from pushpoint.numerics.lcp import branching, complementary_sets, enumeration, gauss_seidel, lemke, pivoting, restarts
from pushpoint.numerics.lcp.arguments import count_of, square, vector
from pushpoint.numerics.lcp.basis import SOLVED, Search, workspace
from pushpoint.numerics.lcp.residual import natural_residual, refine, row_scales, row_units
from pushpoint.types import FloatArray, IntArray

ACCEPTED = 1e-9  # the largest residual of a solution
DECIDED = 1e12  # A z may cancel to a by this factor: beyond, round-off decides whether there is a solution
PIVOTS = 100_000  # least index and Lemke may need 2^n
SWEEPS = 20_000
FEW = 2_000  # pivots or sweeps of a method that is tried after another one
SMALL = 8  # rows: all 256 sets are soon examined


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
    tried: tuple[str, ...] = ()  # the methods in their order, each with how it ended

    @property
    def message(self) -> str:
        """One line: which method found the solution, or that none of those tried did."""
        *before, last = self.tried or ("nothing to solve",)
        if self.status is Status.SOLVED:
            return f"solved by {last}" + (f", after {', '.join(before)}" if before else "")
        return f"no solution found; tried {', '.join((*before, last))}"


Start = npt.ArrayLike | None
Method = Callable[[FloatArray, FloatArray, FloatArray, IntArray, int | None], tuple[int, int]]


def _pivoting(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, limit: int | None) -> tuple[int, int]:
    most = PIVOTS if limit is None else limit
    return pivoting.pivot_from_python(A, a, len(a), z, basic, workspace(len(a)), most)


def _lemke(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, limit: int | None) -> tuple[int, int]:
    if basic.any() and _pivoting(A, a, z, basic, 0)[0] == SOLVED:  # the start was right
        return SOLVED, 0
    most = PIVOTS if limit is None else limit
    return lemke.lemke_from_python(A, a, len(a), z, basic, lemke.lemke_workspace(len(a)), most)


def _enumeration(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, limit: int | None) -> tuple[int, int]:
    if len(a) > enumeration.LARGEST:
        raise InvalidInput(f"A has {len(a)} rows: enumeration takes at most {enumeration.LARGEST}")
    return enumeration.try_all(A, a, len(a), z, basic, workspace(len(a)))


def _gauss_seidel(A: FloatArray, a: FloatArray, z: FloatArray, basic: IntArray, limit: int | None) -> tuple[int, int]:
    found = gauss_seidel.sweeps(A, a, len(a), z, SWEEPS if limit is None else limit)
    basic[:] = z > 0.0
    return found


METHODS: dict[str, Method] = {
    "lemke": _lemke, "pivoting": _pivoting, "gauss_seidel": _gauss_seidel, "enumeration": _enumeration,
}  # fmt: skip


def solve(
    A: npt.ArrayLike,
    a: npt.ArrayLike,
    method: str = "lemke",
    start: Start = None,
    max_pivots: int | None = None,
    others: bool | None = None,
) -> Solution:
    """w = a + A z with w >= 0, z >= 0 and w_i z_i = 0 in every row.

    `start` is a guess: a boolean set of the rows with z_i > 0, or a z, say of a similar problem. `others`: whether the
    other methods are tried where this one finds nothing; by default after Lemke's, unless `max_pivots` limits it.
    `Solution.message` says which were tried.
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
        found = _by(method, matrix, offset, (z, basic), limit)
        go_on = (method == "lemke" and limit is None) if others is None else others
        if found.status is Status.SOLVED or not go_on:
            return found
        return _by_others(matrix, offset, found, method)


def _by(
    method: str, A: FloatArray, a: FloatArray, point: tuple[FloatArray, IntArray], limit: int | None = None
) -> Solution:
    """What one method finds from a starting point, checked."""
    z, basic = point
    status, pivots = METHODS[method](A, a, z, basic, limit)
    if status == SOLVED and method != "gauss_seidel":
        z = _polished(A, a, z, basic)
    found = _checked(A, a, z, tuple(Status)[status], int(pivots))
    return replace(found, tried=(f"{method} ({found.status.value})",))


def _by_others(A: FloatArray, a: FloatArray, first: Solution, method: str) -> Solution:
    """The other methods one after the other, the quick ones first, until one finds a solution.

    None of them misses a solution of up to 16 rows, but for matrices so near to singular that round-off decides.
    """
    tried = first.tried
    for attempt in _attempts(A, a, first, method):
        tried += attempt.tried
        if attempt.status is Status.SOLVED:
            return replace(attempt, tried=tried)
    return replace(first, tried=tried)


def _attempts(A: FloatArray, a: FloatArray, first: Solution, method: str) -> Iterator[Solution]:
    rows, nowhere = len(a), np.zeros(len(a), dtype=np.int64)
    for other in ("lemke", "pivoting", "gauss_seidel"):
        if other != method:
            limit = None if other == "lemke" else FEW
            yield _by(other, A, a, (np.zeros(rows), nowhere.copy()), limit)
    if rows > SMALL:
        yield _by_restarts(A, a, first)
    refuted = False
    if rows <= branching.LARGEST:
        found = branching.branch(A, a)
        branched = _from_search(A, a, found, f"branching at {found.steps} nodes")
        refuted = branched.status is Status.RAY
        yield branched
    if rows <= SMALL or (rows <= complementary_sets.LARGEST and not refuted):
        yield _from_search(A, a, complementary_sets.search(A, a), f"all {2**rows} complementary sets")


def _by_restarts(A: FloatArray, a: FloatArray, first: Solution) -> Solution:
    """From the sets at which Lemke's paths from other starts end."""
    sets, count = restarts.sets_from_restarts(A, a)
    name = f"{count} restarts of lemke"
    for basic in sets:
        z = np.zeros(len(a))
        _pivoting(A, a, z, basic, 0)
        found = _checked(A, a, _polished(A, a, z, basic), Status.SOLVED, count)
        return replace(found, tried=(f"{name} ({found.status.value})",))
    return replace(first, tried=(f"{name} (ray)",))


def _from_search(A: FloatArray, a: FloatArray, found: Search, name: str) -> Solution:
    """The z that a search found, checked; RAY if it is sure that there is none."""
    z, steps, complete = found
    if z is None:
        status, said = (Status.RAY, "none has a solution") if complete else (Status.LIMIT, "some undecided")
        return replace(_checked(A, a, np.zeros_like(a), status, steps), tried=(f"{name} ({said})",))
    checked = _checked(A, a, _polished(A, a, z, (z > 0.0).astype(np.int64)), Status.SOLVED, steps)
    return replace(checked, tried=(f"{name} ({checked.status.value})",))


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
