"""Runs of a scenario as jobs: everything that can be prepared is, and only the stepping is left to be timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from pushpoint.control import Plannable
from pushpoint.errors import InvalidInput
from pushpoint.plants import Plant
from pushpoint.scenario import Scenario
from pushpoint.simulation import Setup
from pushpoint.simulation import start as start_of
from pushpoint.types import CommandTable, FloatArray, Trace, new_trace

OURS, PEER = "planar_stepping", "mujoco"
TRACKED_LINK = 5  # the link in the middle of aiko, the one that P2's cameras follow

SAMPLE_PERIOD = 0.1  # [s], a multiple of every control period that occurs, so that all paths have the same instants

# Positions [m], (samples, 2), of the tracked link every SAMPLE_PERIOD; None if the plant gave up.
Path = FloatArray
Job = Callable[[], Path | None]


class Prepared(NamedTuple):
    """A scenario with its plant built, its start pose and the commands of all its ticks."""

    setup: Setup
    pose: Any  # a Pose, in space a SpatialPose
    table: CommandTable


def prepare(scenario: Scenario, plant: str, options: Mapping[str, Any]) -> Prepared:
    """The scenario on `plant` with `options`; steps longer than its control period make that longer too."""
    period = max(scenario.control_period, options.get("dt", 0.0))
    choice = {"name": plant, "options": dict(options)}
    setup = Setup.of(scenario.with_overrides({"plant": choice, "control_period": period}))
    if not isinstance(setup.controller, Plannable):
        raise InvalidInput(
            f"scenario {scenario.name!r}: controller {scenario.controller.name!r} cannot state its commands "
            "ahead; benchmarks need one that has a table(), like 'serpenoid'"
        )
    times: FloatArray = np.arange(setup.ticks, dtype=np.float64) * period
    columns = setup.controller.table(times)
    table = CommandTable(*(np.ascontiguousarray(column, dtype=float) for column in columns))
    return Prepared(setup, start_of(setup), table)


def stepped(run: Prepared) -> Trace | None:
    """What people pay for: a new state, a new trace, and `plant.rollout`. None if the plant gave up."""
    setup, pose, table = run
    state = setup.plant.initial_state(pose)
    rows = 1 + setup.ticks // setup.ticks_per_row
    trace = empty_trace(setup.plant, setup.bodies, rows, setup.ticks * setup.substeps, setup.ticks_per_row)
    setup.plant.record_start(state, trace)
    trace, failure = setup.plant.rollout(state, table, setup.substeps, trace)
    return trace if failure is None else None


def empty_trace(plant: Plant, bodies: int, rows: int, steps: int, ticks_per_row: int) -> Trace:
    """A trace with all columns that the plant writes."""
    trace = new_trace(bodies, rows, steps, ticks_per_row, dimensions=plant.dimensions)
    extra = len(getattr(plant, "extra_columns", ()))
    return trace._replace(extra=np.zeros((rows, extra))) if extra else trace


def sampled(path: FloatArray, setup: Setup) -> Path:
    """Rows every SAMPLE_PERIOD of a path (ticks, 2)."""
    stride = round(SAMPLE_PERIOD / setup.scenario.control_period)
    return path[stride - 1 :: stride]


def our_job(scenario: Scenario, dt: float, settings: Mapping[str, Any]) -> Job:
    """`planar_stepping`, recording included."""
    run = prepare(scenario, OURS, {**settings, "dt": dt})

    def job() -> Path | None:
        trace = stepped(run)
        return None if trace is None else sampled(trace.link[1:, TRACKED_LINK, :2], run.setup)

    return job


def peer_job(scenario: Scenario, dt: float, settings: Mapping[str, Any]) -> Job:
    """MuJoCo without any recording: its own loop in C, and the link positions from it at the end."""
    from pushpoint.plants.mujoco.model import fast_rollout
    from pushpoint.plants.mujoco.plant import MujocoPlant
    from pushpoint.plants.mujoco.run import without_log

    setup, pose, table = prepare(scenario, PEER, {**settings, "dt": dt})
    plant = cast(MujocoPlant, setup.plant)
    state = plant.initial_state(pose)  # rollouts leave it as it is, so its cost need not be counted

    def job() -> Path | None:
        with without_log():
            path = fast_rollout(plant, state, table, setup.substeps)[:, TRACKED_LINK]
        return sampled(path, setup) if np.isfinite(path).all() else None

    return job
