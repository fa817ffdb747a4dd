"""Runs as jobs: everything that can be prepared is, and only the stepping is left to be timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from benchmarks.case import Case, Settings
from benchmarks.judge import FAILED, Result
from pushpoint.control import OpenLoop
from pushpoint.errors import InvalidInput
from pushpoint.plants import Plant
from pushpoint.scenario import Scenario
from pushpoint.simulation import Setup
from pushpoint.tape import Tape, new_tape
from pushpoint.types import CommandTable, FloatArray

PEER = "mujoco"
STRAY = 1e-3  # [rad], by which joint angles of start poses nearby may differ

Job = Callable[[], Result]


def job(case: Case, plant: str, settings: Settings, dt: float) -> Job:
    """The run of a case with one of its two plants."""
    return (peer_job if plant == PEER else our_job)(case, {**settings, "dt": dt})


def our_job(case: Case, options: Settings) -> Job:
    """Our plant, recording included."""
    run = prepare(case.scenario, case.ours, options)
    period = run.setup.scenario.control_period

    def job() -> Result:
        tape = stepped(run)
        if tape is None:
            return FAILED
        return case.judge.result(tape.link[0, case.link, :2], tape.link[1:, case.link, :2], period)

    return job


def peer_job(case: Case, options: Settings) -> Job:
    """MuJoCo without any recording: its own loop in C, and the link positions from it at the end."""
    from pushpoint.plants.mujoco.fast import fast_rollout
    from pushpoint.plants.mujoco.log import without_log
    from pushpoint.plants.mujoco.plant import MujocoPlant

    dimensions = 3 if case.ours == "spatial_stepping" else 2
    setup, pose, table = prepare(case.scenario, PEER, {**options, "dimensions": dimensions})
    plant = cast(MujocoPlant, setup.plant)
    state = plant.initial_state(pose)  # rollouts leave it as it is, so its cost need not be counted
    start, period = pose.position[case.link, :2], setup.scenario.control_period

    def job() -> Result:
        with without_log():
            path = fast_rollout(plant, state, table, setup.substeps)[:, case.link]
        return case.judge.result(start, path[:, :2], period) if np.isfinite(path).all() else FAILED

    return job


class Prepared(NamedTuple):
    """A scenario with its plant built, its start pose and the commands of all its ticks."""

    setup: Setup
    pose: Any  # a Pose, in space a SpatialPose
    table: CommandTable


def prepare(scenario: Scenario, plant: str, options: Settings) -> Prepared:
    """The scenario on `plant` with `options`; steps longer than its control period make that longer too."""
    period = max(scenario.control_period, options.get("dt", 0.0))
    choice = {"name": plant, "options": dict(options)}
    setup = Setup.of(scenario.with_overrides({"plant": choice, "control_period": period}))
    if not isinstance(setup.controller, OpenLoop):
        raise InvalidInput(
            f"scenario {scenario.name!r}: controller {scenario.controller.name!r} cannot state its commands "
            "ahead; benchmarks need one that has a table(), like 'serpenoid'"
        )
    times: FloatArray = np.arange(setup.ticks, dtype=np.float64) * period
    columns = setup.controller.table(times)
    table = CommandTable(*(np.ascontiguousarray(column, dtype=float) for column in columns))
    return Prepared(setup, setup.start_pose(), table)


def stepped(run: Prepared) -> Tape | None:
    """What people pay for: a new state, a new tape, and `plant.rollout`. None if the plant gave up."""
    setup, pose, table = run
    state = setup.plant.initial_state(pose)
    rows = 1 + setup.ticks // setup.ticks_per_row
    tape = empty_trace(setup.plant, setup.bodies, rows, setup.ticks * setup.substeps, setup.ticks_per_row)
    setup.plant.record_start(state, tape)
    tape, failure = setup.plant.rollout(state, table, setup.substeps, tape)
    return tape if failure is None else None


def empty_trace(plant: Plant, bodies: int, rows: int, steps: int, ticks_per_row: int) -> Tape:
    """A tape with all columns that the plant writes."""
    tape = new_tape(bodies, rows, steps, ticks_per_row, dimensions=plant.dimensions)
    extra = len(getattr(plant, "extra_columns", ()))
    return tape._replace(extra=np.zeros((rows, extra))) if extra else tape


def around(case: Case) -> list[Case]:
    """The case, and the same from start poses nearby."""
    scenario, found = case.scenario, [case]
    shape = np.zeros(0) if case.starts < 2 else np.asarray(Setup.of(scenario).controller.initial_shape())
    for seed in range(1, case.starts):
        stray = np.random.default_rng(seed).uniform(-STRAY, STRAY, shape.size)
        changed = scenario.with_overrides({"start.joint_angle": (shape + stray).tolist()})
        found.append(replace(case, scenario=changed))
    return found
