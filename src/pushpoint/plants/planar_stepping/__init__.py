"""P2: planar non-smooth time-stepping model with set-valued friction and unilateral contact. See README.md."""

from pushpoint.plants.planar_stepping.plant import PlanarStepping

__all__ = ["PlanarStepping"]
