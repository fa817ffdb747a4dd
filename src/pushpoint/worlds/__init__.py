"""Worlds: ground law and obstacles; one file per family of worlds."""

from pushpoint.registry import Registry
from pushpoint.worlds._model import (
    Disc,
    Ground,
    GroundLaw,
    Obstacle,
    Patch,
    Polygon,
    Wall,
    World,
    WorldFactory,
)

worlds: Registry[WorldFactory] = Registry("world", __name__)

__all__ = [
    "Disc",
    "Ground",
    "GroundLaw",
    "Obstacle",
    "Patch",
    "Polygon",
    "Wall",
    "World",
    "WorldFactory",
    "worlds",
]
