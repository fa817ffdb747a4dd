"""Random robots, worlds and gaits in space: finite, laws met, above the ground. The same draws every time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import SolverFailure
from pushpoint.mechanics.put_down import put_down
from pushpoint.mechanics.spatial_overlap import spatial_overlaps
from pushpoint.mechanics.spatial_pose import Attitude, moving_in_space, spatial_pose
from pushpoint.plants.spatial_stepping import SpatialStepping
from pushpoint.plants.spatial_stepping.model import CONTACTS
from pushpoint.plants.spatial_stepping.options import SpatialSteppingOptions
from pushpoint.robots import Joint, Link, Robot, Servo
from pushpoint.tape import new_tape
from pushpoint.types import CommandTable, Failure, FloatArray, SpatialPose, Status
from pushpoint.worlds import Box, Cylinder, Disc, Ground, Heightfield, Polygon, Profile, Wall, World
from tests.properties.draws import Draw
from tests.verification.spatial import Gauge, Path, askew, joint_gaps, law_of, path_of

TICK = 0.02  # [s], a multiple of every step size below
TICKS = 15
CASES = 120
TERRAINS = ("plane", "slope", "stairs", "hills", "space")


class Case(NamedTuple):
    robot: Robot
    world: World
    servo: Servo
    dt: float
    pose: SpatialPose
    table: CommandTable
    terrain: str


def a_link(draw: Draw, shape: str) -> Link:
    length, radius = draw.uniform(0.06, 0.2), draw.uniform(0.015, 0.06)
    mass = draw.uniform(0.1, 2.0)
    slender = mass * (length**2 / 12 + radius**2 / 4)
    return Link.parse(
        {
            "length": length,
            "mass": mass,
            "inertia": slender * draw.uniform(0.7, 2.0),
            "inertia_roll": mass * radius**2 * draw.uniform(0.3, 0.7),
            "radius": radius,
            "core": draw.one_of([None, 0.0, 0.3 * length]),
            "shape": shape,
        }
    )


def a_joint(draw: Draw) -> Joint:
    return Joint.parse(
        {
            "axes": draw.one_of(["yaw", "pitch", "yaw-pitch", "pitch-yaw"]),
            "actuated": draw.one_of([True, True, False]),
            "stiffness": draw.one_of([0.0, 0.0, 3.0]),
            "damping": draw.one_of([0.0, 0.05]),
            "armature": draw.one_of([0.0, 0.0, 1e-3]),
            "lower": draw.one_of([-np.inf, -1.0]),
            "upper": draw.one_of([np.inf, 0.9]),
        }
    )


def a_terrain(draw: Draw, kind: str) -> dict[str, Any]:
    if kind == "slope":
        lean, heading = draw.uniform(0.1, 0.8), draw.uniform(-3.0, 3.0)
        return {"down": (np.sin(lean) * np.cos(heading), np.sin(lean) * np.sin(heading), -np.cos(lean))}
    if kind == "stairs":
        rise, run = draw.uniform(-0.12, 0.12), draw.uniform(0.12, 0.4)
        points = [(-2.0, 1.0)]
        for k in range(10):
            points += [(-2.0 + 0.7 + k * run, 1.0 + k * rise), (-2.0 + 0.7 + k * run, 1.0 + (k + 1) * rise)]
        return {"terrain": Profile(points=(*points, (3.0, points[-1][1])))}
    if kind == "hills":
        heights = np.zeros((24, 24))
        heights[1:-1, 1:-1] = np.random.default_rng(draw.integer(0, 999)).uniform(
            0.0, draw.uniform(0.01, 0.1), (22, 22)
        )
        field = Heightfield(x=-1.15, y=-1.15, spacing=0.1, heights=tuple(map(tuple, heights.tolist())))
        return {"terrain": field}
    return {"gravity": 0.0} if kind == "space" else {}


def an_obstacle(draw: Draw) -> Any:
    kind, mu = draw.one_of(["disc", "wall", "polygon", "box", "cylinder"]), draw.one_of([0.0, 0.2, 0.5, 1.0])
    x, y = draw.uniform(-0.8, 0.8), draw.uniform(-0.6, 0.6)
    if kind == "disc":
        return Disc(x=x, y=y, radius=draw.uniform(0.01, 0.2), friction=mu, height=draw.one_of([None, 0.05, 0.3]))
    if kind == "wall":
        end = (x + draw.uniform(0.1, 0.6), y + draw.uniform(-0.4, 0.4))
        return Wall(points=((x, y), end), friction=mu, height=draw.one_of([None, 0.1]))
    if kind == "polygon":
        size, turn, corners = draw.uniform(0.05, 0.3), draw.uniform(0.0, 2.0), draw.integer(3, 6)
        angle = turn + 2 * np.pi * np.arange(corners) / corners
        points = tuple((x + size * float(np.cos(a)), y + size * float(np.sin(a))) for a in angle)
        return Polygon(points=points, friction=mu, height=draw.one_of([None, 0.08]))
    if kind == "box":
        sizes = (draw.uniform(0.05, 0.4), draw.uniform(0.05, 0.4), draw.uniform(0.03, 0.3))
        yaw, pitch, roll = draw.uniform(-3, 3), draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5)
        centre = (x, y, draw.uniform(0, 0.2))
        return Box(centre=centre, size=sizes, yaw=yaw, pitch=pitch, roll=roll, friction=mu)
    end3 = (x + draw.uniform(-0.3, 0.3), y + draw.uniform(0.1, 0.3), draw.uniform(0.0, 0.3))
    return Cylinder(start=(x, y, draw.uniform(0.0, 0.1)), end=end3, radius=draw.uniform(0.01, 0.08), friction=mu)


def a_world(draw: Draw, kind: str) -> World:
    ground = Ground(
        friction=draw.one_of([0.0, 0.05, 0.3, 1.0]),
        friction_across=draw.one_of([None, None, 0.6]),
        rolling=draw.one_of([0.0, 0.0, 0.02]),
    )
    obstacles = tuple(an_obstacle(draw) for _ in range(draw.one_of([0, 0, 2, 8])))
    return World.parse({"name": kind, "ground": ground, "obstacles": obstacles, **a_terrain(draw, kind)})


def a_case(seed: int) -> Case:
    draw = Draw(seed)
    terrain, shape = TERRAINS[seed % len(TERRAINS)], draw.one_of(["round", "round", "square"])
    n = draw.integer(1, 12)
    robot = Robot(
        name="random",
        links=tuple(a_link(draw, shape) for _ in range(n)),
        joints=tuple(a_joint(draw) for _ in range(n - 1)),
    )
    world = a_world(draw, terrain)
    servo = Servo(
        stiffness=draw.one_of([0.0, 5.0, 100.0]),
        damping=draw.one_of([0.01, 0.1, 1.0]),
        torque_limit=draw.one_of([0.5, 5.0, np.inf]),
    )
    table = a_table(draw, len(robot.freedoms))
    attitude = Attitude(draw.uniform(-1.5, 1.5), draw.uniform(-0.4, 0.4), draw.uniform(-3.0, 3.0))
    pose = spatial_pose(robot, table.joint_angle[0], attitude, (0.0, 0.0, 0.0))
    pose = put_down(robot, world, pose, draw.one_of([0.0, 0.0, 0.03]))
    hit = {obstacle for _, obstacle, _ in spatial_overlaps(robot, world, pose)}
    kept = tuple(obstacle for k, obstacle in enumerate(world.obstacles) if k not in hit)
    world = world.model_copy(update={"obstacles": kept})
    velocity = np.array([draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5), 0.0])
    pose = moving_in_space(robot, pose, velocity, np.zeros(3), np.zeros(len(robot.freedoms)))
    return Case(robot, world, servo, draw.one_of([1e-3, 2e-3, 5e-3, 1e-2]), pose, table, terrain)


def a_table(draw: Draw, freedoms: int) -> CommandTable:
    size, frequency, shift = draw.uniform(0.0, 0.6), draw.uniform(0.5, 6.0), draw.uniform(-1.5, 1.5)
    phase = frequency * TICK * np.arange(TICKS)[:, np.newaxis] + shift * np.arange(freedoms)
    return CommandTable(size * np.sin(phase), size * frequency * np.cos(phase), np.zeros_like(phase))


class Outcome(NamedTuple):
    path: Path
    law: FloatArray  # (4,): worst of spatial.Law over all steps that were solved
    contacts: int


def run(case: Case) -> Outcome:
    """Step by step, so that the contacts of every step can be checked."""
    options = SpatialSteppingOptions(dt=case.dt)
    plant = SpatialStepping.build(case.robot, case.world, case.servo, options)
    substeps, n = round(TICK / case.dt), len(case.robot.links)
    steps = substeps * TICKS
    tape = new_tape(n, steps + 1, steps, 1, dimensions=3)._replace(extra=np.zeros((steps + 1, 1)))
    state, failure, law, contacts = plant.initial_state(case.pose), None, np.zeros(4), 0
    plant.record_start(state, tape)
    for tick in range(TICKS):
        for k in range(substeps):
            lead = k * case.dt * case.table.joint_rate[tick]
            now = CommandTable(
                (case.table.joint_angle[tick] + lead)[np.newaxis],
                case.table.joint_rate[tick][np.newaxis],
                case.table.torque[tick][np.newaxis],
            )
            tape, failure = plant.rollout(state, now, 1, tape)
            if failure is not None:
                return Outcome(path_of(tape, failure), law, contacts)
            law = np.maximum(law, law_of(plant))
            contacts += int(plant._problem.number[CONTACTS])
    return Outcome(path_of(tape, failure), law, contacts)


SHALLOW = 1e-3  # [m], for steps of 2 ms and less and speeds of 1 m/s and less
FAILING: set[int] = set()  # draws whose solver fails; a set, so that neither more nor others may


@pytest.mark.parametrize("seed", range(CASES))
def test_random_runs_in_space(seed: int) -> None:
    """Nothing but a failure of the solver may end a run, and until then everything holds."""
    case = a_case(seed)
    path, law, contacts = run(case)
    assert np.isfinite(path.position).all()
    assert np.isfinite(path.energy).all()
    assert (path.failure is not None) == (seed in FAILING), path.failure
    solved = path.residual if path.failure is None else path.residual[:-1]
    assert solved.max(initial=0.0) <= 1e-6
    assert law.max() <= 1.01e-6  # of the weight times dt, found without the solver
    if path.failure is not None:
        assert path.failure.status == Status.NOT_CONVERGED
    if len(case.robot.links) > 1:
        assert joint_gaps(case.robot, path).max() <= 1e-14
        assert np.abs(askew(case.robot, path)).max() <= 1e-14
    ledger = path.energy
    scale = ledger[:, 0].max() + np.abs(ledger[-1, 1:]).sum() + np.abs(path.gravity_work).max() + 1e-12
    balance = ledger[:, 0] - ledger[0, 0] - ledger[:, 1:].sum(axis=1) - path.gravity_work
    assert np.abs(balance).max() <= 1e-12 * scale * len(balance)
    # What contacts, friction and the scheme do to the energy takes from it, but for lifting links out of what they went
    # into and for free joints that swing at large steps. Measured 1.4 % in 400 draws, 0.01 % in most.
    gained = np.diff(ledger[:, 2:].sum(axis=1))
    if path.failure is None and not any(joint.armature for joint in case.robot.joints):  # known: see the laws
        assert gained[gained > 0].sum() <= 0.03 * ledger[:, 0].max() + 1e-9
    # How far links go in: what comes round a corner within a step was not there when the step was made.
    speed = float(np.linalg.norm(path.velocity, axis=-1).max() + np.abs(path.rate).max() * 0.1)
    deepest = -Gauge(case.robot, case.world).along(path)
    print(f"measured: {case.terrain}, dt {case.dt}: {deepest:.2e} m deep at {speed:.2f} m/s, {contacts} contacts")
    assert deepest <= 0.5 * speed * case.dt + 1e-4
    if case.dt <= 2e-3 and speed <= 1.0:
        assert deepest <= SHALLOW


def failed(seed: int) -> Failure | None:
    return run(a_case(seed)).path.failure


@pytest.mark.slow
def test_few_random_runs_fail() -> None:
    """1000 more draws; measured 5 failures, most of them with friction of 0.6 and more and a tip that jams."""
    failures = [seed for seed in range(200, 1200) if failed(seed) is not None]
    print(f"measured: failures {failures}")
    assert len(failures) <= 10


@pytest.mark.parametrize("seed", [116, 463, 640, 708, 1062])
def test_random_runs_in_which_friction_and_weight_feed_each_other(seed: int) -> None:
    assert failed(seed) is None


STARTS = 12
TAKEN = ("transeth2008b/sidewinding", "transeth2008b/undulation-isotropic", "lab/rough-ground", "lab/stairs-rest")


def failures(name: str, friction: float) -> int:
    """Of runs of 2 s from different starts."""
    count = 0
    for k in range(STARTS):
        changes = {"world.friction": friction, "seed": k, "start.angle": 0.5 * k, "start.roll": 0.05 * k}
        try:
            pp.simulate(name, changes, duration=2.0)
        except SolverFailure:
            count += 1
    print(f"measured: {name}, friction {friction}: {count} of {STARTS} fail")
    return count


@pytest.mark.parametrize("name", TAKEN)
def test_no_run_fails_with_the_friction_of_the_paper(name: str) -> None:
    assert failures(name, 0.2) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", TAKEN)
def test_friction_and_starts(name: str) -> None:
    assert failures(name, 1.0) == 0
