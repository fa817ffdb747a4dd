"""In space: a robot whose joints bend sideways and up and down in turn, and ground with a kerb, in one file."""

from __future__ import annotations

import pushpoint as pp
from pushpoint.quantities import FrictionCoefficient, Length, Links
from pushpoint.robots import Joint, Link, Robot, Servo, robots
from pushpoint.worlds import Box, Cylinder, Ground, Profile, World, worlds


@robots.register("alternating")
def alternating(links: Links = 12, length: Length = 0.08, radius: Length = 0.03) -> Robot:
    """Joints bend sideways (yaw) and up and down (pitch) in turn; links are solid cylinders of 0.3 kg."""
    mass = 0.3
    link = Link(
        length=length,
        mass=mass,
        inertia=mass * (length**2 / 12 + radius**2 / 4),  # about z; about y it is the same, about x it follows
        radius=radius,
    )
    return Robot(
        name="alternating",
        links=(link,) * links,
        joints=tuple(Joint(axes="yaw" if j % 2 == 0 else "pitch") for j in range(links - 1)),
        servo=Servo(stiffness=40.0, damping=0.4, torque_limit=6.0, pitch_stiffness=80.0),
        source="example",
    )


@worlds.register("kerb")
def kerb(height: Length = 0.04, friction: FrictionCoefficient = 0.4) -> World:
    """The ground drops by `height` [m] at x = 0.6 m; a pipe and a brick lie beside the path on the upper level."""
    return World(
        name="kerb",
        ground=Ground(friction=friction),
        terrain=Profile(points=((-1.0, height), (0.6, height), (0.6, 0.0), (1.5, 0.0))),
        obstacles=(
            Cylinder(start=(-1.0, -0.2, height), end=(0.0, -0.2, height), radius=0.02, friction=friction),
            Box(centre=(0.3, -0.25, height), size=(0.2, 0.1, 0.06), yaw=0.3, friction=friction),
        ),
        source="example",
    )


def main() -> None:
    scenario = pp.Scenario.parse(
        {
            "name": "lab/kerb",
            "robot": {"name": "alternating", "options": {"links": 14}},
            "world": {"name": "kerb", "options": {"height": 0.05}},
            "plant": "spatial_stepping",
            "controller": {"name": "gait", "options": {"preset": "sidewinding"}},
            "start": {"position": [0.0, 0.0], "angle": 0.2},
            "duration": 10.0,
        }
    )
    recording = pp.simulate(scenario)
    data, contacts = recording.data, recording.contacts
    displacement = data["centre_of_mass"][-1] - data["centre_of_mass"][0]
    print("joint axes:", ", ".join(data["joint_axis"].values[:4].tolist()), "...")
    print("displacement of the centre of mass: x {:.3f}, y {:.3f}, z {:.3f} m".format(*displacement.values))
    print("touched (-1 is the terrain):", sorted({int(k) for k in contacts["obstacle"].values}))
    print(f"largest residual of any step: {float(data['step_residual'].max()):.0e}")


if __name__ == "__main__":
    main()
