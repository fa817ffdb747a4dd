"""P1's hybrid controller with a watchdog for the stalls that it does not see."""

from __future__ import annotations

from typing import ClassVar

from pushpoint.control import controllers
from pushpoint.control.jam_resolution import JamResolution, JamResolutionOptions
from pushpoint.fields import Frozen
from pushpoint.quantities import Delay, Speed


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

    @classmethod
    def name(cls) -> str:
        return "jam-resolution-watchdog"

    def _watchdog(self) -> tuple[float, float]:
        return self.options.stall_speed, self.options.stall_time
