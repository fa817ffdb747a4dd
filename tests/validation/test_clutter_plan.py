"""How many fields the planner crosses, by what it knows; an hour of processor time.

Settings were tuned with seeds below 1000 only. Shares of 60 fields, each with half or 70 % of the pegs of
`lab/clutter-100`; a run that ends by a failed step has not crossed.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control.clutter_plan import ClutterPlan
from pushpoint.scenarios.lab_clutter import CROSSED

SEEDS = range(1200, 1260)
WRONG = {
    "controller.model": {"friction_factor": 1.2},
    "controller.radius_error": 0.2,
    "controller.pose_drift": 0.02,  # [m], after 10 s
}


def crosses(scenario: str, seed: int, changes: dict[str, Any]) -> bool:
    run = pp.simulate(scenario, {"seed": seed, "stop.failure": True, **changes})
    x = run.data["centre_of_mass"].values[:, 0]
    return run.failure is None and bool(x[-1] - x[0] > CROSSED)


def share(scenario: str, **changes: Any) -> float:
    found = float(np.mean([crosses(scenario, seed, changes) for seed in SEEDS]))
    print(f"measured: {scenario} {changes}: {100 * found:.0f} % of {len(SEEDS)} fields")
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "keep", "least"),
    [
        ("lab/clutter-plan-felt", 0.7, 0.75),
        ("lab/clutter-plan-felt", 0.5, 0.60),
        ("lab/clutter-plan-scan", 0.5, 0.85),
        ("lab/clutter-plan-full", 0.7, 0.95),
        ("lab/clutter-plan-full", 0.5, 0.95),
        ("lab/clutter-plan-pegs", 0.5, 0.60),
    ],
)
def test_it_crosses(scenario: str, keep: float, least: float) -> None:
    assert share(scenario, **{"world.keep": keep}) >= least


@pytest.mark.slow
def test_it_crosses_with_a_wrong_model() -> None:
    """Friction and radii wrong by 20 %, and a pose that drifts by 2 cm: four fifths of those with the exact model."""
    assert share("lab/clutter-plan-full", **WRONG) >= 0.8 * 0.95


@pytest.mark.slow
def test_without_pegs_only_crawling_gets_anywhere() -> None:
    """Distance alone proves nothing: what each class does on empty ground."""
    crawl = pp.simulate("lab/clutter-plan-empty", {"stop": None})
    pegs = pp.simulate("lab/clutter-plan-empty", {"controller.crawl": False, "stop": None})
    far = [float(np.ptp(run.data["centre_of_mass"].values[[0, -1], 0])) for run in (crawl, pegs)]
    print(f"measured: on empty ground {far[0]:.2f} m by crawling, {far[1]:.2f} m without")
    assert far[0] > 1.5
    assert far[1] < 0.25  # the benchmark's bound of its class


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["lab/clutter-plan-scan", "lab/clutter-plan-pegs"])
def test_decisions_are_cheap(scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In CPU seconds; 0.15 to 0.2 were measured in the mean. Their work is bounded, the time of a machine is not."""
    spent: list[float] = []
    decide = ClutterPlan._decide

    def timed(*given: Any) -> Any:
        begin = time.process_time()
        event = decide(*given)
        spent.append(time.process_time() - begin)
        return event

    crosses(scenario, 0, {"duration": 2.0})  # compiles
    monkeypatch.setattr(ClutterPlan, "_decide", timed)
    for seed in (1213, 1216, 1218):
        crosses(scenario, seed, {})
    print(
        f"measured: {scenario}: {len(spent)} decisions, {np.mean(spent):.3f} CPU s in the mean, {max(spent):.3f} most"
    )
    assert np.mean(spent) <= 0.3
