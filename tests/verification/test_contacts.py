"""Contacts found in time, forces that are all written down, and flight that obstacles far away do not change."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.mechanics.overlap import overlaps
from pushpoint.types import FloatArray, Pose
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


HECTIC = """
import sys
import numpy as np
import pushpoint as pp
from pushpoint.plants.planar_stepping import step

step.MARGINS = (float(sys.argv[1]), *step.MARGINS[1:])
# Long steps, as they come: in parts there would be little to miss.
plant = {"name": "planar_stepping", "options": {"dt": 0.05, "tolerance": 1e-9, "max_parts": 1}}
changes = {"plant": plant, "control_period": 0.05, "record_period": 0.05, "controller.frequency": 6.0}
data = pp.simulate("transeth2008a/track", changes, duration=float(sys.argv[2])).data
print(data["link_position"].values.tolist())
"""


def hectic_path(margin: float, duration: float) -> FloatArray:
    """Link centres of a robot that is thrown from pipe to pipe, its contacts first looked for `margin` farther ahead
    than it seems to move; without the compiler, which would not know of a change of that number."""
    call = [sys.executable, "-c", HECTIC, str(margin), str(duration)]
    done = subprocess.run(
        call, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True
    )
    return np.array(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("duration", "margins"), [(1.0, [0.0]), pytest.param(2.0, [0.0, 0.15], marks=pytest.mark.slow)]
)
def test_what_is_not_taken_for_a_contact_would_not_have_been_touched(duration: float, margins: list[float]) -> None:
    """The fewer obstacles are looked at, the faster the step; the motion must not depend on it."""
    careful = hectic_path(3.0, duration)
    for margin in margins:
        # Steps are solved to 1e-9. Measured: 9e-9 (without a margin) and 2e-9 m apart after 2 s.
        np.testing.assert_allclose(hectic_path(margin, duration), careful, atol=1e-7)
