"""Set-valued friction against closed forms: sliding to rest, true stick, the orthotropic ellipse."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.worlds import Ground, World
from tests.verification.chains import ROUGH, coast, uneven

G = 9.81


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_block_slides_to_rest(dt: float) -> None:
    robot = uneven(1)
    pose = moving(robot, planar_pose(robot, np.zeros(0), 0.4, (0.0, 0.0)), (0.6, 0.8), 0.0, np.zeros(0))
    trace = coast(robot, ROUGH, pose, 1.0, dt=dt)
    distance = np.linalg.norm(trace.link[-1, 0, :2])
    assert distance == pytest.approx(1.0 / (2 * 0.2 * G), abs=0.2 * G * dt**2)  # v^2 / (2 mu g); O(dt^2) at the stop
    np.testing.assert_allclose(trace.link[-1, 0, 1] / trace.link[-1, 0, 0], 0.8 / 0.6, rtol=1e-7)
    assert np.abs(trace.link[-1, 0, 3:6]).max() < 1e-15


def test_isotropic_friction_does_not_see_the_heading() -> None:
    robot = uneven(1)
    ends = []
    for angle in (0.0, 0.7, 2.0):
        pose = moving(robot, planar_pose(robot, np.zeros(0), angle, (0.0, 0.0)), (0.6, 0.8), 0.0, np.zeros(0))
        ends.append(coast(robot, ROUGH, pose, 1.0, dt=1e-3).link[-1, 0, :2])
    np.testing.assert_allclose(ends, [ends[0]] * 3, atol=1e-9)


def test_orthotropic_force_is_normal_to_the_ellipse() -> None:
    """P2 (52), Fig. 5 (b): -velocity is normal to the ellipse at the force; half axes 0.1 m g and 0.5 m g."""
    robot = uneven(1)
    world = World(name="w", ground=Ground(friction=0.1, friction_across=0.5))
    pose = moving(robot, planar_pose(robot, np.zeros(0), 0.0, (0.0, 0.0)), (1.0, 1.0), 0.0, np.zeros(0))
    trace = coast(robot, world, pose, 0.05, dt=1e-4)
    force = trace.link[1, 0, 8:10] / (robot.mass * G)
    velocity = 0.5 * (trace.link[0, 0, 3:5] + trace.link[1, 0, 3:5])
    assert (force[0] / 0.1) ** 2 + (force[1] / 0.5) ** 2 == pytest.approx(1.0, abs=1e-4)
    gradient = np.array([force[0] / 0.1**2, force[1] / 0.5**2])
    cosine = -gradient @ velocity / np.linalg.norm(gradient) / np.linalg.norm(velocity)
    assert cosine == pytest.approx(1.0, abs=1e-4)  # means over 10 ms on either side


def test_loaded_below_the_limit_nothing_creeps() -> None:
    """Ten seconds under torques that friction can hold: the robot stays where it is to the last digit."""
    torque = 0.02  # [N m]: about a tenth of what makes the first link slide
    scenario = pp.Scenario(
        name="loaded",
        robot="aiko",
        world="plane",
        controller={"name": "torque_playback", "options": {"times": [0.0, 10.0], "torque": [[torque] * 10] * 2}},
        servo={"stiffness": 0.0},
        start={"joint_angle": [0.3, -0.2] * 5},
        duration=10.0,
    )
    position = pp.simulate(scenario).data["link_position"]
    settled = position.isel(time=1)
    assert float(np.abs(position.isel(time=slice(1, None)) - settled).max()) < 1e-9
    assert float(np.abs(position - position.isel(time=0)).max()) < 1e-9
