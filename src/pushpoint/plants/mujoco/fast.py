"""MuJoCo's own loop, without recording: for comparisons of speed."""

from __future__ import annotations

import mujoco
import mujoco.rollout
import numpy as np

from pushpoint.plants._engine import EngineState
from pushpoint.plants.mujoco.plant import MujocoPlant
from pushpoint.types import CommandTable, FloatArray


def fast_rollout(plant: MujocoPlant, state: EngineState, table: CommandTable, substeps: int) -> FloatArray:
    """Link positions [m] at the ends of all ticks, (ticks, n, d), by one call of MuJoCo's rollout.

    Nothing is recorded and the state stays as it is: the best that MuJoCo can do.
    """
    engine, mj = plant.engine, plant.engine.mj
    signal, steps = controls_of(plant, table, substeps), len(table.joint_angle) * substeps
    path, _ = mujoco.rollout.rollout(
        mj,
        mujoco.MjData(mj),
        engine.save(state.data, mujoco.mjtState.mjSTATE_FULLPHYSICS),
        signal if mj.nu else None,
        nstep=steps,
        initial_warmstart=state.data.qacc_warmstart.copy(),
    )
    return engine.positions(path[0, substeps - 1 :: substeps, 1:])  # the first column is the time


def controls_of(plant: MujocoPlant, table: CommandTable, substeps: int) -> FloatArray:
    """What the actuators get at each step, (steps, actuators)."""
    lead: FloatArray = plant.dt * np.arange(1.0, substeps + 1.0)[:, np.newaxis]
    signal = plant.engine.controls(CommandTable(*(column[:, np.newaxis] for column in table)), lead)
    return np.ascontiguousarray(signal.reshape(len(table.joint_angle) * substeps, plant.engine.mj.nu))
