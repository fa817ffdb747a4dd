"""Controllers: from observations to joint commands, in plain Python; one file per controller."""

from pushpoint.control._base import (
    BaseController,
    ControlEvent,
    Controller,
    ControllerState,
    Drawing,
    Drawn,
    Knowing,
    Laid,
    OpenLoop,
    Planned,
    Planning,
    SensorReader,
    ServoReader,
)
from pushpoint.registry import Registry

controllers: Registry[type[Controller]] = Registry("controller", __name__)

__all__ = [
    "BaseController",
    "ControlEvent",
    "Controller",
    "ControllerState",
    "Drawing",
    "Drawn",
    "Knowing",
    "Laid",
    "OpenLoop",
    "Planned",
    "Planning",
    "SensorReader",
    "ServoReader",
    "controllers",
]
