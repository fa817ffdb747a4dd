"""What a shape follower asks for, without a plant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.cli.draw import described
from pushpoint.control import shape_rehearsal
from pushpoint.control.shape_rehearsal import (
    ENOUGH,
    TICKS_PER_CYCLE,
    cycle_time,
    demands,
    rehearsed,
    rehearsed_cycle,
)
from pushpoint.errors import InvalidInput
from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.shapes import GaitSegment, ShapeCurve

P3 = "liljeback2014"
LINK = 0.14  # [m], of the robot `uniform`


def drawn(**options: Any) -> Scenario:
    """A planar robot of ten links along a curve."""
    return Scenario(
        name="drawn",
        robot=Choice(name="uniform"),
        world=Choice(name="plane"),
        controller=Choice(name="shape-follower", options=options),
        duration=4.0,
        control_period=0.02,
    )


def arc(radius: float, points: int = 60) -> list[tuple[float, float]]:
    turn = np.linspace(0.0, 1.5, points)
    return [(radius * math.sin(t), radius * (1 - math.cos(t))) for t in turn]


def test_references_are_those_of_a_run_to_the_bit() -> None:
    scenario = scenarios[f"{P3}/sidewinding"].with_overrides({"duration": 0.3})
    run, motion = pp.simulate(scenario), rehearsed(scenario)
    commanded = np.asarray(run.data["joint_reference"].values)  # row k: the command of the tick that ends there
    assert commanded[1:].tolist() == motion.reference[:-1].tolist()


def test_the_head_goes_at_its_speed_along_a_curve_that_stays_where_it_is() -> None:
    motion = rehearsed(scenarios[f"{P3}/sidewinding"], duration=6.0)
    distance = motion.curve.length(motion.head[0], motion.head[-1])
    assert distance == pytest.approx(0.5 * 6.0, rel=1e-9)
    for row in (0, 100, 200):
        tip = motion.laid[row].frame[0, :, 3]
        assert motion.curve.at(motion.head[row]) == pytest.approx(tip, abs=1e-12)
    assert motion.forgotten[-1] > 0


def test_a_cycle_is_one_of_the_head_of_rolling_or_of_moving_points() -> None:
    segment = scenarios[f"{P3}/sidewinding"].controller.options["segment"]
    repeated = ShapeCurve(GaitSegment.parse(segment).repeated(3))
    assert cycle_time(scenarios[f"{P3}/sidewinding"]) == pytest.approx(repeated.length(8, 16) / 0.5, rel=1e-2)  # ends
    assert cycle_time(scenarios[f"{P3}/rolling"]) == pytest.approx(1.0)
    assert cycle_time(scenarios[f"{P3}/examples"]) == 0.0
    line = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
    assert cycle_time(drawn(points=line, motion={"amplitude": [[0, 0.1, 0]], "frequency": -4.0})) == pytest.approx(
        math.tau / 4
    )
    assert cycle_time(drawn(points=line, speed=1.0)) == pytest.approx(0.6)  # 2 m less the robot's 1.4 m
    assert cycle_time(drawn(points=line, speed=0.01)) == 4.0  # never there: the whole run
    assert cycle_time(drawn(points=line, speed=[[1.0, 0.0], [1.001, 1.0]])) == pytest.approx(1.6, abs=1e-3)


SLOW = {"segment": {"points": [(0, 0), (0.25, 0.1), (0.5, 0), (0.75, -0.1), (1, 0)]}}


def test_what_is_longer_than_the_scenario_is_no_whole_cycle() -> None:
    """0.1 m/s along a cycle of about 1.1 m: the scenario takes 4 s."""
    fast, slow = (rehearsed_cycle(drawn(**SLOW, speed=speed)) for speed in (0.5, 0.1))
    assert (fast.whole_cycle, slow.whole_cycle) == (True, False)
    assert (demands(fast).whole_cycle, demands(slow).whole_cycle) == (True, False)
    assert demands(slow).time == pytest.approx(4.0)
    assert demands(slow).distance == pytest.approx(0.4)
    assert rehearsed_cycle(drawn(**SLOW)).whole_cycle  # nothing moves
    turns = ((math.tau / 4.0, True), (0.99 * math.tau / 4.0, False))  # within the 4 s to the bit, and not quite
    for rate, whole in turns:
        line = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
        motion = {"amplitude": [[0, 0.1, 0]], "frequency": rate}
        assert rehearsed_cycle(drawn(points=line, motion=motion)).whole_cycle is whole
        assert rehearsed_cycle(drawn(points=line, roll_rate=rate)).whole_cycle is whole


def test_slow_cycles_have_ticks_enough_and_no_more() -> None:
    """The same cycle a hundred times slower: the same shapes, and the same changes over the distance."""
    fast = rehearsed_cycle(drawn(**SLOW, speed=0.5))
    slow = rehearsed_cycle(drawn(**SLOW, speed=0.005).with_overrides({"duration": 400.0}))
    assert len(fast.time) - 1 == TICKS_PER_CYCLE
    assert len(slow.time) - 1 == ENOUGH
    assert slow.whole_cycle
    quick, calm = demands(fast), demands(slow)
    assert calm.distance == pytest.approx(quick.distance, rel=1e-9)  # 3e-15
    assert calm.angle == pytest.approx(quick.angle, rel=1e-3)  # 2.3e-4: peaks between ticks
    assert calm.change_per_distance == pytest.approx(quick.change_per_distance, rel=5e-3)  # 9e-4: steps of 1 and 4 mm


def test_of_what_would_take_too_many_ticks_the_beginning_is_rehearsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rolling is fast, the head is slow, and both have to be seen."""
    monkeypatch.setattr(shape_rehearsal, "MOST_TICKS", 300)
    both = drawn(**SLOW, speed=0.005, roll_rate=3.0).with_overrides({"duration": 400.0, "control_period": 0.01})
    motion = rehearsed_cycle(both)
    assert not motion.whole_cycle
    assert len(motion.time) - 1 == 300
    assert motion.time[1] == pytest.approx(0.01, rel=1e-3)


def test_a_closed_loop_is_rehearsed_at_its_own_rate() -> None:
    loop = drawn(**SLOW, speed=0.02, loop={}).with_overrides({"duration": 60.0, "control_period": 0.04})
    assert rehearsed_cycle(loop).time[1] == pytest.approx(0.04, rel=1e-3)


def test_on_a_circle_all_joints_bend_alike() -> None:
    """With a look-ahead of one link all joints are on the curve: 2 asin(a / 2 R)."""
    radius = 2.0
    asked = demands(rehearsed_cycle(drawn(points=arc(radius), look_ahead=LINK, interpolation="vector-pchip")))
    assert asked.angle == pytest.approx(2 * math.asin(LINK / 2 / radius), rel=1e-5)  # 2e-6: 60 points are no circle
    assert asked.off_curve < 1.5 * radius / 2000 / 2  # on it: distances are taken to 2000 samples of 3 m of curve
    assert (asked.time, asked.distance, asked.rate) == (0.0, 0.0, 0.0)
    assert math.isnan(asked.change_per_distance)


def test_joints_that_cannot_follow_are_named() -> None:
    scenario = drawn(points=arc(1.2), speed=0.2).with_overrides({"robot": "square-17"})
    assert demands(rehearsed_cycle(scenario)).limited == ()
    asked = demands(rehearsed_cycle(scenario.with_overrides({"robot.joints.5.upper": 0.01})))  # a yaw joint
    assert asked.limited == (5,)
    assert asked.slowed == ()
    slow = drawn(points=[(0, 0), (1.5, 0), (2.0, 0.4)], look_ahead=LINK, speed=0.5, rate_limit=0.05)
    assert demands(rehearsed_cycle(slow)).slowed


def test_joints_without_an_angle_are_named() -> None:
    upright = [(0.0, 0.0, 1.0), (0.0, 0.0, 0.0), (LINK, 0.0, 0.0)]  # behind the first link of the robot
    scenario = drawn(points=upright, look_ahead=LINK).with_overrides({"robot.links": 2})
    asked = demands(rehearsed_cycle(scenario))
    assert (asked.undetermined, asked.limited, asked.slowed) == ((0,), (), ())
    assert described(asked)["joints with the curve along their axes"] == "0"
    assert "joints with the curve along their axes" not in described(demands(rehearsed_cycle(drawn(points=arc(2.0)))))


def test_changes_per_distance_are_rates_over_speed() -> None:
    asked = demands(rehearsed_cycle(drawn(points=arc(1.5), speed=0.2)))
    assert asked.change_per_distance == pytest.approx(asked.rate / 0.2, rel=1e-6)


def test_a_robot_that_follows_without_error_needs_no_correction() -> None:
    """The heading loop turns the shape frame to its reference and no farther."""
    loop = scenarios[f"{P3}/sidewinding-heading"].with_overrides({"controller.loop": {"reference": 0.3}})
    motion = rehearsed(loop, duration=6.0)
    old, new = motion.curve.points[8] - motion.curve.points[0], motion.curve.points[-1] - motion.curve.points[-9]
    assert math.atan2(old[1], old[0]) == pytest.approx(0.0, abs=1e-12)
    assert math.atan2(new[1], new[0]) == pytest.approx(0.3, abs=0.01)  # a cycle that began before the loop settled


def test_other_controllers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="controller = 'serpenoid' draws no shape curve"):
        rehearsed_cycle(scenarios["transeth2008a/track"])
