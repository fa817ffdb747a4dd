"""From Robot and World to MuJoCo's model in space.

chain:   a free joint at the middle link and hinges from there to both ends, so that chains of moving parts are short;
         bodies have their links' axes and centres
outline: the link's capsules, see geometry.capsules
ground:  pairs of each capsule with the plane, or with the parts of the terrain; see spatial_world.py
servo:   implicit in angle and rate, as in the plane; see `model.servo_inertia`
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.geometry.capsules import CapsuleOnLink, outline
from pushpoint.mechanics.spatial_pose import AXIS
from pushpoint.plants.mujoco.model import first_coefficient
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.spatial_world import (
    LINK_BIT,
    SELF_BIT,
    TERRAIN,
    LinkShape,
    add_ground,
    add_obstacles,
    contact_firmness,
    fill_heightfield,
)
from pushpoint.robots import Link, Robot, Servo
from pushpoint.types import CommandTable, FloatArray, IntArray
from pushpoint.worlds import World

if TYPE_CHECKING:
    from pushpoint.plants.mujoco.spatial_plant import SpatialMujocoPlant
    from pushpoint.plants.mujoco.spatial_run import SpatialState

STICK_RATIO = 10.0  # MuJoCo's impratio: what sticks creeps with up to (1 - d) / d * M dt mu g / STICK_RATIO
FAR = 1e10  # [rad], a stop that is never reached
NO_LINK, NO_OBSTACLE = -1, -1


@dataclass(frozen=True, slots=True)
class SpatialParams:
    """What does not change during a run. `f` counts the freedoms of the joints from the tail."""

    mj: Any  # mujoco.MjModel
    dt: float  # [s]
    gravity: FloatArray  # [m/s2], (3,)
    root: int  # the link that has the free joint
    body: IntArray  # (n,): MuJoCo's body of each link
    angle_at: IntArray  # (f,): where MuJoCo keeps the angle of each freedom
    rate_at: IntArray  # (f,)
    joint_link: IntArray  # (f,): the link on the head side
    second: IntArray  # (f,): 1 for the second axis of a cardan joint
    actuated: FloatArray  # (f,): 1 or 0
    stiffness: FloatArray  # [N m/rad], (f,), of the servo
    damping: FloatArray  # [N m s/rad], (f,), of the servo
    torque_limit: float  # [N m]
    armature: FloatArray  # [kg m2], (f,), of the motors
    spring_drag: FloatArray  # [N m s/rad], (f,): damping + dt stiffness of the passive joint
    stop: FloatArray  # [rad], (f, 2)
    half_length: FloatArray  # [m], (n,)
    half_core: FloatArray  # [m], (n,)
    mass: FloatArray  # [kg], (n,)
    inertia: FloatArray  # [kg m2], (n, 3): about forward, left, up
    geom_link: IntArray  # (geoms,): the link that a shape belongs to, -1 for none
    geom_obstacle: IntArray  # (geoms,): the obstacle that a shape belongs to, -1 for none
    geom_ground: IntArray  # (geoms,): 1 for the plane, 2 for terrain, 0 for others

    @property
    def servo_drag(self) -> FloatArray:
        """damping + dt stiffness [N m s/rad], (f,): see `model.servo_inertia`."""
        return np.asarray(self.damping + self.dt * self.stiffness)


def make_spatial_params(robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> SpatialParams:
    links, freedoms = robot.links, robot.freedoms
    mj = compile_spatial_model(robot, world, servo, options)
    joints = [robot.joint(j) for j, _ in freedoms]
    numbers = [j for j, _ in freedoms]
    on = np.array([float(joint.actuated) for joint in joints])
    gains = np.array([servo.gains(axis) for _, axis in freedoms]).reshape(-1, 2)
    names = [mj.geom(g).name.split() for g in range(mj.ngeom)]
    down = np.array(world.down)
    return SpatialParams(
        mj=mj,
        dt=options.dt,
        gravity=np.asarray(world.gravity * down / np.linalg.norm(down)),
        root=root_of(robot),
        body=np.array([mj.body(f"link {i}").id for i in range(len(links))], dtype=np.int64),
        angle_at=np.array([mj.joint(f"freedom {k}").qposadr[0] for k in range(len(freedoms))], dtype=np.int64),
        rate_at=np.array([mj.joint(f"freedom {k}").dofadr[0] for k in range(len(freedoms))], dtype=np.int64),
        joint_link=np.array([j + 1 for j in numbers], dtype=np.int64),
        second=np.array([int(k > 0 and numbers[k - 1] == j) for k, j in enumerate(numbers)], dtype=np.int64),
        actuated=on,
        stiffness=on * gains[:, 0],
        damping=on * gains[:, 1],
        torque_limit=servo.torque_limit,
        armature=np.array([joint.armature for joint in joints]),
        spring_drag=np.array([joint.damping + options.dt * joint.stiffness for joint in joints]),
        stop=np.array([[joint.lower, joint.upper] for joint in joints]).reshape(-1, 2),
        half_length=np.array([link.length / 2 for link in links]),
        half_core=np.array([link.half_core for link in links]),
        mass=np.array([link.mass for link in links]),
        inertia=np.array([[link.about_roll, link.about_pitch, link.inertia] for link in links]),
        geom_link=_numbers(names, "link"),
        geom_obstacle=_numbers(names, "obstacle"),
        geom_ground=np.array([["plane", TERRAIN].index(n[0]) + 1 if n[0] in ("plane", TERRAIN) else 0 for n in names]),
    )


def _numbers(names: list[list[str]], kind: str) -> IntArray:
    """The numbers in names like "link 3 0", -1 for all others."""
    return np.array([int(name[1]) if name[0] == kind else -1 for name in names], dtype=np.int64)


def root_of(robot: Robot) -> int:
    """The middle link: MuJoCo's matrices of two half chains have half as many entries as that of one."""
    return len(robot.links) // 2


def compile_spatial_model(robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> Any:
    """The mujoco.MjModel of robot, world and servo in space."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    _set_options(spec, world, servo, options)
    shapes = _add_chain(spec, robot, servo, options)
    _add_servos(spec, robot, servo, options.dt)
    add_obstacles(spec, world, shapes, options.dt)
    add_ground(spec, world, shapes, options.dt)
    model = spec.compile()
    fill_heightfield(model, world)
    return model


def _set_options(spec: Any, world: World, servo: Servo, options: MujocoOptions) -> None:
    import mujoco

    limited = math.isfinite(servo.torque_limit)
    newton, cg = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtSolver.mjSOL_CG
    implicit, euler = mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_EULER
    flag = mujoco.mjtDisableBit
    down = np.array(world.down)
    spec.option.timestep = options.dt
    spec.option.integrator = implicit if limited else euler  # as in the plane
    spec.option.solver = cg if options.solver == "cg" else newton
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = STICK_RATIO
    spec.option.tolerance = options.tolerance
    spec.option.iterations = options.max_iterations
    spec.option.gravity = world.gravity * down / np.linalg.norm(down)
    # A robot is one island; a state that went wrong has to be seen, not replaced by the model's default.
    spec.option.disableflags |= int(flag.mjDSBL_ISLAND | flag.mjDSBL_AUTORESET | flag.mjDSBL_SENSOR)
    # A capsule on a face needs two points; from MuJoCo 4 on they are found unless that is switched off.
    spec.option.enableflags |= int(getattr(mujoco.mjtEnableBit, "mjENBL_MULTICCD", 0))


def _add_chain(spec: Any, robot: Robot, servo: Servo, options: MujocoOptions) -> list[LinkShape]:
    """The middle link with its free joint, and the two half chains on either side of it."""
    import mujoco

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
    """The hinges between link i and the one before it on the way from the middle.

    MuJoCo turns a body by its hinges in their order, each about an axis that the ones before have turned: towards
    the head R = R_first R_second. Towards the tail the same joint is passed the other way round, with
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
    import mujoco

    number, kind = robot.freedoms[k]
    joint, (stiffness, damping) = robot.joint(number), servo.gains(kind)
    explicit = math.isfinite(servo.torque_limit) or not joint.actuated
    implicit_inertia = 0.0 if explicit else dt * (damping + dt * stiffness)
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
    import mujoco

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


def _add_servos(spec: Any, robot: Robot, servo: Servo, dt: float) -> None:
    """One actuator per freedom: control signal + bias, see `model.servo_inertia`."""
    import mujoco

    for k, (number, axis) in enumerate(robot.freedoms):
        on = float(robot.joint(number).actuated)
        stiffness, damping = servo.gains(axis)
        actuator = spec.add_actuator(
            name=f"freedom {k}",
            target=f"freedom {k}",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            gainprm=[on] + [0.0] * 9,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
            biasprm=[0.0, -on * stiffness, -on * (damping + dt * stiffness)] + [0.0] * 7,
        )
        if math.isfinite(servo.torque_limit):
            actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
            actuator.forcerange = [-servo.torque_limit, servo.torque_limit]


def spatial_controls(params: SpatialParams, command: CommandTable, lead: float | FloatArray) -> FloatArray:
    """Control signals [N m] `lead` [s] after the start of a tick: what the servo's bias is added to."""
    angle, rate, torque = command
    return np.asarray(params.stiffness * (angle + lead * rate) + params.damping * rate + torque)


def fast_spatial_rollout(
    plant: SpatialMujocoPlant, state: SpatialState, table: CommandTable, substeps: int
) -> FloatArray:
    """Link positions [m] at the ends of all ticks, (ticks, n, 3), by one call of MuJoCo's rollout.

    Nothing is recorded and the state stays as it is: the best that MuJoCo can do, for comparisons of speed.
    """
    import mujoco
    import mujoco.rollout

    params = plant.params
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.empty(mujoco.mj_stateSize(params.mj, kind))
    mujoco.mj_getState(params.mj, state.data, start, kind)
    lead: FloatArray = params.dt * np.arange(1.0, substeps + 1.0)[:, np.newaxis]
    signal = spatial_controls(params, CommandTable(*(column[:, np.newaxis] for column in table)), lead)
    steps = signal.shape[0] * substeps
    data = mujoco.MjData(params.mj)
    path, _ = mujoco.rollout.rollout(
        params.mj,
        data,
        start,
        np.ascontiguousarray(signal.reshape(steps, params.mj.nu)) if params.mj.nu else None,
        nstep=steps,
        initial_warmstart=state.data.qacc_warmstart.copy(),
    )
    ends = path[0, substeps - 1 :: substeps, 1 : 1 + params.mj.nq]  # the first column is the time
    out = np.empty((len(ends), len(params.body), 3))
    for row, coordinates in enumerate(ends):
        data.qpos[:] = coordinates
        mujoco.mj_kinematics(params.mj, data)
        out[row] = data.xpos[params.body]
    return out
