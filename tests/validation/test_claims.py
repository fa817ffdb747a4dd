"""Every claim of the papers that is reproduced, as people see it by `pushpoint reproduce`, and laws on every step.

What takes seconds is run to its end by `make validate` alone; every day its first second is checked.
"""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.recording import Recording
from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._runs import labels, needed
from pushpoint.reproduction.report import Verdict, judged, reproduce
from pushpoint.scenarios import scenarios

PAPERS = sorted({claims[name].paper for name in claims})
ENSEMBLES = [name for name in claims if claims[name].seeds > 1]  # minutes: judged by `make validate`
LONG = (
    "koushan2020/active-joints",
    "koushan2020/ignored-joints",
    "koushan2020/position-filtered",
    "koushan2020/position-unfiltered",
    "koushan2020/simultaneous-unfiltered",
    "lab/compliant-pegs",
    "lab/hoal-sine",
    "lab/hoal-sine-coulomb",
    "lab/hoal-sine-noise",
    "lab/hoal-sine-stall",
    "lab/hoal-sine-viscous",
    "liljeback2010/clutter",
    "liljeback2010/clutter-no-resolution",
    "liljeback2010/random",
    "liljeback2010/rows-no-resolution",
    "liljeback2014/sidewinding-heading",
    *(name for name in scenarios if name.startswith("lab/clutter-")),
)


def is_long(label: str) -> bool:
    return label in LONG or "mujoco" in label


def single(paper: str, long: bool) -> list[Claim]:
    """Claims about one run each, of those that are long or of the others."""
    every = [claims[name] for name in claims if claims[name].paper == paper and name not in ENSEMBLES]
    return [claim for claim in every if any(map(is_long, labels(claim))) == long]


def check_verdicts(verdicts: list[Verdict]) -> None:
    assert not [f"{v.claim.id}: {v.measured} {v.word}" for v in verdicts if v.failed]
    assert {v.claim.id for v in verdicts if v.differs} == {v.claim.id for v in verdicts if v.claim.differs}


def check_laws(recording: Recording) -> None:
    name, spatial = recording.scenario.name, recording.scenario.plant.name == "spatial_stepping"
    tolerance = 1e-6 if spatial else 1e-8  # those of the plants
    assert float(recording.data["step_residual"].max()) <= tolerance, name
    assert int(recording.data["step_status"].max()) == 0, name
    assert recording.metrics()["energy_closure_error"] <= 1e-9, name
    if recording.scenario.plant.name == "planar_hybrid":  # whose ledger closes by definition
        lost, driven = np.abs(recording.data["numerical_work"].values), recording.data["servo_work"].values
        assert lost.max() <= 1e-4 * driven[-1], name  # 1e-7 to 1e-5 were measured at the default tolerance
    for key, values in recording.data.items():
        if values.dtype.kind == "f" and key != "friction_bound":  # NaN with too many contacts to look at
            assert np.all(np.isfinite(values)), (name, key)


@pytest.mark.parametrize("paper", PAPERS)
def test_claims_are_confirmed_or_differ_as_is_known_and_laws_hold(paper: str) -> None:
    """Of all runs that are not long; each is made once, for its claims and for the laws."""
    selection = single(paper, long=False)
    own = {name: scenarios[name] for name in scenarios if name.startswith(f"{paper}/") and not is_long(name)}
    recordings = {label: pp.simulate(scenario) for label, scenario in (needed(selection) | own).items()}
    check_verdicts([judged(claim, recordings) for claim in selection])
    for name in own:
        check_laws(recordings[name])


@pytest.mark.slow
@pytest.mark.parametrize("paper", [paper for paper in PAPERS if single(paper, long=True)])
def test_claims_about_long_runs(paper: str) -> None:
    selection = single(paper, long=True)
    recordings = {label: pp.simulate(scenario) for label, scenario in needed(selection).items()}
    check_verdicts([judged(claim, recordings) for claim in selection])


def test_a_claim_is_judged_as_people_see_it() -> None:
    assert reproduce("transeth2008a/track-x6").confirmed


def test_there_are_claims_and_all_runs_belong_to_a_paper() -> None:
    assert len(ENSEMBLES) >= 8
    assert len(list(claims)) >= 40
    assert {name.split("/")[0] for name in scenarios} <= set(PAPERS)
    assert set(LONG) <= set(scenarios)


@pytest.mark.parametrize("name", LONG)
def test_laws_hold_when_long_runs_begin(name: str) -> None:
    period = scenarios[name].control_period
    check_laws(pp.simulate(name, duration=period * round(1.0 / period)))


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_laws_hold_on_every_step_of_long_runs(name: str) -> None:
    check_laws(pp.simulate(name))
