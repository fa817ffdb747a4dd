"""Searches: fields and aims, trials that are kept and gone on with, failures, figures, bad input."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput
from pushpoint.search import Found, Range, Search, Trial
from pushpoint.search import store as search_store
from pushpoint.search.engine import run_search
from tests.unit.conftest import Shell

pytest.importorskip("optuna")
FLAT = "transeth2008a/flat"
ASKED: dict[str, Any] = {
    "scenario": FLAT,
    "overrides": {"duration": 0.1},
    "vary": {"controller.amplitude": [0.2, 0.9], "controller.frequency": {"low": 0.5, "high": 5.0, "log": True}},
    "aims": [{"measure": "largest_bend"}],
    "trials": 6,
}


@pytest.fixture(autouse=True)
def known_optimum() -> Any:
    """A measure whose optimum is known: what the gait asks for at most."""

    @pp.register_measure("rad")
    def largest_bend(run: pp.Recording) -> float:
        return float(np.abs(run.data["joint_reference"].values).max())

    yield
    del pp.analysis.measures._items["largest_bend"]


def search(**fields: Any) -> Search:
    return Search.parse(ASKED | fields)


def test_a_search_finds_the_end_of_a_range_that_is_best() -> None:
    found = run_search(search(trials=24), at_once=6)
    assert len(found.done) == 24
    assert found.best.values["controller.amplitude"] > 0.8
    assert found.best.aims[0] == max(trial.aims[0] for trial in found.done)
    least = run_search(search(trials=24, aims=[{"measure": "largest_bend", "want": "least"}]), at_once=6)
    assert least.best.values["controller.amplitude"] < 0.3


def test_the_same_seed_proposes_the_same() -> None:
    first, again = (run_search(search(seed=3), at_once=3) for _ in range(2))
    other = run_search(search(seed=4), at_once=3)
    assert first.trials == again.trials
    assert first.trials != other.trials


def test_known_values_come_first() -> None:
    known = {"controller.amplitude": 0.3, "controller.frequency": 1.5}
    found = run_search(search(first=[known]), at_once=3)
    assert found.trials[0].values == known
    assert len(found.done) == 6


def test_a_store_is_gone_on_with(tmp_path: Path) -> None:
    first = run_search(search(), tmp_path)
    more = run_search(search(trials=9), tmp_path)
    assert more.trials[:6] == first.trials
    assert len(more.trials) == 9
    assert len({tuple(trial.values.values()) for trial in more.trials}) == 9  # none is proposed twice
    assert run_search(search(trials=9), tmp_path).trials == more.trials  # nothing is left to do


def test_a_store_of_another_search_is_refused(tmp_path: Path) -> None:
    run_search(search(), tmp_path)
    other = search(vary={"controller.amplitude": [0.2, 0.8]})
    with pytest.raises(InvalidInput, match="the store holds another search"):
        run_search(other, tmp_path)
    (tmp_path / "search.db").write_text("no data base")
    with pytest.raises(InvalidInput, match="cannot be used"):
        run_search(search(), tmp_path)


def test_interrupted_trials_are_made_again(tmp_path: Path) -> None:
    calls = []

    def interrupt(found: Found) -> None:
        calls.append(len(found.trials))
        os.kill(os.getpid(), signal.SIGINT)

    part = run_search(search(), tmp_path, at_once=2, watch=interrupt)
    assert part.signal == signal.SIGINT
    assert calls == [2]
    whole = run_search(search(), tmp_path, at_once=2)
    assert whole.signal is None
    assert len(whole.done) == 6


def test_trials_of_a_killed_process_are_made_again(tmp_path: Path) -> None:
    asked = search(trials=2)
    study = search_store.open_store(asked, tmp_path, None)
    trial = study.ask()
    trial.set_user_attr(search_store.OWNER, search_store.owner().rpartition(" ")[0] + f" {2**22 + 1}")
    found = run_search(asked, tmp_path)
    assert [trial.status for trial in found.trials] == ["failed", "ok", "ok"]
    assert found.trials[0].reason == search_store.INTERRUPTED


def test_failures_are_trials_with_their_reason() -> None:
    @pp.register_measure()
    def undefined(run: pp.Recording) -> float:
        bend = float(np.abs(run.data["joint_reference"].values).max())
        if bend > 0.6:
            raise ValueError("too much")
        return float("nan") if bend > 0.4 else bend

    try:
        found = run_search(search(aims=[{"measure": "undefined"}], trials=12))
    finally:
        del pp.analysis.measures._items["undefined"]
    reasons = {trial.reason.partition(": ")[2] for trial in found.trials if trial.status == "failed"}
    assert any("too much" in reason for reason in reasons)
    assert "undefined is not a number" in reasons
    assert len(found.trials) == 12


def test_values_that_cannot_go_together_fail_alone() -> None:
    """Starts that overlap a pipe are known when the run begins."""
    asked = {"scenario": "transeth2008a/track", "overrides": {"duration": 0.05}, "trials": 8, "aims": ASKED["aims"]}
    found = run_search(asked | {"vary": {"start.angle": [0.1, 1.5]}})
    assert {trial.status for trial in found.trials} == {"failed"}
    assert all("overlap" in trial.reason for trial in found.trials)
    with pytest.raises(InvalidInput, match="none of 8 trials"):
        _ = found.best


def test_trials_that_do_worse_are_ended() -> None:
    found = run_search(search(trials=40, seeds=4, prune=True, sampler="random"), at_once=4)
    ended = [trial for trial in found.trials if trial.status == "pruned"]
    assert ended
    assert all("worse than others after" in trial.reason for trial in ended)
    assert max(trial.values["controller.amplitude"] for trial in ended) < found.best.values["controller.amplitude"]


def test_a_share_of_runs_is_an_aim() -> None:
    found = run_search(search(aims=[{"measure": "largest_bend", "beyond": 0.5}], trials=10, sampler="random"))
    shares = {trial.values["controller.amplitude"] > 0.52: trial.aims[0] for trial in found.done}
    assert shares == {False: 0.0, True: 1.0}


def trial(number: int, *aims: float) -> Trial:
    return Trial(number, {"controller.amplitude": 0.5, "controller.frequency": 1.0}, aims, "ok")


def test_a_front_is_what_nobody_beats() -> None:
    both = search(aims=[{"measure": "largest_bend"}, {"measure": "peak_joint_torque", "want": "least"}])
    trials = (trial(0, 1.0, 1.0), trial(1, 2.0, 3.0), trial(2, 2.0, 4.0), trial(3, 0.5, 1.0), trial(4, 1.0, 1.0))
    assert [each.number for each in Found(both, trials).front] == [0, 1, 4]
    assert Found(both, trials).best.number == 1
    found = run_search(both)
    assert {len(each.aims) for each in found.done} == {2}


@pytest.mark.parametrize("sampler", ["random", "sobol", "cma-es", "nsga2"])
def test_samplers(sampler: str) -> None:
    assert len(run_search(search(sampler=sampler, trials=3)).done) == 3


def test_a_search_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "search.yaml"
    path.write_text(search(seeds=3, sampler="sobol").to_yaml())
    assert Search.from_yaml(path) == search(seeds=3, sampler="sobol")


def test_what_is_saved_runs(tmp_path: Path) -> None:
    found = run_search(search())
    files = found.save(tmp_path)
    best = pp.simulate(files["best"])
    assert best.scenario.controller.options["amplitude"] == found.best.values["controller.amplitude"]
    lines = Path(files["trials"]).read_text().splitlines()
    assert lines[0] == "trial,status,controller.amplitude,controller.frequency,largest_bend,reason"
    assert len(lines) == 7


WRONG = [
    ({"vary": {}}, "vary"),
    ({"vary": {"controller.amplitude": [0.9, 0.2]}}, "low = 0.9 should be less than high = 0.2"),
    ({"vary": {"controller.amplitude": [0.9]}}, r"should be \[low, high\]"),
    ({"vary": {"controller.amplitude": {"low": -1.0, "high": 1.0, "log": True}}}, "should be positive"),
    ({"vary": {"controller.amplitude": {"low": 0.5, "high": 1.5, "whole": True}}}, "whole numbers"),
    ({"vary": {"controller.amplitude": {"low": 0.5, "choices": [1, 2]}}}, "either choices"),
    ({"aims": []}, "aims"),
    ({"aims": [{"measure": "largest_band"}]}, "Did you mean 'largest_bend'"),
    ({"aims": [{"measure": "displacement"}]}, "needs axis"),
    ({"aims": ASKED["aims"] * 2}, "is there twice"),
    ({"aims": [{"measure": "largest_bend", "want": "much"}]}, "want"),
    ({"trials": 0}, "trials"),
    ({"first": [{"controller.amplitude": 0.3}]}, "should be all that varies"),
    ({"sampler": "best"}, "sampler"),
    ({"prune": True}, "there have to be several"),
    ({"scenario": "transeth2008a/flatt"}, "Did you mean"),
    ({"overrides": {"seed": 3}}, "seeds are a field"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG)
def test_bad_input_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        search(**fields)


@pytest.mark.parametrize(
    ("key", "values", "message"),
    [
        ("controller.amplitud", [0.1, 0.2], "Did you mean 'controller.amplitude'"),
        ("controller.amplitude", [0.1, 99.0], r"vary.controller.amplitude = 99.0: .*half a turn|pi rad"),
        ("world.ground.friction", [-0.1, 0.2], "vary.world.ground.friction = -0.1"),
    ],
)
def test_fields_are_tried_before_the_search(key: str, values: list[float], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=message):
        run_search(search(vary={key: values}), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_ranges_know_their_ends() -> None:
    assert Range(low=1.0, high=3.0, whole=True).ends() == (1, 3)
    assert Range(choices=("a", "b")).ends() == ("a", "b")


def test_the_command(shell: Shell, tmp_path: Path) -> None:
    words = ("search", "run", FLAT, "--vary", "controller.amplitude=0.2:0.9", "--most", "largest_bend",
             "--set", "duration=0.1", "--trials", "5", "--out", "found", "--json")  # fmt: skip
    code, out, err = shell(*words)
    assert code == 0, err
    answer = json.loads(out)
    assert answer["status"] == "ok"
    assert len(answer["trials"]) == 5
    assert answer["best"]["aims"]["largest_bend"] == max(row["largest_bend"] for row in answer["trials"])
    assert all(Path(path).is_file() for path in answer["files"].values())
    code, out, err = shell("search", "show", "found")
    assert code == 0, err
    assert "5 trials (5 ok)" in out
    assert "largest_bend" in out
    assert " rad " in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", FLAT, "--most", "largest_bend"), "vary: nothing is given"),
        (("run", FLAT, "--vary", "controller.amplitude=0.2:0.9"), "aims: nothing is given"),
        (("run", FLAT, "--vary", "controller.amplitude"), "should look like"),
        (("run", FLAT, "--vary", "controller.amplitude=0.2:a"), "should look like"),
        (("show", "nothing"), "holds no search"),
        (("show",), "give the folder"),
    ],
)
def test_wrong_commands_say_so_in_a_line(shell: Shell, words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    code, out, err = shell("search", *words)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_store_is_one_file_of_sqlite(tmp_path: Path) -> None:
    run_search(search(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["search.db"]
    with sqlite3.connect(tmp_path / "search.db") as base:
        assert base.execute("select count(*) from trials").fetchone() == (6,)
