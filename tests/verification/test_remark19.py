"""P1's Remark 19 is false: a contact state whose bound mu_o* is below one, shown in docs/theory/planar-hybrid.md."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.numerics.lcp import friction_bound, is_p_matrix, solve
from tests.verification.dense_hybrid import DenseHybrid, Motion, Physics, select

ANGLES = np.radians([66.0, 27.0, 23.0, -27.0, -54.0, -7.0, -31.0, -5.0, -7.0, 15.0])
LINKS, ALPHA, SLIDING = [1, 3, 4, 5], [1, 1, 1, -1], [1, -1, 1, 1]
BOUND = 0.7948
JOINT_LIMIT = np.radians(50.0)  # P1 VIII-B1


def matrices() -> tuple[np.ndarray, np.ndarray]:
    """A and B of the problem (53), its matrix being A - mu_o B: from the dense matrices of the paper."""
    dense = DenseHybrid(10, Physics(l=0.07, m=1.0, J=0.0016))
    alpha = np.zeros(10, dtype=int)
    alpha[LINKS] = ALPHA
    chosen = select(alpha)
    bar, mass = chosen @ dense.constraints(ANGLES), dense.mass_matrix(ANGLES)
    forces = np.zeros((12, 4))
    for k, (link, sign) in enumerate(zip(LINKS, SLIDING, strict=True)):
        # A unit force along link `link`, as the derivative of its centre's velocity along itself.
        for j in range(12):
            rate = np.zeros(12)
            rate[j] = 1.0
            velocity = dense.velocities(Motion(ANGLES, np.zeros(2), rate[:10], rate[10:]))[link]
            forces[j, k] = sign * (np.cos(ANGLES[link]) * velocity[0] + np.sin(ANGLES[link]) * velocity[1])
    return bar @ np.linalg.solve(mass, bar.T), bar @ np.linalg.solve(mass, forces)


def test_the_robot_can_be_bent_like_that() -> None:
    assert np.abs(np.diff(ANGLES)).max() <= JOINT_LIMIT


def test_bound_is_below_one() -> None:
    A, B = matrices()
    assert friction_bound(A, B) == pytest.approx(BOUND, abs=1e-4)
    assert is_p_matrix(A - 0.99 * BOUND * B)
    assert not is_p_matrix(A - 1.01 * BOUND * B)


def test_forces_are_not_unique_beyond_it() -> None:
    """With mu_o = 0.9 some right-hand side has more than one solution, or none: that is what no P-matrix means."""
    A, B = matrices()
    matrix, random = A - 0.9 * B, np.random.default_rng(1)
    for _ in range(2000):
        free = random.normal(size=4)
        answers = {
            tuple(np.round(s.z, 6))
            for basis in range(16)
            for s in [solve(matrix, free, method="pivoting", start=[bool(basis >> k & 1) for k in range(4)])]
            if s.status.value == "solved"
        }
        if len(answers) != 1:
            return  # one is enough
    pytest.fail("always one solution")
