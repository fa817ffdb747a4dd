"""A run in one's own hands: equal to a run in one piece, copies that change nothing, signals that lose nothing."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.errors import InvalidInput

FLAT = "transeth2008a/flat"
ROWS = "liljeback2010/rows"


@pytest.mark.parametrize("name", [FLAT, ROWS])
def test_steps_are_equal_to_a_run_in_one_piece(name: str) -> None:
    whole, sim = pp.simulate(name, duration=0.5), pp.Simulation(name, duration=0.5)
    while not sim.done:
        sim.step()
    xr.testing.assert_identical(sim.recording().data, whole.data)
    xr.testing.assert_identical(sim.recording().events, whole.events)


def test_advancing_is_equal_to_steps() -> None:
    one, other = pp.Simulation(ROWS, duration=0.5), pp.Simulation(ROWS, duration=0.5)
    one.advance(0.3)
    for _ in range(round(0.3 / other.scenario.control_period)):
        other.step()
    np.testing.assert_array_equal(one.observation.link_position, other.observation.link_position)
    assert one.time == other.time == pytest.approx(0.3)


def test_own_commands_move_the_robot() -> None:
    sim = pp.Simulation(FLAT, duration=0.2)
    before = sim.observation.joint_angle
    for _ in range(10):
        seen = sim.step(before + 0.05)
    assert np.all(seen.joint_angle > before)
    command = pp.Command(before - 0.2, np.zeros(10), np.zeros(10))
    after = sim.step(command)
    assert after.joint_rate.mean() < seen.joint_rate.mean()
    with pytest.raises(InvalidInput, match=r"joint_angle of shape \(3,\); the robot has 10 joints"):
        sim.step(pp.Command(*(np.zeros(3),) * 3))
    with pytest.raises(InvalidInput, match=r"joint_angle = nan .* it has to be finite"):
        sim.step(np.nan)


def test_copies_go_on_alike_and_leave_the_original_alone() -> None:
    sim = pp.Simulation(ROWS, duration=1.0)
    sim.advance(0.3)
    before = sim.observation.link_position.copy()
    one, other = sim.copy(), sim.copy(duration=0.2)
    one.advance(0.2)
    other.advance(0.2)
    np.testing.assert_array_equal(one.observation.link_position, other.observation.link_position)
    assert other.done
    assert not one.done
    np.testing.assert_array_equal(sim.observation.link_position, before)
    sim.advance(0.2)
    np.testing.assert_array_equal(sim.observation.link_position, one.observation.link_position)
    last, theirs = sim.recording().data.isel(time=-1), one.recording().data.isel(time=-1)
    np.testing.assert_array_equal(last.joint_torque, theirs.joint_torque)


def test_reset_restores_everything() -> None:
    sim = pp.Simulation("liljeback2010/random", duration=0.2, plant="planar_stepping")
    first = sim.reset(seed=3).link_position
    sim.advance(0.2)
    end = sim.recording().data
    assert np.array_equal(sim.reset().link_position, first)
    sim.advance(0.2)
    xr.testing.assert_identical(sim.recording().data, end)
    sim.reset(seed=4)
    assert sim.scenario.seed == 4


def test_a_run_that_is_over_says_so() -> None:
    sim = pp.Simulation(FLAT, duration=0.02)
    sim.advance(0.02)
    with pytest.raises(InvalidInput, match=r"duration of the scenario, 0\.02 s, is over; call reset\(\)"):
        sim.step()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", [FLAT, ROWS])
def test_signals_keep_what_was_recorded(name: str, number: signal.Signals) -> None:
    """Sent from another thread while the plant runs: the run stops, and goes on from there to the same end."""
    pp.simulate(name, duration=0.1)  # compiled
    handler = signal.getsignal(number)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), number))
    timer.start()
    with pytest.raises(pp.Interrupted) as stopped:
        pp.simulate(name, duration=2000.0 if name == FLAT else 300.0, record_period=0.05)
    timer.join()
    assert signal.getsignal(number) is handler
    assert stopped.value.signal == number
    checkpoint = stopped.value.recording.checkpoint()
    end = round(checkpoint.time + 0.2, 6)
    resumed, whole = pp.resume(checkpoint, duration=end), pp.simulate(name, duration=end, record_period=0.05)
    rows = len(resumed.data.time) - 1
    np.testing.assert_array_equal(
        resumed.data.link_position.values[1:], whole.data.link_position.values[len(whole.data.time) - rows :]
    )
