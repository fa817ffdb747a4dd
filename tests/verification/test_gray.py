"""Gray's three links between three pegs, P2 Fig. 7: the direction for a grid of bends."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint import simulate
from pushpoint.scenarios.lab_gray import degrees, gray_three_links

BENDS = (15, 25, 35, 45, 55, 65)  # [deg]
REST = 1e-9  # [m]: by symmetry nothing moves; what is left is the solver's tolerance
GLIDE = 2e-3  # [m] in 0.2 s; the least of the grid, 65 and 55 deg, is 3.6 mm


def glided(alpha: float, beta: float) -> float:
    """How far the centre of mass went forward [m]; every step has to be solved."""
    run = simulate(gray_three_links("lab/gray", degrees(alpha), degrees(beta)))
    assert float(run.data["step_residual"].max()) <= 1e-8
    x = run.data["centre_of_mass"].values[:, 0]
    return float(x[-1] - x[0])


@pytest.mark.parametrize("alpha", BENDS)
def test_glides_towards_the_larger_bend(alpha: float) -> None:
    for beta in BENDS:
        glide = glided(alpha, beta)
        if alpha == beta:
            assert abs(glide) < REST
        else:
            assert np.sign(alpha - beta) * glide > GLIDE


def test_forward_and_backward_mirror_each_other() -> None:
    """Head and tail change places: both runs solve mirrored problems, to the solver's tolerance."""
    assert glided(50, 30) == pytest.approx(-glided(30, 50), rel=1e-6)
