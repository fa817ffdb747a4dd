"""Spatial non-smooth time-stepping model (P5 and beyond)."""

from pushpoint.plants.spatial_stepping.plant import SpatialStepping

__all__ = ["SpatialStepping"]
