"""Environments for Gymnasium: importing this registers `pushpoint/PegTrack-v0` and the others.

Needs the extra `gym`. Classes are imported when they are first used, so that registering costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pushpoint.errors import MissingExtra

try:
    import gymnasium
except ImportError as error:
    raise MissingExtra("pushpoint.gym", "gym") from error

if TYPE_CHECKING:
    from pushpoint.gym.environment import SnakeEnv
    from pushpoint.gym.observing import Part, Scene, Seen
    from pushpoint.gym.task import Task, TaskOptions
    from pushpoint.gym.vector import SnakeVectorEnv

__all__ = ["Part", "Scene", "Seen", "SnakeEnv", "SnakeVectorEnv", "Task", "TaskOptions", "register"]

_HOMES = {
    "Part": "observing",
    "Scene": "observing",
    "Seen": "observing",
    "SnakeEnv": "environment",
    "SnakeVectorEnv": "vector",
    "Task": "task",
    "TaskOptions": "task",
}
TASKS = {
    "pushpoint/PegTrack-v0": "pushpoint.gym.peg_track:PegTrack",
    "pushpoint/Clutter-v0": "pushpoint.gym.clutter:Clutter",
    "pushpoint/Sidewind-v0": "pushpoint.gym.sidewind:Sidewind",
    "pushpoint/PathFollow-v0": "pushpoint.gym.path_follow:PathFollow",
    "pushpoint/Scenario-v0": "pushpoint.gym.task:Task",
}


def register(name: str, task: type[Task] | str, **options: Any) -> None:
    """Make a task known to Gymnasium, as one environment and as many at once.

    Parameters
    ----------
    name
        Such as ``"own/Backwards-v0"``.
    task
        A subclass of `Task`, or where it is: ``"module:Class"``.
    **options
        Of the task; those that are not given here can be given to ``gymnasium.make``.
    """
    gymnasium.register(
        name,
        entry_point="pushpoint.gym.environment:SnakeEnv",
        vector_entry_point="pushpoint.gym.vector:SnakeVectorEnv",
        kwargs={"task": task, **options},
    )


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pushpoint.gym' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"pushpoint.gym.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


for _name, _task in TASKS.items():
    if _name not in gymnasium.registry:
        register(_name, _task)
