"""Tests that open pages in headless Chromium. Where there is none they are deselected; `tests/conftest.py` says it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Browser, found

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark all tests of this folder `browser`."""
    mine = [item for item in items if HERE in item.path.parents]
    for item in mine:
        item.add_marker("browser")
    if mine and found() is None:
        config.hook.pytest_deselected(items=mine)
        items[:] = [item for item in items if item not in mine]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened
