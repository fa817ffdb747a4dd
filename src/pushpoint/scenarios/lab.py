"""Runs of our own, not published: Aiko among walls, polygons and loose pipes, with other skins, with a limp tail.

They show parts of the model that P2 has not, and are compared with P2's runs where that is instructive. Gait, robot
and ground are P2's (see transeth2008a) unless a title says otherwise.
"""

from __future__ import annotations

from math import pi, radians
from typing import Any

from pushpoint.scenario import Choice, Start
from pushpoint.scenarios import chosen, family
from pushpoint.scenarios.transeth2008a import ALONG_TRACK, FRICTION, GAIT, MIDDLE

# The wave of the gait is 0.735 m long where it lies on the ground and swings by 0.11 m. The corridor `zigzag` winds
# alike; with this start the robot lies along its middle line.
IN_ZIGZAG = Start(link=MIDDLE, position=(0.099, 0.071), angle=radians(7.17))

# Friction forward : backward : across = 1 : 1.3 : 2, the order and about the ratios that are known of snakes (Hu et
# al. 2009, The mechanics of slithering locomotion). The sizes are ours.
FORWARD, BACKWARD, ACROSS = 0.10, 0.13, 0.20

# Neighbouring joints bend to opposite sides, all at once: the robot folds and unfolds, and no wave runs along it.
ACCORDION = GAIT | {"phase_shift": pi}


def skin(backward: float) -> dict[str, Any]:
    """Flat ground under a skin with this friction backward, and a straight start on it."""
    ground = chosen("plane", friction=FORWARD, friction_backward=backward, friction_across=ACROSS)
    return {"world": ground, "start": Start(link=MIDDLE)}


def loose(mass: float) -> dict[str, Any]:
    """The track with pipes of this mass [kg]."""
    return {"world": chosen("track", mass=mass, ground_friction=FRICTION)}


def zigzag(**options: float) -> dict[str, Any]:
    return {"world": chosen("zigzag", friction=FRICTION, **options), "start": IN_ZIGZAG}


STRAIGHT_WALLS = chosen("corridor", width=0.38, length=4.0, x=-2.0, friction=FRICTION)
FOLDING = {"controller": chosen("serpenoid", **ACCORDION)}
LOOSE = "the mass of P2's pipes does not matter, as they are fixed"

# Slug, title, what else is to be said of it, fields.
RUNS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    # walls
    ("corridor", "Aiko winds along a zigzag corridor: the walls carry it forward",
     "the walls wind like the gait's wave", zigzag()),
    ("corridor-rough", "The zigzag corridor with rough walls: as fast, at a higher price",
     "friction of 0.1 at the walls", zigzag(obstacle_friction=0.1)),
    ("corridor-straight",
     "Aiko between straight smooth walls, which can only push across the corridor: it creeps backwards",
     "wide enough for the wave with a few millimetres to spare", {"world": STRAIGHT_WALLS, "start": Start()}),
    # polygons
    ("polygons", "Triangles, squares and hexagons in the place of the pipes",
     "an edge of each lies where P2's pipe pushes", {"world": chosen("track-polygons", friction=FRICTION)}),
    # skins
    ("asymmetric-skin", "Flat ground, friction forward : backward : across = 1 : 1.3 : 2",
     "ratios like those of snakes", skin(BACKWARD)),
    ("symmetric-skin", "Flat ground, friction forward : backward : across = 1 : 1 : 2",
     "to compare with asymmetric-skin", skin(FORWARD)),
    ("accordion", "Folding and unfolding on the asymmetric skin, which works as a ratchet",
     "a gait without a travelling wave", skin(BACKWARD) | FOLDING),
    ("accordion-symmetric", "Folding and unfolding on a skin that is the same forward and backward: on the spot",
     "to compare with accordion", skin(FORWARD) | FOLDING),
    # loose pipes
    ("movable-pegs-light", "The track with loose pipes: pipes of 2 kg are pushed aside", LOOSE, loose(2.0)),
    ("movable-pegs", "The track with loose pipes: pipes of 5 kg shift, and carry the robot part of the distance",
     LOOSE, loose(5.0)),
    ("movable-pegs-heavy", "The track with loose pipes: pipes of 20 kg hardly move", LOOSE, loose(20.0)),
    # joints
    ("passive-tail", "The track with three limp joints at the tail: springs and dampers, no servos",
     "spring and damper are ours", {"robot": Choice(name="aiko-passive-tail")}),
)  # fmt: skip
add = family("lab", "ours, not published; {}", **ALONG_TRACK)
for slug, title, note, fields in RUNS:
    add(slug, title, note, **fields)
