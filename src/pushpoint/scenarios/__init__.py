"""Scenarios: runs as data, one file per paper, named `key/slug`."""

from collections.abc import Callable
from typing import Any

from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios._finding import Source as Source
from pushpoint.scenarios._finding import find_scenario as find_scenario
from pushpoint.scenarios._finding import is_file as is_file
from pushpoint.scenarios._finding import scenarios
from pushpoint.scenarios._finding import with_its_files as with_its_files


def chosen(name: str, **options: Any) -> Choice:
    """A registered robot, world, plant or controller with options."""
    return Choice(name=name, options=options)


def family(key: str, source: str, **common: Any) -> Callable[..., None]:
    """A function that registers a run `key/slug` with a title and fields; those left out are `common`. In `source`, {}
    stands for where the run comes from."""

    def add(slug: str, title: str, where: str = "", **fields: Any) -> None:
        name = f"{key}/{slug}"
        fields = common | {"source": source.format(where)} | fields
        scenarios.add(name, Scenario(name=name, title=title, **fields))

    return add


__all__ = ["scenarios"]
