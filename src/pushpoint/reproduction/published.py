"""Curves and other numbers read off published figures; the files in `published/` say where each comes from."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pushpoint.analysis import Curve
from pushpoint.errors import UnknownName
from pushpoint.reproduction._statement import LENGTH_READING, TIME_READING, Statement

Table = Mapping[str, NDArray[Any]]  # columns by name: numbers, or texts

FOLDER = files("pushpoint.reproduction") / "published"


class Source(NamedTuple):
    """Where a curve is kept and what it is."""

    file: str
    columns: tuple[str, str, str]  # time, x, y
    label: str  # for legends
    scenarios: tuple[str, ...]  # whose figures show it


TRACK = ("transeth2008a/track", "transeth2008a/track-as-built")
FIG_14 = "transeth2008a_fig14.csv"
CURVES: dict[str, Source] = {
    "transeth2008a/fig14-simulated": Source(
        FIG_14, ("t_s", "x6_simulated_m", "y6_simulated_m"), "Transeth et al. 2008, simulated", TRACK
    ),
    "transeth2008a/fig14-measured": Source(
        FIG_14, ("t_s", "x6_measured_m", "y6_measured_m"), "Transeth et al. 2008, robot", TRACK
    ),
    "liljeback2010/fig11": Source(
        "liljeback2010_fig11.csv", ("t_s", "x6_m", "y6_m"), "Liljebäck et al. 2010, simulated", ("liljeback2010/track",)
    ),
}


@cache
def table(file: str) -> Table:
    """What a file in `published/` holds."""
    rows = list(csv.DictReader((FOLDER / file).read_text(encoding="utf-8").splitlines()))
    return {name: _column([row[name] for row in rows]) for name in rows[0]}


def _column(entries: list[str]) -> NDArray[Any]:
    try:
        return np.array([float(entry) for entry in entries])
    except ValueError:
        return np.array(entries)


def tables_of(paper: str) -> Mapping[str, Table]:
    """All that was read off the figures of a paper, by figure: that of `key_fig10.csv` is `fig10`."""
    names = sorted(item.name for item in FOLDER.iterdir() if item.name.startswith(f"{paper}_"))
    return {name.removeprefix(f"{paper}_").removesuffix(".csv"): table(name) for name in names}


@cache
def curve(name: str) -> Curve:
    """A published curve by name."""
    if name not in CURVES:
        raise UnknownName("published curve", name, CURVES)
    source = CURVES[name]
    columns = table(source.file)
    return Curve(*(columns[column] for column in source.columns))


def curves_of(scenario: str) -> Mapping[str, Curve]:
    """The curves to draw beside a scenario, by label: simulations first, then measurements."""
    return {source.label: curve(name) for name, source in CURVES.items() if scenario in source.scenarios}


def on_curve(name: str, axis: str | None = None, metre: float = 1.0) -> Statement:
    """That something is on a published curve, in both coordinates or along one axis; `metre` is one in the unit.

    Positions are read to LENGTH_READING and times to TIME_READING, which costs speed times TIME_READING.
    The root mean square of both together, over the curve, is the accuracy.
    """
    points = curve(name)
    along = [
        np.gradient(values, points.time) for key, values in (("x", points.x), ("y", points.y)) if axis in (None, key)
    ]
    squares = LENGTH_READING**2 + sum((TIME_READING * speed) ** 2 for speed in along)
    accuracy = float(np.sqrt(np.mean(squares)))
    return Statement(kind="read", text="0: on the curve", low=0.0, high=0.0, accuracy=accuracy * metre)
