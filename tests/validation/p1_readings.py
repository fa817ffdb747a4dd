"""Readings of what P1's text leaves open, judged together by a criterion that was written down before they were run.

For each world, the medians over 20 starts that are jittered by up to 1 mm are compared with what P1 publishes:

    first     time [s] of the first resolution     Fig. 13: 3.5 (rows), 2.9 (clutter)
    jams      resolutions in 30 s                  VIII-B3: 6 (rows), 8 (clutter)
    distance  along x in 30 s [m]                  VIII-B3: about 2.5 in both
    force     largest on link 5 [N], rows          VIII-B3: above 200; more is no misfit
    torque    largest of joint 5 [N m], rows       VIII-B3 and Fig. 14: 10, with peaks to 15; none between is a misfit

Each misfit is ln(median / published) / ln(1.5), so that half as much again counts one, cut off at 2; the criterion is
the sum of their squares over both worlds. Where readings differ by less than 1, the one nearer to the printed text is
taken.
"""

from __future__ import annotations

import math
from itertools import product
from statistics import median
from typing import NamedTuple

import pushpoint as pp
from pushpoint.analysis import measures
from pushpoint.recording.recording import Recording

SEEDS = range(20)
JITTER = 1e-3  # [m]
CUT = 2.0
FIRST = {"rows": 3.5, "clutter": 2.9}  # [s]
JAMS = {"rows": 6.0, "clutter": 8.0}
DISTANCE = 2.5  # [m]
FORCE, TORQUE = (200.0, math.inf), (10.0, 15.0)  # [N], [N m]
FIFTH = 4  # P1's link and joint 5


class Reading(NamedTuple):
    """Options of the controller."""

    history: str
    jam_reference: str
    before_start: str


PRINTED = Reading("goes-on", "printed", "ramp")
ALL = tuple(
    Reading(*choice) for choice in product(("goes-on", "stands-still"), ("printed", "limited"), ("ramp", "own", "next"))
)


class Outcome(NamedTuple):
    """Of one run, or medians of many."""

    first: float  # [s]
    jams: float
    distance: float  # [m]
    force: float  # [N]
    torque: float  # [N m]


def outcome(run: Recording) -> Outcome:
    started = run.events["time"].values[run.events["name"].values == "resolution"]
    return Outcome(
        first=float(started[0]) if len(started) else 30.0,
        jams=float(len(started)),
        distance=float(measures["displacement"](run, axis="x", end=30.0)),
        force=float(measures["peak_force_on_link"](run, link=FIFTH)),
        torque=float(measures["peak_torque_of_joint"](run, joint=FIFTH)),
    )


def medians(world: str, reading: Reading) -> Outcome:
    changes = {"start.jitter": JITTER} | {f"controller.{name}": value for name, value in reading._asdict().items()}
    found = [outcome(pp.simulate(f"liljeback2010/{world}", changes, seed=seed)) for seed in SEEDS]
    return Outcome(*(median(values) for values in zip(*found, strict=True)))


def misfit(measured: float, low: float, high: float) -> float:
    nearest = min(max(measured, low), high)
    return min(abs(math.log(max(measured, 1e-3) / nearest)) / math.log(1.5), CUT)


def criterion(rows: Outcome, clutter: Outcome) -> float:
    """Sum of squared misfits."""
    terms = [misfit(rows.force, *FORCE), misfit(rows.torque, *TORQUE)]
    for name, world in (("rows", rows), ("clutter", clutter)):
        terms.append(misfit(world.first, FIRST[name], FIRST[name]))
        terms.append(misfit(world.jams, JAMS[name], JAMS[name]))
        terms.append(misfit(world.distance, DISTANCE, DISTANCE))
    return sum(term * term for term in terms)
