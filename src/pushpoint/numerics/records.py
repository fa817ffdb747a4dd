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

_FLOAT = np.dtype(np.float64)
Records = Any  # a NumPy array of records: its fields are known to the module that lists their names


def record_array(rows: int, names: tuple[str, ...]) -> Records:
    """Zeros; every field is a float64."""
    return as_records(np.zeros((rows, len(names))), names)


def as_records(columns: FloatArray, names: tuple[str, ...]) -> Records:
    """The rows of a plain array, C-contiguous, as records that share its memory."""
    return np.ndarray(len(columns), _layout(names), columns)  # a third of the time that a view takes


@cache
def _layout(names: tuple[str, ...]) -> np.dtype[np.void]:
    return np.dtype((np.record, [(name, np.float64) for name in names]), align=True)


def as_columns(records: Records) -> FloatArray:
    """All fields as columns of a plain array that shares the records' memory."""
    columns: FloatArray = records.view(_FLOAT)
    return columns.reshape(len(records), -1) if len(records) else columns.reshape(0, len(records.dtype.names))


def table(records: Records, *names: str) -> FloatArray:
    """The named fields as columns of a plain array, a copy; all of them without names."""
    columns = as_columns(records)
    if not names:
        return columns.copy()
    return columns[:, [records.dtype.names.index(name) for name in names]]


def from_table(values: npt.ArrayLike, names: tuple[str, ...]) -> Records:
    """The inverse of `table`."""
    columns = np.array(values, dtype=np.float64, order="C")  # a copy: nobody else's data change with the records
    return columns.view(_layout(names))[:, 0]
