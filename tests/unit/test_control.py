"""Controllers: formulas, exact rates, step() against table(), refusals."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pushpoint.control import Controller, OpenLoop, controllers
from pushpoint.control._schedule import Schedule
from pushpoint.errors import InvalidInput
from pushpoint.robots import Robot, robots
from pushpoint.types import Contacts, FloatArray, Observation

PERIOD = 0.01


def robot(links: int = 6) -> Robot:
    return robots["uniform"](links=links)


def make(name: str, links: int = 6, **options: Any) -> Controller:
    kind = controllers[name]
    return kind.build(kind.Options.parse(options), robot(links), PERIOD)


def planned(name: str, links: int = 6, **options: Any) -> OpenLoop:
    controller = make(name, links, **options)
    assert isinstance(controller, OpenLoop)
    return controller


def observed(time: float, joint_angle: FloatArray) -> Observation:
    n = joint_angle.size + 1
    none = np.zeros((0, 2))
    index = np.zeros(0, dtype=np.int64)
    return Observation(
        time=time,
        joint_angle=joint_angle,
        joint_rate=np.zeros(n - 1),
        joint_torque=np.zeros(n - 1),
        link_position=np.zeros((n, 2)),
        link_yaw=np.zeros(n),
        link_orientation=np.zeros((n, 4)),
        link_velocity=np.zeros((n, 2)),
        contacts=Contacts(index, index, np.zeros(0), index, none, none, none),
    )


def test_serpenoid_is_the_travelling_sine_counted_from_the_head() -> None:
    controller = planned("serpenoid", amplitude=0.5, frequency=2.0, phase_shift=0.3, offset=0.1)
    table = controller.table(np.array([0.7]))
    for j in range(5):
        argument = 2.0 * 0.7 + (4 - j) * 0.3
        assert table.joint_angle[0, j] == pytest.approx(0.1 + 0.5 * math.sin(argument), abs=1e-15)
        assert table.joint_rate[0, j] == pytest.approx(0.5 * 2.0 * math.cos(argument), abs=1e-15)
    assert not table.torque.any()


def test_serpenoid_maps_p2_71_by_a_start_phase_of_pi() -> None:
    A, w, delta, t = 0.7, 1.4, -0.87, 2.3
    controller = planned("serpenoid", amplitude=A, frequency=w, phase_shift=delta, start_phase=math.pi)
    table = controller.table(np.array([t]))
    paper = [A * math.sin(w * t + (i - 1) * delta) for i in range(1, 6)]  # P2 (71): head first, axes to the tail
    assert table.joint_angle[0][::-1] == pytest.approx(-np.array(paper), abs=1e-15)


KNOTS: dict[str, Any] = {
    "amplitude": [(0.5, 0.2), (2.0, 0.8), (3.0, 0.4)],
    "frequency": [(0.0, 1.0), (1.5, 3.0), (2.5, 2.0)],
    "phase_shift": [(1.0, 0.6), (2.0, 0.9)],
    "offset": [(0.0, 0.0), (4.0, 0.3)],
}


def test_rates_are_the_exact_derivatives_of_scheduled_references() -> None:
    controller = planned("serpenoid", start_delay=0.2, start_phase=0.4, **KNOTS)
    # Central differences of a smooth piece err by h^2/6 of the third derivative, here below 100 rad/s^3.
    t, h = np.linspace(0.25, 5.0, 173), 1e-5
    apart = [abs(t - 0.2 - knot) > 2 * h for knots in KNOTS.values() for knot, _ in knots]
    t = t[np.all(apart, axis=0)]
    slope = (controller.table(t + h).joint_angle - controller.table(t - h).joint_angle) / (2 * h)
    assert controller.table(t).joint_rate == pytest.approx(slope, abs=1e-8)


def test_schedule_integral_is_exact_and_starts_at_zero() -> None:
    schedule = Schedule.of(((1.0, 2.0), (3.0, 6.0)))
    assert schedule.integral(np.array([0.0, 1.0, 3.0, 4.0]))[:, 0].tolist() == [0.0, 2.0, 10.0, 16.0]
    assert schedule.value(np.array([-1.0, 2.0, 9.0]))[:, 0].tolist() == [2.0, 4.0, 6.0]
    assert schedule.slope(np.array([0.5, 1.0, 3.0]))[:, 0].tolist() == [0.0, 2.0, 0.0]


def test_start_delay_holds_the_first_shape_at_zero_rate() -> None:
    controller = make("serpenoid", start_delay=1.0)
    assert isinstance(controller, OpenLoop)
    table = controller.table(np.array([0.0, 0.99, 1.0]))
    assert (table.joint_angle == controller.initial_shape()).all()
    assert not table.joint_rate[:2].any()
    assert table.joint_rate[2].any()


def test_hold_period_samples_the_continuous_wave() -> None:
    times = np.arange(100.0) * PERIOD
    held = planned("serpenoid", hold_period=0.1).table(times)
    smooth = planned("serpenoid").table(np.repeat(np.arange(10.0) * 0.1, 10))
    assert held.joint_angle == pytest.approx(smooth.joint_angle, abs=1e-14)
    assert not held.joint_rate.any()


OPTIONS: dict[str, dict[str, Any]] = {
    "serpenoid": {"start_delay": 0.03, **KNOTS},
    "torque_playback": {
        "times": [0.1, 0.5, 0.6],
        "torque": [[1, 2, 3, 4, 5], [0, 0, 1, 0, 0], [3, 1, 4, 1, 5]],
    },
}


@pytest.mark.parametrize("name", sorted(OPTIONS))
@settings(max_examples=40, deadline=None)
@given(first=st.integers(0, 2000), ticks=st.integers(1, 70))
def test_step_and_table_agree_to_the_bit(name: str, first: int, ticks: int) -> None:
    controller = make(name, **OPTIONS[name])
    assert isinstance(controller, OpenLoop)
    times = np.arange(first, first + ticks, dtype=float) * PERIOD
    table = controller.table(times)
    state = controller.start(observed(0.0, np.zeros(5)))
    for k, time in enumerate(times):
        state, command, events = controller.step(state, observed(float(time), np.zeros(5)))
        assert (command.joint_angle == table.joint_angle[k]).all()
        assert (command.joint_rate == table.joint_rate[k]).all()
        assert (command.torque == table.torque[k]).all()
        assert events == ()


def test_hold_keeps_the_shape_it_found() -> None:
    controller = make("hold")
    found = np.array([0.1, 0.2, 0.3, 0.2, 0.1])
    assert controller.initial_shape() is None
    state = controller.start(observed(0.0, found))
    _, command, _ = controller.step(state, observed(1.0, np.zeros(5)))
    assert (command.joint_angle == found).all()
    assert not command.joint_rate.any()


@pytest.mark.parametrize(("given_angle", "held"), [(0.2, [0.2] * 5), ([1, 2, 3, -1, -2], [1, 2, 3, -1, -2])])
def test_hold_takes_one_angle_or_one_each(given_angle: Any, held: list[float]) -> None:
    shape = make("hold", joint_angle=given_angle).initial_shape()
    assert shape is not None
    assert shape.tolist() == held


def test_torques_are_linear_between_rows_and_constant_outside() -> None:
    controller = planned("torque_playback", 2, times=[1.0, 2.0], torque=[[1.0], [3.0]])
    rows = controller.table(np.array([0.0, 1.5, 9.0]))
    assert rows.torque[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert not rows.joint_angle.any()


def test_a_single_link_has_empty_commands() -> None:
    assert planned("serpenoid", links=1).table(np.zeros(3)).joint_angle.shape == (3, 0)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("hold", {"joint_angle": [0.1, 0.2]}, ["joint_angle", "2 values", "5 joints"]),
        ("hold", {"joint_angle": math.nan}, ["joint_angle"]),
        ("serpenoid", {"amplitude": []}, ["amplitude"]),
        ("serpenoid", {"frequency": [(1.0, 0.1), (1.0, 0.2)]}, ["frequency", "increase"]),
        ("serpenoid", {"offset": math.inf}, ["offset"]),
        ("serpenoid", {"hold_period": -1.0}, ["hold_period"]),
        ("torque_playback", {"times": [0.0, 1.0], "torque": [[0.0] * 5]}, ["1 rows", "2 times"]),
        ("torque_playback", {"times": [1.0, 0.0], "torque": [[0.0] * 5] * 2}, ["increase"]),
        ("torque_playback", {"times": [0.0], "torque": [[0.0] * 4]}, ["4 values", "5 joints"]),
        ("torque_playback", {"times": [0.0, 1.0], "torque": [[0.0] * 5, [0.0]]}, ["torque.1"]),
        ("torque_playback", {"times": [], "torque": []}, ["times"]),
    ],
)
def test_wrong_options_are_refused_by_name(name: str, options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InvalidInput) as refusal:
        make(name, **options)
    assert all(word in str(refusal.value) for word in words), refusal.value


def test_a_misspelt_option_gets_a_suggestion() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'amplitude'"):
        make("serpenoid", amplitud=0.5)


def test_a_schedule_gives_the_same_bits_for_one_time_as_for_many() -> None:
    draw = np.random.default_rng(3)
    times = np.concatenate([[0.0, 0.5, 2.0, -1.0, 9.0], draw.uniform(-1.0, 4.0, 50)])
    for knots in (0.7, ((0.5, 0.3), (1.1, -0.2), (2.0, 0.9)), ((-0.5, 1.0), (0.25, 2.0))):
        schedule = Schedule.of(knots)
        np.testing.assert_array_equal([schedule.at(float(t)) for t in times], schedule.value(times)[:, 0])
        until = schedule.integral(times)[:, 0]
        between = [schedule.between(float(a), float(b)) for a, b in itertools.pairwise(times)]
        np.testing.assert_array_equal(between, np.diff(until))
