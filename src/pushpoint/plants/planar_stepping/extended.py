"""What extends P2's problem, in three independent parts: ground, contacts and joints.

Kernels take each part as an argument that is None where P2's own law is enough. Numba then leaves out all that stands
behind `part is not None`: what a run does not have it neither compiles nor pays for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.features import features
from pushpoint.numerics.records import Records, record_array
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray
from pushpoint.worlds import Disc, GroundLaw, Obstacle, World

MEMORY = 5  # iterates that limits of friction are mixed from
MOST_COUPLED = 192  # impulses between links, and between links and movable obstacles, in one step


class Ground(NamedTuple):
    """Backward and viscous friction, friction torques, patches; and movable obstacles, which turn on the ground."""

    link: Records  # (rows,), as Problem.link: GROUND_FIELDS
    law: FloatArray  # (1 + patches, 6): LAW_COLUMNS; the first is that of the ground outside all patches
    patch: FloatArray  # [m], (patches, 4): x_min, x_max, y_min, y_max


class Contacts(NamedTuple):
    """Walls and polygons, friction and restitution at obstacles, movable obstacles, and links that touch each other."""

    link: Records  # (rows,), as Problem.link: TOUCH_FIELDS
    feature: FloatArray  # (features, 17): mechanics.features.COLUMNS
    coupling: FloatArray  # (MOST_COUPLED, MOST_COUPLED + 3): matrix and vectors of the coupled solve
    history: FloatArray  # (2 MEMORY + 2, contacts): see friction_limits
    mixing: FloatArray  # (MEMORY, MEMORY + 1): matrix and vector of its least squares
    through: IntArray  # State.through, for the lists of neighbours


class Joints(NamedTuple):
    """Springs, dampers, stops and armature."""

    link: Records  # (n,): JOINT_FIELDS, of the joint behind the link


GROUND_FIELDS = (
    "skew",  # the weaker of forward and backward friction over the stronger, with the sign of the weaker force
    "drag_along", "drag_across",  # [N s2/m], viscous impulse over velocity
    "spin", "spin_impulse", "spin_guess",  # [N m s], friction torque: largest, present, multiplier
    "ground_x", "ground_y",  # [N s], impulse of the ground, world frame
)  # fmt: skip
LAW_COLUMNS = ("along", "backward", "across", "viscous", "viscous_across", "torque")
TOUCH_FIELDS = (
    "friction", "restitution",  # of a movable obstacle
    "start", "end",  # [m], of a link along the straight robot
    "joined",  # whether its tail end is the head end of the link behind: two contacts there would be one
    "start_vx", "start_vy", "start_w", "keep_fx", "keep_fy", "keep_fw", "keep_torque",  # see coupled
    "first_vx", "first_vy", "first_w", "first_chord_x", "first_chord_y", "first_chord_w",  # see first_guess
    "first_ground_x", "first_ground_y", "first_spin", "first_stop",
)  # fmt: skip
JOINT_FIELDS = (
    "spring", "spring_angle", "damper", "armature", "lower", "upper",
    "rest", "give",  # [N m s], [N m s2/rad], its passive impulse: rest - give * rate
    "low_rate", "high_rate", "stop", "stop_guess",  # [rad/s] that its stops allow; their impulse, multiplier
)  # fmt: skip


def extended_ground(robot: Robot, world: World, dt: float, wanted: bool) -> Ground | None:
    """None for dry friction that is the same forward and backward, unless it is wanted."""
    if not wanted and world.ground.is_basic and not world.ground.patches and not world.movable:
        return None
    n, laws = len(robot.links), [world.ground, *world.ground.patches]
    link = record_array(n + len(world.movable), GROUND_FIELDS)
    for row, disc in zip(link[n:], world.movable_discs, strict=True):
        # A disc that presses evenly on the ground and turns on the spot: 2/3 mu m g R.
        row["spin"] = 2.0 / 3.0 * disc.ground_friction * (disc.mass or 0.0) * world.gravity * disc.radius * dt
    boxes = [(p.x_min, p.x_max, p.y_min, p.y_max) for p in world.ground.patches]
    return Ground(
        link=link,
        law=np.array([_law_row(law) for law in laws], dtype=float),
        patch=np.array(boxes, dtype=float).reshape(-1, 4),
    )


def _law_row(law: GroundLaw) -> tuple[float, ...]:
    return law.along, law.backward, law.across, law.viscous, law.drag_across, float(law.torque)


def extended_contacts(robot: Robot, world: World, wanted: bool) -> Contacts | None:
    """None for smooth discs that are fixed, unless it is wanted."""
    if not wanted and all(_is_basic(obstacle) for obstacle in world.obstacles):
        return None
    n = len(robot.links)
    link = record_array(n + len(world.movable), TOUCH_FIELDS)
    for row, behind, part in zip(link[1:n], robot.links, robot.links[1:], strict=False):
        row["joined"] = part.radius == behind.radius and all(2 * x.half_core == x.length for x in (behind, part))
    length = np.array([part.length for part in robot.links])
    link["end"][:n] = np.cumsum(length)
    link["start"][:n] = link["end"][:n] - length
    for row, disc in zip(link[n:], world.movable_discs, strict=True):
        row["friction"], row["restitution"] = disc.friction, disc.restitution
    return Contacts(
        link=link,
        feature=features(world.obstacles),
        coupling=np.zeros((MOST_COUPLED, MOST_COUPLED + 3)),
        history=np.zeros((2 * MEMORY + 2, 1)),  # `with_room` gives it its size
        mixing=np.zeros((MEMORY, MEMORY + 1)),
        through=np.zeros((n, n), np.int64),
    )


def _is_basic(obstacle: Obstacle) -> bool:
    return isinstance(obstacle, Disc) and not obstacle.is_movable and obstacle.friction == obstacle.restitution == 0


def with_room(contacts: Contacts | None, pairs: int) -> Contacts | None:
    """The same with room for that many contacts."""
    return None if contacts is None else contacts._replace(history=np.zeros((2 * MEMORY + 2, pairs)))


def extended_joints(robot: Robot, wanted: bool) -> Joints | None:
    """None for joints with a servo and nothing else, unless it is wanted."""
    if not wanted and robot.has_basic_joints:
        return None
    link = record_array(len(robot.links), JOINT_FIELDS)
    link["lower"], link["upper"] = -np.inf, np.inf
    for row, joint in zip(link[1:], robot.joints, strict=False):
        row["spring"], row["spring_angle"], row["damper"] = joint.stiffness, joint.angle, joint.damping
        row["lower"], row["upper"], row["armature"] = joint.lower, joint.upper, joint.armature
    return Joints(link)
