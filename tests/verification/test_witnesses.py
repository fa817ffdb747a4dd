"""Independent witnesses of the same motion, and repeatability. (The dense reference has a file of its own.)"""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from tests.verification.chains import middle_path, rms

TRACK = "transeth2008a/track"
FLAT = "transeth2008a/flat"


@pytest.mark.parametrize("name", [TRACK, FLAT])
def test_projection_of_the_paper_agrees_with_newton(name: str) -> None:
    newton = middle_path(pp.simulate(name))
    projection = middle_path(pp.simulate(name, {"plant.solver": "projection"}))
    assert rms(newton, projection) <= 1e-5  # 0.01 mm; measured about 1e-11 m


def test_mujoco_agrees_on_the_track() -> None:
    pytest.importorskip("mujoco", reason="the extra `mujoco` is optional")
    ours = middle_path(pp.simulate(TRACK, {"plant.dt": 2e-4}))
    theirs = middle_path(pp.simulate(TRACK, plant="mujoco"))
    assert rms(ours, theirs) <= 1e-3  # measured 0.04 mm


def test_stick_creeps_in_mujoco_and_not_here() -> None:
    """A robot at rest under torques that friction holds: ours stays to the last digit, regularised friction creeps."""
    pytest.importorskip("mujoco", reason="the extra `mujoco` is optional")
    scenario = pp.Scenario(
        name="loaded",
        robot="aiko",
        world="plane",
        controller={"name": "torque_playback", "options": {"times": [0.0, 10.0], "torque": [[0.02] * 10] * 2}},
        servo={"stiffness": 0.0},
        start={"joint_angle": [0.3, -0.2] * 5},
        duration=5.0,
    )

    def crept(plant: str) -> float:
        position = pp.simulate(scenario, plant=plant).data["link_position"]
        return float(np.abs(position.isel(time=-1) - position.isel(time=0)).max())

    assert crept("planar_stepping") < 1e-9
    assert crept("mujoco") > 1e-6


@pytest.mark.parametrize("name", [TRACK, "transeth2008a/track-as-built"])
def test_reruns_are_equal_to_the_bit(name: str) -> None:
    first, second = pp.simulate(name, duration=3.0), pp.simulate(name, duration=3.0)
    xr.testing.assert_identical(first.data, second.data)
    xr.testing.assert_identical(first.contacts, second.contacts)


def test_resumed_run_is_equal_to_the_bit(tmp_path: object) -> None:
    whole = pp.simulate(TRACK, duration=10.0)
    path = f"{tmp_path}/half.nc"
    pp.simulate(TRACK, duration=5.0).save(path)
    rest = pp.resume(pp.load(path).checkpoint(), duration=10.0)
    later = whole.data.sel(time=slice(5.0 - 1e-9, None))
    for name in ("link_position", "link_angle", "link_velocity", "joint_torque", "contact_force", "kinetic_energy"):
        after = slice(1, None) if name in ("joint_torque", "contact_force") else slice(None)
        np.testing.assert_array_equal(rest.data[name].values[after], later[name].values[after], err_msg=name)
