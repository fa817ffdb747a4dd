"""Options of the planar hybrid plant."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pushpoint.fields import Frozen
from pushpoint.quantities import PositiveAngle, Speed, TimeStep


class PlanarHybridOptions(Frozen):
    """How the planar hybrid model pushes, rubs and is integrated."""

    contact: Literal["centre", "point"] = "centre"  # where obstacles push: P1's Assumption 6, or where they touch
    obstacle_friction: Literal["physical", "printed"] = "physical"  # printed: with the sign of P1 (51)
    dt: TimeStep = 1e-3  # [s], the longest step; each leaves its residual
    tolerance: Annotated[float, Field(ge=1e-13, le=1e-2)] = 1e-5  # of a step: in rad, m, rad/s, m/s and relative
    friction_speed: Speed = 1e-3  # [m/s], below which dry friction of ground and obstacles fades
    friction_rate: PositiveAngle = 1e-2  # [rad/s], below which the friction torque of the ground fades
    on_failure: Literal["stop", "accept"] = "stop"  # accept: go on with contact forces that are nearly a solution
