"""A robot of one's own in one file: heavier in the middle, with a tail that tapers."""

from __future__ import annotations

import pushpoint as pp
from pushpoint.quantities import Length, Links
from pushpoint.robots import Link, Robot, Servo, robots
from pushpoint.scenario import Choice


@robots.register("tapered")
def tapered(links: Links = 12, length: Length = 0.1) -> Robot:
    """Links of equal length [m]; width and mass grow from the tail to the head."""
    parts = []
    for number in range(links):
        share = 0.5 + 0.5 * number / max(links - 1, 1)  # 0.5 at the tail, 1 at the head
        mass = 0.5 * share
        parts.append(Link(length=length, mass=mass, inertia=mass * length**2 / 12, radius=0.04 * share))
    return Robot(
        name="tapered",
        links=tuple(parts),
        servo=Servo(stiffness=200.0, damping=1.0, torque_limit=8.0),
        source="example",
    )


def main() -> None:
    scenario = pp.Scenario(
        name="lab/tapered",
        robot=Choice(name="tapered", options={"links": 10}),
        world=Choice(name="plane", options={"friction": 0.1, "friction_across": 0.5}),
        controller=Choice(name="serpenoid", options={"amplitude": 0.5, "frequency": 3.0, "phase_shift": -0.7}),
        duration=5.0,
    )
    recording = pp.simulate(scenario)
    metrics = recording.metrics()
    print(f"{scenario.built_robot().mass:.2f} kg went {metrics['distance']:.3f} m in {metrics['duration']:g} s")


if __name__ == "__main__":
    main()
