"""How far the head came."""

from __future__ import annotations

import pushpoint as pp


@pp.register_measure("m")
def head_travel(run: pp.Recording) -> float:
    """Displacement [m] of the head along x."""
    x = run.data["link_position"].sel(axis="x").isel(link=-1).values
    return float(x[-1] - x[0])
