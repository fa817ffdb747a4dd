"""Arrays of records: one array with named numbers per row, for kernels and for plain Python alike.

In kernels ``a = link[i]`` and then ``a.vx`` reads and writes row i; in Python ``link["vx"]`` is a column. One array of
records compiles in half the time of a two-dimensional array with numbered columns, and in a tenth of that of an array
per quantity.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pushpoint.types import FloatArray

Records = Any  # a NumPy array of records: its fields are known to the module that lists their names


def record_array(rows: int, names: tuple[str, ...]) -> Records:
    """Zeros; every field is a float64."""
    return np.zeros(rows, dtype=_layout(names))


@cache
def _layout(names: tuple[str, ...]) -> np.dtype[np.void]:
    return np.dtype((np.record, [(name, np.float64) for name in names]), align=True)


def as_columns(records: Records) -> FloatArray:
    """All fields as columns of a plain array that shares the records' memory."""
    plain: FloatArray = records.view(np.float64)
    return plain.reshape(len(records), len(records.dtype.names))


def table(records: Records, *names: str) -> FloatArray:
    """The named fields as columns of a plain array, a copy; all of them without names."""
    plain = as_columns(records)
    if not names:
        return plain.copy()
    return plain[:, [records.dtype.names.index(name) for name in names]]


def from_table(values: npt.ArrayLike, names: tuple[str, ...]) -> Records:
    """The way back from `table`."""
    columns = np.array(values, dtype=np.float64, order="C")  # a copy: nobody else's data change with the records
    return columns.view(_layout(names))[:, 0]
