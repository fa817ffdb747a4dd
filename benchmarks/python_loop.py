"""A feedback controller at 100 Hz around steps of 1 ms: MuJoCo's Python loop against ours, compiled and in Python.

The same robot, start and pegs, and the same law: a wave that joint angles and the head's place change a little. MuJoCo
does the ten steps of a tick in one call and records nothing; ours records rows, contacts and energies as always.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from benchmarks.case import Say
from benchmarks.closed_loop import controlled_by, whole_run
from benchmarks.contest import has_peer
from benchmarks.requirement import Requirement, required
from benchmarks.timing import least_cpu_time
from pushpoint.control import BaseController, ControlEvent, ControllerState
from pushpoint.control.compiled import CompiledController, compiled_tick
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup
from pushpoint.types import Command, FloatArray, Observation

SCENARIO = "transeth2008a/track"
PERIOD, DT, DURATION = 1e-2, 1e-3, 5.0  # [s]
AMPLITUDE, FREQUENCY, SHIFT = -math.radians(40), math.radians(80), -math.radians(50)  # [rad], [rad/s], [rad]: P2 (71)
LEANING, STEERING = 0.01, 0.01  # of a joint's own angle; [rad/m], of the head's y
ROUNDS = 7
LEAST_RATIO = 8.0


@compiled_tick
def wave_tick(state: FloatArray, parameters: FloatArray, observation: FloatArray, reference: FloatArray) -> None:
    joints = (reference.size - 1) // 3
    head_y = observation[3 * joints + 2 + 2 * joints]
    for j in range(joints):
        phase = parameters[1] * observation[0] + (joints - 1 - j) * parameters[2]
        reference[j] = parameters[0] * math.sin(phase) - parameters[3] * observation[1 + j] - parameters[4] * head_y


def wave(time: float, joint_angle: FloatArray, head_y: float) -> FloatArray:
    """The same by NumPy."""
    phase = FREQUENCY * time + SHIFT * np.arange(len(joint_angle) - 1, -1, -1)
    return np.asarray(AMPLITUDE * np.sin(phase) - LEANING * joint_angle - STEERING * head_y)


class CompiledWave(CompiledController):
    """The wave, compiled."""

    tick = wave_tick
    uses = frozenset({"joint-encoders", "link-poses"})

    def parameters(self) -> list[float]:
        return [AMPLITUDE, FREQUENCY, SHIFT, LEANING, STEERING]


class PythonWave(BaseController):
    """The wave, in Python."""

    uses = frozenset({"joint-encoders", "head-pose"})

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        return state, self.command(wave(obs.time, obs.joint_angle, obs.head_position[1])), ()


OURS: tuple[type[BaseController], ...] = (CompiledWave, PythonWave)


@dataclass(frozen=True)
class PythonLoop:
    """CPU seconds of the run by three loops."""

    scenario: str
    duration: float  # [s]
    compiled_s: float
    python_s: float
    peer_s: float | None  # MuJoCo's; None where it is not installed

    @property
    def requirements(self) -> list[Requirement]:
        what = f"{self.scenario}, feedback at 100 Hz: CPU time of MuJoCo's Python loop over our compiled one"
        ratio = None if self.peer_s is None else self.peer_s / self.compiled_s
        return [required(what, ratio, ">=", LEAST_RATIO)]


def python_loop(say: Say, duration: float = DURATION, rounds: int = ROUNDS) -> PythonLoop:
    say(f"feedback at 100 Hz around steps of 1 ms: {SCENARIO}, best of {rounds}")
    jobs: list[Callable[[], Any]] = [our_loop(kind, duration) for kind in OURS]
    if has_peer():
        jobs.append(peer_loop(duration))
    for job in jobs:
        job()  # compiles
    compiled, python, *peer = least_cpu_time(jobs, rounds)
    return PythonLoop(SCENARIO, duration, compiled, python, peer[0] if peer else None)


def built(plant: str, controller: type[BaseController], duration: float) -> Setup:
    changes = {"plant": {"name": plant, "options": {"dt": DT}}}
    times = {"duration": duration, "control_period": PERIOD, "record_period": PERIOD}
    known = scenarios[SCENARIO]
    shape = Setup.of(known).controller.initial_shape()
    start = {"start.joint_angle": [] if shape is None else shape.tolist()}
    return controlled_by(controller, Setup.of(known.with_overrides({**changes, **times, **start}).pinned()))


def our_loop(controller: type[BaseController], duration: float) -> Callable[[], Any]:
    setup = built("planar_stepping", controller, duration)
    return lambda: whole_run(setup)


def peer_loop(duration: float) -> Callable[[], FloatArray]:
    """What people write; the references at the end of each tick are returned."""
    import mujoco

    from pushpoint.plants.mujoco.plant import MujocoPlant

    setup = built("mujoco", PythonWave, duration)
    plant, pose = cast(MujocoPlant, setup.plant), setup.start_pose()
    model, engine = plant.engine.mj, plant.engine
    head, stiffness = model.body(f"link {len(setup.robot.links) - 1}").id, engine.stiffness

    def loop() -> FloatArray:
        data = engine.place(pose)
        mujoco.mj_forward(model, data)
        reference = np.zeros((setup.ticks, model.nu))
        for tick in range(setup.ticks):
            reference[tick] = wave(tick * PERIOD, data.qpos[3:], data.xipos[head, 1])
            data.ctrl[:] = stiffness * reference[tick]
            mujoco.mj_step(model, data, nstep=setup.substeps)
        return reference

    return loop
