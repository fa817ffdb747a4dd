"""Random worlds of everything at once: finite, solved or reported, no energy created, equal reruns."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.plant import PlanarStepping
from pushpoint.robots import Joint, Link, Robot, Servo
from pushpoint.tape import Tape, new_tape
from pushpoint.types import CommandTable, Failure, Pose
from pushpoint.worlds import Disc, Ground, Obstacle, Patch, Polygon, Wall, World
from tests.properties.draws import Draw
from tests.verification.extended import depth

PERIOD, TICKS = 0.02, 24
ENDS: Counter[str] = Counter()  # how runs ended, by whether obstacles are rough
# Two of 197 rough worlds, with friction up to 0.8; one more for the round-off of other processors.
MOST_FAILED = {"smooth": 0.0, "rough": 0.016}

Case = tuple[Robot, World, Servo, PlanarSteppingOptions, Pose, CommandTable]


def links(draw: Draw) -> Link:
    length, mass, radius = draw.uniform(0.06, 0.3), draw.uniform(0.1, 3.0), draw.uniform(0.015, 0.06)
    slender = mass * (length**2 / 12 + radius**2 / 4)
    return Link(length=length, mass=mass, inertia=slender * draw.uniform(0.7, 2.0), radius=radius)


def joints(draw: Draw) -> Joint:
    limit = draw.one_of([math.inf, 0.3, 1.2])
    return Joint(
        actuated=draw.yes(),
        stiffness=draw.one_of([0.0, 0.0, 1.0, 20.0]),
        angle=draw.uniform(-0.3, 0.3),
        damping=draw.one_of([0.0, 0.02, 0.5]),
        lower=-limit,
        upper=limit,
        armature=draw.one_of([0.0, 0.0, 1e-3, 1e-2]),
    )


def grounds(draw: Draw) -> Ground:
    def law() -> dict[str, object]:
        return {
            "friction": draw.one_of([0.0, 0.1, 0.4]),
            "friction_across": draw.one_of([None, 0.0, 0.5]),
            "friction_backward": draw.one_of([None, 0.0, 0.3]),
            "viscous": draw.one_of([0.0, 0.0, 0.5]),
            "viscous_across": draw.one_of([None, 2.0]),
            "torque": draw.yes(),
        }

    def patch() -> Patch:
        x, y = draw.uniform(-1.0, 0.5), draw.uniform(-1.0, 0.5)
        box = {"x_min": x, "x_max": x + draw.uniform(0.1, 1.0), "y_min": y, "y_max": y + draw.uniform(0.1, 1.0)}
        return Patch(**law(), **box)  # type: ignore[arg-type]  # fields by keyword

    return Ground(**law(), patches=tuple(patch() for _ in range(draw.integer(0, 2))))  # type: ignore[arg-type]  # fields by keyword


def obstacles(draw: Draw, rough: bool, e: float) -> Obstacle:
    x, y = draw.uniform(-1.2, 1.2), draw.uniform(-0.8, 0.8)
    mu = draw.one_of([0.0, 0.2, 0.8]) if rough else 0.0
    law = {"friction": mu, "restitution": e}
    kind = draw.one_of(["disc", "peg", "wall", "polygon"])
    if kind in {"disc", "peg"}:
        mass = draw.uniform(0.1, 3.0) if kind == "peg" else None
        return Disc(
            x=x,
            y=y,
            radius=draw.uniform(0.02, 0.15),
            mass=mass,
            ground_friction=draw.one_of([0.0, 0.3]),
            **law,
        )
    count = draw.integer(2, 5) if kind == "wall" else draw.integer(3, 6)
    phi = draw.uniform(0.0, 6.0) + np.arange(count) * 2 * math.pi / 6.5
    size = draw.uniform(0.05, 0.25)
    points = tuple((x + size * math.cos(p), y + size * math.sin(p)) for p in phi)
    return Wall(points=points, **law) if kind == "wall" else Polygon(points=points, **law)


def cases(draw: Draw) -> Case:
    count = draw.integer(1, 8)
    parts = tuple(links(draw) for _ in range(count))
    robot = Robot(name="random", links=parts, joints=tuple(joints(draw) for _ in range(count - 1)))
    rough, e = draw.yes(), draw.one_of([0.0, 0.0, 0.6])
    drawn = [obstacles(draw, rough, e) for _ in range(draw.integer(0, 14))]
    options = PlanarSteppingOptions(dt=draw.one_of([1e-3, 2e-3, 5e-3, 1e-2]), extended="all")
    servo = Servo()
    if draw.yes():
        servo = Servo(stiffness=draw.one_of([5.0, 100.0]), damping=draw.one_of([0.1, 2.0]))
    bend = np.array([0.25 * draw.uniform(-1.0, 1.0) for _ in range(count - 1)])
    spin = np.array([2.0 * draw.uniform(-1.0, 1.0) for _ in range(count - 1)])
    pose = moving(
        robot,
        planar_pose(robot, bend, 3 * draw.uniform(-1.0, 1.0), (0.0, 0.0)),
        (2 * draw.uniform(-1.0, 1.0), 2 * draw.uniform(-1.0, 1.0)),
        2 * draw.uniform(-1.0, 1.0),
        spin,
    )
    if draw.yes():
        drawn.insert(
            0,
            cage(
                robot,
                pose,
                draw.uniform(0.06, 0.3),
                draw.integer(4, 9),
                {"friction": 0.3 * rough, "restitution": e},
            ),
        )
    phase = draw.uniform(0.5, 6.0) * PERIOD * np.arange(TICKS)[:, np.newaxis] + draw.uniform(-1.0, 1.0) * np.arange(
        count - 1
    )
    table = CommandTable(0.6 * np.sin(phase), np.zeros_like(phase), np.zeros_like(phase))
    return robot, roomy(drawn, grounds(draw), robot, pose, options.dt), servo, options, pose, table


def cage(robot: Robot, pose: Pose, room: float, corners: int, law: dict[str, float]) -> Wall:
    """A closed wall around the robot, its corners on a circle."""
    ends = np.array([link.half_core + link.radius for link in robot.links])
    size = (float((np.linalg.norm(pose.position, axis=1) + ends).max()) + room) / math.cos(math.pi / corners)
    phi = np.arange(corners + 1) % corners * 2 * math.pi / corners
    return Wall(points=tuple((size * math.cos(p), size * math.sin(p)) for p in phi), **law)


def roomy(drawn: list[Obstacle], ground: Ground, robot: Robot, pose: Pose, dt: float) -> World:
    """The world without obstacles that the robot overlaps or reaches in half a step, and without pegs in others."""
    start = np.column_stack([pose.position, pose.angle])
    ends = np.array([link.half_core + link.radius for link in robot.links])
    distance = dt * float((np.linalg.norm(pose.velocity, axis=1) + np.abs(pose.rate) * ends).max())
    kept: list[Obstacle] = []
    for obstacle in drawn:
        trial = World(name="random", ground=ground, obstacles=(*kept, obstacle))
        pegs = np.array([(d.x, d.y, 0.0) for d in trial.movable_discs]).reshape(-1, 3)
        if depth(robot, trial, np.vstack([start, pegs])) < -distance:
            kept.append(obstacle)
    return World(name="random", ground=ground, obstacles=tuple(kept))


def run(plant: PlanarStepping, world: World, pose: Pose, table: CommandTable) -> tuple[Tape, Failure | None]:
    substeps = round(PERIOD / plant.dt)
    tape = new_tape(len(pose.angle) + len(world.movable), TICKS + 1, TICKS * substeps, 1)
    state = plant.initial_state(pose)
    plant.record_start(state, tape)
    return plant.rollout(state, table, substeps, tape)


def run_in_two(
    make: tuple[Robot, World, Servo, PlanarSteppingOptions], pose: Pose, table: CommandTable
) -> tuple[Tape, Failure | None]:
    """The same through a checkpoint in the middle, restored into a plant that has not run before."""
    first, second = PlanarStepping.build(*make), PlanarStepping.build(*make)
    substeps, half = round(PERIOD / first.dt), TICKS // 2
    tape = new_tape(len(pose.angle) + len(make[1].movable), TICKS + 1, TICKS * substeps, 1)
    state = first.initial_state(pose)
    first.record_start(state, tape)
    tape, failure = first.rollout(state, CommandTable(*(np.ascontiguousarray(a[:half]) for a in table)), substeps, tape)
    if failure is not None:
        return tape, failure
    rest = CommandTable(*(np.ascontiguousarray(a[half:]) for a in table))
    return second.rollout(second.restore(first.dump(state)), rest, substeps, tape)


def stored(robot: Robot, tape: Tape, rows: int) -> np.ndarray:
    """Kinetic energy, and that of springs and motors [J]."""
    energy = tape.energy[:rows, 1].copy()
    angle = np.diff(tape.link[:rows, : len(robot.links), 2], axis=1)
    rate = np.diff(tape.link[:rows, : len(robot.links), 5], axis=1)
    for k, joint in enumerate(robot.joints):
        energy += 0.5 * joint.stiffness * (angle[:, k] - joint.angle) ** 2 + 0.5 * joint.armature * rate[:, k] ** 2
    return energy


def check_random_world(seed: int) -> None:
    robot, world, servo, options, pose, table = cases(Draw(seed))
    tape, failure = run(PlanarStepping.build(robot, world, servo, options), world, pose, table)
    rows, steps = int(tape.cursor[0].row), int(tape.cursor[0].step)
    rough = any(obstacle.friction > 0 for obstacle in world.obstacles)
    kind = "rough" if rough else "smooth"
    ENDS[kind] += 1
    ENDS[f"{kind} failed"] += failure is not None
    ENDS["with contacts"] += tape.cursor[0].contact > 0
    assert all(np.all(np.isfinite(part)) for part in (tape.link, tape.energy, tape.contact, tape.step[: steps - 1]))
    assert np.all(tape.step[: steps - 1, 2] == 0)
    solved = tape.step[: steps - 1 if failure else steps, 0]
    assert solved.max(initial=0.0) <= (1e-6 if rough else 1e-8)
    if failure is None:
        assert (rows, steps) == (TICKS + 1, TICKS * round(PERIOD / options.dt))
    kinetic, works = tape.energy[:rows, 1], tape.energy[:rows, 2:]
    scale = kinetic.max() + np.abs(works[-1]).sum() + 1e-12
    assert np.abs(kinetic - kinetic[0] - works.sum(axis=1)).max() <= 1e-9 * scale
    if world.obstacles:
        # Paths are curved within a step: links that turn by w dt sink in by (w dt)^2 times their length, and where they
        # are squeezed between two obstacles there is nowhere to be pushed to.
        assert max(depth(robot, world, row) for row in tape.link[:rows:4]) <= 1.0 * options.dt
    if servo.stiffness == 0.0:
        total = stored(robot, tape, rows)
        # What the tolerance of the laws leaves to a robot at rest: impulses of weight * dt at 1e-8 of g * dt.
        at_rest = PERIOD / options.dt * 1e-8 * robot.mass * world.gravity**2 * options.dt**2
        acted_on = (
            world.obstacles
            or world.ground.patches
            or not (world.ground.is_basic and max(world.ground.along, world.ground.across) == 0)
        )
        allowed = 1e-9 * total.max() if acted_on else 1e-2 * total.max()  # free flight: a bounded error of order dt**2
        assert np.diff(total).max(initial=0.0) <= allowed + at_rest
    for again in (
        run(PlanarStepping.build(robot, world, servo, options), world, pose, table),
        run_in_two((robot, world, servo, options), pose, table),
    ):
        np.testing.assert_array_equal(again[0].link, tape.link)
        np.testing.assert_array_equal(again[0].energy, tape.energy)
        contacts = tape.cursor[0].contact
        np.testing.assert_array_equal(again[0].contact[:contacts], tape.contact[:contacts])
        assert again[1] == failure


@pytest.mark.parametrize("worlds", [100, pytest.param(400, marks=pytest.mark.slow)])
def test_random_worlds(worlds: int) -> None:
    ENDS.clear()
    for seed in range(worlds):
        check_random_world(seed)
    print({kind: int(count) for kind, count in ENDS.items()})
    for kind, share in MOST_FAILED.items():
        assert ENDS[f"{kind} failed"] <= share * ENDS[kind]
