"""Checks of runs of our own (scenarios/lab.py). Data only.

Nothing here was published: these are checks, which hold or fail. The statement or the note says what mechanics lets one
expect.
Speeds are those of the centre of mass over two whole gait periods of 4.5 s. Notes give the number at steps of 2, 1 and
0.5 ms; the scenarios take 1 ms. Ranges were set after these measurements: wide enough for another machine or solver,
and narrow enough that a law that is left out or has the wrong sign falls out of them.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction._adding import CM_PER_S, MM, adder, measured
from pushpoint.reproduction._statement import Statement, check

add = adder("lab", figure="ours")
TRACK, FLAT = "transeth2008a/track", "transeth2008a/flat"
TWO_PERIODS: dict[str, Any] = {"axis": "x", "start": 0.0, "end": 9.0}
UNTIL_10_S: dict[str, Any] = {"axis": "x", "end": 10.0}


def ours(expected: str, low: float | None, high: float | None) -> Statement:
    return check(expected, low, high, "Our own number, at three time steps.")


# --- walls ---

add(
    "corridor-speed",
    measured("corridor", "mean_speed", **TWO_PERIODS),
    statement="Walls that wind like the gait carry the robot forward, nearly as fast as P2's pipes (16.1 cm/s)",
    published=ours("> 0", 15.5, 15.85),  # at most the wave's own speed, 0.735 m in 4.5 s = 16.3 cm/s
    **CM_PER_S,
    note="15.680, 15.679, 15.679 cm/s.",
)
add(
    "corridor-rough-speed",
    measured("corridor-rough", "mean_speed", **TWO_PERIODS),
    statement="Friction of 0.1 at the walls does not stop the robot: the distance is set by geometry",
    published=ours("> 0", 15.5, 15.85),
    **CM_PER_S,
    note="15.678, 15.678, 15.679 cm/s.",
)
add(
    "corridor-rough-torques",
    measured("corridor-rough corridor", "torque_cost_ratio", **UNTIL_10_S),
    statement="Rough walls cost more joint torque per metre than smooth ones (multiple of theirs)",
    published=ours("> 1", 1.15, 1.3),
    note="1.216, 1.212, 1.211.",
)
add(
    "corridor-rough-residual",
    measured("corridor-rough", "largest_residual"),
    statement="All laws hold in every step (corridor-rough), those of friction at the walls with their lagged limits",
    published=ours("0", None, 1e-6),
)
add(
    "corridor-straight-creeps",
    measured("corridor-straight", "mean_speed", **TWO_PERIODS),
    statement="Straight smooth walls push across the direction of travel only: the robot creeps backwards, "
    "about as on open ground",
    published=ours("< 0", -1.08, -0.98),  # that of transeth2008a/flat-speed
    **CM_PER_S,
    note="-1.0251 cm/s at all three steps.",
)

# --- polygons ---

add(
    "polygons-distance",
    measured(f"polygons {TRACK}", "progress_ratio", **UNTIL_10_S),
    statement="Among polygons that stand where the pipes push the robot gets as far (share of the track's distance)",
    published=ours("1", 0.98, 1.02),
    note="1.0002 at all three steps. Polygons have other surfaces than pipes, so equality is not to be expected.",
)

# --- skins ---

add(
    "skin-speed",
    measured("asymmetric-skin", "mean_speed", **TWO_PERIODS),
    statement="With more friction across than along the robot undulates forward on flat ground",
    published=ours("> 0", 4.95, 5.15),
    **CM_PER_S,
    note="5.0501, 5.0504, 5.0505 cm/s. On isotropic ground the same gait makes -1.04 cm/s (transeth2008a/flat-speed).",
)
add(
    "skin-backward-idle",
    measured("asymmetric-skin symmetric-skin", "progress_ratio", **UNTIL_10_S),
    statement="Undulation drags no link backward, so friction backward plays no part (multiple of the "
    "symmetric distance)",
    published=ours("1", 0.9999, 1.0001),
    note="1 to 6 digits at all three steps: no link ever moves tail first.",
)
add(
    "accordion-speed",
    measured("accordion", "mean_speed", **TWO_PERIODS),
    statement="Folding and unfolding in place moves the robot forward where friction is less forward than backward",
    published=ours("> 0", 0.49, 0.53),
    **CM_PER_S,
    note="0.5120, 0.5112, 0.5106 cm/s; falls to 0.510 at 0.25 ms.",
)
add(
    "accordion-symmetric-rests",
    measured("accordion-symmetric", "mean_speed", **TWO_PERIODS),
    statement="Folding and unfolding stays in place where both are the same: it looks alike from head and tail",
    published=ours("0", -1e-3, 1e-3),
    **CM_PER_S,
    note="Below 1e-5 cm/s at all three steps.",
)

# --- loose pipes ---

add(
    "movable-light",
    measured(f"movable-pegs-light {TRACK}", "progress_ratio", **UNTIL_10_S),
    statement="Pipes of 2 kg are pushed aside and carry the robot nowhere (share of the fixed track's distance)",
    published=ours("0", -0.05, 0.05),
    note="-0.010 at all three steps. A pipe resists with at most 0.2 m g = 3.9 N.",
)
add(
    "movable-middle",
    measured(f"movable-pegs {TRACK}", "progress_ratio", **UNTIL_10_S),
    statement="Pipes of 5 kg shift and carry it part of the distance",
    published=ours("0 ... 1", 0.6, 0.8),
    note="0.6985, 0.6983, 0.6981. One of them is pushed by 0.38 m.",
)
add(
    "movable-heavy",
    measured(f"movable-pegs-heavy {TRACK}", "progress_ratio", **UNTIL_10_S),
    statement="Pipes of 20 kg carry it as far as fixed ones do",
    published=ours("1", 0.995, 1.005),
    note="1.0000 at all three steps.",
)
add(
    "movable-heavy-push",
    measured("movable-pegs-heavy", "farthest_push"),
    statement="Pipes of 20 kg are moved by less than a millimetre, where the robot hits them",
    published=ours("small", 0.01, 1.0),
    **MM,
    note="0.3, 0.4, 0.4 mm. Not zero: forces above 0.2 m g = 39 N occur at impacts.",
)

# --- joints ---

add(
    "passive-tail-distance",
    measured(f"passive-tail {TRACK}", "progress_ratio", **UNTIL_10_S),
    statement="With three limp joints at the tail the robot gets nearly as far (share of the track's distance)",
    published=ours("about 1", 0.97, 1.03),
    note="0.9943 at all three steps.",
)

# --- solved ---

for name in (
    "corridor",
    "corridor-straight",
    "polygons",
    "asymmetric-skin",
    "accordion",
    "movable-pegs-light",
    "movable-pegs",
    "movable-pegs-heavy",
    "passive-tail",
):
    add(
        f"{name}-residual",
        measured(name, "largest_residual"),
        statement=f"All laws hold to the tolerance in every step ({name})",
        published=ours("0", None, 1e-8),
        note="The tolerance of the plant. A step that misses it ends the run, and then there is no number.",
    )
