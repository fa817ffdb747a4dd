"""Tests that open pages in headless Chromium; where it is not installed, they are deselected, and that is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import NAMES, Browser, found

ABSENT = f"no Chromium ({', '.join(NAMES)}) in PATH; on Debian: apt-get install chromium"
HERE = Path(__file__).parent
_DESELECTED = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark all tests of this folder `browser`."""
    mine = [item for item in items if HERE in item.path.parents]
    for item in mine:
        item.add_marker("browser")
    if mine and found() is None:
        config.hook.pytest_deselected(items=mine)
        items[:] = [item for item in items if item not in mine]
        config.stash[_DESELECTED] = len(mine)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash.get(_DESELECTED, 0):
        terminalreporter.write_line(f"{count} tests of tests/browser deselected: {ABSENT}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened
