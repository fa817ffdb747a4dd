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
from pushpoint.mechanics.tail_kernels import fill_estimate, fill_measured
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
        self._chain = chain
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
        self._gains = np.array([period, 1.0 - pole**2, (1.0 - pole) ** 2 / period])  # dt, alpha, beta
        self._lever = np.ascontiguousarray(chain.lever[-1])

    def begin(self, obs: Observation) -> Memory:
        """At rest in the first measurement."""
        q = self.measure(obs)
        return Memory(q, np.zeros_like(q), np.zeros((self._delay + 1, len(q))))

    def measure(self, obs: Observation) -> FloatArray:
        """Tail coordinates (N,) from the joint angles and the head's pose alone."""
        x, y = obs.head_position[:2]
        q, head = np.empty(self._chain.coordinates), np.array([x, y, obs.head_yaw])
        fill_measured(self._lever, np.ascontiguousarray(obs.joint_angle, dtype=float), head, q)
        return q

    def step(self, memory: Memory, obs: Observation, expected: FloatArray) -> tuple[Memory, TailState]:
        """Take a measurement in; `expected`: the acceleration (N,) of the tick that has just ended."""
        ahead = np.concatenate([memory.expected[1:], expected[np.newaxis]])
        filtered, now = np.array([memory.q, memory.rate]), np.empty((2, len(memory.q)))
        fill_estimate(ahead, self._gains, self.measure(obs), filtered, now)
        return Memory(filtered[0], filtered[1], ahead), self._chain.at(now[0], now[1])


def stored(memory: Memory) -> dict[str, Any]:
    """As entries of a controller's state."""
    return {f"sensed_{name}": value for name, value in memory._asdict().items()}


def restored(state: dict[str, Any]) -> Memory:
    """Back from `stored`."""
    return Memory(*(state[f"sensed_{name}"] for name in Memory._fields))
