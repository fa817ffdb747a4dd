"""Runs for statements of P4 that its figures do not show: forces that are not filtered, and a study of how many joints
there are between contacts. Its set-points are ours, tried for all numbers of joints alike."""

from __future__ import annotations

from itertools import pairwise

from pushpoint.scenario import Choice
from pushpoint.scenarios import scenarios
from pushpoint.scenarios.koushan2020 import KEY, SIDES, add, angle, between, force, program
from pushpoint.worlds.triplet import triplet_pegs

NAME = f"{KEY}/simultaneous-unfiltered"
TITLE = "0.1 rad and 1 N at the third peg, measured forces not filtered"
FILTERED = scenarios[f"{KEY}/simultaneous"]
scenarios.add(NAME, FILTERED.with_overrides({"name": NAME, "title": TITLE, "controller.force_lag": 0.0}))

# Three contacts at the middles of links, right, left, right of the robot as in 5.1, one link beyond either end.
LINK = 0.3  # [m]
MOST_JOINTS = 3
BENDS, FORCE = (0.1, 0.1), 1.0  # [rad], of the second and third contact against the one before; [N], at the third


def contact_links(joints: int) -> tuple[int, int, int]:
    """Links that touch a peg, with so many joints between neighbours."""
    return 1, 1 + joints, 1 + 2 * joints


def add_study(joints: int) -> None:
    links = contact_links(joints)
    places = tuple(LINK * (link + 0.5) for link in links)
    bends = [angle(b, bend, relative_to=a) for (a, b), bend in zip(pairwise(links), BENDS, strict=True)]
    held = program(triplet_pegs(places, SIDES), angles=bends, forces=[force(2, FORCE)])
    add(
        f"joints-between-{joints}",
        f"Two angles and a force with {joints} joint{'s' * (joints > 1)} between contacts",
        "6.1.4 and 7; the set-points are ours",
        controller=held if joints > 1 else Choice(name="hold"),  # one joint cannot hold them: the program refuses
        duration=6.0 if joints > 1 else 0.1,
        **between(links[-1] + 2, places),
    )


for number in range(1, MOST_JOINTS + 1):
    add_study(number)
