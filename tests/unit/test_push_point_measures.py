"""Measures of push-points, on forces that are made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.analysis import measures
from pushpoint.errors import InvalidInput
from pushpoint.recording import Recording

SPAN = {"start": 0.0, "end": 0.1}


@pytest.fixture(scope="module")
def run() -> Recording:
    """Aiko slides 0.2 m along x in 0.1 s; link 3, turned to the left by 90 deg, is pushed by (3, 4) N all the time, and
    link 5 by (0, -5) N."""
    short = pp.simulate("transeth2008a/flat", duration=0.1)
    data = short.data.copy(deep=True)
    rows = data.sizes["time"]
    data["centre_of_mass"].values[:] = np.linspace([0.0, 0.0], [0.2, 0.0], rows)
    data["contact_force"].values[:] = 0.0
    data["contact_force"].values[:, 3] = (3.0, 4.0)
    data["contact_force"].values[:, 5] = (0.0, -5.0)
    data["joint_torque"].values[:] = 0.0
    data["joint_torque"].values[:, 2] = -2.0
    data["link_angle"].values[:, 3] = np.pi / 2
    return replace(short, data=data)


def test_costs_are_integrals_over_the_distance(run: Recording) -> None:
    assert measures["contact_cost"](run, **SPAN) == pytest.approx((5.0 + 5.0) * 0.1 / 0.2)
    assert measures["torque_cost"](run, **SPAN) == pytest.approx(2.0 * 0.1 / 0.2)
    assert measures["contact_cost"](run, start=0.05, end=0.1) == pytest.approx(10.0 * 0.05 / 0.1)


def test_share_that_points_where_the_robot_goes(run: Recording) -> None:
    assert measures["forward_share"](run, **SPAN) == pytest.approx(3.0 / 10.0)


def test_robots_that_stay_have_no_direction_and_no_finite_cost(run: Recording) -> None:
    data = run.data.copy(deep=True)
    data["centre_of_mass"].values[:] = 0.0
    resting = replace(run, data=data)
    assert measures["forward_share"](resting, **SPAN) == 0.0
    assert measures["contact_cost"](resting, **SPAN) == np.inf


@pytest.mark.parametrize(("direction", "force"), [("size", 5.0), ("x", 3.0), ("y", 4.0), ("left", -3.0)])
def test_mean_force_on_a_link(run: Recording, direction: str, force: float) -> None:
    assert measures["mean_force_on_link"](run, link=3, direction=direction, **SPAN) == pytest.approx(force)


@pytest.mark.parametrize("options", [{"link": 11}, {"link": -1}, {"link": 3, "direction": "up"}])
def test_links_and_directions_that_are_not_there_are_refused(run: Recording, options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        measures["mean_force_on_link"](run, **SPAN, **options)


def test_pegs_at_once_counts_obstacles_and_not_links() -> None:
    run = pp.simulate("transeth2008a/track", duration=1.0)
    table = run.contacts
    time, obstacle = table["time"].values, table["obstacle"].values
    pushing = np.linalg.norm(table["force"].values, axis=1) > 1e-3
    chosen = pushing & (time > 0.5 + 1e-9) & (time <= 1.0 + 1e-9)
    pairs = {(round(float(t), 6), int(k)) for t, k in zip(time[chosen], obstacle[chosen], strict=True)}
    assert measures["pegs_at_once"](run, start=0.5, end=1.0) == pytest.approx(len(pairs) / 50)
    assert measures["pegs_at_once"](pp.simulate("transeth2008a/flat", duration=0.1), **SPAN) == 0.0
