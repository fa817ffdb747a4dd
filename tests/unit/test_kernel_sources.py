"""Which sources the cache of compiled kernels depends on: every module that a kernel can reach by its imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pushpoint
from pushpoint._jit import WITHOUT_KERNELS

PACKAGE = Path(pushpoint.__file__).parent
DECORATED = re.compile(r"^@(kernel|fused|inlined|entry_point)\b", re.MULTILINE)


def module_file(name: str) -> Path | None:
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def imported_by(file: Path) -> set[Path]:
    """Modules of the package that are imported when `file` is; imports for type checkers alone are nested."""
    found: set[Path | None] = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pushpoint"):
            for alias in node.names:
                found.add(module_file(f"{node.module}.{alias.name}") or module_file(node.module or ""))
    return {file for file in found if file is not None}


def reached_from(files: set[Path]) -> set[Path]:
    """These, and all that they import."""
    reached, pending = set(files), list(files)
    while pending:
        new = imported_by(pending.pop()) - reached
        reached |= new
        pending += new
    return reached


def with_kernels(files: Iterable[Path]) -> set[Path]:
    return {file for file in files if DECORATED.search(file.read_text())}


def test_no_kernel_depends_on_what_the_cache_ignores() -> None:
    kernels = with_kernels(PACKAGE.rglob("*.py"))
    assert len(kernels) > 50
    reached = reached_from(kernels)
    assert not {file.relative_to(PACKAGE).parts[0].removesuffix(".py") for file in reached} & WITHOUT_KERNELS


def test_what_the_cache_ignores_exists() -> None:
    assert all((PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file() for name in WITHOUT_KERNELS)
