"""Sine waves of the yaw and pitch axes along the body: lateral undulation, sidewinding, sinus lifting."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from pushpoint.control import Planned, controllers
from pushpoint.control._schedule import gait_time
from pushpoint.fields import Frozen
from pushpoint.quantities import Angle, Bend, Delay, Play, Rate
from pushpoint.robots import Robot
from pushpoint.types import CommandTable, FloatArray

Preset = Literal["lateral-undulation", "sidewinding", "sinus-lifting"]
RAD = math.radians(1.0)

# Amplitudes and phases of the named gaits; P5 VIII-D and VIII-E, sinus lifting is ours: pitch at twice the frequency
# lifts the bends and puts the weight on the straight parts; on the plane it is no faster than lateral undulation.
PRESETS: dict[str, dict[str, float]] = {
    "lateral-undulation": {"yaw_amplitude": 40 * RAD},
    "sidewinding": {
        "yaw_amplitude": 30 * RAD, "pitch_amplitude": 10 * RAD, "pitch_start_phase": 90 * RAD, "soft_start": 3 * RAD,
    },
    "sinus-lifting": {
        "yaw_amplitude": 40 * RAD, "pitch_amplitude": 4 * RAD, "pitch_frequency": 160 * RAD,
        "pitch_phase_shift": -100 * RAD,
    },
}  # fmt: skip


class GaitOptions(Frozen):
    """A `preset` fills in what is not given. Pitch waves have the yaw wave's frequency and shift by default."""

    preset: Preset | None = None
    yaw_amplitude: Bend = 0.0  # [rad]
    yaw_frequency: Rate = 80 * RAD  # [rad/s]
    yaw_phase_shift: Angle = -50 * RAD  # [rad], from joint to joint, counted from the head
    yaw_offset: Bend = 0.0  # [rad]
    yaw_start_phase: Angle = 0.0  # [rad]
    pitch_amplitude: Bend = 0.0  # [rad]
    pitch_frequency: Rate | None = None  # [rad/s]
    pitch_phase_shift: Angle | None = None  # [rad]
    pitch_offset: Bend = 0.0  # [rad]
    pitch_start_phase: Angle = 0.0  # [rad]
    soft_start: Play = 0.0  # [rad], see Gait; 0: none
    start_delay: Delay = 0.0  # [s], the first shape is held until then
    hold_period: Delay = 0.0  # [s], references are sampled this often and held; 0: continuous

    @model_validator(mode="before")
    @classmethod
    def _filled_in(cls, given: Any) -> Any:
        if isinstance(given, dict) and isinstance(given.get("preset"), str) and given["preset"] in PRESETS:
            return {**PRESETS[given["preset"]], **given}
        return given


@controllers.register("gait")
class Gait(Planned):
    """angle = offset + amplitude sin(frequency t + (J - 1 - j) phase_shift + start_phase), P5 (70)-(71), yaw and pitch.

    J joints, j = 0 at the tail; t is the time since `start_delay`. With a hold period (a robot whose references arrive
    over a bus) references are those of the last sample and rates are zero. With `soft_start` the robot starts
    straight: the reference of every axis and its rate are zero until it first comes within `soft_start` of zero. P5
    counts joints from the head with body axes that point to the tail; seen from there yaw angles have the other sign:
    see scenarios/transeth2008b.
    """

    Options: ClassVar[type[Frozen]] = GaitOptions
    uses: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, options: GaitOptions, robot: Robot) -> None:
        joints = len(robot.links) - 1
        pitch = np.array([axis == "pitch" for _, axis in robot.freedoms], dtype=bool)
        from_head = np.array([joints - 1 - j for j, _ in robot.freedoms], dtype=float)
        shift = options.yaw_phase_shift if options.pitch_phase_shift is None else options.pitch_phase_shift
        frequency = options.yaw_frequency if options.pitch_frequency is None else options.pitch_frequency
        self._amplitude = np.where(pitch, options.pitch_amplitude, options.yaw_amplitude)
        self._frequency = np.where(pitch, frequency, options.yaw_frequency)
        self._offset = np.where(pitch, options.pitch_offset, options.yaw_offset)
        self._phase = np.where(
            pitch,
            from_head * shift + options.pitch_start_phase,
            from_head * options.yaw_phase_shift + options.yaw_start_phase,
        )
        # When each axis begins to move [s]: at once, or when its reference first is near zero.
        self._starts, self._straight_first = np.zeros(len(pitch)), options.soft_start > 0.0
        if self._straight_first:
            waves = zip(self._amplitude, self._frequency, self._phase, self._offset, strict=True)
            self._starts[:] = [_first_time_near_zero(*wave, options.soft_start) for wave in waves]
        self._delay, self._hold = options.start_delay, options.hold_period

    @classmethod
    def build(cls, options: GaitOptions, robot: Robot, control_period: float) -> Gait:
        return cls(options, robot)

    def initial_shape(self) -> FloatArray:
        if self._straight_first:
            return np.zeros(len(self._phase))
        return np.asarray(self.table(np.zeros(1)).joint_angle[0])

    def table(self, times: FloatArray) -> CommandTable:
        since, still = gait_time(times, self._delay, self._hold)
        argument = since[:, np.newaxis] * self._frequency + self._phase
        begun = since[:, np.newaxis] >= self._starts - 1e-9
        angle = np.where(begun, self._offset + self._amplitude * np.sin(argument), 0.0)
        rate = np.where(begun, self._amplitude * self._frequency * np.cos(argument), 0.0)
        rate[still] = 0.0
        return CommandTable(angle, rate, np.zeros_like(angle))


def _first_time_near_zero(amplitude: float, frequency: float, phase: float, offset: float, nearness: float) -> float:
    """The first t >= 0 [s] with |offset + amplitude sin(frequency t + phase)| <= nearness; infinite if none."""
    now = offset + amplitude * math.sin(phase)
    if abs(now) <= nearness:
        return 0.0
    if frequency == 0.0 or abs(offset) > abs(amplitude) + nearness:
        return math.inf
    edge = nearness if now > 0 else -nearness
    inside = math.asin(max(-1.0, min(1.0, (edge - offset) / amplitude)))
    sense = math.copysign(1.0, frequency)
    waits = [math.fmod(sense * (angle - phase), math.tau) for angle in (inside, math.pi - inside)]
    return min(wait + math.tau if wait < 0 else wait for wait in waits) / abs(frequency)
