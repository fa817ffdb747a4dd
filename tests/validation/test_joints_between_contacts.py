"""P4's main conclusion, two actuated joints between contacts, over link counts."""

from __future__ import annotations

import math

import pytest

from pushpoint.errors import InvalidInput
from pushpoint.robots.snakesim import snakesim
from tests.validation.joints_between_contacts import (
    TASKS,
    Cell,
    Wish,
    cell,
    contact_links,
    held,
    limp,
    markdown,
    program_holds,
    shares,
    table,
)

FORCE, BOTH = Wish(((2, 1.0),)), Wish(((2, 1.0),), ((2, 0.1),))


def test_contacts_are_so_many_joints_apart_in_the_middle() -> None:
    assert contact_links(6, 2) == (0, 2, 4)
    assert contact_links(14, 3) == (3, 6, 9)
    with pytest.raises(InvalidInput, match="need 7 at least"):
        contact_links(6, 3)


def test_one_force_is_three_point_bending_whatever_is_between() -> None:
    """1, 2, 1 N for equal arms; the torque in the middle is the force times the arm from joint to peg."""
    for between, torque in ((1, 0.15), (2, 0.45), (3, 0.75)):
        found = held(snakesim(links=8), contact_links(8, between), FORCE)
        assert found is not None
        assert found.force == pytest.approx([1.0, 2.0, 1.0], abs=1e-6)
        assert max(abs(found.torque)) == pytest.approx(torque, abs=1e-6)


def test_a_joint_without_a_motor_between_the_contacts_holds_no_force() -> None:
    """It carries no bending moment; beyond the contacts there is none to carry."""
    contacts = contact_links(8, 2)  # links 1, 3, 5: joints 1 to 4 between them
    assert held(limp(8, (2,)), contacts, FORCE) is None
    assert held(limp(8, (0, 6)), contacts, FORCE) is not None


def test_the_table_shows_what_was_found() -> None:
    cells = [Cell(1, 6, "one force", 3, 3, 3), Cell(1, 8, "one force", 2, 3, None), Cell(2, 8, "two forces", 4, 4, 1)]
    text = markdown(cells)
    assert "| one force | 1 | 3, 3 of 3 | 2 of 3 |" in text
    assert "| two forces | 2 |  | 4, 1 of 4 |" in text
    assert shares(cells, 2, "two forces") == (1.0, 0.25)
    assert math.isnan(shares(cells, 1, "one force").program)
    with pytest.raises(InvalidInput, match="no such cell"):
        shares(cells, 3, "one force")


@pytest.mark.slow
def test_one_joint_holds_a_force_and_two_hold_a_force_and_more() -> None:
    """By statics, six and ten links: with two or three joints all wishes of two set-points, with one half at most."""
    cells = table(links=(6, 10), simulated=False)
    for between in (1, 2, 3):
        assert shares(cells, between, "one force").held == 1.0
    for task in ("a force and an angle", "two forces"):
        assert shares(cells, 1, task).held <= 0.5
        assert shares(cells, 2, task).held == shares(cells, 3, task).held == 1.0
    assert shares(cells, 1, "two forces, two angles").held == 0.0
    assert set(TASKS) == {each.task for each in cells}


@pytest.mark.slow
@pytest.mark.parametrize("links", [6, 8, 14])
def test_the_program_holds_a_force_and_an_angle_with_two_joints(links: int) -> None:
    pytest.importorskip("daqp", reason="the quadratic program is an extra: pip install 'pushpoint[qp]'")
    robot = snakesim(links=links)
    assert program_holds(robot, contact_links(links, 1), FORCE)
    assert not program_holds(robot, contact_links(links, 1), BOTH)
    assert program_holds(robot, contact_links(links, 2), BOTH)
    assert cell(2, links, "one force").program == 3
