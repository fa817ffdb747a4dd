"""Runs of P4: Koushan, Hybrid Obstacle Aided Locomotion in Snake Robots, 2020, chapter 5.

P4 counts links, joints and obstacles from 1, this package from 0: its links 2, 3 and 5 are 1, 2 and 4 here. Joint
angles have the same sign. Each experiment is run with P4's controller, as printed, and (`-qp`) with `push-shape`.

Not in P4, and decided here: control periods (10 ms, 4 ms where forces are controlled or joints move fast); the
joints' damping of 0.5 N m s/rad, a parameter that changes results (erratum P4-7); the lag of 0.1 s of the force filter
of 5.6; that loops add to the force set-points (Fig. 5.10 is lost, P4 3.3 and 5.6 say so). Torques are limited to 2 N m
as in 5.4.1.
"""

from __future__ import annotations

from typing import Any

from pushpoint.scenario import Choice, Scenario, Start
from pushpoint.scenarios import scenarios
from pushpoint.worlds.triplet import VALIDITY_PLACES, triplet_pegs

KEY = "koushan2020"
SOURCE = "Koushan 2020, Hybrid Obstacle Aided Locomotion in Snake Robots"
CONTACTS = [[1, 0], [2, 1], [4, 2]]  # P4's links 2, 3, 5 on obstacles 1, 2, 3
SIDES = (-1.0, 1.0, -1.0)  # right, left, right: P4 5.1; of 5.2 by the sign of the torque
DAMPING = 0.5  # [N m s/rad]


def straight(links: int) -> Start:
    """Along the x axis from the origin, P4 5.1, Table 5.1."""
    return Start(link=0, position=(0.15, 0.0), joint_angle=(0.0,) * (links - 1))


def rows(pegs: tuple[tuple[float, float, float], ...]) -> list[list[float]]:
    return [list(peg) for peg in pegs]


PEGS = rows(triplet_pegs())
VALIDITY_PEGS = rows(triplet_pegs(VALIDITY_PLACES, SIDES))


def add(slug: str, title: str, section: str, controller: Choice, **fields: Any) -> None:
    """Register one run of six links among the pegs of 5.3 to 5.6."""
    name = f"{KEY}/{slug}"
    defaults: dict[str, Any] = {
        "robot": Choice(name="snakesim", options={"joint_damping": DAMPING}),
        "world": Choice(name="triplet"),
        "start": straight(6),
        "control_period": 0.004,
        "record_period": 0.02,
    }
    source = f"{SOURCE}, {section}"
    scenarios.add(name, Scenario(name=name, title=title, controller=controller, source=source, **defaults | fields))


def published(**options: Any) -> Choice:
    """P4's controller, as printed."""
    task = {"pegs": PEGS, "contacts": CONTACTS, "form": "printed"}
    return Choice(name="hybrid-position-force", options=task | options)


def program(pegs: list[list[float]] = PEGS, **options: Any) -> Choice:
    """The quadratic program."""
    return Choice(name="push-shape", options={"pegs": pegs, **options})


def gains(proportional: float, integral: float) -> dict[str, float]:
    return {"proportional": proportional, "integral": integral}


# --- 5.2: the simulator's own validity, Table 5.1 ---

FOURTEEN: dict[str, Any] = {
    "robot": Choice(name="snakesim", options={"links": 14, "joint_damping": DAMPING}),
    "world": Choice(name="triplet", options={"places": list(VALIDITY_PLACES), "sides": list(SIDES)}),
    "start": straight(14),
}
CENTRE, TORQUE = 6, -2.0  # P4's joint 7; [N m]
add(
    "validity",
    "Fourteen links kept straight against three pegs by a torque at the centre",
    "5.2 and Table 5.1",
    Choice(name="joint-pid", options={"torque": [[CENTRE, TORQUE]], **gains(10.0, 3.0), "derivative": 0.3}),
    duration=20.0,
    **FOURTEEN,
)
add(
    "validity-qp",
    "The same forces as set-points of the quadratic program",
    "5.2",
    program(VALIDITY_PEGS, forces=[{"peg": 0, "force": 2.0 / 1.35}, {"peg": 2, "force": 2.0 / 1.35}]),
    duration=6.0,
    **FOURTEEN,
)

# --- 5.3: angle of link 5, Table 5.2 ---

POSITION = {"angle": [None, None, 0.3], "others": "hold", "position_loop": gains(0.05, 0.005)}
add(
    "position-filtered",
    "Link 5 to 0.3 rad, with the filter of essential positions",
    "5.3 and Table 5.2",
    published(**POSITION, filtered=True),
    duration=60.0,
    control_period=0.01,
)
add(
    "position-unfiltered",
    "Link 5 to 0.3 rad without the filter: six variables for five joints",
    "5.3 and Table 5.2",
    published(**POSITION),
    duration=30.0,
    control_period=0.01,
)
add(
    "position-filtered-qp",
    "Link 5 to 0.3 rad by the quadratic program",
    "5.3",
    program(angles=[{"link": 4, "angle": 0.3}]),
    duration=6.0,
)
add(
    "position-unfiltered-qp",
    "The quadratic program turns link 5 to 0.3 rad and keeps links 2 and 3 as they are",
    "5.3",
    program(angles=[{"link": 1, "angle": 0.0}, {"link": 2, "angle": 0.0}, {"link": 4, "angle": 0.3}]),
    duration=6.0,
)

# --- 5.4: forces at obstacles 2 and 3, Table 5.3 ---

FORCE = {"force": [None, 2.0, 2.0], "force_loop": gains(0.5, 0.003)}
for chains in ("regular", "minimal"):
    add(
        f"force-{chains}",
        f"2 N at two pegs with {chains} closed kinematic chains",
        "5.4 and Table 5.3",
        published(**FORCE, chains=chains),
        duration=4.0,
    )
add(
    "force-regular-qp",
    "1.6, 2.4 and 0.8 N at the three pegs by the quadratic program: forces that a straight robot can hold",
    "5.4",
    program(forces=[{"peg": 1, "force": 2.4}]),
    duration=6.0,
)
add(
    "force-minimal-qp",
    "2 N at the third peg by the quadratic program, and 4 and 6 N at the others, which belong to it",
    "5.4",
    program(forces=[{"peg": 2, "force": 2.0}]),
    duration=6.0,
)

# --- 5.5: angles of links 3 and 5 relative to the contacts before, Table 5.4 ---

ANGLES = {"angle": [None, -0.2, 0.2], "chains": "minimal"}
add(
    "ignored-joints",
    "Two angles, torques of the virtual joints ignored",
    "5.5.1 and Table 5.4",
    published(**ANGLES, position_loop=gains(3.0, 0.01)),
    duration=12.0,
)
add(
    "active-joints",
    "Two angles, torques for active joints only",
    "5.5.2 and Table 5.4",
    published(**ANGLES, passive="eliminated", position_loop=gains(1.0, 0.001)),
    duration=80.0,
    control_period=0.01,
)
RELATIVE = [{"link": 2, "relative_to": 1, "angle": -0.2}, {"link": 4, "relative_to": 2, "angle": 0.2}]
add("active-joints-qp", "The same two angles by the quadratic program", "5.5", program(angles=RELATIVE), duration=6.0)

# --- 5.6: angle of link 5 and force at obstacle 3, Table 5.5 ---

add(
    "simultaneous",
    "0.1 rad and 1 N at the third peg",
    "5.6 and Table 5.5",
    published(
        angle=[None, None, 0.1],
        force=[None, None, 1.0],
        chains="minimal",
        passive="eliminated",
        position_loop=gains(3.0, 0.005),
        force_loop=gains(1.0, 0.005),
        force_lag=0.1,
    ),
    duration=10.0,
)
add(
    "simultaneous-qp",
    "0.1 rad and 1 N at the third peg by the quadratic program, in a shape that can hold them",
    "5.6",
    program(angles=[{"link": 4, "relative_to": 2, "angle": 0.1}], forces=[{"peg": 2, "force": 1.0}]),
    duration=6.0,
)
