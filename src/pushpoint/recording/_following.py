"""Two recordings of one run, the second from the checkpoint of the first, as one: equal to the bit to a run that never
stopped."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import xarray as xr

from pushpoint.recording import spatial
from pushpoint.tape import SPACE

LONG = ("time", "step")  # dimensions that grow during a run


def joined_data(first: xr.Dataset, later: xr.Dataset) -> xr.Dataset:
    """Rows and steps of both. The first row of the later one is the checkpoint: a copy of a row, or between two."""
    rest = later.isel(time=slice(1, None))
    variables = {name: _joined(name, first, rest) for name in first.variables}
    if "link_orientation" in first:  # headings are counted over whole turns, from the first row on
        link = np.zeros((*variables["link_orientation"].shape[:2], len(SPACE.link)))
        link[:, :, SPACE.columns("quaternion")] = variables["link_orientation"].values
        variables["link_angle"] = spatial.link_variables(link)["link_angle"]
    return xr.Dataset({name: v for name, v in variables.items() if name not in first.coords}).assign_coords(
        {name: v for name, v in variables.items() if name in first.coords}
    )


def _joined(name: Hashable, first: xr.Dataset, rest: xr.Dataset) -> xr.Variable:
    one, dim = first.variables[name], next((dim for dim in first.variables[name].dims if dim in LONG), None)
    if dim is None:
        return one
    both = [one.values, rest.variables[name].values]
    return xr.Variable(one.dims, np.concatenate(both, axis=one.dims.index(dim)), attrs=one.attrs)


def joined_table(first: xr.Dataset, later: xr.Dataset, dim: str, after: float) -> xr.Dataset:
    """Lines of both tables; those of the later one that belong to its first row are in the first one already."""
    rest = later.isel({dim: np.flatnonzero(later["time"].values > after)})
    names = {name: first.variables[name] for name in first.variables}
    variables = {
        name: xr.Variable(v.dims, np.concatenate([v.values, rest.variables[name].values]), attrs=v.attrs)
        if dim in v.dims
        else v
        for name, v in names.items()
    }
    return xr.Dataset({name: v for name, v in variables.items() if name not in first.coords}).assign_coords(
        {name: v for name, v in variables.items() if name in first.coords}
    )
