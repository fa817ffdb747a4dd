"""Checksums of files: the last line of a file is the SHA-256 of all bytes before it.

HDF5 ignores what stands behind its own data, so that every reader of NetCDF files still reads such a file. The line is
checked before the HDF5 library sees a byte. Files also hold the text MARK among their attributes: one that has MARK but
no such line has been edited, cut off or lengthened. Files of schema version 1 have neither.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
from pathlib import Path
from typing import BinaryIO

from pushpoint.errors import InvalidInput

MARK = "pushpoint-checksum"
ATTRIBUTE = f"{MARK}: the last line of this file is the SHA-256 of all bytes before it"
HEAD = 64  # [bytes], looked at to see what it is: no NetCDF-4 file is shorter
BLOCK = 1 << 20  # [bytes], read at a time
_LINE = re.compile(rb"\n" + MARK.encode() + rb" sha256 ([0-9a-f]{64}) of ([0-9]{20}) bytes\n")
_SIZE = 1 + len(MARK) + 8 + 64 + 4 + 20 + 7
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_END_AT = {0: 40, 1: 44, 2: 28, 3: 28}  # where superblocks of that version say how long the file is


def seal_of(image: io.BytesIO) -> bytes:
    """The line that has to follow these bytes."""
    with image.getbuffer() as data:
        digest, size = hashlib.sha256(data).hexdigest(), len(data)
    return f"\n{MARK} sha256 {digest} of {size:020d} bytes\n".encode()


def refuse_no_file(path: Path, what: str) -> None:
    """Only files are opened: a pipe would make us wait for ever."""
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {str(path)!r}; expected a {what} written by pushpoint") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(f"file {str(path)!r} cannot be read: {why}") from None
    if not regular:
        raise InvalidInput(f"{str(path)!r} is a folder, a device or a pipe; expected a {what} written by pushpoint")


def is_sealed(path: Path, what: str) -> bool:
    """Whether the file has a checksum, which then fits; one that does not is refused, and so are cut-off files."""
    try:
        with path.open("rb") as file:
            return _has_seal(file, str(path), what)
    except OSError as error:
        raise InvalidInput(f"file {str(path)!r} cannot be read: {error.strerror or error}") from None


def refuse_altered(path: str | Path, how: str) -> None:
    raise InvalidInput(
        f"file {str(path)!r} has changed since pushpoint wrote it: {how}; take a good copy, or accept it as it is with "
        "verify=False (in the command line --no-verify)"
    )


def _has_seal(file: BinaryIO, path: str, what: str) -> bool:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _SIZE))
    line = _LINE.fullmatch(file.read(_SIZE))
    if line is not None:
        if int(line[2]) != size - _SIZE:
            refuse_altered(path, f"it has {size - _SIZE} bytes instead of {int(line[2])}")
        if _digest(file, size - _SIZE) != line[1].decode():
            refuse_altered(path, "its checksum does not fit")
        return True
    file.seek(0)
    head = file.read(HEAD)
    if not head.startswith(_SIGNATURE):
        raise InvalidInput(f"{path!r} is not a {what} of pushpoint: it is no NetCDF-4 file")
    _refuse_cut_off(path, head, size)
    if _holds_mark(file):
        refuse_altered(path, "its checksum is damaged or gone")
    return False


def _digest(file: BinaryIO, size: int) -> str:
    digest, left = hashlib.sha256(), size
    file.seek(0)
    while left > 0:
        block = file.read(min(BLOCK, left))
        if not block:  # it has become shorter meanwhile
            return ""
        digest.update(block)
        left -= len(block)
    return digest.hexdigest()


def _refuse_cut_off(path: str, head: bytes, size: int) -> None:
    """HDF5 says at its beginning how long a file is."""
    at = _END_AT.get(head[8]) if len(head) == HEAD else None
    end = HEAD if at is None else int.from_bytes(head[at : at + 8], "little")
    if size < end:
        refuse_altered(path, f"it has {size} bytes instead of {end} or more")


def _holds_mark(file: BinaryIO) -> bool:
    mark, before = MARK.encode(), b""
    file.seek(0)
    while block := file.read(BLOCK):
        if mark in before + block:
            return True
        before = block[1 - len(mark) :]
    return False
