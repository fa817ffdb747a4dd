"""`pushpoint study`: files, exit codes, and bad input in one line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import pushpoint as pp
from pushpoint.cli.study import parsed_seeds
from pushpoint.errors import InvalidInput
from pushpoint.studies import Results, Row
from pushpoint.studies.results import load
from tests.unit.conftest import Shell

TRACK = "transeth2008a/track"
SHORT = ("study", "run", TRACK, "--set", "duration=0.1", "--processes", "1")


@pytest.mark.parametrize(
    ("text", "seeds"), [("3", [0, 1, 2]), ("2:5", [2, 3, 4]), ("3,5,8", [3, 5, 8]), ("7,", [7]), ("0:1", [0])]
)
def test_seeds(text: str, seeds: list[int]) -> None:
    assert parsed_seeds(text) == seeds
    with pytest.raises(InvalidInput, match="20, 0:100 or 3,5,8"):
        parsed_seeds(f"{text}x")


def test_study_run_writes_files_and_one_json_object_and_show_repeats_it(shell: Shell, tmp_path: Path) -> None:
    changes = ("--variant", "base", "--variant", "wave:controller.offset=[[0, 0],[2, 0.1]],servo.stiffness=700")
    wanted = ("--measure", "distance", "--measure", "link_coordinate:link=5,axis=x,time=0.1")
    code, out, err = shell(
        *SHORT, "--seeds", "6", "--jitter", "1e-4", *changes, *wanted, "--beyond", "distance=1e-3", "--json"
    )
    assert code == 0, err
    found = json.loads(out)
    assert (found["scenario"], found["status"], len(found["runs"])) == (TRACK, "ok", 12)
    assert found["variants"]["wave"]["against_first"]["distance"]["pairs"] == 6
    assert found["variants"]["base"]["columns"]["distance"]["share"]["count"] in range(7)
    folder = tmp_path / "results" / "study-transeth2008a-track"
    files = ["figure.png", "runs.csv", "study.sqlite", "study.yaml", "summary.json"]
    assert sorted(p.name for p in folder.iterdir()) == files
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    study = load(folder).study
    assert study.variants["wave"] == {"controller.offset": [[0, 0], [2, 0.1]], "servo.stiffness": 700}
    assert study.overrides == {"duration": 0.1, "start.jitter": 1e-4}
    code, out, _ = shell("study", "show", str(folder), "--json")
    assert code == 0
    assert (
        json.loads(out)["variants"]
        == found["variants"]
        == json.loads((folder / "summary.json").read_text())["variants"]
    )
    code, out, _ = shell("study", "show", str(folder), "--beyond", "link_coordinate=0.5")
    assert code == 0
    assert "against base, seed by seed" in out
    assert "> 0.5" in out


def test_a_study_file_is_run_and_options_replace_its_fields(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(pp.scenarios.scenarios[TRACK].to_yaml(), encoding="utf-8")
    text = "scenario: own.yaml\nseeds: [4, 5]\noverrides: {duration: 0.5}\nvariants: {a: , b: {seed_free: 1}}\n"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    code, out, err = shell("study", "run", "study.yaml", "--set", "duration=0.02", "--variant", "c", "--processes", "1")
    assert code == 0, err
    assert "distance" in out
    assert "nothing here depends on the seed" in err
    assert "against" not in out
    found = load(tmp_path / "results" / "study-transeth2008a-track")
    assert [(row.variant, row.seed) for row in found.rows] == [("c", 4), ("c", 5)]
    assert found.study.overrides == {"duration": 0.02}
    code, _, err = shell("study", "run", "study.yaml")
    assert (code, "variant 'b'" in err) == (2, True)
    code, _, err = shell("study", "run", "own.yaml", "--set", "duration=0.02", "--seeds", "1", "--processes", "1")
    assert code == 0, err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seeds", "5:2"), "gives 0 seeds"),
        (("--seeds", "99999999"), "should be 1 to 1000000"),
        (("--seeds", "many"), "20, 0:100 or 3,5,8"),
        (("--variant", "odd:controller.frequenzy=1"), "Did you mean 'controller.frequency'"),
        (("--variant", "odd:controler.frequency=1"), "Did you mean 'controller'"),
        (("--variant", "a=1"), "label:key=value"),
        (("--variant", "a:b"), "must look like key=value"),
        (("--measure", "distanc"), "Did you mean 'distance'"),
        (("--measure", "mean_speed:axis=x"), "needs start, end"),
        (
            ("--measure", "mean_speed:axis=x,start=0,end=late"),
            "error: measures.0.options.end = 'late': should be a valid",
        ),
        (("--set", "plant.tolerance=1"), "plant.tolerance = 1: should be less than or equal to"),
        (("--jitter", "-1"), "start.jitter = -1.0"),
        (("--beyond", "distence=1"), "Did you mean 'distance'"),
        (("--beyond", "distance=far"), "should be a valid number"),
        (("--processes", "0"), "processes = 0"),
    ],
)
def test_bad_input_is_reported_in_one_line(shell: Shell, words: tuple[str, ...], message: str) -> None:
    code, out, err = shell(*SHORT, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_files_that_are_no_study(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- 1\n", encoding="utf-8")
    (tmp_path / "odd.yaml").write_text(f"scenario: {TRACK}\noverrides: 3\n", encoding="utf-8")
    for words in (
        ("run", "missing.yaml"),
        ("run", "list.yaml"),
        ("run", "odd.yaml"),
        ("show", "."),
        ("show", "missing"),
    ):
        code, out, err = shell("study", *words)
        assert (code, out) == (2, ""), words
        assert err.count("\n") == 1, words


def test_failures_and_interrupts_are_reported(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    good = Row("base", 0, "ok", "", 0.1, {"distance": 1.0})
    bad = Row("base", 1, "failed", "stopped at t = 1 s", 0.1)

    def replaced(rows: tuple[Row, ...], interrupted: bool = False) -> tuple[int, str, str]:
        monkeypatch.setattr("pushpoint.studies.run", lambda study, *_, **__: Results(study, rows, interrupted))
        return shell(*SHORT, "--seeds", "2", "--measure", "distance", "--json")

    code, out, err = replaced((good, bad))
    assert (code, json.loads(out)["status"]) == (0, "ok")
    assert "1 of 2 runs failed; 'base', seed 1: stopped at t = 1 s" in err
    code, out, err = replaced((replace(bad, seed=0), bad))
    assert (code, json.loads(out)["status"]) == (3, "failed")
    code, out, err = replaced((good,), interrupted=True)
    assert (code, json.loads(out)["status"]) == (130, "interrupted")
    assert "interrupted after 1 of 2 runs" in err


def test_run_study_in_python() -> None:
    found = pp.run_study(TRACK, {"duration": 0.02}, seeds=2, measures=["distance"], processes=1)
    assert [row.seed for row in found.rows] == [0, 1]
    assert found.seeds_do_nothing
    again = pp.run_study(found.study, {"start.jitter": 1e-4}, processes=1)
    assert again.study == found.study.model_copy(update={"overrides": {"duration": 0.02, "start.jitter": 1e-4}})
    assert not again.seeds_do_nothing
    assert pp.run_study(found.study.base_scenario, {"duration": 0.02}, seeds=1, processes=1).rows[0].status == "ok"


def test_failed_runs_are_shown_apart_and_their_share_is_explained(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = (
        Row("base", 0, "ok", "", 0.1, {"distance": 2.0}, accepted=4),
        Row("base", 1, "ok", "", 0.1, {"distance": 0.5}),
        Row("base", 2, "failed", "planar_hybrid stopped at t = 1 s", 0.1),
    )
    monkeypatch.setattr("pushpoint.studies.run", lambda study, *_, **__: Results(study, rows))
    words = (*SHORT, "--seeds", "3", "--measure", "distance", "--beyond", "distance=1")
    code, out, err = shell(*words, "--out", str(tmp_path))
    assert code == 0
    assert "2 + 1 failed" in out
    assert "planar_hybrid stopped at t = 1 s" in out
    assert "base: distance is above 1 in 1 of 2 runs that ended; 1 failed run counts as not above: 1 of 3" in out
    assert "base: 4 steps in 1 of 3 runs were not solved to the tolerance, but accepted" in out
    assert "a share counts failed runs as not above" in out
    assert "1 of 3 runs failed; 'base', seed 2" in err
    code, again, _ = shell("study", "show", str(tmp_path))
    assert code == 0
    assert again.strip() == out.strip()
