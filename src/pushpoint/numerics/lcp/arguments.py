"""What is said of matrices and vectors that cannot be used."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray


def square(name: str, value: npt.ArrayLike, rows: int | None = None) -> FloatArray:
    """A finite square matrix, C-contiguous; nothing at all is one without rows."""
    array = _numbers(name, value)
    if array.size == 0 and rows in (None, 0):
        return np.zeros((0, 0))
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InvalidInput(f"{name} has the shape {array.shape}: allowed are square matrices")
    if rows is not None and len(array) != rows:
        raise InvalidInput(f"{name} has {len(array)} rows: {rows} are needed, as many as those of A")
    return array


def vector(name: str, value: npt.ArrayLike, rows: int) -> FloatArray:
    array = _numbers(name, value)
    if array.shape != (rows,):
        raise InvalidInput(f"{name} has the shape {array.shape}: ({rows},) is needed, one entry for each row of A")
    return array


def count_of(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise InvalidInput(f"{name} is {value!r}: allowed are whole numbers from 0")
    return int(value)


def _numbers(name: str, value: npt.ArrayLike) -> FloatArray:
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} is {str(value)[:80]}: allowed are arrays of real numbers") from error
    if not np.all(np.isfinite(array)):
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InvalidInput(f"{name}{list(where)} is {array[where]}: allowed are finite numbers")
    return array
