"""Input from strangers: files that multiply, nest, never end or are no text; counts and numbers beyond all measure.

Each is one line that names what is wrong, and exit code 2, at once and within little memory. Files are given to the
command itself in a process of its own, whose address space is limited and whose CPU seconds and memory are measured.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import pushpoint as pp
from pushpoint import limits
from pushpoint.cli.study import parsed_seeds
from pushpoint.errors import InvalidInput
from pushpoint.geometry.grid import build_grid
from pushpoint.plain_data import read_yaml, yaml_text
from pushpoint.scenario import Choice, Scenario, build
from pushpoint.studies import Study
from pushpoint.studies.results import load
from pushpoint.worlds import worlds

TRACK = "transeth2008a/track"
BAD_INPUT = 2
MOST_CPU = 2.0  # [s] beyond the start of the command
MOST_MEMORY = 500.0  # [MB], of the whole process
ADDRESSES = 1500 * 1024**2  # [bytes] that a process may ask for: more is a MemoryError instead of a full machine

# --- files, by the command ---

COMMANDS = """
import contextlib, io, json, sys, time
from pushpoint.cli.main import main
from tests.properties.hostile import most_memory

for words in json.load(sys.stdin):
    sys.argv, said, code = ["pushpoint", *words], io.StringIO(), 0
    began = time.process_time()
    with contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as left:
            code = left.code
    cpu = time.process_time() - began
    print(json.dumps([code, said.getvalue().splitlines(), cpu, most_memory()]), flush=True)
"""


class Outcome(NamedTuple):
    code: int
    lines: list[str]  # on standard error
    cpu: float  # [s]
    memory: float  # [MB], the most until then


def commands(folder: Path, *commands: tuple[str, ...]) -> list[Outcome]:
    """`pushpoint words...`, one after the other, in a process of their own; the first is to import everything."""
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        input=json.dumps([("run", "missing.yaml"), *commands]),
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{Path(pp.__file__).parents[1]}{os.pathsep}{Path(__file__).parents[2]}"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES)),
    )
    assert done.returncode == 0, done.stderr
    return [Outcome(*json.loads(line)) for line in done.stdout.splitlines()][1:]


def laughs(depth: int, width: int) -> str:
    """Aliases of aliases: width ** depth values in a few hundred bytes."""
    lines = ["a0: &a0 [" + ", ".join(["x"] * width) + "]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * width)}]" for k in range(1, depth)]
    return "\n".join(lines)


def scenario(**changes: Any) -> str:
    data = {"name": "lab/x", "robot": "aiko", "world": "plane", "controller": "hold", "duration": 0.01}
    return json.dumps(data | changes)


def chosen(name: str, **options: Any) -> dict[str, Any]:
    return {"name": name, "options": options}


YAML: dict[str, tuple[str | bytes, str]] = {
    "aliases of aliases": (laughs(12, 10), "values, with aliases written out"),
    "merges of merges": (
        "a0: &a0 {x: 1}\n" + "".join(f"a{k}: &a{k} {{<<: [*a{k - 1}, *a{k - 1}]}}\n" for k in range(1, 60)),
        "values, with aliases written out",
    ),
    "deep": ("[" * 200_000, "deep"),
    "deep blocks": ("- " * 200_000, "deep"),
    "contains itself": ("name: &a {robot: [*a]}", "line 1, column 19: alias 'a' stands inside of what it stands for"),
    "many values": ("a: [" + "0.1," * 2_000_000 + "]", "values"),
    "too long": ("#" * (limits.FILE_BYTES + 1), "bytes; should be"),
    "no text": (bytes(range(256)) * 100, "is not UTF-8"),
    "a million obstacles": (
        scenario(world=chosen("rows", rows=1000, columns=1000)),
        "world.rows = 1000 times world.columns = 1000 are 1000000 pegs",
    ),
    "a long robot": (scenario(robot=chosen("aiko", links=10**9)), "robot.links = 1000000000: should be less than"),
    "half a day at a millisecond": (scenario(duration=43200), "not enough memory"),  # of the addresses given
    "a long run": (scenario(duration=86400, control_period=1e-4, plant=chosen("planar_stepping", dt=1e-4)), "memory"),
}


CSV: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "is empty"),
    "semicolons": ("x_m;y_m;radius_m\n1;2;0.1\n", "has semicolons"),
    "too many rows": ("x_m,y_m,radius_m\n" + "5,5,0.1\n" * (limits.OBSTACLES + 1), "discs at most"),
    "a wrong last row": ("x_m,y_m,radius_m\n" + "5,5,0.1\n" * 99_999 + "5,5,-1\n", "line 100001: Disc.radius = -1.0"),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What the command says of each file."""
    folder, words = tmp_path_factory.mktemp("hostile"), {}
    for k, (name, (content, _)) in enumerate((YAML | CSV).items()):
        file = f"{k}.csv" if name in CSV else f"{k}.yaml"
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
        setting = f"world={{name: csv, options: {{path: {file}}}}}"
        words[name] = ("run", TRACK, "--set", setting) if name in CSV else ("run", file)
    return dict(zip(words, commands(folder, *words.values()), strict=True))


@pytest.mark.parametrize("name", [*YAML, *CSV])
def test_hostile_files_are_one_line_at_once(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome, (_, words) = outcomes[name], (YAML | CSV)[name]
    assert outcome.code == BAD_INPUT, outcome.lines
    assert len(outcome.lines) == 1, outcome.lines
    assert words in outcome.lines[0]
    assert outcome.cpu <= MOST_CPU
    assert outcome.memory <= MOST_MEMORY


# --- the same in this process, more of them ---


def read(text: str | bytes, folder: Path, ending: str = ".yaml") -> Any:
    path = folder / f"mine{ending}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_yaml(path, "scenario")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (laughs(8, 6), "line 7, column 25: more than"),
        ("a: &a [*a]", "line 1, column 8: alias 'a' stands inside"),
        ("a: &a {b: {c: [*a]}}", "line 1, column 16: alias 'a' stands inside"),
        ("a: *b", "line 1, column 4: alias 'b' stands for nothing"),
        ("a: 1\nb: 2\na: 3", "line 3, column 1: key 'a' is there twice"),
        ("a: 1\n---\nb: 2", "line 2, column 1: a second document"),
        ("a: !!python/object/apply:os.system [ls]", "line 1, column 4: tag 'tag:yaml.org,2002:python/object/apply"),
        ("a: !!python/name:os.system ''", "line 1, column 4: tag"),
        ("!!set {a, b}", "line 1, column 1: tag"),
        ("a: !!int x", "line 1, column 4: 'x' cannot be read as int"),
        ("a: !!bool x", "cannot be read as bool"),
        ("a: " + "9" * 5000, "cannot be read as int"),
        ("a: 0x" + "f" * 5000, "cannot be read as int"),
        ("a: {[1, 2]: 3}", "a key should be text"),
        ("a: &a [1]\n*a : 2", "line 2, column 1: a key should be text"),
        ("? " + "k" * 500 + "\n: 1", "more than 200 characters"),
        ("<<: 3", "<< takes a mapping"),
        ("a: b\x00c", "line 1, column 5: not valid YAML: character #x0000"),
        ("%TAG ! tag:x\n---\na: 1", "line 1, column 1: not valid YAML: %TAG is not allowed"),
        ("a: b\n\tc: d", "indent by spaces"),
        (b"a: \xff", "byte 0xff in line 1 is not UTF-8"),
        ("a: 1".encode("utf-16"), "UTF-16"),
        ("{" * 5000, ""),
        ('[{"a": 1, "a": 2}]', "key 'a' is there twice"),
        ("[" * 100_000 + "]" * 100_000, "more than 50 deep"),
        ('{"a": ' + "9" * 5000 + "}", "4300 digits"),
        ('{"' + "k" * 500 + '": 1}', "more than 200 characters"),
    ],
)
@pytest.mark.parametrize("as_file", [True, False])
def test_data_that_are_not_plain_are_refused_with_their_place(
    text: str | bytes, words: str, as_file: bool, tmp_path: Path
) -> None:
    if not as_file and isinstance(text, bytes):
        pytest.skip("text has no bytes")
    with pytest.raises(InvalidInput) as refusal:
        read(text, tmp_path) if as_file else read_yaml(str(text), "scenario")
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).startswith(f"scenario file '{tmp_path}" if as_file else "scenario text")


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: &x {b: 1}\nc: [*x, *x]", {"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}]}),
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}),
        ("p: &p {x: 1}\nq: &q {x: 2, y: 2}\nr: {<<: [*p, *q]}",
         {"p": {"x": 1}, "q": {"x": 2, "y": 2}, "r": {"x": 1, "y": 2}}),
        ("a: !!str 12\nb: !!float 3\nc: '1'\nd: yes\ne: ~\nf: 0x1f\ng: -.inf",
         {"a": "12", "b": 3.0, "c": "1", "d": True, "e": None, "f": 31, "g": -math.inf}),
        ("a: 2001-12-14\n? b\n: [1, 2.5, x]\n", {"a": "2001-12-14", "b": [1, 2.5, "x"]}),
        ("", None),
        ('{"a": [1, 2.5, null, true, "x"], "b": {}}', {"a": [1, 2.5, None, True, "x"], "b": {}}),
        ("{a: 1}", {"a": 1}),
    ],
)  # fmt: skip
def test_plain_data_are_read(text: str, data: Any, tmp_path: Path) -> None:
    assert read_yaml(text, "scenario") == data
    assert read(text, tmp_path) == data


def test_what_is_written_is_read_again() -> None:
    """Small data as YAML, large data as JSON, which is YAML too and quicker."""
    odd = {
        "text": ["1e3", "12", "yes", "null", "<<", "2001-01-01", "a: b", "", "é\n"],
        "number": [1e-300, 10**30, -0.5],
    }
    large = {"heights": [[0.25 * k for k in range(300)]] * 100}
    for data in (odd, large):
        assert read_yaml(yaml_text(data), "scenario") == data
    assert yaml_text(large).startswith('{"heights"')
    assert yaml_text(odd).startswith("text:")


def test_a_byte_order_mark_is_skipped_and_reported(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="byte order mark"):
        assert read(b"\xef\xbb\xbfa: 1", tmp_path) == {"a": 1}


def made_folder(path: Path) -> None:
    path.mkdir()


def made_link(path: Path) -> None:
    path.symlink_to(path)  # to itself


@pytest.mark.parametrize(
    ("make", "words"),
    [(made_folder, "no regular file"), (os.mkfifo, "no regular file"), (made_link, "cannot be read")],
)
def test_what_is_no_file_is_not_waited_for(make: Callable[[Path], None], words: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    make(path)
    for action in (
        lambda: read_yaml(path, "scenario"),
        lambda: build(worlds, Choice(name="csv", options={"path": str(path)}), seed=0),
    ):
        with pytest.raises(InvalidInput, match=words):
            action()
    with pytest.raises(InvalidInput, match="no regular file"):
        build(worlds, Choice(name="csv", options={"path": "/dev/zero"}), seed=0)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_yaml(tmp_path / "a\0b.yaml", "scenario")


def test_refusals_stay_short() -> None:
    """Neither thousands of problems nor a megabyte of text make a long line."""
    world = {"name": "w", "obstacles": [{"x": "a", "y": "b", "radius": -1}] * 1000}
    for change in (
        {"world": world},
        {"name": "x" * 10**6},
        {"robot": "x" * 10**6},
        {"x" * 10**6: 1},
        {"start": {"joint_angle": ["x"] * 5000}},
        {"seed": 10**3000},
        {"seed": 10**5000},
    ):
        data = json.loads(scenario()) | change
        with pytest.raises(InvalidInput) as refusal:
            Scenario.parse(data).built_robot()
        assert len(str(refusal.value)) < 2000


# --- tables of obstacles ---

HEAD = "x_m,y_m,radius_m\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        (HEAD, "no rows below the columns"),
        (HEAD + ",,\n\n", "no rows below the columns"),
        ("x_m;y_m;radius_m\n1;2;0.1\n", "has semicolons, columns should be separated by commas"),
        ("x_m\ty_m\tradius_m\n1\t2\t0.1\n", "has tabs"),
        ("1,2,0.1\n", "has numbers, it should name the columns"),
        ("X,Y,R\n1,2,0.1\n", "found: 'X, Y, R'"),
        (HEAD + "1,5,2,0,0,1\n", "line 2: 6 cells for 3 columns; were decimal commas meant"),
        (HEAD + '"1,5",2,0.1\n', "line 2: x_m = '1,5' is no number; were decimal commas meant"),
        (HEAD + "1\n", "line 2: y_m = None is no number"),
        (HEAD + "1_0,2,0.1\n", "line 2: x_m = '1_0' is no number"),
        (HEAD + "1,nan,0.1\n", "line 2: Disc.y = nan: should be a finite number"),
        (HEAD + "1,inf,0.1\n", "line 2: Disc.y = inf"),
        (HEAD + "1,1e308,0.1\n", "line 2: Disc.y = 1e+308"),
        (HEAD + "1,2,1e-308\n", "line 2: Disc.radius = 1e-308: should be at least"),
        (HEAD + "1,\0,0.1\n", "line 2: y_m = "),
        (HEAD + '"1,2,0.1\n', "cannot be read"),
        (HEAD + "1" * 200_000 + ",2,0.1\n", "cannot be read: field larger"),
        ("x_m,x_m,y_m,radius_m\n1,1,2,0.1\n", "column 'x_m' is there twice"),
        ("x_m,y_m,radius_m,näme\n1,2,0.1,ö\n".encode("latin-1"), "is not UTF-8"),
        ((HEAD + "1,2,0.1\n").encode("utf-16"), "UTF-16"),
    ],
)
def test_a_bad_table_is_refused_with_the_likely_cause(text: str | bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "pegs.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidInput) as refusal:
        build(worlds, Choice(name="csv", options={"path": str(path)}), seed=0)
    assert words in str(refusal.value)
    assert "pegs.csv" in str(refusal.value)


def test_tables_of_other_programs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pegs.csv"
    path.write_bytes(b"\xef\xbb\xbf x_m , y_m , radius_m \r\n 1 , 2 , 0.1 \r\n\r\n")
    with pytest.warns(UserWarning, match="byte order mark"):
        world = build(worlds, Choice(name="csv", options={"path": str(path)}), seed=0)
    assert [(d.x, d.y, d.radius) for d in world.discs] == [(1.0, 2.0, 0.1)]


@pytest.mark.parametrize(
    "rows",
    [
        "",
        "variant,seed\nbase,1\n",
        "variant,seed,status,message,wall_time_s\nbase\n",
        "a" * 200_000 + ",b\n1,2\n",
    ],
)
def test_a_study_whose_rows_are_no_rows_is_refused(rows: str, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(Study.parse({"scenario": TRACK, "seeds": 1}).to_yaml())
    (tmp_path / "runs.csv").write_text(rows)
    if rows == "":
        assert load(tmp_path).rows == ()
        return
    with pytest.raises(InvalidInput, match=r"runs\.csv"):
        load(tmp_path)


@pytest.mark.parametrize("value", [1e308, math.nan, math.inf, 10**30])
def test_a_measure_takes_no_number_beyond_measure(value: Any) -> None:
    wanted = {"name": "first_passage", "options": {"link": 5, "axis": "x", "value": value}}
    with pytest.raises(InvalidInput, match=r"options\.value"):
        Study.parse({"scenario": TRACK, "measures": [wanted]})


@pytest.mark.parametrize("text", ["0:" + "9" * 30, "9" * 18, "٣", "1" * 5000, "5:3", "0"])
def test_seeds_beyond_measure_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="--seeds"):
        parsed_seeds(text)


@pytest.mark.parametrize(
    ("world", "words"),
    [
        (chosen("rows", rows=400, columns=400), "are 160000 pegs"),
        (chosen("movable-rows", rows=40, columns=40), "are 1600 movable pegs"),
        (chosen("zigzag", pitch=0.01, swing=0.0, pieces=100), "makes 80001 points"),
        (chosen("rough-ground", spacing=1e-3), "world.spacing = 0.001 m makes 3001 x 2001 points"),
        (chosen("rough-ground", hill=1e4, spacing=1e-6, length=1e-5, width=1e-5), "leaves the ground flat"),
        (chosen("stairs", steps=100, rise=50.0), "heights differ by 5000 m"),
        (chosen("random-field", darts=10**5, keep_clear=[[0.01 * k, 9.0] for k in range(1000)]), "world.keep_clear"),
    ],
)
def test_sizes_that_follow_from_others_are_limited(world: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        build(worlds, Choice.parse(world), seed=0)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("controller", "words"),
    [
        (chosen("push-along", path={"begin": -1e6, "end": 1e6, "wavelength": 1e-6}), "controller.path"),
        (chosen("push-along", path=[[0, 0], [1e5, 1]]), "controller.path: a path of 1e+05 m"),
        (chosen("push-along", head=-1e6), "table of"),
        (chosen("push-shape", sensing={"latency": 1e6}), "controller.sensing.latency = 1e+06 s"),
        (chosen("jam-resolution", speed=1e-6), "ticks of 0.01 s are remembered"),
        (chosen("shape-follower", segment={"points": [[0, 0], [1e-5, 0]]}), "too many, should be 20000"),
        (chosen("shape-follower", segment={"points": [[0, 0], [0.001, 0]]}, speed=1e4), "controller.speed = 10000 m/s"),
        (chosen("serpenoid", amplitude=40.0), "was it meant in degrees"),
        (chosen("serpenoid", amplitude=3.0, offset=3.0), "was an angle meant in degrees"),
    ],
)
def test_controllers_with_sizes_beyond_measure_are_refused(controller: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        pp.simulate(Scenario.parse(json.loads(scenario(controller=controller))))
    assert words in str(refusal.value)


def test_crowds_of_obstacles_and_robots_far_from_their_terrain_are_refused() -> None:
    crowd = {"name": "w", "obstacles": [{"x": 5, "y": 5, "radius": 0.1}] * 5000}
    with pytest.raises(InvalidInput, match="at the densest spot 5000 may be near each of 9999 links"):
        pp.simulate(Scenario.parse(json.loads(scenario(world=crowd, robot=chosen("aiko", links=9999)))))
    away = {"plant": "spatial_stepping", "world": chosen("stairs", start=1e5)}
    with pytest.raises(InvalidInput, match=r"start\.position: there is no ground"):
        pp.simulate(Scenario.parse(json.loads(scenario(**away))))
    with pytest.raises(InvalidInput, match="2000 links at most"):
        pp.simulate(Scenario.parse(json.loads(scenario(plant="planar_hybrid", robot=chosen("thin-aiko", links=3000)))))


def test_worlds_as_wide_as_the_limits_need_little_memory() -> None:
    """Two pegs two thousand kilometres apart, and small links: no cell of a grid for each stretch between them."""
    world = {"name": "w", "obstacles": [{"x": x, "y": 5, "radius": 1e-6} for x in (-1e6, 1e6)]}
    tracemalloc.start()
    boxes = np.array([[d["x"], 5.0, d["x"], 5.0] for d in world["obstacles"]])
    grid = build_grid(boxes, reach=1e-6)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(grid.start) <= 200_000
    assert most < 50e6
