"""Random worlds in space that nobody tuned for: robots of 2 to 31 unequal links, limp or driven, on planes, steep
slopes, stairs and hills, among rough pegs, thin walls and blocks, thrown at up to 10 m/s; steps of 0.5 to 10 ms."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pushpoint.mechanics.spatial_overlap import spatial_overlaps
from pushpoint.scenario import Scenario
from pushpoint.simulation import Setup
from pushpoint.types import SpatialPose
from pushpoint.worlds import World
from tests.properties.draws import Draw

Data = dict[str, Any]
STEPS = (0.5e-3, 1e-3, 2e-3, 5e-3, 1e-2)
TERRAINS = ("plane", "slope", "stairs", "hills", "pegs", "space")
AXES = ("yaw", "pitch", "yaw-pitch", "pitch-yaw")


class Wild(NamedTuple):
    """A scenario, and facts about it."""

    scenario: Scenario
    terrain: str
    thrown: float  # [m/s]
    dt: float  # [s]


def some_links(draw: Draw, count: int, square: bool) -> list[Data]:
    heavy, long, wide = 10 ** draw.uniform(-2.0, 0.7), draw.uniform(0.04, 0.25), draw.uniform(0.008, 0.05)
    links = []
    for _ in range(count):
        length, mass = long * draw.uniform(0.4, 1.8), heavy * 10 ** draw.uniform(-0.5, 0.5)
        radius = min(wide * draw.uniform(0.6, 1.4), 0.7 * length)
        slender = mass * (length**2 / 12 + radius**2 / 4)
        link: Data = {"length": length, "mass": mass, "radius": radius, "inertia": slender * draw.uniform(0.7, 2.0)}
        if draw.uniform(0, 1) < 0.2:
            link["core"] = 0.3 * length
        if square:
            link["shape"] = "square"
        else:
            link["inertia_roll"] = mass * radius**2 * draw.uniform(0.4, 0.6)
        links.append(link)
    return links


def some_joints(draw: Draw, count: int) -> list[Data]:
    stops = draw.uniform(0, 1) < 0.15
    joints = []
    for _ in range(count):
        joint: Data = {"axes": draw.one_of(AXES)}
        if stops:
            joint.update(lower=-draw.uniform(0.4, 1.2), upper=draw.uniform(0.4, 1.2))
        joints.append(joint)
    return joints


def a_terrain(draw: Draw, kind: str) -> Data:
    if kind == "slope":
        lean, heading = draw.uniform(0.05, 1.3), draw.uniform(-3.0, 3.0)
        return {"down": [math.sin(lean) * math.cos(heading), math.sin(lean) * math.sin(heading), -math.cos(lean)]}
    if kind == "stairs":
        rise, run = draw.uniform(-0.15, 0.15), draw.uniform(0.08, 0.4)
        points, x, z = [[-4.0, 1.0]], -1.0, 1.0
        for _ in range(10):
            points += [[x, z], [x, z + rise]]
            x, z = x + run, z + rise
        return {"terrain": {"kind": "profile", "points": [*points, [x + 4.0, z]]}}
    if kind == "hills":
        heights, size = np.zeros((40, 40)), draw.uniform(0.01, 0.15)
        heights[1:-1, 1:-1] = np.random.default_rng(draw.integer(0, 10**6)).uniform(0.0, size, (38, 38))
        field = {"kind": "heightfield", "x": -2.0, "y": -2.0, "spacing": 0.1, "heights": heights.tolist()}
        return {"terrain": field}
    return {"gravity": 0.0} if kind == "space" else {}


def an_obstacle(draw: Draw) -> Data:
    kind, mu = draw.one_of(["disc", "wall", "polygon", "box", "cylinder"]), draw.uniform(0.0, 0.8)
    x, y, height = draw.uniform(-2.0, 2.0), draw.uniform(-1.5, 1.5), draw.uniform(0.03, 0.4)
    common: Data = {"kind": kind, "friction": mu}
    if kind == "disc":
        return common | {"x": x, "y": y, "radius": draw.uniform(0.003, 0.15), "height": height}
    if kind == "wall":
        end = [x + draw.uniform(0.1, 0.8), y + draw.uniform(-0.6, 0.6)]
        return common | {"points": [[x, y], end], "height": height}
    if kind == "polygon":
        size, corners = draw.uniform(0.02, 0.2), draw.integer(3, 6)
        turn = 2 * math.pi / corners
        points = [[x + size * math.cos(turn * k), y + size * math.sin(turn * k)] for k in range(corners)]
        return common | {"points": points, "height": height}
    if kind == "box":
        size3 = [draw.uniform(0.01, 0.4) for _ in range(3)]
        turns = {"yaw": draw.uniform(-3, 3), "pitch": draw.uniform(-0.5, 0.5), "roll": draw.uniform(-0.5, 0.5)}
        return common | {"centre": [x, y, draw.uniform(0.0, 0.2)], "size": size3, **turns}
    start, end = [x, y, draw.uniform(0.0, 0.1)], [x + 0.2, y + draw.uniform(0.1, 0.3), draw.uniform(0.0, 0.3)]
    return common | {"start": start, "end": end, "radius": draw.uniform(0.005, 0.08)}


def a_gait(draw: Draw) -> Data:
    return {
        "name": "gait",
        "options": {
            "yaw_amplitude": draw.uniform(0.0, 0.9),
            "pitch_amplitude": draw.uniform(0.0, 0.5),
            "yaw_frequency": draw.uniform(0.5, 6.0),
            "yaw_phase_shift": draw.uniform(-1.2, 1.2),
            "pitch_start_phase": draw.uniform(0.0, 6.0),
            "soft_start": 0.05,
        },
    }


def a_servo(draw: Draw) -> Data:
    servo: Data = {"stiffness": 10 ** draw.uniform(0.3, 2.6), "damping": 10 ** draw.uniform(-1.5, 1.0)}
    if draw.uniform(0, 1) < 0.7:
        servo["torque_limit"] = 10 ** draw.uniform(-0.5, 1.5)
    return servo


def a_start(draw: Draw, freedoms: int, limp: bool, length: float) -> tuple[Data, float]:
    """On the ground, or thrown so that hardly any link is faster than 10 m/s; `length` [m] of the robot."""
    start: Data = {"angle": draw.uniform(-3.0, 3.0), "roll": draw.one_of([0.0, 0.0, draw.uniform(-1.5, 1.5)])}
    if not limp:
        return start, 0.0
    speed = draw.one_of([0.0, 1.0, 3.0, 10.0])
    direction = np.array([draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-0.7, 0.2)])
    start["velocity"] = (speed * direction / np.linalg.norm(direction)).tolist()
    start["joint_angle"] = [draw.uniform(-0.25, 0.25) for _ in range(freedoms)]
    start["joint_rate"] = [draw.uniform(-0.5, 0.5) * speed / max(length, 0.5) for _ in range(freedoms)]
    start["height"] = draw.one_of([0.0, 0.005, 0.05, 0.3])
    return start, speed


def wild(seed: int, dt: float | None = None) -> Wild:
    """The case of a seed; `dt` [s] in place of the one that is drawn."""
    draw = Draw(seed)
    count, square, terrain = draw.integer(2, 31), draw.uniform(0, 1) < 0.3, TERRAINS[seed % len(TERRAINS)]
    links, joints, limp = some_links(draw, count, square), some_joints(draw, count - 1), draw.uniform(0, 1) < 0.5
    freedoms = sum(2 if "-" in joint["axes"] else 1 for joint in joints)
    ground: Data = {"friction": draw.one_of([0.0, 0.1, 0.3, 0.8])}
    if draw.uniform(0, 1) < 0.3:
        ground["friction_across"] = 0.6
    if draw.uniform(0, 1) < 0.2:
        ground["rolling"] = 0.02
    drawn = [an_obstacle(draw) for _ in range(draw.integer(2, 24))] if terrain in {"pegs", "slope", "space"} else []
    world: Data = {"name": terrain, "ground": ground, "obstacles": [], **a_terrain(draw, terrain)}
    step = draw.one_of(STEPS)
    start, thrown = a_start(draw, freedoms, limp, sum(link["length"] for link in links))
    data: Data = {
        "name": f"wild/{seed}",
        "robot": {
            "name": "wild",
            "links": links,
            "joints": joints,
            "servo": {"stiffness": 0.0, "damping": 0.0} if limp else a_servo(draw),
        },
        "world": world,
        "plant": {"name": "spatial_stepping", "options": {"dt": dt or step}},
        "controller": {"name": "hold", "options": {}} if limp else a_gait(draw),
        "start": start,
        "duration": 2.0,
        "control_period": 0.01,
    }
    world["obstacles"] = clear_of(drawn, data)
    return Wild(Scenario.parse(data), terrain, thrown, dt or step)


def clear_of(drawn: list[Data], data: Data) -> list[Data]:
    """Those that the robot does not overlap at the start."""
    if not drawn:
        return []
    scenario = Scenario.parse(data)
    full = World.parse({**data["world"], "obstacles": drawn})
    pose = Setup.of(scenario).start_pose()
    assert isinstance(pose, SpatialPose)
    hit = {obstacle for _, obstacle, _ in spatial_overlaps(scenario.built_robot(), full, pose)}
    return [each for k, each in enumerate(drawn) if k not in hit]
