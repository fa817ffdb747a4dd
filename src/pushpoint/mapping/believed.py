"""What a robot believes of its surroundings: touches and scans are taken in tick by tick, and make a map for a model."""

from __future__ import annotations

from math import radians
from typing import Any, Literal

import numpy as np

from pushpoint.fields import Frozen
from pushpoint.mapping.pegs import KnownPegs, PegMaking, PegMap, moved_off, no_pegs, row_of_discs
from pushpoint.mapping.scan import rays_of, scanned
from pushpoint.quantities import Length, Period, PositiveAngle, Velocity
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Map, Observation, Touches

Knowledge = Literal["felt", "scan", "full"]
GAP = 1e-4  # [m], between the robot and obstacles at the start of a model
EDGE_RADIUS = 0.01  # [m], of discs in place of a wall
NO_EDGES = np.zeros((0, 4))


class Feeling(Frozen):
    """What is known and from which sensors."""

    knowledge: Knowledge = "felt"  # pegs of the model: felt ones, felt and seen ones, or all of the sensor `map`
    scan_range: Length = 0.5  # [m]: what is farther is not seen
    scan_angle: PositiveAngle = radians(270.0)  # [rad], of the sensor `range-scan`
    scan_period: Period = 0.1  # [s], between scans
    radius_error: Velocity = 0.0  # relative: by how much radii in the model are wrong; 0.2 is 20 % too much
    pegs: PegMaking = PegMaking()  # how they are made of touches and scans


SENSORS = {"felt": ("tactile",), "scan": ("tactile", "range-scan"), "full": ("map",)}


class Belief:
    """Touches and scans to a map. What it remembers is in the state that it hands out.

    Parameters
    ----------
    options
        What is known and from which sensors.
    robot
        That feels.
    period
        From tick to tick [s].
    """

    def __init__(self, options: Feeling, robot: Robot, period: float) -> None:
        self.options, self.uses = options, frozenset(SENSORS[options.knowledge])
        self._pegs = PegMap(options.pegs)
        self._half = np.array([link.half_core for link in robot.links])
        self._radius = np.array([link.radius for link in robot.links])
        self._is_thin = bool(self._radius.min() == 0.0)  # such links have no side of a wall
        self._between = max(1, round(options.scan_period / period))

    def start(self) -> dict[str, Any]:
        """Nothing is known."""
        return {**_stored(no_pegs()), "edge": NO_EDGES.copy()}

    def step(self, state: dict[str, Any], obs: Observation, tick: int) -> dict[str, Any]:
        """What changes in the state by a tick."""
        if self.options.knowledge == "full":
            return {}
        known = before = self.known(state)
        if len(obs.touches.link):
            known = self._pegs.met(known, *touched(obs.touches, obs), obs.time)
        changed: dict[str, Any] = {}
        if self.options.knowledge == "scan" and tick % self._between == 0:
            own = self.options
            rays = rays_of(
                obs.range_scan, obs.link_position[-1, :2], float(obs.link_yaw[-1]), own.scan_angle, own.scan_range
            )
            known, changed["edge"] = scanned(self._pegs, known, rays, obs.time)
        known = self._pegs.swept(known, *self.axes(obs), self._radius)
        return changed if known is before else changed | _stored(known)

    def known(self, state: dict[str, Any]) -> KnownPegs:
        """What is known of pegs."""
        return KnownPegs(*(state[f"peg_{name}"] for name in KnownPegs._fields))

    def axes(self, obs: Observation) -> tuple[FloatArray, FloatArray]:
        """Both ends of the links' axes [m], (n, 2) each."""
        along = self._half[:, np.newaxis] * np.stack([np.cos(obs.link_yaw), np.sin(obs.link_yaw)], axis=1)
        return obs.link_position[:, :2] - along, obs.link_position[:, :2] + along

    def believed(self, state: dict[str, Any], obs: Observation) -> Map:
        """All obstacles that the robot knows of."""
        if self.options.knowledge == "full":
            return Map(obs.map.disc, obs.map.edge)
        return Map(self.known(state).disc, state["edge"])

    def for_model(self, state: dict[str, Any], obs: Observation) -> Map:
        """The same with radii that are wrong on purpose, and discs beside the robot where they would overlap it."""
        known = self.believed(state, obs)
        disc, edge = known.disc * np.array([1.0, 1.0, 1.0 + self.options.radius_error]), known.edge
        if self._is_thin:
            disc, edge = np.concatenate([disc, *(row_of_discs(one, EDGE_RADIUS) for one in edge)]), NO_EDGES
        return Map(moved_off(disc, *self.axes(obs), self._radius, GAP), edge)


def touched(touches: Touches, obs: Observation) -> tuple[FloatArray, FloatArray]:
    """Contact points [m] and normals into the links, (k, 2) each, in the world."""
    cos, sin = np.cos(obs.link_yaw[touches.link]), np.sin(obs.link_yaw[touches.link])

    def in_world(v: FloatArray) -> FloatArray:
        return np.stack([cos * v[:, 0] - sin * v[:, 1], sin * v[:, 0] + cos * v[:, 1]], axis=1)

    return obs.link_position[touches.link, :2] + in_world(touches.point), in_world(touches.normal)


def _stored(known: KnownPegs) -> dict[str, Any]:
    return {f"peg_{name}": part for name, part in known._asdict().items()}
