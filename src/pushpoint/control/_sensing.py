"""From joint angles and the head's pose to tail coordinates and their rates.

The observer is one alpha-beta filter per coordinate with both poles at exp(-bandwidth period), driven by the
acceleration that the controller expects; then it predicts over the latency that the sensors are believed to have.
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.quantities import Delay, PositiveGain
from pushpoint.types import FloatArray, Observation

MULTIPLE = 1e-6  # of a period: decimal times are not exact in binary


class Sensing(Frozen):
    """What the observer believes of the sensors."""

    latency: Delay = 0.0  # [s], a multiple of the control period
    bandwidth: PositiveGain = 250.0  # [1/s], of the observer: lower for more noise


class Memory(NamedTuple):
    """What the observer carries from tick to tick; arrays that a checkpoint can hold."""

    q: FloatArray  # (N,)
    rate: FloatArray  # (N,)
    expected: FloatArray  # (delay + 1, N): the accelerations expected in the ticks before, the last one last


class Observer:
    """Measured tail coordinates, filtered and predicted to the present."""

    def __init__(self, chain: TailChain, options: Sensing, period: float) -> None:
        self._chain, self._period = chain, period
        self._delay = round(options.latency / period)
        if self._delay > limits.LATENCY_TICKS:
            raise InvalidInput(
                f"controller.sensing.latency = {options.latency:g} s is {self._delay} times control_period = "
                f"{period:g} s; should be {limits.LATENCY_TICKS} times at most"
            )
        if abs(options.latency / period - self._delay) > MULTIPLE:
            raise InvalidInput(
                f"controller.sensing.latency = {options.latency:g} s is not a multiple of control_period = "
                f"{period:g} s; nearest {self._delay * period:g} s"
            )
        pole = exp(-options.bandwidth * period)
        self._alpha, self._beta = 1.0 - pole**2, (1.0 - pole) ** 2 / period

    def begin(self, obs: Observation) -> Memory:
        """At rest in the first measurement."""
        q = self.measure(obs)
        return Memory(q, np.zeros_like(q), np.zeros((self._delay + 1, len(q))))

    def measure(self, obs: Observation) -> FloatArray:
        """Tail coordinates (N,) from the joint angles and the head's pose alone."""
        angles, yaw, place = obs.joint_angle, obs.head_yaw, obs.head_position[:2]
        n = self._chain.links
        angle = np.empty(n)
        angle[-1] = yaw
        angle[:-1] = yaw - np.cumsum(angles[::-1])[::-1]
        return self._chain.q_of(angle, n - 1, place)

    def step(self, memory: Memory, obs: Observation, expected: FloatArray) -> tuple[Memory, TailState]:
        """Take a measurement in; `expected`: the acceleration (N,) of the tick that has just ended."""
        ahead = np.concatenate([memory.expected[1:], expected[np.newaxis]])
        dt, old = self._period, ahead[0]
        q, rate = memory.q + dt * memory.rate + 0.5 * dt**2 * old, memory.rate + dt * old
        off = self.measure(obs) - q
        off[0] = np.remainder(off[0] + np.pi, 2 * np.pi) - np.pi  # the head's direction may be wrapped
        q, rate = q + self._alpha * off, rate + self._beta * off
        now, speed = q, rate
        for known in ahead[1:]:
            now, speed = now + dt * speed + 0.5 * dt**2 * known, speed + dt * known
        return Memory(q, rate, ahead), self._chain.at(now, speed)


def stored(memory: Memory) -> dict[str, Any]:
    """As entries of a controller's state."""
    return {f"sensed_{name}": value for name, value in memory._asdict().items()}


def restored(state: dict[str, Any]) -> Memory:
    """Back from `stored`."""
    return Memory(*(state[f"sensed_{name}"] for name in Memory._fields))
