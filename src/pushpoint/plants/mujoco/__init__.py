"""The planar robot in MuJoCo, with the same interface as the other plants. See README.md."""

from pushpoint.plants.mujoco.plant import MujocoPlant

__all__ = ["MujocoPlant"]
