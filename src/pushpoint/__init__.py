"""Simulate, plan and control snake robots that push themselves along by the obstacles around them.

Public names are imported when they are first used: importing pushpoint imports neither NumPy nor Numba.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pushpoint._version import __version__

if TYPE_CHECKING:
    from pushpoint import analysis, control, plants, robots, scenarios, sensors, view, worlds
    from pushpoint.api import run_study
    from pushpoint.batch import Batch
    from pushpoint.control import BaseController, Controller, ControllerState
    from pushpoint.control.compiled import CompiledController, compiled_part, compiled_tick
    from pushpoint.errors import Interrupted, InvalidInput, MissingExtra, PushpointError, SolverFailure, UnknownName
    from pushpoint.fields import Frozen as Options
    from pushpoint.many import simulate_many
    from pushpoint.path_plans import plan_path
    from pushpoint.planning.push_path.plan import Plan
    from pushpoint.recording import Checkpoint, Recording, load
    from pushpoint.registering import (
        register_controller,
        register_measure,
        register_robot,
        register_scenario,
        register_sensor,
        register_world,
    )
    from pushpoint.reproduction import Claim
    from pushpoint.robots import Joint, Link, Robot, Servo
    from pushpoint.scenario import Choice, Region, Scenario, Start, Stop
    from pushpoint.search import Search
    from pushpoint.search.engine import run_search
    from pushpoint.sensors import Sensor, SensorOptions
    from pushpoint.simulation import Simulation, resume, simulate
    from pushpoint.studies import Study
    from pushpoint.types import Command, Contacts, Event, Observation, Snapshot
    from pushpoint.user_code import CodeFile, load_code
    from pushpoint.worlds import Box, Cylinder, Disc, Ground, Heightfield, Patch, Polygon, Profile, Wall, World

__all__ = [
    "BaseController",
    "Batch",
    "Box",
    "Checkpoint",
    "Choice",
    "Claim",
    "CodeFile",
    "Command",
    "CompiledController",
    "Contacts",
    "Controller",
    "ControllerState",
    "Cylinder",
    "Disc",
    "Event",
    "Ground",
    "Heightfield",
    "Interrupted",
    "InvalidInput",
    "Joint",
    "Link",
    "MissingExtra",
    "Observation",
    "Options",
    "Patch",
    "Plan",
    "Polygon",
    "Profile",
    "PushpointError",
    "Recording",
    "Region",
    "Robot",
    "Scenario",
    "Search",
    "Sensor",
    "SensorOptions",
    "Servo",
    "Simulation",
    "Snapshot",
    "SolverFailure",
    "Start",
    "Stop",
    "Study",
    "UnknownName",
    "Wall",
    "World",
    "__version__",
    "analysis",
    "compiled_part",
    "compiled_tick",
    "control",
    "load",
    "load_code",
    "plan_path",
    "plants",
    "register_controller",
    "register_measure",
    "register_robot",
    "register_scenario",
    "register_sensor",
    "register_world",
    "resume",
    "robots",
    "run_search",
    "run_study",
    "scenarios",
    "sensors",
    "simulate",
    "simulate_many",
    "view",
    "worlds",
]

_NAMES = {
    "pushpoint.batch": ("Batch",),
    "pushpoint.api": ("run_study",),
    "pushpoint.control.compiled": (
        "CompiledController",
        "compiled_part",
        "compiled_tick",
    ),
    "pushpoint.control": (
        "BaseController",
        "Controller",
        "ControllerState",
    ),
    "pushpoint.errors": (
        "Interrupted",
        "InvalidInput",
        "MissingExtra",
        "PushpointError",
        "SolverFailure",
        "UnknownName",
    ),
    "pushpoint.many": ("simulate_many",),
    "pushpoint.path_plans": ("plan_path",),
    "pushpoint.planning.push_path.plan": ("Plan",),
    "pushpoint.recording": (
        "Checkpoint",
        "Recording",
        "load",
    ),
    "pushpoint.registering": (
        "register_controller",
        "register_measure",
        "register_robot",
        "register_scenario",
        "register_sensor",
        "register_world",
    ),
    "pushpoint.reproduction": ("Claim",),
    "pushpoint.robots": (
        "Joint",
        "Link",
        "Robot",
        "Servo",
    ),
    "pushpoint.scenario": (
        "Choice",
        "Region",
        "Scenario",
        "Start",
        "Stop",
    ),
    "pushpoint.sensors": (
        "Sensor",
        "SensorOptions",
    ),
    "pushpoint.simulation": (
        "Simulation",
        "resume",
        "simulate",
    ),
    "pushpoint.search": ("Search",),
    "pushpoint.search.engine": ("run_search",),
    "pushpoint.studies": ("Study",),
    "pushpoint.types": (
        "Command",
        "Contacts",
        "Event",
        "Observation",
        "Snapshot",
    ),
    "pushpoint.user_code": (
        "CodeFile",
        "load_code",
    ),
    "pushpoint.worlds": (
        "Box",
        "Cylinder",
        "Disc",
        "Ground",
        "Heightfield",
        "Patch",
        "Polygon",
        "Profile",
        "Wall",
        "World",
    ),
}
_HOMES = {name: (home, name) for home, names in _NAMES.items() for name in names}
_HOMES["Options"] = ("pushpoint.fields", "Frozen")  # base of the options of controllers, sensors and plants
_SUBPACKAGES = {"analysis", "control", "plants", "robots", "scenarios", "sensors", "view", "worlds"}


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return importlib.import_module(f"pushpoint.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'pushpoint' has no attribute {name!r}")
    home, original = _HOMES[name]
    value = getattr(importlib.import_module(home), original)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
