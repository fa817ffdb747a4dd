"""A distance, a region, a failure: runs end at the first row at which a condition holds, however they are run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.simulation import run as simulation
from pushpoint.simulation._stopping import Conditions
from pushpoint.tape import new_tape
from pushpoint.types import Failure, Status
from tests.unit.conftest import Shell

FLAT = "transeth2008a/flat"  # commands are known ahead
ROWS = "liljeback2010/rows"  # the controller is compiled
LIMIT = 0.01  # [m]


class PythonWave(pp.BaseController):
    """A wave, tick by tick."""

    def step(self, state: dict[str, Any], obs: pp.Observation) -> Any:
        return state, self.command(0.5 * np.sin(4.0 * obs.time - np.arange(self.joints))), ()


@pytest.fixture(params=["planned", "compiled", "python"])
def chosen(request: pytest.FixtureRequest) -> Any:
    """A scenario of each kind of controller."""
    if request.param != "python":
        yield pp.scenarios.scenarios[FLAT if request.param == "planned" else ROWS].with_overrides({"duration": 1.0})
        return
    pp.register_controller("python-wave")(PythonWave)
    yield pp.scenarios.scenarios[FLAT].with_overrides({"controller": "python-wave", "duration": 1.0})
    del pp.control.controllers._items["python-wave"]


def moved(run: pp.Recording) -> Any:
    centre = run.data["centre_of_mass"].values
    return np.linalg.norm(centre - centre[0], axis=1)


@pytest.mark.parametrize("first_chunk", [1, 10**9])
def test_a_run_ends_at_the_first_row_beyond_a_distance(
    chosen: pp.Scenario, first_chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "FIRST_CHUNK", first_chunk)  # however many ticks a call of the plant has
    whole = pp.simulate(chosen)
    limit = float(moved(whole).max()) / 2
    run = pp.simulate(chosen, {"stop": {"distance": limit}})
    rows = run.data.sizes["time"]
    assert rows == 1 + int(np.argmax(moved(whole) >= limit)) < whole.data.sizes["time"]
    xr.testing.assert_identical(run.data.isel(step=[]), whole.data.isel(time=slice(rows), step=[]))
    assert run.stopped == f"the centre of mass is {limit:g} m from its start"
    assert run.events["time"].values[-1] == run.data["time"].values[-1] == run.checkpoint().time
    assert not whole.stopped


def test_a_run_goes_on_from_where_it_stopped(chosen: pp.Scenario, tmp_path: Path) -> None:
    whole = pp.simulate(chosen)
    limit = float(moved(whole).max()) / 2
    run = pp.simulate(chosen, {"stop": {"distance": limit}})
    run.save(tmp_path / "run.nc")
    resumed = run.followed_by(pp.resume(pp.load(tmp_path / "run.nc").checkpoint()))
    xr.testing.assert_identical(resumed.data, whole.data)
    assert not resumed.stopped


def test_steps_by_hand_end_there_too(chosen: pp.Scenario) -> None:
    limit = float(moved(pp.simulate(chosen)).max()) / 2
    scenario = chosen.with_overrides({"stop": {"distance": limit}})
    run, sim = pp.simulate(scenario), pp.Simulation(scenario)
    twin = sim.copy()
    twin.advance(1.0)
    while not sim.done:
        sim.step()
    assert sim.stopped == twin.stopped == run.stopped != ""
    assert sim.time == twin.time == run.checkpoint().time
    xr.testing.assert_identical(sim.recording().data, run.data)
    with pytest.raises(InvalidInput, match=r"m from its start; call reset\(\)"):
        sim.step()
    sim.reset()
    assert not sim.done
    assert not sim.stopped


def test_own_commands_end_by_a_condition() -> None:
    sim = pp.Simulation(FLAT, {"stop": {"leave": {"y": [-0.001, 0.001]}, "point": "head"}})
    start = sim.observation.joint_angle
    while not sim.done:
        sim.step(start + 0.5)
    assert sim.time < 1.0
    assert sim.stopped == "the head left -0.001 <= y <= 0.001"


def test_regions_of_points_in_space() -> None:
    robot = pp.scenarios.scenarios[FLAT].built_robot()
    links, tape = len(robot.links), new_tape(len(robot.links), 5, 5, 1, dimensions=3)
    for row in range(5):
        tape.link[row, :, 0:3] = row
        tape.link[row, 0, 2] = -row
    tape.cursor[0].row = 5
    start = np.zeros((links, 3))

    def first(**stop: Any) -> int | None:
        met = Conditions(pp.Stop(**stop), robot, start).first_met(tape, 1)
        return None if met is None else met.row

    assert first(enter={"z": [2.0, None]}) == 3
    assert first(enter={"z": [2.5, None]}, point="tail") is None
    assert first(leave={"z": [-1.5, None]}, point="tail") == 2
    assert first(enter={"x": [1.5, 2.5], "y": [1.5, None]}, point="head") == 2
    assert first(distance=2.0, point="head") == 2
    assert first(distance=2.0, enter={"x": [0.5, None]}) == 1


def test_a_failure_may_be_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = Failure(Status.NOT_CONVERGED, 0.25, 3, 0.1, "try a smaller plant.dt")
    plain = simulation.Run._planned

    def planned(self: simulation.Run, ticks: int) -> Any:
        plain(self, min(ticks, 25 - self.done))
        return failure if self.done == 25 else None

    monkeypatch.setattr(simulation.Run, "_planned", planned)
    with pytest.raises(SolverFailure):
        pp.simulate(FLAT, duration=1.0)
    run = pp.simulate(FLAT, {"stop": {"failure": True}}, duration=1.0)
    assert run.failure is not None
    assert "NOT_CONVERGED" in run.stopped
    sim = pp.Simulation(FLAT, {"stop": {"failure": True}}, duration=1.0)
    sim.advance(1.0)
    assert sim.done
    assert "NOT_CONVERGED" in sim.failure


def test_conditions_in_files_and_by_the_command_line(shell: Shell, tmp_path: Path) -> None:
    scenario = pp.scenarios.scenarios[FLAT].with_overrides({"stop": {"enter": {"x": [0.1, None]}}})
    assert pp.Scenario.from_yaml(scenario.to_yaml()) == scenario
    code, out, err = shell("run", FLAT, "--set", "stop={distance: 0.005}", "--checkpoint-every", "2", "--out", "a")
    assert code == 0, err
    assert "stopped: the centre of mass is 0.005 m from its start" in out
    assert pp.load(tmp_path / "a" / "recording.nc").stopped


@pytest.mark.parametrize(
    ("stop", "message"),
    [
        ({"distance": -1}, r"stop\.distance = -1.*greater than 0"),
        ({"enter": {}}, r"has no bound; give x, y or z as \[lower, upper\]"),
        ({"leave": {"x": [1, 0]}}, r"x = \[1, 0\]: the lower bound should come first"),
        ({"point": "nose"}, r"stop\.point = 'nose'"),
        ({"distanze": 1}, r"distanze.*distance"),
    ],
)
def test_conditions_that_mean_nothing_are_refused(stop: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        pp.scenarios.scenarios[FLAT].with_overrides({"stop": stop})


def test_many_runs_end_each_by_its_own(chosen: pp.Scenario) -> None:
    limit = float(moved(pp.simulate(chosen)).max())
    changes = [{"stop": {"distance": share * limit}} for share in (0.3, 0.6)]
    for run, change in zip(pp.simulate_many(chosen, changes, threads=2), changes, strict=True):
        alone = pp.simulate(chosen, change)
        assert run.stopped == alone.stopped != ""
        xr.testing.assert_identical(run.data, alone.data)
        xr.testing.assert_identical(run.events, alone.events)


def test_a_batch_has_no_conditions() -> None:
    with pytest.raises(InvalidInput, match=r"has stop conditions.*give stop=None"):
        pp.Batch(FLAT, {"stop": {"distance": 1.0}}, duration=0.1)
