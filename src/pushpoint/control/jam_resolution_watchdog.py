"""P1's hybrid controller with a watchdog for the stalls that it does not see."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pushpoint.control import ControllerState, controllers
from pushpoint.control.jam_resolution import ROUNDING, JamResolution, JamResolutionOptions, Jump
from pushpoint.fields import Frozen
from pushpoint.quantities import Delay, Speed
from pushpoint.robots import Robot
from pushpoint.types import Observation


class WatchdogOptions(JamResolutionOptions):
    """And when the robot counts as stalled."""

    stall_speed: Speed = 5e-3  # [m/s], of the centre of mass along x
    stall_time: Delay = 2.0  # [s]


@controllers.register("jam-resolution-watchdog")
class JamResolutionWatchdog(JamResolution):
    """Ours, not P1's: turn the head to the other side when the robot has not moved along x for long.

    When all joints have copied one head angle and the head does not swing far, P1's controller waits for ever: no joint
    is off, no jam is seen. `stalled` is how long the robot has been slow [s], resolutions included; the head turns when
    they are over.
    """

    Options: ClassVar[type[Frozen]] = WatchdogOptions
    uses: ClassVar[frozenset[str]] = JamResolution.uses

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        super().__init__(options, robot, control_period)
        mass = np.array([link.mass for link in robot.links])
        self._share = mass / mass.sum()

    @classmethod
    def name(cls) -> str:
        return "jam-resolution-watchdog"

    def start(self, obs: Observation) -> ControllerState:
        return super().start(obs) | {"stalled": 0.0}

    def _jumps(self, state: ControllerState, obs: Observation) -> list[Jump]:
        slow = abs(float(self._share @ obs.link_velocity[:, 0])) < self._options.stall_speed
        state["stalled"] = state["stalled"] + self._period if slow else 0.0
        found = super()._jumps(state, obs)
        turned = any("head" in jump.change for jump in found)
        if state["stalled"] >= self._options.stall_time - ROUNDING and not state["resolving"] and not turned:
            left, right = self._options.head_left, self._options.head_right
            other = {"head": right if state["head"] == left else left, "stalled": 0.0}
            found.append(
                Jump("stall", f"no progress for {state['stalled']:.3g} s along x: head to the other side", other)
            )
        return found
