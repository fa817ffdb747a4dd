"""Plants: simulation models behind one door."""

from pushpoint.plants._base import Completing, Eventful, Plant
from pushpoint.registry import Registry

plants: Registry[type[Plant]] = Registry("plant", __name__)

__all__ = ["Completing", "Eventful", "Plant", "plants"]
