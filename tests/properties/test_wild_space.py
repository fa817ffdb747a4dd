"""Worlds in space at least as wild as anybody's: every accepted step is solved and sane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import SolverFailure
from pushpoint.plants.spatial_stepping.model import deepest_allowed
from pushpoint.recording import Recording
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, SpatialPose
from tests.properties.wild_space import wild
from tests.verification.spatial import Gauge

SEEDS = range(5000, 5060)
MANY = range(6000, 6500)
SHORT = 0.6  # [s] of runs in every test; thrown robots have hit something by then
TOLERANCE = 1e-6  # the plant's
QUIET = 1e-9  # [J], energies of robots that stay where they are are round-off
NONE = np.zeros(0)


class Works(NamedTuple):
    """What became of the energy, relative to all that moved."""

    numerical: float  # absolute numerical work, of the largest kinetic energy and all absolute works
    friction: float  # most in a row, of the largest kinetic energy and the weight times 1 mm
    contact: float


def works_of(recording: Recording) -> Works:
    data, robot = recording.data, recording.scenario.built_robot()
    change = {name: np.diff(data[f"{name}_work"].values) for name in ("servo", "friction", "contact", "numerical")}
    kinetic = float(data["kinetic_energy"].values.max())
    moved = kinetic + sum(float(np.abs(change[name]).sum()) for name in ("servo", "friction", "contact")) + QUIET
    scale = kinetic + robot.mass * 9.81 * 1e-3
    gains = (float(change[name].max(initial=0.0)) / scale for name in ("friction", "contact"))
    return Works(float(np.abs(change["numerical"]).sum()) / moved, *gains)


def depth_of(recording: Recording) -> float:
    """How deep [m] any link is in the ground, the terrain or an obstacle in any row."""
    robot, world, data = recording.scenario.built_robot(), recording.scenario.built_world(), recording.data
    gauge = Gauge(robot, world)
    poses = zip(data["link_position"].values, data["link_orientation"].values, strict=True)
    return -min(gauge(still(robot, place, turn)) for place, turn in poses)


def still(robot: Robot, place: FloatArray, turn: FloatArray) -> SpatialPose:
    none = np.zeros((len(robot.links), 3))
    return SpatialPose(place, turn, none, none, NONE, NONE)


def run(seed: int, duration: float | None = None) -> Recording | None:
    """None if the solver gave up."""
    try:
        return pp.simulate(wild(seed).scenario, **({} if duration is None else {"duration": duration}))
    except SolverFailure as failure:
        print(f"measured: seed {seed}: {failure}")
        return None


def check(seed: int, recording: Recording) -> None:
    dt = wild(seed).dt
    works, depth = works_of(recording), depth_of(recording)
    residual = float(recording.data["step_residual"].values.max(initial=0.0))
    print(f"measured: seed {seed}, dt {dt}: {works}, {depth:.2e} m deep, residual {residual:.1e}")
    assert np.isfinite(recording.data["link_position"].values).all()
    # What no part solves may end at ten times the tolerance, and is counted.
    assert residual <= (10 * TOLERANCE if recording.metrics()["loose_steps"] else TOLERANCE)
    assert works.numerical <= 0.01
    assert works.friction <= TOLERANCE
    assert works.contact <= TOLERANCE
    assert depth <= deepest_allowed(dt)


@pytest.mark.parametrize("seed", SEEDS)
def test_wild_runs_are_sane(seed: int) -> None:
    recording = run(seed, SHORT)
    assert recording is not None
    check(seed, recording)


@pytest.mark.slow
def test_many_wild_runs_are_sane() -> None:
    """500 runs of 2 s; up to 5 ms none may fail, at 10 ms one in 200."""
    failed: list[int] = []
    loose: list[int] = []
    for seed in MANY:
        recording = run(seed)
        if recording is None:
            failed.append(seed)
        else:
            check(seed, recording)
            loose += [seed] if recording.metrics()["loose_steps"] else []
    print(f"measured: failed {failed}, loose {loose}")
    assert len(loose) <= 0.005 * len(MANY)
    assert all(wild(seed).dt > 5e-3 for seed in failed)
    assert len(failed) <= 0.005 * sum(wild(seed).dt > 5e-3 for seed in MANY) + 0.5
