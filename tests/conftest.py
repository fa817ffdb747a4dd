"""For all tests: few variants of the planar kernels, as each takes 10 to 25 CPU seconds to compile. And whether pages
can be opened."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from pushpoint.plants.planar_stepping import extended, variant
from pushpoint.robots import Robot
from pushpoint.worlds import World
from tests.browser.chromium import ABSENT, found


def pytest_configure() -> None:
    """Shells ignore Ctrl-C for what they start in the background, and all that is started from there inherits it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if found() is None:
        terminalreporter.write_line(ABSENT)


@pytest.fixture(autouse=True, scope="session")
def few_variants() -> Iterator[None]:
    """Extended joints come with extended ground, and that with extended contacts: four variants of the eight.

    `verification/test_extended_parts.py` shows that all eight agree.
    """

    def ground(robot: Robot, world: World, dt: float, wanted: bool) -> extended.Ground | None:
        return extended.extended_ground(robot, world, dt, wanted or not robot.has_basic_joints)

    def contacts(robot: Robot, world: World, wanted: bool) -> extended.Contacts | None:
        return extended.extended_contacts(robot, world, wanted or ground(robot, world, 1.0, False) is not None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(variant, "extended_ground", ground)
        patch.setattr(variant, "extended_contacts", contacts)
        yield
