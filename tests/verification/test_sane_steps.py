"""Steps that are solved but nonsense are not taken, and those that are not solved are made in parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import SolverFailure
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.plant import PlanarStepping
from pushpoint.robots import Servo
from pushpoint.scenario import Scenario
from pushpoint.scenarios import find_scenario
from pushpoint.tape import new_tape
from pushpoint.types import Repeated, Status
from pushpoint.worlds import Disc
from tests.properties.wild import judged
from tests.verification.extended import chain_of, still, thrown, world_of

CASES = sorted((Path(__file__).parent.parent / "properties" / "cases").glob("*.yaml"))


def limp(speed: float, dt: float, **plant: Any) -> Scenario:
    """Eight limp links thrown at one smooth disc, on ice."""
    robot = {"links": 8, "length": 0.1, "mass": 0.3, "radius": 0.03, "stiffness": 0.0, "damping": 0.0}
    return Scenario.parse({
        "name": "lab/thrown",
        "robot": {"name": "uniform", "options": robot},
        "world": {"name": "disc", "ground": {"friction": 0.0}, "obstacles": [{"x": 0.18, "y": 0.3, "radius": 0.1}]},
        "plant": {"name": "planar_stepping", "options": {"dt": dt, **plant}},
        "controller": "hold",
        "start": {"velocity": [0.0, speed], "rate": 2.0, "joint_angle": [0.2 * (-1) ** j for j in range(7)]},
        "duration": 0.4,
        "control_period": 0.01,
    })  # fmt: skip


@pytest.mark.parametrize("dt", [1e-2, 5e-3, 1e-3])
@pytest.mark.parametrize("speed", [1.0, 3.0, 10.0])
def test_a_thrown_chain_keeps_its_energy_in_the_books(speed: float, dt: float) -> None:
    """In whole steps of 10 ms at 3 m/s contacts would seem to take 1082 J of 11 J, hidden by the energy guard."""
    verdict = judged(limp(speed, dt))
    assert not verdict.failure
    assert verdict.numerical <= 0.01
    assert verdict.positive <= 1e-8
    assert verdict.depth <= 1.0


@pytest.mark.parametrize("lean", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("place", [0.1, 0.2])
def test_a_thin_wall_end_on_is_not_crossed(place: float, lean: float) -> None:
    """At 8 m/s and 10 ms a link stands across the wall in the middle of a whole step, where no gap says so."""
    start = np.array([place, 0.11])
    wall = {"kind": "wall", "points": [start.tolist(), (start + 0.1 * np.array([np.sin(lean), np.cos(lean)])).tolist()]}
    robot = {"links": 4, "length": 0.3, "mass": 0.3, "radius": 0.01, "stiffness": 0.0, "damping": 0.0}
    thrown_at_it = limp(8.0, 1e-2).with_overrides({
        "robot": {"name": "uniform", "options": robot},
        "world.obstacles": [wall],
        "start": {"velocity": [0.0, 8.0]},
        "duration": 0.1,
    })  # fmt: skip
    verdict = judged(thrown_at_it, every_step=True)
    assert not verdict.failure
    assert not verdict.passed
    assert verdict.depth <= 1.0


def test_whole_steps_would_be_nonsense() -> None:
    """What parts are for: without them the same run stops, as chords of links that turn so far do not settle; until
    then it books too much numerical work and lies too deep in the disc."""
    whole = judged(limp(3.0, 1e-2, max_parts=1))
    assert whole.failure
    assert whole.numerical > 0.01
    assert whole.depth > 1.0
    steps = pp.simulate(limp(3.0, 1e-2)).data
    assert (steps["step_reasons"].values & Repeated.ENERGY).any()
    assert steps["step_parts"].values.max() > 1


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_runs_that_once_stopped_go_through(path: Path) -> None:
    verdict = judged(find_scenario(str(path)))
    assert not verdict.failure
    assert verdict.residual <= 1e-8
    assert verdict.numerical <= 0.01
    assert verdict.depth <= 1.0


@pytest.mark.parametrize("dt", [1e-2, 2e-3])
def test_a_fast_robot_does_not_pass_through_a_thin_wall(dt: float) -> None:
    """At 10 m/s and 10 ms the middle of a step is 5 cm farther on: beyond the wall and the link."""
    scenario = limp(10.0, dt).with_overrides(
        {"world.obstacles": [{"kind": "wall", "points": [[-3.0, 0.5], [3.0, 0.5]], "friction": 0.5}], "duration": 0.2}
    )
    recording = pp.simulate(scenario)
    assert recording.data["link_position"].sel(axis="y").max() < 0.5


def test_runs_go_on_from_checkpoints_among_repeated_steps() -> None:
    whole = pp.simulate(limp(3.0, 5e-3))
    assert whole.metrics()["repeated_steps"] > 5
    half = pp.simulate(limp(3.0, 5e-3), duration=0.15)
    rest = pp.resume(half.checkpoint(), duration=0.4)
    last = whole.data["link_position"].isel(time=-1).values
    np.testing.assert_array_equal(rest.data["link_position"].isel(time=-1).values, last)


def test_a_run_goes_on_with_what_is_nearly_solved() -> None:
    """Five sweeps do not solve all steps of the track, but nearly."""
    short = {"plant.max_iterations": 5, "plant.max_parts": 1}
    with pytest.raises(SolverFailure, match="NOT_CONVERGED"):
        pp.simulate("transeth2008a/track", short, duration=2.0)
    accepted = pp.simulate("transeth2008a/track", {**short, "plant.on_failure": "accept"}, duration=2.0)
    status, residual = accepted.data["step_status"].values, accepted.data["step_residual"].values
    assert accepted.metrics()["accepted_steps"] == (status == Status.ACCEPTED).sum() > 0
    assert 1e-6 < residual.max() <= 1e-3
    assert set(status) == {Status.OK, Status.ACCEPTED}


def test_what_is_far_from_solved_is_not_accepted() -> None:
    changes = {"plant.max_iterations": 1, "plant.max_parts": 1, "plant.on_failure": "accept"}
    with pytest.raises(SolverFailure, match="NOT_CONVERGED"):
        pp.simulate("transeth2008a/track", changes, duration=2.0)


@pytest.mark.parametrize("seed", range(4))
def test_smooth_obstacles_have_one_end_velocity(seed: int) -> None:
    """Whatever impulses and velocities the solver starts from: the step is strictly convex. Bound: chords settle to
    1e-8 of the fastest link's speed of about 2 m/s, links are 0.15 m long."""
    random = np.random.default_rng(seed)
    robot, world = (
        chain_of(7, radius=0.03, length=0.15),
        world_of(Disc(x=0.1, y=-0.2, radius=0.1), Disc(x=-0.3, y=0.15, radius=0.08)),
    )
    pose = thrown(robot, (0.0, 0.0), (0.5, -1.0), 1.0, 0.3, None, random.uniform(-2, 2, 6))
    plant = PlanarStepping.build(
        robot, world, Servo(stiffness=0.0, damping=0.0), PlanarSteppingOptions(dt=2e-3, tolerance=1e-10)
    )
    before = plant.initial_state(pose)
    plant.rollout(before, still(robot, 60), 1, new_tape(7, 61, 60, 1))
    ends = []
    for _ in range(3):
        state = plant.restore(plant.dump(before))
        used = state.pair_start[-1]
        state.pair["impulse"][:used] = random.uniform(0.0, 1.0, used) * random.integers(0, 2, used)
        state.link["last_vx"] += random.normal(size=len(state.link))
        state.link["last_w"] += random.normal(size=len(state.link))
        plant.rollout(state, still(robot, 1), 1, new_tape(7, 2, 1, 1))
        ends.append(np.stack([state.link[name] for name in ("vx", "vy", "w")]))
    np.testing.assert_allclose(ends[1:], [ends[0]] * 2, atol=1e-6)
