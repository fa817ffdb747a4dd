"""Contacts found in time, forces that are all written down, and flight that obstacles far away do not change."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.mechanics.overlap import overlaps
from pushpoint.types import Pose
from pushpoint.worlds import Disc, Ground, World
from tests.verification.chains import coast, flung, momenta, uneven


def test_a_peg_far_away_takes_no_momentum() -> None:
    robot = uneven(6)
    far = World(name="far", ground=Ground(friction=0.0), obstacles=(Disc(x=100.0, y=100.0, radius=0.1),))
    trace = coast(robot, far, flung(robot, speed=3.0), 2.0, dt=5e-3)
    linear, _, scale, _ = momenta(robot, trace)
    assert np.abs(linear - linear[0]).max() <= 1e-12 * scale
    assert np.diff(trace.energy[:, 1]).max() <= 1e-14 * trace.energy[0, 1]


@pytest.mark.parametrize("gap", [0.1e-3, 0.5e-3, 2e-3])
@pytest.mark.parametrize("jump", [0.4, 0.7])
def test_a_link_that_is_thrown_at_a_peg_lands_on_it(gap: float, jump: float) -> None:
    """From rest the servo throws the head at a peg beside it, within one step: the contact must be found in time."""
    robot = pp.robots.robots["aiko"]()
    joints = [0.0] * 9 + [jump]
    head_x = 10 * 0.122 - 5 * 0.122  # link 10, with link 5 at the origin
    peg = Disc(x=head_x + 0.03, y=0.0525 + 0.05 + gap, radius=0.05)
    scenario = pp.Scenario(
        name="thrown",
        robot=robot,
        world=World(name="w", ground=Ground(friction=0.2), obstacles=(peg,)),
        controller={"name": "hold", "options": {"joint_angle": joints}},
        start={"link": 5, "joint_angle": [0.0] * 10},
        duration=0.05,
    )
    data = pp.simulate(scenario).data
    deepest = 0.0
    for k in range(data.sizes["time"]):
        row = data.isel(time=k)
        pose = Pose(row["link_position"].values, row["link_angle"].values, np.zeros((11, 2)), np.zeros(11))
        deepest = max([deepest, *(depth for _, _, depth in overlaps(robot, scenario.built_world(), pose))])
    # What is left: the direction of the contact is that of the middle of the step, in which the head turns by 0.1 rad.
    assert deepest <= 0.5e-3
    assert float(np.abs(data["contact_force"]).max()) > 1.0


@pytest.mark.parametrize("gravity", [0.0, 0.01])
def test_without_gravity_the_laws_hold_too(gravity: float) -> None:
    recording = pp.simulate("transeth2008a/track", {"world.gravity": gravity}, duration=2.0)
    assert float(recording.data["step_residual"].max()) <= 1e-8


@pytest.mark.parametrize("period", [0.01, 0.5, 2.5])
def test_contact_table_and_link_forces_agree(period: float) -> None:
    """Every impulse is in both, however long the time between rows."""
    recording = pp.simulate("transeth2008a/track", duration=5.0, record_period=period)
    listed, force = recording.contacts["force"].values, recording.data["contact_force"]
    np.testing.assert_allclose(listed.sum(axis=0), force.sum(("time", "link")).values, rtol=1e-9)


def test_resuming_twice_gives_the_same_run() -> None:
    checkpoint = pp.simulate("transeth2008a/track", duration=1.0).checkpoint()
    first, second = (pp.resume(checkpoint, duration=2.0) for _ in range(2))
    np.testing.assert_array_equal(first.data["link_position"], second.data["link_position"])
