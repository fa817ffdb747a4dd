"""What push-points can carry: the largest load along a direction of motion, and what is missing.

A robot that moves along u is held back by a generalised force; contacts and torques have to balance it:

    S tau + (J_n - mu_o J_t)' lambda = alpha w,    lambda >= 0,  |tau| <= limit

w is the load to overcome, J_t points headwards, where contacts slide to, so that peg friction has a fixed sign. The
largest alpha is a linear program; below one the robot stalls. The rows of the virtual coordinates (phi_0, x_0, y_0)
have no torque: they are G lambda = alpha w_base with the base wrench map G (3 x n_c), which decides on everything that
torque limits do not. Where contacts miss the direction of w_base by little, a robot drifts off its path until the drag
has turned by as much: a part of the load may be left over.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning._solvers import NO_BOUND, quadratic_solver, scipy_part
from pushpoint.planning.follow import Following
from pushpoint.planning.push_points import LEANING, PushPoints, points_to_lean_on
from pushpoint.types import FloatArray

ROUNDING = 1e-9
SPACING, FINE = 0.02, 2e-3  # [m], of places at which loads are computed; the latter where push-points change hands
CURVATURE, CONTACT_UNIT = 1e-6, 10.0  # alpha is then right to 1e-6; forces of contacts over torque limit per length
LITTLE = 0.5  # of the load: where less can be carried in balance, a robot may still get along drifting
DRIFT = 0.006  # part of the load on the robot as a whole that a drift off the path balances: 0.0043 does, 0.0104 stalls
SLOW = 1e-9  # [m/s]: a link slower than this has no direction of motion


class Drag(NamedTuple):
    """What the ground does to links: Coulomb friction and viscous drag, both the same in all directions."""

    friction: float
    viscous: float  # [N s/m], per link
    gravity: float = 9.81  # [m/s2]

    @property
    def holds_back(self) -> bool:
        """Whether there is any."""
        return self.friction * self.gravity > 0.0 or self.viscous > 0.0

    def on(self, chain: TailChain, velocity: FloatArray) -> FloatArray:
        """Forces (n, 2) [N] on link centres that move at `velocity` (n, 2) [m/s]."""
        speed = np.sqrt((velocity * velocity).sum(axis=1))
        dry = self.friction * self.gravity * chain.mass / np.maximum(speed, SLOW)
        return np.asarray(-(dry + self.viscous)[:, np.newaxis] * velocity)


class Propulsion(NamedTuple):
    """The answer of the linear program."""

    alpha: float  # the largest multiple of the load; inf where nothing limits it
    contact_force: FloatArray  # [N], (k,): normal forces at that load
    torque: FloatArray  # [N m], (n - 1,)
    missing: FloatArray | None  # (3,): base wrench (moment about the tail, force x, y) that no contact gives; a unit
    # vector, the moment over the length of the robot; None where the contacts can push at all


def base_rows(links: int) -> list[int]:
    """Rows of the virtual coordinates phi_0, x_0, y_0."""
    return [0, links, links + 1]


def wrench_map(contact_rows: FloatArray) -> FloatArray:
    """G, (3, k), of contact Jacobians (k, N): base wrench = G lambda."""
    return np.asarray(contact_rows[:, base_rows(contact_rows.shape[1] - 2)].T)


def null_space(G: FloatArray) -> FloatArray:
    """Orthonormal columns lambda with G lambda = 0: normal forces that can be held at rest, erratum P4-6."""
    if G.shape[1] == 0:
        return np.zeros((0, 0))
    _, sizes, rows = np.linalg.svd(G)
    rank = int((sizes > ROUNDING * max(1.0, sizes[0])).sum())
    return np.asarray(rows[rank:].T)


def largest_load(
    contact_rows: FloatArray, load: FloatArray, torque_limit: float, reach: float = 1.0, drift: float = 0.0
) -> Propulsion:
    """The largest alpha with S tau + contact_rows' lambda = alpha load.

    contact_rows (k, N): J_n - mu_o J_t; load (N,); torque_limit [N m]; reach [m]: the length of the robot, by which
    moments are compared with forces; drift: part of the load by which the rows of the robot as a whole may be off.
    """
    k, n = len(contact_rows), len(load) - 2
    torque_of, over = _balance(contact_rows, load, reach, drift)
    rows, limit = over, np.zeros(6)
    if math.isfinite(torque_limit):
        rows = np.concatenate([over, torque_of, -torque_of])
        limit = np.append(limit, np.full(2 * (n - 1), torque_limit))
    found = scipy_part("optimize").linprog(
        np.append(np.zeros(k), -1.0), A_ub=rows, b_ub=limit, bounds=(0.0, None), method="highs"
    )
    if found.status == 3:  # unbounded
        return Propulsion(math.inf, np.full(k, math.nan), np.full(n - 1, math.nan), None)
    alpha = float(found.x[-1]) if found.status == 0 else 0.0
    forces = found.x[:-1] if found.status == 0 else np.zeros(k)
    torque = torque_of @ np.append(forces, alpha)
    missing = missing_wrench(contact_rows, load, reach) if alpha < ROUNDING else None
    return Propulsion(alpha, forces, torque, missing)


def _balance(contact_rows: FloatArray, load: FloatArray, reach: float, drift: float) -> tuple[FloatArray, FloatArray]:
    """Rows that turn (lambda, alpha) into joint torques, tau = alpha load - contact_rows' lambda in the rows of the
    joints, and six that should not be positive: the base wrench that is left over, and its opposite, less the drift."""
    n = len(load) - 2
    base, inner = base_rows(n), slice(1, n)
    torque_of = np.column_stack([-contact_rows[:, inner].T, load[inner]])
    left_over = np.column_stack([contact_rows[:, base].T, -load[base]])
    left_over[0] /= reach
    over = np.concatenate([left_over, -left_over])
    over[:, -1] -= drift * np.linalg.norm(left_over[:, -1])
    return torque_of, over


def largest_multiple(
    contact_rows: FloatArray, load: FloatArray, torque_limit: float, reach: float = 1.0, drift: float = 0.0
) -> float:
    """alpha of `largest_load` alone, ten times faster: the linear program with so little curvature that its solution
    is the same vertex, by an active-set method."""
    k, n = len(contact_rows), len(load) - 2
    if k == 0 or not math.isfinite(torque_limit):
        return largest_load(contact_rows, load, torque_limit, reach, drift).alpha
    torque_of, over = _balance(contact_rows, load, reach, drift)
    unit = np.append(np.full(k, CONTACT_UNIT * torque_limit / reach), 1.0)  # of the unknowns: all are then about one
    rows = np.concatenate([torque_of / torque_limit, over]) * unit
    low = np.concatenate([np.zeros(k + 1), np.full(n - 1, -1.0), np.full(6, -NO_BOUND)])
    high = np.concatenate([np.full(k + 1, NO_BOUND), np.ones(n - 1), np.zeros(6)])
    g = np.zeros(k + 1)
    g[-1] = -1.0
    z = quadratic_solver()(CURVATURE * np.eye(k + 1), g, rows, low, high)
    if z is None:
        return largest_load(contact_rows, load, torque_limit, reach, drift).alpha
    return float(z[-1]) if z[-1] > CURVATURE else 0.0


def missing_wrench(contact_rows: FloatArray, load: FloatArray, reach: float = 1.0) -> FloatArray | None:
    """The part of the base load that no lambda >= 0 gives, as a unit vector with its moment over `reach`; None if
    contacts give all of it."""
    scale = np.array([1.0 / reach, 1.0, 1.0])
    wanted = scale * load[base_rows(len(load) - 2)]
    size = float(np.linalg.norm(wanted))
    if size == 0.0:
        return None
    cone = scale[:, np.newaxis] * wrench_map(contact_rows)
    left = wanted
    if cone.shape[1]:
        forces, _ = scipy_part("optimize").nnls(cone, wanted)
        left = wanted - cone @ forces
    short = float(np.linalg.norm(left))
    return left / short if short > 1e-6 * size else None


def described(wrench: FloatArray) -> str:
    """A missing wrench in words."""
    moment, x, y = wrench
    turn = "counter-clockwise" if moment > 0 else "clockwise"
    parts = [f"along ({x:+z.2f}, {y:+z.2f})"] if math.hypot(x, y) > 0.05 else []
    parts += [f"turning {turn} ({abs(moment):.2f} of the robot's length)"] if abs(moment) > 0.05 else []
    return "no contact pushes " + " and ".join(parts)


class WeakStretch(NamedTuple):
    """Where a robot slows down to a stall."""

    begin: float  # [m]: where it begins to lose speed
    stall: float  # [m]
    worst: float  # [m]: where least can be carried
    alpha: float  # the multiple of the load there


class Margin(NamedTuple):
    """alpha along a path."""

    s: FloatArray  # [m], (m,): arc length of the head's end
    alpha: FloatArray  # (m,)
    contacts: FloatArray  # (m,): how many push-points there are
    braking: FloatArray  # [m/s2], (m,): at which the load alone would slow the robot down
    pegs: tuple[tuple[int, ...], ...] = ()  # that push there

    def stall(self, speed: float, begin: float | None = None, safety: float = 1.0) -> float | None:
        """Where a robot stalls [m] whose reference speed is `speed` [m/s]; None: nowhere.

        Where alpha < 1 it loses speed by v dv/ds = (alpha - 1) braking, and regains it where alpha > 1: its momentum
        carries it over a short weak stretch. `begin` [m/s]: its speed at the first place, by default the reference
        speed; `safety`: alpha counts divided by it.
        """
        found = self.weak_stretch(speed, begin, safety)
        return None if found is None else found.stall

    def weak_stretch(self, speed: float, begin: float | None = None, safety: float = 1.0) -> WeakStretch | None:
        """Where such a robot slows down to a stall; None: nowhere."""
        first, full = speed**2 if begin is None else begin**2, speed**2
        gain = 2.0 * (self.alpha / safety - 1.0) * self.braking  # of v^2 [m/s2]
        square, slow = first, 0
        for k, step in enumerate(np.diff(self.s)):
            square = min(full, square + 0.5 * (gain[k] + gain[k + 1]) * step)
            if square <= 0.0:
                worst = slow + int(np.argmin(self.alpha[slow : k + 2]))
                begin, stall, least = self.s[[slow, k + 1, worst]].tolist()
                return WeakStretch(begin, stall, least, float(self.alpha[worst]))
            if square >= full:
                slow = k + 1
        return None


class Course(NamedTuple):
    """All that decides whether a robot gets along a path."""

    following: Following
    pegs: Pegs
    drag: Drag
    peg_friction: float
    torque_limit: float  # [N m]
    speed: float  # [m/s]
    near: float = LEANING  # [m]: pegs nearer than this count, as the robot can lean over to them
    drift: float = DRIFT  # a robot that drifts off its path by this part of its speed turns the drag by as much
    ends: float = 0.0  # [m], of tail and head, whose contacts do not count

    def moving_at(self, s: float) -> TailState:
        """The robot on the path at the reference speed, its head's end at s [m]."""
        reference = self.following.at(s)
        return self.following.chain.at(reference.q, self.speed * reference.slope)

    def propulsion(self, s: float) -> tuple[Propulsion, int]:
        """The largest multiple of the drag at the reference speed that can be overcome at s, and the contacts there."""
        state = self.moving_at(s)
        points = self.points(state)
        return largest_load(*self._program(state, points)), len(points.peg)

    def points(self, state: TailState) -> PushPoints:
        """What the robot can push against."""
        return points_to_lean_on(state, self.pegs, self.near, self.ends)

    def _program(self, state: TailState, points: PushPoints) -> tuple[FloatArray, FloatArray, float, float]:
        """What `largest_load` asks for."""
        rows = points.contacts.normal_jacobian - self.peg_friction * points.contacts.tangent_jacobian
        return rows, self.load(state), self.torque_limit, float(state.chain.length.sum())

    def load(self, state: TailState) -> FloatArray:
        """What the drag asks for, (N,)."""
        return -state.generalised(self.drag.on(state.chain, state.velocities))

    def braking(self, state: TailState) -> float:
        """[m/s2]: the load over the inertia, along the motion of the state."""
        return float(self.load(state) @ state.rate / (state.rate @ state.mass_matrix @ state.rate) * self.speed)

    def margin(self, begin: float, end: float, spacing: float = SPACING) -> Margin:
        """alpha(s) between two places of the path [m], `spacing` [m] apart where the same links push at the same pegs,
        and at most FINE apart where push-points change hands."""
        coarse = np.linspace(begin, end, max(2, 1 + math.ceil((end - begin) / spacing)))
        found = {s: self._sample(s) for s in coarse.tolist()}
        for left, right in pairwise(coarse.tolist()):
            if found[left].pairs != found[right].pairs:
                inner = np.linspace(left, right, 1 + math.ceil((right - left) / FINE - 1e-6))[1:-1]
                found |= {s: self._sample(s) for s in inner.tolist()}
        s = sorted(found)
        rows = [(found[at].alpha, float(len(found[at].pairs)), found[at].braking) for at in s]
        pegs = tuple(tuple(sorted({peg for _, peg in found[at].pairs})) for at in s)
        alpha, contacts, braking = np.array(rows).T
        return Margin(np.array(s), alpha, contacts, braking, pegs)

    def _sample(self, s: float) -> _Sample:
        state = self.moving_at(s)
        points = self.points(state)
        pairs = frozenset(zip(points.contacts.link.tolist(), points.peg.tolist(), strict=True))
        return _Sample(self._multiple(state, points), pairs, self.braking(state))

    def _multiple(self, state: TailState, points: PushPoints) -> float:
        """alpha, in balance or, where that carries next to nothing, drifting."""
        program = self._program(state, points)
        balanced = largest_multiple(*program)
        return balanced if balanced > LITTLE else max(balanced, largest_multiple(*program, self.drift))


class _Sample(NamedTuple):
    """One place of the path."""

    alpha: float
    pairs: frozenset[tuple[int, int]]  # links and the pegs that they push at
    braking: float  # [m/s2]
