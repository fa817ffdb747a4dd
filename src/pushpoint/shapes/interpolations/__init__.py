"""Curves from shape control points, P3 III-B ("any chosen interpolation method"); one file per method.

An interpolation maps points [m] (n, 3) to the slopes dS/ds [m] of the cubic pieces between them: either one per point,
(n, 3), for a curve without corners, or (n - 1, 2, 3), at the begin and at the end of each piece. S(i) = P_i in any
case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.registry import Registry
from pushpoint.types import FloatArray

Interpolation = Callable[[FloatArray], FloatArray]

interpolations: Registry[Interpolation] = Registry("interpolation", __name__)


def known(name: str) -> str:
    """The name of an interpolation, refused if there is none of that name."""
    _ = interpolations[name]
    return name


InterpolationName = Annotated[str, Field(min_length=1, max_length=limits.NAME_LENGTH), AfterValidator(known)]


def slopes_of(name: str, points: FloatArray) -> FloatArray:
    """Slopes [m] (n - 1, 2, 3) at the begin and at the end of each piece, as interpolation `name` has them."""
    found = np.asarray(interpolations[name](points), dtype=float)
    n = len(points)
    if found.shape == (n, 3):
        found = np.stack([found[:-1], found[1:]], axis=1)
    if found.shape != (n - 1, 2, 3) or not np.isfinite(found).all():
        raise InvalidInput(
            f"interpolation {name!r} gives slopes of shape {found.shape} for {n} points; should be finite and of shape "
            f"({n}, 3) or ({n - 1}, 2, 3)"
        )
    return np.ascontiguousarray(found)
