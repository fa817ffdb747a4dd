"""r_H and r_T of P2 (67), (68): they change how fast the iteration ends, not where."""

from __future__ import annotations

from typing import Any

import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput
from tests.verification.chains import middle_path, rms

TRACK, FLAT = "transeth2008a/track", "transeth2008a/flat"
BY_PROJECTION = {"plant.solver": "projection", "duration": 0.2}


def solved(name: str, **options: float) -> pp.Recording:
    return pp.simulate(name, BY_PROJECTION | {f"plant.{key}": value for key, value in options.items()})


def track(**options: float) -> pp.Recording:
    return solved(TRACK, **options)


@pytest.mark.parametrize(
    ("name", "options", "multiple"),
    [
        (TRACK, {"r_h": 0.2}, 1.5),  # half the default: measured 99 iterations per step, 47 by default
        (TRACK, {"r_h": 0.05}, 4.0),  # 404
        (FLAT, {"r_t": 0.2}, 2.0),  # a third of the default: measured 90, 26 by default
        (FLAT, {"r_h": 0.05}, 0.99),  # nothing touches: as many
    ],
)
def test_result_does_not_depend_on_them_and_the_number_of_iterations_does(
    name: str, options: dict[str, float], multiple: float
) -> None:
    default, run = solved(name), solved(name, **options)
    assert rms(middle_path(default), middle_path(run)) <= 1e-9  # [m]; steps solved to 1e-8; measured below 1e-11
    assert run.metrics()["mean_iterations"] > multiple * default.metrics()["mean_iterations"]


def test_defaults_are_shares_of_the_mass() -> None:
    """Aiko's links are equal, so that the defaults can be written as numbers."""
    mass = 7.5 / 11
    given, default = track(r_h=0.6 * mass, r_t=mass), track()
    assert given.metrics()["mean_iterations"] == pytest.approx(default.metrics()["mean_iterations"], rel=1e-3)
    assert rms(middle_path(given), middle_path(default)) <= 1e-9  # the same up to round-off


def test_values_printed_in_p2_are_stable() -> None:
    """r_T = 1.3 kg is just below twice the mass of a link, 1.36 kg; r_H = 0.01 kg is slow."""
    printed = track(r_h=0.01, r_t=1.3)
    assert rms(middle_path(printed), middle_path(track())) <= 1e-9  # as above
    quick = solved(FLAT, r_t=1.3).metrics()["mean_iterations"]
    assert quick < solved(FLAT).metrics()["mean_iterations"]  # measured 14 and 26 per step


@pytest.mark.parametrize("name", ["r_h", "r_t"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), "much"])
def test_what_is_not_a_positive_number_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=rf"plant\.{name}"):
        pp.simulate(TRACK, {"plant.solver": "projection", f"plant.{name}": value})


@pytest.mark.parametrize("name", ["r_h", "r_t"])
def test_other_solvers_have_none(name: str) -> None:
    with pytest.raises(InvalidInput, match=rf"plant\.{name} = 0\.5: .*'projection'"):
        pp.simulate(TRACK, {f"plant.{name}": 0.5})
