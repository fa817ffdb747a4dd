"""Curves read off published figures; the files in `published/` say where each comes from."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from pushpoint.analysis import Curve
from pushpoint.errors import UnknownName


class Source(NamedTuple):
    """Where a curve is kept and what it is."""

    file: str
    columns: tuple[str, str, str]  # time, x, y
    label: str  # for legends
    scenarios: tuple[str, ...]  # whose figures show it


TRACK = ("transeth2008a/track", "transeth2008a/track-as-built")
CURVES: dict[str, Source] = {
    "transeth2008a/fig14-simulated": Source(
        "transeth2008a_fig14.csv",
        ("t_s", "x6_simulated_m", "y6_simulated_m"),
        "Transeth et al. 2008, simulated",
        TRACK,
    ),
    "transeth2008a/fig14-measured": Source(
        "transeth2008a_fig14.csv",
        ("t_s", "x6_measured_m", "y6_measured_m"),
        "Transeth et al. 2008, robot",
        TRACK,
    ),
}


@cache
def curve(name: str) -> Curve:
    """A published curve by name."""
    if name not in CURVES:
        raise UnknownName("published curve", name, CURVES)
    source = CURVES[name]
    text = (files("pushpoint.reproduction") / "published" / source.file).read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return Curve(*(np.array([float(row[column]) for row in rows]) for column in source.columns))


def curves_of(scenario: str) -> Mapping[str, Curve]:
    """The curves to draw beside a scenario, by label: simulations first, then measurements."""
    return {source.label: curve(name) for name, source in CURVES.items() if scenario in source.scenarios}
