"""Stores of studies: every run once, at once, and whole; what is there is not made again."""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.errors import InvalidInput
from pushpoint.studies import Row, Study, batches, run
from pushpoint.studies.export import exported, to_xarray
from pushpoint.studies.keys import RunKeys, base_key
from pushpoint.studies.progress import Pace
from pushpoint.studies.results import StoredRows, load
from pushpoint.studies.store import LEASE, Store, StoredRun
from tests.unit.conftest import Shell

FLAT = "transeth2008a/flat"
AMPLITUDE = "controller.amplitude"
TINY: dict[str, Any] = {
    "scenario": FLAT,
    "overrides": {"duration": 0.02, "start.jitter": 1e-4},
    "measures": ["distance", "mean_speed_x"],
}


def tiny(**fields: Any) -> Study:
    return Study(**(TINY | {"seeds": 3} | fields))


def made(study: Study, folder: Path, **options: Any) -> list[Row]:
    return list(run(study, 1, folder=folder, **options).rows)


def without_clock(rows: Any) -> list[Row]:
    return [replace(row, wall_time_s=0.0) for row in rows]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of the runs that are made."""
    found: list[int] = []
    give = batches._Part._give

    def noted(part: batches._Part, k: int, *rest: Any) -> None:
        found.append(part.runs[k][0])
        give(part, k, *rest)

    monkeypatch.setattr(batches._Part, "_give", noted)
    return found


def stored(key: str, **fields: Any) -> StoredRun:
    return StoredRun(key, "base", 0, 0, {}, "ok", "", 0.5, 0, {"distance": 1.0}, {}, None)._replace(**fields)


# --- runs ---


def test_what_is_there_is_not_made_again(tmp_path: Path, counted: list[int]) -> None:
    rows = made(tiny(), tmp_path)
    assert sorted(counted) == [0, 1, 2]
    assert made(tiny(), tmp_path) == rows == list(load(tmp_path).rows)
    more = made(tiny(seeds=(4, 2, 1, 0)), tmp_path)  # another study of the same scenario: its other runs are there
    assert len(counted) == 4
    assert [row.seed for row in more] == [4, 2, 1, 0]
    assert without_clock(more)[1:] == without_clock(reversed(rows))
    assert without_clock(run(tiny(), 1).rows) == without_clock(rows)  # in memory
    made(tiny(measures=["distance"]), tmp_path)  # other measures: other runs
    assert len(counted) == 4 + 3 + 3


def test_equal_variants_and_points_are_made_once_and_said(shell: Shell, tmp_path: Path, counted: list[int]) -> None:
    words = ("--seeds", "2", "--jitter", "1e-4", "--set", "duration=0.02", "--processes", "1", "--measure", "distance")
    equal = ("--variant", "a", "--variant", "b", "--variant", "c:title=other", "--sweep", "source=x,y,x")
    code, _, err = shell("study", "run", FLAT, *words, *equal, "--out", str(tmp_path / "s"))
    assert code == 0, err
    assert len(counted) == 2 * 2 * 2  # of three variants and three points two are different
    assert "variants 'a' and 'b' and 'c' are equal in all runs" in err
    assert "no run depends on source" in err
    found = load(tmp_path / "s")
    assert len(found.rows) == found.study.runs == 18


def test_rows_in_a_store_are_a_sequence(tmp_path: Path) -> None:
    rows = run(tiny(seeds=7, sweep={AMPLITUDE: [0.3, 0.5]}), 1, folder=tmp_path).rows
    assert isinstance(rows, StoredRows)
    whole = list(rows)
    assert (len(rows), rows[0], rows[-1], rows[3]) == (14, whole[0], whole[-1], whole[3])
    assert rows[2:5] == tuple(whole[2:5])
    assert rows == tuple(whole)
    assert rows != tuple(whole[1:])
    assert [row.settings for row in whole] == [{AMPLITUDE: a} for a in (0.3, 0.5) for _ in range(7)]
    with pytest.raises(IndexError):
        rows[14]


def test_odd_numbers_survive(tmp_path: Path) -> None:
    store = Store(tmp_path, create=True)
    entry = store.enter(tiny().to_yaml(), "k")
    values = {"distance": math.inf, "mean_speed_x": math.nan, "x": 0.1 + 0.2, "y": -math.inf}
    store.land(entry.id, [stored("one", values=values, message='"odd"\n', seed=2**63 - 1, events={"jam": 2})])
    found = store.runs(["one"])["one"]
    assert str(found.values) == str(values)
    assert (found.message, found.seed, found.events) == ('"odd"\n', 2**63 - 1, {"jam": 2})
    store.close()


def test_recordings_are_kept_beside_the_store(tmp_path: Path, counted: list[int]) -> None:
    made(tiny(seeds=2), tmp_path)
    rows = made(tiny(seeds=2, recordings="keep"), tmp_path)
    assert len(counted) == 4  # the rows were there, their recordings were not
    for row in rows:
        kept = pp.load(tmp_path / "recordings" / row.recording)
        assert (kept.scenario.seed, kept.metrics()["distance"]) == (row.seed, row.values["distance"])
    made(tiny(seeds=2, recordings="keep"), tmp_path)
    assert len(counted) == 4
    with pytest.raises(InvalidInput, match="no folder to keep them in"):
        run(tiny(recordings="keep"), 1)


def test_points_that_cannot_run_are_refused_or_rows(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"duration = 0\.0333"):
        run(tiny(overrides={}, sweep={"duration": [0.02, 0.0333]}), 1, folder=tmp_path / "refused")
    assert not (tmp_path / "refused").exists()
    rows = made(tiny(overrides={}, seeds=1, sweep={"duration": [0.02, 0.0333, 0.04]}), tmp_path)
    assert [row.status for row in rows] == ["ok", "failed", "ok"]
    assert "not a multiple" in rows[1].message


def test_keys_depend_on_all_that_numbers_depend_on(tmp_path: Path) -> None:
    base = base_key(tiny())
    assert base == base_key(tiny(seeds=9, variants={"x": {"duration": 1.0}}, beyond={"distance": 1.0}))
    assert base != base_key(tiny(measures=["distance"]))
    assert base != base_key(tiny(scenario="transeth2008a/track"))
    (tmp_path / "mine.py").write_text("# nothing\n")
    pp.load_code(tmp_path / "mine.py")
    try:
        assert base != base_key(tiny())
    finally:
        pp.user_code.keep_only([])
    table = tmp_path / "pegs.csv"
    keys = []
    for text in ("x,y,radius\n9,9,0.1\n", "x,y,radius\n9,8,0.1\n"):
        table.write_text(text)
        changed = tiny(variants={"csv": {"world": {"name": "csv", "options": {"path": str(table)}}}})
        keys.append(RunKeys(changed, base)[0])
    assert keys[0] != keys[1]


# --- masters ---


def test_a_run_is_claimed_by_one_master(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Store(tmp_path, create=True), Store(tmp_path, create=True)
    other._master = "elsewhere-1-0"  # on another machine: nobody can ask whether it is alive
    study = one.enter(tiny().to_yaml(), "k").id
    assert one.claim(["a", "b"]) == ({"a", "b"}, set())
    assert one.claim(["a", "c"]) == ({"c"}, set())  # its own are being made
    assert other.claim(["b", "d"]) == ({"d"}, {"b"})
    assert one.claim(["d"]) == (set(), {"d"})
    one.land(study, [stored("a"), stored("b")])
    other.land(study, [stored("b", message="twice")])
    assert other.claim(["a", "b"]) == (set(), set())
    assert other.runs(["b"])["b"].message == ""
    now = time.time()
    monkeypatch.setattr("pushpoint.studies.store.time.time", lambda: now + 2 * LEASE)
    assert one.claim(["d"]) == ({"d"}, set())  # it was not renewed
    one.close()
    assert other.claim(["c"]) == ({"c"}, set())  # given back
    other.close()


def test_claims_of_a_dead_master_are_free_at_once(tmp_path: Path) -> None:
    store = Store(tmp_path, create=True)
    store._master = store._master.replace(f"-{os.getpid()}-", "-99999999-")
    store.claim(["a"])
    again = Store(tmp_path)
    assert again.claim(["a"]) == ({"a"}, set())
    again.close()
    store.close()


# --- bad stores ---


def other_version(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")


def other_database(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE cats (name TEXT)")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (other_version, "has schema version 99; this version of pushpoint reads 1"),
        (other_database, "is no store of a study, but another database"),
        (lambda path: path.write_bytes(b"no database at all" * 100), "file is not a database"),
        (lambda path: path.write_bytes(path.read_bytes()[:-4096]), "study.sqlite"),
    ],
)
def test_stores_that_cannot_be_used_are_one_line(
    spoil: Callable[[Path], None], message: str, shell: Shell, tmp_path: Path
) -> None:
    made(tiny(seeds=1), tmp_path / "s")
    spoil(tmp_path / "s" / "study.sqlite")
    before = (tmp_path / "s" / "study.sqlite").read_bytes()
    words = ("--set", "duration=0.02", "--seeds", "1", "--processes", "1", "--out", "s")
    for command in (("show", "s"), ("resume", "s"), ("export", "s", "--to", "csv"), ("run", FLAT, *words)):
        code, out, err = shell("study", *command)
        assert (code, out) == (2, ""), err
        assert err.startswith("error: ")
        assert message in err
        assert err.count("\n") == 1
        assert (tmp_path / "s" / "study.sqlite").read_bytes() == before


def test_a_full_disk_leaves_whole_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own limit of pages stands for the disk; the study goes on when there is room."""
    connect = sqlite3.connect

    def small(*words: Any, **options: Any) -> sqlite3.Connection:
        database = connect(*words, **options)
        database.execute("PRAGMA max_page_count = 8")
        return database

    study = tiny(seeds=60, measures=[])
    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(InvalidInput, match=r"full.*all runs until now are kept") as refused:
        run(study, 1, folder=tmp_path)
    assert "\n" not in str(refused.value)
    monkeypatch.undo()
    kept = load(tmp_path)
    assert kept.interrupted
    assert 0 < len(kept.rows) < 60
    whole = run(study, 1, folder=tmp_path)
    assert not whole.interrupted
    assert without_clock(whole.rows[:5]) == without_clock(run(tiny(seeds=5, measures=[]), 1).rows)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cluster", "tcp://127.0.0.1:1"), "cannot be reached"),
        (("--cluster", "slurm"), "run-on-a-cluster.md"),
        (("--cluster", "somewhere"), "should look like tcp://host:8786"),
        (("--tls-ca", "x.pem"), "are for --cluster"),
        (("--cluster", "tls://127.0.0.1:1", "--tls-ca", "missing.pem"), "'missing.pem' is not there"),
        (("--sweep", "controller.amplitude=0.1:0.2"), "key=start:end:count"),
        (("--sweep", "controller.amplitdue=0.1:0.2:3"), "Did you mean 'controller.amplitude'"),
        (("--sweep", "controller.amplitude=1,2", "--sweep", "controller.amplitude=3"), "is given 2 times"),
        (("--sweep", "controller.amplitude=0.1..0.2"), "samples should say how many"),
        (("--sampling", "sobol"), "--samples should say"),
        (("--repeats", "2", "--seeds", "2"), "give one of them"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    words: tuple[str, ...], message: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pushpoint.studies.cluster.CONNECTS_WITHIN", 0.5)
    code, out, err = shell("study", "run", FLAT, "--set", "duration=0.02", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("error: ") == 1
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


# --- other programs ---


def test_exports_hold_all_numbers(tmp_path: Path, shell: Shell) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    study = tiny(seeds=2, sweep={AMPLITUDE: [0.3, 0.5], "title": ["a", "b", "c"]})
    results = run(study, 1, folder=tmp_path / "s")
    for to in ("csv", "parquet", "netcdf"):
        assert shell("study", "export", "s", "--to", to)[0] == 0
    table = parquet.read_table(tmp_path / "s" / "runs.parquet")
    assert table.to_pylist() == results.table()
    assert table.schema.field("distance").metadata == {b"unit": b"m"}
    assert table.schema.metadata[b"pushpoint_study"].decode() == study.to_yaml()
    (tmp_path / "s" / "study.sqlite").unlink()
    assert load(tmp_path / "s") == replace(results, rows=tuple(replace(row, recording="") for row in results.rows))
    with xr.open_dataset(tmp_path / "s" / "runs.nc") as data:
        xr.testing.assert_identical(data.load(), to_xarray(results))
        assert data["distance"].dims == ("variant", AMPLITUDE, "title", "seed")
        assert data["distance"].attrs["units"] == "m"
        row = results.rows[9]
        where = {AMPLITUDE: row.settings[AMPLITUDE], "title": row.settings["title"], "seed": row.seed}
        assert float(data["distance"].sel(variant="base", **where)) == row.values["distance"]
    with pytest.raises(InvalidInput, match="Did you mean 'parquet'"):
        exported(results, "parket")


def test_samples_are_one_dimension(tmp_path: Path) -> None:
    study = tiny(seeds=2, sweep={AMPLITUDE: {"low": 0.3, "high": 0.5}}, samples=4)
    data = to_xarray(replace(run(study, 1), rows=run(study, 1).rows[:-1]))
    assert data["distance"].dims == ("variant", "point", "seed")
    assert data[AMPLITUDE].dims == ("point",)
    assert np.array_equal(data["status"].values.ravel(), [1] * 7 + [0])
    assert math.isnan(data["distance"].values.ravel()[-1])


def test_sweeps_are_shown_and_summarised_point_by_point(shell: Shell, tmp_path: Path) -> None:
    words = (
        "--set",
        "duration=0.02",
        "--jitter",
        "1e-4",
        "--repeats",
        "6",
        "--processes",
        "1",
        "--measure",
        "distance",
    )
    sweep = ("--sweep", "controller.amplitude=0.3:0.5:3", "--sweep", "world.ground.friction=0.1,0.2")
    code, out, err = shell("study", "run", FLAT, *words, *sweep, "--processes", "1", "--json", "--out", "s")
    assert code == 0, err
    found = json.loads(out)
    assert [point["settings"][AMPLITUDE] for point in found["points"]] == [0.3, 0.3, 0.4, 0.4, 0.5, 0.5]
    assert all(point["runs"] == point["columns"]["distance"]["count"] == 6 for point in found["points"])
    assert (tmp_path / "s" / "figure.png").read_bytes().startswith(b"\x89PNG")
    code, out, _ = shell("study", "show", "s", "--figure", "again.png")
    assert code == 0
    assert f"{FLAT}, 6 points" in out
    assert "controller.amplitude" in out
    assert (tmp_path / "again.png").is_file()


def test_a_study_that_was_killed_is_shown_as_far_as_it_went(shell: Shell, tmp_path: Path) -> None:
    made(tiny(seeds=2), tmp_path / "s")
    store = Store(tmp_path / "s")
    store.enter((study := tiny(seeds=5)).to_yaml(), base_key(study))  # and then the power failed
    store.close()
    (tmp_path / "s" / "study.yaml").write_text(study.to_yaml())
    code, out, err = shell("study", "show", "s", "--json")
    assert (code, json.loads(out)["status"]) == (0, "interrupted")
    assert "3 of 5 runs are missing" in err
    code, _, err = shell("study", "resume", "s", "--processes", "1")
    assert code == 0, err
    assert len(load(tmp_path / "s").rows) == 5


def test_points_that_cannot_start_are_rows(tmp_path: Path) -> None:
    """With less amplitude the robot starts inside of pipes; if all points do, the study is refused."""
    track = {"scenario": "transeth2008a/track", "overrides": {"duration": 0.02}, "measures": ["distance"]}
    default = pp.scenarios.scenarios["transeth2008a/track"].controller.options["amplitude"]
    rows = made(Study(**track, sweep={AMPLITUDE: [0.6, default]}), tmp_path)
    assert [row.status for row in rows] == ["failed", "ok"]
    assert "overlaps" in rows[0].message
    with pytest.raises(InvalidInput, match="overlaps"):
        run(Study(**track, sweep={AMPLITUDE: [0.6, 0.61]}), 1)


def test_models_among_the_changes_are_plain_data(tmp_path: Path) -> None:
    """What is given in Python as an object is the same run as what a file holds."""
    world = pp.worlds.worlds["plane"](friction=0.2)
    servo = pp.robots.Servo(stiffness=700.0, damping=2.0)
    study = tiny(seeds=1, variants={"own": {"world": world, "servo": servo}, "named": {"world.friction": 0.2}})
    rows = made(study, tmp_path)
    assert [row.status for row in rows] == ["ok", "ok"], rows[0].message
    assert Study.from_yaml(study.to_yaml()) == study
    assert study.scenario_of("own", 0).built_world().ground.friction == 0.2


def test_seeds_and_repeats_replace_each_other(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(f"scenario: {FLAT}\nrepeats: 3\noverrides: {{duration: 0.02}}\n")
    for words, seeds in ((("--seeds", "5,6"), (5, 6)), (("--repeats", "1"), (0,)), ((), (0, 1, 2))):
        assert shell("study", "run", "s.yaml", *words, "--processes", "1", "--out", "s")[0] == 0
        assert load(tmp_path / "s").study.seeds == seeds


def test_progress_has_a_rate_and_the_time_that_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("pushpoint.studies.progress.time.monotonic", lambda: now)
    pace = Pace(1000)
    pace.status = "starting 2 processes"
    assert pace.line == "0/1000 runs, 0 failed, starting 2 processes"
    pace.update(400, 0)  # were there before: they say nothing about the rate
    now += 20.0  # processes start
    pace.status = ""
    for _ in range(11):
        pace.update(10, 1)
        pace.made(10)
        now += 1.0
    assert pace.line == "510/1000 runs, 11 failed, 10 runs/s, 49 s left"
