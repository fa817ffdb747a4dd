"""The benchmark's protocol, judges and tables, with tiny runs. How long anything takes is not tested here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from math import inf, isnan, nan
from pathlib import Path
from time import sleep
from typing import Any, ClassVar, cast

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import contest as contest_module
from benchmarks import creep as creep_module
from benchmarks import growth as growth_module
from benchmarks import hybrid as hybrid_module
from benchmarks import measure, planar, processes, spatial
from benchmarks.case import Case, Settings, Timing
from benchmarks.contest import Contender, Contest, Entry, Rung, Side, contender_of, contest, rungs_at
from benchmarks.creep import best_of_peer, creep, fastest_within, judged
from benchmarks.crowd import Crowd, among
from benchmarks.growth import Growth, LinkCost, LongRobots, growth, log_slope
from benchmarks.hybrid import EvaluationCost, Hybrid, hybrid
from benchmarks.judge import FAILED, DistanceJudge, PathJudge, Result
from benchmarks.many import AgainstPeer, Many
from benchmarks.processes import Memory, Startup, in_new_process, memory, startup
from benchmarks.requirement import required
from benchmarks.result import Benchmark, as_data, machine
from benchmarks.runs import PEER, STRAY, Job, around, job, prepare, stepped
from benchmarks.tables import as_page
from benchmarks.timing import TURN_RUNS, TURN_SECONDS, best_in_turns, interleaved_best
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput, PushpointError, SolverFailure
from pushpoint.fields import Frozen
from pushpoint.files import write_json
from pushpoint.robots import Robot
from pushpoint.simulation import Setup

ONCE = Timing(interleaved_best, screening=1, final=1, ladder=lambda dt: 1, alternating=1)


def quiet(text: str) -> None:
    pass


def tiny(case: Case, duration: float = 0.1) -> Case:
    """The case, short and with few settings."""
    return replace(
        case,
        scenario=case.scenario.with_overrides({"duration": duration}),
        ladder=(1e-2, 5e-3, 2e-3),
        judge=PathJudge(limit_dt=2e-3) if isinstance(case.judge, PathJudge) else DistanceJudge(accuracy=10.0),
        peer_settings=case.peer_settings[:2],
        timing=ONCE,
    )


def track() -> Case:
    return planar.contests()[0]


def moved(distance: float) -> Result:
    return np.array([[0.0, distance]])


def rung(dt: float, error: float = 1e-3, seconds: float = 0.1, failed: bool = False) -> Rung:
    return Rung(dt, None if failed else (0.0, 1.0), error, seconds)


def known(results: dict[float, Result]) -> Callable[..., Job]:
    """In place of `job`: what a run gives depends on its dt alone."""
    return lambda case, plant, settings, dt: lambda: results[dt]


# --- timing ---


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


# --- judges ---


def test_paths_are_judged_by_the_rms_of_their_distance() -> None:
    judge, path = PathJudge(), np.zeros((10, 2))
    assert judge.error(path + np.array([3e-3, 4e-3]), path) == pytest.approx(5e-3)
    assert judge.error(FAILED, path) == judge.error(path, FAILED) == inf
    ticks = np.arange(40.0).reshape(20, 2)
    assert np.array_equal(judge.result(ticks[0], ticks, period=0.05), ticks[1::2])  # every 0.1 s


def test_distances_are_judged_by_the_mean_of_the_finest_that_finished() -> None:
    judge = DistanceJudge()
    assert judge.error(moved(1.0), judge.limit([moved(9.0), moved(-5.0), moved(6.0)])) == pytest.approx(4.5 / 5.5)
    assert judge.error(moved(5.5), judge.limit([moved(5.0), moved(6.0), FAILED])) == 0.0
    assert isnan(judge.limit([FAILED, moved(6.0), FAILED])[0, 0])
    assert judge.error(FAILED, moved(1.0)) == judge.error(moved(1.0), FAILED) == inf
    assert list(judge.limit_steps([1.0, 4.0, 2.0, 3.0])) == [3.0, 2.0, 1.0]
    assert judge.result(np.ones(2), np.full((3, 2), 4.0), period=0.1).tolist() == [[3.0, 3.0]]


# --- contests ---


def test_the_largest_accurate_step_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    results = {1e-2: FAILED, 5e-3: moved(1.02), 2e-3: moved(0.995), 1e-3: moved(1.0)}
    monkeypatch.setattr(contest_module, "job", known(results))
    case = replace(spatial.sidewinding(), ladder=(1e-3, 2e-3, 5e-3, 1e-2))
    found = Contender("any", {}, [case], moved(1.0)).entry()
    assert found is not None
    assert found.rung.dt == 2e-3
    assert Contender("any", {}, [case], FAILED).entry() is None


def test_all_starts_have_to_be_accurate(monkeypatch: pytest.MonkeyPatch) -> None:
    results = {0.1: moved(1.001), 0.2: moved(1.05), 0.3: FAILED}
    seen: list[float] = []

    def make(case: Case, plant: str, settings: Settings, dt: float) -> Job:
        seen.append(case.scenario.duration)
        return lambda: results[case.scenario.duration]

    monkeypatch.setattr(contest_module, "job", make)
    starts = [tiny(spatial.sidewinding(), duration) for duration in results]
    who = Contender("any", {}, starts, moved(1.0))
    assert who.rung(1e-2, enough=0.01).error == pytest.approx(0.05)
    assert seen == [0.1, 0.2]  # the second was enough to know
    assert who.rung(1e-2).error == inf
    seen.clear()
    one_run = replace(starts[0], timing=replace(ONCE, ladder=lambda dt: 0))
    assert rungs_at(1e-2, [replace(who, starts=[one_run, *starts[1:]])])[0].error == pytest.approx(0.001)
    assert seen == [0.1]


def test_small_steps_get_fewer_turns() -> None:
    assert [planar.turns_at(20, dt) for dt in (1e-2, 1e-3, 5e-4, 2e-4, 1e-6)] == [20, 20, 10, 4, 1]
    assert [spatial.timing(7).ladder(dt) for dt in (1e-2, 1e-3, 5e-4)] == [3, 3, 0]


def test_starts_nearby_differ_a_little_and_repeat() -> None:
    case = spatial.sidewinding()
    first, second, third = around(case)
    assert first is case
    shape = Setup.of(case.scenario).controller.initial_shape()
    assert shape is not None
    strays = [np.array(c.scenario.start.joint_angle) - shape for c in (second, third)]
    assert not np.array_equal(*strays)
    assert all(0 < np.abs(stray).max() <= STRAY for stray in strays)
    assert around(case)[1].scenario == second.scenario
    assert len(around(replace(case, starts=1))) == 1


@pytest.mark.parametrize("case", [tiny(track()), tiny(spatial.sidewinding(), 0.5)], ids=["plane", "space"])
def test_both_plants_give_the_same_result(case: Case) -> None:
    pytest.importorskip("mujoco")
    ours, theirs = (job(case, plant, {}, 1e-3)() for plant in (case.ours, PEER))
    assert ours.shape == theirs.shape == (1, 2)
    assert np.allclose(ours, theirs, atol=2e-3)


@pytest.mark.parametrize("case", [tiny(track()), replace(tiny(spatial.undulation()), starts=2)], ids=["plane", "space"])
def test_a_contest_compares_the_largest_accurate_steps(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mujoco")
    found = contest(case, quiet)
    assert found.peer is not None
    assert found.ours.entry is not None
    assert found.peer.entry is not None
    ours, peer = found.ours.entry.rung, found.peer.entry.rung
    assert found.ratio == pytest.approx(peer.wall_time_s / ours.wall_time_s)
    assert found.real_time_factor == pytest.approx(0.1 / ours.wall_time_s)
    assert found.ratio_alternating is not None
    assert ours.dt == peer.dt == 1e-2  # nothing can go wrong in so short a time
    assert [r.dt for r in found.ours.ladder] == [r.dt for r in found.peer.ladder] == list(case.ladder)
    assert (len(found.ours.tried), len(found.peer.tried)) == (len(case.our_settings), len(case.peer_settings))
    assert found.limits_apart is not None
    monkeypatch.setattr(contest_module, "has_peer", lambda: False)
    alone = contest(case, quiet)
    assert alone.ours.entry is not None
    assert (alone.peer, alone.ratio, alone.ratio_alternating, alone.limits_apart) == (None, None, None, None)


def test_the_ladder_is_the_winners() -> None:
    who = [Contender(PEER, settings, [], FAILED) for settings in spatial.PEER_SETTINGS[:2]]
    assert contender_of(who, Entry(PEER, spatial.PEER_SETTINGS[1], rung(1e-3))) is who[1]
    assert contender_of(who, None) is who[0]


def test_creep_compares_at_the_best_error_of_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(spatial.undulation(), ladder=(1e-2, 5e-3, 2e-3))
    monkeypatch.setattr(creep_module, "job", known({1e-2: moved(0.5), 5e-3: moved(0.9), 2e-3: moved(1.1)}))
    peers, theirs = judged(case, PEER, case.peer_settings[0])
    assert [r.error for r in theirs] == pytest.approx([0.5, 0.1, 0.1])
    loose = {"newton": rung(5e-3, 0.11, 1e-9), "cg": rung(5e-3, 0.5, 1e-10)}
    monkeypatch.setattr(Contender, "rung", lambda self, dt: loose[self.settings["solver"]])
    best = best_of_peer(peers, theirs)
    assert best is not None
    assert (best.rung, best.settings["tolerance"]) == (loose["newton"], 1e-4)  # cg is faster, and too far off
    ours = (rung(1e-2, 0.3, 0.1), rung(5e-3, 0.05, 0.2), rung(2e-3, 0.01, 0.4))
    within = fastest_within(peers, ours, best.rung.error)
    assert within is not None
    assert within.rung is ours[1]
    assert fastest_within(peers, ours, 0.001) is None
    assert best_of_peer(peers, [rung(1e-2, inf, failed=True)]) is None


def test_creep_without_mujoco_has_no_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(creep_module, "has_peer", lambda: False)
    found = creep(tiny(spatial.undulation()), quiet)
    assert (found.peer, found.ratio) == (None, None)
    assert [r.met for r in found.requirements] == [None]


@pytest.mark.parametrize(
    "case", [*planar.contests(), *spatial.contests()], ids=lambda case: f"{case.name}, {case.what}"
)
def test_cases_can_be_run(case: Case) -> None:
    for dt in case.ladder:
        period = max(dt, case.scenario.control_period)
        assert period / dt == pytest.approx(round(period / dt))
    assert case.link < len(Setup.of(case.scenario).robot.links)


def test_controllers_without_a_table_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Feedback:
        Options = Frozen
        uses: ClassVar[frozenset[str]] = frozenset()

        @classmethod
        def build(cls, options: Frozen, robot: Robot, control_period: float) -> Feedback:
            return cls()

    monkeypatch.setitem(cast("dict[str, object]", controllers._items), "feedback", Feedback)
    with pytest.raises(InvalidInput, match="'feedback' cannot state its commands ahead"):
        prepare(track().scenario.with_overrides({"controller": "feedback"}), "planar_stepping", {})


# --- other measurements ---


def test_growth_goes_on_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    settled = growth_module.settled

    def failing(run: Any, steps: int) -> growth_module.Settled:
        if run.setup.bodies == 6:
            raise SolverFailure("too long")
        return settled(run, steps)

    monkeypatch.setattr(growth_module, "settled", failing)
    pegs, space = planar.GROWTH[1], replace(spatial.GROWTH[0], settling=10)
    kinds = [replace(kind, sizes=(4, 5, 6), fit_from=4) for kind in (pegs, space)]
    found = growth(kinds, 1, quiet)
    assert [(g.world, [c.links for c in g.costs], g.failed) for g in found] == [
        ("pegs, from rest", [4, 5], (6,)),
        ("in space", [4, 5], (6,)),
    ]
    assert all(c.us_per_step > 0 and c.us_per_link == c.us_per_step / c.links for g in found for c in g.costs)
    assert [g.requirements[0].met for g in found] == [False, False]


@pytest.mark.parametrize("power", [0.9, 1.3])
def test_the_exponent_is_fitted_to_long_robots_only(power: float) -> None:
    costs = [LinkCost(n, 2.0 * n**power, 0.0, 0.0, 0.0) for n in (50, 100, 1000)]
    short, kind = LinkCost(11, 1e6, 0.0, 0.0, 0.0), planar.GROWTH[0]
    assert growth_module.concluded(kind, [short, *costs], ()).exponent == pytest.approx(power)
    assert growth_module.concluded(kind, [short, costs[0]], ()).exponent is None
    assert log_slope([1.0], [1.0]) is None


def test_pegs_stand_beside_the_robot_and_are_pushed() -> None:
    assert 5 <= len(planar.among_pegs(40).built_world().obstacles) <= 8  # twice per wave of eleven links
    kind: LongRobots = replace(planar.GROWTH[1], sizes=(40,))
    assert growth([kind], 1, quiet)[0].costs[0].contacts > 1  # prepare() refuses an overlap


def test_a_crowd_leaves_the_track_as_it_is() -> None:
    few, many = stepped(among(10)), stepped(among(500))
    assert few is not None
    assert many is not None
    assert np.array_equal(few.link, many.link)


def test_event_tracking_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hybrid_module, "DURATION", 0.1)
    found = hybrid(quiet, sizes=(5, 10), rounds=1)
    assert found.real_time_factor > 0.0
    assert found.evaluations_per_s > 1000.0
    assert [c.links for c in found.costs] == [5, 10]
    assert found.exponent is not None


def test_memory_is_that_of_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(processes, "is_known", lambda: True)
    monkeypatch.setattr(processes, "in_new_process", lambda code, env: asked.append(code) or {"megabytes": 7})
    assert memory(spatial.MEMORY, quiet).megabytes == 7.0
    assert "from benchmarks.spatial import sidewinder" in asked[0]
    assert "print_peak(sidewinder(50), 60.0, True)" in asked[0]

    def failing(code: str, env: object) -> dict[str, float]:
        raise PushpointError("failed")

    monkeypatch.setattr(processes, "in_new_process", failing)
    assert [r.met for r in memory(spatial.MEMORY, quiet).requirements] == [False]
    monkeypatch.setattr(processes, "is_known", lambda: False)
    assert [r.met for r in memory(spatial.MEMORY, quiet).requirements] == [None]


@pytest.mark.skipif(not processes.is_known(), reason="only Linux says it")
@pytest.mark.parametrize("above_start", [True, False])
def test_the_peak_is_at_least_what_is_held_now(above_start: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1.0 < processes.held("VmRSS") <= processes.held("VmHWM")
    processes.print_peak(planar.on_plane(3), 0.02, above_start)
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 3
    assert found["megabytes"] >= 0.0


def test_startup_takes_the_best_warm_start(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(
        [{"wall": 0.2}, {"wall": 0.1}, {"wall": 9.0, "cpu": 8.0}, *({"wall": w, "cpu": w} for w in (2.0, 1.0))]
    )
    monkeypatch.setattr(processes, "in_new_process", lambda code, env: next(answers))
    assert startup(quiet, warm_starts=2) == Startup(0.1, 9.0, 8.0, 1.0, 7.0)


def test_processes_answer_or_complain() -> None:
    assert in_new_process("import benchmarks.requirement; print('{\"wall\": 1}')", {}) == {"wall": 1}
    with pytest.raises(PushpointError, match="ZeroDivisionError"):
        in_new_process("1 / 0", {})


# --- requirements, the file and the tables ---


def found_contest(ratio: float | None = 30.0, ours: bool = True, compared: str = "path") -> Contest:
    entry = Entry("planar_stepping", {"tolerance": 1e-3}, rung(1e-2, 2e-4))
    peer = None if ratio is None else Side(PEER, 1.25, replace(entry, plant=PEER), (rung(1e-2, 0.005),), ())
    ladder = (rung(1e-2, 2e-4), rung(5e-3, inf), rung(2e-3, inf, failed=True))
    return Contest(
        scenario="lab/x",
        what="fastest",
        compared=compared,
        accuracy=1e-3,
        duration=10.0,
        link=5,
        ours=Side("planar_stepping", 1.5, entry if ours else None, ladder, ()),
        peer=peer,
        limits_apart=None if peer is None else 1e-5,
        ratio=ratio if ours else None,
        ratio_alternating=None,
        real_time_factor=100.0 if ours else None,
        required_ratio=25.0,
        required_real_time=60.0,
    )


def found_growth(failed: tuple[int, ...] = ()) -> Growth:
    return Growth("plane", 1e-3, 200, (LinkCost(11, 5.0, 0.5, 0.0, 2.0),), failed, 1.05, 50, 1.1)


def found_many(gain: float = 1.9, peer: float | None = 100.0) -> Many:
    contests = (AgainstPeer("each at its best", 2000.0, peer), AgainstPeer("equal steps", 1000.0, peer))
    return Many(1024, 2, gain, 2.0, 1.4, contests, 8.0, 0.7, 150.0)


def benchmark(**changed: Any) -> Benchmark:
    found = Benchmark(
        contests=(found_contest(), found_contest(compared="distance")),
        growth=(found_growth(),),
        crowd=Crowd(1.0, 1.2),
        many=found_many(),
        memory=(Memory("memory", 300.0, False, 500.0),),
        hybrid=Hybrid(10.0, 3e4, (EvaluationCost(20, 3.0, 2.0), EvaluationCost(40, 6.0, 2.0)), 1.0),
        startup=Startup(0.01, 10.0, 9.0, 0.5, 8.5),
    )
    return replace(found, **changed)


def test_a_requirement_is_met_missed_or_not_measured() -> None:
    assert required("x", 8.0, ">=", 8.0).met is True
    assert required("x", 8.0, "<", 8.0).met is False
    assert required("x", None, "<=", 8.0).met is None
    assert required("x", None, "<=", 8.0, failed=True).met is False
    assert required("x", nan, ">=", 25.0).allowed == ">= 25"


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({}, False),
        ({"contests": (found_contest(24.9),)}, True),
        ({"contests": (found_contest(None),)}, False),  # without MuJoCo
        ({"contests": (found_contest(None, ours=False),)}, True),  # not accurate at any dt
        ({"contests": (replace(found_contest(), real_time_factor=59.0),)}, True),
        ({"contests": (replace(found_contest(1.0), required_ratio=None),)}, False),
        ({"growth": (replace(found_growth(), exponent=1.11),)}, True),
        ({"growth": (found_growth(failed=(200,)),)}, True),
        ({"crowd": Crowd(1.0, 1.6)}, True),
        ({"many": found_many(gain=1.7)}, True),
        ({"many": found_many(peer=200.0)}, True),
        ({"many": found_many(peer=None)}, False),  # without MuJoCo
        ({"memory": (Memory("memory", 500.0, False, 500.0),)}, True),
        ({"hybrid": Hybrid(7.0, 1.0, (), None)}, True),
    ],
)
def test_one_missed_requirement_is_enough(changed: dict[str, Any], missed: bool) -> None:
    found = benchmark(**changed)
    assert found.missed is missed
    assert as_data(found, (None, None))["status"] == ("missed" if missed else "ok")
    assert all(aim.met is False for aim in found.aims)  # none of these is 20 times real time


def test_the_machine_stays_anonymous() -> None:
    import platform

    assert platform.node() not in machine().values()
    assert machine()["numba"] is not None


def test_tables_are_made_from_the_file_alone(tmp_path: Path) -> None:
    changed = benchmark(growth=(found_growth(failed=(200,)),), contests=(*benchmark().contests, found_contest(None)))
    data = as_data(changed, (0.5, None))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    source, page = tmp_path / "bench.json", tmp_path / "page.md"
    write_json(source, data)
    command.main(["tables", str(source), str(page)])
    text = " ".join(page.read_text().split())  # columns are padded
    assert page.read_text() == as_page(data)
    assert "| lab/x: MuJoCo's time over ours | 30 | >= 25 | yes |" in text
    assert "| lab/x | fastest | 100 ms: dt = 10 ms, tolerance 0.001; error 0.02 % |" in text
    assert "| lab/x | fastest | 100 ms: dt = 10 ms, tolerance 0.001 | not installed | - | - |" in text
    assert "lab/x, fastest; the two limits are 0.01 mm apart:" in text
    assert "lab/x, fastest; limits 1.5 and 1.25 m:" in text
    assert "| 10 | 0.2 | 100 | 100 | 5 | 100 | 100 |" in text
    assert "| 5 | 0.000, 1.000 | a start failed | 100 | 50 | - | - | - | - |" in text
    assert "| 2 | failed | - | - | - | - | - | - | - |" in text
    assert "| 200 | failed | - | - | - |" in text
    assert "load 0.5 before and - after" in text


@pytest.mark.parametrize(
    ("text", "why"), [('{"schema_version": 6}', "schema_version is 6; should be 7"), ("| a |", "is no JSON")]
)
def test_other_files_are_refused(text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / "old.json"
    old.write_text(text)
    with pytest.raises(SystemExit) as leaving:
        command.main(["tables", str(old), str(tmp_path / "page.md")])
    assert leaving.value.code == 2
    assert why in capsys.readouterr().err


# --- the command ---


@pytest.mark.parametrize(("part", "name"), [("all", "bench"), ("spatial", "bench-spatial")])
@pytest.mark.parametrize("missed", [True, False])
def test_a_missed_requirement_gives_exit_code_one(
    part: str, name: str, missed: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = benchmark(contests=(found_contest(3.0 if missed else 30.0),))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(measure, "measure", lambda part, say: found)
    if missed:
        with pytest.raises(SystemExit) as leaving:
            command.main(["--part", part])
        assert leaving.value.code == 1
    else:
        command.main(["--part", part])
    folder = tmp_path / "results/bench"
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.json", f"{name}.md"]
    assert json.loads((folder / f"{name}.json").read_text())["status"] == ("missed" if missed else "ok")


def test_the_command_says_that_mujoco_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contest_module, "has_peer", lambda: False)
    monkeypatch.setattr(measure, "measure", lambda part, say: benchmark(contests=(found_contest(None),)))
    command.main([])
    captured = capsys.readouterr()
    assert "pushpoint[mujoco]" in captured.err
    assert "not measured" in captured.out


def test_the_part_decides_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("compared", "crowd", "many", "hybrid", "alignment", "startup", "memory"):
        monkeypatch.setattr(measure, name, lambda *asked: asked[0])
    monkeypatch.setattr(measure, "growth", lambda kinds, rounds, say: [kind.world for kind in kinds])
    monkeypatch.setattr(measure, "refuse_without_compiler", lambda: None)
    found = measure.measure("spatial", quiet)
    assert [case.ours for case in cast("tuple[Case, ...]", found.contests)] == ["spatial_stepping"] * 3
    assert (found.growth, found.memory) == (("in space",), (spatial.MEMORY,))
    assert (found.crowd, found.hybrid, found.startup) == (None, None, None)
    everything = measure.measure("all", quiet)
    assert (len(everything.contests), len(everything.growth), len(everything.memory)) == (7, 5, 2)
    assert as_page(as_data(Benchmark(), (None, None))).count("##") == 0


def test_interpreted_kernels_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    with pytest.raises(InvalidInput, match="NUMBA_DISABLE_JIT"):
        measure.refuse_without_compiler()
