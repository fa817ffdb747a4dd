"""Wild planar worlds by seed, and what must hold of every run in them.

Robots of 2 to 60 unequal links, limp or driven, at rest or thrown at up to 10 m/s, among pegs, walls, polygons and
loose discs of any roughness, with steps of 0.5 to 10 ms.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import pushpoint as pp
from pushpoint.errors import SolverFailure
from pushpoint.mechanics.pose import planar_pose
from pushpoint.mechanics.self_contact import segment_distances
from pushpoint.recording.recording import Recording
from pushpoint.robots import Link, Robot
from pushpoint.scenario import Scenario
from pushpoint.types import FloatArray
from tests.properties.draws import Draw

TINY = 1e-9  # [J], of a robot that is at rest: there is nothing to compare with
CLEAR = 0.002  # [m], between the robot and what stands around it at the start


def links(draw: Draw, count: int) -> list[dict[str, float]]:
    mass, length, radius = 10 ** draw.uniform(-1.3, 0.5), draw.uniform(0.06, 0.25), draw.uniform(0.012, 0.05)
    made = []
    for _ in range(count):
        own, m = length * draw.uniform(0.5, 1.6), mass * 10 ** draw.uniform(-0.4, 0.4)
        r = min(radius * draw.uniform(0.7, 1.3), 0.45 * own)
        made.append({"length": own, "mass": m, "radius": r, "inertia": m * (own**2 / 12 + r**2 / 4)})
    return made


def obstacle(draw: Draw, centre: tuple[float, float], rough: bool) -> dict[str, Any]:
    x, y = centre
    made: dict[str, Any] = {"friction": draw.uniform(0.0, 0.8) if rough else 0.0}
    kind = draw.one_of(["disc", "disc", "wall", "polygon", "loose"])
    if kind in ("disc", "loose"):
        made |= {"kind": "disc", "x": x, "y": y, "radius": draw.uniform(0.01, 0.15)}
        if kind == "loose":
            made |= {"mass": 10 ** draw.uniform(-1.0, 1.0), "ground_friction": draw.one_of([0.0, 0.3])}
        return made
    corners, size = draw.integer(2, 4) if kind == "wall" else draw.integer(3, 6), draw.uniform(0.04, 0.4)
    turn = draw.uniform(0.0, 6.0)
    span = math.pi if kind == "wall" else 2 * math.pi
    angles = [turn + span * k / corners for k in range(corners)]
    points = [[x + size * math.cos(a), y + size * math.sin(a)] for a in angles]
    return made | {"kind": kind, "points": points}


class Body(NamedTuple):
    """Axes of capsules, for distances that know nothing of the product's own contacts."""

    centre: FloatArray  # [m], (..., n, 2)
    arm: FloatArray  # [m], (..., n, 2): from the centre to the head end
    radius: FloatArray  # [m], (n,)


def body(robot: Robot, position: FloatArray, angle: FloatArray) -> Body:
    half, radius = (np.array([getattr(link, name) for link in robot.links]) for name in ("half_core", "radius"))
    return Body(position, half[:, np.newaxis] * np.stack([np.cos(angle), np.sin(angle)], axis=-1), radius)


def depths(robot: Body, obstacle: dict[str, Any], place: FloatArray | None = None) -> FloatArray:
    """How deep [m] links lie in an obstacle, (..., n); below zero outside. `place`: of a loose disc."""
    shape = robot.centre.shape[:-1]
    centre, arm = robot.centre.reshape(-1, 2), robot.arm.reshape(-1, 2)
    if obstacle["kind"] == "disc":
        at = np.array([obstacle["x"], obstacle["y"]]) if place is None else place[..., np.newaxis, :]
        at = np.broadcast_to(at, robot.centre.shape).reshape(-1, 2)
        distance = segment_distances(centre, arm, at, np.zeros_like(at)) - obstacle["radius"]
        return robot.radius - distance.reshape(shape)
    points = np.array(obstacle["points"])
    edges = list(zip(points, np.roll(points, -1, axis=0), strict=True))
    distance = np.full(len(centre), np.inf)
    for a, b in edges if obstacle["kind"] == "polygon" else edges[:-1]:
        middle, half = np.broadcast_to((a + b) / 2, centre.shape), np.broadcast_to((b - a) / 2, centre.shape)
        distance = np.minimum(distance, segment_distances(centre, arm, middle, half))
    return robot.radius - distance.reshape(shape)


def passes(robot: Body, obstacle: dict[str, Any]) -> bool:
    """Whether a point of a link's axis goes through a fixed obstacle from one row to the next."""
    for share in np.linspace(-1.0, 1.0, 5):
        point = robot.centre + share * robot.arm
        start, end = point[:-1].reshape(-1, 2), point[1:].reshape(-1, 2)
        middle, half = (start + end) / 2, (end - start) / 2
        path = Body(middle, half, np.zeros(len(middle)))
        if obstacle["kind"] == "disc":
            if (depths(path, obstacle) > 0.5 * obstacle["radius"]).any():
                return True
        elif (depths(path, obstacle) == 0.0).any():  # distance zero: it crosses an edge
            return True
    return False


def servo(draw: Draw, limp: bool) -> dict[str, float]:
    if limp:
        return {"stiffness": 0.0, "damping": 0.0}
    gains = {"stiffness": 10 ** draw.uniform(0.3, 2.6), "damping": 10 ** draw.uniform(-1.5, 1.0)}
    return gains | ({"torque_limit": 10 ** draw.uniform(-0.5, 1.5)} if draw.uniform(0, 1) < 0.7 else {})


def size(obstacle: dict[str, Any]) -> tuple[FloatArray, float]:
    """Centre [m] and radius [m] of a circle around an obstacle."""
    if obstacle["kind"] == "disc":
        return np.array([obstacle["x"], obstacle["y"]]), obstacle["radius"]
    points = np.array(obstacle["points"])
    return points.mean(axis=0), float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())


def surroundings(draw: Draw, robot: Body, rough: bool) -> list[dict[str, Any]]:
    """Obstacles around and between the links; loose ones clear of all others."""
    low, high = robot.centre.min(axis=0) - 0.8, robot.centre.max(axis=0) + 0.8
    placed: list[dict[str, Any]] = []
    for _ in range(draw.integer(0, 80)):
        new = obstacle(draw, (draw.uniform(low[0], high[0]), draw.uniform(low[1], high[1])), rough)
        centre, radius = size(new)
        apart = (np.linalg.norm(centre - size(other)[0]) - size(other)[1] - radius for other in placed)
        alone = all(gap > CLEAR for other, gap in zip(placed, apart, strict=True) if "mass" in new or "mass" in other)
        # A circle around a polygon keeps links out of its inside as well.
        outline = {"kind": "disc", "x": centre[0], "y": centre[1], "radius": radius}
        keeps_off = outline if new["kind"] == "polygon" else new
        if alone and float(depths(robot, keeps_off).max()) < -CLEAR:
            placed.append(new)
    return placed


def scenario(seed: int) -> Scenario:
    draw = Draw(10_000 + seed)
    count, limp, rough = draw.integer(2, 60), draw.uniform(0, 1) < 0.35, draw.uniform(0, 1) < 0.6
    robot = {"name": "wild", "links": links(draw, count), "servo": servo(draw, limp)}
    amplitude, shift, phase = draw.uniform(0.05, 1.0), draw.uniform(-1.2, 1.2), draw.uniform(0.0, 6.0)
    bend = [amplitude * math.sin((count - 2 - j) * shift + phase) for j in range(count - 1)]
    if limp:
        bend = [draw.uniform(-0.25, 0.25) for _ in range(count - 1)]
    start: dict[str, Any] = {"position": [0.0, 0.0], "angle": draw.uniform(-3.0, 3.0), "joint_angle": bend}
    if limp:
        speed, direction = 10 ** draw.uniform(-0.5, 1.0), draw.uniform(0.0, 6.3)
        start |= {"velocity": [speed * math.cos(direction), speed * math.sin(direction)], "rate": draw.uniform(-5, 5)}
    options = {
        "amplitude": amplitude, "frequency": draw.uniform(0.5, 8.0), "phase_shift": shift, "start_phase": phase
    }  # fmt: skip
    ground: dict[str, Any] = {"friction": draw.one_of([0.0, 0.05, 0.2, 0.4, 0.8])}
    if draw.uniform(0, 1) < 0.4:
        ground["friction_across"] = draw.one_of([0.1, 0.5, 1.0])
    built = Robot(name="wild", links=tuple(Link(**link) for link in robot["links"]))
    pose = planar_pose(built, np.array(bend), start["angle"], (0.0, 0.0))
    around = surroundings(draw, body(built, pose.position, pose.angle), rough)
    return Scenario.parse({
        "name": f"wild/{seed}",
        "robot": robot,
        "world": {"name": "wild", "ground": ground, "obstacles": around},
        "plant": {"name": "planar_stepping", "options": {"dt": draw.one_of([5e-4, 1e-3, 2e-3, 5e-3, 1e-2])}},
        "controller": {"name": "hold"} if limp else {"name": "serpenoid", "options": options},
        "start": start,
        "duration": 2.0,
        "control_period": 0.01,
    })  # fmt: skip


class Verdict(NamedTuple):
    """What is judged of a run."""

    failure: str
    residual: float
    numerical: float  # sum of the absolute numerical work over (largest kinetic energy + sums of the other works)
    positive: float  # largest work of friction or contacts in a row over (largest kinetic energy + weight x 1 mm)
    depth: float  # deepest penetration over what the step size allows
    passed: bool  # whether a link went through an obstacle between two steps; False unless every step is judged


def judged(run: Scenario, every_step: bool = False) -> Verdict:
    """Run a scenario and judge it, at instants 10 ms apart or after every step (of 1 ms at least)."""
    dt, failure = float(run.plant.options["dt"]), ""
    if every_step:
        run = run.with_overrides({"control_period": max(dt, 1e-3), "record_period": max(dt, 1e-3)})
    try:
        recording = pp.simulate(run)
    except SolverFailure as error:
        failure, recording = str(error), error.recording  # type: ignore[assignment]  # there is one
    allowed = 1e-3 * (1.0 + 4.0 * max(0.0, dt - 1e-3) / 9e-3)
    deepest, passed = penetration(recording, every_step)
    return Verdict(
        failure=failure,
        residual=recording.metrics()["max_residual"],
        numerical=numerical_share(recording),
        positive=positive_work(recording),
        depth=deepest / allowed,
        passed=passed,
    )


def changes(recording: Recording, name: str) -> FloatArray:
    return np.diff(recording.data[name].values)


def numerical_share(recording: Recording) -> float:
    total = float(recording.data["kinetic_energy"].max())
    total += sum(float(np.abs(changes(recording, f"{name}_work")).sum()) for name in ("servo", "friction", "contact"))
    return float(np.abs(changes(recording, "numerical_work")).sum()) / max(total, TINY)


def positive_work(recording: Recording) -> float:
    robot = recording.scenario.built_robot()
    weight = 9.81 * sum(link.mass for link in robot.links)
    unit = float(recording.data["kinetic_energy"].max()) + 1e-3 * weight
    return max(float(changes(recording, f"{name}_work").max(initial=0.0)) for name in ("friction", "contact")) / unit


def penetration(recording: Recording, swept: bool) -> tuple[float, bool]:
    """Deepest [m] that a link lies in an obstacle at any row; if `swept`, whether one passes through between rows."""
    data, world = recording.data, recording.scenario.built_world()
    robot = body(recording.scenario.built_robot(), data["link_position"].values, data["link_angle"].values)
    deepest, passed, loose = 0.0, False, 0
    for obstacle in world.obstacles:
        fields = obstacle.model_dump(mode="python")
        if fields.get("mass") is not None:
            deepest = max(deepest, float(depths(robot, fields, data["obstacle_position"].values[:, loose]).max()))
            loose += 1
            continue
        centre, radius = size(fields)
        near = {"kind": "disc", "x": centre[0], "y": centre[1], "radius": radius}
        if float(depths(robot, near).max()) > 0.0:
            deepest = max(deepest, float(depths(robot, fields).max()))
            passed = passed or (swept and passes(robot, fields))
    return deepest, passed
