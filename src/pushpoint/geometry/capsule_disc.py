"""Gap between a planar capsule and a disc, P2 (8)-(10) and (13)-(16) in one formula."""

from __future__ import annotations

import math

from pushpoint._jit import kernel


@kernel
def capsule_disc(dx: float, dy: float, ex: float, ey: float, half: float) -> tuple[float, float, float, float]:
    """Nearest point of the capsule's axis to the disc's centre: its distance [m], place [m] and direction x, y.

    (dx, dy): from the disc's centre to the capsule's; (ex, ey): its axis; half: half length of the axis. The gap is the
    distance less both radii. The rectangle (9) and the end circles (10) of P2 are |place| < half and |place| = half.
    """
    place = min(half, max(-half, -(dx * ex + dy * ey)))
    x, y = dx + place * ex, dy + place * ey
    distance = math.sqrt(x * x + y * y)
    if distance > 0.0:
        inverse = 1.0 / distance
        return distance, place, x * inverse, y * inverse
    return distance, place, -ey, ex  # the axis runs through the disc's centre: pushing across the link frees it
