"""The planar hybrid plant: links at several obstacles, fast links, links that leave, steps that are accepted."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.overlap import overlaps
from pushpoint.types import Pose, Status
from pushpoint.worlds import Disc
from tests.verification.hybrid_cases import IMPACT, ONE, touching
from tests.verification.hybrids import SLOPES, go, model, robot_of, rod, single, world_of


def depth(run_link: np.ndarray, robot: pp.Robot, world: pp.World) -> float:
    """Deepest overlap of all rows [m]."""
    poses = (Pose(row[:, :2], row[:, 2], row[:, 3:5], row[:, 5]) for row in run_link)
    return max((found[0][2] for pose in poses if (found := overlaps(robot, world, pose))), default=0.0)


def test_a_link_lands_on_two_pegs() -> None:
    """1 kg at 1 m/s comes to rest on pegs at equal distances: half the impulse each."""
    pegs = [Disc(x=x, y=-0.2, radius=0.1) for x in (-0.06, 0.06)]
    run = go(ONE, world_of(*pegs), single(y=-0.05, vy=-1.0), 0.2, contact="point")
    assert run.event[:, 1].tolist() == [IMPACT, IMPACT]
    np.testing.assert_allclose(run.event[:, 4], 0.5, rtol=1e-9)
    np.testing.assert_allclose(run.link[-1, 0, 3:6], 0.0, atol=1e-9)
    assert depth(run.link, ONE, world_of(*pegs)) <= 1e-9


def test_a_link_turns_about_one_peg_until_it_meets_another() -> None:
    """Touched first, the left peg does not hide the right one: at its centre a link has one contact, here two."""
    world = world_of(Disc(x=-0.06, y=-0.1, radius=0.1), Disc(x=0.06, y=-0.11, radius=0.1))
    run = go(ONE, world, single(y=0.002, vy=-0.5), 0.4, contact="point")
    assert run.event[:, 1].tolist()[:2] == [IMPACT, IMPACT]
    assert run.event[:2, 3].tolist() == [0.0, 1.0]
    assert run.event[0, 0] < run.event[1, 0]
    assert depth(run.link, ONE, world) <= 1e-6  # located to 1e-10 s; what integration is off is taken back
    assert np.diff(run.energy[:, 1]).max() <= 1e-9 * run.energy[0, 1]


@pytest.mark.parametrize("contact", ["centre", "point"])
@pytest.mark.parametrize("speed", [5.0, 50.0])
def test_a_fast_thin_link_does_not_pass_through_a_thin_peg(contact: str, speed: float) -> None:
    """Within one step of 10 ms it moves by 5 cm or 50 cm; the peg is 1 cm thick."""
    gap = 0.123
    run = go(ONE, world_of(Disc(x=0.0, y=0.0, radius=0.005)), single(y=gap, vy=-speed), 0.1, dt=0.01, contact=contact)
    assert run.event[0, 1] == IMPACT
    assert run.event[0, 0] == pytest.approx((gap - 0.005) / speed, abs=1e-8)
    assert np.all(run.link[1:, 0, 1] >= 0.005 - 1e-6)


@pytest.mark.parametrize("contact", ["centre", "point"])
def test_a_link_that_leaves_is_free(contact: str) -> None:
    """The ground slows it down; nothing pushes it as long as it moves away, within the hysteresis of the contact."""
    world = world_of(Disc(x=0.0, y=-0.1, radius=0.1 + 1e-9), friction=1.0 / 9.81)
    run = go(ONE, world, single(vy=1e-3), 0.01, contact=contact)
    assert run.event[:, 1].tolist() == [IMPACT]
    assert not run.energy[:, 4].any()
    assert run.link[-1, 0, 4] > 0.0


def test_forces_do_not_act_on_links_that_leave() -> None:
    """1 kg slides along at 0.5 m/s and turns at 2 rad/s: its constraint needs m w v_t = 1 N, if it is in force."""
    mod = model(ONE, world_of(Disc(x=0.0, y=0.0, radius=0.1)), single(vx=0.5, w=2.0))
    touching(mod, np.array([1]))
    assert mod.call(SLOPES) == 0
    assert mod.problem.force[0] == pytest.approx(1.0, rel=1e-12)
    mod.state.leaving[0] = 1
    assert mod.call(SLOPES) == 0
    assert mod.problem.force[0] == 0.0


@pytest.mark.parametrize(("ground", "accepted"), [(1e-4, True), (1e-3, False)])
def test_a_step_without_contact_forces_is_accepted_if_it_is_nearly_solved(ground: float, accepted: bool) -> None:
    """Painleve's rod: it leans forward, and friction at its tip turns it into what it slides on.

    1/m + h^2/J cos(cos - mu sin) < 0: a push lets the tip sink in faster. Nothing but the torque of the ground presses
    it down, and without any push that is all that is missing: a fraction of the weight above or below 1e-3.
    """
    half, angle, inertia = 0.1, math.radians(60.0), 0.001
    rate = -0.05
    tip_speed, lever = -0.05, half * math.cos(angle)
    assert 1.0 + half**2 / inertia * math.cos(angle) * (math.cos(angle) - math.sin(angle)) < -0.5
    pose = single(
        x=lever,
        y=half * math.sin(angle),
        angle=angle,
        vx=tip_speed + rate * half * math.sin(angle) * -1.0,
        vy=rate * lever,
        w=rate,
    )
    robot = robot_of(rod(2 * half, inertia=inertia))
    world = world_of(Disc(x=0.0, y=-10.0, radius=10.0 + 1e-9, friction=1.0), friction=ground, torque=True)
    stopped = go(robot, world, pose, 0.005, contact="point")
    assert stopped.failure is not None
    assert stopped.failure.status == Status.NOT_CONVERGED
    run = go(robot, world, pose, 0.005, contact="point", on_failure="accept")
    if not accepted:
        assert run.failure is not None
        assert run.failure.residual > 1e-3
        return
    assert run.failure is None
    assert np.all(run.step[:, 2] == Status.ACCEPTED)
    assert 1e-6 < run.step[:, 0].max() <= 1e-3
    assert np.diff(run.energy[:, 4]).max() <= 0.0


def test_options_of_failures() -> None:
    with pytest.raises(InvalidInput, match=r"plant.on_failure = 'go'.*'stop' or 'accept'"):
        pp.simulate("liljeback2010/rows", {"plant.on_failure": "go"}, duration=0.01)
    with pytest.raises(InvalidInput, match=r"plant.on_failure = 'accept': mujoco has no such option"):
        pp.simulate("transeth2008a/track", {"plant.on_failure": "accept"}, plant="mujoco", duration=0.01)


def test_narrow_gaps_are_a_matter_of_centres() -> None:
    """At the point a link knows all the obstacles that it touches."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pp.simulate("liljeback2010/clutter", {"plant.contact": "point"}, duration=0.01)
