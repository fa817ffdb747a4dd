"""How kernels are compiled that only kernels call: as far as their entry points need, and no further.

Numba optimises every function with all that it calls, and again with each of its callers up to the entry point, and
makes machine code of it every time. That of the entry point is all that ever runs. Left out for the others, compiling
takes a quarter to a third less time, and steps take as long as before.
"""

from __future__ import annotations

from typing import Any

import numba
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.dispatcher import Dispatcher


class _Ingredients(JITCodeLibrary):  # type: ignore[misc]  # Numba has no types
    """LLVM's intermediate code of a kernel and of what it calls, for those who call it."""

    def _optimize_final_module(self) -> None:
        """Not here: when the entry point is optimised, this is a part of it. Each function alone has been."""

    def _finalize_final_module(self) -> None:
        """Numba's, without machine code."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


def is_possible() -> bool:
    """Whether this Numba has all that is used of its inside. If not, kernels are compiled as Numba does it."""
    inside = ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals")
    known = all(hasattr(JITCodeLibrary, name) for name in (*inside, "_verify_declare_only_symbols"))
    return known and hasattr(_dynfunc, "make_function") and hasattr(Dispatcher, "get_call_template")


class InnerCompiler(Compiler):  # type: ignore[misc]  # Numba has no types
    """Numba's compiler, but for where the code goes. Calls find it by a function of Python's that does nothing."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *others: Any) -> None:
        super().__init__(typingctx, targetctx, library, *others)
        if library is None:
            own = self.state.targetctx  # a copy for this function
            self.state.library = _Ingredients(own.codegen(), "kernel")
            own.get_executable = _without_entry_point


def _without_entry_point(library: Any, fndesc: Any, env: Any) -> Any:
    name = fndesc.qualname.split(".")[-1]
    return _dynfunc.make_function(fndesc.lookup_module(), name, "called by kernels only", 0, env, (library,))


def one_version(compiled: Any) -> Any:
    """A compiled function that is compiled once, whatever constants it is called with: to Numba `True` and `0` have
    types of their own, and it would compile a function again for each of them."""
    version = compiled.get_call_template

    def without_constants(args: Any, kws: Any) -> Any:
        base = numba.types.unliteral
        return version(tuple(base(kind) for kind in args), {name: base(kind) for name, kind in kws.items()})

    compiled.get_call_template = without_constants
    return compiled
