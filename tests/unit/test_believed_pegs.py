"""Beliefs about pegs corrected by touch, paths that yield to them, and robots laid on a path clear of them."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning.believed_pegs import Beliefs, Correction, corrected, first_beliefs
from pushpoint.planning.follow import Following, Reference, arcs_on, coordinates_on
from pushpoint.planning.paths import Path, sine_path
from pushpoint.planning.push_points import PushPoints, all_gaps, clear_of, points_to_lean_on, push_points
from pushpoint.planning.yielding_path import YieldingPath
from pushpoint.robots import robots

CHAIN = TailChain.of(robots["fourteen-link"](links=3))
BESIDE = 0.15  # [m], from the axis of a link to the centre of a peg of 0.1 m that touches it
YES, NO = np.array([True]), np.array([False])


def straight(gap: float) -> tuple[Pegs, PushPoints]:
    """A peg on the left of the middle link of a straight robot with a gap [m], and the push-point there."""
    pegs = Pegs.of(((0.45, BESIDE + gap, 0.1),))
    return pegs, push_points(CHAIN.at(np.zeros(5), np.zeros(5)), pegs, near=0.05)


def test_felt_peg_is_moved_until_its_gap_closes() -> None:
    beliefs, step = first_beliefs(straight(0.01)[0]), Correction.during(0.004)
    for _ in range(60):
        points = push_points(CHAIN.at(np.zeros(5), np.zeros(5)), Pegs(beliefs.centre, np.array([0.1])), near=0.05)
        beliefs = corrected(beliefs, points, YES, NO, step)
    assert beliefs.centre[0] == pytest.approx([0.45, BESIDE], abs=1e-7)  # 0.8^60 of 10 mm is 2e-8 m
    assert beliefs.anchor == pytest.approx(beliefs.centre)


def test_peg_that_should_touch_and_is_not_felt_yields_up_to_a_limit() -> None:
    pegs, points = straight(0.001)
    beliefs, step = first_beliefs(pegs), Correction.during(0.004)
    once = corrected(beliefs, points, NO, YES, step)
    assert once.centre[0] - beliefs.centre[0] == pytest.approx([0.0, 0.03 * 0.004])
    for _ in range(1000):
        beliefs = corrected(beliefs, points, NO, YES, step)
    assert 0.0148 < beliefs.centre[0, 1] - pegs.centre[0, 1] <= 0.015


def test_peg_that_two_links_feel_goes_to_the_mean() -> None:
    state = CHAIN.at(np.array([0.0, 0.0, 0.0, 0.0, 0.0]), np.zeros(5))
    pegs = Pegs.of(((0.3, BESIDE + 0.01, 0.1),))  # at the joint: both links are equally far
    points = push_points(state, pegs, near=0.05)
    both = np.ones(len(points.peg), dtype=bool)
    assert len(points.peg) == 2
    found = corrected(first_beliefs(pegs), points, both, ~both, Correction(1.0, 0.0))
    assert found.centre[0] == pytest.approx([0.3, BESIDE])


def test_nothing_felt_and_nothing_missed_changes_nothing() -> None:
    pegs, points = straight(0.001)
    beliefs = first_beliefs(pegs)
    assert corrected(beliefs, points, NO, NO, Correction.during(0.004)) is beliefs


def test_map_error_has_its_size_and_repeats_with_the_seed() -> None:
    pegs = Pegs.of(tuple((float(k), 0.0, 0.1) for k in range(400)))
    found: list[Beliefs] = [first_beliefs(pegs, 0.005, seed) for seed in (1, 1, 2)]
    assert np.array_equal(found[0].centre, found[1].centre)
    assert not np.array_equal(found[0].centre, found[2].centre)
    assert np.std(found[0].centre - pegs.centre) == pytest.approx(0.005, rel=0.1)  # of 800 draws: 2.5 % is usual
    assert np.array_equal(first_beliefs(pegs).centre, pegs.centre)


# --- paths ---


def on_sine(links: int = 8) -> tuple[Following, Pegs]:
    """A chain on a sine, and pegs that touch it at the inflections of the path."""
    chain, path = TailChain.of(robots["fourteen-link"](links=links)), sine_path(0.28, 2.0, -4.0, 3.0)
    s = np.array([path.nearest(np.array([float(x), 0.0])) for x in range(-3, 3)])
    tangent = path.tangent(s)
    left = np.stack([-tangent[:, 1], tangent[:, 0]], axis=1)
    return Following(chain, path, 5.0, 7.0), Pegs(path(s) + BESIDE * np.sign(tangent[:, 1:]) * left, np.full(6, 0.1))


def reference_on(path: YieldingPath, s: float, weights: np.ndarray) -> Reference:
    """The chain on the moved path, its head's end beside s [m]."""
    return path.following.at(s, path.change(s, weights))


def test_path_stays_where_pegs_are_where_they_should_be() -> None:
    following, pegs = on_sine()
    moved = YieldingPath(following, pegs, 0.02, 0.035)
    assert np.abs(moved.weights(pegs.centre)).max() < 1e-9
    assert reference_on(moved, 6.0, np.zeros(6)).q == pytest.approx(following.at(6.0).q)


def test_chain_on_the_moved_path_is_that_on_a_path_through_moved_points() -> None:
    """Against a path that is built from moved points; lengths fit to first order, and heads differ by a bit."""
    following, pegs = on_sine()
    moved, random = YieldingPath(following, pegs, 0.02, 0.035), np.random.default_rng(3)
    weights = moved.weights(pegs.centre + 0.005 * random.standard_normal((6, 2)))
    s = np.linspace(0.0, following.path.length, 3000)
    offset = np.exp(-0.5 * ((s[:, np.newaxis] - moved._s) / 0.35) ** 2) @ weights
    tangent = following.path.tangent(s)
    path = Path(following.path(s) + offset[:, np.newaxis] * np.stack([-tangent[:, 1], tangent[:, 0]], axis=1))
    found, chain = reference_on(moved, 6.0, weights), following.chain
    body, still = chain.at(found.q, np.zeros_like(found.q)), np.zeros_like(found.q)
    near = path.nearest(body.joints[-1], 6.0) + np.linspace(-4e-3, 4e-3, 41)
    exact = [chain.at(q, still) for q in coordinates_on(path(arcs_on(chain, path, near)))]
    assert np.abs(offset).max() > 9e-3
    assert min(body.off_by(other) for other in exact) < 2.5e-3  # [m]; measured 1.9: bends make arcs longer or shorter
    h = 5e-3
    ahead, behind = reference_on(moved, 6.0 + h, weights).q, reference_on(moved, 6.0 - h, weights).q
    assert found.slope == pytest.approx((ahead - behind) / (2 * h), abs=2e-3)  # the table is interpolated linearly


def test_path_is_moved_so_that_the_robot_touches() -> None:
    following, pegs = on_sine()
    moved = YieldingPath(following, pegs, 0.02, 0.035)
    inflections = np.stack([np.arange(-3.0, 3.0), np.zeros(6)], axis=1)
    believed = Pegs(pegs.centre + 0.006 / BESIDE * (pegs.centre - inflections), pegs.radius)
    gap = {}
    for name, q in (
        ("path", following.at(6.0).q),
        ("moved", reference_on(moved, 6.0, moved.weights(believed.centre)).q),
    ):
        gaps, _ = all_gaps(following.chain.at(q, np.zeros_like(q)), believed)
        inner = (gaps.argmin(axis=0) > 0) & (gaps.argmin(axis=0) < 7) & (gaps.min(axis=0) < 0.05)
        assert inner.any()
        gap[name] = np.abs(gaps.min(axis=0)[inner]).max()
    assert gap["path"] > 4e-3
    assert gap["moved"] < 1e-3  # chords of a bent path, and SOFT


def test_pegs_far_from_the_path_do_not_move_it() -> None:
    following, pegs = on_sine()
    far = Pegs(pegs.centre + np.sign(pegs.centre[:, 1:]) * np.array([0.0, 0.1]), pegs.radius)
    assert len(YieldingPath(following, far, 0.02, 0.035).peg) == 0
    assert reference_on(YieldingPath(following, far, 0.02, 0.035), 6.0, np.zeros(0)).q == pytest.approx(
        following.at(6.0).q
    )


# --- a robot is laid down ---


def test_robot_is_laid_clear_of_pegs_that_it_would_overlap_a_little() -> None:
    pegs, _ = straight(-0.004)
    state = CHAIN.at(np.zeros(5), np.zeros(5))
    laid = clear_of(state, pegs)
    assert all_gaps(laid, pegs)[0].min() == pytest.approx(0.0, abs=1e-6)
    assert 0.003 < laid.off_by(state) < 0.02


def test_robot_deep_inside_a_peg_stays_there() -> None:
    pegs, _ = straight(-0.04)
    state = CHAIN.at(np.zeros(5), np.zeros(5))
    assert clear_of(state, pegs) is state


def test_other_links_lean_on_a_peg_only_where_they_then_touch_it_too() -> None:
    """A bend away from the peg: the middle link is 10 mm off, the next one 15 mm at its nearest."""
    state = CHAIN.at(np.array([0.0, 0.0, -0.3, 0.0, 0.0]), np.zeros(5))
    pegs = Pegs.of(((0.5, BESIDE + 0.01, 0.1),))
    assert push_points(state, pegs, near=0.05).contacts.link.tolist() == [1, 2]
    assert points_to_lean_on(state, pegs).contacts.link.tolist() == [1]
    assert points_to_lean_on(state, pegs, near=0.005).peg.tolist() == []
