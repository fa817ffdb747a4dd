"""What a file may ask of the reader: checked before memory is asked for, and before links are followed.

A recording is a handful of small tables and arrays of numbers and texts. What else HDF5 can hold (links to other files,
references, compound types, arrays that were declared but never written) is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from pushpoint.errors import InvalidInput

MOST_OBJECTS = 4000  # groups and arrays
MOST_ATTRIBUTES = 200  # of an object
MOST_DEPTH = 8  # of groups in groups
MOST_PACKED = 30  # arrays may be this many times as large as what is stored of them, as some people compress files
SPARE = 1 << 20  # [bytes], on top of that
MOST_BYTES = 16 << 30  # of all arrays together
TEXTS = 64  # read at a time
_ONLY_LENGTH = b"This is a netCDF dimension but not a netCDF variable"  # such arrays are never read


def refuse_hostile(path: Path) -> None:
    """Check all that the file declares; raises InvalidInput, or whatever the HDF5 library raises on broken files."""
    size = path.stat().st_size
    with h5py.File(path, "r") as file:
        arrays = _arrays(path, file)
        kept = sum(array.id.get_storage_size() for array in arrays)
        declared = sum(array.size * array.dtype.itemsize for array in arrays if not _is_only_length(array))
        if kept > size:
            _refuse(path, f"its arrays claim {kept} bytes of a file of {size}")
        if declared > MOST_BYTES:
            _refuse(path, f"its arrays have {declared} bytes; at most {MOST_BYTES} are read")
        if declared > MOST_PACKED * kept + SPARE:
            _refuse(path, f"its arrays are declared with {declared} bytes, of which {kept} are stored")
        _refuse_long_texts(path, arrays, size)


def _arrays(path: Path, file: h5py.File) -> list[h5py.Dataset]:
    """All arrays in the file, after a check of all groups and links above them."""
    found: list[h5py.Dataset] = []
    groups: list[tuple[h5py.Group, int]] = [(file, 0)]
    seen = 0
    while groups:
        group, depth = groups.pop()
        _refuse_attributes(path, group)
        seen += len(group)
        if seen > MOST_OBJECTS or depth > MOST_DEPTH:
            _refuse(path, f"it has more than {MOST_OBJECTS} parts, or groups more than {MOST_DEPTH} deep")
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                _refuse(path, f"{name!r} is a link to another place")
            part = group[name]
            if isinstance(part, h5py.Group):
                groups.append((part, depth + 1))
            elif isinstance(part, h5py.Dataset):
                _refuse_array(path, part)
                found.append(part)
            else:
                _refuse(path, f"{name!r} is neither a group nor an array")
    return found


def _refuse_array(path: Path, array: h5py.Dataset) -> None:
    _refuse_attributes(path, array)
    if array.external is not None or array.is_virtual:
        _refuse(path, f"the numbers of {array.name!r} are in another file")
    is_text = h5py.check_string_dtype(array.dtype) is not None
    if array.shape is None or not (is_text or array.dtype.kind in "biufS"):
        _refuse(path, f"{array.name!r} holds {array.dtype}, neither numbers nor texts")


def _refuse_attributes(path: Path, part: Any) -> None:
    """Attributes are single values; only those by which NetCDF ties arrays to their dimensions are lists."""
    if len(part.attrs) > MOST_ATTRIBUTES:
        _refuse(path, f"{part.name!r} has {len(part.attrs)} attributes; at most {MOST_ATTRIBUTES} are read")
    for name in part.attrs:
        many = int(np.prod(part.attrs.get_id(name).shape or (), dtype=float))
        if many > MOST_OBJECTS:
            _refuse(path, f"attribute {name!r} of {part.name!r} has {many} values; at most {MOST_OBJECTS} are read")
        if many > MOST_DEPTH and h5py.check_string_dtype(part.attrs.get_id(name).dtype) is not None:
            _refuse(path, f"attribute {name!r} of {part.name!r} has {many} texts; at most {MOST_DEPTH} are read")


def _is_only_length(array: h5py.Dataset) -> bool:
    name = array.attrs.get("NAME", b"")
    return isinstance(name, bytes) and name.startswith(_ONLY_LENGTH)


def _refuse_long_texts(path: Path, arrays: list[h5py.Dataset], size: int) -> None:
    """Many entries may share one text in the file, but each has one of its own in memory."""
    length = 0
    for array in arrays:
        text = h5py.check_string_dtype(array.dtype)
        if text is None or text.length is not None or _is_only_length(array):
            continue
        if array.ndim > 1:
            _refuse(path, f"{array.name!r} is a table of texts; only lists are read")
        for first in range(0, array.size, TEXTS):
            part = array[first : first + TEXTS] if array.ndim else [array[()]]
            length += sum(len(entry) for entry in part)
            if length > size:
                _refuse(path, f"its texts have more than {size} bytes, the size of the file")


def _refuse(path: Path, why: str) -> None:
    raise InvalidInput(f"file {str(path)!r} is refused: {why}")
