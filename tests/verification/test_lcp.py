"""Linear complementarity problems: methods against each other and exact arithmetic, and some without an answer."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pushpoint._jit import entry_point
from pushpoint.errors import InvalidInput
from pushpoint.numerics.lcp import (
    Solution,
    Status,
    basis,
    friction,
    friction_bound,
    is_p_matrix,
    lemke,
    p_matrix,
    pivoting,
    solve,
)
from pushpoint.numerics.lcp.basis import workspace
from pushpoint.numerics.lcp.friction import friction_bound_from_python
from pushpoint.numerics.lcp.lemke import lemke_kernel, lemke_workspace
from pushpoint.numerics.lcp.p_matrix import p_workspace
from pushpoint.numerics.lcp.pivoting import pivot
from pushpoint.numerics.lcp.residual import natural_residual
from pushpoint.types import FloatArray, IntArray

Generator = np.random.Generator
METHODS = ("lemke", "pivoting", "gauss_seidel", "enumeration")

ACCEPTED = 1e-9  # promised of every solution
MEASURED = 5e-14  # ten times the worst residual of these families, 5e-15: a loss of digits is noticed
AGREEMENT = (
    1e-14  # times cond(A) and the largest z: 45 ulp; two backward stable solutions differ by a few (measured: 1)
)


# --- families of P-matrices ---


def _orthogonal(rng: Generator, n: int) -> FloatArray:
    return np.asarray(np.linalg.qr(rng.normal(size=(n, n)))[0])


def _skew(rng: Generator, n: int) -> FloatArray:
    K = rng.normal(size=(n, n))
    return np.asarray(K - K.T)


def positive_definite(rng: Generator, n: int) -> FloatArray:
    G = rng.normal(size=(n, n + 2))
    return np.asarray(G @ G.T)


def dominant(rng: Generator, n: int) -> FloatArray:
    A = rng.normal(size=(n, n))
    np.fill_diagonal(A, np.abs(A).sum(axis=1) * rng.uniform(1.01, 2.0, n))
    return A


def m_plus_skew(rng: Generator, n: int) -> FloatArray:
    M = -rng.uniform(size=(n, n))
    M = 0.5 * (M + M.T)
    np.fill_diagonal(M, 0.0)
    np.fill_diagonal(M, np.abs(M).sum(axis=1) + rng.uniform(0.01, 1.0, n))
    return np.asarray(M + _skew(rng, n))


def gram_plus_skew(rng: Generator, n: int) -> FloatArray:
    G = rng.normal(size=(n, n))
    return np.asarray(G.T @ G + 1e-3 * np.eye(n) + 10.0 ** rng.uniform(-1, 1) * _skew(rng, n))


def ill_conditioned(rng: Generator, n: int) -> FloatArray:
    """Condition up to 1e10, spread evenly over the decades."""
    Q = _orthogonal(rng, n)
    return np.asarray((Q * np.logspace(0.0, -rng.uniform(2, 10), n)) @ Q.T)


def ill_conditioned_plus_skew(rng: Generator, n: int) -> FloatArray:
    return ill_conditioned(rng, n) + 10.0 ** rng.uniform(-10, 0) * _skew(rng, n)


def mixed_units(rng: Generator, n: int) -> FloatArray:
    return np.asarray(10.0 ** rng.uniform(-4, 4, (n, 1)) * dominant(rng, n) * 10.0 ** rng.uniform(-4, 4, n))


Family = Callable[[Generator, int], FloatArray]
RightHandSide = Callable[[Generator, FloatArray], FloatArray]
FAMILIES: tuple[Family, ...] = (
    *(positive_definite, dominant, m_plus_skew, gram_plus_skew),
    *(ill_conditioned, ill_conditioned_plus_skew, mixed_units),
)


# --- right-hand sides ---


def anything(rng: Generator, A: FloatArray) -> FloatArray:
    return rng.normal(size=len(A))


def with_zeros(rng: Generator, A: FloatArray) -> FloatArray:
    return np.asarray(rng.normal(size=len(A)) * (rng.random(len(A)) < 0.6))


def with_duplicates(rng: Generator, A: FloatArray) -> FloatArray:
    return rng.choice([-1.0, 0.0, 1.0], len(A))


def degenerate(rng: Generator, A: FloatArray) -> FloatArray:
    """A solution with z_i = w_i = 0 in many rows."""
    n = len(A)
    z = np.maximum(rng.normal(size=n), 0.0)
    w = np.where(z > 0.0, 0.0, np.maximum(rng.normal(size=n) - 0.3, 0.0))
    return np.asarray(w - A @ z)


RIGHT_HAND_SIDES = (anything, with_zeros, with_duplicates, degenerate)


def exact_sums(A: FloatArray, a: FloatArray, z: FloatArray) -> list[Fraction]:
    """a + A z without round-off."""
    rows = zip(A.tolist(), a.tolist(), strict=True)
    values = [Fraction(x) for x in z.tolist()]
    return [sum((Fraction(x) * y for x, y in zip(row, values, strict=True)), Fraction(b)) for row, b in rows]


def assert_solved(solution: Solution, A: FloatArray, a: FloatArray, tolerance: float = ACCEPTED) -> None:
    """Also by a measure of its own: exact sums where that is quick, over the terms of the row."""
    assert solution.status is Status.SOLVED
    assert solution.residual <= tolerance
    assert np.all(solution.z >= 0.0)
    assert np.all(solution.w >= 0.0)
    assert np.all(solution.z * solution.w == 0.0)
    raw = np.array(exact_sums(A, a, solution.z), dtype=float) if len(a) <= 8 else a + A @ solution.z
    terms = np.abs(a) + np.abs(A * solution.z).max(axis=1, initial=0.0)
    assert np.all(np.abs(raw - solution.w) <= tolerance * terms)


@pytest.mark.parametrize("right_hand_side", RIGHT_HAND_SIDES)
@pytest.mark.parametrize("family", FAMILIES)
def test_lemke_and_pivoting_agree_on_p_matrices(family: Family, right_hand_side: RightHandSide) -> None:
    rng = np.random.default_rng(3)
    for n in (*range(1, 31), 30, 30):
        A = family(rng, n)
        a = right_hand_side(rng, A)
        followed = solve(A, a, "lemke")
        pivoted = solve(A, a, "pivoting", start=rng.random(n) < 0.5)
        assert_solved(followed, A, a, MEASURED)
        assert_solved(pivoted, A, a, MEASURED)
        scale = max(followed.z.max(), pivoted.z.max())
        assert np.abs(followed.z - pivoted.z).max() <= AGREEMENT * np.linalg.cond(A) * scale


@pytest.mark.parametrize("family", FAMILIES)
def test_enumeration_agrees(family: Family) -> None:
    rng = np.random.default_rng(4)
    for n in range(1, 13):
        for right_hand_side in RIGHT_HAND_SIDES:
            A = family(rng, n)
            a = right_hand_side(rng, A)
            tried, followed = solve(A, a, "enumeration"), solve(A, a)
            assert_solved(tried, A, a, MEASURED)
            scale = max(followed.z.max(), tried.z.max())
            assert np.abs(followed.z - tried.z).max() <= AGREEMENT * np.linalg.cond(A) * scale


def test_gauss_seidel_solves_positive_definite_problems() -> None:
    """Condition up to 1e3; it stops at 1e-13 of the scale, and the error is at most cond times that, n rows of it."""
    rng = np.random.default_rng(5)
    for n in range(1, 31):
        Q = _orthogonal(rng, n)
        A = np.asarray((Q * np.logspace(0.0, -rng.uniform(0, 3), n)) @ Q.T)
        a = RIGHT_HAND_SIDES[n % 4](rng, A)
        swept, followed = solve(A, a, "gauss_seidel"), solve(A, a)
        assert_solved(swept, A, a, 1e-12)
        assert np.abs(followed.z - swept.z).max() <= n * 1e-13 * np.linalg.cond(A) * max(
            followed.z.max(), swept.z.max()
        )
        again = solve(A, a, "gauss_seidel", start=swept.z)
        assert again.pivots <= 8  # it checks every eight sweeps


def test_gauss_seidel_on_others_solves_or_says_so() -> None:
    rng = np.random.default_rng(6)
    ends = set()
    for n in (*range(1, 9), *range(1, 9)):
        for family in (dominant, gram_plus_skew, ill_conditioned):
            A = family(rng, n)
            a = rng.normal(size=n)
            swept = solve(A, a, "gauss_seidel", max_pivots=2000)
            ends.add(swept.status)
            if swept.status is Status.SOLVED:
                assert_solved(swept, A, a)
            assert np.all(np.isfinite(swept.z))
    assert ends == {Status.SOLVED, Status.LIMIT}
    assert solve([[0.0, 1.0], [1.0, 0.0]], [-1.0, -1.0], "gauss_seidel").status is Status.LIMIT  # no diagonal


# --- problems without a solution ---


def negative_row(rng: Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """w_i = a_i + (nothing positive) with a_i < 0."""
    A, a, i = rng.normal(size=(n, n)), rng.normal(size=n), rng.integers(n)
    A[i] = -np.abs(A[i]) * (rng.random(n) < 0.7)
    a[i] = -abs(a[i])
    return A, a


def unbounded_below(rng: Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """u > 0 with u A = 0 and u a < 0, so that u w < 0; singular up to round-off, which hides it."""
    u = rng.uniform(0.1, 1.0, n)
    P = np.eye(n) - np.outer(u, u) / (u @ u)
    a = P @ rng.normal(size=n) - rng.uniform(0.01, 1.0) * u
    return np.asarray(P @ positive_definite(rng, n) @ P), np.asarray(a)


@pytest.mark.parametrize("family", [negative_row, unbounded_below])
def test_infeasible_problems_are_never_solved(
    family: Callable[[Generator, int], tuple[FloatArray, FloatArray]],
) -> None:
    rng = np.random.default_rng(7)
    for n in (1, 2, 3, 4, 5, 8) * 25:
        A, a = family(rng, n)
        for method in METHODS:
            solution = solve(A, a, method, max_pivots=500)
            assert solution.status is not Status.SOLVED
            assert np.all(np.isfinite(solution.z))
            assert np.all(np.isfinite(solution.w))
        assert solve(A, a, "lemke").status is Status.RAY


def test_no_method_solves_what_enumeration_refutes() -> None:
    rng = np.random.default_rng(8)
    refuted = 0
    for n in (1, 2, 3, 4, 5, 6) * 60:
        A, a = rng.normal(size=(n, n)), rng.normal(size=n)
        tried = solve(A, a, "enumeration")
        if tried.status is Status.SOLVED:
            assert_solved(tried, A, a)
        for method in ("lemke", "pivoting", "gauss_seidel"):
            solution = solve(A, a, method, max_pivots=500)
            if solution.status is Status.SOLVED:
                assert_solved(solution, A, a)
                assert tried.status is Status.SOLVED
        refuted += tried.status is Status.RAY
    assert refuted > 100


def test_singular_blocks_leave_enumeration_undecided() -> None:
    """z = (1, 0) is the solution, but both sets with z_1 are singular: no set finds it, and none refutes it."""
    assert solve([[0.0, 0.0], [1.0, 0.0]], [0.0, -1.0], "enumeration").status is Status.LIMIT


def test_redundant_contacts() -> None:
    """Positive semidefinite, with equal rows, and solvable: z is not unique, w is."""
    rng = np.random.default_rng(9)
    for n in range(2, 16):
        G = rng.normal(size=(n, rng.integers(1, n)))
        G[0] = G[-1]
        A = np.asarray(G @ G.T)
        a = degenerate(rng, A)
        followed, pivoted = solve(A, a), solve(A, a, "pivoting", max_pivots=500)
        assert_solved(followed, A, a)
        if pivoted.status is Status.SOLVED:
            scale = np.abs(a).max() + np.abs(A).max() * followed.z.max()
            np.testing.assert_allclose(pivoted.w, followed.w, atol=1e-12 * scale, rtol=0.0)


# --- known troublemakers ---


def test_exponential_examples_end() -> None:
    """Murty's: least index from the empty set takes 2^n - 1 exchanges, Lemke 2^n pivots on the transpose."""
    n = 10
    A = np.eye(n) + 2.0 * np.triu(np.ones((n, n)), 1)
    for matrix in (A, A.T, A @ A.T):
        for method in METHODS:
            assert_solved(solve(matrix, -np.ones(n), method), matrix, -np.ones(n))
    assert solve(A.T, -np.ones(n), "lemke").pivots == 2**n
    stopped = solve(A.T, -np.ones(n), "lemke", max_pivots=2**n - 1)
    assert stopped.status is Status.LIMIT


def test_cycling_examples_end() -> None:
    """Cyclic and fully degenerate: ties in every ratio test, and exchanges of all infeasible rows that come back."""
    circulant = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]])
    for A in (circulant, circulant.T, np.kron(np.eye(3), circulant)):
        n = len(A)
        for start in itertools.islice(itertools.product([False, True], repeat=n), 0, 512, 1 if n == 3 else 37):
            for a in (-np.ones(n), np.arange(n) % 2 - 1.0):
                assert_solved(solve(A, a, "pivoting", start=start), A, a)
                assert_solved(solve(A, a, "lemke", start=start), A, a)


def test_block_exchanges_alone_would_cycle() -> None:
    """The fallback is needed: from these starts exchanging all infeasible rows never ends."""
    A, a = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]]), -np.ones(3)
    basic, seen = np.array([True, False, False]), set()
    while tuple(basic) not in seen:
        seen.add(tuple(basic))
        z = np.zeros(3)
        z[basic] = np.linalg.solve(A[np.ix_(basic, basic)], -a[basic])
        basic = basic ^ np.where(basic, z < 0.0, a + A @ z < 0.0)
    assert (True, True, True) not in seen  # the solution: it came back to an infeasible set instead
    assert_solved(solve(A, a, "pivoting", start=[True, False, False]), A, a)


# --- properties ---

UNDERFLOW = Fraction(5e-324)  # of each product

ENTRIES = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e3, 1e3, allow_nan=False),
    st.floats(allow_nan=False, allow_infinity=False),
)


@st.composite
def problems(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    n = draw(st.integers(0, 5))
    return draw(arrays(np.float64, (n, n), elements=ENTRIES)), draw(arrays(np.float64, n, elements=ENTRIES))


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=200, derandomize=True, deadline=None)
@given(problem=problems())
def test_what_is_called_solved_is(method: str, problem: tuple[FloatArray, FloatArray]) -> None:
    """Whatever the numbers, from 1e-308 to 1e308: judged in exact arithmetic."""
    A, a = problem
    solution = solve(A, a, method, max_pivots=200)
    assert np.all(np.isfinite(solution.z))
    assert np.all(np.isfinite(solution.w))
    assert not math.isnan(solution.residual)
    if solution.status is not Status.SOLVED:
        return
    assert np.all((solution.z >= 0.0) & (solution.w >= 0.0) & ((solution.z == 0.0) | (solution.w == 0.0)))
    for i, exact in enumerate(exact_sums(A, a, solution.z)):
        term = abs(Fraction(a[i])) + max(abs(Fraction(x) * Fraction(y)) for x, y in zip(A[i], solution.z, strict=True))
        assert abs(exact - Fraction(solution.w[i])) <= Fraction(ACCEPTED) * term + len(a) * UNDERFLOW


@settings(max_examples=200, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), of_A=st.integers(-150, 150), of_a=st.integers(-300, 300))
def test_units_do_not_matter(seed: int, of_A: int, of_a: int) -> None:
    """Powers of two scale without round-off: by even ones the solution is the same to the last digit."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    A, a = gram_plus_skew(rng, n), rng.normal(size=n)
    for method in METHODS:
        plain, scaled = solve(A, a, method), solve(A * 4.0**of_A, a * 2.0**of_a, method)
        assert scaled.status is plain.status
        if plain.status is Status.SOLVED:
            np.testing.assert_array_equal(scaled.z, plain.z * 2.0**of_a * 0.25**of_A)
            assert scaled.residual == pytest.approx(plain.residual, rel=1e-9, abs=1e-300)
    rough = rng.uniform(size=n)
    once = natural_residual(A, a, rough, a + A @ rough)
    again = natural_residual(7.0 * A, 3.0 * a, 3.0 / 7.0 * rough, 3.0 * (a + A @ rough))
    assert again == pytest.approx(once, rel=1e-12)


def test_residual_of_wrong_answers_is_large() -> None:
    A, a = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-1.0, 1.0])
    right = np.array([0.5, 0.0])
    assert natural_residual(A, a, right, a + A @ right) == 0.0
    for wrong in ([0.0, 0.0], [0.5, 0.1], [1.0, 0.0], [0.4, 0.0]):
        z = np.array(wrong)
        assert natural_residual(A, a, z, a + A @ z) > 0.05
    for a_zero in (np.array([1.0, 1.0]), np.array([1e-30, 0.0])):  # w = A z against a = 0: size does not excuse it
        assert natural_residual(A, np.zeros(2), a_zero, A @ a_zero) > 0.1
    assert natural_residual(A, np.zeros(2), np.zeros(2), np.zeros(2)) == 0.0


def test_answers_do_not_overflow() -> None:
    """z = 1e400 is none, and terms of 1e320 that cancel prove nothing."""
    for method in METHODS:
        assert solve([[1e-200]], [-1e200], method).status is Status.LIMIT
        assert_solved(solve([[1e-150]], [-1e150], method), np.array([[1e-150]]), np.array([-1e150]))
        huge = solve([[1e300, -1e300], [1e300, 1e300]], [-1e300, 1e20], method, start=[1e20, 1e20], max_pivots=50)
        assert np.all(np.isfinite(huge.z))
        if huge.status is Status.SOLVED:
            np.testing.assert_allclose(huge.z, [1.0, 0.0], atol=1e-15)


def test_warm_starts() -> None:
    rng = np.random.default_rng(10)
    A = gram_plus_skew(rng, 12)
    a = rng.normal(size=12)
    cold = solve(A, a, "pivoting")
    assert cold.pivots > 0
    for start in (cold.z, cold.z > 0.0):
        for method in ("pivoting", "lemke"):
            warm = solve(A, a, method, start=start)
            assert warm.pivots == 0
            np.testing.assert_array_equal(warm.z, cold.z)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_solve(method: str) -> None:
    empty = solve(np.zeros((0, 0)), [], method)
    assert empty.status is Status.SOLVED
    assert empty.z.shape == empty.w.shape == (0,)
    rest = solve(-np.eye(3), np.zeros(3), method)
    assert rest.status is Status.SOLVED
    assert not rest.z.any()
    with pytest.raises(InvalidInput, match="start has the shape"):
        solve(np.eye(3), np.zeros(3), method, start=[1.0])


# --- P-matrices ---


def exact_minor(A: list[list[Fraction]]) -> Fraction:
    if not A:
        return Fraction(1)
    top = next((i for i, row in enumerate(A) if row[0]), None)
    if top is None:
        return Fraction(0)
    head, *rest = [A[top], *A[:top], *A[top + 1 :]]
    below = [[x - row[0] / head[0] * y for x, y in zip(row[1:], head[1:], strict=True)] for row in rest]
    return (-1) ** top * head[0] * exact_minor(below)


def has_positive_minors(A: FloatArray) -> bool:
    rows = [[Fraction(x) for x in row] for row in A.tolist()]
    sets = (s for size in range(1, len(A) + 1) for s in itertools.combinations(range(len(A)), size))
    return all(exact_minor([[rows[i][j] for j in s] for i in s]) > 0 for s in sets)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(A=st.integers(1, 4).flatmap(lambda n: arrays(np.float64, (n, n), elements=st.integers(-2, 3).map(float))))
def test_p_test_on_whole_numbers(A: FloatArray) -> None:
    """Many minors are exactly zero here, the others at least one: no margin."""
    np.fill_diagonal(A, np.abs(A.diagonal()) + (A.diagonal() < 0.0))
    expected = has_positive_minors(A)
    assert is_p_matrix(A) == expected
    assert is_p_matrix(A * 1e-120) == expected
    assert is_p_matrix(np.diag(10.0 ** np.arange(len(A))) @ A) == expected


def smallest_minor(A: FloatArray) -> float:
    """Over the product of the diagonal."""
    least = 1.0
    for size in range(1, len(A) + 1):
        for s in itertools.combinations(range(len(A)), size):
            least = min(least, float(np.linalg.det(A[np.ix_(s, s)]) / np.prod(A.diagonal()[list(s)])))
    return least


def test_p_test_agrees_with_minors() -> None:
    """Also 1e-6 from the boundary on either side, where determinants of ten rows still have the right sign."""
    rng = np.random.default_rng(11)
    seen = {True: 0, False: 0}
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10) * 2:
        A, B = positive_definite(rng, n), rng.normal(size=(n, n))
        bound = friction_bound(A, B, ceiling=1e3)
        for mu in (0.5 * bound, (1.0 - 1e-6) * bound, (1.0 + 1e-6) * bound, 1.5 * bound):
            M = A - mu * B
            expected = bool(np.all(M.diagonal() > 0.0)) and smallest_minor(M) > 0.0
            assert is_p_matrix(M) == expected
            seen[expected] += 1
    assert min(seen.values()) >= 20


def test_p_test_never_says_yes_at_the_boundary() -> None:
    """Singular but for round-off of either sign. Where no round-off is left, a few ulp away, it must say yes."""
    rng = np.random.default_rng(12)
    for n in (2, 3, 4, 5, 6) * 10:
        G = rng.integers(-4, 5, size=(n, n - 1)).astype(float)
        scale = 10.0 ** rng.uniform(-3, 3, n)
        A = G @ G.T * scale[:, None] * scale  # rank n - 1, rounded once or twice
        assert is_p_matrix(A) <= has_positive_minors(A)  # yes is certain
        lifted = A + 1e-9 * np.diag(A.diagonal() + scale**2)
        assert is_p_matrix(lifted) == has_positive_minors(lifted)


# --- friction bound ---


def test_friction_bound_in_closed_form() -> None:
    assert friction_bound([[2.0]], [[4.0]]) == 0.5
    assert friction_bound([[2.0]], [[-4.0]]) == math.inf
    assert friction_bound([[2.0]], [[4.0]], ceiling=0.3) == 0.3
    assert friction_bound([[-2.0]], [[4.0]]) == 0.0
    assert friction_bound(np.zeros((0, 0)), np.zeros((0, 0))) == math.inf
    # det = 1 + mu^2 never vanishes; det = 1 - mu^2 at 1
    assert friction_bound(np.eye(2), [[0.0, 1.0], [-1.0, 0.0]]) == math.inf
    assert friction_bound(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]) == pytest.approx(1.0, rel=1e-15)
    # a block smaller than the whole decides: 1 - mu/2 and 1 - mu/3 before (1 - mu/2)(1 - mu/3) + 9 mu^2
    assert friction_bound(np.eye(2), [[0.5, 3.0], [-3.0, 1 / 3]]) == pytest.approx(2.0, rel=1e-14)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 7))
def test_friction_kernel_finds_the_exact_bound(seed: int, n: int) -> None:
    """The scan against eigenvalues: it ends at 1e-12; at a double root both would be good to 1e-8 only."""
    rng = np.random.default_rng(seed)
    A = positive_definite(rng, n) if seed % 2 else dominant(rng, n)
    B = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-1, 1)
    exact = friction_bound(A, B, ceiling=20.0)
    found = friction_bound_from_python(A, B, n, 20.0, p_workspace(n + 2))
    assert found == pytest.approx(exact, rel=1e-11)
    for share in np.linspace(0.0, 1.0 - 1e-9, 20):
        assert is_p_matrix(A - found * share * B)
    assert exact == 20.0 or not is_p_matrix(A - exact * (1.0 + 1e-9) * B)


def test_friction_kernel_without_friction() -> None:
    work = p_workspace(3)
    assert friction_bound_from_python(np.eye(3), np.zeros((3, 3)), 3, 5.0, work) == 5.0
    assert friction_bound_from_python(-np.eye(3), np.eye(3), 3, 5.0, work) == 0.0
    assert friction_bound_from_python(np.eye(3), np.eye(3), 0, 5.0, work) == 5.0
    assert friction_bound_from_python(np.eye(3), -np.eye(3), 3, 1e6, work) == 1e6
    assert friction_bound_from_python(np.eye(3), np.full((3, 3), math.nan), 3, 5.0, work) == 0.0  # nothing is promised


# --- kernels for other kernels ---


@entry_point
def both_kernels(
    A: FloatArray, a: FloatArray, size: int, z: FloatArray, basic: IntArray, work: FloatArray, table: FloatArray
) -> tuple[int, int, int]:
    second, _ = lemke_kernel(A, a, size, z, basic, table)
    first, pivots = pivot(A, a, size, z, basic, work)
    return first, second, pivots


def test_kernels_use_the_leading_block_only() -> None:
    """Lemke's set is the right one, so that `pivot` after it makes no exchange."""
    rng = np.random.default_rng(13)
    room = 9
    work, table = workspace(room), lemke_workspace(room)
    for n in (0, 1, 3, 5, 9):
        A, a = np.full((room, room), np.nan), np.full(room, np.nan)
        A[:n, :n] = gram_plus_skew(rng, n) if n else 0.0
        a[:n] = rng.normal(size=n)
        z, basic = np.full(room, 7.0), np.full(room, 7)
        assert both_kernels(A, a, n, z, basic, work, table) == (0, 0, 0)
        expected = solve(A[:n, :n], a[:n]).z
        np.testing.assert_allclose(z[:n], expected, rtol=1e-10, atol=1e-10)  # without refinement
        np.testing.assert_array_equal(basic[:n] != 0, expected > 0.0)
        assert np.all(z[n:] == 7.0)
        assert np.all(basic[n:] == 7)


def test_kernels_report_poison() -> None:
    A, a = np.eye(2), np.array([-1.0, np.nan])
    z, basic = np.zeros(2), np.zeros(2, dtype=np.int64)
    first, second, _ = both_kernels(A, a, 2, z, basic, workspace(2), lemke_workspace(2))
    assert first != 0
    assert second != 0


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")
def test_every_kernel_is_compiled_once() -> None:
    """A second signature is a counter whose type changes: twice the time to compile."""
    block, line, flags, cube = np.eye(1), np.ones(1), np.zeros(1, dtype=np.int64), p_workspace(1)
    for kernel, arguments in (
        (lemke_kernel, (block, line, 1, line, flags, block)),
        (pivot, (block, line, 1, line, flags, block)),
        (friction.friction_bound_kernel, (block, block, 1, 1.0, cube)),
        (p_matrix.p_test, (block, 1, cube)),
    ):
        kernel.compile(tuple(numba.typeof(argument) for argument in arguments))  # past the cache on disk
    for module in (basis, pivoting, lemke, p_matrix, friction):
        for name, function in vars(module).items():
            if hasattr(function, "signatures"):
                assert len(function.signatures) <= 1, name


# --- bad input ---


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"A": [[1.0, 2.0]]}, r"A has the shape \(1, 2\).*square"),
        ({"A": [1.0]}, r"A has the shape \(1,\)"),
        ({"A": [[math.nan]]}, r"A\[0, 0\] is nan.*finite"),
        ({"A": [["x"]]}, r"A is \[\['x'\]\].*real numbers"),
        ({"A": [[1.0], [1.0, 2.0]]}, "A is .*real numbers"),
        ({"a": [math.inf]}, r"a\[0\] is inf.*finite"),
        ({"a": [1.0, 2.0]}, r"a has the shape \(2,\): \(1,\) is needed"),
        ({"a": 1.0}, r"a has the shape \(\)"),
        ({"a": [1j]}, r"a is .*real numbers"),
        ({"method": "simplex"}, "method is 'simplex': allowed are lemke"),
        ({"start": [True, False]}, r"start has the shape \(2,\)"),
        ({"start": [math.nan]}, r"start\[0\] is nan"),
        ({"max_pivots": -1}, "max_pivots is -1.*from 0"),
        ({"max_pivots": 1.5}, "max_pivots is 1.5"),
        ({"A": np.eye(17), "a": np.ones(17), "method": "enumeration"}, "A has 17 rows.*at most 16"),
    ],
)
def test_bad_problems_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        solve(**({"A": [[1.0]], "a": [1.0]} | arguments))


def test_bad_matrices_are_refused() -> None:
    with pytest.raises(InvalidInput, match="A has 25 rows: is_p_matrix takes at most 24"):
        is_p_matrix(np.eye(25))
    with pytest.raises(InvalidInput, match="A has 15 rows: friction_bound takes at most 14"):
        friction_bound(np.eye(15), np.eye(15))
    with pytest.raises(InvalidInput, match="B has 1 rows: 2 are needed"):
        friction_bound(np.eye(2), np.eye(1))
    with pytest.raises(InvalidInput, match="ceiling is 0"):
        friction_bound(np.eye(1), np.eye(1), ceiling=0.0)
