"""A wave that becomes weaker when the head is fast."""

from __future__ import annotations

from typing import Any

import numpy as np

import pushpoint as pp


class WaveOptions(pp.Options):
    amplitude: float = 0.5  # [rad], of every joint
    frequency: float = 3.0  # [rad/s]


@pp.register_controller("wave")
class Wave(pp.BaseController):
    """Joint angles along a travelling wave."""

    Options = WaveOptions
    uses = frozenset({"joint-encoders", "speedometer"})

    def step(self, state: dict[str, Any], obs: Any) -> Any:
        weaker = 1.0 / (1.0 + abs(float(obs.head_speed[0])))
        phase = self.options.frequency * obs.time - 0.9 * np.arange(self.joints)
        return state, self.command(weaker * self.options.amplitude * np.sin(phase)), ()
