"""Checks of runs of our own (scenarios/lab*.py). Data only.

Nothing here was published: these are checks, which hold or fail. The statement or the note says what mechanics lets one
expect.
Speeds are those of the centre of mass over two whole gait periods of 4.5 s. Notes give the number at steps of 2, 1 and
0.5 ms; the scenarios take 1 ms. Ranges were set after these measurements: wide enough for another machine or solver,
and narrow enough that a law that is left out or has the wrong sign falls out of them.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction._adding import CM_PER_S, MM, claims_about, measured
from pushpoint.reproduction._statement import Statement, check
from pushpoint.scenarios.lab_push import AMPLITUDE, WAVELENGTH

claim = claims_about("lab")
TRACK, FLAT = "transeth2008a/track", "transeth2008a/flat"
TWO_PERIODS: dict[str, Any] = {"axis": "x", "start": 0.0, "end": 9.0}
MIDDLE = 5
UNTIL_10_S: dict[str, Any] = {"axis": "x", "end": 10.0}


def ours(expected: str, low: float | None, high: float | None) -> Statement:
    return check(expected, low, high, "Our own number, at three time steps.")


# --- walls ---

claim("corridor-speed", "ours", measured("corridor", "mean_speed", **TWO_PERIODS)).says(
    "Walls that wind like the gait carry the robot forward, nearly as fast as P2's pipes (16.1 cm/s)",
    ours("> 0", 15.5, 15.85),  # at most the wave's own speed, 0.735 m in 4.5 s = 16.3 cm/s
    **CM_PER_S,
    note="15.680, 15.679, 15.679 cm/s.",
)
claim("corridor-rough-speed", "ours", measured("corridor-rough", "mean_speed", **TWO_PERIODS)).says(
    "Friction of 0.1 at the walls does not stop the robot: the distance is set by geometry",
    ours("> 0", 15.5, 15.85),
    **CM_PER_S,
    note="15.678, 15.678, 15.679 cm/s.",
)
claim("corridor-rough-torques", "ours", measured("corridor-rough corridor", "torque_cost_ratio", **UNTIL_10_S)).says(
    "Rough walls cost more joint torque per metre than smooth ones (multiple of theirs)",
    ours("> 1", 1.15, 1.3),
    note="1.216, 1.212, 1.211.",
)
claim("corridor-rough-residual", "ours", measured("corridor-rough", "largest_residual")).says(
    "All laws hold in every step (corridor-rough), those of friction at the walls with their lagged limits",
    ours("0", None, 1e-6),
)
claim("corridor-straight-creeps", "ours", measured("corridor-straight", "mean_speed", **TWO_PERIODS)).says(
    "Straight smooth walls push across the direction of travel only: the robot creeps backwards, "
    "about as on open ground",
    ours("< 0", -1.08, -0.98),  # that of transeth2008a/flat-speed
    **CM_PER_S,
    note="-1.0251 cm/s at all three steps.",
)

# --- polygons ---

claim("polygons-distance", "ours", measured(f"polygons {TRACK}", "progress_ratio", **UNTIL_10_S)).says(
    "Among polygons that stand where the pipes push the robot gets as far (share of the track's distance)",
    ours("1", 0.98, 1.02),
    note="1.0002 at all three steps. Polygons have other surfaces than pipes, so equality is not to be expected.",
)

# --- skins ---

claim("skin-speed", "ours", measured("asymmetric-skin", "mean_speed", **TWO_PERIODS)).says(
    "With more friction across than along the robot undulates forward on flat ground",
    ours("> 0", 4.95, 5.15),
    **CM_PER_S,
    note="5.0501, 5.0504, 5.0505 cm/s. On isotropic ground the same gait makes -1.04 cm/s (transeth2008a/flat-speed).",
)
claim("skin-backward-idle", "ours", measured("asymmetric-skin symmetric-skin", "progress_ratio", **UNTIL_10_S)).says(
    "Undulation drags no link backward, so friction backward plays no part (multiple of the symmetric distance)",
    ours("1", 0.9999, 1.0001),
    note="1 to 6 digits at all three steps: no link ever moves tail first.",
)
claim("accordion-speed", "ours", measured("accordion", "mean_speed", **TWO_PERIODS)).says(
    "Folding and unfolding in place moves the robot forward where friction is less forward than backward",
    ours("> 0", 0.49, 0.53),
    **CM_PER_S,
    note="0.5120, 0.5112, 0.5106 cm/s; falls to 0.510 at 0.25 ms.",
)
claim("accordion-symmetric-rests", "ours", measured("accordion-symmetric", "mean_speed", **TWO_PERIODS)).says(
    "Folding and unfolding stays in place where both are the same: it looks alike from head and tail",
    ours("0", -1e-3, 1e-3),
    **CM_PER_S,
    note="Below 1e-5 cm/s at all three steps.",
)

# --- loose pipes ---

claim("movable-light", "ours", measured(f"movable-pegs-light {TRACK}", "progress_ratio", **UNTIL_10_S)).says(
    "Pipes of 2 kg are pushed aside and carry the robot nowhere (share of the fixed track's distance)",
    ours("0", -0.05, 0.05),
    note="-0.010 at all three steps. A pipe resists with at most 0.2 m g = 3.9 N.",
)
claim("movable-middle", "ours", measured(f"movable-pegs {TRACK}", "progress_ratio", **UNTIL_10_S)).says(
    "Pipes of 5 kg shift and carry it part of the distance",
    ours("0 ... 1", 0.6, 0.8),
    note="0.6985, 0.6983, 0.6981. One of them is pushed by 0.38 m.",
)
claim("movable-heavy", "ours", measured(f"movable-pegs-heavy {TRACK}", "progress_ratio", **UNTIL_10_S)).says(
    "Pipes of 20 kg carry it as far as fixed ones do", ours("1", 0.995, 1.005), note="1.0000 at all three steps."
)
claim("movable-heavy-push", "ours", measured("movable-pegs-heavy", "farthest_push")).says(
    "Pipes of 20 kg are moved by less than a millimetre, where the robot hits them",
    ours("small", 0.01, 1.0),
    **MM,
    note="0.3, 0.4, 0.4 mm. Not zero: forces above 0.2 m g = 39 N occur at impacts.",
)

# --- joints ---

claim("passive-tail-distance", "ours", measured(f"passive-tail {TRACK}", "progress_ratio", **UNTIL_10_S)).says(
    "With three limp joints at the tail the robot gets nearly as far (share of the track's distance)",
    ours("about 1", 0.97, 1.03),
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
    claim(f"{name}-residual", "ours", measured(name, "largest_residual")).says(
        f"All laws hold to the tolerance in every step ({name})",
        ours("0", None, 1e-8),
        note="The tolerance of the plant. A step that misses it ends the run, and then there is no number.",
    )

# --- along a path of pegs (scenarios/lab_push.py) ---
#
# What is expected is what the controller is asked for; P4 left the task open. Speeds and errors are those of the head's
# front end, from the start at rest to the end of the run.

SINE: dict[str, Any] = {"amplitude": AMPLITUDE, "wavelength": WAVELENGTH}


def asked_for(expected: str, low: float | None, high: float | None) -> Statement:
    return check(expected, low, high, "What the controller is asked for.")


def add_run(scenario: str, ground: str, farthest: float, speed: str, off: str) -> None:
    """Speed and error of a run that should get along; the note gives what was measured."""
    claim(f"{scenario}-speed", "ours", measured(scenario, "speed_along_sine", **SINE)).says(
        f"The robot gets along the path at its reference speed {ground}",
        asked_for("0.150", 0.1455, 0.1545),  # 3 %
        note=speed,
    )
    claim(f"{scenario}-path", "ours", measured(scenario, "head_off_sine", **SINE)).says(
        f"The head keeps to the path {ground}", asked_for(f"<= {farthest:g}", None, farthest), **MM, note=off
    )


add_run("hoal-sine", "on viscous ground, 0.5 N s/m per link", 5.0, "0.1505 m/s.", "1.01 mm.")
add_run("hoal-sine-viscous", "on viscous ground, 2 N s/m per link", 5.0, "0.1500 m/s.", "0.78 mm.")
add_run("hoal-sine-coulomb", "on dry ground, 0.1, with pegs of friction 0.1", 5.0, "0.1497 m/s.", "0.75 mm.")
add_run("hoal-sine-noise", "with noisy sensors, latency and wrong masses", 10.0, "0.1504 m/s.", "0.90 mm.")
claim("hoal-sine-stall-holds", "ours", measured("hoal-sine-stall", "event_count", name="hold")).says(
    "Motors too weak for the path are noticed: the robot stops and says so, once", asked_for("1", 1.0, 1.0)
)
claim("hoal-sine-stall-still", "ours", measured("hoal-sine-stall", "speed_along_sine", **SINE, start=2.0)).says(
    "and it holds its shape where it stopped", asked_for("0", -0.1, 0.1), unit="mm/s", scale=1e3, note="0.000 mm/s."
)

# --- shape curves ---

claim("draw-your-own-moves", "own", measured("draw-your-own", "ground_speed", start=0.0, end=9.0)).says(
    "A cycle of sidewinding drawn by hand moves the robot like P3's",
    check("as P3's: 0.33", 0.25, 0.45, "P3's segment moves our robot at 0.33 m/s on two engines."),
)
claim("compliant-pegs-passes", "own", measured("compliant-pegs", "displacement", axis="x", end=20.0)).says(
    "A compliant shape carries the robot through pegs at random, at least 1.5 m in 20 s",
    check("passes", 1.5, None, "What counts as passed in docs/theory/shape-curves."),
    note="One seed. Of twenty 95 % pass, 75 % with a stiff shape: docs/theory/shape-curves.",
)

# --- in space: plain facts of mechanics, and other models ---


def own(expected: str, low: float | None, high: float | None) -> Statement:
    return check(expected, low, high, "Our own number.")


claim("pegs-3d-as-planar", "own", measured("pegs-3d transeth2008a/track", "rms_between", link=MIDDLE)).says(
    "Among pegs the spatial and the planar model move the robot alike: rms distance of link 5 over 10 s",
    own("0", 0.0, 10.0),
    **MM,
)
claim("pegs-3d-forward", "own", measured("pegs-3d", "link_coordinate", link=MIDDLE, axis="x", time=10.0)).says(
    "Isotropic friction: forward with pegs, in space too",
    own("2.12", 2.11, 2.13),
    note="Without pegs: backward, see transeth2008b/isotropic-backward.",
)
for name in ("pegs-3d", "stairs-rest", "rough-ground", "slope"):
    claim(f"{name}-residual", "own", measured(name, "largest_residual")).says(
        f"Every step balances momenta and meets the contact laws ({name})", own("0", None, 1e-6)
    )
