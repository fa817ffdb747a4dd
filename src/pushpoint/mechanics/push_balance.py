"""Three contacts against a load on a body as a whole: G lambda = w with lambda >= 0."""

from __future__ import annotations

from pushpoint._jit import entry_point, kernel
from pushpoint.types import FloatArray

SINGULAR = 1e-9  # [m], of the determinant of three unit forces: they then give no more than two freedoms


@kernel
def triple_product(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    """a . (b x c)"""
    return float(
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    )


@kernel
def balance_three(a: FloatArray, b: FloatArray, c: FloatArray, load: FloatArray, force: FloatArray) -> bool:
    """Whether three columns of G (force x, y, moment) carry the load (3,) without pulling; their sizes in `force`."""
    size = triple_product(a, b, c)
    if abs(size) < SINGULAR:
        return False
    force[0] = triple_product(load, b, c) / size
    if not force[0] >= 0.0:
        return False
    force[1] = triple_product(a, load, c) / size
    if not force[1] >= 0.0:
        return False
    force[2] = triple_product(a, b, load) / size
    return bool(force[2] >= 0.0)


@entry_point
def three_forces(columns: FloatArray, load: FloatArray, force: FloatArray) -> bool:
    """`balance_three` for the rows of `columns` (3, 3)."""
    return bool(balance_three(columns[0], columns[1], columns[2], load, force))
