"""Studies: data, runs on processes, rows, files and summaries."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.api import find_study
from pushpoint.errors import InvalidInput, SolverFailure, UnknownName
from pushpoint.recording import METRICS, Recording
from pushpoint.recording.assemble import event_set
from pushpoint.scenario import Scenario, Start
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup
from pushpoint.studies import Results, Row, Study, batches, jobs, processes, run, runner
from pushpoint.studies.jobs import RUN, Job, Outcome
from pushpoint.studies.results import load
from pushpoint.studies.workers import Answer

TRACK = "transeth2008a/track"
SHORT: dict[str, Any] = {"duration": 0.3, "start.jitter": 1e-4}
FASTER = {"base": {}, "faster": {"controller.frequency": 1.6}}


def made_study(**fields: Any) -> Study:
    data: dict[str, Any] = {"scenario": TRACK, "seeds": 3, "overrides": SHORT}
    return Study(**(data | fields))


def without_clock(results: Results) -> list[Row]:
    return [replace(row, wall_time_s=0.0) for row in results.rows]


@pytest.fixture(scope="module")
def results() -> Results:
    return run(made_study(variants=FASTER, seeds=7, beyond={"distance": 0.035}), processes=1)


# --- jitter ---


def start_of(**start: Any) -> np.ndarray:
    """Centre of the middle link at the start, relative to where the scenario puts it."""
    scenario = scenarios[TRACK].with_overrides(
        {"seed": start.pop("seed"), **{f"start.{k}": v for k, v in start.items()}}
    )
    setup = Setup.of(scenario)
    pose = setup.start_pose()
    return np.asarray(pose.position[5] - scenario.start.position)


def test_jitter_is_reproducible_and_within_bounds() -> None:
    shifts = np.array([start_of(seed=seed, jitter=1e-4) for seed in range(50)])
    assert np.abs(shifts).max() <= 1e-4 * (1 + 1e-9)
    assert np.abs(shifts).max(axis=0).min() > 0.8e-4
    assert len(np.unique(shifts, axis=0)) == 50
    assert np.array_equal(shifts[7], start_of(seed=7, jitter=1e-4))
    assert start_of(seed=7, jitter=0.0) == pytest.approx([0.0, 0.0], abs=1e-15)


def test_jitter_comes_before_the_check_for_overlaps() -> None:
    with pytest.raises(InvalidInput, match="overlaps"):
        start_of(seed=0, jitter=0.5)
    with pytest.raises(InvalidInput, match=r"Start.jitter = -1.0"):
        Start(jitter=-1.0)


# --- a study as data ---


def test_the_list_of_metrics_is_complete() -> None:
    assert tuple(pp.simulate(TRACK, duration=0.01).metrics()) == METRICS


def test_studies_survive_yaml() -> None:
    study = made_study(
        variants={"base": None, "wave": {"controller.offset": ((0, 0), (2, np.float64(0.1)))}},
        measures=[
            "distance",
            {"name": "link_coordinate", "options": {"link": 5, "axis": "x", "time": 0.3}, "label": "x5"},
            {"name": "first_loss", "options": {"pairs": [[2, 0], [3, 1]]}},
        ],
        beyond={"x5": 1},
    )
    assert study.columns == ("distance", "x5", "first_loss")
    assert "seeds: 3" in study.to_yaml()
    assert Study.from_yaml(study.to_yaml()) == study
    whole = made_study(scenario=scenarios[TRACK], seeds=(3, 5))
    assert Study.from_yaml(whole.to_yaml()) == whole


def test_seeds_and_overrides_reach_the_scenario() -> None:
    study = made_study(variants=FASTER)
    scenario = study.scenario_of("faster", 2)
    assert (scenario.seed, scenario.duration, scenario.start.jitter) == (2, 0.3, 1e-4)
    assert scenario.controller.options["frequency"] == 1.6
    assert study.columns == tuple(name for name in METRICS if name != "real_time_factor")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"scenario": "transeth2008a/trak"}, f"Did you mean '{TRACK}'"),
        ({"measures": ["distanc"]}, "Did you mean 'distance'"),
        ({"measures": ["distance", "distance"]}, "give each a label"),
        ({"measures": ["rms_between"]}, "compares run and reference"),
        ({"measures": ["first_passage"]}, "needs link, axis, value"),
        ({"measures": [{"name": "largest_residual", "options": {"links": 1}}]}, "option of measure 'largest_residual'"),
        ({"measures": [{"name": "distance", "options": {"links": 1}}]}, "option of measure 'distance'"),
        ({"beyond": {"distence": 1.0}}, "Did you mean 'distance'"),
        ({"variants": {}}, "variants"),
        ({"variants": {"a": {"seed": 1}}}, "seeds are a field"),
        ({"seeds": 0}, "seeds"),
        ({"seeds": 10**12}, "at most"),
        ({"seeds": (1, 1)}, "each seed"),
        ({"seeds": (-1,)}, "seeds"),
        ({"scenario": 3}, "scenario"),
    ],
)
def test_studies_refuse_what_makes_no_sense(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        made_study(**fields)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"controller.frequenzy": 1.0}, "frequenzy"),
        ({"controler.frequency": 1.0}, "Did you mean 'controller'"),
        ({"plant": "planar_steping"}, "Did you mean 'planar_stepping'"),
        ({"start.jitter": -1.0}, "jitter"),
        ({"duration": 0.0333}, "multiple"),
    ],
)
def test_variants_that_cannot_run_are_refused_before_the_first_run(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        run(made_study(variants={"base": {}, "odd": changes}), processes=1)
    assert "variant 'odd'" in str(refused.value)


def test_processes_are_a_positive_number() -> None:
    with pytest.raises(InvalidInput, match="processes = 0"):
        run(made_study(), processes=0)


# --- runs ---


def test_two_processes_give_the_rows_of_one_to_the_bit(results: Results) -> None:
    assert without_clock(run(results.study, processes=2)) == without_clock(results)
    assert [(row.variant, row.seed) for row in results.rows] == [(v, s) for v in FASTER for s in range(7)]
    alone = pp.simulate(TRACK, {**SHORT, "seed": 3})
    values = results.rows[3].values
    assert values == {name: alone.metrics()[name] for name in values}


def test_failed_runs_are_rows() -> None:
    """With a jitter of 3 cm some start poses stand inside a pipe."""
    found = run(made_study(seeds=8, overrides={"duration": 0.02, "start.jitter": 0.03}), processes=1)
    failed = [row for row in found.rows if row.failed]
    assert 0 < len(failed) < 8
    assert all("overlaps" in row.message and not row.values for row in failed)
    assert found.summary().variants["base"].failed == len(failed)
    assert found.table()[failed[0].seed]["distance"] is None


def test_runs_that_cannot_be_stated_are_rows() -> None:
    """Ten darts place more or fewer pegs: some worlds have no peg 6 to be made thinner."""
    scattered = Scenario(
        name="lab/scattered",
        robot={"name": "uniform", "options": {"links": 3}},
        world={"name": "random-field", "options": {"darts": 10, "x_min": 1.0, "x_max": 2.0}},
        controller="hold",
        duration=0.02,
    )
    thinner = {"world.obstacles.6.radius": 0.01}
    found = run(Study(scenario=scattered, seeds=12, variants={"base": {}, "thinner": thinner}), processes=1)
    failed = [row for row in found.rows if row.failed]
    assert 0 < len(failed) < 12
    assert all(row.variant == "thinner" and "'6' is not an index" in row.message for row in failed)
    assert [row.seed for row in found.rows] == [*range(12), *range(12)]


def test_whatever_a_run_raises_is_reported_in_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    good = pp.simulate(TRACK, duration=0.02)

    def eventful(scenario: Scenario) -> Recording:
        events = event_set([(0.0, "jam", ""), (0.1, "resolution", ""), (0.2, "resolution", "")])
        recording = replace(good, events=events)
        if scenario.seed == 1:
            raise SolverFailure("stopped at t = 0.1 s", recording)
        if scenario.seed == 2:
            raise ZeroDivisionError("by a controller")
        return recording

    def broken(_: object) -> None:
        raise RuntimeError("somewhere in a compiled call")

    monkeypatch.setattr(batches.ManyRuns, "run", broken)  # then each run is made alone
    monkeypatch.setattr(jobs, "simulate", eventful)
    found = run(made_study(), processes=1)
    assert [row.status for row in found.rows] == ["ok", "failed", "failed"]
    assert [row.message for row in found.rows] == ["", "stopped at t = 0.1 s", "ZeroDivisionError: by a controller"]
    assert [row.events for row in found.rows] == [{"jam": 1, "resolution": 2}] * 2 + [{}]
    assert [row["events.resolution"] for row in found.table()] == [2, 2, 0]


def test_measures_with_options_and_their_failures() -> None:
    wanted = [
        {"name": "first_passage", "options": {"link": 5, "axis": "x", "value": 9.0}},
        {"name": "link_coordinate", "options": {"link": 5, "axis": "x", "time": 0.1}, "label": "x5"},
    ]
    found = run(made_study(seeds=1, measures=wanted), processes=1)
    assert found.rows[0].values["first_passage"] == math.inf
    assert 0.5 < found.rows[0].values["x5"] < 0.6
    absent = [{"name": "link_coordinate", "options": {"link": 50, "axis": "x", "time": 0.1}}]
    assert "links 0 (tail) to 10" in run(made_study(seeds=1, measures=absent), processes=1).rows[0].message


def test_measures_at_times_that_no_run_reaches_are_refused_before_the_first_run() -> None:
    late = [{"name": "link_coordinate", "options": {"link": 5, "axis": "x", "time": 0.31}, "label": "x5"}]
    with pytest.raises(InvalidInput, match=r"'base': measure 'x5': time = 0\.31 s: .* at most duration = 0\.3 s"):
        run(made_study(seeds=1, measures=late), processes=1)
    ends = [{"name": "displacement", "options": {"axis": "x", "end": 0.3}}]
    found = run(made_study(seeds=1, measures=ends, sweep={"duration": [0.1, 0.3]}), processes=1)
    assert [row.status for row in found.rows] == ["failed", "ok"]


class Scripted:
    """An engine that answers from a script: rows by number of the run, None where a process died, or an error."""

    sends, status = False, ""

    def __init__(self, *script: Any) -> None:
        self.script, self.batches = list(script), dict[int, list[int]]()

    @property
    def room(self) -> int:
        return 1 - len(self.batches)

    def submit(self, ticket: int, text: str, where: str = "") -> None:
        self.batches[ticket] = [number for number, *_ in json.loads(text)["runs"]]

    def answers(self, patience: float) -> list[Answer]:
        (ticket, numbers), said = self.batches.popitem(), self.script.pop(0) if self.script else "ok"
        if isinstance(said, BaseException):
            raise said
        if said is None:
            return [Answer(ticket, None)]
        rows = [
            {"number": number, "status": "ok", "message": "", "wall_time_s": 0.0, "accepted": 0,
             "values": {"distance": float(number)}, "events": {}, "recording": ""}
            for number in numbers
        ]  # fmt: skip
        return [Answer(ticket, {"seconds": 1e-4, "rows": rows, "left": []})]

    def close(self) -> None:
        pass


def scripted(monkeypatch: pytest.MonkeyPatch, *script: Any) -> None:
    monkeypatch.setattr(runner, "_engine", lambda *_: nullcontext(Scripted(*script)))


def test_an_interrupt_keeps_finished_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch, "ok", KeyboardInterrupt())
    found = run(made_study(measures=["distance"], seeds=9))
    assert found.interrupted
    assert [row.seed for row in found.rows] == [0]
    scripted(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run(made_study(measures=["distance"]))


def test_a_run_whose_process_dies_is_tried_again_and_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second batch, of runs 1 and 2, is lost: each is made alone. Run 1 then dies twice."""
    scripted(monkeypatch, "ok", None, None, "ok", None)
    found = run(made_study(measures=["distance"], seeds=6))
    assert [row.seed for row in found.rows] == list(range(6))
    assert [row.seed for row in found.rows if row.failed] == [1]
    assert "process that ran it died" in found.rows[1].message


def lost(why: str) -> Outcome:
    return Outcome(problems={RUN: why})


def outcomes(tasks: Sequence[int]) -> dict[int, Outcome]:
    return dict(processes.done(processes.Work(lambda task: Outcome({"answer": task}), lost), tasks, 2))


def test_a_job_whose_process_dies_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are replaced: a number over ten dies, and with it all that would have come later."""

    def done(_work: object, waiting: dict[int, int], processes: int) -> Iterator[tuple[int, Outcome]]:
        while waiting and next(iter(waiting.values())) <= 10:
            k, job = next(iter(waiting.items()))
            del waiting[k]
            yield k, Outcome({"answer": job})

    monkeypatch.setattr(processes, "_done_beside", done)
    found = outcomes([1, 2, 30, 4, 50, 6])
    assert [k for k in sorted(found) if found[k].problems] == [2, 4]
    assert all("process that ran it died" in found[k].problems[RUN] for k in (2, 4))
    assert len(found) == 6
    hopeless = outcomes([30] * 50)
    assert len(hopeless) == 50
    assert all(outcome.problems for outcome in hopeless.values())


def test_jobs_that_cannot_be_sent_fail_alone() -> None:
    future: Future[Outcome] = Future()
    future.set_exception(TypeError("cannot pickle"))
    assert processes.result_of(future, lost).problems[RUN] == "TypeError: cannot pickle"
    broken: Future[Outcome] = Future()
    broken.set_exception(BrokenProcessPool())
    with pytest.raises(BrokenProcessPool):
        processes.result_of(broken, lost)


# --- files and summaries ---


def test_results_are_read_as_they_were_written(results: Results, tmp_path: Path) -> None:
    files = results.save(tmp_path / "study")
    assert sorted(p.name for p in (tmp_path / "study").iterdir()) == ["runs.csv", "study.yaml", "summary.json"]
    assert all(Path(path).is_file() for path in files.values())
    assert load(tmp_path / "study") == results
    (tmp_path / "study" / "runs.csv").write_text("variant,seed\nbase,x\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="does not fit"):
        load(tmp_path / "study")
    with pytest.raises(InvalidInput, match="holds no study"):
        load(tmp_path)


def test_odd_values_survive_files(tmp_path: Path) -> None:
    rows = (
        Row("base", 0, "ok", "", 0.1, {"distance": math.inf}, {"jam": 2}),
        Row("base", 1, "failed", 'stopped, "somehow"\nin two lines', 0.0),
    )
    study = made_study(measures=["distance"], seeds=3)
    Results(study, rows, interrupted=True).save(tmp_path)
    assert load(tmp_path) == Results(study, rows, interrupted=True)


def test_summary_compares_with_the_first_variant(results: Results) -> None:
    summary = results.summary()
    base, faster = summary.variants["base"], summary.variants["faster"]
    assert (base.runs, base.failed, base.against_first) == (7, 0, None)
    values = sorted(row.values["distance"] for row in results.rows if row.variant == "base")
    spread = base.columns["distance"]
    assert (spread.median, spread.interval) == (values[3], (values[0], values[-1]))
    assert faster.against_first is not None
    compared = faster.against_first["distance"]
    assert compared.pairs == 7
    assert 0.006 < compared.interval[0] <= compared.difference <= compared.interval[1] < 0.007  # 3.3 to 3.9 cm
    assert compared.p_value == 2 / 2**7
    assert spread.share is not None
    assert compared.share is not None
    assert (spread.share.count, compared.share.difference, compared.share.p_value) == (0, 1.0, 2 / 2**7)
    assert results.summary({"contacts": 1e9}).variants["base"].columns["distance"].share is None
    with pytest.raises(UnknownName, match="contacts"):
        results.summary({"contact": 1.0})


def test_failed_runs_are_not_beyond_and_not_in_medians() -> None:
    def row(variant: str, seed: int, value: float | None) -> Row:
        if value is None:
            return Row(variant, seed, "failed", "stopped", 0.0)
        return Row(variant, seed, "ok", "", 0.0, {"distance": value})

    study = made_study(measures=["distance"], variants={"a": {}, "b": {}}, seeds=3, beyond={"distance": 1.0})
    rows = [row("a", 0, 2.0), row("a", 1, None), row("a", 2, math.nan), row("b", 0, 3.0), row("b", 1, 5.0)]
    summary = Results(study, tuple(rows)).summary()
    a, b = summary.variants["a"], summary.variants["b"]
    assert (a.runs, a.failed, a.columns["distance"].count, a.columns["distance"].median) == (3, 1, 1, 2.0)
    share = a.columns["distance"].share
    assert share is not None
    assert (share.count, share.share) == (1, 1 / 3)
    assert b.against_first is not None
    compared = b.against_first["distance"]
    assert (compared.pairs, compared.difference) == (1, 1.0)
    assert compared.share is not None
    assert compared.share.difference == 0.5  # of seeds 0 and 1, which both variants have
    empty = Results(study, ()).summary().variants["b"]
    assert math.isnan(empty.columns["distance"].median)


# --- runs that failed, steps that were accepted ---


def mixed_rows() -> tuple[Row, ...]:
    """Four runs above a threshold of 1, one below, one failed; two have accepted steps."""
    rows = [Row("base", seed, "ok", "", 0.1, {"distance": 2.0 + seed}, accepted=3 * (seed < 2)) for seed in range(4)]
    return (*rows, Row("base", 4, "ok", "", 0.1, {"distance": 0.5}), Row("base", 5, "failed", "stopped", 0.1))


def test_a_share_says_how_it_counts_failed_runs(tmp_path: Path) -> None:
    study = made_study(seeds=6, measures=["distance"], beyond={"distance": 1.0})
    results = Results(study, mixed_rows())
    variant = results.summary().variants["base"]
    share = variant.columns["distance"].share
    assert share is not None
    assert (share.count, share.total, share.failed) == (4, 6, 1)
    assert share.share == pytest.approx(4 / 6)
    assert (variant.runs, variant.failed, variant.accepted, variant.accepted_steps) == (6, 1, 2, 6)
    assert variant.columns["distance"].count == 5  # medians leave the failed run out
    assert "as not above" in results.summary().as_dict()["failed_runs"]
    results.save(tmp_path)
    assert load(tmp_path).rows == results.rows


def test_rows_of_older_files_have_no_accepted_steps(tmp_path: Path) -> None:
    results = Results(made_study(seeds=6, measures=["distance"]), mixed_rows())
    results.save(tmp_path)
    lines = (tmp_path / "runs.csv").read_text().splitlines()
    place = lines[0].split(",").index("accepted")
    old = [",".join(cell for k, cell in enumerate(line.split(",")) if k != place) for line in lines]
    (tmp_path / "runs.csv").write_text("\n".join(old) + "\n")
    assert [row.accepted for row in load(tmp_path).rows] == [0] * 6


def test_jobs_count_accepted_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = pp.simulate(TRACK, SHORT, duration=0.05)
    recording.data["step_status"][:7] = 5
    monkeypatch.setattr(jobs, "simulate", lambda scenario: recording)
    outcome = jobs.do(Job({"run": scenarios[TRACK]}, {}))
    assert outcome.accepted_steps == 7


def test_a_label_of_a_named_study_is_one_of_its_variants() -> None:
    """With changes it is a variant of one's own; labels that are neither are refused."""
    named = find_study("clutter-benchmark", variants={"empty": {}, "half": {"world.keep": 0.5}})
    own = find_study("clutter-benchmark").variants
    assert named.variants == {"empty": own["empty"], "half": {"world.keep": 0.5}}
    assert named.scenario_of("empty", seed=1).built_world().obstacles == ()
    with pytest.raises(UnknownName, match=r"unknown variant of this study 'nowhere'.* corridor"):
        find_study("clutter-benchmark", variants={"nowhere": {}})
    assert find_study("lab/clutter-100", variants={"any": {}}).variants == {"any": {}}
