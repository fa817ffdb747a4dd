"""The unstructured environment of P1 VIII-B."""

from __future__ import annotations

from pushpoint.quantities import FrictionCoefficient
from pushpoint.worlds import Disc, Ground, World, worlds

# x, y, radius [m], read off P1 Fig. 12 to about 4 mm. Four obstacles are cut by the frame of the figure; their centres
# are good to about 1 cm. Two gaps (0.130 and 0.139 m) fall below Assumption 4's 0.14 m within that error.
DISCS = (
    (-0.475, 0.32, 0.05), (-0.425, -0.33, 0.08), (-0.325, -0.03, 0.05), (-0.175, 0.22, 0.04), (-0.075, -0.28, 0.04),
    (-0.025, -0.03, 0.03), (0.125, 0.17, 0.08), (0.175, -0.33, 0.05), (0.225, -0.08, 0.05), (0.425, 0.2, 0.04),
    (0.445, -0.23, 0.04), (0.725, 0.32, 0.075), (0.775, -0.43, 0.08), (0.775, 0.07, 0.05), (0.875, -0.18, 0.04),
    (1.075, -0.03, 0.05), (1.125, -0.28, 0.04), (1.325, 0.17, 0.06), (1.375, -0.33, 0.05), (1.425, -0.08, 0.05),
    (1.625, 0.2, 0.04), (1.645, -0.23, 0.04), (1.875, -0.03, 0.08), (2.025, -0.48, 0.07), (2.125, 0.4, 0.06),
    (2.225, -0.03, 0.05),
)  # fmt: skip


@worlds.register("clutter")
def clutter(
    friction: FrictionCoefficient = 0.3, obstacle_friction: FrictionCoefficient = 0.2, ground_torque: bool = True
) -> World:
    """Obstacles of many sizes in no order."""
    return World(
        name="clutter",
        ground=Ground(friction=friction, torque=ground_torque),
        obstacles=tuple(Disc(x=x, y=y, radius=r, friction=obstacle_friction) for x, y, r in DISCS),
        source="Liljebäck et al. 2010, Hybrid Modelling and Control of Obstacle-Aided Snake Robot Locomotion, Fig. 12",
    )
