"""Newton's method begins a second time where it began the first time."""

from __future__ import annotations

import numpy as np

from pushpoint._jit import entry_point
from pushpoint.numerics.records import Records, record_array
from pushpoint.plants.planar_stepping.extended import (
    GROUND_FIELDS,
    JOINT_FIELDS,
    TOUCH_FIELDS,
    Contacts,
    Ground,
    Joints,
)
from pushpoint.plants.planar_stepping.first_guess import keep_first_guess, take_first_guess
from pushpoint.plants.planar_stepping.model import CONTACT_FIELDS, LINK_FIELDS, NUMBER_FIELDS, Problem

LINKS, TOUCHES = 3, 2
OF_LINKS = ("vx", "vy", "w", "chord_x", "chord_y", "chord_w", "ground_guess_x", "ground_guess_y")


@entry_point
def keep(problem: Problem, ground: Ground | None, contacts: Contacts, joints: Joints | None) -> None:
    keep_first_guess(problem, ground, contacts, joints)


@entry_point
def take(problem: Problem, ground: Ground | None, contacts: Contacts, joints: Joints | None) -> None:
    take_first_guess(problem, ground, contacts, joints)


def filled(count: int, fields: tuple[str, ...], seed: int) -> Records:
    records, draw = record_array(count, fields), np.random.default_rng(seed)
    for name in fields:
        records[name] = draw.uniform(0.1, 1.0, count)
    return records


def test_velocities_and_multipliers_are_as_before_the_first_sweep() -> None:
    link = filled(LINKS, LINK_FIELDS, 1)
    contact, first = filled(TOUCHES, CONTACT_FIELDS, 2), np.array([0, 1, 2, 2])
    problem = Problem(record_array(1, NUMBER_FIELDS), link, link, contact, first)
    ground = Ground(filled(LINKS, GROUND_FIELDS, 3), np.zeros((1, 6)), np.zeros((0, 4)))
    joints = Joints(filled(LINKS, JOINT_FIELDS, 4))
    room = np.zeros((1, 1))
    contacts = Contacts(record_array(LINKS, TOUCH_FIELDS), room, room, room, room, np.zeros((1, 1), np.int64))
    keep(problem, ground, contacts, joints)
    kept = [(link, OF_LINKS), (contact, ("guess", "guess_t")), (ground.link, ("spin_guess",))]
    kept.append((joints.link, ("stop_guess",)))
    before = [records[name].copy() for records, names in kept for name in names]
    for records, names in kept:
        for name in names:
            records[name] = np.nan
    take(problem, ground, contacts, joints)
    after = [records[name] for records, names in kept for name in names]
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(new, old)
    np.testing.assert_array_equal(contact["limit"], contact["mu"] * contact["guess"])
