"""The logic of the benchmark, with tiny runs. How long anything takes is not tested here."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby
from math import inf, nan
from pathlib import Path
from time import sleep
from typing import cast

import numpy as np
import pytest

from pushpoint.bench import duel as duel_module
from pushpoint.bench import speed
from pushpoint.bench import startup as startup_module
from pushpoint.bench.crowd import Crowd, among
from pushpoint.bench.duel import PEER_SETTINGS, Duel, Effort, Entry, duel, limit_path, turns_at
from pushpoint.bench.hybrid import EvaluationCost, Hybrid, hybrid
from pushpoint.bench.ladder import Rung, largest_accurate, rms_distance
from pushpoint.bench.links import Growth, LinkCost, among_pegs, fitted_exponent, growth
from pushpoint.bench.page import as_page
from pushpoint.bench.result import Benchmark, as_data, as_text, machine
from pushpoint.bench.runs import our_job, peer_job, prepare, stepped
from pushpoint.bench.space_result import Space
from pushpoint.bench.startup import Startup, in_new_process, startup
from pushpoint.bench.tables import show
from pushpoint.bench.timing import TURN_RUNS, TURN_SECONDS, best_in_turns, interleaved_best
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput, PushpointError, SolverFailure
from pushpoint.fields import Frozen
from pushpoint.files import write_text
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios

TINY = Effort(
    ladder=(1e-2, 5e-3),
    limit_dt=2e-3,
    peer_settings=PEER_SETTINGS[:2],
    finalists=1,
    turns=1,
    rounds=1,
    ladder_turns=1,
)


def quiet(text: str) -> None:
    pass


def tiny_run() -> Scenario:
    return scenarios["transeth2008a/track"].with_overrides({"duration": 0.1})


def rung(dt: float, rms: float = 1e-4, seconds: float = 0.01) -> Rung:
    return Rung(dt, rms, rms, seconds)


def found_duel(ratio: float | None, ours: bool = True) -> Duel:
    entry = Entry("planar_stepping", {}, rung(1e-2))
    peer = None if ratio is None else Entry("mujoco", PEER_SETTINGS[0], rung(1e-3))
    failed = Rung(1e-2, inf, nan, 0.01)
    ladder = (rung(1e-2), failed)
    return Duel(
        "lab/x", "fastest settings", 10.0, 5e-5, 0.0, entry if ours else None, peer, ratio, ratio, ladder, (), ()
    )


def found_growth(exponent: float | None) -> Growth:
    return Growth("plane", (LinkCost(11, 5.0, 0.5, 0.0, 2.0),), exponent)


def found_hybrid(factor: float = 10.0) -> Hybrid:
    return Hybrid(factor, 3e4, (EvaluationCost(20, 3.0, 2.0), EvaluationCost(40, 6.0, 2.0)), 1.0)


def benchmark(
    ratio: float | None = 30.0, exponent: float | None = 1.0, ours: bool = True, space: Space | None = None
) -> Benchmark:
    return Benchmark(
        duels=(found_duel(ratio, ours),),
        converged=(),
        growth=(found_growth(exponent),),
        crowd=Crowd(1.0, 1.2, 300.0),
        hybrid=found_hybrid(),
        startup=Startup(0.01, 10.0, 9.0, 0.5, 8.5),
        space=space,
        load_before=0.5,
        load_after=None,
    )


def test_rms_distance_of_a_shifted_path() -> None:
    path = np.zeros((10, 2))
    assert rms_distance(path + np.array([3e-3, 4e-3]), path) == pytest.approx(5e-3)
    assert rms_distance(None, path) == inf
    assert rms_distance(np.full((10, 2), nan), path) == inf


def test_the_largest_accurate_step_is_chosen() -> None:
    rungs = [rung(1e-2, 2e-3), rung(5e-3, 1e-3), rung(2e-3, 5e-4), rung(1e-3, nan)]
    assert largest_accurate(rungs) == rungs[1]
    assert largest_accurate(rungs, accuracy=1e-5) is None
    assert largest_accurate([]) is None


def test_rounds_are_interleaved() -> None:
    calls: list[str] = []
    best = interleaved_best([lambda: calls.append("a"), lambda: calls.append("b")], rounds=3)
    assert calls == ["a", "b"] * 3
    assert all(0 <= seconds < inf for seconds in best)


def test_turns_have_several_runs_and_last_a_while() -> None:
    calls: list[str] = []

    def slow() -> None:
        calls.append("slow")
        sleep(0.6 * TURN_SECONDS)

    best = best_in_turns([slow, lambda: calls.append("fast")], turns=2)
    turns = [(name, len(list(runs))) for name, runs in groupby(calls)]
    assert [name for name, _ in turns] == ["slow", "fast"] * 2
    assert [runs for name, runs in turns if name == "slow"] == [TURN_RUNS, TURN_RUNS]
    assert all(runs > TURN_RUNS for name, runs in turns if name == "fast")
    assert best[0] >= 0.6 * TURN_SECONDS > best[1]


@pytest.mark.parametrize("power", [0.9, 1.0, 1.3])
def test_the_exponent_is_fitted_to_long_robots_only(power: float) -> None:
    costs = [LinkCost(n, 2.0 * n**power, 0.0, 0.0, 0.0) for n in (50, 100, 1000)]
    short = LinkCost(11, 1e6, 0.0, 0.0, 0.0)
    assert fitted_exponent([short, *costs]) == pytest.approx(power)
    assert fitted_exponent([short, costs[0]]) is None


def test_growth_covers_both_worlds() -> None:
    found = growth(quiet, sizes=(5, 11), rounds=1)
    assert [(g.world, [c.links for c in g.costs]) for g in found] == [
        (w, [5, 11]) for w in ("plane, from rest", "pegs, from rest", "plane", "pegs")
    ]
    for g in found:
        assert all(c.us_per_step > 0 and c.us_per_link == pytest.approx(c.us_per_step / c.links) for c in g.costs)


def test_pegs_stand_beside_the_robot_and_are_pushed() -> None:
    scenario = among_pegs(40)
    pegs = scenario.built_world().obstacles
    assert 5 <= len(pegs) <= 8  # twice per wave of eleven links
    assert growth(quiet, sizes=(40,), rounds=1)[1].costs[0].contacts > 1  # prepare() refuses an overlap


def test_both_plants_give_the_same_path() -> None:
    pytest.importorskip("mujoco")
    run = tiny_run()
    ours, theirs = our_job(run, 1e-3, {})(), peer_job(run, 1e-3, PEER_SETTINGS[0])()
    assert ours is not None
    assert theirs is not None
    assert ours.shape == theirs.shape == (1, 2)
    assert rms_distance(theirs, ours) < 1e-4


def test_a_duel_compares_the_largest_accurate_steps() -> None:
    pytest.importorskip("mujoco")
    found = duel(tiny_run(), TINY, quiet)
    assert found.ours is not None
    assert found.peer is not None
    assert found.ratio == pytest.approx(found.peer.rung.wall_time_s / found.ours.rung.wall_time_s)
    assert found.ours.rung.dt == found.peer.rung.dt == 1e-2  # nothing can go wrong in 0.05 s
    assert [r.dt for r in found.our_ladder] == [r.dt for r in found.peer_ladder] == [1e-2, 5e-3]
    assert len(found.tried) == 6
    assert found.limits_apart is not None


def test_small_steps_get_fewer_turns() -> None:
    assert [turns_at(dt, 20) for dt in (1e-2, 1e-3, 5e-4, 2e-4, 1e-6)] == [20, 20, 10, 4, 1]


def test_without_mujoco_there_is_no_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel_module, "has_peer", lambda: False)
    found = duel(tiny_run(), TINY, quiet)
    assert found.ours is not None
    assert (found.peer, found.ratio, found.limits_apart, found.peer_ladder) == (None, None, None, ())


def test_a_limit_that_fails_is_an_error() -> None:
    with pytest.raises(SolverFailure, match=r"dt = 5e-05 s"):
        limit_path(lambda: None, "mujoco", 5e-5)


def test_controllers_without_a_table_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Feedback:
        Options = Frozen

        @classmethod
        def build(cls, options: Frozen, robot: Robot, control_period: float) -> Feedback:
            return cls()

    monkeypatch.setitem(cast("dict[str, object]", controllers._items), "feedback", Feedback)
    with pytest.raises(InvalidInput, match="'feedback' cannot state its commands ahead"):
        prepare(tiny_run().with_overrides({"controller": "feedback"}), "planar_stepping", {})


@pytest.mark.parametrize(
    ("made", "met", "missed"),
    [
        (benchmark(), [True, True], False),
        (benchmark(ratio=24.9), [False, True], True),
        (benchmark(exponent=1.11), [True, False], True),
        (benchmark(ratio=None), [None, True], False),
        (benchmark(ratio=None, ours=False), [False, True], True),
        (benchmark(exponent=None), [True, None], False),
    ],
)
def test_requirements(made: Benchmark, met: list[bool | None], missed: bool) -> None:
    assert [r.met for r in made.requirements] == [*met, True, True, True, True]
    assert made.missed is missed
    assert all(r.met is not True for r in made.aims)  # 10 times real time is not yet 20


def test_crowds_and_memory_are_required() -> None:
    slow, large = Crowd(1.0, 1.6, None), Crowd(1.0, 1.0, 501.0)
    assert [r.met for r in replace(benchmark(), crowd=slow).requirements[-4:-2]] == [False, None]
    assert [r.met for r in replace(benchmark(), crowd=large).requirements[-4:-2]] == [True, False]


def test_a_crowd_leaves_the_track_as_it_is() -> None:
    few, many = stepped(among(10)), stepped(among(500))
    assert few is not None
    assert many is not None
    assert np.array_equal(few.link, many.link)


def test_results_are_plain_json() -> None:
    data = as_data(benchmark())
    assert json.loads(as_text(data)) == data
    assert set(data) == {
        "schema_version", "status", "requirements", "aims", "machine", "accuracy", "links", "crowd", "hybrid",
        "startup", "space",
    }  # fmt: skip
    failed = data["accuracy"]["runs"][0]["our_ladder"][1]
    assert failed["rms_to_own_limit"] is None
    assert failed["rms_to_our_limit"] is None


def test_the_machine_stays_anonymous() -> None:
    import platform

    assert platform.node() not in machine().values()
    assert machine()["numba"] is not None


def test_files_are_complete_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "results" / "bench.json"
    write_text(path, as_text({"a": 1}))
    write_text(path, as_text({"a": 2}))
    assert json.loads(path.read_text()) == {"a": 2}
    with pytest.raises(ValueError, match="JSON"):
        write_text(path, as_text({"a": nan}))
    assert [p.name for p in path.parent.iterdir()] == ["bench.json"]
    assert json.loads(path.read_text()) == {"a": 2}
    with pytest.raises(InvalidInput, match="cannot be made"):
        write_text(path / "below" / "bench.json", "")


def test_startup_takes_the_best_warm_start(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(
        [{"wall": 0.2}, {"wall": 0.1}, {"wall": 9.0, "cpu": 8.0}, *({"wall": w, "cpu": w} for w in (2.0, 1.0))]
    )
    monkeypatch.setattr(startup_module, "in_new_process", lambda code, env: next(answers))
    assert startup(quiet, warm_starts=2) == Startup(0.1, 9.0, 8.0, 1.0, 7.0)


def test_processes_answer_or_complain() -> None:
    assert in_new_process("print('{\"wall\": 1}')", {}) == {"wall": 1}
    with pytest.raises(PushpointError, match="ZeroDivisionError"):
        in_new_process("1 / 0", {})


@pytest.fixture
def stubbed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """`main` without measurements, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(speed, "refuse_without_compiler", lambda: None)
    monkeypatch.setattr(speed, "measure", lambda *asked: benchmark())
    return tmp_path


def test_main_prints_one_json_object(stubbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    speed.main(json=True)
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((stubbed / "results/bench/bench.json").read_text())


def test_main_prints_tables(stubbed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    speed.main(json=False)
    out = capsys.readouterr().out
    assert "30.0 times faster (30.0 run by run in turns)" in out
    assert "lab/x" in out
    page = (stubbed / "results/bench/bench.md").read_text()
    assert "| lab/x: MuJoCo's time over ours | 30 | >= 25 | yes |" in page


@pytest.mark.parametrize("as_json", [True, False])
def test_main_leaves_with_one_if_something_is_missed(
    stubbed: Path, monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    monkeypatch.setattr(speed, "measure", lambda *asked: benchmark(ratio=3.0))
    with pytest.raises(SystemExit) as leaving:
        speed.main(json=as_json)
    assert leaving.value.code == 1
    assert json.loads((stubbed / "results/bench/bench.json").read_text())["status"] == "missed"


def test_main_says_that_mujoco_is_missing(
    stubbed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(speed, "has_peer", lambda: False)
    monkeypatch.setattr(speed, "measure", lambda *asked: benchmark(ratio=None))
    speed.main(json=True)
    assert "pushpoint[mujoco]" in capsys.readouterr().err


def test_interpreted_kernels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    with pytest.raises(InvalidInput, match="NUMBA_DISABLE_JIT"):
        speed.refuse_without_compiler()


def test_tables_hold_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    show(benchmark(ratio=None, ours=False, exponent=None))
    assert "not measured" in capsys.readouterr().out


def test_the_benchmark_runs_the_registered_scenarios() -> None:
    assert [(s.name, s.duration) for s in speed.registered_runs()] == [
        ("transeth2008a/track", 10.0),
        ("transeth2008a/flat", 10.0),
    ]


def test_event_tracking_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pushpoint.bench.hybrid.DURATION", 0.1)
    found = hybrid(quiet, sizes=(5, 10), rounds=1)
    assert found.real_time_factor > 0.0
    assert found.evaluations_per_s > 1000.0
    assert [c.links for c in found.costs] == [5, 10]
    assert all(c.us > 0.0 for c in found.costs)
    assert found.exponent is not None


def test_one_part_alone_is_kept_in_a_file_of_its_own(stubbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(benchmark(), duels=(), growth=(), crowd=None, hybrid=None, startup=None)
    monkeypatch.setattr(speed, "measure", lambda *asked: bare)
    speed.main(json=False, part="spatial")
    assert sorted(p.name for p in (stubbed / "results/bench").iterdir()) == ["bench-spatial.json", "bench-spatial.md"]
    assert bare.requirements == bare.aims == []


def test_the_part_decides_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "measure_space", lambda say: None)
    found = speed.measure([], TINY, TINY, part="spatial")
    assert (found.duels, found.growth, found.crowd, found.hybrid, found.startup) == ((), (), None, None, None)
    assert "Work and precision" not in as_page(as_data(found))


def test_slow_event_tracking_is_missed() -> None:
    slow = replace(benchmark(), hybrid=found_hybrid(7.0))
    assert slow.missed
    assert not benchmark().missed
