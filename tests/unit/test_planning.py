"""Paths, chains on them, push-points, loads that can be carried, pairs that can be held."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import peg_contacts
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning.equilibrium import Rows, Touches, balanced_forces, held_pair, link_angle_row
from pushpoint.planning.feasibility import (
    Course,
    Drag,
    Margin,
    described,
    largest_load,
    largest_multiple,
    missing_wrench,
    null_space,
)
from pushpoint.planning.follow import SPACING, Following, arcs_on, coordinates_on
from pushpoint.planning.paths import Path, sine_path
from pushpoint.planning.push_points import push_points
from pushpoint.robots import Link, Robot, robots
from pushpoint.types import FloatArray
from pushpoint.worlds import Disc, worlds

SINE = (0.28, 2.0)  # [m], amplitude and wavelength


def chain(links: int, length: float = 0.3) -> TailChain:
    link = Link(length=length, mass=1.0, inertia=length**2 / 12, radius=0.05)
    return TailChain.of(Robot(name="rods", links=(link,) * links))


def pegs_beside(chain: TailChain, link: list[int], side: list[int], radius: float = 0.1) -> Touches:
    """Pegs that touch the middle of links of a straight robot on the x axis; side +1: on the left."""
    at = np.array(link)
    centre = np.stack([chain.length[0] * (at + 0.5), np.array(side) * (0.05 + radius)], axis=1)
    return Touches(at, centre, np.full(len(link), radius))


def rows_of(chain: TailChain, touches: Touches, q: FloatArray | None = None) -> FloatArray:
    at = np.zeros(chain.coordinates) if q is None else q
    return peg_contacts(chain.at(at, np.zeros_like(at)), *touches).normal_jacobian


# --- paths ---


def test_circle_has_its_arc_length_and_nearest_points() -> None:
    angle = np.linspace(0.0, math.pi, 400)
    path = Path(2.0 * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    assert path.length == pytest.approx(2.0 * math.pi, rel=1e-8)
    point = 1.5 * np.array([math.cos(1.0), math.sin(1.0)])
    assert path.nearest(point) == pytest.approx(2.0, rel=1e-7)
    assert np.linalg.norm(path.tangent(np.linspace(0.0, path.length, 50)), axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "points",
    [
        [(x, 0.28 * math.sin(math.pi * x)) for x in np.linspace(-4.0, 5.0, 19)],
        [(0.0, 0.0), (0.1, 0.05), (1.0, 0.3), (1.1, 0.2), (3.0, 0.0)],
        [(-6.0, 0.0), (-1.0, 0.0), (-0.8, 0.02), (0.0, 0.15), (5.0, 0.0)],
        [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (2.0, 2.0)],
        [(0.0, 0.0), (3.0, 1.0)],
    ],
    ids=["few points of a sine", "uneven", "uneven, gentle", "corner", "straight"],
)
def test_few_and_uneven_points_make_a_path_by_arc_length(points: list[tuple[float, float]]) -> None:
    path = Path(np.array(points))
    s = np.linspace(0.0, path.length, 20001)
    steps = np.linalg.norm(np.diff(path(s), axis=0), axis=1)
    assert steps.sum() == pytest.approx(path.length, rel=1e-5)
    assert steps / (s[1] - s[0]) == pytest.approx(1.0, abs=1e-4)  # chords of bends are shorter; the bound is 1e-5
    for point in points:
        assert path(np.array([path.nearest(np.array(point))]))[0] == pytest.approx(point, abs=1e-8)


def test_path_that_turns_back_on_the_spot_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"turn back on the spot, as this one does near \(1, 0\) m"):
        Path(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))


def test_paths_go_on_straight_beyond_their_ends() -> None:
    path = Path(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]))
    assert path(np.array([-0.5, 2.5])) == pytest.approx(np.array([[-0.5, 0.0], [2.5, 0.0]]))


@pytest.mark.parametrize("points", [np.zeros((1, 2)), np.zeros((3, 2))])
def test_points_that_are_no_path_are_refused(points: FloatArray) -> None:
    with pytest.raises(InvalidInput, match="two points"):
        Path(points)


def test_sine_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(InvalidInput, match="end = -1"):
        sine_path(*SINE, 0.0, -1.0)


# --- chains on paths ---


def test_joints_lie_on_the_path_a_link_apart() -> None:
    robot, path = chain(14), sine_path(*SINE, -4.0, 5.0)
    joints = path(arcs_on(robot, path, np.array([5.0, 6.0])))
    assert np.linalg.norm(np.diff(joints, axis=1), axis=2) == pytest.approx(0.3, abs=1e-10)
    assert joints[..., 1] == pytest.approx(0.28 * np.sin(np.pi * joints[..., 0]), abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_joints_find_their_places_on_and_beyond_any_smooth_path(seed: int) -> None:
    """Curves through uneven points, of which the arc length is known to five digits; links that lie on its straight
    parts, or stick out at an end, are as long as their arcs, or by rounding a little longer."""
    random = np.random.default_rng(seed)
    x = np.cumsum(random.uniform(0.05, 0.15, 30))
    path = Path(np.stack([x, 0.1 * np.sin(2.0 * x + seed) + 0.002 * random.standard_normal(30)], axis=1))
    chain = TailChain.of(robots["ten-link"]())
    joints = path(arcs_on(chain, path, np.linspace(-0.5, path.length + 2.0, 200)))
    assert np.linalg.norm(np.diff(joints, axis=1), axis=2) == pytest.approx(0.14, abs=1e-9)


def test_following_knows_its_own_derivatives() -> None:
    """Against differences of exact shapes; the table is interpolated linearly, so that it is off by h^2 q'' / 8."""
    robot, path, h = chain(14), sine_path(*SINE, -4.0, 5.0), 1e-3
    found = Following(robot, path, 5.0, 7.0).at(6.0013)
    before, now, after = coordinates_on(path(arcs_on(robot, path, 6.0013 + h * np.array([-1.0, 0.0, 1.0]))))
    curvature = (after - 2 * now + before) / h**2
    assert found.q == pytest.approx(now, abs=SPACING**2 / 8 * np.abs(curvature).max())
    assert found.slope == pytest.approx((after - before) / (2 * h), abs=1e-3)  # measured 2e-4
    assert found.curvature == pytest.approx(curvature, abs=0.02 * np.abs(curvature).max())  # measured 0.002


def test_path_too_sharp_for_a_link_is_refused() -> None:
    angle = np.linspace(0.0, 30.0, 3000)
    circle = Path(0.1 * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    with pytest.raises(InvalidInput, match="bends too sharply"):
        arcs_on(chain(3), circle, np.array([2.0]))


# --- push-points ---


def test_push_points_are_near_or_were_touched_and_at_the_ends_only_if_touched() -> None:
    robot = chain(3)
    state = robot.at(np.zeros(5), np.zeros(5))
    beside = 0.15  # [m], link and peg touch
    pegs = Pegs.of(
        (
            (0.45, beside + 0.002, 0.1),  # near
            (0.45, -beside - 0.01, 0.1),  # farther: only where touched
            (0.45, beside + 0.03, 0.1),  # too far
            (0.01, beside, 0.1),  # at the tail's last centimetre
            (0.895, -beside, 0.1),  # at the head's tip
        )
    )
    found = push_points(state, pegs)
    assert (found.contacts.link.tolist(), found.peg.tolist()) == ([1], [0])
    touched = np.ones((3, 5), dtype=bool)
    assert sorted(push_points(state, pegs, touched).peg.tolist()) == [0, 1, 3, 4]  # the ends count where they touch
    touched[0, 3] = touched[2, 4] = False
    assert push_points(state, pegs, touched).peg.tolist() == [0, 1]
    assert push_points(state, pegs, leaning=0.02).peg.tolist() == [0, 1]


def test_robot_that_leans_over_to_a_peg_touches_it_with_the_nearest_link() -> None:
    """A peg beside a joint that is bent by 0.1 rad away from it: the links' gaps differ by little there."""
    robot = chain(3)
    state = robot.at(np.array([0.0, -0.1, 0.0, 0.0, 0.0]), np.zeros(5))
    beside = Pegs.of(((0.2, 0.16, 0.1), (0.29, 0.16, 0.1)))
    found = push_points(state, beside, leaning=0.02)
    pairs = sorted(zip(found.peg.tolist(), found.contacts.link.tolist(), strict=True))
    assert pairs == [(0, 0), (1, 0), (1, 1)]


def test_neighbours_of_a_link_that_touches_do_not_push() -> None:
    """They are 0.5 and 1 mm off the pegs: forces with which a controller reckons there would not come."""
    robot = chain(3)
    state = robot.at(np.array([0.0, -0.01, 0.0, 0.0, 0.0]), np.zeros(5))
    pegs = Pegs.of(((0.3, 0.15, 0.1), (0.62, -0.152, 0.1)))
    assert push_points(state, pegs).contacts.link.tolist() == [0, 1, 1, 2]
    touched = np.zeros((3, 2), dtype=bool)
    touched[0, 0] = True
    found = push_points(state, pegs, touched, alone=True)
    assert list(zip(found.contacts.link.tolist(), found.peg.tolist(), strict=True)) == [(0, 0), (1, 1), (2, 1)]
    assert push_points(state, pegs, touched).contacts.link.tolist() == [0, 1, 1, 2]


# --- loads ---


def test_three_point_bending_carries_twice_the_torque_over_the_arm() -> None:
    """Two links on two pegs, pressed in the middle: a force F bends the joint by F/2 times the arm to a peg."""
    robot, limit = chain(2), 3.0
    rows = rows_of(robot, pegs_beside(robot, [0, 1], [-1, -1]))  # pegs on the right push to the left
    load = np.zeros(4)
    load[[0, 3]] = 0.3, 1.0  # a force of 1 N to the left at the joint: moment about the tail and force y
    found = largest_load(rows, load, limit)
    assert found.alpha == pytest.approx(2 * limit / 0.15)
    assert found.contact_force == pytest.approx(np.full(2, found.alpha / 2))
    assert abs(found.torque[0]) == pytest.approx(limit)


@pytest.mark.parametrize("find", [lambda *given: largest_load(*given).alpha, largest_multiple])
def test_drift_makes_up_for_a_direction_that_contacts_miss_by_little(find: Callable[..., float]) -> None:
    """Two pegs push to the left; the load is aimed 0.5 % to the front of that."""
    robot, limit = chain(2), 3.0
    rows = rows_of(robot, pegs_beside(robot, [0, 1], [-1, -1]))
    load = np.zeros(4)
    load[[0, 2, 3]] = 0.3, 0.005, 1.0
    assert find(rows, load, limit) == pytest.approx(0.0, abs=1e-4)
    assert find(rows, load, limit, 1.0, 0.004) == pytest.approx(0.0, abs=1e-4)
    short = 0.006 * np.linalg.norm(load)  # of the moment; the force may be larger by as much: both spare the joint
    carried = 0.3 * limit / 0.15 / (0.3 - short - 0.15 * (1.0 + short))
    assert find(rows, load, limit, 1.0, 0.006) == pytest.approx(carried, rel=1e-6)


def test_contacts_without_a_torque_limit_carry_anything() -> None:
    robot = chain(2)
    rows = rows_of(robot, pegs_beside(robot, [0, 1], [-1, -1]))
    load = np.zeros(4)
    load[[0, 3]] = 0.3, 1.0
    assert largest_load(rows, load, math.inf).alpha == math.inf


def course(torque_limit: float = 5.0, friction: float = 0.1, peg_friction: float = 0.1) -> Course:
    robot = TailChain.of(robots["fourteen-link"]())
    discs = worlds["sine-pegs"]().obstacles
    pegs = Pegs.of(tuple((disc.x, disc.y, disc.radius) for disc in discs if isinstance(disc, Disc)))
    following = Following(robot, sine_path(*SINE, -4.0, 5.0), 5.0, 9.0)
    return Course(following, pegs, Drag(friction, 0.0), peg_friction, torque_limit, 0.15)


def test_largest_load_balances_every_link() -> None:
    here = course()
    reference = here.following.at(6.0)
    state = here.following.chain.at(reference.q, 0.15 * reference.slope)
    contacts = here.points(state).contacts
    rows = contacts.normal_jacobian - here.peg_friction * contacts.tangent_jacobian
    load = -state.generalised(here.drag.on(state.chain, state.velocities))
    found, count = here.propulsion(6.0)
    left = state.chain.actuation @ found.torque + rows.T @ found.contact_force - found.alpha * load
    assert count == len(rows) >= 3
    assert np.abs(left).max() < 1e-7  # [N], [N m]; measured 2e-9: the solver's own
    assert np.abs(found.torque).max() == pytest.approx(5.0, abs=1e-6)
    assert found.contact_force.min() >= -1e-9


def test_load_grows_with_torque_and_falls_with_friction() -> None:
    alpha = [course(limit).propulsion(6.0)[0].alpha for limit in (2.5, 5.0)]
    assert alpha[1] == pytest.approx(2.0 * alpha[0], rel=1e-6)
    rough = [course(peg_friction=mu).propulsion(6.0)[0].alpha for mu in (0.0, 0.1, 0.3)]
    assert rough == sorted(rough, reverse=True)
    assert course(friction=0.2).propulsion(6.0)[0].alpha == pytest.approx(rough[1] / 2, rel=1e-6)


def test_drag_is_coulomb_plus_viscous() -> None:
    robot = chain(2)
    force = Drag(0.1, 2.0).on(robot, np.array([[0.3, 0.4], [0.0, 0.0]]))
    assert force[0] == pytest.approx(-(0.1 * 9.81 / 0.5 + 2.0) * np.array([0.3, 0.4]))
    assert force[1] == pytest.approx(0.0)


def test_peg_on_a_slope_drives_by_sine_less_friction_times_cosine() -> None:
    """F_x = N (sin psi - mu cos psi), the peg on the left of a link that rises: the critical friction is tan psi."""
    robot, slope, mu = chain(3), 0.7, 0.3
    state = robot.at(np.array([slope, 0.0, 0.0, 0.0, 0.0]), np.zeros(5))
    centre = state.centres[1] + 0.15 * state.left[1]
    contact = peg_contacts(state, np.array([1]), centre[np.newaxis], np.array([0.1]))
    row = contact.normal_jacobian - mu * contact.tangent_jacobian
    assert row[0, 3] == pytest.approx(math.sin(slope) - mu * math.cos(slope))


def test_momentum_carries_over_a_short_weak_stretch() -> None:
    """v^2 falls by 2 (1 - alpha) braking per metre."""
    s = np.arange(0.0, 1.0, 1e-3)
    short, long = (np.where((s > 0.2) & (s < 0.2 + width), 0.9, 1.5) for width in (0.02, 0.5))
    margins = [Margin(s, alpha, np.full_like(s, 3.0), np.ones_like(s)) for alpha in (short, long)]
    assert margins[0].stall(0.15) is None
    stop = 0.2 + 0.15**2 / (2 * 0.1 * 1.0)
    assert margins[1].stall(0.15) == pytest.approx(stop, abs=2e-3)


def test_robot_at_rest_does_not_get_away_where_too_little_can_be_carried() -> None:
    s = np.linspace(0.0, 0.1, 51)
    margin = Margin(s, np.where(s < 0.01, 0.98, 1.5), np.full_like(s, 3.0), np.ones_like(s))
    assert margin.stall(0.15) is None
    assert margin.stall(0.15, begin=0.0) == pytest.approx(s[1])
    assert margin.stall(0.15, safety=2.0) is not None


def test_weak_stretch_begins_where_speed_is_lost() -> None:
    s = np.linspace(0.0, 1.0, 501)
    margin = Margin(s, np.where((s > 0.5) & (s < 0.7), 0.8, 1.5), np.full_like(s, 3.0), np.ones_like(s))
    found = margin.weak_stretch(0.15, begin=0.0)
    assert found is not None
    assert found.begin == pytest.approx(0.5, abs=3e-3)
    assert found.stall == pytest.approx(0.5 + 0.15**2 / (2 * 0.2), abs=5e-3)  # steps of 2 mm: it begins one late
    assert found.alpha == pytest.approx(0.8)


def test_grid_is_fine_where_push_points_change_hands() -> None:
    here = course()
    margin = here.margin(6.0, 6.6)
    pairs = [_pairs(here, float(s)) for s in margin.s]
    steps = np.diff(margin.s)
    changes = np.array([a != b for a, b in itertools.pairwise(pairs)])
    assert changes.any()
    assert steps[changes].max() <= 2e-3 + 1e-9  # [m], asked for
    assert len(margin.s) < 0.8 * 300  # not everywhere


def _pairs(here: Course, s: float) -> set[tuple[int, int]]:
    points = here.points(here.moving_at(s))
    return set(zip(points.contacts.link.tolist(), points.peg.tolist(), strict=True))


def test_two_solvers_agree_on_the_largest_load() -> None:
    here = course()
    for s in np.linspace(5.2, 8.8, 25):
        state = here.moving_at(float(s))
        contacts = here.points(state).contacts
        rows = contacts.normal_jacobian - here.peg_friction * contacts.tangent_jacobian
        program = rows, here.load(state), here.torque_limit, 4.2
        assert largest_multiple(*program) == pytest.approx(largest_load(*program).alpha, abs=1e-5)  # measured 1e-6


def test_pegs_rougher_than_the_path_is_steep_carry_nothing() -> None:
    steep = 0.28 * math.pi  # at the inflections; a bit more where a round end of a link touches
    assert course(peg_friction=0.6 * steep).margin(6.0, 8.0, 0.1).alpha.min() > 0.0
    assert course(peg_friction=1.5 * steep).margin(6.0, 8.0, 0.1).alpha.max() == 0.0


def test_missing_direction_is_named() -> None:
    robot = chain(6)
    rows = rows_of(robot, pegs_beside(robot, [1, 2, 4], [-1, 1, -1]))
    load = np.zeros(8)
    load[6] = 1.0  # forward: smooth pegs beside a straight robot push across only
    found = largest_load(rows, load, 5.0)
    assert found.alpha == 0.0
    assert found.missing == pytest.approx([0.0, 1.0, 0.0])
    assert described(np.array([0.0, 1.0, 0.0])) == "no contact pushes along (+1.00, +0.00)"
    assert "clockwise" in described(np.array([-1.0, 0.0, 0.0]))
    assert missing_wrench(np.zeros((0, 8)), load) == pytest.approx([0.0, 1.0, 0.0])
    load[:] = 0.0
    assert missing_wrench(rows, load) is None


# --- what can be held ---


def test_forces_that_can_be_held_are_those_of_the_null_space() -> None:
    """Pegs on links 2R, 3L, 5R of P4 and a straight robot: (2, 3, 1) a, erratum P4-6."""
    robot = chain(6)
    held = balanced_forces(robot, np.zeros(8), pegs_beside(robot, [1, 2, 4], [-1, 1, -1]))
    assert held.shape == (3, 1)
    assert held[:, 0] / held[2, 0] == pytest.approx([2.0, 3.0, 1.0])
    assert null_space(np.zeros((3, 0))).shape == (0, 0)


def test_pair_of_shape_and_forces_is_in_balance() -> None:
    robot = chain(6)
    touches = pegs_beside(robot, [1, 2, 4], [-1, 1, -1])
    task = Rows(link_angle_row(robot, 2)[np.newaxis], np.array([0.1]))
    held = held_pair(robot, np.zeros(8), touches, task, Rows(np.array([[0.0, 1.0, 0.0]]), np.array([1.0])))
    contacts = peg_contacts(robot.at(held.q, np.zeros(8)), *touches)
    assert np.abs(contacts.gap).max() < 1e-9
    assert held.q[:3].sum() == pytest.approx(0.1, abs=1e-9)
    assert held.force[1] == pytest.approx(1.0, abs=1e-9)
    left = contacts.normal_jacobian.T @ held.force + robot.actuation @ held.torque
    assert np.abs(left).max() < 1e-8


def test_straight_robot_holds_1_6_2_4_0_8_newton() -> None:
    robot = chain(6)
    touches = pegs_beside(robot, [1, 2, 4], [-1, 1, -1])
    force = Rows(np.array([[0.0, 1.0, 0.0]]), np.array([2.4]))
    held = held_pair(robot, np.zeros(8), touches, Rows.none(8), force)
    assert held.force == pytest.approx([1.6, 2.4, 0.8], abs=1e-8)
    assert held.torque == pytest.approx([0.0, -0.24, -0.36, -0.12, 0.0], abs=1e-8)  # statics: forces times arms


def test_forces_that_cannot_be_held_say_what_is_left() -> None:
    robot = chain(6)
    touches = pegs_beside(robot, [1, 2, 4], [-1, 1, -1])
    both = Rows(np.eye(3), np.array([2.0, 2.0, 2.0]))  # P4 5.4 asks for equal forces
    with pytest.raises(InvalidInput, match=r"cannot be held: .* is left"):
        held_pair(robot, np.zeros(8), touches, Rows(np.eye(8)[:6], np.zeros(6)), both)
    with pytest.raises(InvalidInput, match="would have to pull with 1 N"):
        held_pair(robot, np.zeros(8), touches, Rows.none(8), Rows(np.eye(3)[1:2], np.array([-1.0])))
    with pytest.raises(InvalidInput, match="2 contacts: at least three"):
        held_pair(robot, np.zeros(8), Touches(*(part[:2] for part in touches)), Rows.none(8), Rows.none(2))
