"""Plants: simulation models with one interface."""

from pushpoint.plants._base import Plant, Uneventful
from pushpoint.registry import Registry

plants: Registry[type[Plant]] = Registry("plant", __name__)

__all__ = ["Plant", "Uneventful", "plants"]
