"""Walls, polygons, loose discs, other grounds and other joints: one scenario as YAML, one in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import pushpoint as pp
from pushpoint.robots import Joint, Link, Robot, Servo
from pushpoint.worlds import Disc, Ground, Polygon, Wall, World

FOLDER = Path("results/examples")

TEXT = """\
name: lab/yard
robot: {name: uniform, options: {links: 10}}
world:
  name: yard
  ground:
    friction: 0.1
    friction_across: 0.4
    patches:
      - {x_min: 0.6, x_max: 1.0, y_min: -1.0, y_max: 1.0, friction: 0.05, viscous: 2.0}
  obstacles:
    - {kind: wall, points: [[-1.0, 0.3], [0.5, 0.3], [2.0, 0.5]]}
    - {kind: polygon, points: [[0.25, -0.3], [0.45, -0.3], [0.35, -0.05]], restitution: 0.5}
    - {x: 0.85, y: 0.1, radius: 0.08, mass: 3.0, ground_friction: 0.3}
controller: {name: serpenoid, options: {amplitude: 0.5, frequency: 3.0, phase_shift: -0.7}}
duration: 4.0
"""


def from_yaml() -> None:
    """A wall, a triangle, a loose disc and a wet patch of the ground."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / "yard.yaml"
    file.write_text(TEXT, encoding="utf-8")
    recording = pp.simulate(str(file))
    path = recording.data["obstacle_position"].values  # (time, movable, axis) [m]
    touched = sorted(set(recording.contacts["obstacle"].values.tolist()))
    print(
        f"obstacles touched: {touched}; the loose disc was pushed by {np.linalg.norm(path[-1, 0] - path[0, 0]):.3f} m"
    )


def whip() -> Robot:
    """Two driven joints and two springs with stops, on a skin that slides best head first."""
    link = Link(length=0.1, mass=0.3, inertia=2.5e-4, radius=0.025)
    spring = Joint(actuated=False, stiffness=0.4, damping=0.02, lower=-0.6, upper=0.6)
    driven = Joint(armature=1e-3)
    return Robot(
        name="whip",
        links=(link,) * 5,
        servo=Servo(stiffness=40.0, damping=0.4),
        joints=(spring, spring, driven, driven),  # from the tail
        source="example",
    )


def in_python() -> None:
    """The same scenario as objects."""
    channel = World(
        name="channel",
        ground=Ground(friction=0.1, friction_backward=0.13, friction_across=0.2, torque=True),
        obstacles=(
            Wall(points=((-1.0, 0.15), (2.0, 0.15))),
            Wall(points=((-1.0, -0.15), (2.0, -0.15)), restitution=0.3),
            Polygon(points=((0.6, -0.02), (0.65, 0.03), (0.6, 0.08), (0.55, 0.03))),
            Disc(x=0.45, y=-0.08, radius=0.03, mass=0.2),
        ),
    )
    scenario = pp.Scenario.parse(
        {
            "name": "lab/whip",
            "robot": whip(),
            "world": channel,
            "controller": {
                "name": "serpenoid",
                "options": {"amplitude": 0.6, "frequency": 6.0, "phase_shift": -1.2},
            },
            "duration": 4.0,
        }
    )
    recording = pp.simulate(scenario)
    limp = np.abs(recording.data["joint_angle"].sel(joint=[0, 1]).values).max()
    print(f"went {recording.metrics()['distance']:.3f} m; the springs bent by up to {limp:.2f} rad")
    print(f"largest residual of any step: {recording.metrics()['max_residual']:.0e}")


def main() -> None:
    from_yaml()
    in_python()


if __name__ == "__main__":
    main()
