"""Worlds: ground law, terrain and obstacles; one file per family of worlds."""

from pushpoint.registry import Registry
from pushpoint.worlds._model import (
    LAW_FEATURES,
    Box,
    Cylinder,
    Disc,
    Ground,
    GroundLaw,
    Heightfield,
    Obstacle,
    Patch,
    Polygon,
    Profile,
    Upright,
    Wall,
    World,
    WorldFactory,
)

worlds: Registry[WorldFactory] = Registry("world", __name__)

__all__ = [
    "LAW_FEATURES", "Box", "Cylinder", "Disc", "Ground", "GroundLaw", "Heightfield", "Obstacle", "Patch",
    "Polygon", "Profile", "Upright", "Wall", "World", "WorldFactory", "worlds",
]  # fmt: skip
