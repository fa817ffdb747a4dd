"""Simulate, plan and control snake robots that push themselves along by the things around them.

Public names are imported when they are first used: importing pushpoint imports neither NumPy nor Numba.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pushpoint._version import __version__

if TYPE_CHECKING:
    from pushpoint.api import simulate
    from pushpoint.control import controllers
    from pushpoint.plants import plants
    from pushpoint.recording import Checkpoint, Recording, load
    from pushpoint.reproduction import Claim
    from pushpoint.robots import Link, Robot, Servo, robots
    from pushpoint.scenario import Scenario
    from pushpoint.scenarios import scenarios
    from pushpoint.simulate import resume
    from pushpoint.types import Command, Observation
    from pushpoint.worlds import Disc, Ground, World, worlds

__all__ = [
    "Checkpoint",
    "Claim",
    "Command",
    "Disc",
    "Ground",
    "Link",
    "Observation",
    "Recording",
    "Robot",
    "Scenario",
    "Servo",
    "World",
    "__version__",
    "controllers",
    "load",
    "plants",
    "resume",
    "robots",
    "scenarios",
    "simulate",
    "worlds",
]

_HOMES = {
    "Checkpoint": "pushpoint.recording",
    "Claim": "pushpoint.reproduction",
    "Command": "pushpoint.types",
    "Disc": "pushpoint.worlds",
    "Ground": "pushpoint.worlds",
    "Link": "pushpoint.robots",
    "Observation": "pushpoint.types",
    "Recording": "pushpoint.recording",
    "Robot": "pushpoint.robots",
    "Scenario": "pushpoint.scenario",
    "Servo": "pushpoint.robots",
    "World": "pushpoint.worlds",
    "controllers": "pushpoint.control",
    "load": "pushpoint.recording",
    "plants": "pushpoint.plants",
    "resume": "pushpoint.simulate",
    "robots": "pushpoint.robots",
    "scenarios": "pushpoint.scenarios",
    "simulate": "pushpoint.api",
    "worlds": "pushpoint.worlds",
}


class _Package(ModuleType):
    """Some public names (`simulate`, `robots`, ...) are also names of modules.

    Importing such a module would bind it here and hide the public name; so that binding is skipped. The
    module itself stays reachable by ``from pushpoint.robots import ...``.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _HOMES and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pushpoint' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
