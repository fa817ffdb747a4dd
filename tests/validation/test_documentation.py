"""Every block of code, every console session and every notebook of the documentation runs and prints what it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from docs import _running

PAGES = [page for page in _running.pages() if _running.steps(page)]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(_running.ROOT).as_posix())
def test_page(page: Path) -> None:
    """In a process of its own, as pages register names."""
    done = subprocess.run(
        [sys.executable, _running.__file__, str(page)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
