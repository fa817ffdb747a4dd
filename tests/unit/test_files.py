"""Files of recordings and checkpoints: checksums, versions, other readers; names of folders."""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path

import h5netcdf
import h5py
import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.cli._scenario import LONGEST_NAME, slug
from pushpoint.errors import InvalidInput
from pushpoint.recording import Recording, _expected, _netcdf
from pushpoint.tape import LEDGER
from tests.properties.old_files import VERSION_1, write_version_1
from tests.unit.conftest import Shell

RUNS = {
    "plane": ("transeth2008a/track", {}),
    "movable": ("lab/movable-pegs", {}),
    "events": ("liljeback2010/rows", {}),
    "space": ("lab/pegs-3d", {}),
}


@cache
def recorded(kind: str) -> Recording:
    name, overrides = RUNS[kind]
    return pp.simulate(name, overrides, duration=0.1)


@pytest.fixture
def run() -> Recording:
    return recorded("plane")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures take long, and are not the point."""
    monkeypatch.setattr("pushpoint.cli.plot.draw", lambda *_: None)


# --- checksums ---


def test_other_programs_read_the_file(run: Recording, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.nc")
    for engine in ("h5netcdf", None):
        with xr.open_dataset(path, engine=engine, decode_timedelta=False) as data:  # type: ignore[arg-type]
            assert data["link_position"].identical(run.data["link_position"])
            assert data.attrs["schema_version"] == _netcdf.SCHEMA
        with xr.open_dataset(path, engine=engine, group="contacts", decode_timedelta=False) as contacts:  # type: ignore[arg-type]
            assert contacts["force"].identical(run.contacts["force"])
    with h5py.File(path) as file:
        assert np.array_equal(file["checkpoint/plant.link"], run.checkpoint().plant["link"])
    with h5netcdf.File(path) as file:
        assert set(file.groups) == {"contacts", "events", "known", "checkpoint"}


def test_files_that_somebody_edited_are_taken_on_demand(run: Recording, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.nc")
    with h5py.File(path, "r+") as file:
        file["kinetic_energy"][0] = 42.0
    with pytest.raises(InvalidInput, match=r"run\.nc' has changed since pushpoint wrote it.*verify=False"):
        pp.load(path)
    edited = pp.load(path, verify=False)
    assert edited.data["kinetic_energy"][0] == 42.0
    assert pp.load(edited.save(path)).data["kinetic_energy"][0] == 42.0


def test_files_that_another_program_wrote_again_are_taken_on_demand(run: Recording, tmp_path: Path) -> None:
    path, again = run.save(tmp_path / "run.nc"), tmp_path / "again.nc"
    for group in (None, "contacts", "events", "known", "checkpoint"):
        with xr.open_dataset(path, engine="h5netcdf", group=group, decode_timedelta=False) as part:
            packed = {name: {"zlib": True} for name, v in part.data_vars.items() if v.ndim > 1}
            part.to_netcdf(again, mode="a" if group else "w", group=group, engine="h5netcdf", encoding=packed)
    with pytest.raises(InvalidInput, match=r"again\.nc' has changed.*checksum is damaged or gone"):
        pp.load(again)
    assert pp.load(again, verify=False).metrics() == run.metrics()
    assert pp.Checkpoint.load(again, verify=False).tick == run.checkpoint().tick


@pytest.mark.usefixtures("undrawn")
def test_the_command_line_names_altered_files(run: Recording, shell: Shell, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.nc")
    data = bytearray(path.read_bytes())
    data[-20] ^= 4  # of the checksum itself
    path.write_bytes(data)
    code, _, said = shell("plot", "run.nc")
    assert code == 2
    assert said.startswith("error: file 'run.nc' has changed since pushpoint wrote it")
    assert said.count("\n") == 1
    assert shell("plot", "run.nc", "--no-verify")[0] == 0


def test_numbers_that_cannot_be_drawn_are_named(run: Recording, shell: Shell, tmp_path: Path) -> None:
    with h5py.File(run.save(tmp_path / "run.nc"), "r+") as file:
        file["link_position"][3] = np.nan
    code, _, said = shell("plot", "run.nc", "--no-verify")
    assert code == 2
    assert "link_position holds nan" in said


def test_all_writers_are_one() -> None:
    """Only `files` writes what users keep; the cache of kernels has files of its own."""
    writing = re.compile(
        r"""open\([^)]*["'][wax]|\.write_(text|bytes)\(|savefig\((?!image)|\.to_netcdf\((?!engine)|os\.replace|mkstemp"""
    )
    package = Path(pp.__file__).parent
    found = {path.relative_to(package).as_posix() for path in package.rglob("*.py") if writing.search(path.read_text())}
    assert found == {"files.py", "_jit.py", "_kernel_cache.py"}


# --- versions ---


@pytest.mark.parametrize("kind", ["movable", "space"])
def test_files_of_version_1_load_and_say_that_they_have_no_checksum(kind: str, tmp_path: Path) -> None:
    recording = recorded(kind)
    path = write_version_1(recording, tmp_path / "old.nc")
    with pytest.warns(UserWarning, match=r"old\.nc' has no checksum"):
        old = pp.load(path)
    assert old.metrics().keys() == recording.metrics().keys()
    assert old.data["link_position"].identical(recording.data["link_position"])
    with pytest.warns(UserWarning, match="no checksum"):
        assert pp.Checkpoint.load(path).time == pytest.approx(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pp.load(path, verify=False).metrics() == old.metrics()
        assert pp.load(old.save(tmp_path / "new.nc")).metrics() == old.metrics()


@pytest.mark.usefixtures("undrawn")
def test_the_command_line_says_in_one_line_that_there_is_no_checksum(
    run: Recording, shell: Shell, tmp_path: Path
) -> None:
    write_version_1(run, tmp_path / "old.nc")
    code, _, said = shell("plot", "old.nc")
    assert code == 0
    assert said.splitlines()[0].startswith("warning: 'old.nc' has no checksum")


def test_files_of_this_version_cannot_pass_for_old_ones(run: Recording, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.nc")
    with h5py.File(path, "r+") as file:
        del file.attrs["checksum"]
    with pytest.raises(InvalidInput, match="has changed"):
        pp.load(path)


@pytest.mark.parametrize("kind", RUNS)
def test_what_files_hold_is_listed_with_its_version(kind: str) -> None:
    """A new variable needs a line in _expected, with the schema version that has it first."""
    recording = recorded(kind)
    own = {"gravity_work", "friction_bound", "links_in_contact", "links_crossing", *LEDGER}  # of single plants
    tables = {**_expected.DATA, **_expected.PLANAR, **_expected.SPATIAL, **_expected.MOVABLE}
    assert set(recording.data.variables) <= {*tables, *own}
    assert set(recording.contacts.variables) == set(_expected.CONTACTS)
    assert set(recording.events.variables) == set(_expected.EVENTS)
    assert max(entry.since for entry in tables.values()) <= _netcdf.SCHEMA
    assert {name for name, entry in tables.items() if entry.since == 1} <= set(VERSION_1[""])
    assert list(_netcdf.VERSIONS) == list(range(1, _netcdf.SCHEMA + 1))


# --- names of folders ---


@pytest.mark.parametrize(
    "name",
    ["..", ".", "", "...", "../../up", "/etc/passwd", "a\\b", "C:\\x", "CON", "nul.txt", "com1", "a\0b", "a\n\x1b[2J",
     "x" * 5000, "ä" * 300, "\U0001f40d" * 90, "a.", " ", "-", "\ud800"],
)  # fmt: skip
def test_whatever_a_scenario_is_called_it_stays_in_its_folder(name: str) -> None:
    found = slug(name)
    assert found not in ("", ".", "..")
    assert not set(found) & set('/\\:*?"<>|\0\n\x1b')
    assert 0 < len(found.encode()) <= LONGEST_NAME
    assert not found.endswith((".", " "))
    assert found.split(".")[0].lower() not in {"con", "nul", "com1"}
    assert slug(found) == found


def test_names_that_are_cut_stay_apart() -> None:
    assert slug("x" * 5000) != slug("x" * 5001)


@pytest.mark.usefixtures("undrawn")
def test_a_run_called_dot_dot_writes_below_results(shell: Shell, tmp_path: Path) -> None:
    lines = ["name: ..", "robot: uniform", "world: plane", "controller: hold", "duration: 0.1"]
    (tmp_path / "dots.yaml").write_text("\n".join(lines))
    before = set(tmp_path.parent.iterdir())
    assert shell("run", "dots.yaml")[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"dots.yaml", "results"}
    assert {path.name for path in (tmp_path / "results").iterdir()} == {"run"}
    assert set(tmp_path.parent.iterdir()) == before
