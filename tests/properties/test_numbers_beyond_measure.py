"""Numbers beyond all measure are refused by name wherever they stand; those at the limits never break anything."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.fields import Frozen
from pushpoint.plants import plants
from pushpoint.registry import Registry
from pushpoint.robots import Servo
from pushpoint.scenario import Choice, Scenario, Start, build
from tests.properties.numeric_fields import INFINITE, Leaf, fields, models, options

FIELDS, OPTIONS = list(fields()), list(options())


def hostile(name: str, leaf: Leaf) -> list[Any]:
    return [value for value in leaf.hostile if not (name in INFINITE and value == INFINITE[name])]


def test_the_walk_is_not_blind() -> None:
    """Numbers in models inside of models, in lists of pairs, in options of factories."""
    found = {f"{model.__name__}.{name}" for model, name, _ in FIELDS}
    assert {"Link.mass", "Start.velocity", "Wave.amplitude", "Sensing.latency", "Wall.points", "Loop.integral"} <= found
    assert {"Heightfield.heights", "Study.beyond", "PegForce.force", "SerpenoidOptions.amplitude"} <= found
    assert len(FIELDS) > 200
    assert len(OPTIONS) > 100


@pytest.mark.parametrize("model", models())
def test_no_field_takes_a_number_beyond_measure(model: type[Frozen]) -> None:
    """1e308, infinities, NaN, whole numbers of 400 digits, and 1e-308 where zero is not allowed."""
    for owner, name, leaf in FIELDS:
        if owner is not model or name == "schema_version":
            continue
        for value in hostile(name, leaf):
            with pytest.raises(InvalidInput) as refusal:
                model.parse({name: leaf.wrap(value)})
            assert re.search(rf"\b{model.__name__}\.{name}( =|\.|:)", str(refusal.value)), (name, value, refusal.value)


FACTORIES = list(dict.fromkeys((registry, name) for registry, name, _, _ in OPTIONS))


@pytest.mark.parametrize(("registry", "name"), FACTORIES)
def test_no_option_takes_a_number_beyond_measure(registry: Registry[Any], name: str) -> None:
    for owner, factory, option, leaf in OPTIONS:
        if owner is not registry or factory != name:
            continue
        for value in hostile(option, leaf):
            with pytest.raises(InvalidInput) as refusal:
                build(registry, Choice(name=name, options={option: leaf.wrap(value)}), seed=0)
            assert re.search(rf"\b{registry.kind}\.{option}( =|\.)", str(refusal.value)), (option, value, refusal.value)


@pytest.mark.parametrize(
    "key", ["duration", "control_period", "record_period", "seed", "start.angle", "servo.stiffness"]
)
@pytest.mark.parametrize("value", [1e308, -1e308, math.inf, math.nan, 10**30, 1e-308])
def test_no_override_takes_a_number_beyond_measure(key: str, value: Any) -> None:
    if (key, value) in {("start.angle", 1e-308)}:
        return
    with pytest.raises(InvalidInput, match=re.escape(key)):
        pp.simulate("transeth2008a/track", {key: value})


# --- at the limits ---

BASE = {"name": "lab/x", "robot": "aiko", "world": "track", "controller": "serpenoid", "duration": 0.02}
ALL = {"name": "planar_stepping", "options": {"extended": "all"}}  # one compilation for all robots and worlds
MOST_WHOLE = 200  # counts at their limits take long by right
EXPECTED = (InvalidInput, SolverFailure)  # what may come of it, besides a run


def extremes(leaf: Leaf) -> list[Any]:
    found = [leaf.least, leaf.most, 0.5 * leaf.most, 1e-6 * leaf.most if leaf.least >= 0 else 1e-6 * leaf.least]
    if leaf.whole:
        found = [int(min(value, MOST_WHOLE)) for value in found if math.isfinite(value)]
    return [leaf.wrap(value) for value in dict.fromkeys(found) if math.isfinite(value)]


def attempt(data: dict[str, Any]) -> None:
    """Runs, or says in one line why not; nothing that is not finite comes out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # remarks to people; RuntimeWarnings of NumPy are errors below
        warnings.simplefilter("error", RuntimeWarning)
        try:
            run = pp.simulate(Scenario.parse(data))
        except EXPECTED:
            return
    assert np.isfinite(run.data["link_position"].values).all()


# Runs that take seconds each, and others like them that do not.
LONG = {("aiko-passive-tail", "damping"), ("zigzag", "pieces"), ("ten-link", "radius"), ("uniform", "radius")}


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_robots_and_worlds_at_the_limits_of_their_options(long: bool) -> None:
    for registry, name, option, leaf in OPTIONS:
        if name != "csv" and ((name, option) in LONG) == long:  # csv: a file
            for value in extremes(leaf)[1:2]:
                options = {"name": name, "options": {option: value}}
                attempt(BASE | {"plant": ALL, registry.kind: options, "start": {"overlap": "allow"}})


@pytest.mark.slow
@pytest.mark.parametrize("plant", ["planar_stepping", "spatial_stepping"])
def test_worlds_at_the_limits_of_their_options_in_all_plants(plant: str) -> None:
    for registry, name, option, leaf in OPTIONS:
        if registry.kind == "world" and name != "csv":
            for value in extremes(leaf):
                options = {"name": name, "options": {option: value}}
                attempt(BASE | {"plant": plant, "world": options, "start": {"overlap": "allow"}})


def test_controllers_at_the_limits_of_their_options() -> None:
    for name in controllers:
        for model, option, leaf in FIELDS:
            if model is controllers[name].Options:
                for value in extremes(leaf)[1:2]:
                    attempt(BASE | {"controller": {"name": name, "options": {option: value}}})


@pytest.mark.slow
def test_plants_at_the_limits_of_their_options() -> None:
    for name in plants:
        for model, option, leaf in FIELDS:
            if model is plants[name].Options:
                for value in extremes(leaf):
                    attempt(BASE | {"plant": {"name": name, "options": {option: value}}})


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_starts_and_servos_at_their_limits(long: bool) -> None:
    """Robots that spin as fast as is allowed take seconds: one of them is enough for every day."""
    for model, name, leaf in FIELDS:
        if model in (Start, Servo):
            for k, value in enumerate(extremes(leaf)):
                if (name == "rate" and k > 0) == long:
                    attempt(BASE | {"world": "plane", model.__name__.lower(): {name: value}})
