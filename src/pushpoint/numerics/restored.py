"""Arrays that come from a file, checked against freshly made ones before compiled code sees them.

Kernels check no index: a wrong one reads and writes anywhere. So names, types and shapes are those of a template, all
numbers are finite, and those that serve as indices or counts are within limits that stand in a table beside the model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput

LARGEST = 1e15  # of any number in a state: no quantity of a run comes near it, and it still fits an integer
MOST_COUNT = 2**53  # of whole numbers without a limit of their own
LAYOUT = "layout"  # name of the text that lists arrays and fields, in states that have one

Arrays = Mapping[str, Any]
Fields = Mapping[str, tuple[str, ...]]  # of arrays of records, by name


class Limit(NamedTuple):
    """What entries may be, both ends included."""

    low: float
    high: float
    rising: bool = False  # whether none may be smaller than the one before


Limits = Mapping[str, Limit]  # by array, by "array.field" of records, or by "array.3" for the fourth column


def layout(template: Arrays, fields: Fields) -> np.ndarray:
    """A text that is another one whenever arrays or fields have other names or another order."""
    parts = (f"{name}:{','.join(fields[name])}" if name in fields else name for name in template if name != LAYOUT)
    return np.array(" ".join(parts))


def restored(
    what: str,
    arrays: Arrays,
    template: Arrays,
    limits: Limits,
    fields: Fields | None = None,
    growing: Collection[str] = (),
    unbounded: Collection[str] = (),
) -> dict[str, Any]:
    """Copies of the arrays in the order of the template; InvalidInput, in one line, if anything does not fit.

    `growing` arrays may have more or fewer rows than the template's; `unbounded` ones may hold infinities and NaN.
    """
    known = {name: array for name, array in template.items() if name != LAYOUT}
    wanted = str(layout(template, fields or {}))
    if LAYOUT in template and str(arrays.get(LAYOUT, wanted)) != wanted:
        raise InvalidInput(f"{what}: it was written by a version of pushpoint with another layout of the state")
    for name in sorted(known.keys() ^ (arrays.keys() - {LAYOUT})):
        raise InvalidInput(f"{what}: array {name!r} {'is missing' if name in known else 'does not belong to it'}")
    for name, made in known.items():
        _refuse_form(f"{what}: array {name!r}", arrays[name], made, name in growing)
        if name not in unbounded:
            _refuse_wild(f"{what}: array {name!r}", arrays[name])
    for name in known:
        for label, column, limit in _limited(name, arrays[name], limits, (fields or {}).get(name, ())):
            _refuse_outside(f"{what}: {label}", column, limit)
    return {name: np.array(arrays[name], dtype=made.dtype, order="C") for name, made in known.items()}


def _refuse_form(what: str, found: Any, made: np.ndarray, growing: bool) -> None:
    if not isinstance(found, np.ndarray):
        raise InvalidInput(f"{what} is {type(found).__name__}, not an array")
    if found.dtype != made.dtype:
        raise InvalidInput(f"{what} holds {found.dtype}; expected {made.dtype}")
    wanted: tuple[Any, ...] = ("any", *made.shape[1:]) if growing else made.shape
    fits = found.ndim == made.ndim and all(w in (h, "any") for h, w in zip(found.shape, wanted, strict=True))
    if not fits:
        raise InvalidInput(f"{what} has shape {found.shape}; expected {wanted}")


def _refuse_wild(what: str, found: np.ndarray) -> None:
    """Refuse NaN, infinities and floats that are too large for arithmetic with them."""
    if found.dtype.kind != "f":
        return
    wild = ~(np.abs(found) <= LARGEST)
    if wild.any():
        raise InvalidInput(f"{what} holds {found[wild].flat[0]}; allowed are numbers of size up to {LARGEST:g}")


def _limited(
    name: str, array: np.ndarray, limits: Limits, fields: tuple[str, ...]
) -> Iterator[tuple[str, np.ndarray, Limit]]:
    """Parts of an array with their limits; whole numbers always have one."""
    if name in limits:
        yield name, array, limits[name]
    elif array.dtype.kind in "iu":
        yield name, array, Limit(-MOST_COUNT, MOST_COUNT)
    columns = fields or tuple(str(k) for k in range(array.shape[-1] if array.ndim else 0))
    for k, column in enumerate(columns):
        if f"{name}.{column}" in limits:
            yield f"{name}.{column}", array[..., k : k + 1], limits[f"{name}.{column}"]


def _refuse_outside(what: str, found: np.ndarray, limit: Limit) -> None:
    outside = ~((found >= limit.low) & (found <= limit.high))
    if outside.any():
        raise InvalidInput(f"{what} = {found[outside].flat[0]}; allowed is {limit.low:.15g} to {limit.high:.15g}")
    if limit.rising and np.any(np.diff(found) < 0):
        raise InvalidInput(f"{what} = {found.tolist()[:8]}...; it may not fall")
