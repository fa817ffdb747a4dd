"""A gait drawn as a function: what it asks of the joints, and how far the robot gets with it."""

from __future__ import annotations

from math import cos, sin, tau

import pushpoint as pp
from pushpoint.control.shape_rehearsal import demands, rehearsed_cycle
from pushpoint.scenarios import find_scenario
from pushpoint.shapes import GaitSegment


def shape(beta: float) -> tuple[float, float, float]:
    """x, y, z [m]; beta goes from 0 to 2 pi along one cycle."""
    return 0.95 * beta / tau, 0.24 * sin(beta), 0.027 * cos(beta)


def main() -> None:
    segment = GaitSegment.of_function(shape, points=9).model_dump(exclude_none=True)
    scenario = find_scenario("lab/draw-your-own").with_overrides({"controller.segment": segment, "duration": 6.0})
    asked = demands(rehearsed_cycle(scenario))
    print(f"{asked.distance:.3f} m of curve per cycle, angles up to {asked.angle:.2f} rad")
    print(f"{pp.simulate(scenario).metrics()['distance']:.2f} m in 6 s")


if __name__ == "__main__":
    main()
