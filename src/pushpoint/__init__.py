"""Simulate, plan and control snake robots that push themselves along by the things around them.

Public names are imported when they are first used: importing pushpoint imports neither NumPy nor Numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pushpoint._version import __version__

if TYPE_CHECKING:
    from pushpoint import control, plants, robots, scenarios, worlds
    from pushpoint.api import run_study, simulate
    from pushpoint.recording import Checkpoint, Recording, load
    from pushpoint.reproduction import Claim
    from pushpoint.robots import Link, Robot, Servo
    from pushpoint.scenario import Choice, Scenario, Start
    from pushpoint.simulation import resume
    from pushpoint.studies import Study
    from pushpoint.types import Command, Observation
    from pushpoint.worlds import Disc, Ground, World

__all__ = [
    "Checkpoint",
    "Choice",
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
    "Start",
    "Study",
    "World",
    "__version__",
    "control",
    "load",
    "plants",
    "resume",
    "robots",
    "run_study",
    "scenarios",
    "simulate",
    "worlds",
]

_HOMES = {
    "Checkpoint": "pushpoint.recording",
    "Choice": "pushpoint.scenario",
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
    "Start": "pushpoint.scenario",
    "Study": "pushpoint.studies",
    "World": "pushpoint.worlds",
    "load": "pushpoint.recording",
    "resume": "pushpoint.simulation",
    "run_study": "pushpoint.api",
    "simulate": "pushpoint.api",
}
_SUBPACKAGES = {"control", "plants", "robots", "scenarios", "worlds"}  # each with its registry


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return importlib.import_module(f"pushpoint.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'pushpoint' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
