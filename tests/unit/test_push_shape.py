"""Set-points of angles and forces by the quadratic program: P4's tasks, on short runs and with bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.analysis.body_shape import link_angle_off
from pushpoint.analysis.contacts import largest_gap, peg_force_off
from pushpoint.control._reachable import Aim, reachable
from pushpoint.control.push_shape import OFF_TIME, smooth_step
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import peg_contacts
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.recording import Recording
from pushpoint.robots.snakesim import snakesim
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup
from pushpoint.worlds.triplet import triplet_pegs

KEY = "koushan2020"
PAIRS = [(1, 0), (2, 1), (4, 2)]
QUICK = {"controller.ramp": 0.5}  # [s]


def quick(slug: str, duration: float = 1.5, **changes: Any) -> Recording:
    overrides = QUICK | {key.replace("__", "."): value for key, value in changes.items()}
    return pp.simulate(f"{KEY}/{slug}", overrides, duration=duration)


def test_an_angle_is_reached_and_contacts_last() -> None:
    run = quick("position-filtered-qp")
    assert link_angle_off(run, link=4, angle=0.3, start=1.2) < 1e-3  # measured 2e-5 with this short ramp
    assert largest_gap(run, pairs=PAIRS) < 2e-3  # measured 0.13 mm
    assert not len(run.events["time"])


def test_forces_in_balance_are_held() -> None:
    run = quick("force-regular-qp")
    for peg, force in enumerate((1.6, 2.4, 0.8)):
        assert peg_force_off(run, peg=peg, force=force, start=1.0) < 0.01 * force  # measured 2e-5 of it


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"controller__angles": [{"link": 6, "angle": 0.0}]}, "angles.0.link = 6: robot 'snakesim' has links 0 to 5"),
        ({"controller__angles": [{"link": 1, "relative_to": 8, "angle": 0.0}]}, "angles.0.relative_to = 8"),
        ({"controller__forces": [{"peg": 3, "force": 1.0}]}, "forces.0.peg = 3: there are 3 pegs"),
        ({"controller__forces": [{"peg": 0, "force": -1.0}]}, "force"),
        (
            {
                "start__position": (0.15, 0.3),
                "controller__forces": [{"peg": 0, "force": 1.0}],
                "start__overlap": "allow",
            },
            "no link touches it at the start",
        ),
    ],
)
def test_bad_set_points_are_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        quick("simultaneous-qp", duration=0.02, **changes)


def test_two_contacts_are_too_few_for_forces() -> None:
    given: dict[str, Any] = {
        "world.places": [0.45, 0.75],
        "world.sides": [-1.0, 1.0],
        "controller.pegs": [list(peg) for peg in triplet_pegs()[:2]],
    }
    with pytest.raises(InvalidInput, match="2 contacts: at least three are needed"):
        pp.simulate(f"{KEY}/force-regular-qp", given, duration=0.02)


def test_forces_beyond_the_motors_are_refused() -> None:
    """Three-point bending: 2.4 N at the middle peg take 0.36 N m in joint 2, and 200 N take 30 N m."""
    with pytest.raises(InvalidInput, match=r"torque_limit = 2 N m: .* joint 2 would need -30 N m"):
        quick("force-regular-qp", duration=0.02, controller__forces=[{"peg": 1, "force": 200.0}])
    with pytest.raises(InvalidInput, match=r"joint 2 would need -0\.36 N m"):
        quick("force-regular-qp", duration=0.02, controller__torque_limit=0.359)
    quick("force-regular-qp", duration=0.02, controller__torque_limit=0.36)


def test_it_holds_and_says_so_when_a_contact_is_gone() -> None:
    """The map shows a peg that is not there: the robot leaves it, and gives up after a moment."""
    run = quick("force-regular-qp", duration=3.0, world__places=[0.45, 0.75], world__sides=[-1.0, 1.0])
    assert run.events["name"].values.tolist() == ["hold"]
    assert "no link touches peg" in str(run.events["detail"].values[0])
    assert np.abs(run.data["joint_rate"].values[-1]).max() < 0.05  # [rad/s], of 5 before; measured 0.001


def test_angles_alone_ask_for_no_force_at_all() -> None:
    run = quick("active-joints-qp", duration=1.0, controller__angles=[{"link": 1, "angle": 1.2}])
    assert not any("should be pushed" in str(each) for each in run.events["detail"].values)
    setup = Setup.of(scenarios[f"{KEY}/active-joints-qp"])
    begun = setup.controller.start(setup.observe(setup.plant.initial_state(setup.start_pose()), {}, 0))
    assert (begun["force"] == 0.0).all()  # 1e-22 N of round-off would be a set-point
    assert begun["touched"].all()


def test_contacts_lost_before_an_angle_is_reached_are_reported() -> None:
    """Link 1 turns by 3 rad away from its pegs: it gets there, and says which of them it has left."""
    run = quick("active-joints-qp", duration=3.0, controller__angles=[{"link": 1, "angle": 3.0}], controller__ramp=2.0)
    assert set(run.events["name"].values) == {"contact-lost"}
    assert "no link touches peg" in str(run.events["detail"].values[0])


def test_set_points_that_stay_missed_are_reported_once() -> None:
    run = quick("active-joints-qp", duration=2.5, controller__torque_limit=1e-9)
    assert run.events["name"].values.tolist() == ["set-points-missed"]
    assert float(run.events["time"].values[0]) == pytest.approx(0.5 + OFF_TIME, abs=0.02)  # the ramp, and a tick
    said = str(run.events["detail"].values[0])
    assert "link 2 relative to link 1 is at 0.000 rad, not at -0.2 rad; link 4 relative to link 2" in said


def test_forces_that_the_pegs_do_not_give_are_reported() -> None:
    """A servo that is weaker than the controller believes."""
    run = quick("force-regular-qp", duration=1.8, servo__torque_limit=0.1)
    assert run.events["name"].values.tolist() == ["set-points-missed"]
    assert "peg 1 is pushed with" in str(run.events["detail"].values[0])


def test_reachable_accelerations_need_no_motor_at_the_base_and_meet_the_task() -> None:
    random = np.random.default_rng(5)
    state = TailChain.of(snakesim()).at(0.1 * random.standard_normal(8), 0.2 * random.standard_normal(8))
    pegs = np.array(triplet_pegs())
    contacts = peg_contacts(state, np.array([1, 2, 4]), pegs[:, :2], pegs[:, 2])
    task = np.zeros((1, 8))
    task[0, :5] = 1.0
    aim = Aim.of(random.standard_normal(8), 3)._replace(
        rows=task, value=np.array([0.7]), gap=np.array([0.1, 0.0, -0.1])
    )
    q2, force = reachable(state, contacts, aim)
    exact = 1e-9  # measured 1e-13
    rest = state.mass_matrix @ q2 + state.coriolis_force - contacts.normal_jacobian.T @ force
    assert np.abs(rest[[0, 6, 7]]).max() < exact
    assert np.abs(contacts.normal_jacobian @ q2 + contacts.bias - aim.gap).max() < exact
    assert task @ q2 == pytest.approx([0.7], abs=exact)


def test_the_path_to_the_goal_is_smooth() -> None:
    assert smooth_step(-1.0) == (0.0, 0.0, 0.0)
    assert smooth_step(2.0) == pytest.approx((1.0, 0.0, 0.0))
    h = 1e-5
    for x in (0.2, 0.5, 0.9):
        before, here, after = (smooth_step(x + d) for d in (-h, 0.0, h))
        assert (after[0] - before[0]) / (2 * h) == pytest.approx(here[1], rel=1e-6)
        assert (after[1] - before[1]) / (2 * h) == pytest.approx(here[2], rel=1e-6, abs=1e-6)
