"""Kernels that only kernels call: compiled once, without machine code of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numba
import pytest

from pushpoint._jit import entry_point, fused, kernel
from pushpoint._user_cache import ROOT

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@kernel
def either(x: float, first: bool, times: int) -> float:
    return x + 1.0 if first else times * x


@fused
def twice(x: float, times: int) -> float:
    return either(x, True, times) + either(x, False, 3)


@entry_point
def everything(x: float, times: int) -> float:
    return twice(x, 2) + twice(x, times) + either(x, times > 1, 0)


def compiled(function: Any) -> Any:
    """The one version that there is of a function, past the cache."""
    (version,) = function.overloads.values()
    return version


def has_machine_code(version: Any) -> bool:
    return bool(version.library.codegen._engine.is_symbol_defined(version.fndesc.llvm_func_name))


@pytest.fixture(autouse=True)
def past_the_cache() -> None:
    cast(Any, everything).compile((numba.float64, numba.int64))


def test_constants_among_arguments_are_no_reason_to_compile_again() -> None:
    assert everything(0.5, 4) == 1.5 + 1.5 + 1.5 + 1.5 + 1.5
    assert compiled(either).signature.args == (numba.float64, numba.boolean, numba.int64)
    assert compiled(twice).signature.args == (numba.float64, numba.int64)


def test_only_entry_points_have_machine_code() -> None:
    assert has_machine_code(compiled(everything))
    assert not has_machine_code(compiled(either))
    assert not has_machine_code(compiled(twice))


def test_other_packages_compile_as_ever() -> None:
    @numba.njit
    def theirs(x: float) -> float:
        return 2.0 * x

    @numba.njit
    def caller(x: float) -> float:
        return float(theirs(x))

    assert caller(2.0) == 4.0
    assert has_machine_code(compiled(theirs))


# In a process of its own, so that nothing comes from a cache.
COMPILE_ANEW = """
import sys
import pushpoint as pp
pp.simulate(sys.argv[1], duration=0.1)
for module in [m for name, m in sys.modules.items() if name.startswith("pushpoint.")]:
    for name, found in vars(module).items():
        if len(getattr(found, "overloads", ())) > 1:
            print(module.__name__, name, found.signatures)
"""


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["liljeback2010/rows", "transeth2008b/sidewinding"])
def test_every_kernel_of_a_plant_is_compiled_once(scenario: str, tmp_path: Path) -> None:
    command, places = [sys.executable, "-c", COMPILE_ANEW, scenario], os.environ | {ROOT: str(tmp_path / "cache")}
    done = subprocess.run(command, env=places, capture_output=True, text=True, check=True)
    assert "compiling" in done.stderr
    assert done.stdout == ""
