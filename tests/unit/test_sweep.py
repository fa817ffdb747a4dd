"""Sweeps: values of fields from lists, ranges and samples; in files, in Python and on the command line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import qmc

from pushpoint.cli._sweep import parsed_sweep
from pushpoint.cli._swept_units import swept_units
from pushpoint.errors import InvalidInput
from pushpoint.scenario import AS_WRITTEN
from pushpoint.studies import Study
from pushpoint.studies.sweep import Axis, Points, Samples

FLAT = "transeth2008a/flat"
FRICTION, AMPLITUDE = "world.ground.friction", "controller.amplitude"


def swept(**fields: Any) -> Study:
    return Study.parse({"scenario": FLAT} | fields, AS_WRITTEN)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("0.1:0.5:9", (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)),  # ends included, and no 0.15000000000000002
        ("5:20:4", (5, 10, 15, 20)),  # whole numbers stay whole
        ("1:2:3", (1.0, 1.5, 2.0)),
        ("1e-3:1:4:log", (0.001, 0.01, 0.1, 1.0)),
        ("0.5:0.1:3", (0.5, 0.3, 0.1)),
        ("7:7:1", (7,)),
        ("0.1,0.3", (0.1, 0.3)),
        ("planar_stepping,mujoco", ("planar_stepping", "mujoco")),
        ("[0, 1],[0, 2]", ([0, 1], [0, 2])),
        ("true,null", (True, None)),
    ],
)
def test_words_of_the_command_line(words: str, values: tuple[Any, ...]) -> None:
    key, axis = parsed_sweep(f"{FRICTION}={words}")
    assert key == FRICTION
    assert Axis.parse(axis).listed == values
    assert all(type(found) is type(value) for found, value in zip(Axis.parse(axis).listed, values, strict=True))


@pytest.mark.parametrize("words", ["a", "a=", "=1", "a=1:2", "a=1:2:x", "a=1:2:3:4", "a=1..", "a=1..2..3", "a=1,2:log"])
def test_words_that_are_no_sweep(words: str) -> None:
    with pytest.raises(InvalidInput, match="--sweep"):
        parsed_sweep(words)


def test_crossed_fields_give_all_pairs_in_order() -> None:
    study = swept(sweep={FRICTION: {"start": 0.1, "end": 0.3, "count": 3}, AMPLITUDE: [0.4, 0.5]}, repeats=2)
    assert (study.runs, len(study.points), study.seeds) == (12, 6, (0, 1))
    assert [tuple(point.values()) for point in study.points] == [(f, a) for f in (0.1, 0.2, 0.3) for a in (0.4, 0.5)]
    places = [study.place_of(number) for number in range(study.runs)]
    assert places == [("base", point, seed) for point in range(6) for seed in range(2)]
    scenario = study.scenario_of("base", seed=1, point=3)
    assert (scenario.built_world().ground.friction, scenario.controller.options["amplitude"]) == (0.2, 0.5)
    assert Study.from_yaml(study.to_yaml()) == study
    assert swept(sweep={AMPLITUDE: [1.0]}).seeds == (0,)
    assert len(swept().seeds) == 20


@pytest.mark.parametrize("method", ["sobol", "random"])
def test_samples_fill_their_bounds_and_repeat(method: str) -> None:
    axes = {"a": Axis(low=0.0, high=1.0), "b": Axis(low=1e-3, high=10.0, spacing="log"), "n": Axis(low=5, high=8)}
    points = Points(axes, Samples(count=256, method=method, seed=3))
    found = list(points)
    assert found == list(Points(axes, Samples(count=256, method=method, seed=3)))
    assert found != list(Points(axes, Samples(count=256, method=method, seed=4)))
    a, b, n = (np.array([point[key] for point in found]) for key in axes)
    assert a.min() < 0.02 < 0.98 < a.max()
    assert abs(np.log10(b).mean() + 1.0) < 0.15  # the middle of -3 and 1
    assert {int(value) for value in n} == {5, 6, 7, 8}
    assert all(isinstance(point["n"], int) for point in found)
    if method == "sobol":
        assert qmc.discrepancy(np.column_stack([a, np.log10(b) / 4.0 + 0.75])) < 1e-3
    assert Study.from_yaml((study := swept(sweep={"n": axes["n"].plain()}, samples=4)).to_yaml()) == study


def test_samples_are_crossed_with_lists() -> None:
    study = swept(sweep={AMPLITUDE: [0.4, 0.5], FRICTION: {"low": 0.1, "high": 0.5}}, samples={"count": 4})
    assert len(study.points) == 8
    assert [point[AMPLITUDE] for point in study.points] == [0.4, 0.5] * 4
    assert list(study.points[0]) == [AMPLITUDE, FRICTION]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"sweep": {"a": 3}}, "sweep.a = 3: should be a list"),
        ({"sweep": {"a": []}}, "there are none"),
        ({"sweep": {"a": {"start": 0, "end": 1}}}, "give values, or start, end and count, or low and high"),
        ({"sweep": {"a": {"start": 0, "end": 1, "count": 0}}}, "sweep.a.count = 0"),
        ({"sweep": {"a": {"start": 0, "end": 1, "count": 1}}}, "two ends"),
        ({"sweep": {"a": {"start": 0, "end": 1, "cuont": 2}}}, "Did you mean 'sweep.a.count'"),
        ({"sweep": {"a": {"start": 0, "end": 1, "count": 3, "spacing": "log"}}}, "both ends should be positive"),
        ({"sweep": {"a": {"start": "x", "end": 1, "count": 3}}}, "sweep.a.start = 'x'"),
        ({"sweep": {"a": {"low": 1, "high": 1}}, "samples": 3}, "low should be less than high"),
        ({"sweep": {"a": {"low": 0, "high": 1}}}, "samples should say how many"),
        ({"samples": 3}, "no field of the sweep has bounds"),
        ({"sweep": {"a": {"low": 0, "high": 1}}, "samples": {"count": 2, "method": "no"}}, "samples.method = 'no'"),
        ({"sweep": {"seed": [1, 2]}}, "seeds are a field"),
        ({"sweep": {AMPLITUDE: [1]}, "variants": {"v": {AMPLITUDE: 2}}}, "by the sweep and by variant 'v'"),
        ({"sweep": {"a": {"start": 0, "end": 1, "count": 1000000}}, "seeds": 2}, "2000000 runs; should be 1000000"),
        ({"repeats": 0}, "repeats = 0"),
        ({"repeats": 2, "seeds": 3}, "give one of them"),
        ({"recordings": "all"}, "recordings = 'all'"),
    ],
)  # fmt: skip
def test_sweeps_that_make_no_sense(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as refused:
        swept(**fields)
    assert "\n" not in str(refused.value)


def test_units_of_swept_fields() -> None:
    keys = (AMPLITUDE, FRICTION, "duration", "start.jitter", "plant.dt", "robot.links.0.mass", "world.friction")
    found = swept_units(swept(sweep={key: [1] for key in keys}))
    assert found == {
        AMPLITUDE: "rad",
        "duration": "s",
        "start.jitter": "m",
        "plant.dt": "s",
        "robot.links.0.mass": "kg",
    }
