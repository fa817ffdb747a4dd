"""What P4 asks for and leaves open: singularities (3.5.3), k (3.41), largest chains (6.1.4), psi (8.1), curvature
(3.51), and joints without a motor."""

from __future__ import annotations

import dataclasses
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pushpoint.control._reachable import Aim, reachable
from pushpoint.control.hybrid_position_force import dynamic, passive
from pushpoint.control.hybrid_position_force.redundancy import Arbitrary, growth, singularity, without_units
from pushpoint.control.hybrid_position_force.task import chains_of, task_of
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import PegContacts, peg_contacts
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.planning.paths import Path, arc_over_chord, largest_curvature, refuse_sharp_bends, sine_path
from pushpoint.robots import Joint, Robot
from pushpoint.robots.snakesim import snakesim
from pushpoint.types import FloatArray, IntArray
from pushpoint.worlds.triplet import triplet_pegs

EXACT = 1e-9  # of solutions of systems with condition numbers up to 1e5
LINKS = np.array([1, 2, 4])  # P4's links 2, 3, 5
LENGTH = 0.3  # [m], of snakesim's links


def idle(links: int, *joints: int) -> Robot:
    """snakesim without motors at some joints."""
    plain = snakesim(links=links)
    changed = tuple(Joint(actuated=j not in joints, damping=0.5) for j in range(links - 1))
    return plain.model_copy(update={"joints": changed})


def bent(chain: TailChain, seed: int, speed: float = 1.0) -> TailState:
    random = np.random.default_rng(seed)
    N = chain.coordinates
    return chain.at(0.2 * random.standard_normal(N), speed * random.standard_normal(N))


def touching(state: TailState, link: FloatArray | None = None) -> PegContacts:
    pegs = np.array(triplet_pegs())
    return peg_contacts(state, LINKS if link is None else link, pegs[:, :2], pegs[:, 2])


# --- distance to singularity, 3.5.3 ---


@given(first=st.floats(-3.0, 3.0), second=st.floats(-3.0, 3.0))
@settings(max_examples=50, deadline=None)
def test_an_arm_of_two_links_is_singular_where_it_is_stretched_or_folded(first: float, second: float) -> None:
    """Textbook: the manipulability of the tip is l1 l2 |sin phi_1|."""
    state = TailChain.of(snakesim(links=2)).at(np.array([first, second, 0.0, 0.0]), np.zeros(4))
    tip = state.points(np.array([1]), np.array([LENGTH]), np.zeros(1)).jacobian[0][:, :2]
    found = singularity(tip)
    assert found.manipulability == pytest.approx(LENGTH**2 * abs(math.sin(second)), abs=1e-12)
    assert found.smallest <= found.manipulability ** (1 / 2) + 1e-12
    assert 0.0 <= found.conditioned <= 1.0


def test_the_smallest_singular_value_is_how_far_the_nearest_singular_matrix_is() -> None:
    rows = np.random.default_rng(1).standard_normal((3, 8))
    u, sizes, v = np.linalg.svd(rows)
    assert singularity(rows).smallest == pytest.approx(sizes[-1])
    assert singularity(rows - sizes[-1] * np.outer(u[:, -1], v[2])).smallest < 1e-12
    assert singularity(np.zeros((0, 8))).smallest == math.inf
    assert singularity(np.ones((9, 8))).smallest == 0.0  # more wishes than coordinates


def test_units_do_not_matter() -> None:
    """A robot twice as large, in the same shape, is as far from a singularity."""
    small = TailChain.of(snakesim())
    big = dataclasses.replace(small, length=2 * small.length, radius=2 * small.radius, core=2 * small.core)
    q = bent(small, 4).q
    q2 = q * np.array([1.0] * 6 + [2.0, 2.0])
    found = []
    for chain, pose in ((small, q), (big, q2)):
        state = chain.at(pose, np.zeros(8))
        where = state.points(LINKS, 0.4 * chain.length[LINKS], np.zeros(3))
        found.append(singularity(without_units(state, where.jacobian[:, 1], np.ones(3, dtype=bool))))
    assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_the_gradient_leads_away_from_a_singularity() -> None:
    chain = TailChain.of(snakesim(links=2))

    def tip(state: TailState) -> FloatArray:
        return np.asarray(state.points(np.array([1]), np.array([LENGTH]), np.zeros(1)).jacobian[0][:, :2] / LENGTH)

    state = chain.at(np.array([0.3, 0.4, 0.0, 0.0]), np.zeros(4))
    slope = growth(state, tip)
    assert slope[1] > 0.1
    assert slope[[0, 2, 3]] == pytest.approx(0.0)
    further = chain.at(state.q + 0.05 * slope, state.rate)
    assert singularity(tip(further)).smallest > singularity(tip(state)).smallest


# --- k of (3.41) ---


@given(seed=st.integers(0, 10**6), links=st.integers(6, 14))
@settings(max_examples=30, deadline=None)
def test_the_task_does_not_see_k(seed: int, links: int) -> None:
    chain, random = TailChain.of(snakesim(links=links)), np.random.default_rng(seed)
    state = bent(chain, seed)
    task = task_of(state, touching(state, np.array([1, links // 2, links - 2])))
    wish, k = random.standard_normal(6), random.standard_normal(chain.coordinates)
    plain, moved = (dynamic.wanted_acceleration(task, wish, each) for each in (None, k))
    assert np.abs(task.jacobian @ (moved - plain)).max() < EXACT
    rank = np.linalg.matrix_rank(task.jacobian, tol=1e-9)
    assert (np.abs(moved - plain).max() > 1e-6) == (rank < chain.coordinates)
    # what is projected stays: k twice is k once
    assert dynamic.wanted_acceleration(task, wish, moved - plain) == pytest.approx(moved, abs=EXACT)


def test_k_damps_and_brings_back() -> None:
    state = bent(TailChain.of(snakesim()), 3)
    k = Arbitrary(damping=2.0, stiffness=3.0).motion(state, np.zeros(8), lambda _: np.zeros((0, 8)))
    assert k == pytest.approx(-2.0 * state.rate - 3.0 * state.q)
    assert not Arbitrary().used


# --- largest chains that do not overlap, 6.1.4 ---


@given(data=st.data(), links=st.integers(3, 30))
@settings(max_examples=60, deadline=None)
def test_largest_chains_share_no_joint_and_leave_none_idle(data: st.DataObject, links: int) -> None:
    link = np.array(sorted(data.draw(st.sets(st.integers(0, links - 1), min_size=1, max_size=6))))
    controlled = np.array(data.draw(st.lists(st.booleans(), min_size=len(link), max_size=len(link))))
    chains = chains_of(link, links, "largest", controlled)
    moved = np.array([chain.moved for chain in chains])
    assert (moved.sum(axis=0) <= 1).all()
    assert not moved[~controlled].any()
    if controlled.any():
        last = int(link[controlled][-1])
        assert moved.any(axis=0)[: last + 1].all()  # all joints up to the last controlled contact, and the base
        assert not moved[:, last + 1 : links].any()  # those beyond do not move it
    smallest = chains_of(link, links, "minimal")
    for chain, minimal in zip(chains, smallest, strict=True):
        assert not chain.moved.any() or (chain.moved >= minimal.moved).all()


def test_largest_chains_of_p4s_contacts() -> None:
    """Only the third contact controlled: its chain is the regular one; all of them: the minimal ones."""
    one = chains_of(LINKS, 6, "largest", np.array([False, False, True]))
    assert np.array_equal(one[2].moved, chains_of(LINKS, 6, "regular")[2].moved)
    every = chains_of(LINKS, 6, "largest", np.ones(3, dtype=bool))
    assert all(np.array_equal(a.moved, b.moved) for a, b in zip(every, chains_of(LINKS, 6, "minimal"), strict=True))
    two = chains_of(LINKS, 6, "largest", np.array([True, False, True]))
    assert np.flatnonzero(two[2].moved).tolist() == [2, 3, 4]
    assert two[2].begin == 1


# --- choice of psi, 8.1 ---


def disturbance(state: TailState, rows: FloatArray, choices: IntArray) -> FloatArray:
    return passive._Disturbance(state, rows, None)(choices)


def test_an_angle_relative_to_another_link_leaves_the_base_free() -> None:
    """As P4 chose by hand in 5.5: the joints are controlled, the virtual coordinates follow. The joint before the first
    contact would do as well as the tail's angle, and is no reason to change."""
    row = np.zeros((2, 8))
    row[0, 2], row[1, [3, 4]] = 1.0, 1.0
    for seed in range(5):
        state = bent(TailChain.of(snakesim()), seed)
        assert passive.choose_free(state, row, [0, 6, 7]) == [0, 6, 7]
        assert not {2, 3, 4} & set(passive.choose_free(state, row))
        assert {2, 3, 4} & set(passive.choose_free(state, np.eye(8)[[0, 1, 5, 6, 7]], [0, 6, 7]))


def test_an_angle_in_the_world_leaves_the_joint_behind_it_free() -> None:
    """P4 5.3: the next joint compensates. The angle of link 5 takes in all joints but the last."""
    row = np.array([[1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]])
    assert set(passive.choose_free(bent(TailChain.of(snakesim()), 1), row)) == {5, 6, 7}


@given(seed=st.integers(0, 10**6), links=st.integers(4, 10))
@settings(max_examples=25, deadline=None)
def test_no_other_choice_disturbs_the_task_less(seed: int, links: int) -> None:
    """By (3.47) and (3.48) themselves, with residuals of the passive rows drawn at random."""
    chain, random = TailChain.of(snakesim(links=links)), np.random.default_rng(seed)
    state, rows = bent(chain, seed), random.standard_normal((2, links + 2))
    chosen = passive.choose_free(state, rows)
    assert len(set(chosen)) == 3
    wanted = random.standard_normal(links + 2)
    found = passive.without_reactions(state, wanted, chosen)  # not singular
    left = (state.mass_matrix @ found.acceleration + state.coriolis_force)[chain.passive]
    assert np.abs(left).max() < EXACT * 10
    best = float(disturbance(state, rows, np.array([sorted(chosen)]))[0])
    for _ in range(20):
        other = np.sort(random.choice(links + 2, 3, replace=False))
        assert disturbance(state, rows, other[np.newaxis])[0] >= best * (1 - 1e-9)


def test_long_robots_choose_by_exchanges_and_hardly_worse() -> None:
    """Within what a choice is kept for anyway; measured 1.0 to 1.8."""
    chain, random = TailChain.of(snakesim(links=32)), np.random.default_rng(0)
    everything = np.array(list(combinations(range(34), 3)))
    assert len(everything) > passive.MOST_CHOICES
    for seed in range(3):
        state, rows = bent(chain, seed), random.standard_normal((2, 34))
        chosen = passive.choose_free(state, rows)
        best = float(disturbance(state, rows, everything).min())
        assert float(disturbance(state, rows, np.array([sorted(chosen)]))[0]) <= passive.HYSTERESIS * best


def test_a_choice_is_kept_unless_another_is_much_better() -> None:
    state = bent(TailChain.of(snakesim()), 2)
    rows = np.random.default_rng(2).standard_normal((2, 8))
    best = passive.choose_free(state, rows)
    assert passive.choose_free(state, rows, best) == best
    assert passive.choose_free(state, 1e3 * np.eye(8)[[0]], [0, 6, 7]) != [0, 6, 7]


# --- curvature, (3.51) ---


@pytest.mark.parametrize("radius", [0.31, 0.4, 1.0])
def test_circles_as_large_as_a_link_are_allowed(radius: float) -> None:
    path = circle(radius)
    bend, _ = largest_curvature(path, 0.0, path.length)
    assert bend == pytest.approx(1 / radius, rel=2e-3)
    refuse_sharp_bends(path, path.length, np.full(3, LENGTH), 1.0)


def circle(radius: float) -> Path:
    turn = np.linspace(0.0, 1.8 * math.pi, 300)
    return Path(radius * np.stack([np.cos(turn), np.sin(turn)], axis=1))


def test_sharper_ones_are_refused_with_place_and_radius() -> None:
    with pytest.raises(InvalidInput, match=r"radius of 0\.2[0-9]* m at .* with links of 0\.3 m should be 0\.3 m"):
        refuse_sharp_bends(circle(0.25), 1.0, np.array([0.1, LENGTH]), 1.0)
    refuse_sharp_bends(circle(0.25), 1.0, np.array([0.1, LENGTH]), 1.25)


def test_a_sine_bends_most_at_its_crests() -> None:
    path = sine_path(0.28, 2.0, -2.0, 2.0)
    bend, place = largest_curvature(path, 0.0, path.length)
    assert bend == pytest.approx(0.28 * math.pi**2, rel=1e-3)
    assert path(np.array([place]))[0, 1] == pytest.approx(math.copysign(0.28, path(np.array([place]))[0, 1]), abs=1e-3)


def test_bends_behind_the_robot_do_not_count() -> None:
    """A sharp bend first, then ten metres straight on."""
    turn = np.linspace(0.0, math.pi / 2, 40)
    points = np.concatenate(
        [0.1 * np.stack([np.sin(turn), 1 - np.cos(turn)], axis=1), [(0.1, 1.0 + k) for k in range(10)]]
    )
    path = Path(points)
    refuse_sharp_bends(path, path.length - 2.0, np.full(3, LENGTH), 1.0)
    with pytest.raises(InvalidInput, match="bends with a radius"):
        refuse_sharp_bends(path, 1.0, np.full(3, LENGTH), 1.0)


def test_a_chord_of_one_radius_takes_a_sixth_of_the_circle() -> None:
    assert arc_over_chord(1.0) == pytest.approx(math.pi / 3)
    assert arc_over_chord(2.0) == pytest.approx(math.pi / 2)  # a half circle: no longer chord there is


# --- joints without a motor ---


def test_passive_coordinates_are_those_without_a_motor() -> None:
    chain = TailChain.of(idle(6, 1, 3))
    assert chain.passive == [0, 6, 7, 2, 4]
    assert chain.actuation.sum(axis=0).tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert TailChain.of(snakesim()).passive == [0, 6, 7]


@given(seed=st.integers(0, 10**6), joint=st.integers(0, 4))
@settings(max_examples=25, deadline=None)
def test_no_torque_is_asked_of_a_joint_without_a_motor(seed: int, joint: int) -> None:
    """Printed and corrected: the equation of motion holds with the torques of the others."""
    chain = TailChain.of(idle(6, joint))
    state = bent(chain, seed, speed=0.3)
    wanted = np.random.default_rng(seed).standard_normal(8)
    contacts = touching(state)
    printed = passive.without_reactions(state, wanted, passive.choose_free(state, np.eye(8)[[0]]))
    corrected = passive.with_reactions(state, contacts, wanted, chain.passive)
    for found in (printed, corrected):
        assert found.torque[joint] == 0.0
        given_force = contacts.normal_jacobian.T @ found.force if len(found.force) else np.zeros(8)
        left = (
            state.mass_matrix @ found.acceleration + state.coriolis_force - chain.actuation @ found.torque - given_force
        )
        assert np.abs(left).max() < 1e-6 * max(1.0, float(np.abs(found.acceleration).max()))


def test_reachable_accelerations_need_no_motor_where_there_is_none() -> None:
    chain = TailChain.of(idle(6, 2))
    state = bent(chain, 5, speed=0.2)
    contacts = touching(state)
    row = np.zeros((1, 8))
    row[0, :5] = 1.0
    found, force = reachable(state, contacts, Aim.of(np.zeros(8), 3)._replace(rows=row, value=np.array([0.7])))
    assert row @ found == pytest.approx(0.7)
    needed = state.mass_matrix @ found + state.coriolis_force - contacts.normal_jacobian.T @ force
    assert np.abs(needed[chain.passive]).max() < EXACT
