"""The controller that plans on its map: what it says, and when it plans again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from pushpoint import Contacts, Observation
from pushpoint.control import controllers
from pushpoint.control.push_plan import PushPlan, PushPlanOptions
from pushpoint.errors import InvalidInput
from pushpoint.robots import Servo, robots
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup
from pushpoint.types import Map
from pushpoint.worlds.random_field import random_field

pytest.importorskip("daqp")
pytest.importorskip("scipy")

ROBOT = robots["ten-link"](links=4)
FEW = {"plan": {"distance": 0.2, "kept": 30, "refined": 1, "steps": 30, "plans": 1}, "replans": 1}  # 0.1 s a plan


def seen(time: float, disc: np.ndarray, tail: float = 0.0) -> Observation:
    """A straight robot at rest on the x axis, its tail end at x = `tail`."""
    none = np.zeros(0, dtype=np.int64)
    contacts = Contacts(none, none, np.zeros(0), none, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2)))
    return Observation(
        time, joint_angle=np.zeros(3), joint_rate=np.zeros(3), head_position=np.array([0.49 + tail, 0.0]), head_yaw=0.0,
        contacts=contacts, map=Map(disc, np.zeros((0, 4))),
    )  # fmt: skip


def controller(**changes: Any) -> PushPlan:
    built = controllers["push-plan"].build(PushPlanOptions.parse(FEW | changes), ROBOT, 0.005)
    assert isinstance(built, PushPlan)
    return built


def pegs() -> np.ndarray:
    world = random_field(seed=2, pegs=40, x_min=-0.2, x_max=2.0, y_min=-0.4, y_max=0.4,
                         keep_clear=((-0.1, 0.0), (0.7, 0.0)))  # fmt: skip
    return np.array([[peg.x, peg.y, peg.radius] for peg in world.obstacles])


def test_without_pegs_it_holds_and_says_why() -> None:
    robot, nothing = controller(), np.zeros((0, 3))
    state, command, events = robot.step(robot.start(seen(0.0, nothing)), seen(0.0, nothing))
    assert [(event.name, event.detail[:17]) for event in events] == [("plan", "in reach there ar")]
    assert (command.torque == 0.0).all()
    assert robot.step(state, seen(0.005, nothing))[2] == ()


def test_walls_are_refused_and_noise_may_make_pegs_vanish() -> None:
    robot, disc = controller(), pegs()
    walls = seen(0.0, disc)
    walls.map = Map(disc, np.array([[0.0, 0.5, 1.0, 0.5]]))
    with pytest.raises(InvalidInput, match="its map has walls"):
        robot.start(walls)
    disc[0, 2] = -0.01
    assert robot.start(seen(0.0, disc))["pegs"][0, 2] > 0.0


@pytest.mark.parametrize("name", ["push-plan", "push-along"])
@pytest.mark.parametrize(
    ("servo", "words"),
    [
        ({"stiffness": 20.0, "torque_limit": 15.0}, "servo.stiffness = 20 N m/rad: should be 0"),
        ({"damping": 0.5}, "servo.damping = 0.5 N m s/rad: should be 0"),
        ({"torque_limit": 4.0}, r"controller.torque_limit = \d+ N m: should be at most servo.torque_limit = 4 N m"),
    ],
)
def test_it_warns_of_servos_that_would_spoil_its_torques(name: str, servo: dict[str, float], words: str) -> None:
    changes = {"controller": name, "servo": Servo(**servo), "start": {}}
    with pytest.warns(UserWarning, match=words):
        Setup.of(scenarios["lab/clutter-100"].with_overrides(changes))


def after(robot: PushPlan, state: dict[str, Any], maps: Iterable[np.ndarray]) -> tuple[dict[str, Any], int]:
    """The state after ticks with these maps, and how often it planned again because of them."""
    changes = 0
    for tick, disc in enumerate(maps):
        state, _, events = robot.step(state, seen(0.005 * tick, disc))
        changes += sum(event.detail.startswith("the map has changed") for event in events)
    return state, changes


def test_it_plans_again_when_the_map_changes_but_not_for_ever() -> None:
    robot, disc = controller(), pegs()
    state, changes = after(robot, robot.start(seen(0.0, disc)), [disc] + 150 * [disc + 0.005])
    assert changes == 0  # half a centimetre is left to touches
    state, changes = after(robot, state, 150 * [disc + 0.02])
    assert (changes, state["plans"]) == (1, 2)
    assert after(robot, state, 150 * [disc])[1] == 0  # once, as was asked


def test_it_plans_again_at_once_when_pegs_come_or_go() -> None:
    robot, disc = controller(), pegs()
    start = robot.start(seen(0.0, disc))
    near = np.linalg.norm(start["path"][:, np.newaxis] - disc[:, :2], axis=2).min(axis=0) - disc[:, 2] < 0.1
    state, changes = after(robot, start, [disc, disc[~near]])
    assert changes == 1
    assert (state["pegs"] == disc[~near]).all()


def test_pegs_far_from_its_path_do_not_matter() -> None:
    robot, disc = controller(), pegs()
    start = robot.start(seen(0.0, disc))
    far = np.linalg.norm(start["path"][:, np.newaxis] - disc[:, :2], axis=2).min(axis=0) - disc[:, 2] > 0.2
    assert len(start["path"])
    assert far.any()
    others = np.concatenate([disc[~far][::-1], [[5.0, 5.0, 0.1]]])  # in another order, too
    assert after(robot, start, 150 * [others])[1] == 0


@pytest.mark.parametrize(("noise", "least"), [(0.005, 0), (0.02, 1)])
def test_noise_of_the_map_is_averaged(noise: float, least: int) -> None:
    """Some pegs are more than 1 cm off at the first sight; one plan more, on the mean of half a second, is enough. The
    mean of 100 readings is off by a tenth of the noise, 0.3 at most among 120 numbers."""
    robot, draw, disc = controller(replans=20), np.random.default_rng(5), pegs()
    noisy = [disc + noise * draw.standard_normal(disc.shape) for _ in range(600)]
    state, changes = after(robot, robot.start(seen(0.0, noisy[0])), noisy)
    assert least <= changes <= 2
    assert np.abs(state["map"] - disc).max() < 0.4 * noise


@pytest.mark.parametrize(("advanced", "left"), [(0.08, 0.12), (-0.3, 0.2)])
def test_what_is_left_is_what_the_centre_of_mass_did_not_advance(advanced: float, left: float) -> None:
    """But never more than was asked at first."""
    robot, disc = controller(), pegs()
    state = robot.start(seen(0.0, disc))
    state, _, events = robot.step(state, seen(0.005, disc + 0.1, advanced))
    assert "replan" in [event.name for event in events]
    assert state["left"] == pytest.approx(left)


def test_steps_repeat_to_the_bit_from_a_copied_state() -> None:
    """A plan is part of the state: another controller goes on with it."""
    first, disc = controller(), pegs()
    state = first.start(seen(0.0, disc))
    copied = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in state.items()}
    one, other = first.step(state, seen(0.0, disc))[1], controller().step(copied, seen(0.0, disc))[1]
    assert (one.torque == other.torque).all()
