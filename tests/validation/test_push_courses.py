"""`push-along` off the course it was made on: what is refused stalls, what is accepted runs, wrong maps are corrected.

Courses come from push_courses.py. The rules of `push-along` were chosen on seeds below 100 and on courses that went
wrong (111, 202, 219, 301, 321, 507); what the slow tests assert was measured with other seeds, once.
"""

from __future__ import annotations

from itertools import count, islice

import numpy as np
import pytest

from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.scenario import Scenario, Start
from pushpoint.scenarios.lab_push import Circumstances, hoal_sine
from tests.validation.push_courses import Result, controller_of, course, result_of

pytest.importorskip("daqp", reason="the solver is an extra: pip install 'pushpoint[qp]'")

COURSES = range(600, 620)
OFF_PATH = 0.04  # [m], asked for
MAPS = 10


def refused(scenario: Scenario) -> bool:
    """Whether a stall is predicted within what the scenario lasts."""
    controller = controller_of(scenario)
    return controller.weak is not None and controller.weak.begin < controller.head + 0.15 * scenario.duration


def judged(seed: int) -> str:
    """What is wrong with the prediction on a course; empty: nothing."""
    scenario = course(seed)
    if refused(scenario):
        tried = result_of(scenario.with_overrides({"controller.margin": 0.0}))
        return "" if tried.stalled else f"course {seed} is refused, and runs at {tried.speed:.4f} m/s"
    found = result_of(scenario)
    return "" if found.ran else f"course {seed} is accepted, and runs at {found.speed:.4f} m/s: {found.events}"


@pytest.mark.slow
def test_what_is_refused_stalls_and_what_is_accepted_runs() -> None:
    wrong = [why for why in map(judged, COURSES) if why]
    assert not wrong


def courses_to_run(first: int) -> list[int]:
    """Seeds from `first` on of courses that ask for less than the motors give, smooth or rough."""
    return list(islice((seed for seed in count(first) if _has_reserve(seed)), MAPS))


def _has_reserve(seed: int) -> bool:
    margins = (controller_of(course(seed, 12.0, rough, map_correction=False)).margin for rough in (0.0, 0.1))
    return all(margin is not None and margin.alpha.min() > 1.3 for margin in margins)


def gets_along(found: Result) -> bool:
    return found.ran and found.off < OFF_PATH


@pytest.mark.slow
@pytest.mark.parametrize("rough", [0.0, 0.1])
@pytest.mark.parametrize(("error", "fewest"), [(2e-3, 9), (5e-3, 7)])
def test_touch_corrects_wrong_maps(error: float, fewest: int, rough: float) -> None:
    runs = [result_of(course(s, 12.0, rough, map_error=error, map_seed=s)) for s in courses_to_run(400)]
    assert sum(map(gets_along, runs)) >= fewest


# --- a few cheap ones ---


@pytest.mark.parametrize("seed", [3, 7])
def test_course_that_is_accepted_runs(seed: int) -> None:
    """Seed 7: pegs up to 65 mm from the inflections; with pegs nearer than 3 mm alone a stall would be predicted."""
    scenario = course(seed, 3.0)
    assert not refused(scenario)
    assert result_of(scenario, begin=1.0).ran


def test_robot_that_falls_behind_leans_over_to_a_peg() -> None:
    """At the start of this course a peg that it needs is 3.6 mm off; with pegs nearer than 3 mm it stood still. Before
    2 s it is faster than asked, as it catches up."""
    assert result_of(course(202, 3.0, rough=0.1), begin=2.0).ran


def test_ends_of_the_robot_push_where_they_touch() -> None:
    """With the last 2 cm of tail and head left out, two push-points remain for 3 cm of this course: it stood still."""
    assert result_of(course(507, 2.0), begin=1.0).ran


def test_direction_missed_by_little_is_no_stall() -> None:
    """For 10 cm the contacts miss the direction of the drag by up to 0.4 %: it drifts, and does not stall there."""
    controller = controller_of(course(301, margin=0.0))
    missed = controller.head + np.linspace(0.58, 0.66, 3)
    assert [controller.course.propulsion(s)[0].alpha for s in missed] == pytest.approx(np.zeros(3), abs=1e-4)
    assert controller.course.margin(missed[0], missed[-1]).alpha.min() > 2.0


def test_stall_is_predicted_again_with_the_map_as_corrected() -> None:
    """A map in which a peg is farther away than the robot leans predicts a stall, but the peg has been felt."""
    scenario = course(219, 0.04, rough=0.0, map_error=0.01, map_seed=219)
    controller = controller_of(scenario)
    assert controller.weak is not None
    s = controller.weak.begin - 0.03
    reference = controller.following.at(s)
    body = controller.chain.at(reference.q, 0.15 * reference.slope)
    true = Pegs.of(controller.Options(**scenario.controller.options).pegs)
    state = {"s": s, "check_from": s - 0.01, "believed": controller.course.pegs.centre}
    assert "it would stall at" in controller._too_weak(state, body)
    state["believed"] = true.centre
    assert controller._too_weak(state, body) == ""
    assert state["check_from"] > controller.weak.stall


def test_course_that_is_refused_stalls_if_it_tries() -> None:
    scenario = course(1, 3.0)
    [why] = result_of(scenario).events
    assert "times the drag, and it would stall at" in why
    assert result_of(scenario.with_overrides({"controller.margin": 0.0})).stalled


def test_wrong_map_is_corrected_by_touch() -> None:
    """Pegs believed 5 mm off in each coordinate. Without the correction it does not get away."""
    around = Circumstances(torque_limit=7.0, friction=0.1, peg_friction=0.1)
    scenario = hoal_sine("lab/wrong-map", "test", around, 3.0, map_error=5e-3, map_seed=1)
    found = result_of(scenario, begin=1.0)
    assert found.ran
    assert found.off < OFF_PATH
    assert not result_of(scenario.with_overrides({"controller.map_correction": False})).ran


def test_start_off_the_path_says_how_far() -> None:
    scenario = course(3, 0.04).model_copy(update={"start": Start(position=(0.5, 3.0), overlap="allow")})
    [why, *_] = result_of(scenario).events
    assert why.startswith("the start is ")
    assert why.endswith(" mm off the path")
