"""Results that are kept: the key changes with what a result depends on, and with nothing else; damage does no harm."""

from __future__ import annotations

import ast
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint import user_code
from pushpoint.errors import InvalidInput
from pushpoint.recording import Recording
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.studies import result_cache
from pushpoint.studies.result_cache import (
    FURTHER,
    PACKAGE,
    WITHOUT_RUNS,
    KeptRun,
    KeptRuns,
    ResultCache,
    key_of,
    run_key,
)

TRACK = "transeth2008a/track"
# What of the rest they may import all the same: a recording computes its metrics on demand, a bar shows progress, and a
# simulation finds a scenario by its name.
ALLOWED = {("recording", "analysis"), ("simulation", "_progress"), ("simulation", "scenarios")}


@pytest.fixture
def kept(tmp_path: Path) -> ResultCache:
    return ResultCache(tmp_path)


@pytest.fixture(scope="module")
def short() -> Recording:
    return pp.simulate(TRACK, duration=0.05)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Sources of a small package."""
    for name in ("plants/run.py", "analysis/motion.py", "view/figures.py", "cli/main.py", "simulation.py"):
        path = tmp_path / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    monkeypatch.setattr(result_cache, "PACKAGE", tmp_path / "package")
    result_cache.source_hash.cache_clear()
    yield tmp_path / "package"
    monkeypatch.undo()
    result_cache.source_hash.cache_clear()


def keys() -> dict[str, str | None]:
    """Of one result of each kind, as another process would compute them."""
    result_cache.source_hash.cache_clear()
    result_cache.environment.cache_clear()
    return {kind: key_of(kind, ["the same"]) for kind in FURTHER}


def changed_by(change: Callable[[], Any]) -> set[str]:
    """Kinds of results whose keys a change changes."""
    before = keys()
    change()
    after = keys()
    return {kind for kind in before if before[kind] != after[kind]}


# --- the key ---


def test_equal_runs_have_equal_keys() -> None:
    scenario = scenarios[TRACK]
    assert run_key(scenario) == run_key(Scenario.parse(scenario.model_dump()))
    assert run_key(scenario) == run_key(scenario.with_overrides({}))


@pytest.mark.parametrize(
    "change",
    [
        {"duration": 9.0},
        {"seed": 1},
        {"plant.dt": 5e-4},
        {"controller.amplitude": 0.5},
        {"world.ground.friction": 0.31},
        {"robot.links.3.mass": 0.7},
        {"servo.stiffness": 1.0},
        {"start.jitter": 1e-9},
    ],
    ids=str,
)
def test_whatever_changes_in_a_scenario_changes_its_key(change: dict[str, Any]) -> None:
    assert run_key(scenarios[TRACK]) != run_key(scenarios[TRACK].with_overrides(change))


def test_the_world_counts_as_it_is_built(tmp_path: Path) -> None:
    """A file that changes under the same name."""
    file, found = tmp_path / "pegs.csv", []
    for x in (5.0, 6.0):
        file.write_text(f"x_m,y_m,radius_m\n{x},0.0,0.1\n")
        found.append(run_key(scenarios["transeth2008a/flat"].with_overrides({"world": "csv", "world.path": str(file)})))
    assert None not in found
    assert found[0] != found[1]


def test_what_has_no_exact_text_has_no_key() -> None:
    assert key_of("answer", [object()]) is None
    assert key_of("answer", [np.arange(3.0), (1, 2), Path("a")]) is not None


@pytest.mark.parametrize(
    ("file", "kinds"),
    [
        ("plants/run.py", {"run", "answer", "note", "picture"}),
        ("simulation.py", {"run", "answer", "note", "picture"}),
        ("analysis/motion.py", {"answer", "note", "picture"}),
        ("view/figures.py", {"picture"}),
        ("cli/main.py", set()),
    ],
)
def test_sources_count_for_what_depends_on_them(package: Path, file: str, kinds: set[str]) -> None:
    assert changed_by(lambda: (package / file).write_text("# edited\n")) == kinds


def test_a_new_file_counts(package: Path) -> None:
    assert changed_by(lambda: (package / "plants" / "new.py").write_text("")) == set(FURTHER)


def test_versions_and_settings_count(monkeypatch: pytest.MonkeyPatch) -> None:
    real = result_cache.version_of

    def other(library: str) -> Callable[[], None]:
        fake = lambda name: "0.0" if name == library else real(name)  # noqa: E731
        return lambda: monkeypatch.setattr(result_cache, "version_of", fake)

    assert changed_by(other("numba")) == set(FURTHER)
    monkeypatch.setattr(result_cache, "version_of", real)
    assert changed_by(other("matplotlib")) == {"picture"}
    assert changed_by(lambda: monkeypatch.setenv("NUMBA_OPT", "1")) == set(FURTHER)
    monkeypatch.undo()
    keys()


def test_files_of_users_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And modules beside them that they import."""
    monkeypatch.setattr(user_code, "_loaded", {})
    monkeypatch.setattr(sys, "path", [*sys.path])
    helper, file = tmp_path / "helper_of_results.py", tmp_path / "mine.py"
    helper.write_text("GAIN = 1\n")
    file.write_text("import helper_of_results\n")
    assert changed_by(lambda: pp.load_code(file)) == set(FURTHER)
    assert changed_by(lambda: helper.write_text("GAIN = 2\n")) == set(FURTHER)
    file.write_text("import helper_of_results  # edited\n")
    assert changed_by(lambda: pp.load_code(file)) == set(FURTHER)
    assert changed_by(lambda: file.write_text("# not loaded\n")) == set()


def test_no_run_depends_on_what_its_key_leaves_out() -> None:
    """Imports of all other modules, also those inside of functions, but not those for type checkers."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        room = Path(file.relative_to(PACKAGE).parts[0]).stem
        if room not in WITHOUT_RUNS:
            found |= {(room, other) for other in imported(file) if other in WITHOUT_RUNS}
    assert found <= ALLOWED


def imported(file: Path) -> set[str]:
    """Rooms and modules of the package that a file imports."""
    names: set[str] = set()
    tree = ast.parse(file.read_text())
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pushpoint"):
            below = [node.module] if node.module != "pushpoint" else [f"pushpoint.{a.name}" for a in node.names]
            names |= {str(name).split(".")[1] for name in below if "." in str(name)}
    return names


def test_what_keys_leave_out_exists() -> None:
    assert all((PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file() for name in WITHOUT_RUNS)


# --- the folder ---


def test_results_come_back_as_they_were(kept: ResultCache, short: Recording) -> None:
    key = "ab" + 62 * "0"
    assert (kept.data(key), kept.picture(key), kept.recording(key)) == (None, None, None)
    data = {"a": [1.5, float("inf"), None], "b": "ä", "c": 0.1 + 0.2}
    kept.keep_data(key, data)
    kept.keep_picture(key, b"")
    kept.keep_recording(key, short)
    assert kept.data(key) == data
    assert np.isnan(kept.data(kept_nan(kept)))
    assert kept.picture(key) == b""
    loaded = kept.recording(key)
    assert loaded is not None
    assert loaded.data.identical(short.data)
    assert run_key(loaded.scenario.model_copy()) == run_key(short.scenario)


def kept_nan(kept: ResultCache) -> str:
    kept.keep_data(64 * "e", float("nan"))
    return 64 * "e"


def test_nothing_is_kept_without_a_key(kept: ResultCache, short: Recording, tmp_path: Path) -> None:
    kept.keep_data(None, 1)
    kept.keep_picture(None, b"x")
    kept.keep_recording(None, short)
    assert (kept.data(None), kept.picture(None), kept.recording(None)) == (None, None, None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".json", ".png", ".nc"])
@pytest.mark.parametrize("damage", ["cut off", "flipped", "empty", "foreign"])
def test_damaged_entries_are_computed_again(kept: ResultCache, short: Recording, ending: str, damage: str) -> None:
    key = 64 * "a"
    kept.keep_data(key, [1, 2])
    kept.keep_picture(key, b"picture")
    kept.keep_recording(key, short)
    (path,) = kept.folder.rglob(f"*{ending}")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes({"cut off": data[:-5], "flipped": data, "empty": b"", "foreign": pickle.dumps(1)}[damage])
    with pytest.warns(UserWarning, match="is not used .* computed again"):
        found = {".json": kept.data, ".png": kept.picture, ".nc": kept.recording}[ending](key)
    assert found is None
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_entries_of_somebody_else_are_not_used(kept: ResultCache) -> None:
    kept.keep_data(64 * "a", 1)
    (path,) = kept.folder.rglob("*.json")
    os.chown(path, 12345, 12345)
    with pytest.warns(UserWarning, match="belongs to somebody else"):
        assert kept.data(64 * "a") is None


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(UserWarning, match="cannot be kept"):
        ResultCache(tmp_path / "file").keep_data(64 * "a", 1)


def test_the_oldest_are_forgotten(kept: ResultCache) -> None:
    for k, digit in enumerate("abcd"):
        kept.keep_picture(64 * digit, bytes(1000))
        (path,) = kept.folder.rglob(f"{digit}*.png")
        os.utime(path, (1e9 + k, 1e9 + k))
    assert kept.picture(64 * "a") is not None  # is used, and so is not the oldest any more
    size = 1000 + result_cache.DIGEST
    assert kept.forget_oldest(4 * size) == 0
    assert kept.forget_oldest(2 * size) == 2
    assert [kept.picture(64 * digit) is not None for digit in "abcd"] == [True, False, False, True]


def test_readers_see_whole_entries_while_others_write(kept: ResultCache) -> None:
    """Two writers and two readers of one key: something old, something new, never a part, and never a warning."""
    key, texts = 64 * "a", [letter * 100_000 for letter in "xy"]
    kept.keep_data(key, texts[0])
    with warnings.catch_warnings(), ThreadPoolExecutor(4) as threads:
        warnings.simplefilter("error")
        writing = [threads.submit(lambda text: [kept.keep_data(key, text) for _ in range(20)], text) for text in texts]
        reading = [threads.submit(lambda: {kept.data(key) for _ in range(50)}) for _ in range(2)]
        assert all(future.result() <= set(texts) for future in reading)
        assert all(future.result() for future in writing)


def test_a_temporary_cache_leaves_nothing(short: Recording) -> None:
    cache = ResultCache.temporary()
    cache.keep_data(64 * "a", 1)
    folder = cache.folder
    copy = pickle.loads(pickle.dumps(cache))  # as other processes get it
    assert copy.data(64 * "a") == 1
    del copy
    assert folder.exists()
    del cache
    assert not folder.exists()


def test_runs_that_are_gone_are_made_again(kept: ResultCache, short: Recording) -> None:
    runs = KeptRuns(kept, {"a": KeptRun(short.scenario, run_key(short.scenario))})
    assert list(runs) == ["a"]
    assert "a" in runs
    assert list(kept.folder.iterdir()) == []  # nothing was made to know that
    first = runs["a"]
    assert first.data["link_position"].identical(short.data["link_position"])
    assert [path.suffix for path in kept.folder.rglob("*") if path.is_file()] == [".nc"]
    assert runs["a"].wall_time_s == first.wall_time_s  # read, not made
    with pytest.raises(KeyError):
        runs["b"]


def test_the_folder_of_the_user_is_beside_the_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUSHPOINT_CACHE_DIR", str(tmp_path / "cache"))
    assert ResultCache.of_user().folder == tmp_path / "cache" / "results" / "v1"
    assert (tmp_path / "cache" / "results").stat().st_mode & 0o077 == 0
    (tmp_path / "cache").chmod(0o777)
    assert ResultCache.of_user().folder.parent != tmp_path / "cache" / "results"


def test_a_world_that_cannot_be_built_is_refused() -> None:
    with pytest.raises(InvalidInput):
        run_key(scenarios[TRACK].with_overrides({"world": "csv", "world.path": "absent.csv"}))
