"""A scenario as a YAML file: write it, read it, run it."""

from __future__ import annotations

from pathlib import Path

import pushpoint as pp

FOLDER = Path("results/examples")

TEXT = """\
name: lab/turning
title: A uniform chain that turns left on ground that is rough across the links
robot:
  name: uniform
  options: {links: 12, length: 0.1, mass: 0.5}
world:
  name: plane
  options: {friction: 0.1, friction_across: 0.5}
plant:
  name: planar_stepping
  options: {dt: 0.002}
controller:
  name: serpenoid
  options:
    amplitude: 0.5
    frequency: 3.0
    phase_shift: -0.6
    offset: [[0.0, 0.0], [1.0, 0.1]]   # from 0 to 0.1 rad within the first second, then constant
servo: {stiffness: 100.0, damping: 1.0, torque_limit: 5.0}
duration: 4.0
"""


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "turning.yaml"
    path.write_text(TEXT, encoding="utf-8")
    recording = pp.simulate(path)
    turned = float(recording.data["link_angle"].mean("link").diff("time").sum())
    print(f"{recording.scenario.name}: went {recording.metrics()['distance']:.3f} m, turned {turned:+.2f} rad")


if __name__ == "__main__":
    main()
