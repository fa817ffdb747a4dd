"""The controller that follows shape curves: growth, steering, moving points, compliance, events, bad input."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.control._shape_compliance import forces_on_points, from_obstacles, moved_points
from pushpoint.control._shape_options import Compliance, ShapeFollowerOptions
from pushpoint.control.shape_follower import ShapeFollower, heading_of
from pushpoint.errors import InvalidInput
from pushpoint.geometry.rotation import quaternions
from pushpoint.robots import robots
from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.scenarios.lab_shapes import WHERE_IT_LIES
from pushpoint.shapes import Aligner, GaitSegment, ShapeCurve, interpolations, virtual_snake
from pushpoint.shapes.gait_segment import rolled_pitched_turned
from pushpoint.shapes.virtual_snake import forward_axes
from pushpoint.simulation import Setup, begin
from pushpoint.types import Contacts, FloatArray, Observation

PERIOD = 0.03  # [s]
WAVE: dict[str, Any] = {
    "curve": {"x": {"advance": 0.952}, "y": {"waves": [{"amplitude": 0.24}]}, "z": {"waves": [{"amplitude": 0.02}]}}
}
ARC = ((-0.68, 0.24, 0.0), (0.0, 0.0, 0.0), (0.68, 0.24, 0.0))
LINKS = 17


def follower(links: int = LINKS, period: float = PERIOD, **options: Any) -> ShapeFollower:
    robot = robots["square-17"](links=links)
    return ShapeFollower.build(ShapeFollowerOptions(**options), robot, period)


def no_contacts() -> Contacts:
    none = np.zeros(0, dtype=np.int64)
    return Contacts(none, none, np.zeros(0), none, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)))


def seen(time: float, heading: float = 0.0, contacts: Contacts | None = None, links: int = LINKS) -> Observation:
    """A straight robot that heads somewhere: all that this controller reads."""
    turned = np.tile([math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)], (links, 1))
    return Observation(time, link_orientation=turned, contacts=contacts or no_contacts())


def references(controller: ShapeFollower, ticks: int) -> FloatArray:
    """What it asks for at the first ticks, of a robot with a look-ahead."""
    state, rows = controller.start(seen(0.0)), []
    for k in range(ticks):
        state, command, _ = controller.step(state, seen(k * PERIOD))
        rows.append(command.joint_angle)
    return np.array(rows)


def test_it_starts_in_its_first_reference() -> None:
    controller = follower(segment=WAVE, speed=0.5)
    assert references(controller, 1)[0] == pytest.approx(controller.initial_shape(), abs=0.0)


def test_a_growing_curve_is_the_curve_drawn_at_once() -> None:
    """Points are added ahead and forgotten behind; the robot notices neither."""
    controller, ticks = follower(segment=WAVE, speed=0.5), 400
    grown = references(controller, ticks)
    curve = ShapeCurve(GaitSegment.parse(WAVE).repeated(12))
    snake = virtual_snake(robots["square-17"]())
    aligner, s = Aligner(snake, 0.16), 16.0
    for k in range(ticks):
        wanted = snake.to_robot(aligner.align(curve, s).q)
        assert grown[k] == pytest.approx(wanted, abs=1e-8), k
        s = curve.ahead(s, 0.5 * PERIOD)


def test_the_curve_in_use_stays_short() -> None:
    controller = follower(segment=WAVE, speed=0.5)
    state = controller.start(seen(0.0))
    for k in range(1000):
        state, _, _ = controller.step(state, seen(k * PERIOD))
    assert len(state["points"]) < 40
    assert state["forgotten"] > 60


UNEVEN: dict[str, Any] = {
    "points": [(0, 0, 0), (0.3, 0.2, 0), (0.303, 0.2, 0), (0.306, 0.198, 0), (0.6, -0.2, 0), (0.9, 0, 0)]
}


@pytest.mark.parametrize("speed", [0.5, 20.0])
def test_uneven_points_are_passed_at_the_given_speed(speed: float) -> None:
    """Several points in one tick, then one in many: the curve grows before the head moves, never after."""
    controller = follower(segment=UNEVEN, speed=speed)
    state = controller.start(seen(0.0))
    curve, ticks = ShapeCurve(GaitSegment.parse(UNEVEN).repeated(6 + math.ceil(60 * speed * PERIOD))), 60
    first = state["head_place"]
    for k in range(ticks):
        state, _, _ = controller.step(state, seen(k * PERIOD))
    assert state["head_place"] < curve.last - 2  # where a curve ends it is not the repeated one
    distance = curve.length(first, state["head_place"])
    assert distance == pytest.approx(ticks * PERIOD * speed, rel=1e-5)  # integrals over pieces: 1.3e-6 m of 0.36 m


def test_points_that_are_moved_onto_each_other_do_not_stop_the_run() -> None:
    motion = {"amplitude": [(0.05, 0, 0), (-0.05, 0, 0), (0, 0, 0)], "frequency": math.pi / (2 * 10 * PERIOD)}
    rows = references(follower(points=((-0.05, 0, 0), (0.05, 0, 0), (0.7, 0.1, 0)), motion=motion), 21)
    assert np.isfinite(rows).all()


def test_a_cycle_repeats() -> None:
    cycle = ShapeCurve(GaitSegment.parse(WAVE).repeated(3)).length(8.0, 16.0)
    ticks = 100
    rows = references(follower(segment=WAVE, speed=cycle / (ticks * PERIOD)), 2 * ticks + 1)
    assert rows[ticks:] == pytest.approx(rows[: ticks + 1], abs=1e-6)  # lengths are integrals: 1e-7


def test_speed_may_change_and_the_robot_stops() -> None:
    rows = references(follower(segment=WAVE, speed=((0.0, 0.5), (1.0, 0.0))), 60)
    assert np.abs(np.diff(rows, axis=0)[:10]).max() > 1e-3
    assert np.abs(np.diff(rows, axis=0)[40:]).max() == 0.0


def test_rolling_turns_the_bend_from_yaw_to_pitch_joints() -> None:
    """P3 IV-D: after a quarter turn about the curve the pitch joints do what the yaw joints did."""
    controller = follower(points=ARC, roll_rate=-2 * math.pi)
    rows = references(controller, 26)
    yaw = np.array([axis == "yaw" for _, axis in robots["square-17"]().freedoms])
    assert np.abs(rows[0, ~yaw]).max() < 1e-9
    assert np.abs(rows[25, yaw]).max() < 0.25 * np.abs(rows[0, yaw]).max()  # 0.75 s: three quarters of a turn
    assert np.abs(rows[25, ~yaw]).max() > 0.5 * np.abs(rows[0, yaw]).max()


def test_points_move_and_the_robot_with_them() -> None:
    """The second motion of P3 III-E: the head stays, the points swing; after a period all is as before."""
    motion = {"amplitude": [(0.0, 0.05, 0.0)], "frequency": 2 * math.pi / (50 * PERIOD), "shift": 1.0}
    rows = references(follower(points=ARC, motion=motion), 51)
    assert np.abs(rows[25] - rows[0]).max() > 0.05
    assert rows[50] == pytest.approx(rows[0], abs=1e-9)


def test_both_motions_at_once() -> None:
    motion = {"amplitude": [(0.0, 0.02, 0.0)], "frequency": 3.0, "shift": 1.0}
    still, moving = (references(follower(segment=WAVE, speed=0.5, motion=m), 30) for m in (None, motion))
    assert np.abs(still - moving).max() > 0.01
    assert np.isfinite(moving).all()


def test_steering_bends_the_curve_to_its_side() -> None:
    turn = ((0.0, 0.0), (5.0, math.radians(112.5)))
    for sign in (1.0, -1.0):
        controller = follower(segment=WAVE, speed=0.5, heading=tuple((t, sign * a) for t, a in turn))
        state = controller.start(seen(0.0))
        for k in range(400):
            state, _, _ = controller.step(state, seen(k * PERIOD))
        assert state["heading"] == pytest.approx(sign * math.radians(112.5))
        laid = controller.shape(state, 400 * PERIOD)[1]
        drawn = heading_of(forward_axes(virtual_snake(robots["square-17"](links=LINKS)), laid.frame))
        assert drawn == pytest.approx(sign * math.radians(112.5), abs=math.radians(15.0))  # it swings


TILTED = {"roll": 0.4, "pitch": -0.3, "yaw": 0.7}
TILT = rolled_pitched_turned(0.4, -0.3, 0.7)
SAME = 1e-12  # [m]; measured below 3e-15


def drawn(controller: ShapeFollower, ticks: int = 120) -> tuple[FloatArray, ShapeCurve]:
    """The points in use after some ticks, from the first on, and the curve."""
    state = controller.start(seen(0.0))
    for k in range(ticks):
        state, _, _ = controller.step(state, seen(k * PERIOD))
    return state["points"], controller.shape(state, ticks * PERIOD)[0]


@pytest.mark.parametrize("name", [name for name in interpolations if name != "pchip"])
def test_a_frame_that_is_rolled_and_pitched_turns_points_and_curve(name: str) -> None:
    """P3 (16) and (18): any rotation."""
    plain, curve = drawn(follower(segment=WAVE, speed=0.5, interpolation=name))
    turned, other = drawn(follower(segment=WAVE, speed=0.5, interpolation=name, frame=TILTED))
    origin = WAVE_START - TILT @ WAVE_START  # the segment's first point is where it was
    assert turned == pytest.approx(plain @ TILT.T + origin, abs=SAME)
    s = np.linspace(curve.first, curve.last, 300)
    assert other.at(s) == pytest.approx(curve.at(s) @ TILT.T + origin, abs=SAME)


WAVE_START = GaitSegment.parse(WAVE).array()[0]


def test_with_pchip_the_points_turn_and_the_curve_differs_by_millimetres() -> None:
    """Erratum P3-5: 4.7 mm here."""
    points = GaitSegment.parse(WAVE).repeated(3)
    turned = GaitSegment.parse(WAVE).repeated(3, frame=TILT)
    assert turned - turned[0] == pytest.approx((points - points[0]) @ TILT.T, abs=SAME)
    s = np.linspace(8.0, 16.0, 400)
    one, other = ShapeCurve(points).at(s) - points[0], ShapeCurve(turned).at(s) - turned[0]
    assert 1e-3 < np.linalg.norm(one @ TILT.T - other, axis=1).max() < 2e-2


def test_a_rotation_is_the_same_as_its_angles() -> None:
    by_angles, _ = drawn(follower(segment=WAVE, speed=0.5, interpolation="linear", frame=TILTED))
    for rotation in (TILT.tolist(), quaternions(TILT).tolist(), np.round(TILT, 8).tolist()):
        given, _ = drawn(follower(segment=WAVE, speed=0.5, interpolation="linear", frame={"rotation": rotation}))
        assert given == pytest.approx(by_angles, abs=1e-7)  # eight digits


def test_a_frame_may_roll_on() -> None:
    """New points come in the frame of their time; heading turns it about the vertical after all."""
    roll = ((0.0, 0.0), (3.0, 1.5))
    controller = follower(segment=WAVE, speed=0.5, frame={"roll": roll, "pitch": 0.2}, heading=0.4)
    points, _ = drawn(controller, ticks=200)
    steps = np.diff(GaitSegment.parse(WAVE).array(), axis=0)
    late = rolled_pitched_turned(1.5, 0.2, 0.4)
    wanted = [late @ step for step in steps]
    assert min(np.abs(points[-1] - points[-2] - step).max() for step in wanted) < SAME


@pytest.mark.parametrize(
    ("rotation", "message"),
    [
        ([1.0, 1.0, 0.0, 0.0], "length 1, not 1.41421"),
        ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], "right-handed"),
        ([[1.0, 0.0, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]], "right angles"),
    ],
)
def test_what_is_no_rotation_is_refused(rotation: list[Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        follower(segment=WAVE, frame={"rotation": rotation})


def test_the_heading_loop_turns_until_the_robot_heads_right() -> None:
    """A robot that turns with the virtual one, and by itself besides."""
    drift = math.radians(-3.0)  # [rad/s]
    controller = follower(segment=WAVE, speed=0.5, loop={"reference": 1.0})
    state, headings = controller.start(seen(0.0, heading=0.0)), []
    first = state["drawn"]
    for k in range(1000):
        heading = state["drawn"] - first + drift * k * PERIOD
        headings.append(heading)
        state, _, _ = controller.step(state, seen(k * PERIOD, heading))
    assert np.mean(headings[-174:]) == pytest.approx(1.0, abs=0.1)  # two cycles
    assert not math.isnan(state["heading"])


def test_rate_references_are_the_slopes_of_the_angles() -> None:
    controller = follower(segment=WAVE, speed=0.5, rate_reference=True)
    state = controller.start(seen(0.0))
    state, one, _ = controller.step(state, seen(0.0))
    _, two, _ = controller.step(state, seen(PERIOD))
    assert one.joint_angle + PERIOD * one.joint_rate == pytest.approx(two.joint_angle, abs=1e-12)


def test_the_end_of_a_finite_curve_is_reported_once() -> None:
    points = [(0.1 * k, 0.05 * (k % 2), 0.0) for k in range(25)]
    controller = follower(points=points, speed=1.0)
    state, reported = controller.start(seen(0.0)), []
    for k in range(100):
        state, _, events = controller.step(state, seen(k * PERIOD))
        reported += [event.name for event in events]
    assert reported == ["end-of-curve"]
    assert state["head_place"] == 24.0


def test_joints_that_cannot_follow_are_reported() -> None:
    robot = robots["square-17"]()
    joints = tuple(j.model_copy(update={"lower": -0.3, "upper": 0.3}) for j in robot.joints)
    tight = robot.model_copy(update={"joints": joints})
    controller = ShapeFollower.build(ShapeFollowerOptions(segment=WAVE, speed=0.5), tight, PERIOD)
    state, names = controller.start(seen(0.0)), set()
    for k in range(60):
        state, command, events = controller.step(state, seen(k * PERIOD))
        names |= {event.name for event in events}
        assert np.abs(command.joint_angle).max() <= 0.3 + 1e-12
    assert "joint-limit" in names


def test_joints_that_cannot_take_the_first_shape_are_reported() -> None:
    robot = robots["square-17"]()
    joints = tuple(j.model_copy(update={"lower": -0.1, "upper": 0.1}) for j in robot.joints)
    tight = robot.model_copy(update={"joints": joints})
    controller = ShapeFollower.build(ShapeFollowerOptions(segment=WAVE), tight, PERIOD)
    state, reported = controller.start(seen(0.0)), []
    for k in range(100):
        state, _, events = controller.step(state, seen(k * PERIOD))
        reported += events
    assert [event.name for event in reported] == ["joint-limit"]  # once, not at every tick


UPRIGHT = ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), (0.14, 0.0, 0.0))  # straight up behind the first link of `uniform`


def events_of_an_upright_curve(ticks: int, period: float, **options: Any) -> list[tuple[float, str, str]]:
    """Of a robot with one joint, which turns about the upright at first."""
    given = ShapeFollowerOptions(points=UPRIGHT, look_ahead=0.14, **options)
    controller = ShapeFollower.build(given, robots["uniform"](links=2), period)
    state, reported = controller.start(seen(0.0, links=2)), []
    for k in range(ticks):
        state, _, events = controller.step(state, seen(k * period, links=2))
        reported += [(event.time, event.name, event.detail) for event in events]
    return reported


def test_a_joint_whose_angle_the_curve_does_not_say_is_reported_once() -> None:
    what = "the curve lies along the axes of these joints, which keep their angles: 0"
    assert events_of_an_upright_curve(100, PERIOD) == [(0.0, "undetermined-angle", what)]


def test_an_angle_that_is_lost_again_is_reported_again() -> None:
    """Half a turn about the head's link takes 2 s, and brings the joint's axis back to the curve."""
    reported = events_of_an_upright_curve(12, period=0.5, roll_rate=math.pi / 2)
    assert [(time, name) for time, name, _ in reported] == [(time, "undetermined-angle") for time in (1.5, 3.5, 5.5)]


def test_the_loop_counts_from_the_start_whatever_the_shape_frame() -> None:
    wanted = []
    for heading in (0.0, 0.5):
        controller = follower(segment=WAVE, speed=0.5, heading=heading, loop={"reference": 0.3})
        state = controller.start(seen(0.0))
        state, _, _ = controller.step(state, seen(0.0))
        wanted.append(state["heading"] - heading)
    assert wanted[0] == pytest.approx(wanted[1])
    assert wanted[0] > 0.0


def test_rates_are_limited() -> None:
    rows = references(follower(segment=WAVE, speed=0.5, rate_limit=0.5), 60)
    assert np.abs(np.diff(rows, axis=0)).max() <= 0.5 * PERIOD + 1e-12


# --- compliance ---


def test_a_pushed_point_settles_where_the_spring_holds_it() -> None:
    """m p'' + d p' + k p = f: the static value at last, and first order in the period before."""
    options, force = Compliance(mass=0.5, damping=5.0, stiffness=200.0), np.array([[0.0, 3.0, 0.0]])
    errors = []
    for period in (4e-3, 2e-3, 1e-3):
        offset = rate = np.zeros((1, 3))
        for _ in range(round(0.1 / period)):
            offset, rate = moved_points(offset, rate, force, period, options)
        decay, swing = 5.0, math.sqrt(400.0 - 25.0)  # of the closed form
        wanted = 0.015 * (1 - math.exp(-decay * 0.1) * (math.cos(swing * 0.1) + decay / swing * math.sin(swing * 0.1)))
        errors.append(abs(offset[0, 1] - wanted))
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.15)
    for _ in range(5000):
        offset, rate = moved_points(offset, rate, force, 1e-3, options)
    assert offset[0] == pytest.approx([0.0, 0.015, 0.0], abs=1e-9)


def one_contact(force: tuple[float, float, float], link: int = 1) -> Contacts:
    row = np.zeros((1, 3))
    whole = np.array([link])
    return Contacts(
        whole, np.zeros(1, dtype=np.int64), np.zeros(1), np.ones(1, dtype=np.int64), row, row, np.array([force])
    )


def test_what_pushes_back_moves_points_and_what_pushes_on_does_not() -> None:
    forward, turn, place = np.array([1.0, 0.0, 0.0]), np.tile(np.eye(3), (3, 1, 1)), np.array([0.0, 1.25, 2.0])
    options = Compliance(propulsive=0.2)
    back, on, across = (
        forces_on_points(one_contact(push), turn, place, 4, forward, options)
        for push in ((-5.0, 2.0, 0.0), (5.0, 2.0, 0.0), (0.0, 5.0, 0.0))
    )
    assert back.sum(axis=0) == pytest.approx([-5.0, 2.0, 0.0])
    assert back[1] == pytest.approx(3 * back[2])  # a quarter of the distance from one point to the next
    assert on.sum(axis=0) == pytest.approx([1.0, 0.4, 0.0])
    assert across.sum(axis=0) == pytest.approx([0.0, 3.0, 0.0])


def test_impacts_are_not_taken_at_their_full_size() -> None:
    turn, place = np.tile(np.eye(3), (3, 1, 1)), np.array([0.0, 1.0, 2.0])
    total = forces_on_points(
        one_contact((-500.0, 0, 0)), turn, place, 4, np.array([1.0, 0, 0]), Compliance(force_limit=20)
    )
    assert total.sum(axis=0) == pytest.approx([-20.0, 0.0, 0.0])


def test_the_ground_is_no_obstacle() -> None:
    contacts = one_contact((0.0, 0.0, 30.0))
    ground = dataclasses.replace(contacts, obstacle=np.array([-1]))
    assert len(from_obstacles(contacts).link) == 1
    assert len(from_obstacles(ground).link) == 0


def test_points_do_not_leave_their_room() -> None:
    offset = rate = np.zeros((1, 3))
    for _ in range(200):
        offset, rate = moved_points(offset, rate, np.array([[300.0, 0, 0]]), 0.01, Compliance(limit=0.1))
    assert offset[0] == pytest.approx([0.1, 0.0, 0.0])


def test_without_contacts_compliance_changes_nothing() -> None:
    stiff, soft = (references(follower(segment=WAVE, speed=0.5, compliance=c), 30) for c in (None, {}))
    assert np.array_equal(stiff, soft)


# --- runs ---


def test_a_run_that_is_resumed_is_the_run_that_never_stopped() -> None:
    scenario = Scenario(
        name="lab/small",
        robot=Choice(name="uniform", options={"links": 6}),
        world=Choice(name="plane"),
        controller=Choice(
            name="shape-follower", options={"segment": {"points": [(0, 0), (0.2, 0.1), (0.4, 0.0)]}, "speed": 0.3}
        ),
        duration=0.4,
        control_period=0.02,
    )
    whole = pp.simulate(scenario)
    part = pp.simulate(scenario, duration=0.2)
    later = pp.resume(part.checkpoint(), 0.4)
    assert np.array_equal(whole.data["link_position"].values[-1], later.data["link_position"].values[-1])


def test_robots_start_where_they_are_drawn() -> None:
    """In the plane and in space the middle of the head's link is on the curve's side of its tip."""
    points = ((0.0, 0.0), (0.3, 0.1), (0.6, 0.0), (0.9, -0.1))
    common: dict[str, Any] = {
        "name": "lab/small",
        "robot": Choice(name="uniform", options={"links": 4}),
        "world": Choice(name="plane"),
        "controller": Choice(name="shape-follower", options={"points": points}),
        "duration": 0.01,
    }
    flat = pp.simulate(Scenario(**common))
    tall = pp.simulate(Scenario(**common, plant=Choice(name="spatial_stepping")))
    centres = flat.data["link_position"].values[0]
    assert np.abs(centres - tall.data["link_position"].values[0, :, :2]).max() < 1e-12
    turned = pp.simulate(Scenario(**common, start={"angle": math.pi / 2, "position": (1.0, 2.0)}))
    wanted = np.stack([1.0 - centres[:, 1], 2.0 + centres[:, 0]], axis=1)
    assert turned.data["link_position"].values[0] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either a segment or points"),
        ({"segment": WAVE, "points": ARC}, "either a segment or points"),
        ({"points": [(0, 0, 0)]}, "at least 2"),
        ({"points": [(0, 0, 0), (0, 0, 0)]}, "coincide"),
        ({"segment": WAVE, "speed": -0.1}, "speed"),
        ({"segment": WAVE, "look_ahead": 0.01}, "look_ahead"),
        ({"points": ARC, "head": 2.5}, "ends at s = 2"),
        ({"points": ARC, "heading": 0.3}, "not steered"),
        ({"points": ARC, "frame": {"roll": 0.3}}, "not steered"),
        ({"segment": WAVE, "alignment": "look-ahed"}, "Did you mean 'look-ahead'"),
        ({"points": ARC, "motion": {"amplitude": [(0, 0, 0.1)] * 2, "frequency": 1.0}}, "should be 1 or 3"),
        ({"segment": {"points": [(0, 0), (1e-6, 0)]}}, "too many"),
        ({"segment": WAVE, "compliance": {"stiffness": 0.0}}, "stiffness"),
        ({"segment": WAVE, "interpolation": "spline"}, "interpolation"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        follower(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"points": [[0, 0], [1]]}, "controller.points.1 = [1]: should be x, y or x, y, z [m]"),
        ({"points": [[0, 0], 3]}, "controller.points.1 = 3: should be x, y or x, y, z [m]"),
        ({"points": [[0, 0], [1, "far"]]}, "controller.points.1.1 = 'far': should be a valid number"),
        ({"segment": {"points": [[0, 0], [1, 0, 0, 0]]}}, "controller.segment.points.1 = [1, 0, 0, 0]: should be x, y"),
        ({"segment": {"pionts": []}}, "unknown option of controller 'shape-follower': 'controller.segment.pionts'."),
        ({"segment": WAVE, "speed": [[0, 1], [1, -1]]}, "controller.speed = [[0, 1], [1, -1]]: should not be negative"),
        ({"segment": WAVE, "look_ahead": 0.01}, "controller.look_ahead = 0.01 m: should be at least the longest link"),
        ({"points": ARC, "head": 2.5}, "controller.head = 2.5: the curve ends at s = 2"),
        ({"segment": {"points": [(0, 0), (1e-6, 0)]}}, "controller.segment: "),
        ({}, "controller.options = {}: should have either a segment or points"),
    ],
)
def test_options_of_a_scenario_are_named_as_in_it(options: dict[str, Any], message: str) -> None:
    controller = {"name": "shape-follower", "options": options}
    scenario = Scenario(name="lab/x", robot="square-17", world="plane", controller=controller)
    with pytest.raises(InvalidInput) as refusal:
        ShapeFollower.of(scenario)
    assert str(refusal.value).startswith(message)


def test_a_robot_without_joints_is_refused() -> None:
    with pytest.raises(InvalidInput, match="has none"):
        follower(links=1, segment=WAVE)


def test_pegs_stay_away_from_where_the_robot_lies() -> None:
    """The numbers in the scenario are those of its own controller."""
    scenario = scenarios["lab/compliant-pegs"]
    _, laid = ShapeFollower.of(scenario).initial()
    assert laid.frame[:, :2, 3] == pytest.approx(np.array(WHERE_IT_LIES), abs=1e-6)


# --- inside the compiled call of a plant ---

# Curves that can be planned: repeated, steered by a schedule, rolled; one that joints cannot follow, and one that ends.
PLANNED: dict[str, dict[str, Any]] = {
    "repeated": {"segment": WAVE, "speed": 0.5, "rate_reference": True},
    "steered": {"segment": WAVE, "speed": 0.7, "heading": ((0.0, 0.0), (1.0, 0.5)), "roll_rate": 0.3},
    "vector-pchip": {"segment": WAVE, "speed": 0.5, "interpolation": "vector-pchip"},
    "too-fast": {"segment": WAVE, "speed": 0.5, "rate_limit": 0.2},
    "ends": {"points": ((0.0, 0.0), (2.0, 0.0), (2.5, 0.2)), "speed": 0.6, "interpolation": "natural-spline"},
}


def planned_run(plant: str = "spatial_stepping", **options: Any) -> Scenario:
    chosen = {"name": "shape-follower", "options": options}
    base = scenarios["liljeback2014/sidewinding"].with_overrides({"controller": chosen, "plant": plant})
    return base.with_overrides({"duration": 2.1, "control_period": PERIOD, "record_period": PERIOD}).pinned()


@pytest.mark.parametrize("options", PLANNED.values(), ids=PLANNED)
def test_alignments_in_the_plant_give_the_bits_of_those_in_python(options: dict[str, Any]) -> None:
    run = begin(Setup.of(planned_run(**options)))
    assert run.setup.runs_compiled
    run.chunk = 7  # ticks planned at once do not matter
    assert run.go_on(run.ticks) is None
    python = begin(Setup.of(planned_run(**options)))
    assert python._in_closed_loop(python.ticks) is None
    inside, outside = run.recording(), python.recording()
    xr.testing.assert_identical(inside.data, outside.data)
    xr.testing.assert_identical(inside.events, outside.events)
    expected = {"too-fast": "rate-limit", "ends": "end-of-curve"}
    for name, event in expected.items():
        assert (event in inside.events["name"].values) == (options is PLANNED[name])


def test_planned_curves_resume_to_the_bit() -> None:
    scenario = planned_run(**PLANNED["steered"])
    whole = pp.simulate(scenario)
    part = pp.simulate(scenario, duration=37 * PERIOD)
    rest = pp.resume(part.checkpoint(), duration=scenario.duration)
    assert rest.checkpoint().controller["forgotten"] > 0
    xr.testing.assert_identical(rest.data, whole.data.isel(time=slice(37, None), step=slice(37 * 30, None)))


def test_curves_that_need_sensors_or_reach_far_are_not_planned() -> None:
    feedback = ({"loop": {}}, {"compliance": {}}, {"motion": {"amplitude": [[0.0, 0.0, 0.01]], "frequency": 1.0}})
    for further in (*feedback, {"interpolation": "natural-spline"}, {"alignment": "least-squares"}):
        assert not Setup.of(planned_run(segment=WAVE, speed=0.5, **further)).runs_compiled
