"""The logic of the benchmark in space, with tiny runs. How long anything takes is not tested here."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf, isnan, nan

import numpy as np
import pytest

from pushpoint.bench import memory, space_creep, space_links
from pushpoint.bench import space as space_module
from pushpoint.bench.page import as_page
from pushpoint.bench.result import as_data, as_text
from pushpoint.bench.space import (
    LADDER,
    OUR_SETTINGS,
    PEER_SETTINGS,
    Runner,
    SpaceDuel,
    SpaceEffort,
    SpaceEntry,
    SpaceRung,
    chosen,
    limit_of,
    relative_error,
    space_duel,
)
from pushpoint.bench.space_creep import Creep, best_of_peer, creep, fastest_within, judged
from pushpoint.bench.space_links import LinkCost, SpaceGrowth, sidewinder, space_growth, space_memory
from pushpoint.bench.space_result import Space, space_requirements
from pushpoint.bench.space_runs import (
    OURS,
    PEER,
    STRAY,
    Case,
    Moved,
    around,
    ours_in_space,
    peer_in_space,
    sidewinding,
    square_links,
    undulation,
)
from pushpoint.bench.tables import show
from pushpoint.errors import PushpointError, SolverFailure
from pushpoint.simulation import Setup
from tests.unit.test_bench import benchmark, quiet

TINY = SpaceEffort(
    ladder=(1e-2, 5e-3, 2e-3),
    peer_settings=PEER_SETTINGS[:1],
    starts=2,
    accuracy=10.0,
    screening_rounds=1,
    rounds=1,
    ladder_rounds=1,
)


def short(case: Case, duration: float = 0.05) -> Case:
    return Case(case.scenario.with_overrides({"duration": duration}), case.link)


def rung(dt: float, error: float = 0.001, seconds: float = 0.1, moved: Moved | None = (0.0, 1.0)) -> SpaceRung:
    return SpaceRung(dt, moved, error, seconds)


def entry(plant: str, seconds: float) -> SpaceEntry:
    return SpaceEntry(plant, OUR_SETTINGS[0], rung(1e-2, seconds=seconds))


def found_duel(ours: float | None = 0.1, peer: float | None = 1.0) -> SpaceDuel:
    return SpaceDuel(
        scenario="lab/sideways",
        duration=15.0,
        link=5,
        accuracy=0.01,
        our_limit=1.0,
        peer_limit=nan if peer is None else 1.0,
        ours=None if ours is None else entry(OURS, ours),
        peer=None if peer is None else entry(PEER, peer),
        our_ladder=(rung(1e-2), rung(5e-3, inf), rung(2e-3, inf, moved=None)),
        peer_ladder=() if peer is None else (rung(1e-2),),
        tried=(),
    )


def found_creep(ours: float | None = 0.1, peer: float | None = 2.0) -> Creep:
    sides = [None if seconds is None else entry("", seconds) for seconds in (ours, peer)]
    return Creep("lab/creep", 13.5, 5, 0.16, 0.15, (rung(1e-2),), (rung(1e-2),), sides[0], sides[1])


def found_growth(exponent: float | None = 1.1, failed: tuple[int, ...] = ()) -> SpaceGrowth:
    return SpaceGrowth((LinkCost(20, 9.0, 0.45, 0.0, 4.0),), failed, exponent)


def found_space() -> Space:
    return Space(found_duel(), found_duel(peer=None), found_creep(), found_growth(), 150.0)


def ways(found: dict[float, Moved | None]) -> Runner:
    """A runner whose runs are known."""

    class Known(Runner):
        def run(self, dt: float, case: Case) -> tuple[Moved | None, float]:
            return found[dt], dt

    return Known(OURS, {}, [sidewinding()], limit=1.0)


def test_the_limit_is_the_mean_of_the_finest_that_finished() -> None:
    assert limit_of([(9.0, 0.0), (3.0, 4.0), (0.0, 6.0)]) == pytest.approx(5.5)
    assert limit_of([(0.0, 5.0), (0.0, 6.0), None]) == pytest.approx(5.5)
    assert isnan(limit_of([None, (0.0, 6.0), None]))


def test_errors_are_relative_and_infinite_for_failed_runs() -> None:
    assert relative_error((0.6, 0.8), 1.25) == pytest.approx(0.2)
    assert relative_error(None, 1.0) == inf
    assert relative_error((0.6, 0.8), nan) == inf


def test_starts_nearby_differ_a_little_and_repeat() -> None:
    case = sidewinding()
    first, second, third = around(case, 3)
    assert first is case
    shape = Setup.of(case.scenario).controller.initial_shape()
    assert shape is not None
    strays = [np.array(c.scenario.start.joint_angle) - shape for c in (second, third)]
    assert not np.array_equal(*strays)
    assert all(0 < np.abs(stray).max() <= STRAY for stray in strays)
    assert around(case, 3)[1].scenario == second.scenario
    assert around(case, 1) == [case]


def test_all_starts_have_to_be_accurate(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [short(sidewinding(), d) for d in (0.1, 0.2, 0.3)]
    far = {0.1: (0.0, 1.001), 0.2: (0.0, 1.05), 0.3: None}
    seen: list[float] = []

    def run(self: Runner, dt: float, case: Case) -> tuple[Moved | None, float]:
        seen.append(case.scenario.duration)
        return far[case.scenario.duration], 0.5

    monkeypatch.setattr(Runner, "run", run)
    runner = Runner(OURS, {}, cases, limit=1.0)
    assert runner.rung(1e-2, enough=0.01).error == pytest.approx(0.05)
    assert seen == [0.1, 0.2]  # the second was enough to know
    assert runner.rung(1e-2).error == inf
    assert runner.entry([1e-2], 0.01) is None


def test_the_largest_accurate_step_is_chosen() -> None:
    runner = ways({1e-2: None, 5e-3: (0.0, 1.02), 2e-3: (0.0, 0.995), 1e-3: (0.0, 1.0)})
    found = runner.entry([1e-3, 2e-3, 5e-3, 1e-2], 0.01)
    assert found is not None
    assert found.rung.dt == 2e-3


def test_the_ladder_divides_the_control_period() -> None:
    for case in (sidewinding(), square_links(), undulation()):
        parts = [case.scenario.control_period / dt for dt in LADDER]
        assert parts == pytest.approx([round(part) for part in parts])
        assert case.link < len(Setup.of(case.scenario).robot.links)


def test_both_plants_give_the_same_displacement() -> None:
    pytest.importorskip("mujoco")
    case = short(sidewinding(), 0.5)
    ours, theirs = ours_in_space(case, 1e-3, OUR_SETTINGS[0])(), peer_in_space(case, 1e-3, PEER_SETTINGS[0])()
    assert ours is not None
    assert theirs is not None
    assert np.allclose(ours, theirs, atol=2e-3)


def test_a_duel_in_space() -> None:
    pytest.importorskip("mujoco")
    found = space_duel(short(undulation(), 0.1), TINY, quiet)
    assert found.ours is not None
    assert found.peer is not None
    assert found.ratio == pytest.approx(found.peer.rung.wall_time_s / found.ours.rung.wall_time_s)
    assert found.real_time_factor == pytest.approx(0.1 / found.ours.rung.wall_time_s)
    assert [r.dt for r in found.our_ladder] == [r.dt for r in found.peer_ladder] == list(TINY.ladder)


def test_without_mujoco_there_is_no_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space_module, "has_peer", lambda: False)
    monkeypatch.setattr(space_creep, "has_peer", lambda: False)
    case = short(undulation(), 0.1)
    found = space_duel(case, TINY, quiet)
    assert found.ours is not None
    assert (found.peer, found.ratio, found.peer_ladder) == (None, None, ())
    crept = creep(case, quiet, TINY.ladder, rounds=1)
    assert (crept.ours, crept.peer, crept.ratio) == (None, None, None)


def test_the_ladder_is_the_winners() -> None:
    who = [Runner(PEER, settings, []) for settings in PEER_SETTINGS[:2]]
    assert chosen(who, SpaceEntry(PEER, PEER_SETTINGS[1], rung(1e-3))) is who[1]
    assert chosen(who, None) is who[0]
    assert chosen([], None) is None


def test_creep_compares_at_the_best_error_of_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, limit = judged(ways({1e-2: (0.0, 0.5), 5e-3: (0.0, 0.9), 2e-3: (0.0, 1.1)}), (1e-2, 5e-3, 2e-3))
    assert limit == pytest.approx(1.0)
    assert [r.error for r in theirs] == pytest.approx([0.5, 0.1, 0.1])
    loose = {"newton": rung(5e-3, 0.11, 1e-3), "cg": rung(5e-3, 0.5, 1e-4)}
    monkeypatch.setattr(Runner, "rung", lambda self, dt: loose[self.settings["solver"]])
    best = best_of_peer(undulation(), theirs, limit)
    assert best is not None
    assert (best.rung, best.settings["tolerance"]) == (loose["newton"], 1e-4)  # cg is faster, and too far off
    ours = (rung(1e-2, 0.3, 0.1), rung(5e-3, 0.05, 0.2), rung(2e-3, 0.01, 0.4))
    within = fastest_within(ours, best.rung.error)
    assert within is not None
    assert within.rung is ours[1]
    assert fastest_within(ours, 0.001) is None
    assert best_of_peer(undulation(), (), nan) is None


def test_growth_in_space_goes_on_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space_links, "SETTLING_STEPS", 10)
    settled = space_links.settled

    def failing(run: space_links.Prepared, steps: int) -> space_links.Settled:
        if run.setup.bodies == 5:
            raise SolverFailure("too long")
        return settled(run, steps)

    monkeypatch.setattr(space_links, "settled", failing)
    found = space_growth(quiet, sizes=(3, 4, 5), rounds=1)
    assert [c.links for c in found.costs] == [3, 4]
    assert all(c.us_per_step > 0 for c in found.costs)
    assert found.failed == (5,)
    assert found.exponent is not None


def test_memory_is_that_of_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(memory, "is_told", lambda: True)
    monkeypatch.setattr(space_links, "in_new_process", lambda code, env: asked.append(code) or {"megabytes": 7})
    assert space_memory(quiet) == 7.0
    compile(asked[0], "memory", "exec")
    assert "sidewinder(50)" in asked[0]
    assert '"duration": 60.0' in asked[0]

    def failing(code: str, env: object) -> dict[str, float]:
        raise PushpointError("failed")

    monkeypatch.setattr(space_links, "in_new_process", failing)
    assert space_memory(quiet) is None
    monkeypatch.setattr(memory, "is_told", lambda: False)
    assert space_memory(quiet) is None


@pytest.mark.skipif(not memory.is_told(), reason="only Linux tells")
def test_the_peak_is_at_least_what_is_held_now() -> None:
    assert 1.0 < memory.held("VmRSS") <= memory.held("VmHWM")


def test_long_robots_wind_sideways() -> None:
    setup = Setup.of(sidewinder(20))
    assert setup.bodies == 20
    assert setup.joints == 38


@pytest.mark.parametrize(
    ("changed", "met"),
    [
        ({}, [True, True, True, True, True]),
        ({"sidewinding": found_duel(ours=0.26, peer=9.0)}, [False, True, True, True, True]),
        ({"sidewinding": found_duel(peer=0.79)}, [True, False, True, True, True]),
        ({"sidewinding": found_duel(peer=None)}, [True, None, True, True, True]),
        ({"sidewinding": found_duel(ours=None)}, [False, False, True, True, True]),
        ({"creep": found_creep(peer=0.9)}, [True, True, False, True, True]),
        ({"creep": found_creep(ours=None)}, [True, True, False, True, True]),
        ({"creep": found_creep(ours=None, peer=None)}, [True, True, None, True, True]),
        ({"growth": found_growth(1.21)}, [True, True, True, False, True]),
        ({"growth": found_growth(None)}, [True, True, True, None, True]),
        ({"growth": found_growth(1.0, (200,))}, [True, True, True, False, True]),
        ({"memory_mb": 200.0}, [True, True, True, True, False]),
        ({"memory_mb": None}, [True, True, True, True, None]),
    ],
)
def test_requirements_in_space(changed: dict[str, object], met: list[bool | None]) -> None:
    space = replace(found_space(), **changed)
    assert [r.met for r in space_requirements(space)] == met
    assert benchmark(space=space).missed is (False in met)


def test_results_in_space_are_plain_json_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    space = replace(found_space(), growth=found_growth(failed=(200,)), square_links=found_duel(ours=None, peer=None))
    data = as_data(benchmark(space=space))
    assert json.loads(as_text(data)) == data
    assert data["space"]["runs"][0]["ratio"] == pytest.approx(10.0)
    assert data["space"]["runs"][0]["our_ladder"][2]["error"] is None
    page = as_page(data)
    assert "| lab/sideways: simulated over wall time | 150 | >= 60 | yes |" in page
    assert "a start failed" in page
    assert "| 200 | failed | - | - |" in page
    show(benchmark(space=space))
    out = capsys.readouterr().out
    assert "10.0 times faster" in out
    assert "a start failed" in out
    assert "nothing to compare" in out
