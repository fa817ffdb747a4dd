"""Functions that register what people write in files of their own, under a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pushpoint.analysis import measure
from pushpoint.control import Controller, controllers
from pushpoint.errors import InvalidInput, shown
from pushpoint.robots import RobotFactory, robots
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.sensors import Sensor, sensors
from pushpoint.worlds import WorldFactory, worlds

T = TypeVar("T")
S = TypeVar("S", bound=type[Sensor])
M = TypeVar("M", bound=Callable[..., float])


def register_robot(name: str) -> Callable[[RobotFactory], RobotFactory]:
    """Decorator of a function that returns a Robot.

    Parameters
    ----------
    name
        What scenarios call it. The function's parameters are its options.

    Examples
    --------
    >>> @pp.register_robot("stick")
    ... def stick(links: int = 3) -> pp.Robot:
    ...     link = pp.Link(length=0.1, mass=0.2, inertia=2e-4, radius=0.02)
    ...     return pp.Robot(name="stick", links=(link,) * links)
    >>> "stick" in pp.robots.robots
    True
    """
    return robots.register(name)


def register_world(name: str) -> Callable[[WorldFactory], WorldFactory]:
    """Decorator of a function that returns a World.

    Parameters
    ----------
    name
        What scenarios call it. The function's parameters are its options; one called `seed` gets the scenario's.
    """
    return worlds.register(name)


def register_controller(name: str) -> Callable[[type[T]], type[T]]:
    """Decorator of a controller's class; see BaseController.

    Parameters
    ----------
    name
        What scenarios call it.
    """

    def add(kind: type[T]) -> type[T]:
        registered: Any = kind  # whether it has what a Controller needs is seen when a run is built
        controllers.add(name, registered)
        return kind

    return add


def register_sensor(name: str) -> Callable[[S], S]:
    """Decorator of a sensor's class; see Sensor.

    Parameters
    ----------
    name
        What scenarios and the `uses` of controllers call it.
    """

    def add(kind: S) -> S:
        sensors.add(name, kind)
        return kind

    return add


def register_measure(unit: str = "") -> Callable[[M], M]:
    """Decorator of a function from a Recording (or several) to a number; its name is that of the measure.

    Parameters
    ----------
    unit
        Of the number, such as "m"; empty for ratios and counts.

    Examples
    --------
    >>> @pp.register_measure("m")
    ... def largest_x(run: pp.Recording) -> float:
    ...     \"\"\"Largest x of any link [m].\"\"\"
    ...     return float(run.data["link_position"].sel(axis="x").max())
    >>> pp.analysis.unit_of("largest_x")
    'm'
    """
    return measure(unit)


def register_scenario(scenario: Scenario) -> Scenario:
    """Make a scenario known under its own name, `key/slug`.

    Parameters
    ----------
    scenario
        The scenario.

    Returns
    -------
    Scenario
        The same.
    """
    if not isinstance(scenario, Scenario):
        raise InvalidInput(f"a scenario is registered as {shown(scenario)}; it should be a Scenario")
    scenarios.add(scenario.name, scenario)
    return scenario


__all__ = [
    "Controller",
    "register_controller",
    "register_measure",
    "register_robot",
    "register_scenario",
    "register_sensor",
    "register_world",
]
