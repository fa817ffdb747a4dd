"""Runs of our own through clutter, another field for every seed: P1's open problem with less and less to push against.

Robot, start and laws of contact are those of `liljeback2010/random`; motors have a hard limit. A run has crossed its
field if the centre of mass is more than 1.5 m farther along x after 30 s. Distance alone proves nothing: `crawl` needs
no pegs at all, so every field is compared with the empty one.
"""

from __future__ import annotations

from math import radians
from typing import Any

from pushpoint.robots import Servo
from pushpoint.scenario import Choice, Region, Stop
from pushpoint.scenarios import chosen, family
from pushpoint.scenarios._curled import CURLED, LAWS, ends_of_links

CROSSED = 1.5  # [m], along x
LIMIT = 15.0  # [N m], of the motors
PLACED = {"x_min": -0.9, "x_max": 4.2, "keep_clear": ends_of_links(), **LAWS}
WAVE, CRAWL = chosen("clutter-wave"), chosen("crawl")
# What a real robot may have: readings are 20 ms late, angles off by 1 deg, forces by a tenth, touches often missed.
LATE = {"latency": 0.02}
NOISY = {
    "joint-encoders": LATE | {"noise": radians(1.0)},
    "link-poses": LATE | {"angle_noise": radians(1.0)},
    "contact-force": LATE | {"relative_noise": 0.1, "missed": 0.1},
}


def pegs(keep: float = 1.0, **options: Any) -> Choice:
    """As many pegs as 6000 darts find room for, and each kept with this probability."""
    return chosen("random-field", **{"pegs": 1000, **PLACED, "keep": keep} | options)


# By name: what lies in the field, and a robot with a width where it needs one: at walls and edges.
WIDE = {"robot": chosen("ten-link", radius=0.02)}
CLEAR = PLACED | {"clearance": 0.025}
FIELDS: dict[str, dict[str, Any]] = {
    "100": {"world": pegs()},
    "70": {"world": pegs(0.7)},
    "50": {"world": pegs(0.5)},
    "mixed": {"world": pegs(radius_min=0.015, radius_max=0.2)},
    "movable": {"world": pegs(mass=20.0)},
    "corridor": WIDE | {"world": pegs(0.7, y_min=-0.25, y_max=0.25, walls=0.15, clearance=0.025)},
    "walls": WIDE | {"world": chosen("wall-field", walls=1000, **CLEAR)},
    "polygons": WIDE | {"world": chosen("polygon-field", polygons=1000, **CLEAR)},
    "empty": {"world": pegs(0.0)},
}
# Slug, title, fields that differ from those of the wave in the full field.
RUNS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("100", "Through pegs at random", {}),
    ("70", "Through 70 % of the pegs", FIELDS["70"]),
    ("50", "Through half of the pegs", FIELDS["50"]),
    ("empty", "Without pegs: what does not crawl goes nowhere", FIELDS["empty"]),
    ("corridor", "Through pegs in a corridor", FIELDS["corridor"]),
    ("mixed", "Through pegs of 3 to 40 cm", FIELDS["mixed"]),
    ("movable", "Through loose pegs of 20 kg", FIELDS["movable"]),
    ("walls", "Through short walls", FIELDS["walls"]),
    ("polygons", "Through polygons", FIELDS["polygons"]),
    ("noisy", "Through pegs, with sensors that are late, noisy and miss touches", {"sensors": NOISY}),
    ("crawl", "A crawl, which needs no pegs, through half of them", FIELDS["50"] | {"controller": CRAWL}),
    ("crawl-empty", "The crawl on empty ground", FIELDS["empty"] | {"controller": CRAWL}),
)
add = family(
    "lab",
    "ours, not published; after the outlook of P1",
    robot=chosen("ten-link"),
    **FIELDS["100"],
    plant=chosen("planar_stepping", dt=0.001),
    controller=WAVE,
    servo=Servo(stiffness=20.0, damping=5.0, torque_limit=LIMIT),  # P1's, and the limit
    start=CURLED,
    duration=30.0,
    control_period=0.005,
)
for slug, title, fields in RUNS:
    add(f"clutter-{slug}", title, **fields)

# The planner ends its runs where the field is crossed. What it may know, and whether it may crawl, are two questions.
OVER = {"stop": Stop(enter=Region(x=(CROSSED + 1e-3, None)))}  # starts are within 0.1 mm of the origin
SCAN: dict[str, dict[str, Any]] = {
    name: {} for name in ("joint-encoders", "link-poses", "contact-force", "tactile")
} | {"range-scan": {"range": 0.5}}
KNOWN: dict[str, dict[str, Any]] = {
    "felt": {"controller": chosen("clutter-plan")},
    "scan": {"controller": chosen("clutter-plan", knowledge="scan"), "sensors": SCAN},
    "full": {"controller": chosen("clutter-plan", knowledge="full")},
}
WHAT = {"felt": "pegs that it felt", "scan": "pegs that it felt or saw within 0.5 m", "full": "all pegs"}
for name, known in KNOWN.items():
    title = f"Plans by simulation with {WHAT[name]}, through half of the pegs"
    add(f"clutter-plan-{name}", title, **FIELDS["50"] | OVER | known)
PEGS_ONLY = {"controller": chosen("clutter-plan", knowledge="full", crawl=False)}
add("clutter-plan-pegs", "The same with all pegs and no crawling", **FIELDS["50"] | OVER | PEGS_ONLY)
add("clutter-plan-empty", "The planner on empty ground: it crawls", **FIELDS["empty"] | KNOWN["full"])
