"""Runs of our own along a path by pushing at pegs: P4's open problem, on viscous and on dry ground.

Path, robot and pegs are those of `sine-pegs` and `fourteen-link`; the controller is given the world's properties, and
runs at 250 Hz with torques alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pushpoint.robots import Servo
from pushpoint.scenario import Scenario
from pushpoint.scenarios import chosen, scenarios
from pushpoint.worlds.sine_pegs import inflection_pegs

AMPLITUDE, WAVELENGTH = 0.28, 2.0  # [m]
RADIUS, OFFSET = 0.1, 0.15  # [m], of the pegs
FIRST, PEGS = -4.0, 11
PATH = {"amplitude": AMPLITUDE, "wavelength": WAVELENGTH, "begin": -4.0, "end": 5.0}
HEAD = 5.28  # [m], arc length of the head's end at the start: no link overlaps a peg there
LAG = 0.008  # [s]
NOISY = {  # [rad], [m], [s]
    "joint-encoders": {"noise": 3e-4, "latency": LAG},
    "head-pose": {"noise": 3e-4, "angle_noise": 3e-4, "latency": LAG},
    "contacts": {"latency": LAG},
}
NOISE_KNOWN = {"latency": LAG, "bandwidth": 60.0}  # [s], [1/s]: what the observer believes of these sensors


Sensors = dict[str, dict[str, Any]] | None


class Circumstances(NamedTuple):
    """Ground, pegs and motors of a run."""

    torque_limit: float = 5.0  # [N m]
    friction: float = 0.0
    viscous: float = 0.0  # [N s/m], per link
    peg_friction: float = 0.0


def hoal_sine(
    name: str, title: str, around: Circumstances, duration: float = 30.0, sensors: Sensors = None, **controller: Any
) -> Scenario:
    """A run; `controller`: more options of it."""
    pegs = [[x, y, RADIUS] for x, y in inflection_pegs(AMPLITUDE, WAVELENGTH, OFFSET, FIRST, PEGS)]
    limit, friction, viscous, peg_friction = around
    known = {"path": PATH, "pegs": pegs, "head": HEAD, "torque_limit": limit, "ground_friction": friction}
    known |= {"viscous": viscous, "peg_friction": peg_friction}
    return Scenario(
        name=name,
        title=title,
        robot=chosen("fourteen-link"),
        world=chosen(
            "sine-pegs", first=FIRST, pegs=PEGS, friction=friction, viscous=viscous, peg_friction=peg_friction
        ),
        controller=chosen("push-along", **known | controller),
        sensors=sensors,
        servo=Servo(torque_limit=limit),
        duration=duration,
        control_period=0.004,
        record_period=0.02,
        source="ours, not published; after P4's outlook",
    )


DRY = Circumstances(torque_limit=6.5, friction=0.1, peg_friction=0.1)
# Slug, title, circumstances, more fields and options of the controller.
RUNS: tuple[tuple[str, str, Circumstances, dict[str, Any]], ...] = (
    ("hoal-sine", "Fourteen links push themselves along a sine of pegs on a film of oil",
     Circumstances(viscous=0.5), {}),
    ("hoal-sine-viscous", "The same with four times the drag", Circumstances(viscous=2.0), {}),
    ("hoal-sine-coulomb", "The same on dry ground with rough pegs", DRY, {}),
    ("hoal-sine-stall",
     "Dry ground and motors that are too weak: it stops before the place where it would stall, says so, and holds",
     DRY._replace(torque_limit=4.2), {"duration": 12.0}),
    ("hoal-sine-noise", "Dry ground, noisy sensors that lag by 8 ms, and masses believed 15 % too large", DRY,
     # the margin is one, as drag is believed 15 % too large as well
     {"mass_scale": 1.15, "margin": 1.0, "sensors": NOISY, "sensing": NOISE_KNOWN}),
)  # fmt: skip
for slug, title, around, more in RUNS:
    scenarios.add(f"lab/{slug}", hoal_sine(f"lab/{slug}", title, around, **more))
