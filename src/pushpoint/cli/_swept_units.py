"""Units of the fields that a study sweeps, as their source declares them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from pushpoint.declared import Field, fields_of, parameters_of
from pushpoint.fields import Frozen
from pushpoint.scenario import BUILT, Choice, Scenario

if TYPE_CHECKING:
    from pushpoint.studies import Study


def swept_units(study: Study) -> dict[str, str]:
    """By dotted key; those without a unit, or whose unit nobody declares, are left out."""
    scenario = study.base_scenario
    found = {key: _unit(scenario, key.split(".")) for key in study.sweep}
    return {key: unit for key, unit in found.items() if unit}


def _unit(scenario: Scenario, parts: list[str]) -> str:
    first, *rest = parts
    if not rest:
        return _of(fields_of(Scenario), first)
    if first in ("controller", "plant"):
        return _of(fields_of(_options(scenario, first)), rest[0]) if len(rest) == 1 else ""
    if first in BUILT:
        choice = getattr(scenario, first)
        if isinstance(choice, Choice) and len(rest) == 1 and (unit := _of(_parameters(first, choice.name), rest[0])):
            return unit
        return _nested(BUILT[first], rest)
    return _nested(Scenario, parts)


def _options(scenario: Scenario, part: str) -> type:
    from pushpoint.control import controllers
    from pushpoint.plants import plants

    kind: type = (
        plants[scenario.plant.name].Options if part == "plant" else controllers[scenario.controller.name].Options
    )
    return kind


def _parameters(part: str, name: str) -> list[Field]:
    from pushpoint.robots import robots
    from pushpoint.worlds import worlds

    return parameters_of(robots[name] if part == "robot" else worlds[name])


def _nested(kind: Any, parts: list[str]) -> str:
    """Of a field of a model inside of a model; indices of lists are passed over."""
    first, *rest = parts
    if first.isdecimal():
        return _nested(kind, rest) if rest else ""
    if not rest:
        return _of(fields_of(kind), first)
    field = kind.model_fields.get(first)
    inner = next(_models(field.annotation), None) if field is not None else None
    return _nested(inner, rest) if inner is not None else ""


def _models(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        yield annotation
    for member in get_args(annotation):
        yield from _models(member)


def _of(fields: list[Field], name: str) -> str:
    return next((field.unit for field in fields if field.name == name), "")
