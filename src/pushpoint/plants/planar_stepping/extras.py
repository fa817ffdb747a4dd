"""What goes beyond P2: other grounds, obstacles and joints, and obstacles that move. Plain problems have none of it.

Kernels take `extras`, which is None for plain problems. Numba then leaves out all that stands behind `extras is not
None`, so that plain runs compile and step as if it did not exist.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.features import features
from pushpoint.numerics.records import Records, record_array
from pushpoint.robots import Joint, Robot
from pushpoint.types import FloatArray, IntArray
from pushpoint.worlds import GroundLaw, World

# One row per link or movable obstacle, as in Problem.link.
MORE_FIELDS = (
    "skew",  # the weaker of forward and backward friction over the stronger, with the sign of the weaker force
    "drag_along", "drag_across",  # [N s2/m], viscous impulse over velocity
    "spin", "spin_impulse", "spin_guess",  # [N m s], friction torque: largest, present, multiplier
    "ground_x", "ground_y",  # [N s], impulse of the ground, world frame
    "friction", "restitution",  # of a movable obstacle
    "start", "end",  # [m], of a link along the straight robot
    "joined",  # whether its tail end is the head end of the link behind: two contacts there would be one
    "spring", "spring_angle", "damper", "armature", "lower", "upper",  # of the joint behind the link
    "rest", "give",  # [N m s], [N m s2/rad], its passive impulse: rest - give * rate
    "low_rate", "high_rate", "stop", "stop_guess",  # [rad/s] that its stops allow; their impulse, multiplier
    "start_vx", "start_vy", "start_w", "keep_fx", "keep_fy", "keep_fw", "keep_torque",  # see coupled
)  # fmt: skip
LAW_COLUMNS = ("along", "backward", "across", "viscous", "viscous_across", "torque")
MEMORY = 5  # iterates that limits of friction are mixed from
MOST_COUPLED = 192  # impulses between links, and between links and movable obstacles, in one step


class Extras(NamedTuple):
    """Arrays for what plain problems do not have."""

    more: Records  # (rows,): MORE_FIELDS
    feature: FloatArray  # (features, 17): mechanics.features.COLUMNS
    law: FloatArray  # (1 + patches, 6): LAW_COLUMNS; the first is that of the ground outside all patches
    patch: FloatArray  # [m], (patches, 4): x_min, x_max, y_min, y_max
    coupling: FloatArray  # (MOST_COUPLED, MOST_COUPLED + 3): matrix and vectors of the coupled solve
    history: FloatArray  # (2 MEMORY + 2, contacts): see friction_limits
    through: IntArray  # State.through, for the lists of neighbours
    mixing: FloatArray  # (MEMORY, MEMORY + 1): matrix and vector of its least squares


def needs_extras(robot: Robot, world: World) -> bool:
    """Whether robot or world are not P2's."""
    return not (world.is_basic and robot.has_basic_joints)


def make_extras(robot: Robot, world: World, dt: float) -> Extras:
    n, movable = len(robot.links), len(world.movable)
    more = record_array(n + movable, MORE_FIELDS)
    more["lower"], more["upper"] = -np.inf, np.inf
    for row, behind, link in zip(more[1:n], robot.links, robot.links[1:], strict=False):
        row["joined"] = link.radius == behind.radius and all(2 * x.half_core == x.length for x in (behind, link))
    length = np.array([link.length for link in robot.links])
    more["end"][:n] = np.cumsum(length)
    more["start"][:n] = more["end"][:n] - length
    for row, joint in zip(more[1:n], robot.joints, strict=False):
        set_joint(row, joint)
    for row, disc in zip(more[n:], world.movable_discs, strict=True):
        # A disc that presses evenly on the ground and turns on the spot: 2/3 mu m g R.
        weight = (disc.mass or 0.0) * world.gravity
        row["friction"], row["restitution"] = disc.friction, disc.restitution
        row["spin"] = 2.0 / 3.0 * disc.ground_friction * weight * disc.radius * dt
    laws = [world.ground, *world.ground.patches]
    boxes = [(p.x_min, p.x_max, p.y_min, p.y_max) for p in world.ground.patches]
    return Extras(
        more=more,
        feature=features(world.obstacles),
        law=np.array([law_row(law) for law in laws], dtype=float),
        patch=np.array(boxes, dtype=float).reshape(-1, 4),
        coupling=np.zeros((MOST_COUPLED, MOST_COUPLED + 3)),
        history=np.zeros((2 * MEMORY + 2, 1)),  # `with_room` gives it its size
        through=np.zeros((n, n), np.int64),
        mixing=np.zeros((MEMORY, MEMORY + 1)),
    )


def with_room(extras: Extras, contacts: int) -> Extras:
    """The same with room for that many contacts."""
    return extras._replace(history=np.zeros((2 * MEMORY + 2, contacts)))


def set_joint(row: Records, joint: Joint) -> None:
    row["spring"], row["spring_angle"], row["damper"] = joint.stiffness, joint.angle, joint.damping
    row["lower"], row["upper"], row["armature"] = joint.lower, joint.upper, joint.armature


def law_row(law: GroundLaw) -> tuple[float, ...]:
    return law.along, law.backward, law.across, law.viscous, law.drag_across, float(law.torque)
