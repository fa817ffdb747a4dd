"""Scenarios of the papers, claims about them, and the report."""

from __future__ import annotations

import inspect
import json
import math
from typing import Any

import numpy as np
import pytest

from pushpoint.analysis import measures
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput, SolverFailure, UnknownName
from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.pose import planar_pose
from pushpoint.recording import Recording
from pushpoint.recording.assemble import RunClock, contact_set, data_set, event_set
from pushpoint.reproduction import Claim, claims, report
from pushpoint.reproduction.published import CURVES, curve, curves_of
from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.simulation import TOUCHING
from pushpoint.types import LINK_COLUMNS, FloatArray, Pose, new_trace

P2 = "transeth2008a"


def start_pose(scenario: Scenario) -> Pose:
    robot, controller = scenario.built_robot(), controllers[scenario.controller.name]
    options = controller.Options.parse(scenario.controller.options)
    start = scenario.start
    shape = start.joint_angle or controller.build(options, robot, scenario.control_period).initial_shape()
    return planar_pose(robot, np.asarray(shape), start.angle, start.position, start.link)


def made_claim(**fields: Any) -> Claim:
    data: dict[str, Any] = {
        "id": "lab/x",
        "figure": "Fig. 1",
        "statement": "x is one",
        "published": "1",
        "unit": "m",
        "scenarios": ("lab/still",),
        "measure": Choice(name="link_coordinate", options={"link": 0, "axis": "x", "time": 0.1}),
        "accepted": (0.9, 1.1),
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
    trace = new_trace(6, len(time), 1, 1)
    trace.link[:, :, LINK_COLUMNS.index("x")] = x
    return Recording(
        data=data_set(scenario.built_robot(), trace, RunClock(time, np.array([0.01])), np.zeros((len(time), 5))),
        contacts=contact_set(trace, time),
        events=event_set(()),
        scenario=scenario,
    )


@pytest.mark.parametrize("name", list(scenarios))
def test_scenarios_are_named_titled_and_survive_yaml(name: str) -> None:
    scenario = scenarios[name]
    assert scenario.name == name
    assert scenario.title
    assert scenario.source
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario


@pytest.mark.parametrize("name", list(scenarios))
def test_scenarios_start_without_overlap(name: str) -> None:
    scenario = scenarios[name]
    deep = overlaps(scenario.built_robot(), scenario.built_world(), start_pose(scenario))
    assert all(depth < TOUCHING for _, _, depth in deep)


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
    assert list(curves_of(f"{P2}/track")) == [source.label for source in CURVES.values()]
    assert not curves_of(f"{P2}/flat")
    with pytest.raises(UnknownName, match="Did you mean 'transeth2008a/fig14-measured'"):
        curve("transeth2008a/fig14-mesured")


@pytest.mark.parametrize("name", list(claims))
def test_claims_refer_to_things_that_exist(name: str) -> None:
    claim = claims[name]
    assert claim.id == name
    for scenario in claim.scenarios:
        assert scenario in scenarios
    options = dict(claim.measure.options) | ({"curve": curve(claim.curve)} if claim.curve else {})
    inspect.signature(measures[claim.measure.name]).bind(*claim.scenarios, **options)


def test_claims_refuse_what_makes_no_sense() -> None:
    with pytest.raises(InvalidInput, match="at least one side"):
        made_claim(accepted=(None, None))
    with pytest.raises(InvalidInput, match="exceeds"):
        made_claim(accepted=(2.0, 1.0))
    with pytest.raises(InvalidInput, match="key/slug"):
        made_claim(id="x")


@pytest.mark.parametrize(
    ("accepted", "measured", "confirmed"),
    [
        ((0.9, 1.1), 0.9, True),
        ((0.9, 1.1), 1.2, False),
        ((None, 1.0), -50.0, True),
        ((None, 1.0), math.nan, False),
        ((1.0, None), math.inf, False),
        ((1.0, None), 0.5, False),
    ],
)
def test_accepted_range(accepted: tuple[float | None, float | None], measured: float, confirmed: bool) -> None:
    assert made_claim(accepted=accepted).accepts(measured) is confirmed


def test_judging_scales_and_reports() -> None:
    claim = made_claim(scale=100.0, unit="cm", accepted=(90.0, 110.0))
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
    assert "1 of 2 claims confirmed" in text
    assert "**not confirmed**" in text
    assert "![lab/still](figures/still.png)" in text


def test_a_failed_run_leaves_its_claims_unconfirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[str] = []

    def fails_on_flat(scenario: Scenario) -> Recording:
        runs.append(scenario.name)
        if scenario.name.endswith("flat"):
            raise SolverFailure("stopped at t = 1 s")
        return still(2.12)

    monkeypatch.setattr(report, "simulate", fails_on_flat)
    chosen = [claims[f"{P2}/flat-speed"], claims[f"{P2}/peg3-moved-completes"]]
    monkeypatch.setattr(report, "chosen", lambda key: [*chosen, *chosen])
    found = report.reproduce("all")
    assert runs == [f"{P2}/flat", f"{P2}/track-peg3-moved"]  # once each
    assert math.isnan(found.verdicts[0].measured)
    assert "stopped at t = 1 s" in found.verdicts[0].problem
    assert not found.verdicts[1].problem
    assert "not measured" in found.as_markdown({})


def test_selection_by_paper_and_by_claim() -> None:
    assert {claim.paper for claim in report.chosen(P2)} == {P2}
    assert len(report.chosen("all")) == len(list(claims))
    assert [claim.id for claim in report.chosen(f"{P2}/track-x6")] == [f"{P2}/track-x6"]
    with pytest.raises(UnknownName, match="Did you mean 'transeth2008a'"):
        report.chosen("transeth2008")
