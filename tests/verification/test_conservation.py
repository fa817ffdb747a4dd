"""Without ground friction and obstacles nothing is lost: momenta, energy, and what P2's own joint update loses."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from tests.verification.chains import SMOOTH, coast, flung, momenta, uneven


@pytest.mark.parametrize("links", [1, 2, 6, 20])
def test_conserving_scheme_keeps_momenta(links: int) -> None:
    robot = uneven(links)
    trace = coast(robot, SMOOTH, flung(robot), 2.0, dt=1e-3)
    linear, angular, linear_scale, angular_scale = momenta(robot, trace)
    # The bound asked for is 1e-9; measured about 1e-14.
    assert np.abs(linear - linear[0]).max() <= 1e-11 * linear_scale
    assert np.abs(angular - angular[0]).max() <= 1e-11 * angular_scale


def test_conserving_scheme_keeps_energy_with_slope_two() -> None:
    robot = uneven(6)
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        energy = coast(robot, SMOOTH, flung(robot), 2.0, dt=dt).energy[:, 1]
        errors.append(np.abs(energy / energy[0] - 1).max())
    assert errors[1] <= 1e-4
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(slopes, 2.0, atol=0.2)  # a symmetric scheme of order two


def test_scheme_of_the_paper_drifts_with_order_one() -> None:
    """P2 VI-C holds the head link: documented in docs/theory, first order in dt, about 1e-3 in 2 s at 1 ms."""
    robot = uneven(6)
    drifts = []
    for dt in (2e-3, 1e-3, 5e-4):
        trace = coast(robot, SMOOTH, flung(robot), 2.0, dt=dt, scheme="paper")
        _, angular, _, scale = momenta(robot, trace)
        drifts.append(np.abs(angular - angular[0]).max() / scale)
        assert np.all(np.diff(trace.energy[:, 1]) <= 1e-12)  # it projects velocities: energy can only fall
    assert 1e-5 < drifts[1] < 2e-2
    np.testing.assert_allclose(np.log2(drifts[0] / drifts[2]) / 2, 1.0, atol=0.3)


def test_joints_stay_closed() -> None:
    robot = uneven(20)
    trace = coast(robot, SMOOTH, flung(robot), 2.0, dt=1e-3)
    half = np.array([link.length / 2 for link in robot.links])[:, np.newaxis]
    arm = half * np.stack([np.cos(trace.link[-1, :, 2]), np.sin(trace.link[-1, :, 2])], axis=1)
    centre = trace.link[-1, :, :2]
    gaps = (centre + arm)[:-1] - (centre - arm)[1:]
    assert np.abs(gaps).max() <= 1e-14  # closed by construction: round-off only


def test_one_free_link_moves_straight() -> None:
    robot = uneven(1)
    trace = coast(robot, SMOOTH, flung(robot), 1.0, dt=1e-3)
    velocity = trace.link[0, 0, 3:6]
    expected = trace.link[0, 0, :3] + trace.energy[:, :1] * velocity
    np.testing.assert_allclose(trace.link[:, 0, :3], expected, atol=1e-12)


def test_momenta_of_a_recording() -> None:
    """The same through the public interface, a robot thrown by its Scenario."""
    scenario = pp.Scenario(
        name="thrown",
        robot="aiko",
        world={"name": "plane", "options": {"friction": 0.0}},
        controller={"name": "torque_playback", "options": {"times": [0.0, 1.0], "torque": [[0.0] * 10] * 2}},
        servo={"stiffness": 0.0},
        plant={"name": "planar_stepping", "options": {"self_contact": False}},  # links that fold would lose energy
        start={"joint_angle": [0.3, -0.2] * 5, "joint_rate": [1.0, -2.0] * 5, "velocity": (0.3, 0.1), "rate": 0.5},
        duration=2.0,
    )
    data = pp.simulate(scenario).data
    r, v, w = (data[name].values for name in ("link_position", "link_velocity", "link_rate"))
    mass, inertia = 7.5 / 11, 1.32e-3
    angular = (mass * (r[..., 0] * v[..., 1] - r[..., 1] * v[..., 0]) + inertia * w).sum(axis=1)
    scale = mass * float((np.linalg.norm(r[0], axis=1) * np.linalg.norm(v[0], axis=1)).sum())
    assert np.abs(angular - angular[0]).max() <= 1e-9 * scale
    assert np.abs(v.sum(axis=1) - v[0].sum(axis=0)).max() <= 1e-9 * np.linalg.norm(v[0], axis=1).sum()
    energy = data["kinetic_energy"].values
    assert np.abs(energy / energy[0] - 1).max() <= 1e-4
