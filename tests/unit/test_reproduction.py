"""Scenarios of the papers, claims about them, and the report."""

from __future__ import annotations

import inspect
import json
import math
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pushpoint.analysis import measures
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput, SolverFailure, UnknownName
from pushpoint.mechanics.pose import planar_pose
from pushpoint.recording import Recording
from pushpoint.recording.assemble import RunClock, contact_set, data_set, event_set
from pushpoint.reproduction import Claim, Statement, _runs, claims, report
from pushpoint.reproduction._statement import (
    LENGTH_READING,
    TIME_READING,
    Range,
    Scatter,
    check,
    half_digit,
    printed,
)
from pushpoint.reproduction.published import CURVES, curve, curves_of, on_curve
from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.simulation import simulate
from pushpoint.studies import jobs
from pushpoint.studies.jobs import Outcome
from pushpoint.studies.result_cache import ResultCache
from pushpoint.tape import PLANE, new_tape
from pushpoint.types import FloatArray, Pose

P2 = "transeth2008a"


def start_pose(scenario: Scenario) -> Pose:
    robot, controller = scenario.built_robot(), controllers[scenario.controller.name]
    options = controller.Options.parse(scenario.controller.options)
    start = scenario.start
    shape = start.joint_angle or controller.build(options, robot, scenario.control_period).initial_shape()
    return planar_pose(robot, np.asarray(shape), start.angle, start.position, start.link)


ONE = Statement(kind="printed", text="1.0", low=1.0, high=1.0, accuracy=0.1)
LOW = Statement(kind="printed", text="at most 600", high=600.0)


def made_claim(**fields: Any) -> Claim:
    data: dict[str, Any] = {
        "id": "lab/x",
        "figure": "Fig. 1",
        "statement": "x is one",
        "published": ONE,
        "unit": "m",
        "scenarios": ("lab/still",),
        "measure": Choice(name="link_coordinate", options={"link": 0, "axis": "x", "time": 0.1}),
    }
    return Claim(**(data | fields))


def still(x: float) -> Recording:
    """A robot that rests with all links at (x, 0)."""
    scenario = Scenario(
        name="lab/still",
        robot=Choice(name="uniform", options={"links": 6}),
        world=Choice(name="plane"),
        controller=Choice(name="hold"),
    )
    time: FloatArray = np.arange(21) * np.float64(0.01)
    tape = new_tape(6, len(time), 1, 1)
    tape.link[:, :, PLANE.columns("position").start] = x
    return Recording(
        data=data_set(scenario.built_robot(), tape, RunClock(time, np.array([0.01])), np.zeros((len(time), 5))),
        contacts=contact_set(tape, time),
        events=event_set(()),
        scenario=scenario,
    )


def test_track_has_the_printed_gait_and_the_head_in_front() -> None:
    """P2's (71), counted from the head, with angles as seen from the tail: -A sin((i - 1) d) at t = 0."""
    pose = start_pose(scenarios[f"{P2}/track"])
    from_head = -np.diff(pose.angle)[::-1]
    assert from_head == pytest.approx(np.radians(40) * np.sin(np.arange(10) * np.radians(-50)), abs=1e-12)
    assert pose.position[-1, 0] > pose.position[0, 0]
    assert pose.position[5] == pytest.approx([0.520, 0.160])
    assert np.degrees(pose.angle.mean()) == pytest.approx(8.0)


@pytest.mark.parametrize(("slug", "shift"), [("posture-low", -30.0), ("posture-high", -70.0)])
def test_posture_pegs_stand_at_the_inflections(slug: str, shift: float) -> None:
    """P2 VII-D: where the joint angle of the wave passes zero, on the side that pushes forward."""
    scenario = scenarios[f"{P2}/{slug}"]
    robot, pose = scenario.built_robot(), start_pose(scenario)
    link, step = robot.links[0], np.radians(abs(shift))
    # Link angles of the wave, also ahead of the head: differences are the joint angles -A sin(k d).
    count_from_head = 9.5 - np.arange(30)
    angle = np.radians(40) / (2 * np.sin(step / 2)) * np.cos(count_from_head * step)
    assert pose.angle == pytest.approx(angle[:11], abs=1e-4)
    along = link.length * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    centre = np.cumsum(along, axis=0) - along / 2
    centre += pose.position[0] - centre[0]
    crossings = math.pi * np.arange(4, -8, -1) / step  # joints from the head, negative ahead of it
    pegs = scenario.built_world().obstacles
    for disc in pegs:
        offsets = []
        for crossing in crossings:
            k = math.floor(9.5 - crossing + 0.5)
            if not 0 <= k < len(angle):
                continue
            heading = angle[k]
            point = centre[k] + (9.5 - crossing - k) * along[k]
            normal = np.sign(heading) * np.array([math.sin(heading), -math.cos(heading)])
            assert normal[0] > 0  # pushes forward
            offsets.append(np.linalg.norm(point - (disc.radius + link.radius + 0.002) * normal - (disc.x, disc.y)))
        assert min(offsets) < 1e-3  # written down to the millimetre


def test_published_curves() -> None:
    simulated, measured = (curve(f"{P2}/fig14-{which}") for which in ("simulated", "measured"))
    assert simulated.x[np.flatnonzero(simulated.time == 10.0)[0]] == 2.12
    within = simulated.time <= 10.0
    apart = np.hypot(simulated.x - measured.x, simulated.y - measured.y)[within]
    assert np.sqrt(np.mean(apart**2)) == pytest.approx(0.057, abs=1e-3)
    assert list(curves_of(f"{P2}/track")) == [
        CURVES[f"{P2}/fig14-{which}"].label for which in ("simulated", "measured")
    ]
    assert not curves_of(f"{P2}/flat")
    with pytest.raises(UnknownName, match="Did you mean 'transeth2008a/fig14-measured'"):
        curve("transeth2008a/fig14-mesured")


@pytest.mark.parametrize("name", list(claims))
def test_claims_refer_to_items_that_exist(name: str) -> None:
    claim = claims[name]
    assert claim.id == name
    for scenario in claim.scenarios:
        assert scenarios[scenario].with_overrides(claim.overrides)
    options = dict(claim.measure.options) | ({"curve": curve(claim.curve)} if claim.curve else {})
    inspect.signature(measures[claim.measure.name]).bind(*claim.scenarios, **options)


def test_claims_refuse_what_makes_no_sense() -> None:
    with pytest.raises(InvalidInput, match="key/slug"):
        made_claim(id="x")
    with pytest.raises(InvalidInput, match="seeds = 0"):
        made_claim(seeds=0)
    with pytest.raises(InvalidInput, match="a seed, but seeds"):
        made_claim(seeds=2, overrides={"seed": 3})
    with pytest.raises(InvalidInput, match="all three, or none"):
        made_claim(differs="because", ours=2.0)
    with pytest.raises(InvalidInput, match="does not differ"):
        made_claim(differs="because", ours=1.05, ours_within=0.01)
    with pytest.raises(InvalidInput, match="holds or fails"):
        made_claim(differs="because", ours=2.0, ours_within=0.1, published=check("1", 0.9, 1.1, "ours"))


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({}, "at least one must be a number"),
        ({"low": 2.0, "high": 1.0}, "exceeds"),
        ({"low": 0.0, "strict": True, "accuracy": 0.1}, "no accuracy"),
        ({"low": 0.0, "high": 1.0, "strict": True}, "one bound"),
        ({"low": 0.0, "kind": "derived"}, "says how it follows"),
        ({"low": 0.0, "kind": "guessed"}, "kind"),
    ],
)
def test_statements_refuse_what_makes_no_sense(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        Statement(**({"kind": "printed", "text": "x"} | fields))


# --- rule 1: accepted ranges follow from what is published and how well it is known ---

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
PUBLISHED = [name for name in claims if not claims[name].is_check]


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_accepted_range_is_the_published_one_and_its_accuracy(name: str) -> None:
    """It holds the published value, and is as wide as accuracy and scatter make it."""
    stated = claims[name].published
    for scatter in (Scatter(), Scatter(0.3, 0.7)):
        accepted = stated.accepted(scatter)
        if stated.strict:
            assert accepted == (stated.low, stated.high, True)
            continue
        for end, wider in ((stated.low, scatter.above), (stated.high, scatter.below)):
            assert end is None or accepted.contains(end)
            reach = {None if x is None else round(abs(x - end), 9) for x in accepted[:2]} if end is not None else {None}
            assert end is None or round(stated.accuracy + wider, 9) in reach


@pytest.mark.parametrize("name", PUBLISHED)
def test_accuracy_comes_from_the_source(name: str) -> None:
    """Half the last digit that is printed, or how well figures are read; derived values and counts say why."""
    claim, stated = claims[name], claims[name].published
    ends = {end for end in (stated.low, stated.high) if end is not None}
    if stated.strict or stated.kind == "derived" or stated.accuracy == 0.0:
        assert stated.accuracy == 0.0 or stated.reason
        return
    digits = {half_digit(text) for text in NUMBER.findall(stated.text) if float(text) in ends}
    if stated.kind == "printed":
        assert digits
        assert stated.accuracy == max(digits)
        return
    metre = claim.scale if claim.unit != "s" else 1.0
    readings = {LENGTH_READING * metre, TIME_READING} | digits
    if claim.curve is not None:
        axis = claim.measure.options.get("axis")
        readings.add(on_curve(claim.curve, axis, metre).accuracy)
    assert any(stated.accuracy == pytest.approx(reading) for reading in readings)


@pytest.mark.parametrize("name", [name for name in PUBLISHED if claims[name].differs])
def test_what_differs_keeps_our_number(name: str) -> None:
    claim = claims[name]
    assert claim.ours is not None
    assert not claim.published.accepted().contains(claim.ours)
    assert claim.keeps(claim.ours, Scatter())
    known = report.Verdict(claim, claim.ours)
    assert (known.word, known.failed) == ("differs", False)
    drifted = report.Verdict(claim, claim.ours + 1e6)  # out of any range
    assert drifted.failed or drifted.confirmed


def test_digits_and_scatter() -> None:
    assert [half_digit(number) for number in ("2.5", "-15", "0.05")] == pytest.approx([0.05, 0.5, 0.005])
    runs = [float(k) for k in range(20)]  # median 9.5; a twentieth is left out at either end
    assert Scatter.of(runs) == pytest.approx((9.0, 9.0))
    assert Scatter.of([1.0]) == (0.0, 0.0)
    assert printed("2.5").accepted(Scatter(0.1, 0.2))[:2] == pytest.approx((2.25, 2.65))
    # One of our runs could be the published one: those from 2.0 to 3.0 with a median of 2.8 hold 2.5.
    assert printed("2.5").accepted(Scatter(0.8, 0.2)).contains(2.8)
    assert not printed("2.5").accepted(Scatter(0.1, 0.2)).contains(2.8)


def test_numbers_that_drift_fail() -> None:
    claim = made_claim(differs="because", ours=2.0, ours_within=0.1)
    words = [report.Verdict(claim, x).word for x in (1.0, 2.05, 2.2, math.nan)]
    assert words == ["confirmed", "differs", "drifted", "not measured"]
    assert report.Verdict(claim, 2.2, scatter=Scatter(0.15, 0.0)).word == "differs"
    assert report.Verdict(claim, 1.8, scatter=Scatter(0.15, 0.0)).word == "drifted"
    own = made_claim(published=check("1", 0.9, 1.1, "ours"))
    assert [report.Verdict(own, x).word for x in (1.0, 2.0)] == ["holds", "fails"]


@pytest.mark.parametrize(
    ("accepted", "measured", "confirmed"),
    [
        (Range(0.9, 1.1), 0.9, True),
        (Range(0.9, 1.1), 1.2, False),
        (Range(None, 1.0), -50.0, True),
        (Range(None, 1.0), math.nan, False),
        (Range(1.0, None), math.inf, False),
        (Range(1.0, None), 0.5, False),
        (Range(0.0, None, strict=True), 0.0, False),
        (Range(0.0, None, strict=True), 1e-9, True),
    ],
)
def test_accepted_range(accepted: Range, measured: float, confirmed: bool) -> None:
    assert accepted.contains(measured) is confirmed


def test_judging_scales_and_reports() -> None:
    claim = made_claim(scale=100.0, unit="cm", published=ONE.model_copy(update={"low": 100.0, "high": 100.0}))
    good = report.judged(claim, {"lab/still": still(1.0)})
    bad = report.judged(claim, {"lab/still": still(2.0)})
    assert good.measured == pytest.approx(100.0)
    assert good.confirmed
    assert not bad.confirmed
    whole = report.Report((good, bad), {"lab/still": still(1.0)})
    assert not whole.confirmed
    assert whole.as_dict()["confirmed"] == 1
    json.dumps(whole.as_dict())
    text = whole.as_markdown({"lab/still": "figures/still.png"})
    assert "1 claims confirmed, 0 differ, 0 checks hold, 1 FAILED." in text
    assert "**not confirmed**" in text
    assert "![lab/still](figures/still.png)" in text


def test_a_failed_run_leaves_its_claims_unconfirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []

    def fails_on_flat(scenario: Scenario) -> Recording:
        runs.append(scenario.name)
        if scenario.name.endswith("flat"):
            raise SolverFailure("stopped at t = 1 s")
        return still(2.12)

    monkeypatch.setattr("pushpoint.studies.jobs.simulate", fails_on_flat)
    chosen = [claims[f"{P2}/flat-speed"], claims[f"{P2}/peg3-moved-completes"]]
    monkeypatch.setattr(report, "chosen", lambda key: [*chosen, *chosen])
    found = report.reproduce("all", processes=1)
    assert runs == [f"{P2}/flat", f"{P2}/track-peg3-moved"]  # once each
    assert math.isnan(found.verdicts[0].measured)
    assert "stopped at t = 1 s" in found.verdicts[0].problem
    assert not found.verdicts[1].problem
    assert "not measured" in found.as_markdown({})


def test_claims_and_checks_are_shown_apart() -> None:
    claim, own = made_claim(), made_claim(id="lab/own", published=check("1", 0.9, 1.1, "ours, by two models"))
    other = made_claim(id="lab/other", differs="Their robot is longer", ours=2.0, ours_within=0.1)
    verdicts = tuple(report.Verdict(each, x) for each, x in ((claim, 1.0), (own, 1.0), (other, 2.0)))
    whole = report.Report(verdicts, {})
    assert (whole.confirmed, whole.count) == (True, (1, 1, 1, 0))
    text = whole.as_markdown({})
    assert "1 claims confirmed, 1 differ, 1 checks hold." in text
    claims_part, checks_part = text.split("## Checks of our own")
    assert "`lab/own`" not in claims_part
    assert "`lab/own`" in checks_part
    assert "Their robot is longer" in text.split("## Where it differs")[1]
    data = whole.as_dict()
    assert [len(data[key]) for key in ("claims", "own_checks")] == [2, 1]
    assert data["papers"]["lab"] == {"confirmed": 1, "differ": 1, "checks": 1, "failed": 0}
    json.dumps(data)


def test_selection_by_paper_and_by_claim() -> None:
    assert {claim.paper for claim in report.chosen(P2)} == {P2}
    assert len(report.chosen("all")) == len(list(claims))
    assert [claim.id for claim in report.chosen(f"{P2}/track-x6")] == [f"{P2}/track-x6"]
    with pytest.raises(UnknownName, match="Did you mean 'transeth2008b' or 'transeth2008a'"):
        report.chosen("transeth2008")


# --- ensembles and variants ---

TRACK = f"{P2}/track"
SHORT: dict[str, Any] = {"duration": 0.1, "start.jitter": 1e-4}
END: dict[str, Any] = {"link": 5, "axis": "x", "time": 0.1}


def ensemble(slug: str, seeds: int = 7, **fields: Any) -> Claim:
    """The place of the middle link after 0.1 s, in mm."""
    data: dict[str, Any] = {
        "id": f"lab/{slug}",
        "scenarios": (TRACK,),
        "measure": Choice(name="link_coordinate", options=END),
        "overrides": SHORT,
        "unit": "mm",
        "scale": 1e3,
        "published": LOW,
        "seeds": seeds,
    }
    return made_claim(**(data | fields))


def test_equal_runs_have_one_name_and_others_another() -> None:
    single, many = made_claim(scenarios=(TRACK,)), made_claim(scenarios=(TRACK,), seeds=3)
    short, shorter = ensemble("a"), ensemble("b", overrides={**SHORT, "duration": 0.05})
    assert _runs.labels(single) == _runs.labels(many) == (TRACK,)
    assert _runs.labels(many, 2) == (f"{TRACK} [seed=2]",)
    assert _runs.labels(short, 2) == (f"{TRACK} [duration=0.1, seed=2, start.jitter=0.0001]",)
    found = _runs.needed([single, many, short, shorter, short])
    assert [(run.duration, run.seed) for run in found.values()] == [(scenarios[TRACK].duration, 0), (0.1, 0), (0.05, 0)]
    assert found[TRACK] == scenarios[TRACK]
    assert [run.seed for run in _runs.needed([short, many], 2).values()] == [2, 2]


def test_claims_that_share_runs_are_measured_together() -> None:
    a, b = ensemble("a"), ensemble("b", overrides={})
    c = ensemble("c", scenarios=(f"{P2}/flat",))
    both = ensemble("d", scenarios=(TRACK, f"{P2}/flat"), measure=Choice(name="rms_between", options={"link": 5}))
    names = [{claim.id for claim in group} for group in _runs.clusters([a, b, c, both])]
    assert names == [{"lab/b"}, {"lab/a", "lab/c", "lab/d"}]


def test_ensembles_are_judged_by_their_median(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes give what runs one after the other give; the first seed's recording is kept."""
    moved = f"{P2}/track-peg3-moved"
    apart = Choice(name="rms_between", options={"link": 5})
    selection = [
        ensemble("x5"),
        ensemble("apart", seeds=3, scenarios=(TRACK, moved), measure=apart),
        ensemble("alone", seeds=1),
    ]
    monkeypatch.setattr(report, "chosen", lambda key: selection)
    heard: list[str] = []
    found = report.reproduce("all", started=heard.append, processes=2)
    run = f"{TRACK} [duration=0.1, start.jitter=0.0001]"
    assert heard == [run, run.replace(TRACK, moved), "8 runs with other seeds"]
    assert list(found.recordings) == heard[:2]
    values = sorted(
        1e3 * measures["link_coordinate"](simulate(scenarios[TRACK], {**SHORT, "seed": seed}), **END)
        for seed in range(7)
    )
    x5, between, alone = found.verdicts
    assert (x5.measured, x5.interval) == (values[3], (values[0], values[6]))
    assert x5.confirmed
    assert between.interval == (-math.inf, math.inf)  # three runs are too few
    assert alone.interval is None
    assert alone.measured in values
    assert x5.described("mm") == f"{values[3]:.5g} [{values[0]:.5g}, {values[6]:.5g}] mm, 7 runs"
    assert between.described("mm").endswith(" mm, 3 runs")
    assert f"{values[0]:.5g}, {values[6]:.5g}], 7 runs |" in found.as_markdown({})
    json.dumps(found.as_dict())


def test_a_failed_run_of_an_ensemble_leaves_its_claim_unconfirmed() -> None:
    def judged(*later: Outcome) -> report.Verdict:
        return report.judged(made_claim(scenarios=(TRACK,), seeds=3), {TRACK: still(1.0)}, None, later)

    good = judged(Outcome({"lab/x": 1.05}), Outcome({"lab/x": 3.0}))
    assert (good.measured, good.confirmed) == (1.05, True)
    assert good.scatter == pytest.approx((0.05, 1.95))
    bad = judged(Outcome({"lab/x": 1.0}), Outcome(problems={TRACK: "stopped at t = 1 s"}))
    assert bad.failed
    assert "1 of 3 runs failed, that with seed 2: stopped at t = 1 s" in bad.problem
    assert "no number" in judged(Outcome({"lab/x": math.nan}), Outcome({"lab/x": 1.0})).problem


# --- what is known already ---


def judged_with(cache: ResultCache, time: float = 0.1, **options: Any) -> tuple[report.Report, Counter[str]]:
    """Some claims about short runs, and how often something was computed for them."""
    counts: Counter[str] = Counter()
    simulate, answer = jobs.simulate, jobs.answer
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "simulate", lambda *words: counts.update(["run"]) or simulate(*words))
        patch.setattr(jobs, "answer", lambda *words: counts.update(["answer"]) or answer(*words))
        patch.setattr(report, "chosen", lambda key: selection(time))
        return report.reproduce("all", processes=1, cache=cache, **options), counts


def selection(time: float) -> list[Claim]:
    apart = Choice(name="rms_between", options={"link": 5})
    moved = f"{P2}/track-peg3-moved"
    at = Choice(name="link_coordinate", options={**END, "time": time})
    return [ensemble("x5", seeds=3, measure=at), ensemble("apart", seeds=1, scenarios=(TRACK, moved), measure=apart)]


def test_what_is_known_is_not_computed_again(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    first, made = judged_with(cache)
    assert made == {"run": 4, "answer": 4}
    assert first.effort is not None
    assert first.effort.known == 0
    again, none = judged_with(cache)
    assert none == {}
    assert again.verdicts == first.verdicts
    assert again.as_dict() == first.as_dict()
    assert again.as_markdown({}) == first.as_markdown({})
    assert again.effort is not None
    assert (again.effort.computed, again.effort.known) == (0, first.effort.computed)
    assert list(again.recordings) == list(first.recordings)
    for name in first.recordings:
        assert again.recordings[name].data.identical(first.recordings[name].data)


def test_only_what_changed_is_computed(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    judged_with(cache)
    _, asked = judged_with(cache, time=0.05)  # the first seed's recording is kept, those of the others are not
    assert asked == {"run": 2, "answer": 3}
    _, anew = judged_with(cache, anew=True)
    assert anew == {"run": 4, "answer": 4}


def test_what_is_damaged_is_computed_again(tmp_path: Path) -> None:
    cache = ResultCache(tmp_path)
    first, _ = judged_with(cache)
    for path in tmp_path.rglob("*.json"):
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(UserWarning, match="computed again"):
        again, made = judged_with(cache)
    assert made == {"run": 2, "answer": 4}  # later seeds; recordings of the first are whole
    assert again.verdicts == first.verdicts


def test_failures_are_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(scenario: Scenario) -> Recording:
        raise SolverFailure("stopped at t = 1 s")

    cache = ResultCache(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "simulate", fails)
        found, _ = judged_with(cache)
    assert all("stopped at t = 1 s" in verdict.problem for verdict in found.verdicts)
    assert dict(found.recordings) == {}
    again, made = judged_with(cache)
    assert made == {"run": 4, "answer": 4}
    assert again.confirmed


def test_warnings_of_runs_are_heard_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = jobs.simulate

    def warns(scenario: Scenario) -> Recording:
        warnings.warn("mind the gap", stacklevel=2)
        return real(scenario)

    monkeypatch.setattr(jobs, "simulate", warns)
    for _ in range(2):
        with pytest.warns(UserWarning, match="mind the gap"):
            judged_with(ResultCache(tmp_path))
