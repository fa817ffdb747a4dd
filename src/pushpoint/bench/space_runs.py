"""Runs in space as jobs, the start poses around a registered one, and the runs that are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import hypot, pi
from typing import Any, cast

import numpy as np

from pushpoint.bench.runs import prepare, stepped
from pushpoint.scenario import Choice, Scenario, Start
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup

OURS, PEER = "spatial_stepping", "mujoco"
STARTS, STRAY = 3, 1e-3  # start poses: the scenario's, and others with joint angles changed by up to STRAY [rad]

Moved = tuple[float, float]  # [m], (x, y) of the tracked link from start to end
SpaceJob = Callable[[], Moved | None]  # None if the plant gave up


@dataclass(frozen=True)
class Case:
    """A scenario and the link whose displacement is compared."""

    scenario: Scenario
    link: int

    @property
    def name(self) -> str:
        return self.scenario.name


def sidewinding() -> Case:
    """P5's, 15 s."""
    return Case(scenarios["transeth2008b/sidewinding"], 5)


def undulation() -> Case:
    """P5's on ground that resists all motion alike: every link touches it all the time. Three periods, 13.5 s."""
    return Case(scenarios["transeth2008b/undulation-isotropic"].with_overrides({"duration": 13.5}), 5)


def square_links() -> Case:
    """Sidewinding of P3's robot with a wave of its length; gait and friction are ours."""
    gait = {"yaw_amplitude": 0.6, "yaw_frequency": pi, "yaw_phase_shift": -pi / 8}  # [rad], [rad/s], [rad]
    pitch = {"pitch_amplitude": 0.15, "pitch_start_phase": pi / 2}  # [rad]
    scenario = Scenario(
        name="bench/square-links",
        robot=Choice(name="square-17"),
        world=Choice(name="plane", options={"friction": 0.5}),
        plant=Choice(name=OURS),
        controller=Choice(name="gait", options=gait | pitch),
        start=Start(link=8),
        duration=10.0,
    )
    return Case(scenario, 8)


def around(case: Case, count: int = STARTS) -> list[Case]:
    """The case, and the same from start poses nearby."""
    scenario = case.scenario
    shape = np.zeros(0) if count < 2 else np.asarray(Setup.of(scenario).controller.initial_shape())
    found = [case]
    for seed in range(1, count):
        stray = np.random.default_rng(seed).uniform(-STRAY, STRAY, shape.size)
        changed = scenario.with_overrides({"start.joint_angle": (shape + stray).tolist()})
        found.append(Case(changed, case.link))
    return found


def space_job(plant: str, case: Case, dt: float, settings: Mapping[str, Any]) -> SpaceJob:
    """A run with one of the two plants."""
    return (ours_in_space if plant == OURS else peer_in_space)(case, dt, settings)


def ours_in_space(case: Case, dt: float, settings: Mapping[str, Any]) -> SpaceJob:
    """`spatial_stepping`, recording included."""
    run = prepare(case.scenario, OURS, {**settings, "dt": dt})

    def job() -> Moved | None:
        trace = stepped(run)
        return None if trace is None else moved(trace.link[0, case.link], trace.link[-1, case.link])

    return job


def peer_in_space(case: Case, dt: float, settings: Mapping[str, Any]) -> SpaceJob:
    """MuJoCo without any recording: its own loop in C, and the link positions from it at the end."""
    from pushpoint.plants.mujoco.run import without_log
    from pushpoint.plants.mujoco.spatial_model import fast_spatial_rollout
    from pushpoint.plants.mujoco.spatial_plant import SpatialMujocoPlant

    setup, pose, table = prepare(case.scenario, PEER, {**settings, "dt": dt, "dimensions": 3})
    plant = cast(SpatialMujocoPlant, setup.plant)
    state = plant.initial_state(pose)  # rollouts leave it as it is, so its cost need not be counted

    def job() -> Moved | None:
        with without_log():
            path = fast_spatial_rollout(plant, state, table, setup.substeps)[:, case.link]
        return moved(pose.position[case.link], path[-1]) if np.isfinite(path).all() else None

    return job


def moved(first: Any, last: Any) -> Moved:
    return float(last[0] - first[0]), float(last[1] - first[1])


def length(way: Moved | None) -> float:
    """Of a displacement [m]; not a number for a run that failed."""
    return float("nan") if way is None else hypot(*way)
