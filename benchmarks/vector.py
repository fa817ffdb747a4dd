"""`python -m benchmarks.vector`: steps per second of many robots, beside a MuJoCo environment of the same size.

Both follow the tuned gait of PegTrack with the same robot, pipes, control period, time step and torque limit. MuJoCo's
environment is what people write for Gymnasium: a loop of `mj_step`, coordinates and velocities as the observation, N of
them in Gymnasium's SyncVectorEnv. It does less: no contact forces are read, and no reward is made but progress.
"""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from benchmarks.tables import table
from benchmarks.timing import timed
from pushpoint.files import write_json
from pushpoint.gym.environment import command, made_task
from pushpoint.gym.task import Task
from pushpoint.gym.vector import SnakeVectorEnv
from pushpoint.types import CommandTable, FloatArray

TASK = "pushpoint.gym.peg_track:PegTrack"
ROBOTS, THREADS = (64, 1024), (1, 2)
ROUNDS = 5
STEPS = 4096  # of single robots at least, in a round
RESULT = Path("results/bench/vector.json")


@dataclass(frozen=True)
class Speed:
    """Steps of single robots per second, best of ROUNDS."""

    what: str
    robots: int
    threads: int
    per_second: float  # of wall time
    per_cpu_second: float  # of all threads: what a busy machine changes least


@cache
def mujoco_task() -> Task:
    return made_task(TASK, {"plant": "mujoco", "overrides": {"plant.dt": 2.5e-3}})


class MujocoEnv(gymnasium.Env[FloatArray, FloatArray]):
    """PegTrack on MuJoCo by its own loop."""

    def __init__(self) -> None:
        import mujoco

        self._task = mujoco_task()  # the model is shared, and so is what is no part of the state
        setup, self._step = self._task.setup, mujoco.mj_step
        plant: Any = setup.plant
        self._engine, self._substeps = plant.engine, setup.substeps
        self._lead = plant.dt * np.arange(1.0, setup.substeps + 1.0)[:, np.newaxis]
        self._start = plant.initial_state(setup.start_pose()).data
        self._size = self._engine.mj.nq + self._engine.mj.nv
        box: Any = gymnasium.spaces.Box
        self.observation_space = box(-np.inf, np.inf, (self._size,), np.float64)
        self.action_space = box(-1.0, 1.0, (self._task.body.freedoms,))

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[FloatArray, dict[str, Any]]:
        super().reset(seed=seed)
        self._data = self._engine.load(self._engine.save(self._start))
        self._target = self._data.qpos[3:].copy()
        return self._seen(), {}

    def step(self, action: Any) -> tuple[FloatArray, float, bool, bool, dict[str, Any]]:
        target = self._task.amplitude * np.asarray(action, dtype=float)
        asked, data = command(self._task, self._target, target), self._data
        signals = self._engine.controls(CommandTable(asked.joint_angle, asked.joint_rate, asked.torque), self._lead)
        before = data.qpos[0]
        for signal in signals:
            data.ctrl[:] = signal
            self._step(self._engine.mj, data)
        self._target = target
        return self._seen(), float(data.qpos[0] - before), False, False, {}

    def _seen(self) -> FloatArray:
        return np.concatenate([self._data.qpos, self._data.qvel])


def speed(what: str, envs: Any, robots: int, threads: int) -> Speed:
    actions = made_task(TASK, {}).gait()
    envs.reset(seed=0)
    best, best_cpu, k = 0.0, 0.0, 0
    for _ in range(ROUNDS + 1):  # the first one warms up

        def several() -> None:
            nonlocal k
            for _ in range(max(2, STEPS // robots)):
                envs.step(np.broadcast_to(actions[k % 50], (robots, actions.shape[1])))
                k += 1

        before, cpu = k, time.process_time()
        _, seconds = timed(several)
        if before:
            steps = robots * (k - before)
            best, best_cpu = max(best, steps / seconds), max(best_cpu, steps / (time.process_time() - cpu))
    envs.close()
    return Speed(what, robots, threads, best, best_cpu)


def measure() -> list[Speed]:
    found = []
    for robots in ROBOTS:
        for threads in THREADS:
            ours = SnakeVectorEnv(robots, TASK, threads=threads, redraw=False, duration=1000.0, goal=None)
            found.append(speed("pushpoint, vector environment", ours, robots, threads))
        theirs = gymnasium.vector.SyncVectorEnv([MujocoEnv] * robots)
        found.append(speed("MuJoCo, loop of mj_step in SyncVectorEnv", theirs, robots, 1))
    return found


def main() -> None:
    before, found = os.getloadavg()[0], measure()
    rows = [(s.what, str(s.robots), str(s.threads), f"{s.per_second:,.0f}", f"{s.per_cpu_second:,.0f}") for s in found]
    print(table(("environment", "robots", "threads", "steps per second", "per CPU second"), rows))
    print(f"\nload of the machine before: {before:.1f}, of {os.cpu_count()} processors")
    write_json(RESULT, {"load": before, "speeds": [asdict(s) for s in found]})


if __name__ == "__main__":
    main()
