"""`run` and `resume` of the command line: folders, parts, and the same bits in the end; `show`; completion."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.cli._parts import ends_of_parts
from pushpoint.cli.show import SHOWN_KINDS, options
from pushpoint.declared import fields_of, parameters_of
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.registry import Registry
from tests.unit.conftest import Shell

TRACK = "transeth2008a/track"


def same(one: pp.Recording, other: pp.Recording) -> bool:
    """Whether everything recorded is equal to the bit, but for the time that it took."""
    groups = ((one.data, other.data), (one.contacts, other.contacts), (one.events, other.events))
    return all(equal(*pair) for pair in groups)


def equal(one: xr.Dataset, other: xr.Dataset) -> bool:
    return list(one.variables) == list(other.variables) and all(
        one[name].dims == other[name].dims
        and one[name].attrs == other[name].attrs
        and np.array_equal(one[name].values, other[name].values, equal_nan=one[name].dtype.kind == "f")
        for name in one.variables
    )


# --- folders ---


def test_a_run_takes_the_next_free_folder(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "results" / "transeth2008a-track").mkdir(parents=True)  # empty: it is free
    for expected in ("transeth2008a-track", "transeth2008a-track-2", "transeth2008a-track-3"):
        code, out, err = shell("run", TRACK, "--duration", "0.01", "--json")
        assert code == 0, err
        assert Path(json.loads(out)["files"]["recording"]).parent == Path("results") / expected
    (tmp_path / "results" / "transeth2008a-track-7").mkdir()
    code, out, _ = shell("run", TRACK, "--duration", "0.01", "--json")
    assert json.loads(out)["files"]["recording"] == "results/transeth2008a-track-8/recording.nc"


def test_a_result_in_the_folder_is_replaced_by_force_only(shell: Shell, tmp_path: Path) -> None:
    assert shell("run", TRACK, "--duration", "0.01", "--out", "mine")[0] == 0
    before = (tmp_path / "mine" / "recording.nc").read_bytes()
    code, out, err = shell("run", TRACK, "--duration", "0.02", "--out", "mine")
    assert (code, out) == (2, "")
    assert "--out 'mine': there is a result in this folder; --force replaces it" in err
    assert (tmp_path / "mine" / "recording.nc").read_bytes() == before
    assert shell("run", TRACK, "--duration", "0.02", "--out", "mine", "--force")[0] == 0
    assert pp.load(tmp_path / "mine" / "recording.nc").metrics()["duration"] == pytest.approx(0.02)


def test_metrics_are_printed_with_their_units(shell: Shell) -> None:
    _, out, _ = shell("run", TRACK, "--duration", "0.05")
    lines = {line.split()[0]: line.split()[1:] for line in out.splitlines()[1:]}
    for name in pp.load("results/transeth2008a-track/recording.nc").metrics():
        unit = pp.analysis.unit_of(name)
        assert lines[name][1:] == unit.split(), name


# --- parts ---


def test_parts_and_resumed_runs_are_equal_to_the_bit_to_one_run(shell: Shell, tmp_path: Path) -> None:
    whole = pp.simulate(TRACK, duration=0.2)
    code, _, err = shell("run", TRACK, "--duration", "0.2", "--checkpoint-every", "0.07", "--out", "parts")
    assert code == 0, err
    assert same(pp.load(tmp_path / "parts" / "recording.nc"), whole)
    assert shell("run", TRACK, "--duration", "0.13", "--out", "short")[0] == 0
    code, _, err = shell("resume", "short", "--duration", "0.2", "--out", "long", "--checkpoint-every", "0.05")
    assert code == 0, err
    resumed = pp.load(tmp_path / "long" / "recording.nc")
    assert same(resumed, whole)
    assert resumed.metrics() | {"real_time_factor": 0} == whole.metrics() | {"real_time_factor": 0}
    code, _, err = shell("resume", "long")
    assert code == 2
    assert "the checkpoint is at 0.2 s already" in err


def test_a_checkpoint_between_two_rows_makes_no_row_of_its_own() -> None:
    scenario = pp.scenarios.scenarios[TRACK].with_overrides({"control_period": 0.005, "record_period": 0.02})
    whole = pp.simulate(scenario, duration=0.3)
    first = pp.simulate(scenario, duration=0.125)
    assert first.checkpoint().last_row is None
    assert same(first.followed_by(pp.resume(first.checkpoint(), 0.3)), whole)
    with pytest.raises(InvalidInput, match=r"begins at 0 s; this one ends at 0\.125 s"):
        first.followed_by(whole)


def test_headings_in_space_go_on_counting_turns() -> None:
    scenario = pp.scenarios.scenarios["lab/slope"].with_overrides({"start.angle": 3.1, "start.spin": (0.0, 0.0, 9.0)})
    whole, first = pp.simulate(scenario, duration=0.2), pp.simulate(scenario, duration=0.1)
    assert same(first.followed_by(pp.resume(first.checkpoint(), 0.2)), whole)


def test_a_checkpoint_alone_is_resumed_too(shell: Shell, tmp_path: Path) -> None:
    pp.simulate(TRACK, duration=0.1).checkpoint().save(tmp_path / "checkpoint.nc")
    code, _, err = shell("resume", "checkpoint.nc", "--duration", "0.15", "--out", "rest")
    assert code == 0, err
    time = pp.load(tmp_path / "rest" / "recording.nc").data["time"].values
    assert time[[0, -1]] == pytest.approx([0.1, 0.15])


def test_ends_of_parts() -> None:
    assert ends_of_parts(0.0, 1.0, None) == [1.0]
    assert ends_of_parts(0.0, 1.0, 0.5) == [0.5, 1.0]
    assert ends_of_parts(0.5, 1.0, 0.5) == [1.0]
    assert ends_of_parts(0.3, 1.0, 0.4) == [0.4, 0.8, 1.0]
    for every in (0.0, -1.0, float("nan"), 1e-9):
        with pytest.raises(InvalidInput, match="--checkpoint-every"):
            ends_of_parts(0.0, 1.0, every)


# --- show ---


def test_show_has_options_with_default_unit_and_meaning(shell: Shell) -> None:
    _, out, _ = shell("show", "controller", "serpenoid", "--json")
    about = json.loads(out)
    shift = next(option for option in about["options"] if option["name"] == "phase_shift")
    assert (shift["default"], shift["unit"]) == ("-0.7", "rad")
    assert "from joint to joint" in shift["meaning"]
    _, out, _ = shell("show", "first_passage")
    assert "unit: s" in out
    assert "Counted from the tail" in out
    _, out, _ = shell("show", "plants", "planar_stepping")
    assert "with step_error the longest step" in out
    _, out, _ = shell("show", TRACK)
    assert pp.Scenario.from_yaml(out) == pp.scenarios.scenarios[TRACK]


def test_show_says_what_there_is(shell: Shell) -> None:
    for words, message in (
        (("serpentoid",), "Did you mean 'serpenoid'"),
        (("robots", "aikoo"), "Did you mean 'aiko'"),
        (("robotos", "aiko"), "Did you mean 'robots'"),
        (("contacts",), "pushpoint show sensors contacts or pushpoint show measures contacts"),
        (("a", "b", "c"), "not 3 words"),
    ):
        code, out, err = shell("show", *words)
        assert (code, out) == (2, "")
        assert message in err


@pytest.mark.parametrize("kind", [kind for kind in SHOWN_KINDS if kind != "scenarios"])
def test_everything_registered_can_be_shown(kind: str) -> None:
    from pushpoint.cli.listing import registry_of

    registry: Registry[object] = registry_of(kind)
    for name in registry:
        for option in options(kind, registry[name]):
            assert option.name
            assert option.default


def test_options_made_in_a_session_are_shown_without_their_comments() -> None:
    def short(links: int = 3) -> None: ...

    made = type("Made", (pp.Options,), {"__annotations__": {"gain": float}, "gain": 2.0, "__module__": "nowhere"})
    assert [field.name for field in fields_of(made, own=False)] in (["gain"], [])
    assert [(field.name, field.default) for field in parameters_of(short)] == [("links", "3")]


# --- names and shells ---


def test_the_part_behind_the_slash_is_enough_for_a_suggestion() -> None:
    for name, meant in (
        ("sidewinding", "transeth2008b/sidewinding"),
        ("hoal-sin", "lab/hoal-sine"),
        ("transeth/flat", "transeth2008a/flat"),
        ("lab/sidewinding-heading", "liljeback2014/sidewinding-heading"),
    ):
        with pytest.raises(UnknownName) as raised:
            _ = pp.scenarios.scenarios[name]
        assert meant in raised.value.suggestions


def test_flags_have_no_type_in_the_help(shell: Shell) -> None:
    for words in ((), ("run",), ("resume",), ("list",), ("study", "run"), ("plot",)):
        code, out, _ = shell(*words, "--help")
        assert code == 0
        assert "<bool>" not in out


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("pushpoint run transeth2008a/tra", 2, TRACK),
        ("pushpoint re", 1, "resume"),
        ("pushpoint list mea", 2, "measures"),
        ("pushpoint run x --plant planar_s", 4, "planar_stepping"),
    ],
)
def test_shells_complete_names(line: str, word: int, expected: str) -> None:
    asked = {"_PUSHPOINT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(word)}
    code = "import sys; sys.argv = ['pushpoint']; from pushpoint.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    assert expected in done.stdout.split(), done.stderr
