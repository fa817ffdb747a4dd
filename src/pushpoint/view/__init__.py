"""Pictures of recordings: functions that take one and return Matplotlib's axes or figure, and videos.

Names are imported when they are first used. Nothing here changes Matplotlib's global state.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pushpoint.view.figures import figure, save_figure
    from pushpoint.view.movie import video
    from pushpoint.view.run_panels import (
        contact_forces,
        coordinate,
        energy,
        events,
        ground_forces,
        joint_angles,
        joint_torques,
        path,
        scene,
        side,
    )

__all__ = [
    "contact_forces",
    "coordinate",
    "energy",
    "events",
    "figure",
    "ground_forces",
    "joint_angles",
    "joint_torques",
    "path",
    "save_figure",
    "scene",
    "side",
    "video",
]

_HOMES = {"figure": "figures", "save_figure": "figures", "video": "movie"}  # others are in run_panels


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pushpoint.view' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"pushpoint.view.{_HOMES.get(name, 'run_panels')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
