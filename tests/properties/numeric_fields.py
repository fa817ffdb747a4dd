"""Every number that somebody may set, wherever it is inside of lists, pairs and models; found without an edit here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pushpoint.control import controllers
from pushpoint.fields import Frozen
from pushpoint.plants import plants
from pushpoint.registry import Registry
from pushpoint.robots import Robot, robots
from pushpoint.scenario import Scenario
from pushpoint.studies import Study
from pushpoint.worlds import Obstacle, World, worlds

INFINITE = {"torque_limit": math.inf, "rate_limit": math.inf, "lower": -math.inf, "upper": math.inf}  # means: none

Wrap = Callable[[Any], Any]


class Leaf(NamedTuple):
    """A number inside of a field: how a value gets there, and what is allowed."""

    wrap: Wrap
    whole: bool
    least: float  # allowed at least, or -inf
    most: float
    positive: bool  # zero is not allowed

    @property
    def hostile(self) -> tuple[Any, ...]:
        tiny = (1e-308, 5e-324) if self.positive and not self.whole else ()
        return 1e308, -1e308, 1.7e308, math.nan, 10**30, -(10**30), 10**400, math.inf, -math.inf, *tiny


def leaves(annotation: Any, metadata: Iterable[Any] = (), wrap: Wrap = lambda v: v) -> Iterator[Leaf]:
    """The numbers of an annotation; those of nested models are found as theirs."""
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from leaves(members[0], [*metadata, *_unpacked(members[1:])], wrap)
    elif origin in (Union, UnionType):
        for member in members:
            yield from leaves(member, metadata, wrap)
    elif origin is tuple and members[-1] is Ellipsis:
        yield from leaves(members[0], (), lambda v: wrap([v]))
    elif origin is tuple:
        for k, member in enumerate(members):
            yield from leaves(member, (), lambda v, k=k: wrap([v if i == k else 0 for i in range(len(members))]))
    elif origin is dict and members[1] is not Any:
        yield from leaves(members[1], (), lambda v: wrap({"x": v}))
    elif annotation in (float, int):
        yield _leaf(annotation, list(metadata), wrap)


def _leaf(kind: type, bounds: list[Any], wrap: Wrap) -> Leaf:
    least = max((getattr(b, name) for b in bounds for name in ("ge", "gt") if hasattr(b, name)), default=-math.inf)
    most = min((getattr(b, name) for b in bounds for name in ("le", "lt") if hasattr(b, name)), default=math.inf)
    positive = least > 0 or any(getattr(b, "gt", -1) == 0 for b in bounds)
    return Leaf(wrap, kind is int, least, most, positive)


def _unpacked(metadata: Iterable[Any]) -> Iterator[Any]:
    for item in metadata:
        yield from item.metadata if isinstance(item, FieldInfo) else (item,)


def models() -> list[type[Frozen]]:
    """All that user data are made of: what is registered, and what that is made of."""
    found: dict[type[Frozen], None] = {}
    waiting: list[Any] = [Robot, World, Scenario, Study, *Obstacle.kinds.values()]
    waiting += [registry[name].Options for registry in (plants, controllers) for name in registry]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            if kind not in found:
                found[kind] = None
                waiting += [field.annotation for field in kind.model_fields.values()]
        elif kind is not NoneType:
            waiting += get_args(kind)
    return list(found)


def fields() -> Iterator[tuple[type[Frozen], str, Leaf]]:
    """(model, field, number) of all models."""
    for model in models():
        for name, field in model.model_fields.items():
            for leaf in leaves(field.annotation, field.metadata):
                yield model, name, leaf


def options() -> Iterator[tuple[Registry[Any], str, str, Leaf]]:
    """(registry, name, option, number) of all robots and worlds."""
    for registry in (robots, worlds):
        for name in registry:
            for option, hint in get_type_hints(registry[name], include_extras=True).items():
                if option != "return":
                    for leaf in leaves(hint):
                        yield registry, name, option, leaf
