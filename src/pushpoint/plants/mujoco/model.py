"""From Robot and World to MuJoCo's model.

chain:   slides x, y and hinge z at the tail's centre, one hinge z per joint: n + 2 degrees of freedom
outline: a capsule per link and a sphere per disc, all centres in one horizontal plane: the distances are
         exactly those of the planar shapes, and MuJoCo has a closed form for this pair
ground:  a foot under each link's centre, pressed into the floor by a fixed depth; see `_press_feet`
servo:   implicit in angle and rate; see `servo_inertia`
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.robots import Robot, Servo
from pushpoint.types import CommandTable, FloatArray, IntArray
from pushpoint.worlds import World

if TYPE_CHECKING:
    from pushpoint.plants.mujoco.plant import MujocoPlant
    from pushpoint.plants.mujoco.run import State

FLOOR = "floor"
FOOT_RADIUS = 0.01  # [m]; the foot has no mass and meets only the floor
FOOT_DEPTH = 0.001  # [m], how far each foot is pressed into the floor
FOOT_IMPEDANCE = 0.5  # any value between 0 and 1 would do, see `_press_feet`
FIRMNESS = 1e4  # sliding at v [m/s] raises a foot's normal force by the part v / FIRMNESS
STICK_RATIO = 1e8  # MuJoCo's impratio: feet that stick creep at most at mu**2 FIRMNESS / STICK_RATIO [m/s]
PEG_IMPEDANCE = 0.99  # constant, so that a peg is no softer at first touch
LEAST_FRICTION = 1e-5  # MuJoCo's mjMINMU


@dataclass(frozen=True, slots=True)
class Params:
    """What does not change during a run."""

    mj: Any  # mujoco.MjModel
    dt: float  # [s]
    gravity: float  # [m/s2]
    stiffness: float  # [N m/rad]
    damping: float  # [N m s/rad]
    torque_limit: float  # [N m]
    joint_damping: FloatArray  # [N m s/rad], (n - 1,), of the joints themselves
    servo_inertia: float  # [kg m2], see `servo_inertia`
    half_length: FloatArray  # [m], (n,)
    half_core: FloatArray  # [m], (n,)
    mass: FloatArray  # [kg], (n,)
    inertia: FloatArray  # [kg m2], (n,)
    disc: FloatArray  # [m], (m, 3): x, y, radius
    geom_link: IntArray  # (geoms,): the link that a shape belongs to, -1 for none
    geom_disc: IntArray  # (geoms,): the disc that a shape stands for, -1 for none


def make_params(robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> Params:
    links = robot.links
    mj = compile_model(robot, world, servo, options)
    names = [mj.geom(g).name for g in range(mj.ngeom)]
    return Params(
        mj=mj,
        dt=options.dt,
        gravity=world.gravity,
        stiffness=servo.stiffness,
        damping=servo.damping,
        torque_limit=servo.torque_limit,
        joint_damping=np.array([robot.joint(j).damping for j in range(len(links) - 1)]),
        servo_inertia=servo_inertia(servo, options.dt),
        half_length=np.array([link.length / 2 for link in links]),
        half_core=np.array([link.half_core for link in links]),
        mass=np.array([link.mass for link in links]),
        inertia=np.array([link.inertia for link in links]),
        disc=np.array([[d.x, d.y, d.radius] for d in world.discs]).reshape(-1, 3),
        geom_link=_numbers(names, ("link", "foot")),
        geom_disc=_numbers(names, ("disc",)),
    )


def _numbers(names: list[str], kinds: tuple[str, ...]) -> IntArray:
    """The numbers in names like "link 3" of these kinds, -1 for all others."""
    parts = [name.partition(" ") for name in names]
    return np.array([int(number) if kind in kinds else -1 for kind, _, number in parts], dtype=np.int64)


def servo_inertia(servo: Servo, dt: float) -> float:
    """dt (damping + dt stiffness) [kg m2]: what a servo at the end of the step adds to a joint's inertia.

    torque = stiffness (reference(t + dt) - angle(t + dt)) + damping (rate reference - rate(t + dt)) with
    angle(t + dt) = angle + dt rate(t + dt) and rate(t + dt) = rate + dt acceleration is

        torque = stiffness (reference(t + dt) - angle) + damping rate reference
                 - (damping + dt stiffness) rate - dt (damping + dt stiffness) acceleration

    The last term is an armature, which MuJoCo's contact solver takes into account; the others are the control
    signal and the actuator's bias. MuJoCo's implicit integrators add the same torque, but after the contacts.
    """
    return dt * (servo.damping + dt * servo.stiffness)


def compile_model(robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> Any:
    """The mujoco.MjModel of robot, world and servo."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    _set_options(spec, servo, options)
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
    _add_servos(spec, servo, options.dt, len(robot.links) - 1)
    pressed = world.gravity * max(world.ground.along, world.ground.across) > 0
    if pressed:
        _add_ground(spec, robot, world, options.dt)
    model = spec.compile()
    if pressed:
        _press_feet(model, robot, world, options.dt)
    return model


def _set_options(spec: Any, servo: Servo, options: MujocoOptions) -> None:
    import mujoco

    limited = math.isfinite(servo.torque_limit)
    newton, cg = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtSolver.mjSOL_CG
    implicit, euler = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_EULER
    flag = mujoco.mjtDisableBit
    spec.option.timestep = options.dt
    # An armature would also slow a servo at its limit, where MuJoCo's implicit integrator knows better.
    spec.option.integrator = implicit if limited else euler
    spec.option.solver = newton if options.solver == "newton" else cg
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = STICK_RATIO
    spec.option.tolerance = options.tolerance
    spec.option.iterations = options.max_iterations
    spec.option.gravity = [0, 0, 0]  # nothing can fall: the feet carry the weight by their depth
    # A robot is one island; a state that went wrong has to be seen, not replaced by the model's default.
    spec.option.disableflags |= int(flag.mjDSBL_ISLAND | flag.mjDSBL_AUTORESET | flag.mjDSBL_SENSOR)


def _add_shape(body: Any, **fields: Any) -> None:
    """A frictionless geom that meets nothing but what its bits say."""
    impedance = [PEG_IMPEDANCE, PEG_IMPEDANCE, 0.001, 0.5, 1]
    body.add_geom(**{"contype": 0, "conaffinity": 0, "condim": 1, "solimp": impedance, **fields})


def _add_link(body: Any, robot: Robot, servo: Servo, dt: float, i: int) -> Any:
    """Fill the body of link i; returns the body of the next one, with its joint, if there is one."""
    import mujoco

    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    link, height = robot.links[i], max(link.radius for link in robot.links)
    centre = 0.0 if i == 0 else link.length / 2  # the tail's body is at its centre, all others at their joint
    if i == 0:
        body.add_joint(type=slide, axis=[1, 0, 0])
        body.add_joint(type=slide, axis=[0, 1, 0])
        body.add_joint(type=hinge, axis=[0, 0, 1])
    else:
        armature = 0.0 if math.isfinite(servo.torque_limit) else servo_inertia(servo, dt)
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


def first_coefficient(kept: Any, value: float) -> Any:
    """A coefficient of a joint: a number, or since MuJoCo 3.5 the first of a polynomial."""
    return value if np.ndim(kept) == 0 else [value, *np.asarray(kept)[1:]]


def _add_servos(spec: Any, servo: Servo, dt: float, joints: int) -> None:
    """One actuator per joint: control signal + bias, see `servo_inertia`."""
    import mujoco

    for j in range(joints):
        actuator = spec.add_actuator(
            name=f"joint {j}",
            target=f"joint {j}",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            gainprm=[1.0] + [0.0] * 9,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=[0.0, -servo.stiffness, -(servo.damping + dt * servo.stiffness)] + [0.0] * 7,
        )
        if math.isfinite(servo.torque_limit):
            actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
            actuator.forcerange = [-servo.torque_limit, servo.torque_limit]


def _add_ground(spec: Any, robot: Robot, world: World, dt: float) -> None:
    """The floor, as a body of its own, and its contact with each foot."""
    import mujoco

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


def controls(params: Params, command: CommandTable, lead: float | FloatArray) -> FloatArray:
    """Control signals [N m] `lead` [s] after the start of a tick: what the servo's bias is added to."""
    angle, rate, torque = command
    return np.asarray(params.stiffness * (angle + lead * rate) + params.damping * rate + torque)


def link_state(params: Params, q: FloatArray, u: FloatArray) -> FloatArray:
    """x, y, angle, v_x, v_y, rate of all links (..., n, 6) from MuJoCo's coordinates and velocities."""
    angle, rate = np.cumsum(q[..., 2:], axis=-1), np.cumsum(u[..., 2:], axis=-1)
    half_x, half_y = params.half_length * np.cos(angle), params.half_length * np.sin(angle)
    out = np.empty((*angle.shape, 6))
    out[..., 2], out[..., 5] = angle, rate
    for column, root, half in ((0, q[..., 0], half_x), (1, q[..., 1], half_y)):
        out[..., column] = _along_chain(root, half)
    for column, root, half in ((3, u[..., 0], -half_y * rate), (4, u[..., 1], half_x * rate)):
        out[..., column] = _along_chain(root, half)
    return out


def _along_chain(root: FloatArray, half: FloatArray) -> FloatArray:
    """Sums from the tail's centre to each centre."""
    out = np.empty_like(half)
    out[..., 0] = root
    out[..., 1:] = half[..., :-1] + half[..., 1:]
    return np.cumsum(out, axis=-1, out=out)


def fast_rollout(plant: MujocoPlant, state: State, table: CommandTable, substeps: int) -> FloatArray:
    """Link positions [m] at the ends of all ticks, (ticks, n, 2), by one call of MuJoCo's rollout.

    Nothing is recorded and the state stays as it is: the best that MuJoCo can do, for comparisons of speed.
    """
    import mujoco
    import mujoco.rollout

    params = plant.params
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.empty(mujoco.mj_stateSize(params.mj, kind))
    mujoco.mj_getState(params.mj, state.data, start, kind)
    lead: FloatArray = params.dt * np.arange(1.0, substeps + 1.0)[:, np.newaxis]
    signal = controls(params, CommandTable(*(column[:, np.newaxis] for column in table)), lead)
    steps = signal.shape[0] * substeps
    path, _ = mujoco.rollout.rollout(
        params.mj,
        mujoco.MjData(params.mj),
        start,
        np.ascontiguousarray(signal.reshape(steps, params.mj.nu)) if params.mj.nu else None,
        nstep=steps,
        initial_warmstart=state.data.qacc_warmstart.copy(),
    )
    ends = path[0, substeps - 1 :: substeps, 1:]  # the first column is the time
    return link_state(params, ends[:, : params.mj.nq], ends[:, params.mj.nq :][:, : params.mj.nv])[..., :2]
