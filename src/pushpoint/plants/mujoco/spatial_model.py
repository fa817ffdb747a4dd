"""From Robot and World to MuJoCo's model in space.

chain:   a free joint at the middle link and hinges from there to both ends, so that chains of moving parts are short;
         bodies have their links' axes and centres
outline: the link's capsules, see geometry.capsules
ground:  pairs of each capsule with the plane, or with the parts of the terrain; see spatial_world.py
servo:   implicit in angle and rate, as in the plane; see `settings.servo_drag`
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from pushpoint.geometry.capsules import CapsuleOnLink, outline
from pushpoint.mechanics.spatial_pose import AXIS
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.settings import add_servo, first_coefficient, new_spec, servo_inertia
from pushpoint.plants.mujoco.spatial_world import (
    LINK_BIT,
    SELF_BIT,
    LinkShape,
    add_ground,
    add_obstacles,
    contact_firmness,
    fill_heightfield,
)
from pushpoint.robots import Link, Robot, Servo
from pushpoint.types import FloatArray
from pushpoint.worlds import World

STICK_RATIO = 10.0  # MuJoCo's impratio: what sticks creeps with up to (1 - d) / d * M dt mu g / STICK_RATIO
FAR = 1e10  # [rad], a stop that is never reached


def root_of(robot: Robot) -> int:
    """The middle link: MuJoCo's matrices of two half chains have half as many entries as that of one."""
    return len(robot.links) // 2


def gravity_of(world: World) -> FloatArray:
    """[m/s2], (3,)"""
    down = np.array(world.down)
    return np.asarray(world.gravity * down / np.linalg.norm(down))


def compile_spatial_model(robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> Any:
    """The mujoco.MjModel of robot, world and servo in space."""
    spec = new_spec(servo, options, "newton", STICK_RATIO)
    spec.option.gravity = gravity_of(world)
    # A capsule on a face needs two points; from MuJoCo 4 on they are found unless that is switched off.
    spec.option.enableflags |= int(getattr(mujoco.mjtEnableBit, "mjENBL_MULTICCD", 0))
    shapes = _add_chain(spec, robot, servo, options)
    for k, (number, axis) in enumerate(robot.freedoms):
        add_servo(spec, f"freedom {k}", servo, axis, options.dt, float(robot.joint(number).actuated))
    add_obstacles(spec, world, shapes, options.dt)
    add_ground(spec, world, shapes, options.dt)
    model = spec.compile()
    fill_heightfield(model, world)
    return model


def _add_chain(spec: Any, robot: Robot, servo: Servo, options: MujocoOptions) -> list[LinkShape]:
    """The middle link with its free joint, and the two half chains on either side of it."""
    root, shapes = root_of(robot), list[LinkShape]()
    middle = spec.worldbody.add_body(name=f"link {root}")
    middle.add_joint(type=mujoco.mjtJoint.mjJNT_FREE)
    for step in (1, -1):
        body, i = middle, root
        while 0 <= i + step < len(robot.links):
            gap = robot.links[i].length / 2 + robot.links[i + step].length / 2
            gap += robot.joint(min(i, i + step)).axes_apart
            i += step
            body = body.add_body(name=f"link {i}", pos=[step * gap, 0, 0])
            _add_hinges(body, robot, servo, options.dt, i, towards_head=step > 0)
    for i, link in enumerate(robot.links):
        shapes += _fill(spec.body(f"link {i}"), i, link, options)
    return shapes


def _add_hinges(body: Any, robot: Robot, servo: Servo, dt: float, i: int, towards_head: bool) -> None:
    """The hinges between link i and the one before it on the path from the middle.

    MuJoCo turns a body by its hinges in their order, each about an axis that the ones before have turned: towards
    the head R = R_first R_second. Towards the tail the same joint is passed in the other direction, with
    R_second' R_first': the other order and the other sense.
    """
    number = i - 1 if towards_head else i
    listed = [(k, axis) for k, (j, axis) in enumerate(robot.freedoms) if j == number]
    sense = 1.0 if towards_head else -1.0
    ordered, half = listed if towards_head else listed[::-1], robot.links[i].length / 2
    for beyond, (k, axis) in zip((len(ordered) - 1, 0), ordered, strict=False):  # the last one is at the link's end
        place = half + beyond * robot.joint(number).axes_apart
        _add_hinge(body, robot, servo, dt, k, sense * AXIS[axis], -sense * place)


def _add_hinge(body: Any, robot: Robot, servo: Servo, dt: float, k: int, axis: FloatArray, place: float) -> None:
    """Freedom k, with what its joint has besides a servo; springs and dampers are implicit like servos."""
    number, kind = robot.freedoms[k]
    joint = robot.joint(number)
    implicit_inertia = servo_inertia(servo, kind, dt) if joint.actuated else 0.0
    hinge = body.add_joint(
        name=f"freedom {k}",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=axis.tolist(),
        pos=[place, 0, 0],
        armature=joint.armature + implicit_inertia,
        springref=joint.angle,
    )
    hinge.stiffness = first_coefficient(hinge.stiffness, joint.stiffness)
    hinge.damping = first_coefficient(hinge.damping, joint.damping + dt * joint.stiffness)
    if math.isfinite(joint.lower) or math.isfinite(joint.upper):
        hinge.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        hinge.range = [max(joint.lower, -FAR), min(joint.upper, FAR)]
        hinge.solref_limit, hinge.solimp_limit = contact_firmness(dt)


def _fill(body: Any, i: int, link: Link, options: MujocoOptions) -> list[LinkShape]:
    """Inertia and shapes of link i."""
    body.mass, body.ipos = link.mass, [0, 0, 0]
    body.inertia = [link.about_roll, link.about_pitch, link.inertia]
    body.explicitinertial = True
    capsules = outline(link.shape, link.half_core, link.radius, link.rounding)
    return [_add_capsule(body, f"link {i} {c}", capsule, options) for c, capsule in enumerate(capsules)]


def _add_capsule(body: Any, name: str, capsule: CapsuleOnLink, options: MujocoOptions) -> LinkShape:
    solref, solimp = contact_firmness(options.dt)
    kind = mujoco.mjtGeom.mjGEOM_CAPSULE if capsule.half > 0 else mujoco.mjtGeom.mjGEOM_SPHERE
    body.add_geom(
        name=name,
        type=kind,
        pos=[0, capsule.left, capsule.up],
        quat=[math.sqrt(0.5), 0, math.sqrt(0.5), 0],  # MuJoCo's capsules lie along z
        size=[capsule.radius, capsule.half, 0],
        contype=LINK_BIT | (SELF_BIT if options.self_contact else 0),
        conaffinity=SELF_BIT if options.self_contact else 0,
        condim=1,
        solref=solref,
        solimp=solimp,
    )
    return LinkShape(name, body, capsule)
