"""Numbers with a unit: each has the range that is physically meant, so that arithmetic with them stays finite.

Outside of these ranges somebody mistook the unit or wants to break something. What may vanish may be zero, but not so
small that its inverse is of no use. The table stands in docs/reference/limits.md too.
"""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import AfterValidator, Field

from pushpoint import limits
from pushpoint.fields import TINY, at_least, zero_or_more

MOST_BEND = 3.1416  # [rad]: pi, also as people round it


def _within_half_a_turn(value: float) -> float:
    if abs(value) > MOST_BEND:
        raise ValueError("should be from -pi to pi rad; was it meant in degrees?")
    return value


def _finite_or(low: float, high: float, none: float) -> AfterValidator:
    """Within a range, or the infinity that stands for none."""

    def check(value: float) -> float:
        if value != none and not low <= value <= high:
            raise ValueError(f"should be from {low:g} to {high:g}, or {none:g} for none")
        return value

    return AfterValidator(check)


Ratio = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False), at_least(1e-6)]

Coordinate = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]  # [m]
Length = Annotated[float, Field(gt=0, le=1e4, allow_inf_nan=False), at_least(1e-6)]  # [m]
Width = Annotated[float, Field(ge=0, le=1e4, allow_inf_nan=False), zero_or_more]  # [m]
Height = Annotated[float, Field(ge=0, le=1e3, allow_inf_nan=False)]  # [m], of terrain; nobody divides by it
Mass = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False), at_least(1e-9)]  # [kg]
Inertia = Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False), at_least(1e-18)]  # [kg m2]
Armature = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]  # [kg m2]; nobody divides by it alone

Angle = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]  # [rad]
Bend = Annotated[float, Field(allow_inf_nan=False), AfterValidator(_within_half_a_turn)]  # [rad], of a joint
HalfTurn = Annotated[float, Field(gt=0, allow_inf_nan=False), at_least(1e-9), AfterValidator(_within_half_a_turn)]
PositiveAngle = Annotated[float, Field(gt=0, le=1e3, allow_inf_nan=False), at_least(1e-9)]  # [rad]
Play = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False), zero_or_more]  # [rad]
LowerStop = Annotated[float, Field(lt=math.inf), _finite_or(-1e3, 1e3, -math.inf)]  # [rad]
UpperStop = Annotated[float, Field(gt=-math.inf), _finite_or(-1e3, 1e3, math.inf)]  # [rad]
Rate = Annotated[float, Field(ge=-1e4, le=1e4, allow_inf_nan=False)]  # [rad/s]
RateLimit = Annotated[float, Field(gt=0), _finite_or(1e-9, 1e9, math.inf)]  # [rad/s]

Velocity = Annotated[float, Field(ge=-1e4, le=1e4, allow_inf_nan=False)]  # [m/s]
Speed = Annotated[float, Field(gt=0, le=1e4, allow_inf_nan=False), at_least(1e-9)]  # [m/s]
Gravity = Annotated[float, Field(ge=0, le=1e4, allow_inf_nan=False), zero_or_more]  # [m/s2]
Torque = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]  # [N m]
TorqueLimit = Annotated[float, Field(gt=0), _finite_or(1e-9, 1e9, math.inf)]  # [N m]
Force = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False), zero_or_more]  # [N]
PositiveForce = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False), at_least(1e-9)]  # [N]
FrictionCoefficient = Annotated[float, Field(ge=0, le=1e3, allow_inf_nan=False), zero_or_more]
Gain = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False), zero_or_more]  # stiffness, damping, drag, of loops
PositiveGain = Annotated[float, Field(gt=0, le=1e12, allow_inf_nan=False), at_least(TINY)]

Delay = Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False), zero_or_more]  # [s]
Instant = Annotated[float, Field(ge=-1e7, le=1e7, allow_inf_nan=False)]  # [s], of a schedule
Period = Annotated[float, Field(gt=0, le=86400, allow_inf_nan=False), at_least(1e-7)]  # [s]; of a run too
TimeStep = Annotated[float, Field(gt=0, le=0.1, allow_inf_nan=False), at_least(1e-7)]  # [s], of a plant

Links = Annotated[int, Field(ge=1, le=limits.LINKS)]
Obstacles = Annotated[int, Field(ge=0, le=limits.OBSTACLES)]
SomeObstacles = Annotated[int, Field(ge=1, le=limits.OBSTACLES)]
Pieces = Annotated[int, Field(ge=1, le=limits.POINTS)]  # of a wall or a profile
Darts = Annotated[int, Field(ge=0, le=limits.DARTS)]
Iterations = Annotated[int, Field(ge=1, le=limits.ITERATIONS)]
Index = Annotated[int, Field(ge=0, le=limits.OBSTACLES)]  # of a link, a joint, an obstacle
PegMap = Annotated[
    tuple[tuple[Coordinate, Coordinate, Length], ...], Field(fail_fast=True, max_length=limits.POINTS)
]  # x, y, radius
PlanePoints = Annotated[tuple[tuple[Coordinate, Coordinate], ...], Field(fail_fast=True, max_length=limits.POINTS)]
Seed = Annotated[int, Field(ge=0, le=limits.SEED)]
