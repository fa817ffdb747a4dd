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

from pushpoint.scenario import Choice, Start
from pushpoint.scenarios import chosen, family
from pushpoint.worlds.triplet import VALIDITY_PLACES, triplet_pegs

KEY = "koushan2020"
CONTACTS = [[1, 0], [2, 1], [4, 2]]  # P4's links 2, 3, 5 on obstacles 1, 2, 3
SIDES = (-1.0, 1.0, -1.0)  # right, left, right: P4 5.1; of 5.2 by the sign of the torque
DAMPING = 0.5  # [N m s/rad]


def straight(links: int) -> Start:
    """Along the x axis from the origin, P4 5.1, Table 5.1."""
    return Start(link=0, position=(0.15, 0.0), joint_angle=(0.0,) * (links - 1))


def between(links: int, places: tuple[float, ...]) -> dict[str, Any]:
    """Robot, world and start of so many links with pegs at other places [m] than those of 5.3 to 5.6."""
    return {
        "robot": chosen("snakesim", links=links, joint_damping=DAMPING),
        "world": chosen("triplet", places=places, sides=SIDES),
        "start": straight(links),
    }


PEGS = triplet_pegs()
VALIDITY_PEGS = triplet_pegs(VALIDITY_PLACES, SIDES)
FOURTEEN = between(14, VALIDITY_PLACES)


def published(**options: Any) -> Choice:
    """P4's controller, as printed."""
    return chosen("hybrid-position-force", pegs=PEGS, contacts=CONTACTS, form="printed", **options)


def program(pegs: tuple[tuple[float, float, float], ...] = PEGS, **options: Any) -> Choice:
    """The quadratic program."""
    return chosen("push-shape", pegs=pegs, **options)


def gains(proportional: float, integral: float) -> dict[str, float]:
    return {"proportional": proportional, "integral": integral}


def angle(link: int, angle: float, **relative: int) -> dict[str, float]:
    """A set-point of the program."""
    return {"link": link, **relative, "angle": angle}


def force(peg: int, force: float) -> dict[str, float]:
    return {"peg": peg, "force": force}


add = family(
    KEY,
    "Koushan 2020, Hybrid Obstacle Aided Locomotion in Snake Robots, {}",
    robot=chosen("snakesim", joint_damping=DAMPING),
    world=chosen("triplet"),
    start=straight(6),
    control_period=0.004,
    record_period=0.02,
)
POSITION = {"angle": [None, None, 0.3], "others": "hold", "position_loop": gains(0.05, 0.005)}
FORCE = {"force": [None, 2.0, 2.0], "force_loop": gains(0.5, 0.003)}
ANGLES = {"angle": [None, -0.2, 0.2], "chains": "minimal"}
SIMULTANEOUS = {"angle": [None, None, 0.1], "force": [None, None, 1.0], "chains": "minimal", "passive": "eliminated"}

# Slug, title, section, controller, duration [s], other fields.
RUNS: tuple[tuple[str, str, str, Choice, float, dict[str, Any]], ...] = (
    # 5.2: the simulator's own validity, Table 5.1, with a torque at P4's joint 7
    ("validity", "Fourteen links kept straight against three pegs by a torque at the centre", "5.2 and Table 5.1",
     chosen("joint-pid", torque=[[6, -2.0]], **gains(10.0, 3.0), derivative=0.3), 20.0, FOURTEEN),
    ("validity-qp", "The same forces as set-points of the quadratic program", "5.2",
     program(VALIDITY_PEGS, forces=[force(0, 2.0 / 1.35), force(2, 2.0 / 1.35)]), 6.0, FOURTEEN),
    # 5.3: angle of link 5, Table 5.2
    ("position-filtered", "Link 5 to 0.3 rad, with the filter of essential positions", "5.3 and Table 5.2",
     published(**POSITION, filtered=True), 60.0, {"control_period": 0.01}),
    ("position-unfiltered", "Link 5 to 0.3 rad without the filter: six variables for five joints", "5.3 and Table 5.2",
     published(**POSITION), 30.0, {"control_period": 0.01}),
    ("position-filtered-qp", "Link 5 to 0.3 rad by the quadratic program", "5.3",
     program(angles=[angle(4, 0.3)]), 6.0, {}),
    ("position-unfiltered-qp", "The quadratic program turns link 5 to 0.3 rad and keeps links 2 and 3 as they are",
     "5.3", program(angles=[angle(1, 0.0), angle(2, 0.0), angle(4, 0.3)]), 6.0, {}),
    # 5.4: forces at obstacles 2 and 3, Table 5.3
    ("force-regular", "2 N at two pegs with regular closed kinematic chains", "5.4 and Table 5.3",
     published(**FORCE, chains="regular"), 4.0, {}),
    ("force-minimal", "2 N at two pegs with minimal closed kinematic chains", "5.4 and Table 5.3",
     published(**FORCE, chains="minimal"), 4.0, {}),
    ("force-regular-qp",
     "1.6, 2.4 and 0.8 N at the three pegs by the quadratic program: forces that a straight robot can hold", "5.4",
     program(forces=[force(1, 2.4)]), 6.0, {}),
    ("force-minimal-qp",
     "2 N at the third peg by the quadratic program, and 4 and 6 N at the others, which belong to it", "5.4",
     program(forces=[force(2, 2.0)]), 6.0, {}),
    # 5.5: angles of links 3 and 5 relative to the contacts before, Table 5.4
    ("ignored-joints", "Two angles, torques of the virtual joints ignored", "5.5.1 and Table 5.4",
     published(**ANGLES, position_loop=gains(3.0, 0.01)), 12.0, {}),
    ("active-joints", "Two angles, torques for active joints only", "5.5.2 and Table 5.4",
     published(**ANGLES, passive="eliminated", position_loop=gains(1.0, 0.001)), 80.0, {"control_period": 0.01}),
    ("active-joints-qp", "The same two angles by the quadratic program", "5.5",
     program(angles=[angle(2, -0.2, relative_to=1), angle(4, 0.2, relative_to=2)]), 6.0, {}),
    # 5.6: angle of link 5 and force at obstacle 3, Table 5.5
    ("simultaneous", "0.1 rad and 1 N at the third peg", "5.6 and Table 5.5",
     published(**SIMULTANEOUS, position_loop=gains(3.0, 0.005), force_loop=gains(1.0, 0.005), force_lag=0.1), 10.0, {}),
    ("simultaneous-qp", "0.1 rad and 1 N at the third peg by the quadratic program, in a shape that can hold them",
     "5.6", program(angles=[angle(4, 0.1, relative_to=2)], forces=[force(2, 1.0)]), 6.0, {}),
)  # fmt: skip
for slug, title, section, controller, duration, fields in RUNS:
    add(slug, title, section, controller=controller, duration=duration, **fields)
