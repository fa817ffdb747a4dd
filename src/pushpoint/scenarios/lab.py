"""Runs of our own, not published: Aiko among walls, polygons and loose pipes, with other skins, with a limp tail.

They show parts of the model that P2 has not, and are compared with P2's runs where that is instructive. Gait, robot
and ground are P2's (see transeth2008a) unless a title says otherwise.
"""

from __future__ import annotations

from math import pi, radians
from typing import Any

from pushpoint.scenario import Choice, Scenario, Start
from pushpoint.scenarios import scenarios
from pushpoint.scenarios.transeth2008a import AMONG_PIPES, FRICTION, GAIT, MIDDLE

KEY = "lab"
SOURCE = "ours, not published"

# The wave of the gait is 0.735 m long where it lies on the ground and swings by 0.11 m. The corridor `zigzag` winds
# alike; with this start the robot lies along its middle line.
IN_ZIGZAG = Start(link=MIDDLE, position=(0.099, 0.071), angle=radians(7.17))

# Friction forward : backward : across = 1 : 1.3 : 2, the order and about the ratios that are known of snakes (Hu et
# al. 2009, The mechanics of slithering locomotion). The sizes are ours.
FORWARD, BACKWARD, ACROSS = 0.10, 0.13, 0.20

# Neighbouring joints bend to opposite sides, all at once: the robot folds and unfolds, and no wave runs along it.
ACCORDION = GAIT | {"phase_shift": pi}


def add(slug: str, title: str, note: str = "", **fields: Any) -> None:
    """Register one run; fields left out are those of P2's run along the track."""
    common: dict[str, Any] = {
        "robot": Choice(name="aiko"),
        "world": Choice(name="track"),
        "controller": Choice(name="serpenoid", options=GAIT),
        "start": AMONG_PIPES,
        "duration": 10.0,
        "source": f"{SOURCE}; {note}" if note else SOURCE,
    }
    name = f"{KEY}/{slug}"
    scenarios.add(name, Scenario(name=name, title=title, **(common | fields)))


def skin(backward: float) -> Choice:
    """Flat ground under a skin with this friction backward."""
    options = {"friction": FORWARD, "friction_backward": backward, "friction_across": ACROSS}
    return Choice(name="plane", options=options)


# --- walls ---

add(
    "corridor",
    "Aiko winds along a zigzag corridor: the walls carry it forward",
    "the walls wind like the gait's wave",
    world=Choice(name="zigzag", options={"friction": FRICTION}),
    start=IN_ZIGZAG,
)
add(
    "corridor-rough",
    "The zigzag corridor with rough walls: as fast, at a higher price",
    "friction of 0.1 at the walls",
    world=Choice(name="zigzag", options={"friction": FRICTION, "obstacle_friction": 0.1}),
    start=IN_ZIGZAG,
)
add(
    "corridor-straight",
    "Aiko between straight smooth walls, which can only push across the corridor: it creeps backwards",
    "wide enough for the wave with a few millimetres to spare",
    world=Choice(name="corridor", options={"width": 0.38, "length": 4.0, "x": -2.0, "friction": FRICTION}),
    start=Start(),
)

# --- polygons ---

add(
    "polygons",
    "Triangles, squares and hexagons in the place of the pipes",
    "an edge of each lies where P2's pipe pushes",
    world=Choice(name="track-polygons", options={"friction": FRICTION}),
)

# --- skins ---

add(
    "asymmetric-skin",
    "Flat ground, friction forward : backward : across = 1 : 1.3 : 2",
    "ratios like those of snakes",
    world=skin(BACKWARD),
    start=Start(link=MIDDLE),
)
add(
    "symmetric-skin",
    "Flat ground, friction forward : backward : across = 1 : 1 : 2",
    "to compare with asymmetric-skin",
    world=skin(FORWARD),
    start=Start(link=MIDDLE),
)
add(
    "accordion",
    "Folding and unfolding on the asymmetric skin, which works as a ratchet",
    "a gait without a travelling wave",
    world=skin(BACKWARD),
    controller=Choice(name="serpenoid", options=ACCORDION),
    start=Start(link=MIDDLE),
)
add(
    "accordion-symmetric",
    "Folding and unfolding on a skin that is the same forward and backward: on the spot",
    "to compare with accordion",
    world=skin(FORWARD),
    controller=Choice(name="serpenoid", options=ACCORDION),
    start=Start(link=MIDDLE),
)

# --- loose pipes ---

for slug, mass, what in (
    ("movable-pegs-light", 2.0, "pipes of 2 kg are pushed aside"),
    ("movable-pegs", 5.0, "pipes of 5 kg shift, and carry the robot part of the distance"),
    ("movable-pegs-heavy", 20.0, "pipes of 20 kg hardly move"),
):
    add(
        slug,
        f"The track with loose pipes: {what}",
        "the mass of P2's pipes does not matter, as they are fixed",
        world=Choice(name="track", options={"mass": mass, "ground_friction": FRICTION}),
    )

# --- joints ---

add(
    "passive-tail",
    "The track with three limp joints at the tail: springs and dampers, no servos",
    "spring and damper are ours",
    robot=Choice(name="aiko-passive-tail"),
)
