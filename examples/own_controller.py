"""A controller of one's own in one file: a wave that waits while any joint works too hard."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

import pushpoint as pp
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.fields import Frozen
from pushpoint.quantities import Angle, Bend, Gain, PositiveGain
from pushpoint.robots import Robot
from pushpoint.types import Command, FloatArray, Observation


class PatientWaveOptions(Frozen):
    """The wave, and what it waits for."""

    amplitude: Bend = math.radians(40.0)  # [rad]
    frequency: Gain = math.radians(80.0)  # [rad/s]
    phase_shift: Angle = math.radians(-50.0)  # [rad], from joint to joint
    too_hard: PositiveGain = 3.0  # [N m], a joint torque above which the wave stands still


@controllers.register("patient-wave")
class PatientWave:
    """angle_j = -amplitude sin(phase + (J - 1 - j) phase_shift); the phase rests while torques are too large."""

    Options: ClassVar[type[Frozen]] = PatientWaveOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-torque"})

    def __init__(self, options: PatientWaveOptions, joints: int, period: float) -> None:
        self._options, self._period = options, period
        self._from_head = np.arange(joints - 1, -1, -1)

    @classmethod
    def build(cls, options: PatientWaveOptions, robot: Robot, control_period: float) -> PatientWave:
        return cls(options, len(robot.links) - 1, control_period)

    def initial_shape(self) -> FloatArray:
        return self._command(phase=0.0, frequency=0.0).joint_angle

    def start(self, obs: Observation) -> ControllerState:
        return {"phase": 0.0, "waiting": 0}  # plain data: a checkpoint holds it

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        hardest = float(np.abs(obs.joint_torque).max(initial=0.0))
        waiting = int(hardest > self._options.too_hard)
        frequency = 0.0 if waiting else self._options.frequency
        events: tuple[ControlEvent, ...] = ()
        if waiting != state["waiting"]:
            events = (ControlEvent(obs.time, "waits" if waiting else "goes on", f"{hardest:.2f} N m"),)
        command = self._command(state["phase"], frequency)
        return {"phase": state["phase"] + self._period * frequency, "waiting": waiting}, command, events

    def _command(self, phase: float, frequency: float) -> Command:
        argument = phase + self._from_head * self._options.phase_shift
        angle = -self._options.amplitude * np.sin(argument)
        rate = -self._options.amplitude * frequency * np.cos(argument)
        return Command(angle, rate, np.zeros_like(angle))


def main() -> None:
    for too_hard in (10.0, 3.0):
        controller = {"name": "patient-wave", "options": {"too_hard": too_hard}}
        recording = pp.simulate("transeth2008a/track", controller=controller)
        metrics = recording.metrics()
        print(
            f"patience from {too_hard:g} N m: {metrics['distance']:.3f} m, peak torque "
            f"{metrics['peak_joint_torque']:.2f} N m, {recording.events.sizes['event']} events"
        )


if __name__ == "__main__":
    main()
