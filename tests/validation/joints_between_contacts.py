"""How many actuated joints does it take between contacts to hold forces? P4's main conclusion, over link counts.

P4 (abstract, 6.3): "at least two actuated joints should be located between each contact point"; with one, a force can
be held if the robot can push against another obstacle. P4 tried six links. Here a straight robot of any length lies at
three pegs, right, left, right, with 1, 2 or 3 joints from one contact to the next, and is asked for set-points:

- statics: is there a shape near the straight one, and forces, in balance? (`planning/equilibrium.held_pair`, from the
  straight robot and from a few bent ones, bends up to NEARBY);
- control: does the quadratic program (`push-shape`) hold them in a simulation, contacts and all?
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pushpoint.analysis.body_shape import link_angle_off
from pushpoint.analysis.contacts import largest_gap, peg_force_off
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.planning.equilibrium import Held, Rows, Touches, held_pair, link_angle_row
from pushpoint.robots import Robot
from pushpoint.robots.snakesim import LENGTH, snakesim
from pushpoint.scenario import Choice, Scenario, Start
from pushpoint.simulation import simulate
from pushpoint.types import FloatArray
from pushpoint.worlds.triplet import triplet_pegs

SIDES = (-1.0, 1.0, -1.0)
NEARBY = 1.0  # [rad]: shapes with larger bends are other shapes
TORQUE_LIMIT = 2.0  # [N m], P4 5.4.1
WITHOUT = 1e-6  # [N m]: what a joint without a motor may be asked for
STARTS, BEND = 4, 0.1  # shapes to seek from besides the straight one; [rad], of their joints
SETTLE, DURATION = 4.0, 5.0  # [s]: set-points count from then on
FORCE_OFF, ANGLE_OFF, GAP = 0.05, 0.02, 2e-3  # part of a force, [rad], [m]: more is not held


class Wish(NamedTuple):
    """Set-points at contacts 0 to 2, from the tail."""

    forces: tuple[tuple[int, float], ...]  # contact, [N]
    angles: tuple[tuple[int, float], ...] = ()  # contact, [rad] relative to the link of the contact before


TASKS: dict[str, tuple[Wish, ...]] = {
    "one force": tuple(Wish(((contact, 1.0),)) for contact in (2, 1, 0)),
    "a force and an angle": tuple(Wish(((2, 1.0),), ((2, a),)) for a in (0.1, -0.1, 0.05, -0.05, 0.2, -0.2)),
    "two forces": tuple(Wish(((1, 2.0), (2, f))) for f in (1.1, 0.9, 1.2, 0.8)),
    "two forces, two angles": tuple(
        Wish(((1, 2.0), (2, f)), ((1, a), (2, b)))
        for f, a, b in ((1.1, -0.05, 0.1), (0.9, 0.05, -0.1), (1.1, 0.1, 0.1))
    ),
}


class Cell(NamedTuple):
    """What was found for one robot and one task."""

    between: int  # joints from one contact to the next
    links: int
    task: str
    held: int  # wishes that are in balance in a shape nearby
    wishes: int
    program: int | None  # of these, how many the quadratic program holds in a simulation; None: not tried


def contact_links(links: int, between: int) -> tuple[int, int, int]:
    """The links at the pegs, in the middle of the robot."""
    if links < 2 * between + 1:
        raise InvalidInput(f"links = {links}: three contacts {between} joints apart need {2 * between + 1} at least")
    first = (links - 1 - 2 * between) // 2
    return first, first + between, first + 2 * between


def limp(links: int, joints: tuple[int, ...] = ()) -> Robot:
    """The robot, without motors at some joints."""
    robot = snakesim(links=links)
    changed = (robot.joint(j).model_copy(update={"actuated": j not in joints}) for j in range(links - 1))
    return robot.model_copy(update={"joints": tuple(changed)})


def held(robot: Robot, contacts: tuple[int, int, int], wish: Wish) -> Held | None:
    """A shape nearby and forces that meet a wish, with torques that the motors have; None: there is none."""
    chain, places = TailChain.of(robot), [(link + 0.5) * LENGTH for link in contacts]
    pegs = np.array(triplet_pegs(tuple(places), SIDES))
    touches = Touches(np.array(contacts), pegs[:, :2], pegs[:, 2])
    rows = np.array([_angle_row(chain, contacts, contact) for contact, _ in wish.angles])
    task = Rows(rows.reshape(-1, chain.coordinates), np.array([angle for _, angle in wish.angles]))
    forces = Rows(np.eye(3)[[contact for contact, _ in wish.forces]], np.array([force for _, force in wish.forces]))
    for q in _starts(chain):
        try:
            found = held_pair(chain, q, touches, task, forces)
        except InvalidInput:
            continue
        limit = np.where(chain.motors > 0.0, TORQUE_LIMIT, WITHOUT)
        if np.abs(found.q[1:-2]).max() <= NEARBY and (np.abs(found.torque) <= limit).all():
            return found
    return None


def _starts(chain: TailChain) -> list[FloatArray]:
    random = np.random.default_rng(chain.links)
    out = [np.zeros(chain.coordinates) for _ in range(STARTS + 1)]
    for q in out[1:]:
        q[1:-2] = BEND * random.standard_normal(chain.links - 1)
    return out


def _angle_row(chain: TailChain, contacts: tuple[int, int, int], contact: int) -> FloatArray:
    row = link_angle_row(chain, contacts[contact])
    return row - link_angle_row(chain, contacts[contact - 1]) if contact else row


def scenario(robot: Robot, contacts: tuple[int, int, int], wish: Wish) -> Scenario:
    """A run of the quadratic program from the straight robot on."""
    places = tuple((link + 0.5) * LENGTH for link in contacts)
    before = {contact: contacts[contact - 1] if contact else None for contact in range(3)}
    options = {
        "pegs": [list(peg) for peg in triplet_pegs(places, SIDES)],
        "forces": [{"peg": contact, "force": force} for contact, force in wish.forces],
        "angles": [
            {"link": contacts[contact], "relative_to": before[contact], "angle": angle}
            for contact, angle in wish.angles
        ],
        "torque_limit": TORQUE_LIMIT,
    }
    return Scenario(
        name="lab/joints-between-contacts",
        title="Three pegs along a straight robot, and set-points of forces and angles",
        robot=robot,
        world=Choice(name="triplet", options={"places": list(places), "sides": list(SIDES)}),
        controller=Choice(name="push-shape", options=options),
        start=Start(link=0, position=(LENGTH / 2, 0.0), joint_angle=(0.0,) * (len(robot.links) - 1)),
        duration=DURATION,
        control_period=0.004,
        record_period=0.02,
    )


def program_holds(robot: Robot, contacts: tuple[int, int, int], wish: Wish) -> bool:
    """Whether the quadratic program meets a wish for the last second of a run, and loses no contact."""
    try:
        run = simulate(scenario(robot, contacts, wish))
    except InvalidInput:  # refused: it finds no pair from the straight robot on
        return False
    forces = [peg_force_off(run, peg=contact, force=f, start=SETTLE) / f for contact, f in wish.forces]
    angles = [
        link_angle_off(run, link=contacts[c], relative_to=contacts[c - 1] if c else None, angle=angle, start=SETTLE)
        for c, angle in wish.angles
    ]
    pairs = [(link, peg) for peg, link in enumerate(contacts)]
    kept = largest_gap(run, pairs=pairs, start=SETTLE) <= GAP
    return kept and max(forces) <= FORCE_OFF and max(angles, default=0.0) <= ANGLE_OFF


def cell(between: int, links: int, task: str, simulated: bool = True) -> Cell:
    """One robot, one task: how many of its wishes can be held, and how many of these the program holds."""
    robot, contacts = snakesim(links=links), contact_links(links, between)
    possible = [wish for wish in TASKS[task] if held(robot, contacts, wish) is not None]
    program = sum(program_holds(robot, contacts, wish) for wish in possible) if simulated else None
    return Cell(between, links, task, len(possible), len(TASKS[task]), program)


def table(
    between: tuple[int, ...] = (1, 2, 3), links: tuple[int, ...] = (6, 8, 10, 14), simulated: bool = True
) -> list[Cell]:
    """All cells; robots that are too short for three contacts are left out."""
    return [
        cell(joints, count, task, simulated)
        for task in TASKS
        for joints in between
        for count in links
        if count >= 2 * joints + 1
    ]


class Shares(NamedTuple):
    """Of all wishes of a task, over link counts."""

    held: float  # in balance in a shape nearby
    program: float  # held by the quadratic program; NaN if that was not tried


def shares(cells: list[Cell], between: int, task: str) -> Shares:
    """What share of the wishes of a task is held with so many joints between contacts."""
    chosen = [each for each in cells if each.between == between and each.task == task]
    if not chosen:
        raise InvalidInput(f"between = {between}, task = {task!r}: no such cell in the table")
    wishes = sum(each.wishes for each in chosen)
    driven = [each.program for each in chosen if each.program is not None]
    program = sum(driven) / wishes if len(driven) == len(chosen) else math.nan
    return Shares(sum(each.held for each in chosen) / wishes, program)


def markdown(cells: list[Cell]) -> str:
    """Rows of tasks and joints between contacts, a column per link count: how many wishes are in balance nearby, and
    how many the program holds, of how many."""
    counts = sorted({each.links for each in cells})
    found = {(each.task, each.between, each.links): each for each in cells}
    lines = [
        "| task | joints between contacts | " + " | ".join(f"{count} links" for count in counts) + " |",
        "|---|---|" + "---|" * len(counts),
    ]
    for task, joints in sorted({key[:2] for key in found}, key=lambda key: (list(TASKS).index(key[0]), key[1])):
        entries = [_shown(found.get((task, joints, count))) for count in counts]
        lines.append(f"| {task} | {joints} | " + " | ".join(entries) + " |")
    return "\n".join(lines)


def _shown(entry: Cell | None) -> str:
    if entry is None:
        return ""
    driven = "" if entry.program is None else f", {entry.program}"
    return f"{entry.held}{driven} of {entry.wishes}"
