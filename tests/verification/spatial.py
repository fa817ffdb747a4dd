"""Runs of the spatial plant without controllers, and what laws and witnesses need to know of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pushpoint.geometry.rotation import matrices
from pushpoint.mechanics.capsule_gaps import capsules_of, contacts_of
from pushpoint.mechanics.solids import has_plane, make_solids
from pushpoint.plants.spatial_stepping import SpatialStepping
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.robots import Joint, Link, Robot, Servo, robots
from pushpoint.tape import Tape, new_tape
from pushpoint.types import CommandTable, Failure, FloatArray, SpatialPose
from pushpoint.worlds import World

G = 9.81  # [m/s2]
AIKO = robots["aiko-cardan"]().links[0]
ONE = Robot(name="one", links=(AIKO,))
NONE = np.zeros(0)
KINDS = ("yaw", "pitch", "yaw-pitch", "pitch-yaw")


def uneven(links: int, first: int = 0) -> Robot:
    """Links of different lengths, masses and inertias; joints of all kinds in turn, from number `first` on."""
    parts = tuple(
        Link(
            length=0.08 + 0.02 * (k % 3),
            mass=0.3 + 0.1 * (k % 4),
            inertia=4e-4 + 1e-4 * (k % 2),
            inertia_pitch=3.5e-4 + 1e-4 * (k % 2),
            inertia_roll=1.5e-4,
            radius=0.03,
        )
        for k in range(links)
    )
    joints = tuple(Joint(axes=KINDS[(first + k) % 4]) for k in range(links - 1))  # type: ignore[arg-type]
    return Robot(name="uneven", links=parts, joints=joints)


def build(robot: Robot, world: World, servo: Servo | None = None, **options: Any) -> SpatialStepping:
    return SpatialStepping.build(robot, world, servo or Servo(), SpatialSteppingOptions(**options))


def idle(ticks: int, freedoms: int) -> CommandTable:
    return CommandTable(*(np.zeros((ticks, freedoms)) for _ in CommandTable._fields))


def held(ticks: int, angle: FloatArray) -> CommandTable:
    return CommandTable(np.tile(angle, (ticks, 1)), *(np.zeros((ticks, len(angle))) for _ in range(2)))


def within(name: str, value: float, bound: float) -> None:
    """Fails above the bound; what was measured is shown by pytest -rP, to see margins."""
    print(f"measured: {name}: {value:.3g}, bound {bound:.3g}")
    assert value <= bound, f"{name}: {value:.6g} is above {bound:.6g}"


class Path(NamedTuple):
    """What became of all links, one row per tick, the first at the start."""

    time: FloatArray  # [s], (rows,)
    position: FloatArray  # [m], (rows, n, 3)
    orientation: FloatArray  # (rows, n, 4)
    velocity: FloatArray  # [m/s], (rows, n, 3)
    rate: FloatArray  # [rad/s], (rows, n, 3)
    ground_force: FloatArray  # [N], (rows, n, 3)
    contact_force: FloatArray  # [N], (rows, n, 3)
    energy: FloatArray  # [J], (rows, 5): types.LEDGER
    gravity_work: FloatArray  # [J], (rows,)
    residual: FloatArray  # (steps,)
    iterations: FloatArray  # (steps,)
    failure: Failure | None

    @property
    def rotation(self) -> FloatArray:
        return matrices(self.orientation)

    def pose(self, row: int) -> SpatialPose:
        """Without the joints' angles and rates."""
        return SpatialPose(self.position[row], self.orientation[row], self.velocity[row], self.rate[row], NONE, NONE)


def roll(plant: SpatialStepping, pose: SpatialPose, table: CommandTable, tick: float, may_fail: bool = False) -> Path:
    """A run of all ticks of the table, each `tick` [s] long."""
    substeps, rows = round(tick / plant.dt), len(table.joint_angle) + 1
    assert abs(substeps * plant.dt - tick) < 1e-9 * tick
    tape = new_tape(len(pose.position), rows, (rows - 1) * substeps, 1, dimensions=3)
    tape = tape._replace(extra=np.zeros((rows, 1)))
    state = plant.initial_state(pose)
    plant.record_start(state, tape)
    tape, failure = plant.rollout(state, table, substeps, tape)
    assert may_fail or failure is None, failure
    return path_of(tape, failure)


def path_of(tape: Tape, failure: Failure | None) -> Path:
    rows, steps = int(tape.cursor[0].row), int(tape.cursor[0].step)
    link = tape.link[:rows]
    return Path(
        time=tape.energy[:rows, 0],
        position=link[..., :3],
        orientation=link[..., 3:7],
        velocity=link[..., 7:10],
        rate=link[..., 10:13],
        contact_force=link[..., 13:16],
        ground_force=link[..., 16:19],
        energy=tape.energy[:rows, 1:],
        gravity_work=tape.extra[:rows, 0],
        residual=tape.step[:steps, 0],
        iterations=tape.step[:steps, 1],
        failure=failure,
    )


class Momenta(NamedTuple):
    """From poses and velocities alone, with nothing of the plant."""

    linear: FloatArray  # [N s], (rows, 3)
    angular: FloatArray  # [N m s], (rows, 3): about the world's origin
    kinetic: FloatArray  # [J], (rows,)


def momenta(robot: Robot, path: Path) -> Momenta:
    mass = np.array([link.mass for link in robot.links])[:, np.newaxis]
    own = np.array([(link.about_roll, link.about_pitch, link.inertia) for link in robot.links])
    in_body = np.einsum("tnij,tni->tnj", path.rotation, path.rate)
    spin = np.einsum("tnij,tnj->tni", path.rotation, own * in_body)
    push = mass * path.velocity
    return Momenta(
        push.sum(axis=1),
        (spin + np.cross(path.position, push)).sum(axis=1),
        0.5 * ((push * path.velocity).sum(axis=(1, 2)) + (own * in_body**2).sum(axis=(1, 2))),
    )


def potential(robot: Robot, world: World, position: FloatArray) -> FloatArray:
    """[J] of rows (rows, n, 3)."""
    mass = np.array([link.mass for link in robot.links])
    down = np.array(world.down) / np.linalg.norm(world.down)
    return np.asarray(-world.gravity * (position @ down) @ mass)


def joint_gaps(robot: Robot, path: Path) -> FloatArray:
    """Distances [m] (rows, joints) of the ends of neighbouring links that should be one point."""
    half = np.array([link.length / 2 for link in robot.links])[:, np.newaxis]
    forward = half * path.rotation[..., 0]
    ends = (path.position + forward)[:, :-1] - (path.position - forward)[:, 1:]
    return np.asarray(np.linalg.norm(ends, axis=-1))


def askew(robot: Robot, path: Path) -> FloatArray:
    """Cosines (rows, pairs) of the angles between axes of neighbours that their joint keeps at right angles."""
    locked = {
        "yaw": ((2, 0), (2, 1)),
        "pitch": ((1, 0), (1, 2)),
        "yaw-pitch": ((2, 1),),
        "pitch-yaw": ((1, 2),),
    }
    axes = path.rotation
    return np.stack(
        [
            np.einsum("ti,ti->t", axes[:, j, :, a], axes[:, j + 1, :, b])
            for j in range(len(robot.links) - 1)
            for a, b in locked[robot.joint(j).axes]
        ],
        axis=1,
    )


class Gauge:
    """Smallest gap [m] of a robot to all around it, from poses alone; at least -radius where it is deep inside."""

    def __init__(self, robot: Robot, world: World) -> None:
        self._robot, self._plane = robot, has_plane(world)
        self._solids = make_solids(world, max(link.half_core + link.radius for link in robot.links) + 0.1)

    def __call__(self, pose: SpatialPose) -> float:
        capsules, _ = capsules_of(self._robot, pose)
        rows, _ = contacts_of(self._solids, capsules, 0.01)
        gap = float(rows[:, 0].min(initial=np.inf))
        if self._plane:
            above = capsules[:, 2] - capsules[:, 6] * np.abs(capsules[:, 5]) - capsules[:, 7]
            gap = min(gap, float(above.min()))
        return gap

    def along(self, path: Path) -> float:
        return min(self(path.pose(row)) for row in range(len(path.time)))


class Law(NamedTuple):
    """How far the contacts of the last step are from their laws, relative to the robot's weight times dt."""

    normal: float
    friction: float
    rolling: float  # torques over half the length of the link
    pulling: float  # tension, and friction outside of the ellipse of the normal impulse or without one


def law_of(plant: SpatialStepping) -> Law:
    """From velocities and impulses of the plant's records, with the natural map of the law as the docstring has it."""
    problem, number = plant._problem, plant._problem.number[0]
    c = problem.contact[: number.contacts]
    scale = 1.0 / (number.weight * number.dt)
    P_N = np.maximum(0.0, -c["hard"] * (c["gn"] + c["approach"]))
    mu, P_T = np.stack([c["mu_t"], c["mu_s"]]), np.stack([c["pt"], c["ps"]])
    s = on_disc(np.stack([c["lt"], c["ls"]]) - c["soft"] * mu * np.stack([c["gt"], c["gs"]]), P_N)
    rolls = c["roll"] > 0
    torque = np.stack([c["pr"], c["pq"]])
    t = on_disc(np.stack([c["lr"], c["lq"]]) - c["roll_soft"] * c["roll"] * np.stack([c["gr"], c["gq"]]), P_N)
    in_units = np.divide(P_T, mu, out=np.zeros_like(P_T), where=mu > 0)
    outside = np.linalg.norm(in_units, axis=0) - c["pn"]
    half = problem.link["half"][c["link"].astype(int)]
    return Law(
        float(np.abs(c["pn"] - P_N).max(initial=0.0) * scale),
        float(np.abs(mu * s - P_T).max(initial=0.0) * scale),
        float((np.abs(c["roll"] * t - torque) / half * rolls).max(initial=0.0) * scale),
        float(max((-c["pn"]).max(initial=0.0), (mu.max(axis=0, initial=0.0) * outside).max(initial=0.0)) * scale),
    )


def on_disc(z: FloatArray, radius: FloatArray) -> FloatArray:
    size = np.linalg.norm(z, axis=0)
    return np.asarray(np.where(size > radius, radius / np.maximum(size, 1e-300), 1.0) * z)
