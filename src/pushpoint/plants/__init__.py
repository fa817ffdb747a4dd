"""Plants: simulation models behind one door."""

from pushpoint.plants._base import Eventful, Plant
from pushpoint.registry import Registry

plants: Registry[type[Plant]] = Registry("plant", __name__)

__all__ = ["Eventful", "Plant", "plants"]
