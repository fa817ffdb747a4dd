"""Planar hybrid (event-tracking) model with contact forces from a linear complementarity problem (P1)."""

from pushpoint.plants.planar_hybrid.plant import PlanarHybrid

__all__ = ["PlanarHybrid"]
