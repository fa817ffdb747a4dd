"""What a compiled function depends on, as a hash: its own code, the functions that it calls, the constants it reads.

Numba's cache compares the time of the function's file alone: an edit of a helper in another file, or of a constant
there, would go unnoticed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

MODULES_DEEP = 4  # modules in modules that are followed
LIBRARIES = ("numpy", "numba", "math")  # whose versions count, not their sources


def code_digest(function: Callable[..., Any]) -> str:
    """The same for functions that compile to the same, as far as their sources can say.

    Parameters
    ----------
    function
        A plain Python function.
    """
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _parts(function: Any, seen: set[int]) -> Iterator[str]:
    if id(function) in seen:
        return
    seen.add(id(function))
    yield from _code_parts(function.__code__)
    yield repr(function.__defaults__)
    for cell in function.__closure__ or ():
        yield from _value_parts(cell.cell_contents, (), seen)
    names = tuple(_names(function.__code__))
    for name in names:
        if name in function.__globals__:
            yield name
            yield from _value_parts(function.__globals__[name], names, seen)


def _code_parts(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(constant)


def _names(code: CodeType) -> Iterator[str]:
    """All that it and the functions inside of it read from elsewhere, attributes included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _value_parts(value: Any, names: tuple[str, ...], seen: set[int], depth: int = 0) -> Iterator[str]:
    """`names`: attributes that are read of something, if it is a module."""
    plain = next((found for key in ("py_func", "function") if (found := getattr(value, key, None)) is not None), value)
    if isinstance(plain, FunctionType):
        if plain.__module__ is None or not plain.__module__.startswith(LIBRARIES):
            yield from _parts(plain, seen)
    elif isinstance(value, ModuleType):
        yield value.__name__
        if depth < MODULES_DEEP and not value.__name__.startswith(LIBRARIES):
            for name in names:
                if name in vars(value):
                    yield from _value_parts(vars(value)[name], names, seen, depth + 1)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    else:
        yield repr(value)
