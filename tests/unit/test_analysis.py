"""Measures, on a run whose answers are known: all links glide with constant velocity."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.analysis import Curve, meaning_of, measures, unit_of
from pushpoint.analysis.metrics import METRICS
from pushpoint.analysis.quality import contact_matrix
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.recording import Recording
from pushpoint.recording.assemble import RunClock, contact_set, data_set, event_set
from pushpoint.scenario import Choice, Scenario
from pushpoint.tape import PLANE, new_tape
from pushpoint.types import FloatArray

PERIOD = 0.01
LINKS = 3


def glide(
    velocity: tuple[float, float],
    start: tuple[float, float] = (0.0, 0.0),
    seconds: float = 2.0,
    force: float = 0.0,
) -> Recording:
    """Links one metre apart along x move with `velocity`; each is pushed with `force` [N] along -y."""
    scenario = Scenario(
        name="lab/glide",
        robot=Choice(name="uniform", options={"links": LINKS}),
        world=Choice(name="plane"),
        controller=Choice(name="hold"),
        duration=seconds,
    )
    time: FloatArray = np.arange(round(seconds / PERIOD) + 1) * np.float64(PERIOD)
    tape = new_tape(LINKS, len(time), 1, 1)
    column = {name: number for number, name in enumerate(PLANE.link)}
    tape.link[:, :, column["position_x"]] = start[0] + velocity[0] * time[:, np.newaxis] + np.arange(LINKS)
    tape.link[:, :, column["position_y"]] = start[1] + velocity[1] * time[:, np.newaxis]
    tape.link[:, :, column["contact_force_y"]] = -force
    tape.link[:, 1:, column["torque"]] = 2 * force
    return Recording(
        data=data_set(scenario.built_robot(), tape, RunClock(time, np.array([0.0])), np.zeros((len(time), LINKS - 1))),
        contacts=contact_set(tape, time),
        events=event_set(()),
        scenario=scenario,
        wall_time_s=0.1,
    )


def test_link_coordinate_is_linear_between_rows() -> None:
    run = glide((0.2, -0.1))
    assert measures["link_coordinate"](run, link=2, axis="x", time=1.005) == pytest.approx(2.201, abs=1e-12)
    assert measures["link_coordinate"](run, link=0, axis="y", time=2.0) == pytest.approx(-0.2, abs=1e-12)


def test_times_that_were_not_recorded_are_refused() -> None:
    run = glide((0.2, 0.0))
    with pytest.raises(InvalidInput, match=r"time = 2.5 s: the recording runs from 0 to 2 s"):
        measures["link_coordinate"](run, link=0, axis="x", time=2.5)
    with pytest.raises(InvalidInput, match="links 0 \\(tail\\) to 2"):
        measures["link_coordinate"](run, link=3, axis="x", time=1.0)
    with pytest.raises(UnknownName, match="unknown axis 'z'"):
        measures["link_coordinate"](run, link=0, axis="z", time=1.0)


def test_extent_is_taken_inside_the_window() -> None:
    run = glide((0.2, -0.1))
    assert measures["lowest"](run, link=0, axis="y") == pytest.approx(-0.2)
    assert measures["highest"](run, link=0, axis="x", start=0.5, end=1.0) == pytest.approx(0.2)
    assert measures["lowest"](run, link=0, axis="x", start=0.5, end=1.0) == pytest.approx(0.1)
    with pytest.raises(InvalidInput, match="before start"):
        measures["lowest"](run, link=0, axis="x", start=1.0, end=0.5)


def test_distance_to_a_curve_is_taken_at_equal_times() -> None:
    run = glide((0.2, 0.0))
    time = np.array([0.0, 0.5, 1.0, 3.0])  # the last point lies after the run
    beside = Curve(time, 0.2 * time + 0.03, np.full(4, 0.04))
    assert measures["rms_to_curve"](run, curve=beside, link=0, end=2.0) == pytest.approx(0.05, abs=1e-12)
    with pytest.raises(InvalidInput, match=r"time = 3\.0 s"):
        measures["rms_to_curve"](run, curve=beside, link=0)
    with pytest.raises(InvalidInput, match="no point"):
        measures["rms_to_curve"](run, curve=beside, link=0, start=1.2, end=1.4)


def test_gain_is_negative_for_the_nearer_run() -> None:
    time = np.array([0.0, 1.0, 2.0])
    curve = Curve(time, 0.2 * time, np.zeros(3))
    near, far = glide((0.2, 0.0), start=(0.0, 0.01)), glide((0.2, 0.0), start=(0.0, 0.03))
    assert measures["rms_to_curve_gain"](near, far, curve=curve, link=0) == pytest.approx(-0.02, abs=1e-12)


def test_distance_between_runs_ends_with_the_shorter() -> None:
    short, long = glide((0.2, 0.0), seconds=1.0), glide((0.2, 0.0), start=(0.03, -0.04), seconds=2.0)
    for runs in ((short, long), (long, short)):
        assert measures["rms_between"](*runs, link=1) == pytest.approx(0.05, abs=1e-12)


def test_mean_speed_of_the_centre_of_mass() -> None:
    run = glide((0.2, -0.1))
    assert measures["mean_speed"](run, axis="y", start=0.0, end=1.5) == pytest.approx(-0.1)
    with pytest.raises(InvalidInput, match="later"):
        measures["mean_speed"](run, axis="y", start=1.0, end=1.0)


def test_first_passage() -> None:
    run = glide((0.2, 0.0))
    assert measures["first_passage"](run, link=0, axis="x", value=0.123) == pytest.approx(0.615, abs=1e-12)
    assert measures["first_passage"](run, link=1, axis="x", value=0.5) == 0.0
    assert measures["first_passage"](run, link=0, axis="x", value=9.0) == math.inf


def test_offset_and_progress_against_another_run() -> None:
    run, reference = glide((0.1, 0.05), seconds=2.0), glide((0.2, 0.0), seconds=1.0)
    assert measures["mass_offset_at_end"](run, reference, axis="y") == pytest.approx(0.05)
    assert measures["progress_ratio"](run, reference, axis="x", end=1.0) == pytest.approx(0.5)
    with pytest.raises(InvalidInput, match="does not move"):
        measures["progress_ratio"](run, reference, axis="y", end=1.0)


def test_costs_per_metre() -> None:
    """Half the distance with three times the force costs six times as much per metre."""
    run, reference = glide((0.1, 0.0), force=3.0), glide((0.2, 0.0), force=1.0)
    assert measures["contact_cost_ratio"](run, reference, axis="x", end=1.0) == pytest.approx(6.0)
    assert measures["torque_cost_ratio"](run, reference, axis="x", end=1.0) == pytest.approx(6.0)
    stuck = glide((0.0, 0.0), force=3.0)
    assert measures["contact_cost_ratio"](stuck, reference, axis="x", end=1.0) == math.inf


def test_a_run_that_its_stop_condition_ended_got_as_far_as_it_got() -> None:
    """What is not recorded is not made up otherwise."""
    short = {"duration": 3.0, "stop": {"distance": 0.01}}
    stopped = pp.simulate("transeth2008a/track", short)
    end = float(stopped.data["time"].values[-1])
    assert end < 2.5
    far = measures["displacement"](stopped, axis="x", end=3.0)
    assert far == measures["displacement"](stopped, axis="x", end=end)
    whole = pp.simulate("transeth2008a/track", duration=0.1)
    with pytest.raises(InvalidInput, match=r"the recording runs from 0 to 0\.1 s"):
        measures["displacement"](whole, axis="x", end=3.0)


def test_displacement_events_and_peaks() -> None:
    run = glide((0.1, 0.05), seconds=2.0, force=3.0)
    assert measures["displacement"](run, axis="x", end=2.0) == pytest.approx(0.2)
    former = measures["way"]
    with pytest.warns(DeprecationWarning, match="displacement"):
        assert former(run, axis="x", end=2.0) == measures["displacement"](run, axis="x", end=2.0)
    assert measures["event_time"](run, name="resolution") == math.inf
    assert measures["event_count"](run, name="resolution") == 0.0
    assert measures["peak_force_on_link"](run, link=0) == pytest.approx(3.0)
    assert measures["peak_torque_of_joint"](run, joint=0) == pytest.approx(6.0)
    with pytest.raises(InvalidInput, match=r"joint = 99: the recording has joints 0"):
        measures["peak_torque_of_joint"](run, joint=99)


def test_coordinates_seen_now_and_then() -> None:
    run = glide((0.2, -0.1))
    options = {"link": 0, "axis": "x", "start": 0.25, "end": 1.3}
    assert measures["highest"](run, **options) == pytest.approx(0.26)
    assert measures["highest"](run, every=0.5, **options) == pytest.approx(0.25)  # at 0.25, 0.75 and 1.25 s
    assert measures["lowest"](run, every=0.5, **options) == pytest.approx(0.05)
    with pytest.raises(InvalidInput, match="every = 0"):
        measures["lowest"](run, every=0.0, **options)


def test_speeds_and_sensitivities_against_other_runs() -> None:
    run, slow, back = glide((0.2, 0.0)), glide((0.1, 0.0)), glide((-0.1, 0.0))
    assert measures["speed_ratio"](run, back, axis="x", start=0.0, end=1.0) == pytest.approx(-2.0)
    with pytest.raises(InvalidInput, match="no ratio"):
        measures["speed_ratio"](run, back, axis="y", start=0.0, end=1.0)
    nearly = glide((0.22, 0.0))
    # 0.2 to 0.22 is 2 / 21 of their mean, 0.1 to 0.2 is 2 / 3.
    assert measures["sensitivity_ratio"](run, nearly, slow, run, axis="x", end=1.0) == pytest.approx(1 / 7)
    with pytest.raises(InvalidInput, match="equally far"):
        measures["sensitivity_ratio"](run, nearly, slow, slow, axis="x", end=1.0)


def test_how_far_ahead_of_a_curve() -> None:
    behind = Curve(np.array([0.0, 1.0]), np.array([-0.1, 0.0]), np.array([0.0, 0.0]))
    run = glide((0.2, 0.0))
    assert measures["ahead_of_curve"](run, curve=behind, link=0, axis="x") == pytest.approx(0.15)
    assert measures["ahead_of_curve"](run, curve=behind, link=0, axis="x", start=0.5) == pytest.approx(0.2)


def test_contact_loads() -> None:
    run, reference = glide((0.1, 0.0), force=3.0), glide((0.1, 0.0), force=1.0, seconds=1.0)
    window = {"start": 0.5, "end": 1.5}
    assert measures["mean_contact_force"](run, link=1, axis="y", **window) == pytest.approx(-3.0)
    assert measures["contact_force_ratio"](run, link=1, other=2, **window) == pytest.approx(1.0)
    assert measures["peak_contact_ratio"](run, reference) == pytest.approx(3.0)
    with pytest.raises(InvalidInput, match="no ratio"):
        measures["peak_contact_ratio"](run, glide((0.1, 0.0)))
    with pytest.raises(InvalidInput, match="link = 3"):
        measures["mean_contact_force"](run, link=3, axis="y", **window)


def test_directions_and_joints_of_a_run() -> None:
    run = glide((0.1, -0.3), force=3.0)
    assert measures["across_over_along"](run, start=0.0, end=2.0) == pytest.approx(3.0)
    assert measures["saturated_share"](run, limit=6.0) == 1.0
    assert measures["saturated_share"](run, limit=7.0) == 0.0
    with pytest.raises(InvalidInput, match="no links that are lifted"):
        measures["lifted_share"](run, start=0.0)
    with pytest.raises(InvalidInput, match="friction_bound"):
        measures["least_friction_bound"](run)


def test_forces_at_centres_of_links_are_distinguished() -> None:
    """P1, Property 13: full rank in all shapes, here in a thousand, and for all links in contact."""
    rng = np.random.default_rng(0)
    for links in (1, 2, 5, 10):
        for _ in range(250):
            matrix = contact_matrix(rng.uniform(-4, 4, links), rng.uniform(0.1, 1.0, links), np.arange(links))
            assert matrix.shape == (links, links + 2)
            assert np.linalg.matrix_rank(matrix, tol=1e-12) == links


@pytest.mark.parametrize("name", list(measures))
def test_measures_take_runs_by_position_and_options_by_name(name: str) -> None:
    function = measures[name]
    parameters = inspect.signature(function).parameters.values()
    kinds = {p.name: p.kind for p in parameters}
    assert [n for n, k in kinds.items() if k is not inspect.Parameter.KEYWORD_ONLY] in (
        ["run"],
        ["run", "reference"],
        ["run", "other", "reference", "other_reference"],
    )
    assert inspect.getdoc(function)


@pytest.mark.parametrize("name", list(measures))
def test_measures_say_what_they_return_and_in_which_unit(name: str) -> None:
    units = {"", "J", "N", "N m", "N m s/m", "N s/m", "m", "m/s", "rad", "rad/s", "s"}
    assert unit_of(name) in units
    assert meaning_of(name)
    if unit_of(name) and name not in METRICS:  # the metrics name theirs nowhere else
        assert f"[{unit_of(name)}]" in meaning_of(name)


def test_metrics_are_measures_of_one_run() -> None:
    run = glide((0.1, 0.0))
    assert run.metrics() == {name: measures[name](run) for name in METRICS}
    with pytest.raises(UnknownName, match="measure"):
        unit_of("distanse")
