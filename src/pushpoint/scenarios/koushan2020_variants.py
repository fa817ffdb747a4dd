"""Runs for statements of P4 that its figures do not show: forces that are not filtered, and a study of how many joints
there are between contacts. Its set-points are ours, tried for all numbers of joints alike."""

from __future__ import annotations

from typing import Any

from pushpoint.scenario import Choice
from pushpoint.scenarios import scenarios
from pushpoint.scenarios.koushan2020 import DAMPING, KEY, SIDES, add, program, rows, straight
from pushpoint.worlds.triplet import triplet_pegs

scenarios.add(
    f"{KEY}/simultaneous-unfiltered",
    scenarios[f"{KEY}/simultaneous"]
    .with_overrides({"controller.force_lag": 0.0})
    .model_copy(
        update={
            "name": f"{KEY}/simultaneous-unfiltered",
            "title": "0.1 rad and 1 N at the third peg, measured forces not filtered",
        }
    ),
)

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
    count = links[-1] + 2
    surroundings: dict[str, Any] = {
        "robot": Choice(name="snakesim", options={"links": count, "joint_damping": DAMPING}),
        "world": Choice(name="triplet", options={"places": list(places), "sides": list(SIDES)}),
        "start": straight(count),
    }
    bends = [
        {"link": b, "relative_to": a, "angle": angle} for a, b, angle in zip(links, links[1:], BENDS, strict=False)
    ]
    held = program(rows(triplet_pegs(places, SIDES)), angles=bends, forces=[{"peg": 2, "force": FORCE}])
    add(
        f"joints-between-{joints}",
        f"Two angles and a force with {joints} joint{'s' * (joints > 1)} between contacts",
        "6.1.4 and 7; the set-points are ours",
        held if joints > 1 else Choice(name="hold"),  # one joint cannot hold them: the program refuses to start
        duration=6.0 if joints > 1 else 0.1,
        **surroundings,
    )


for number in range(1, MOST_JOINTS + 1):
    add_study(number)
