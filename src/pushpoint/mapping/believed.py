"""What a robot believes of its surroundings: touches and scans taken in tick by tick, and the map for a model."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pushpoint.mapping.pegs import KnownPegs, PegMaking, PegMap, moved_off, no_pegs
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Map, Observation, Pose

Knowledge = Literal["felt", "scan", "full"]
SENSORS = {"felt": ("tactile",), "scan": ("tactile", "range-scan"), "full": ("map",)}
GAP = 1e-4  # [m], between the robot and obstacles at the start of a model


class Belief:
    def __init__(self, knowledge: Knowledge, making: PegMaking, robot: Robot) -> None:
        self.knowledge, self.uses = knowledge, frozenset(SENSORS[knowledge])
        self._pegs = PegMap(making)
        self._half = np.array([link.half_core for link in robot.links])
        self._radius = np.array([link.radius for link in robot.links])

    def start(self) -> dict[str, Any]:
        return {f"peg_{name}": part for name, part in no_pegs()._asdict().items()}

    def step(self, state: dict[str, Any], obs: Observation) -> dict[str, Any]:
        if self.knowledge == "full":
            return {}
        known = before = self.known(state)
        start, end = self.axes(obs)
        touches = obs.touches
        if len(touches.link):
            cos, sin = np.cos(obs.link_yaw[touches.link]), np.sin(obs.link_yaw[touches.link])

            def in_world(v: FloatArray) -> FloatArray:
                return np.stack([cos * v[:, 0] - sin * v[:, 1], sin * v[:, 0] + cos * v[:, 1]], axis=1)

            point = obs.link_position[touches.link, :2] + in_world(touches.point)
            known = self._pegs.met(known, point, in_world(touches.normal), obs.time)
        known = self._pegs.swept(known, start, end, self._radius)
        return {} if known is before else {f"peg_{name}": part for name, part in known._asdict().items()}

    def known(self, state: dict[str, Any]) -> KnownPegs:
        return KnownPegs(*(state[f"peg_{name}"] for name in KnownPegs._fields))

    def axes(self, obs: Any) -> tuple[FloatArray, FloatArray]:
        along = self._half[:, np.newaxis] * np.stack([np.cos(obs.link_yaw), np.sin(obs.link_yaw)], axis=1)
        return obs.link_position[:, :2] - along, obs.link_position[:, :2] + along

    def map(self, state: dict[str, Any], obs: Observation, pose: Pose) -> Map:
        disc, edge = (obs.map.disc, obs.map.edge) if self.knowledge == "full" else (self.known(state).disc, np.zeros((0, 4)))
        start, end = self.axes(obs)
        return Map(moved_off(disc, start, end, self._radius, GAP), edge)
