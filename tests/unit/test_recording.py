"""Recordings and checkpoints: labels, metrics, files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

from pushpoint.errors import InvalidInput
from pushpoint.recording import Checkpoint, Recording, load
from pushpoint.recording.assemble import Event, RunClock, contact_set, data_set, event_set
from pushpoint.recording.checkpoint import LastRow, check_plain
from pushpoint.scenario import Choice, Scenario
from pushpoint.tape import LEDGER, PLANE, Tape, new_tape

PERIOD = 0.1
ROWS = 4


def scenario(links: int, **fields: Any) -> Scenario:
    robot = Choice(name="uniform", options={"links": links})
    return Scenario(name="lab/test", robot=robot, world=Choice(name="plane"), controller=Choice(name="hold"), **fields)


def filled_trace(links: int, contacts: int) -> Tape:
    """Every cell has its own number, so that a column taken for another is noticed."""
    tape = new_tape(links, ROWS, 5, 1, contacts + 2)
    random = np.random.default_rng(1)
    for array in (tape.link, tape.energy, tape.contact):
        array[:] = random.normal(size=array.shape)
    tape.step[:, :3] = [[10.0**-k, 3 + k, 0] for k in range(9, 4, -1)]
    tape.contact[:, 0] = np.sort(random.integers(0, ROWS, len(tape.contact)))
    tape.contact[:, 1] = random.integers(0, links, len(tape.contact))
    tape.contact[:, 2] = 7
    cursor = tape.cursor[0]
    cursor.row, cursor.contact, cursor.step = ROWS, contacts, 5
    return tape


def recorded(links: int = 3, contacts: int = 3, events: tuple[Event, ...] = (), **parts: Any) -> Recording:
    run, tape = scenario(links), filled_trace(links, contacts)
    clock = RunClock(np.arange(ROWS, dtype=float) * PERIOD, np.arange(1.0, 6.0) * 0.06)
    reference = np.arange(ROWS * (links - 1), dtype=float).reshape(ROWS, links - 1)
    defaults: dict[str, Any] = {
        "data": data_set(run.built_robot(), tape, clock, reference),
        "contacts": contact_set(tape, clock.row_time),
        "events": event_set(events),
        "scenario": run,
        "wall_time_s": 0.15,
        "_checkpoint": checkpoint(links),
    }
    return Recording(**{**defaults, **parts})


def checkpoint(links: int = 3, **parts: Any) -> Checkpoint:
    defaults: dict[str, Any] = {
        "scenario": scenario(links, control_period=PERIOD),
        "tick": 3,
        "ticks_since_row": 0,
        "plant": {
            "clock": np.array([12], dtype=np.int64),
            "link": np.random.default_rng(2).normal(size=(links, 6)),
            "pairs": np.zeros((0, 4)),
            "flags": np.array([True, False]),
        },
        "controller": {
            "mode": "jam",
            "note": "",
            "count": 3,
            "level": 0.1,
            "on": True,
            "past": np.arange(3.0),
        },
        "reference": np.full(links - 1, 0.3),
        "last_row": LastRow(np.ones((links, 11)), np.arange(6.0), np.zeros((0, 10))),
    }
    return Checkpoint(**{**defaults, **parts})


def same(a: Checkpoint, b: Checkpoint) -> bool:
    return a.scenario == b.scenario and a.to_dataset().identical(b.to_dataset())


# --- labels ---


def test_every_variable_has_units_and_a_name() -> None:
    recording = recorded()
    for dataset in (recording.data, recording.contacts):
        for name, variable in dataset.data_vars.items():
            assert variable.attrs["units"], name
            assert variable.attrs["long_name"], name


def test_columns_of_the_trace_land_in_their_variables() -> None:
    data, tape = recorded().data, filled_trace(3, 3)
    column = {name: tape.link[:, :, k] for k, name in enumerate(PLANE.link)}
    assert data["link_position"].dims == ("time", "link", "axis")
    assert (data["link_position"].sel(axis="y") == column["position_y"]).all()
    assert (data["ground_force"].sel(axis="x") == column["ground_force_x"]).all()
    assert (data["contact_force"].sel(axis="y") == column["contact_force_y"]).all()
    assert (data["link_velocity"].sel(axis="x") == column["velocity_x"]).all()
    assert (data["joint_angle"] == np.diff(column["angle"], axis=1)).all()
    assert (data["joint_rate"] == np.diff(column["rate"], axis=1)).all()
    assert (data["joint_torque"] == column["torque"][:, 1:]).all()
    for k, name in enumerate(LEDGER):
        assert (data[name] == tape.energy[:, 1 + k]).all()
    assert data["step_iterations"].dtype.kind == "i"


def test_centre_of_mass_is_weighted_by_mass() -> None:
    robot = scenario(3).built_robot()
    links = (*robot.links[:2], robot.links[2].model_copy(update={"mass": 6.0}))
    heavy = robot.model_copy(update={"links": links})
    tape = filled_trace(3, 0)
    data = data_set(heavy, tape, RunClock(np.arange(4.0), np.zeros(0)), np.zeros((4, 2)))
    expected = (tape.link[:, 0, :2] + tape.link[:, 1, :2] + 6 * tape.link[:, 2, :2]) / 8
    assert data["centre_of_mass"].values == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("angle", "normal", "side"), [(0.0, (0, -1), 1), (0.0, (0, 1), -1), (math.pi, (0, -1), -1)])
def test_side_is_where_the_obstacle_lies_seen_towards_the_head(
    angle: float, normal: tuple[float, float], side: int
) -> None:
    tape = new_tape(1, 1, 0, 1, 1)
    tape.link[0, 0, PLANE.columns("angle").start] = angle
    tape.contact[0, PLANE.contact_columns("normal")] = normal
    tape.cursor[0].row = tape.cursor[0].contact = 1
    assert contact_set(tape, np.zeros(1))["side"].item() == side


# --- metrics ---


def test_metrics_are_plain_finite_numbers() -> None:
    metrics = recorded().metrics()
    assert json.loads(json.dumps(metrics)) == metrics
    assert all(math.isfinite(value) for value in metrics.values())
    assert metrics["duration"] == pytest.approx(0.3)
    assert metrics["real_time_factor"] == pytest.approx(2.0)
    assert metrics["mean_iterations"] == 10.0
    assert metrics["max_residual"] == 1e-5


def test_energy_closure_finds_a_missing_joule() -> None:
    recording = recorded()
    rows = np.arange(ROWS, dtype=float)
    books = {"kinetic_energy": rows, "servo_work": 3 * rows, "friction_work": -2 * rows}
    zero = np.zeros(ROWS)
    closed = recording.data.assign({name: ("time", books.get(name, zero)) for name in LEDGER})
    assert Recording(closed, recording.contacts, recording.events, recording.scenario).metrics()[
        "energy_closure_error"
    ] == pytest.approx(0.0, abs=1e-15)
    leaking = closed.assign(friction_work=("time", -1 * rows))
    error = Recording(leaking, recording.contacts, recording.events, recording.scenario).metrics()
    assert error["energy_closure_error"] == pytest.approx(3 / (3 + 9 + 3))


def test_a_failed_run_has_no_checkpoint() -> None:
    with pytest.raises(InvalidInput, match=r"failed at t = 0\.2 s"):
        recorded(failure={"time": 0.2}, _checkpoint=None).checkpoint()


# --- files ---


@pytest.mark.parametrize("links", [1, 3])
@pytest.mark.parametrize("contacts", [0, 3])
@pytest.mark.parametrize("events", [(), ((0.1, "jam", "link 3 – größer"), (0.2, "free", ""))])
def test_a_recording_comes_back_as_it_was(tmp_path: Path, links: int, contacts: int, events: tuple[Event, ...]) -> None:
    recording = recorded(links, contacts, events)
    path = recording.save(tmp_path / "run.nc")
    again = load(path)
    xr.testing.assert_identical(again.data, recording.data)
    xr.testing.assert_identical(again.contacts, recording.contacts)
    xr.testing.assert_identical(again.events, recording.events)
    assert again.scenario == recording.scenario
    assert again.failure is None
    assert again.wall_time_s == recording.wall_time_s
    assert again.metrics() == recording.metrics()
    assert same(again.checkpoint(), checkpoint(links, scenario=recording.scenario))
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_a_failure_is_kept(tmp_path: Path) -> None:
    failure = {"status": "NOT_CONVERGED", "time": 0.2, "link": 1, "residual": 1e-3, "advice": "smaller dt"}
    again = load(recorded(failure=failure, _checkpoint=None).save(tmp_path / "run.nc"))
    assert again.failure == failure
    with pytest.raises(InvalidInput, match="failed"):
        Checkpoint.load(tmp_path / "run.nc")


@pytest.mark.parametrize("last_row", [None, LastRow(np.ones((3, 11)), np.arange(6.0), np.ones((2, 10)))])
def test_a_checkpoint_comes_back_with_its_types(tmp_path: Path, last_row: LastRow | None) -> None:
    saved = checkpoint(last_row=last_row)
    again = Checkpoint.load(saved.save(tmp_path / "c.nc"))
    assert same(again, saved)
    assert again.time == pytest.approx(0.3)
    assert {k: type(v) for k, v in again.controller.items()} == {k: type(v) for k, v in saved.controller.items()}
    assert {k: v.dtype for k, v in again.plant.items()} == {k: v.dtype for k, v in saved.plant.items()}
    assert all(v.flags.c_contiguous for v in again.plant.values())


def test_a_recording_file_serves_as_checkpoint(tmp_path: Path) -> None:
    recording = recorded()
    assert same(Checkpoint.load(recording.save(tmp_path / "run.nc")), checkpoint(scenario=recording.scenario))


def test_scenarios_longer_than_an_hdf5_header_are_kept(tmp_path: Path) -> None:
    rows = [[float(k), 0.0] for k in range(20000)]
    choice = {"name": "torque_playback", "options": {"times": list(range(20000)), "torque": rows}}
    long = scenario(3).with_overrides({"controller": choice})
    again = load(recorded(scenario=long).save(tmp_path / "run.nc"))
    assert again.scenario.controller.options == choice["options"]


def test_a_servo_without_torque_limit_is_kept(tmp_path: Path) -> None:
    run = scenario(3).with_overrides({"servo.stiffness": 5.0})
    assert run.servo is not None
    assert math.isinf(run.servo.torque_limit)
    assert load(recorded(scenario=run).save(tmp_path / "run.nc")).scenario == run


def test_saving_again_replaces_the_file(tmp_path: Path) -> None:
    recorded(contacts=0).save(tmp_path / "run.nc")
    recorded(contacts=3).save(tmp_path / "run.nc")
    assert load(tmp_path / "run.nc").contacts.sizes["contact"] == 3


def test_a_failed_save_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = recorded().save(tmp_path / "run.nc")
    before = path.read_bytes()
    broken = recorded()
    broken.contacts.attrs["cannot be stored"] = object()
    with pytest.raises(TypeError):
        broken.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere.*cannot be written"):
        recorded().save(tmp_path / "nowhere" / "run.nc")


def test_what_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"there is no file .*absent\.nc"):
        load(tmp_path / "absent.nc")
    (tmp_path / "text.nc").write_text("not a recording")
    with pytest.raises(InvalidInput, match="not a recording of pushpoint"):
        load(tmp_path / "text.nc")
    xr.Dataset({"a": ("x", [1.0])}).to_netcdf(tmp_path / "foreign.nc", engine="h5netcdf")
    with pytest.raises(InvalidInput, match="another program"):
        load(tmp_path / "foreign.nc")
    checkpoint().save(tmp_path / "checkpoint.nc")
    with pytest.raises(InvalidInput, match="is a checkpoint, not a recording"):
        load(tmp_path / "checkpoint.nc")


def test_a_newer_schema_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as newer:
        newer.setattr("pushpoint.recording._netcdf.SCHEMA", 99)
        recorded().save(tmp_path / "run.nc")
    with pytest.raises(InvalidInput, match="schema version 99"):
        load(tmp_path / "run.nc")


def test_only_plain_data_goes_into_a_checkpoint() -> None:
    check_plain("mine", {"a": 1, "b": 0.5, "c": "text", "d": np.arange(3), "e": True})
    for value in ([1, 2], {"x": 1}, None, object()):
        with pytest.raises(InvalidInput, match=r"'mine': state 'bad' is a"):
            check_plain("mine", {"bad": value})
