"""Gap between a planar capsule and a disc, P2 (8)-(10) and (13)-(16) in one formula."""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.types import FloatArray


@kernel
def capsule_disc(capsule: FloatArray, disc: FloatArray, out: FloatArray) -> None:
    """Nearest point of the capsule's axis to the disc's centre.

    capsule: x, y, cos, sin, half length of the axis, radius.   disc: x, y, radius.
    out: gap [m], place along the axis [m], normal x, normal y (from the disc to the capsule).

    The rectangle (9) and the two end circles (10) of P2 are the cases |place| < half length and = half length.
    """
    dx, dy = capsule[0] - disc[0], capsule[1] - disc[1]
    ex, ey = capsule[2], capsule[3]
    half = capsule[4]
    place = min(half, max(-half, -(dx * ex + dy * ey)))
    dx += place * ex
    dy += place * ey
    distance = math.sqrt(dx * dx + dy * dy)
    out[0] = distance - (disc[2] + capsule[5])
    out[1] = place
    if distance > 0.0:
        out[2], out[3] = dx / distance, dy / distance
    else:  # the axis runs through the disc's centre: any direction across the link pushes it off
        out[2], out[3] = -ey, ex
