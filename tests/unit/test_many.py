"""Many robots at once: equal to the bit to one after the other, on any number of threads."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint import _many_runs
from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.plants._compiled import CompiledPlant
from pushpoint.simulation import Setup
from pushpoint.types import CommandTable

TRACK, FLAT, ROWS, RANDOM = "transeth2008a/track", "transeth2008a/flat", "liljeback2010/rows", "liljeback2010/random"
SIDEWINDING = "transeth2008b/sidewinding"
STEPPING: dict[str, Any] = {"plant": "planar_stepping"}
# A gait that is far too fast for the plant to solve within a few iterations.
FAILING = {"plant.max_iterations": 1, "plant.max_parts": 1, "plant.tolerance": 1e-12}
DIFFERENT: list[tuple[str, dict[str, Any]]] = [
    (TRACK, {"duration": 0.6}),
    (FLAT, {"duration": 0.3, "controller.amplitude": 0.3}),
    (FLAT, {"duration": 0.2, **FAILING}),
    (RANDOM, {"duration": 0.4, "seed": 3, **STEPPING}),
    (RANDOM, {"duration": 0.4, "seed": 4, "record_period": 0.05, **STEPPING}),
    (ROWS, {"duration": 0.3}),
    (ROWS, {"duration": 0.2, "controller.resolution": False}),
    (SIDEWINDING, {"duration": 0.1}),
    (FLAT, {"duration": 0.1, "controller": "hold"}),
]


def same(one: pp.Recording, other: pp.Recording) -> None:
    xr.testing.assert_identical(one.data, other.data)
    xr.testing.assert_identical(one.contacts, other.contacts)
    xr.testing.assert_identical(one.events, other.events)
    assert one.failure == other.failure
    assert one.scenario == other.scenario


def alone(name: str, overrides: dict[str, Any]) -> pp.Recording:
    if not overrides.keys() >= FAILING.keys():
        return pp.simulate(name, overrides)
    with pytest.raises(SolverFailure) as failed:
        pp.simulate(name, overrides)
    assert failed.value.recording is not None
    return failed.value.recording


@pytest.fixture(scope="module")
def recordings() -> list[pp.Recording]:
    return [alone(*each) for each in DIFFERENT]


@pytest.mark.parametrize("threads", [1, 2])
def test_runs_are_equal_to_those_one_after_the_other(recordings: list[pp.Recording], threads: int) -> None:
    names, overrides = zip(*DIFFERENT, strict=True)
    found = pp.simulate_many(names, overrides, threads=threads)
    assert [run.failure is not None for run in found] == [k == 2 for k in range(len(DIFFERENT))]
    for run, one in zip(found, recordings, strict=True):
        same(run, one)


@pytest.mark.parametrize("at_once", [1, 2, 4])
def test_none_is_left_out_however_many_need_python(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """Runs are built a few at a time. Those with noisy sensors need Python at every tick: a few of these alone are no
    reason to end."""
    monkeypatch.setattr(_many_runs, "AT_ONCE", at_once)
    names = ["lab/clutter-noisy"] * 5 + ["lab/clutter-100"] + ["lab/clutter-noisy"] * 3
    seeds = list(range(len(names)))
    runs = pp.simulate_many(names, seeds=seeds, duration=0.02, threads=1)
    assert [(run.scenario.name, run.scenario.seed) for run in runs] == list(zip(names, seeds, strict=True))
    assert all(run.data.sizes["time"] == 3 for run in runs)


def test_they_go_on_from_their_checkpoints() -> None:
    first, _ = pp.simulate_many(RANDOM, seeds=[3, 4], duration=0.2, **STEPPING)
    end = pp.resume(first.checkpoint(), duration=0.3).data.isel(time=-1)
    whole = pp.simulate(RANDOM, seed=3, duration=0.3, record_period=first.scenario.recorded_every, **STEPPING)
    np.testing.assert_array_equal(end.link_position, whole.data.isel(time=-1).link_position)


def test_failures_can_be_errors() -> None:
    with pytest.raises(SolverFailure, match=r"planar_stepping stopped at t = .*NOT_CONVERGED") as failed:
        pp.simulate_many(FLAT, [{}, FAILING], duration=0.1, on_failure="raise")
    assert failed.value.recording.failure is not None


@pytest.mark.parametrize(
    ("arguments", "fields", "words"),
    [
        ([[]], {}, "scenarios: there are none"),
        ([FLAT], {"seeds": []}, "seeds: there are none"),
        ([[FLAT, FLAT]], {"seeds": [1, 2, 3]}, "2 scenarios and 3 seeds: give one for all robots, or as many"),
        ([FLAT], {"threads": 0}, "threads = 0: should be a whole number of at least 1"),
        ([FLAT], {"on_failure": "ignore"}, "on_failure = 'ignore': should be 'keep' or 'raise'"),
        ([[FLAT, 3]], {}, "scenario = 3: give a name"),
    ],
)
def test_what_cannot_be_used_is_named(arguments: list[Any], fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        pp.simulate_many(*arguments, **fields)


def test_signals_keep_what_was_recorded() -> None:
    pp.simulate(FLAT, duration=0.1)  # compiled
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(pp.Interrupted, match=r"interrupted: 4 of 4 runs had begun") as stopped:
        pp.simulate_many(FLAT, seeds=range(4), duration=2000.0, record_period=0.05, threads=2)
    timer.join()
    checkpoint = stopped.value.recordings[0].checkpoint()
    assert 0.0 < checkpoint.time < 2000.0
    end = round(checkpoint.time + 0.2, 6)
    resumed, whole = pp.resume(checkpoint, duration=end), pp.simulate(FLAT, duration=end, record_period=0.05)
    np.testing.assert_array_equal(resumed.data.link_position[-1], whole.data.link_position[-1])


SEEN = ("joint_angle", "joint_rate", "joint_torque", "link_position", "link_velocity", "link_rate", "contact_force")


def commands(ticks: int, robots: int, joints: int) -> np.ndarray:
    """Smooth, and different for each robot."""
    time, robot, joint = np.ogrid[:ticks, :robots, :joints]
    return 0.4 * np.minimum(1.0, time / 10) * np.sin(0.05 * (1 + robot) * time + 0.6 * joint)


@pytest.mark.parametrize(
    ("names", "fields"),
    [
        ([TRACK, FLAT, TRACK], {}),
        ([RANDOM, RANDOM, RANDOM], STEPPING),
        ([ROWS, ROWS, ROWS], {}),
        ([SIDEWINDING, SIDEWINDING], {}),
    ],
)
def test_a_batch_is_equal_to_simulations(names: list[str], fields: dict[str, Any]) -> None:
    ticks, seeds = 12, range(len(names))
    batch = pp.Batch(names, seeds=seeds, threads=2, **fields)
    sims = [pp.Simulation(name, seed=seed, **fields) for name, seed in zip(names, seeds, strict=True)]
    given = commands(ticks, len(names), batch.joints)
    rows = []
    for k in range(ticks):
        rows.append(batch.step(given[k]))
        for robot, sim in enumerate(sims):
            seen = sim.step(given[k, robot])
            for name in SEEN:
                np.testing.assert_array_equal(rows[-1][robot, batch.columns[name]], np.ravel(getattr(seen, name)))
            assert batch.time[robot] == sim.time
    # Everything begins anew, also with other seeds in between.
    start = batch.reset().copy()
    batch.step(given[0])
    batch.reset([0], seeds=[77])
    np.testing.assert_array_equal(batch.reset(seeds=seeds), start)
    for k in range(ticks):
        np.testing.assert_array_equal(batch.step(given[k]), rows[k])


def test_single_robots_of_a_batch_begin_anew() -> None:
    with pp.Batch(FLAT, seeds=range(3), threads=1, duration=0.05) as batch:
        start, steps = batch.observation, [batch.step(0.1 + 0.01 * k) for k in range(3)]
        after = batch.reset(np.array([False, True, False]))
        np.testing.assert_array_equal(after[1], start[1])
        np.testing.assert_array_equal(after[[0, 2]], steps[-1][[0, 2]])
        np.testing.assert_array_equal(batch.step(0.1)[1], steps[0][1])
        batch.step(0.1)
        assert batch.done.tolist() == [True, False, True]
        kept = batch.observation.copy()
        moved = batch.step(0.2)
        np.testing.assert_array_equal(moved[[0, 2]], kept[[0, 2]])
        assert batch.time.tolist() == pytest.approx([0.05, 0.03, 0.05])


def test_failures_of_a_batch_stop_one_robot_alone() -> None:
    batch = pp.Batch(FLAT, [{}, FAILING, {}], threads=2)
    last = batch.observation
    while not batch.failed.any():
        last = batch.observation
        batch.step(0.5)
    assert batch.failed.tolist() == batch.done.tolist() == [False, True, False]
    assert "NOT_CONVERGED" in batch.failures[1]
    assert not batch.failures[0]
    np.testing.assert_array_equal(batch.observation[1], last[1])
    batch.step(0.5)
    batch.reset(1)
    assert not batch.failed.any()
    assert batch.failures == ["", "", ""]


def test_commands_of_all_kinds() -> None:
    angles = np.linspace(0.0, 0.2, 10)
    command = pp.Command(np.tile(angles, (2, 1)), np.zeros(10), np.zeros((2, 10)))
    results = [pp.Batch(FLAT, seeds=[0, 1]).step(given) for given in (angles, np.tile(angles, (2, 1)), command)]
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.zeros((2, 3)), r"joint_angle of shape \(2, 3\); should be \(2, 10\): robots and joints"),
        (np.array([[0.0], [np.nan]]), "joint_angle = nan for joint 0 of robot 1; it has to be finite"),
    ],
)
def test_commands_that_cannot_be_used_are_named(given: np.ndarray, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        pp.Batch(FLAT, seeds=[0, 1]).step(given)


@pytest.mark.parametrize(
    ("names", "overrides", "words"),
    [
        ([FLAT, FLAT], [{}, {"robot.links": 5}], "robot 0 has 11 links and 10 joint angles, robot 1 has 5 and 4"),
        ([FLAT, ROWS], None, "robot 0"),
        ([FLAT, FLAT], [{}, {"control_period": 0.02}], "robot 0 has control_period = 0.01, robot 1 has 0.02"),
        ([FLAT, FLAT], [{}, {"plant.dt": 5e-4}], "robot 0 has steps per tick = 10, robot 1 has 20"),
    ],
)
def test_robots_of_a_batch_have_equal_sizes(names: list[str], overrides: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        pp.Batch(names, overrides)


def test_indices_and_seeds_that_cannot_be_used_are_named() -> None:
    batch = pp.Batch(FLAT, seeds=[0, 1])
    with pytest.raises(InvalidInput, match=r"indices = 2: should be whole numbers from 0 to 1, or a mask of 2"):
        batch.reset(2)
    with pytest.raises(InvalidInput, match=r"1 seeds for 2 robots"):
        batch.reset(seeds=[1])


def test_rollouts_of_one_plant() -> None:
    setup = Setup.of(pp.scenarios.scenarios[TRACK].pinned())
    plant, pose, joints = setup.plant, setup.start_pose(), setup.joints
    assert isinstance(plant, CompiledPlant)
    angles = commands(30, 3, joints).transpose(1, 0, 2).copy()
    table = CommandTable(angles, np.zeros_like(angles), np.zeros_like(angles))
    states = [plant.initial_state(pose) for _ in range(3)]
    found = plant.rollout_many(states, table, setup.substeps, threads=2)
    for k, (tape, failure) in enumerate(found):
        assert failure is None
        single = CommandTable(*(column[k : k + 1] for column in table))
        [(own, _)] = plant.rollout_many([plant.initial_state(pose)], single, setup.substeps, threads=1)
        np.testing.assert_array_equal(tape.link, own.link)
    assert not np.array_equal(found[0][0].link, found[1][0].link)
    with pytest.raises(InvalidInput, match=r"3 plants, 3 states, commands of 2 robots"):
        plant.rollout_many(states, CommandTable(*(column[:2] for column in table)), setup.substeps)
    with pytest.raises(InvalidInput, match=r"all should have \(robots, ticks, 10\)"):
        plant.rollout_many(states, CommandTable(*(column[:, :, :2] for column in table)), setup.substeps)
