"""One compiled function called many times, with other arguments each time, in one call from Python.

The function stays the machine code that it is. A small loop beside it, made of LLVM's intermediate code in a few
hundredths of a second, takes the arguments of each call from a row of 64-bit words and calls it by its address:

    for each item of order, a block at a time:  results[item] = error, *function(*rows[item])

Threads share a counter, from which each takes its next block; Python's lock is released meanwhile.
"""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core.compiler_lock import global_compiler_lock

IntArray = npt.NDArray[np.int64]

RESULT = 4  # words per item: whether the call raised an error, and up to three whole numbers that it returned
WORD, BYTE = ir.IntType(64), ir.IntType(8)
_loops: dict[Any, Loop | None] = {}  # by function and kinds of arguments


class Loop:
    """Calls of one compiled function."""

    def __init__(self, library: Any, name: str, words: int) -> None:
        self._library = library  # its machine code lives as long
        self.words = words
        numbers = [ctypes.c_void_p, ctypes.c_int64, *[ctypes.c_void_p] * 3, ctypes.c_int64]
        self._call = ctypes.CFUNCTYPE(None, *numbers)(library.get_pointer_to_function(name))

    def __call__(self, order: IntArray, rows: IntArray, results: IntArray, counter: IntArray, block: int) -> None:
        """Items of `order`, until the counter is beyond its end; `rows` are addresses, all arrays C-contiguous."""
        self._call(order.ctypes.data, len(order), rows.ctypes.data, results.ctypes.data, counter.ctypes.data, block)


def words_of(arguments: tuple[Any, ...]) -> tuple[IntArray, tuple[Any, ...]]:
    """Arguments as words, in the order in which compiled functions take them, and of which kinds they are."""
    words: list[int] = []
    kinds: list[Any] = []
    _append(arguments, words, kinds)
    return np.array(words, dtype=np.int64), tuple(kinds)


def _append(value: Any, words: list[int], kinds: list[Any]) -> None:
    if isinstance(value, np.ndarray):
        flags = value.flags
        # Numba's array: no owner, twice; items, bytes of one, address, shape, strides
        words += (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
        kinds.append((value.dtype, value.ndim, flags.c_contiguous, flags.writeable, flags.aligned))
    elif isinstance(value, tuple):
        kinds.append(type(value))
        for part in value:
            _append(part, words, kinds)
    elif value is None:
        words.append(0)
        kinds.append(None)
    elif isinstance(value, float):
        words += struct.unpack("=q", struct.pack("=d", value))
        kinds.append(float)
    else:
        words.append(int(value))
        kinds.append(type(value))


def kinds_of(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Of which kinds arguments are: where these are equal, so are Numba's types."""
    return words_of(arguments)[1]


def loop_of(function: Any, arguments: tuple[Any, ...], kinds: tuple[Any, ...]) -> Loop | None:
    """The loop over a function that has been called with arguments of these kinds before; None without a compiler, and
    where the function takes or returns what such a loop cannot handle."""
    key = (function, kinds)
    if key not in _loops:
        _loops[key] = None if numba.config.DISABLE_JIT else _made(function, arguments)
    return _loops[key]


def _made(function: Any, arguments: tuple[Any, ...]) -> Loop | None:
    version = function.overloads[tuple(numba.typeof(argument) for argument in arguments)]
    context, signature = version.target_context, version.signature
    called = context.call_conv.get_function_type(signature.return_type, signature.args)
    returned, takes = called.args[0].pointee, called.args[2:]
    known = all(isinstance(kind, ir.PointerType | ir.DoubleType) or kind == WORD for kind in takes)
    if not known or not isinstance(returned, ir.ArrayType) or returned.element != WORD or returned.count >= RESULT:
        return None
    name, library = "many_calls", context.codegen().create_library("many_calls")
    module = library.create_ir_module(name)
    address = version.library.get_pointer_to_function(version.fndesc.llvm_func_name)
    _write(module, name, called, address)
    library.add_ir_module(module)
    with global_compiler_lock:
        library.finalize()
    return Loop(library, name, len(takes))


def _write(module: Any, name: str, called: Any, address: int) -> None:
    """The loop, as intermediate code."""
    words = WORD.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [words, WORD, words.as_pointer(), words, words, WORD])
    function = ir.Function(module, kind, name)
    order, count, rows, results, counter, block = function.args
    entry, take, begin, item, done = (
        function.append_basic_block(part) for part in ("", "take", "begin", "item", "done")
    )
    b = ir.IRBuilder(entry)
    returned, raised = b.alloca(called.args[0].pointee), b.alloca(called.args[1].pointee)
    callee = b.inttoptr(WORD(address), called.as_pointer())
    b.branch(take)

    b.position_at_end(take)
    first = b.atomic_rmw("add", counter, block, "monotonic")
    b.cbranch(b.icmp_signed("<", first, count), begin, done)

    b.position_at_end(begin)
    end = b.add(first, block)
    end = b.select(b.icmp_signed("<", end, count), end, count)
    b.branch(item)

    b.position_at_end(item)
    at = b.phi(WORD)
    at.add_incoming(first, begin)
    which = b.load(b.gep(order, [at]))
    arguments = _loaded(b, b.load(b.gep(rows, [which])), called.args[2:])
    error = b.call(callee, [returned, raised, *arguments])
    out = b.gep(results, [b.mul(which, WORD(RESULT))])
    b.store(b.sext(error, WORD), out)
    for k in range(called.args[0].pointee.count):
        value = b.load(b.gep(returned, [WORD(0), ir.IntType(32)(k)]))
        b.store(value, b.gep(out, [WORD(1 + k)]))
    following = b.add(at, WORD(1))
    at.add_incoming(following, item)
    b.cbranch(b.icmp_signed("<", following, end), item, take)

    b.position_at_end(done)
    b.ret_void()


def _loaded(b: Any, row: Any, kinds: Any) -> list[Any]:
    found = []
    for k, kind in enumerate(kinds):
        word = b.load(b.gep(row, [WORD(k)]))
        if isinstance(kind, ir.PointerType):
            word = b.inttoptr(word, kind)
        elif isinstance(kind, ir.DoubleType):
            word = b.bitcast(word, kind)
        found.append(word)
    return found
