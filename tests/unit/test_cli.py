"""The command line: what goes where, exit codes, files. Runs are short or replaced."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

import pushpoint
from pushpoint.cli import _scenario
from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.recording import Recording
from tests.unit.conftest import Shell

TRACK = "transeth2008a/track"
PNG, GIF = b"\x89PNG", b"GIF89a"


@pytest.fixture(scope="module")
def short_run() -> Recording:
    return pushpoint.simulate(TRACK, duration=0.2)


def test_version_and_help(shell: Shell) -> None:
    assert shell("--version")[1] == f"pushpoint {pushpoint.__version__}\n"
    code, out, _ = shell("--help")
    assert code == 0
    for command in ("list", "run", "plot", "video", "draw", "reproduce", "study"):
        assert command in out


def test_list_everything(shell: Shell) -> None:
    code, out, _ = shell("list", "--long")
    assert code == 0
    for name in ("aiko", "track-small-pegs", "planar_stepping", "serpenoid", TRACK, "transeth2008a/track-x6"):
        assert name in out


def test_list_is_short(shell: Shell) -> None:
    code, out, err = shell("list")
    assert code == 0
    for name in (
        "aiko",
        "track-small-pegs",
        "planar_stepping",
        "names: pushpoint list measures",
        "transeth2008a/... (",
    ):
        assert name in out
    assert len(out.splitlines()) < 40
    assert "pushpoint show NAME" in err
    assert "First time [s] at which a coordinate" in shell("list", "measures")[1]


def test_list_json_is_one_object_of_the_kind(shell: Shell) -> None:
    code, out, _ = shell("list", "robots", "--json")
    found = json.loads(out)
    assert code == 0
    assert list(found) == ["robots"]
    assert all(line for line in found["robots"].values())


def test_unknown_names_suggest_and_exit_with_2(shell: Shell) -> None:
    for words, hint in (
        (("list", "robot"), "'robots'"),
        (("run", "transeth2008a/trak"), f"'{TRACK}'"),
        (("run", TRACK, "--plant", "mujocco"), "'mujoco'"),
        (("reproduce", "transeth2008"), "'transeth2008b' or 'transeth2008a'"),
    ):
        code, out, err = shell(*words)
        assert (code, out) == (2, "")
        assert err.startswith("error: unknown")
        assert f"Did you mean {hint}" in err
        assert err.count("\n") == 1


def test_bad_values_name_field_and_value(shell: Shell) -> None:
    for words, message in (
        (("run", TRACK, "--duration", "-1"), "duration = -1.0"),
        (("run", TRACK, "--set", "controller.amplitude"), "must look like key=value"),
        (("run", TRACK, "--set", "controller.amplitud=1"), "amplitud"),
        (("run", TRACK, "--set", "world.ground.friction=-1"), "friction"),
        (("run", TRACK, "--set", "seed=[1"), "not a YAML value"),
        (("run", "missing.yaml"), "cannot be read"),
        (("plot", "missing.nc"), "missing.nc"),
        (("plot", "missing.nc", "--out", "figure.txt"), ".png"),
        (("plot", "missing.nc", "--style", "drak"), "Did you mean 'dark'"),
        (("video", "missing.nc", "--size", "big"), "such as 1280x720"),
    ):
        code, out, err = shell(*words)
        assert (code, out) == (2, ""), words
        assert message in err, words


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a=1", 1),
        ("a=1e-3", 1e-3),
        ("a=true", True),
        ("a=[1, 2.5]", [1, 2.5]),
        ("a=null", None),
        ("a=newton", "newton"),
        ("a=x=y", "x=y"),
    ],
)
def test_set_reads_yaml(text: str, value: object) -> None:
    assert _scenario.parsed(text) == ("a", value)
    with pytest.raises(InvalidInput, match="key=value"):
        _scenario.parsed("=1")


def test_options_come_last_and_the_plant_first() -> None:
    changes = _scenario.overrides("mujoco", ["plant.dt=1e-3", "duration=3", "seed=1"], None, 7)
    assert list(changes.items()) == [("plant", "mujoco"), ("plant.dt", 1e-3), ("duration", 3), ("seed", 7)]


def test_run_writes_files_and_one_json_object(shell: Shell, tmp_path: Path) -> None:
    code, out, err = shell("run", TRACK, "--duration", "0.2", "--set", "controller.frequency=1.2", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["scenario"], found["status"]) == (TRACK, "ok")
    assert found["metrics"]["duration"] == pytest.approx(0.2)
    assert found["real_time_factor"] > 0
    assert 0 <= found["residuals"]["mean"] <= found["residuals"]["max"] <= 1e-8
    folder = tmp_path / "results" / "transeth2008a-track"
    assert sorted(p.name for p in folder.iterdir()) == ["figure.png", "recording.nc"]  # no temporary files
    loaded = pushpoint.load(folder / "recording.nc")
    assert loaded.scenario.controller.options["frequency"] == 1.2
    assert found["files"]["figure"] in err


def test_run_of_a_file_prints_a_table(shell: Shell, tmp_path: Path) -> None:
    scenario = pushpoint.scenarios.scenarios[TRACK].with_overrides({"duration": 0.1, "name": "lab/own run"})
    (tmp_path / "own.yaml").write_text(scenario.to_yaml(), encoding="utf-8")
    code, out, err = shell("run", "own.yaml")
    assert code == 0, err
    assert "max_residual" in out
    assert (tmp_path / "results" / "lab-own-run" / "recording.nc").exists()


def test_solver_failure_saves_the_recording_and_exits_with_3(
    shell: Shell, short_run: Recording, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(*_: object, **__: object) -> Recording:
        raise SolverFailure("stopped at t = 0.2 s", replace(short_run, failure={"time": 0.2}))

    monkeypatch.setattr("pushpoint.simulation.simulate", fails)
    code, out, err = shell("run", TRACK, "--out", "kept", "--json")
    assert code == 3
    assert json.loads(out)["status"] == "failed"
    assert "error: stopped at t = 0.2 s" in err
    assert pushpoint.load(tmp_path / "kept" / "recording.nc").data.sizes == short_run.data.sizes


def test_plot_draws_figures_and_animations(shell: Shell, short_run: Recording, tmp_path: Path) -> None:
    short_run.save(tmp_path / "recording.nc")
    assert shell("plot", ".")[0] == 0
    assert (tmp_path / "figure.png").read_bytes().startswith(PNG)
    assert shell("plot", "recording.nc", "--gif", "--out", "deep/er/a.gif")[0] == 0
    assert (tmp_path / "deep" / "er" / "a.gif").read_bytes().startswith(GIF)
    with Image.open(tmp_path / "deep" / "er" / "a.gif") as picture:
        assert picture.n_frames == 5  # type: ignore[attr-defined]  # GIF files have it, other images not


def test_drawing_leaves_matplotlib_as_it_was(short_run: Recording, tmp_path: Path) -> None:
    import matplotlib

    from pushpoint.view.figures import run_figure, save_figure

    before = dict(matplotlib.rcParams)
    save_figure(run_figure(short_run), tmp_path / "figure.png")
    with pytest.raises(InvalidInput, match=r"figure\.docx: \.docx is no format of figures; allowed: .*png"):
        save_figure(run_figure(short_run), tmp_path / "figure.docx")
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_reproduce_writes_a_report_and_fails_with_a_claim(
    shell: Shell, short_run: Recording, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every run is replaced by 0.2 s of the track, which is short enough for the one claim, too short for the other."""
    monkeypatch.setattr("pushpoint.studies.jobs.simulate", lambda scenario: short_run)
    code, out, err = shell(
        "reproduce", "transeth2008a/peg3-removed-stops", "--out", "good", "--json", "--processes", "1"
    )
    assert code == 0, err
    assert json.loads(out)["status"] == "ok"
    names = {str(p.relative_to(tmp_path / "good")) for p in (tmp_path / "good").rglob("*") if p.is_file()}
    figures = {"figures/claims.png", "figures/transeth2008a-track-peg3-removed.png"}
    assert names == {"report.html", "report.md", "report.json", *figures}
    assert f"page: good/report.html ({(tmp_path / 'good' / 'report.html').as_uri()})" in err
    assert "transeth2008a/peg3-removed-stops" in (tmp_path / "good" / "report.html").read_text()
    code, out, _ = shell("reproduce", "transeth2008a/peg3-moved-completes", "--out", "bad", "--processes", "1")
    assert code == 1
    assert "NOT CONFIRMED" in out
    assert json.loads((tmp_path / "bad" / "report.json").read_text())["status"] == "failed"


def test_a_closed_pipe_is_quiet() -> None:
    command = f"{sys.executable} -m pushpoint list | head -n 1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "robots"
    assert "Traceback" not in result.stderr
    assert "BrokenPipe" not in result.stderr
