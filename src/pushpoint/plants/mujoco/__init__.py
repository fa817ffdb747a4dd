"""The planar robot in MuJoCo, behind the same door as the other plants. See README.md."""

from pushpoint.plants.mujoco.plant import MujocoPlant

__all__ = ["MujocoPlant"]
