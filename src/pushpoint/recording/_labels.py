"""Dimensions and labels of recorded arrays."""

from __future__ import annotations

import xarray as xr

from pushpoint.types import FloatArray, IntArray

Variables = dict[str, xr.Variable]

BODY, PLACE = ("time", "link", "axis"), ("time", "link")
JOINT = ("time", "joint")


def labelled(dims: tuple[str, ...], values: FloatArray | IntArray, units: str, name: str) -> xr.Variable:
    return xr.Variable(dims, values, attrs={"units": units, "long_name": name})
