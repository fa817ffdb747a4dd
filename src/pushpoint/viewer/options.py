"""Options of a scenario as controls: a slider for a number, a list for a choice, a box for yes or no.

Texts have none, whatever they mean: what people change in the viewer are numbers and listed choices, never names of
files. Lists and options that are not set have none either.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import annotated_types
from pydantic.fields import FieldInfo

from pushpoint.control import controllers
from pushpoint.declared import Field, fields_of, parameters_of
from pushpoint.errors import PushpointError
from pushpoint.plants import plants
from pushpoint.robots import robots
from pushpoint.scenario import Choice, Scenario
from pushpoint.simulation import Setup
from pushpoint.worlds import worlds

REACH = 2.0  # a slider goes this many times the present value up and, where numbers may be negative, down
LEAST_SHARE = 0.05  # of the present value, where numbers have to be positive
NOTCHES = 200  # of a slider, about
MOST_SEEDS = 50
LONGEST = 120.0  # [s], of a live run


class Control(NamedTuple):
    """One control."""

    key: str  # of the scenario, dotted
    kind: Literal["number", "whole", "switch", "choice"]
    value: Any  # at present
    low: float = 0.0  # of numbers
    high: float = 0.0
    step: float = 0.0
    choices: tuple[str, ...] = ()
    hint: str = ""  # unit and meaning

    def accepts(self, value: Any) -> bool:
        """Whether a value that came from a page is one that the control offers."""
        if self.kind == "choice":
            return value in self.choices
        if self.kind == "switch":
            return isinstance(value, bool)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if self.kind == "whole":
            is_number = is_number and float(value).is_integer()
        slack = 1e-9 * max(abs(self.low), abs(self.high), 1e-9)
        return is_number and self.low - slack <= value <= self.high + slack


def controls_of(scenario: Scenario) -> list[Control]:
    """All of them: duration and seed, then those of controller, world, robot and plant."""
    found = [*_of_the_run(scenario), *_of_class(scenario, "controller")]
    for part, factories in (("world", worlds), ("robot", robots)):
        chosen = getattr(scenario, part)
        if isinstance(chosen, Choice):
            found += _of_factory(part, factories[chosen.name], chosen.options)
    return [*found, *_of_class(scenario, "plant")]


def _of_class(scenario: Scenario, part: Literal["controller", "plant"]) -> list[Control]:
    item: Any = (controllers if part == "controller" else plants)[getattr(scenario, part).name]
    values = scenario.options_of(part, item.Options)
    fields = item.Options.model_fields.items()
    hints = {name: typing.Annotated[(info.annotation, *info.metadata, None)] for name, info in fields}
    present = {name: getattr(values, name) for name in hints}
    return _listed(part, fields_of(item.Options, own=False), hints, present)


def _of_the_run(scenario: Scenario) -> Iterator[Control]:
    tick = scenario.control_period
    high = max(scenario.duration, min(LONGEST, 3 * scenario.duration))
    step = max(1, round(0.5 / tick)) * tick
    yield Control("duration", "number", scenario.duration, step, high, step, hint="[s] of the run")
    if 0 <= scenario.seed <= MOST_SEEDS:
        yield Control("seed", "whole", scenario.seed, 0, MOST_SEEDS, 1, hint="of random numbers")


def _of_factory(part: str, factory: Any, given: dict[str, Any]) -> list[Control]:
    parameters = inspect.signature(factory).parameters
    values = {name: given.get(name, each.default) for name, each in parameters.items() if name != "seed"}
    try:
        hints = typing.get_type_hints(factory, include_extras=True)
    except (NameError, TypeError):
        return []
    return _listed(part, parameters_of(factory), hints, values)


def _listed(part: str, fields: list[Field], hints: dict[str, Any], values: dict[str, Any]) -> list[Control]:
    said = {field.name: f"[{field.unit}] {field.text}" if field.unit else field.text for field in fields}
    found = (
        control_of(f"{part}.{name}", hints[name], value, said.get(name, ""))
        for name, value in values.items()
        if name in hints
    )
    return [control for control in found if control is not None]


def control_of(key: str, hint: Any, value: Any, said: str = "") -> Control | None:
    """The control of one option, by its type and its present value; None if it has none."""
    hint = _member(hint, value)
    kind = _plain_type(hint)
    if isinstance(kind, tuple):
        return Control(key, "choice", value, choices=kind, hint=said) if value in kind else None
    if kind is bool:
        return Control(key, "switch", value, hint=said) if isinstance(value, bool) else None
    if kind is None or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    low, high = _range(hint, float(value))
    if kind is int:
        return Control(key, "whole", int(value), math.ceil(low), math.floor(high), 1, hint=said)
    step = _round_step((high - low) / NOTCHES)
    lowest, highest, positive = bounds_of(hint)
    low = low if positive else max(lowest, step * math.floor(low / step))
    high = min(highest, step * math.ceil(high / step))
    low, high = (float(f"{bound:.12g}") for bound in (low, high))
    return Control(key, "number", float(value), min(low, value), max(high, value), step, hint=said)


def _range(hint: Any, value: float) -> tuple[float, float]:
    """From where to where a slider goes: about the present value, within what is declared."""
    lowest, highest, positive = bounds_of(hint)
    reach = REACH * abs(value) if value else 1.0
    low = LEAST_SHARE * value if positive else value - reach
    return min(max(low, lowest), value), max(min(value + reach, highest), value)


def _member(hint: Any, value: Any) -> Any:
    """Of a union, such as a number or a schedule of numbers, the member that the present value is of."""
    if typing.get_origin(hint) is typing.Annotated:
        inner, *rest = typing.get_args(hint)
        return typing.Annotated[(_member(inner, value), *rest)]
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return hint
    for member in typing.get_args(hint):
        kind = _plain_type(member)
        if (isinstance(kind, tuple) and value in kind) or (
            (kind is bool) == isinstance(value, bool) and kind is not None
        ):
            return member
    return hint


def _plain_type(hint: Any) -> Any:
    """float, int, bool, the texts of a Literal, or None for all others."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _plain_type(inner[0])
    if origin is Literal:
        return inner if all(isinstance(each, str) for each in inner) else None
    return hint if hint in (float, int, bool) else None


def bounds_of(hint: Any) -> tuple[float, float, bool]:
    """Lowest and highest number that an option may have, and whether it has to be positive."""
    low, high, positive = -math.inf, math.inf, False
    if typing.get_origin(hint) is not typing.Annotated:
        return low, high, positive
    inner = typing.get_args(hint)
    low, high, positive = bounds_of(inner[0])
    entries = [item for entry in inner[1:] for item in (entry.metadata if isinstance(entry, FieldInfo) else [entry])]
    for item in entries:
        if isinstance(item, annotated_types.Ge | annotated_types.Gt):
            number = float(item.ge if isinstance(item, annotated_types.Ge) else item.gt)  # type: ignore[arg-type]
            low, positive = max(low, number), positive or (isinstance(item, annotated_types.Gt) and number >= 0)
        if isinstance(item, annotated_types.Le | annotated_types.Lt):
            number = float(item.le if isinstance(item, annotated_types.Le) else item.lt)  # type: ignore[arg-type]
            high = min(high, number)
    return low, high, positive


def _round_step(step: float) -> float:
    """1, 2 or 5 times a power of ten, not above a step."""
    if step <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(step))
    return float(max(part * power for part in (1, 2, 5) if part * power <= step * (1 + 1e-9)))


def plants_for(scenario: Scenario) -> list[str]:
    """Plants that can run it, its own first; each is built once to see."""
    own = scenario.plant.name
    return [own, *(name for name in plants if name != own and _runs(scenario, name))]


def _runs(scenario: Scenario, plant: str) -> bool:
    try:
        Setup.of(scenario.with_overrides({"plant": plant}))
    except (PushpointError, ImportError):
        return False
    return True
