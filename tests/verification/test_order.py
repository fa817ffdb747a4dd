"""Order of convergence on P2's two runs: one, as for every time-stepping scheme with impacts and stick."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from tests.verification.chains import middle_path, rms


@pytest.mark.parametrize("name", ["transeth2008a/track", "transeth2008a/flat"])
def test_error_falls_with_order_one(name: str) -> None:
    steps = [5e-3, 2.5e-3, 1.25e-3, 6.25e-4]
    limit = middle_path(pp.simulate(name, {"plant.dt": 5e-5}))
    errors = [rms(middle_path(pp.simulate(name, {"plant.dt": dt})), limit) for dt in steps]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert 0.8 <= slope <= 1.2, errors


def test_large_steps_are_good_on_the_track() -> None:
    limit = middle_path(pp.simulate("transeth2008a/track", {"plant.dt": 1e-4}))
    coarse = middle_path(pp.simulate("transeth2008a/track", {"plant.dt": 1e-2}))
    assert rms(coarse, limit) <= 0.3e-3  # measured 0.11 mm
