"""Every claim of the papers that is reproduced, as people see it by `pushpoint reproduce`."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.reproduction.report import reproduce
from pushpoint.scenarios import scenarios


def test_all_claims_are_confirmed() -> None:
    report = reproduce("all")
    assert not [f"{v.claim.id}: {v.measured}" for v in report.verdicts if v.failed]
    assert {v.claim.id for v in report.verdicts if v.word == "differs"} == {"transeth2008a/posture-high-torques"}
    assert len(report.verdicts) >= 15


@pytest.mark.parametrize("name", list(scenarios))
def test_laws_hold_on_every_step(name: str) -> None:
    recording = pp.simulate(name)
    assert float(recording.data["step_residual"].max()) <= 1e-8
    assert int(recording.data["step_status"].max()) == 0
    assert recording.metrics()["energy_closure_error"] <= 1e-9
    assert np.all(np.isfinite(recording.data["link_position"]))
