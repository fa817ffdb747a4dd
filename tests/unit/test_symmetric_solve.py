"""Symmetric systems, and quadratic programs made of squared errors, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.numerics.symmetric_solve import fill_program, solve_in_place


@pytest.mark.parametrize("n", [1, 2, 16])
def test_positive_definite_systems_are_solved(n: int) -> None:
    draw = np.random.default_rng(n)
    root = draw.normal(size=(n, n))
    matrix, right = root @ root.T + 0.1 * np.eye(n), draw.normal(size=(n, 5))
    found = right.copy()
    assert solve_in_place(matrix.copy(), found)
    np.testing.assert_allclose(matrix @ found, right, atol=1e-10)


def test_others_are_refused() -> None:
    assert not solve_in_place(np.diag([1.0, -1.0]), np.ones((2, 1)))
    assert not solve_in_place(np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones((2, 1)))
    assert not solve_in_place(np.full((2, 2), np.nan), np.ones((2, 1)))


def test_a_program_is_the_sum_of_its_squares() -> None:
    """z' H z / 2 + g' z + constant = (e' M e + keeping |rows e + off|^2) / 2 with e = by_z z + at_rest."""
    draw, n, m, k, keeping = np.random.default_rng(1), 6, 4, 3, 7.0
    root = draw.normal(size=(n, n))
    M, by_z, at_rest = root @ root.T, draw.normal(size=(n, m)), draw.normal(size=n)
    rows, off = draw.normal(size=(k, n)), draw.normal(size=k)
    H, g = np.zeros((m, m)), np.zeros(m)
    fill_program(M @ by_z, by_z, at_rest, rows, off, keeping, np.empty((k, m)), H, g)

    def total(z: np.ndarray) -> float:
        error = by_z @ z + at_rest
        return float(error @ M @ error + keeping * np.sum((rows @ error + off) ** 2)) / 2

    for z in draw.normal(size=(5, m)):
        assert z @ H @ z / 2 + g @ z + total(np.zeros(m)) == pytest.approx(total(z), rel=1e-12)
    np.testing.assert_array_equal(H, H.T)
