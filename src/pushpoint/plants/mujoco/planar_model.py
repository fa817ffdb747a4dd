"""From Robot and World to MuJoCo's model in the plane.

chain:   slides x, y and hinge z at the tail's centre, one hinge z per joint: n + 2 degrees of freedom
outline: a capsule per link and a sphere per disc, all centres in one horizontal plane: the distances are
         exactly those of the planar shapes, and MuJoCo has a closed form for this pair
ground:  a foot under each link's centre, pressed into the floor by a fixed depth; see `_press_feet`
servo:   implicit in angle and rate; see `settings.servo_drag`
"""

from __future__ import annotations

from typing import Any

import mujoco

from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.settings import add_servo, first_coefficient, new_spec, servo_inertia
from pushpoint.robots import Robot, Servo
from pushpoint.worlds import World

FLOOR = "floor"
FOOT_RADIUS = 0.01  # [m]; the foot has no mass and meets only the floor
FOOT_DEPTH = 0.001  # [m], how far each foot is pressed into the floor
FOOT_IMPEDANCE = 0.5  # any value between 0 and 1 would do, see `_press_feet`
FIRMNESS = 1e4  # sliding at v [m/s] raises a foot's normal force by the part v / FIRMNESS
STICK_RATIO = 1e8  # MuJoCo's impratio: feet that stick creep at most at mu**2 FIRMNESS / STICK_RATIO [m/s]
PEG_IMPEDANCE = 0.99  # constant, so that a peg is no softer at first touch
LEAST_FRICTION = 1e-5  # MuJoCo's mjMINMU


def compile_model(robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> Any:
    """The mujoco.MjModel of robot, world and servo."""
    spec = new_spec(servo, options, "cg", STICK_RATIO)
    spec.option.gravity = [0, 0, 0]  # nothing can fall: the feet carry the weight by their depth
    height = max(link.radius for link in robot.links)
    for k, disc in enumerate(world.discs):
        _add_shape(
            spec.worldbody,
            name=f"disc {k}",
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            pos=[disc.x, disc.y, height],
            size=[disc.radius, 0, 0],
            conaffinity=1,
            solref=[2 * options.dt, 1],
        )
    body = spec.worldbody.add_body(name="link 0", pos=[0, 0, height])
    for i in range(len(robot.links)):
        body = _add_link(body, robot, servo, options.dt, i)
    for j in range(len(robot.links) - 1):
        add_servo(spec, f"joint {j}", servo, "yaw", options.dt)
    pressed = world.gravity * max(world.ground.along, world.ground.across) > 0
    if pressed:
        _add_ground(spec, robot, world, options.dt)
    model = spec.compile()
    if pressed:
        _press_feet(model, robot, world, options.dt)
    return model


def _add_shape(body: Any, **fields: Any) -> None:
    """A frictionless geom that meets nothing but what its bits say."""
    impedance = [PEG_IMPEDANCE, PEG_IMPEDANCE, 0.001, 0.5, 1]
    body.add_geom(**{"contype": 0, "conaffinity": 0, "condim": 1, "solimp": impedance, **fields})


def _add_link(body: Any, robot: Robot, servo: Servo, dt: float, i: int) -> Any:
    """Fill the body of link i; returns the body of the next one, with its joint, if there is one."""
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    link, height = robot.links[i], max(link.radius for link in robot.links)
    centre = 0.0 if i == 0 else link.length / 2  # the tail's body is at its centre, all others at their joint
    if i == 0:
        body.add_joint(type=slide, axis=[1, 0, 0])
        body.add_joint(type=slide, axis=[0, 1, 0])
        body.add_joint(type=hinge, axis=[0, 0, 1])
    else:
        armature = servo_inertia(servo, "yaw", dt)
        joint = body.add_joint(name=f"joint {i - 1}", type=hinge, axis=[0, 0, 1], armature=armature)
        joint.damping = first_coefficient(joint.damping, robot.joint(i - 1).damping)
    body.mass, body.ipos, body.inertia = link.mass, [centre, 0, 0], [link.inertia] * 3
    body.explicitinertial = True
    capsule = mujoco.mjtGeom.mjGEOM_CAPSULE
    core = [centre - link.half_core, 0, 0, centre + link.half_core, 0, 0]
    size, soft = [link.radius, 0, 0], [2 * dt, 1]
    _add_shape(body, name=f"link {i}", type=capsule, fromto=core, size=size, contype=1, solref=soft)
    # The foot is a capsule that leans along the link: MuJoCo then takes the link's axes for the friction.
    low = FOOT_RADIUS - FOOT_DEPTH - height
    leaning = [centre, 0, low, centre + FOOT_RADIUS, 0, low + FOOT_RADIUS]
    _add_shape(body, name=f"foot {i}", type=capsule, fromto=leaning, size=[FOOT_RADIUS, 0, 0])
    if i + 1 == len(robot.links):
        return None
    return body.add_body(name=f"link {i + 1}", pos=[centre + link.length / 2, 0, 0])


def _add_ground(spec: Any, robot: Robot, world: World, dt: float) -> None:
    """The floor, as a body of its own, and its contact with each foot."""
    floor = spec.worldbody.add_body(name=FLOOR)
    _add_shape(floor, name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    along, across = max(world.ground.along, LEAST_FRICTION), max(world.ground.across, LEAST_FRICTION)
    for i in range(len(robot.links)):
        spec.add_pair(
            name=f"foot {i}",
            geomname1=FLOOR,
            geomname2=f"foot {i}",
            condim=3,
            friction=[along, across, 0.005, 0.0001, 0.0001],
            margin=0.0,
            solimp=[FOOT_IMPEDANCE, FOOT_IMPEDANCE, 0.001, 0.5, 1],
            solref=[-1.0, -1.0],  # set by `_press_feet`
            # Reference acceleration -velocity / dt: a foot that can stick stops within one step.
            solreffriction=[-1.0, -FOOT_IMPEDANCE / dt],
        )


def _press_feet(model: Any, robot: Robot, world: World, dt: float) -> None:
    """Make the normal force of each foot the weight of its link, whatever else happens.

    Feet cannot move up or down, so that MuJoCo's normal force at rest is set by the depth alone. With
    impedance d, stiffness K and regularisation R = (1 - d) / d * (inverse weights of both bodies) it is
    K d depth / R; K is chosen for each link. MuJoCo's convex friction adds mu |v| / (dt R) while sliding: the
    floor's inverse weight makes R so large that this is the part |v| / FIRMNESS of the weight.
    """
    weights = [link.mass * world.gravity for link in robot.links]
    friction = max(world.ground.along, world.ground.across)
    softness = (1 - FOOT_IMPEDANCE) / FOOT_IMPEDANCE
    floor = FIRMNESS * friction / (dt * min(weights)) / softness
    model.body(FLOOR).invweight0[0] = floor
    for i, weight in enumerate(weights):
        resistance = softness * (floor + model.body(f"link {i}").invweight0[0])
        stiffness = weight * resistance / (FOOT_IMPEDANCE * FOOT_DEPTH)
        model.pair(f"foot {i}").solref[0] = -stiffness * FOOT_IMPEDANCE**2  # MuJoCo divides by its square
