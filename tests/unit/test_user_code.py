"""Files of users: loaded by name, handed to processes, kept by hash; wrong ones are one line with file and line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import pushpoint as pp
from pushpoint import user_code
from pushpoint.errors import InvalidInput
from pushpoint.registry import NOTEBOOK, forget, names_from
from tests.unit.conftest import Shell

EXAMPLES = Path(__file__).parents[2] / "examples" / "own_files"  # those of docs/howto/your-own-files.md
FILES = {path.name: path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("my_*"))}
CODE = [name for name in FILES if name.endswith(".py")]
ROBOT, WORLD, SCENARIO = FILES["my_robot.py"], FILES["my_world.py"], FILES["my_scenario.yaml"]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """One file of each kind; what is loaded is forgotten after the test."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    path = list(sys.path)
    yield tmp_path
    for file in (*user_code._loaded, NOTEBOOK):
        forget(file)
    user_code._loaded.clear()
    sys.path[:] = path


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, so that nothing is loaded but what is asked for."""
    line = [sys.executable, "-m", "pushpoint", *words]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)


def study_of(runs: int) -> tuple[str, ...]:
    """A study of so many runs, on a process each."""
    words = f"study run my_scenario.yaml --set duration=0.2 --seeds {runs} --processes {runs} --measure head_travel"
    return tuple(words.split())


LOAD = [word for name in CODE for word in ("--load", name)]


# --- one folder, by the command line ---


def test_a_folder_of_own_files_runs_and_is_plotted_without_them(folder: Path) -> None:
    refused = command(folder, "run", "my_scenario.yaml")
    assert refused.returncode == 2
    assert "add --load my_robot.py --load my_world.py" in refused.stderr
    done = command(folder, "run", "my_scenario.yaml", *LOAD, "--duration", "0.2", "--out", "kept")
    assert done.returncode == 0, done.stderr
    done = command(folder, *study_of(2), *LOAD, "--out", "study")
    assert done.returncode == 0, done.stderr
    assert "head_travel" in done.stdout
    for name in FILES:
        (folder / name).unlink()
    done = command(folder, "plot", "kept")
    assert done.returncode == 0, done.stderr
    recording = pp.load(folder / "kept" / "recording.nc")
    assert recording.scenario.built_robot().name == "worm"
    assert len(recording.scenario.built_world().obstacles) == 2
    assert [file.name for file in recording.code] == CODE
    assert sorted(recording.scenario.files) == [name for name in CODE if name in SCENARIO]


def test_files_and_tables_are_relative_to_the_scenario(folder: Path, shell: Shell) -> None:
    deep = folder / "deep"
    deep.mkdir()
    (deep / "pegs.csv").write_text("x_m,y_m,radius_m\n0.7,0.2,0.05\n")
    (deep / "my_robot.py").write_text(ROBOT)
    (deep / "table.yaml").write_text(
        "name: mine/table\nrobot: worm\nworld: {name: csv, options: {path: pegs.csv}}\ncontroller: hold\n"
        "duration: 0.05\nfiles: [my_robot.py]\n"
    )
    code, _, err = shell("run", "deep/table.yaml")
    assert (code, "add --load deep/my_robot.py" in err) == (2, True)
    code, _, err = shell("run", "deep/table.yaml", "--load", "deep/my_robot.py")
    assert code == 0, err


# --- wrong files ---

RUN = ("run", "my_scenario.yaml", "--duration", "0.2")
STUDY = study_of(1)
WRONG = {  # by case: file, what is replaced in it, by what, the command, text of the line that is named, what is said
    "no Python": ("my_robot.py", "def worm(", "def worm((", RUN, "def worm", "SyntaxError"),
    "name of ours": ("my_robot.py", '"worm")\n', '"aiko")\n', RUN, "@pp", "robot 'aiko' is one of pushpoint's own"),
    "name of another": ("my_world.py", WORLD, ROBOT, RUN, "@pp", "'worm' is registered already, in my_robot.py, line"),
    "missing module": ("my_robot.py", "import pushpoint", "import no_such", RUN, "no_such", "ModuleNotFoundError"),
    "no robot": ("my_robot.py", "return pp.Robot(", "return 5  # (", RUN, "@pp", "robot 'worm' returned 5"),
    "bad link": ("my_robot.py", "length=0.1", "length=-0.1", RUN, "length", "length = -0.1"),
    "no build": ("my_controller.py", "(pp.BaseController)", "", RUN, "@pp", "class Wave has no 'build'"),
    "no step": ("my_controller.py", "def step", "def stepp", RUN, "@pp", "class Wave has no 'step'"),
    "no tuple": ("my_controller.py", "return state,", "return [state],", RUN, "@pp", "step of controller 'wave'"),
    "error in step": ("my_controller.py", "head_speed[0]", "head_speed[7]", RUN, "head_speed[7]", "IndexError"),
    "joints": ("my_controller.py", "arange(self.joints)", "arange(3)", RUN, "return state", "ValueError"),
    "not finite": ("my_controller.py", "weaker * self", "np.inf * self", RUN, "@pp", "has to be finite"),
    "no readings": ("my_sensor.py", "return {", "return 5  # {", RUN, "@pp", "read of sensor 'speedometer' returned 5"),
    "no number": ("my_measure.py", "return float(", "return str(", STUDY, "@pp", "should return a number"),
    "the end": ("my_robot.py", "import pushpoint as pp", "raise SystemExit", RUN, "raise", "the file ends the program"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_one_line_with_file_and_line(case: str, folder: Path, shell: Shell) -> None:
    name, old, new, words, text, message = WRONG[case]
    assert old in FILES[name]
    changed = FILES[name].replace(old, new)
    (folder / name).write_text(changed)
    line = 1 + next(k for k, each in enumerate(changed.splitlines()) if text in each)
    code, _, err = shell(*words, "--load", "my_robot.py", *LOAD)
    said = [each for each in err.splitlines() if each.startswith("error: ")]
    assert code in (2, 3)
    assert len(said) == 1
    assert f"{name}, line {line}: " in said[0]
    assert message in said[0]
    assert "Traceback" not in err


def test_files_that_are_no_files(folder: Path, shell: Shell) -> None:
    (folder / "latin.py").write_bytes("# \xe4\n".encode("latin-1"))
    for name, message in (
        ("absent.py", "cannot be read"),
        ("my_scenario.yaml", "should end in .py"),
        ("latin.py", "line 1 is not UTF-8"),
    ):
        code, _, err = shell("list", "robots", "--load", name)
        assert code == 2
        assert name in err
        assert message in err


# --- names ---


def test_a_file_replaces_its_own_names_and_forgets_those_it_dropped(folder: Path) -> None:
    path = folder / "my_robot.py"
    assert pp.load_code(path).name == "my_robot.py"
    assert len(pp.robots.robots["worm"]().links) == 6
    path.write_text(ROBOT.replace("links: int = 6", "links: int = 7"))
    changed = pp.load_code(path)
    assert len(pp.robots.robots["worm"]().links) == 7
    assert [file for file in user_code.loaded_files() if file.name == path.name] == [changed]
    path.write_text(ROBOT.replace('"worm")\n', '"eel")\n'))
    pp.load_code(path)
    assert "worm" not in pp.robots.robots
    assert names_from(str(path.resolve())) == {"robot": ["eel"]}


def test_a_file_that_fails_leaves_what_was_there(folder: Path) -> None:
    path = folder / "my_robot.py"
    before = pp.load_code(path)
    path.write_text(ROBOT.replace("links: int = 6", "links: int = 7") + "\n1 / 0\n")
    line = len(ROBOT.splitlines()) + 2
    with pytest.raises(InvalidInput, match=rf"my_robot\.py, line {line}: ZeroDivisionError: division by zero"):
        pp.load_code(path)
    assert len(pp.robots.robots["worm"]().links) == 6
    assert before in user_code.loaded_files()


def test_a_name_is_given_once_in_a_file(folder: Path) -> None:
    path = folder / "twice.py"
    path.write_text(ROBOT + ROBOT.partition("import annotations")[2])
    pp.load_code(path)  # in one file the later definition counts, as everywhere in Python
    assert names_from(str(path.resolve())) == {"robot": ["worm"]}


@pytest.mark.usefixtures("folder")
def test_a_notebook_cell_that_is_run_again_replaces_its_names() -> None:
    notebook = ModuleType("__main__").__dict__
    for links in (6, 7):  # kernels give every version of a cell a file name of its own
        cell = ROBOT.replace("links: int = 6", f"links: int = {links}")
        exec(compile(cell, f"/tmp/ipykernel_1/{links}.py", "exec"), notebook)
        assert len(pp.robots.robots["worm"]().links) == links
    with pytest.raises(InvalidInput, match="robot 'worm' is registered already, in this notebook"):
        pp.register_robot("worm")(pp.robots.robots["aiko"])


# --- recordings and checkpoints ---


def test_a_checkpoint_of_another_version_of_a_file_is_refused(folder: Path) -> None:
    for name in CODE:
        pp.load_code(folder / name)
    scenario = pp.Scenario.from_yaml(folder / "my_scenario.yaml")
    pp.simulate(scenario, duration=0.2).save(folder / "run.nc")
    checkpoint = pp.Checkpoint.load(folder / "run.nc")
    pp.resume(checkpoint, duration=0.25)
    (folder / "my_robot.py").write_text(ROBOT.replace("mass=0.3", "mass=0.4"))
    pp.load_code(folder / "my_robot.py")
    with pytest.raises(InvalidInput, match=r"made with another my_robot\.py than the one that is loaded.*--force"):
        pp.resume(checkpoint, duration=0.25)
    resumed = pp.resume(checkpoint, duration=0.25, force=True)
    assert resumed.scenario.built_robot().links[0].mass == 0.3  # the robot that it was


def test_what_was_built_stays_with_a_recording_until_it_is_changed(folder: Path) -> None:
    pp.load_code(folder / "my_robot.py")
    scenario = pp.Scenario(name="mine/robot", robot="worm", world="plane", controller="hold", duration=0.05)
    pp.simulate(scenario).save(folder / "run.nc")
    (folder / "my_robot.py").write_text(ROBOT.replace("mass=0.3", "mass=0.4"))
    pp.load_code(folder / "my_robot.py")
    kept = pp.load(folder / "run.nc").scenario
    assert kept == scenario
    assert kept.built_robot().links[0].mass == 0.3
    assert kept.with_overrides({"duration": 0.1}).built_robot().links[0].mass == 0.3
    assert kept.with_overrides({"robot.links": 3}).built_robot().links[0].mass == 0.4
    assert scenario.built_robot().links[0].mass == 0.4


def test_a_study_in_python_takes_files(folder: Path) -> None:
    files = [folder / name for name in CODE]
    results = pp.run_study(
        folder / "my_scenario.yaml", code=files, seeds=1, measures=["head_travel"], processes=1, variants={"a": {}}
    )
    assert [row.status for row in results.rows] == ["ok"]
