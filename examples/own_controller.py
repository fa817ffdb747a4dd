"""A controller of one's own in one file: a wave that waits while any joint works too hard."""

from __future__ import annotations

import math

import numpy as np

import pushpoint as pp


class PausingWaveOptions(pp.Options):
    """The wave, and what it waits for."""

    amplitude: float = math.radians(40.0)  # [rad]
    frequency: float = math.radians(80.0)  # [rad/s]
    phase_shift: float = math.radians(-50.0)  # [rad], from joint to joint
    too_hard: float = 3.0  # [N m], a joint torque above which the wave stands still


@pp.register_controller("pausing-wave")
class PausingWave(pp.BaseController):
    """angle_j = -amplitude sin(phase + (J - 1 - j) phase_shift); the phase rests while torques are too large."""

    Options = PausingWaveOptions
    uses = frozenset({"joint-torque"})

    def initial_shape(self):
        return self.wave(phase=0.0, frequency=0.0).joint_angle

    def start(self, obs):
        return {"phase": 0.0, "waiting": 0}  # plain data: a checkpoint holds it

    def step(self, state, obs):
        hardest = float(np.abs(obs.joint_torque).max(initial=0.0))
        waiting = int(hardest > self.options.too_hard)
        frequency = 0.0 if waiting else self.options.frequency
        events = ()
        if waiting != state["waiting"]:
            events = (pp.Event(obs.time, "waits" if waiting else "goes on", f"{hardest:.2f} N m"),)
        command = self.wave(state["phase"], frequency)
        return {"phase": state["phase"] + self.period * frequency, "waiting": waiting}, command, events

    def wave(self, phase, frequency):
        argument = phase + np.arange(self.joints - 1, -1, -1) * self.options.phase_shift
        rate = -self.options.amplitude * frequency * np.cos(argument)
        return self.command(-self.options.amplitude * np.sin(argument), rate)


def main() -> None:
    for too_hard in (10.0, 3.0):
        controller = {"name": "pausing-wave", "options": {"too_hard": too_hard}}
        recording = pp.simulate("transeth2008a/track", controller=controller)
        metrics = recording.metrics()
        print(
            f"pauses above {too_hard:g} N m: {metrics['distance']:.3f} m, peak torque "
            f"{metrics['peak_joint_torque']:.2f} N m, {recording.events.sizes['event']} events"
        )


if __name__ == "__main__":
    main()
