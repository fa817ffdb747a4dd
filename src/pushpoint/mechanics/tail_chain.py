"""Planar chains in P4's tail coordinates: mass matrix, Coriolis matrix, points of links; closed form, for any n.

    q = (phi_0, phi_1 .. phi_{n-1}, x_0, y_0),  P4 (2.1)

phi_0 is the angle of the tail link in the world, phi_i (i >= 1) that of link i relative to link i - 1, and (x_0, y_0)
the tail end of the tail link. P4 counts links from 1; here link 0 is the tail, so that phi_i is the angle of our joint
i - 1. Link angles are theta = cumulative sums of phi, a constant linear map, and everything is simple in theta:

    P_i = (x_0, y_0) + sum_{k<i} l_k e_k,   e_k = (cos theta_k, sin theta_k),   e'_k = (-sin theta_k, cos theta_k)

is the end of link i on the tail's side. P4's symbolic model stopped at six links; these formulas are O(n^2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.tail_kernels import (
    BODY_ROWS,
    fill_body,
    fill_generalised,
    fill_inertial_force,
    fill_mass_matrix,
    fill_velocities,
)
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray, Pose


class Points(NamedTuple):
    """Material points of links: where they are, and how they move with q."""

    position: FloatArray  # [m], (k, 2)
    velocity: FloatArray  # [m/s], (k, 2)
    jacobian: FloatArray  # (k, 2, N): velocity = jacobian @ rate, P4 (2.6), (2.10)
    bias: FloatArray  # [m/s2], (k, 2): acceleration = jacobian @ acceleration of q + bias


@dataclass(frozen=True)
class TailChain:
    """The constants of a robot, from its tail, and what follows from them."""

    length: FloatArray  # [m], (n,)
    mass: FloatArray  # [kg], (n,)
    inertia: FloatArray  # [kg m2], (n,)
    radius: FloatArray  # [m], (n,)
    core: FloatArray  # [m], (n,): half length of the capsules' axes
    armature: FloatArray  # [kg m2], (n - 1,): of the joints
    motors: FloatArray  # (n - 1,): 1 where the joint is actuated, 0 where it is not

    @classmethod
    def of(cls, robot: Robot, mass_scale: float = 1.0) -> TailChain:
        """The chain of a planar robot, with masses and inertias times `mass_scale`."""
        if not robot.is_planar:
            raise InvalidInput(f"tail coordinates know yaw axes only; robot {robot.name!r} has others")
        links = robot.links
        return cls(
            length=np.array([link.length for link in links]),
            mass=mass_scale * np.array([link.mass for link in links]),
            inertia=mass_scale * np.array([link.inertia for link in links]),
            radius=np.array([link.radius for link in links]),
            core=np.array([link.half_core for link in links]),
            armature=np.array([robot.joint(j).armature for j in range(len(links) - 1)]),
            motors=np.array([float(robot.joint(j).actuated) for j in range(len(links) - 1)]),
        )

    @property
    def links(self) -> int:
        return len(self.length)

    @property
    def coordinates(self) -> int:
        """N = n + 2."""
        return self.links + 2

    @cached_property
    def lever(self) -> FloatArray:
        """(n, n): the centre of link i is (x_0, y_0) + sum_k lever[i, k] e_k, P4 (2.5)."""
        n = self.links
        return np.asarray((np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n)) * self.length)

    @cached_property
    def coupling(self) -> FloatArray:
        """[kg m2], (n, n): M in link angles is coupling * cos(theta_j - theta_k) + diag(inertia)."""
        return np.asarray(self.lever.T @ (self.mass[:, np.newaxis] * self.lever))

    @cached_property
    def moment(self) -> FloatArray:
        """[kg m], (n,): what e_k weighs in the total mass times the centre of mass."""
        return np.asarray(self.mass @ self.lever)

    @cached_property
    def table(self) -> FloatArray:
        """All of this as kernels read it, (CHAIN_ROWS, n)."""
        return np.array(
            [self.length, self.radius, self.core, self.mass, self.inertia, self.moment, [0.0, *self.armature]]
        )

    @cached_property
    def total_mass(self) -> float:
        """[kg]"""
        return float(self.mass.sum())

    @cached_property
    def actuation(self) -> FloatArray:
        """S, (N, n - 1): joint torques as generalised forces; none on virtual coordinates and unactuated joints."""
        S = np.zeros((self.coordinates, self.links - 1))
        S[1 : self.links] = np.diag(self.motors)
        return S

    @cached_property
    def passive(self) -> list[int]:
        """Coordinates that no motor drives: the virtual ones phi_0, x_0, y_0, then those of unactuated joints."""
        return [0, self.links, self.links + 1, *(int(j) + 1 for j in np.flatnonzero(self.motors == 0.0))]

    def at(self, q: FloatArray, rate: FloatArray) -> TailState:
        """The chain at coordinates q [rad, m] and their rates."""
        return TailState(self, np.asarray(q, dtype=float), np.asarray(rate, dtype=float))

    def q_of(self, angle: FloatArray, link: int, centre: FloatArray) -> FloatArray:
        """q of link angles [rad] and the centre of one link [m]."""
        lever, q = self.lever[link], np.empty(self.coordinates)
        q[0], q[1:-2] = angle[0], angle[1:] - angle[:-1]
        q[-2], q[-1] = centre[0] - lever @ np.cos(angle), centre[1] - lever @ np.sin(angle)
        return q


class TailState:
    """A chain at (q, rate of q). Quantities are computed when they are asked for."""

    def __init__(self, chain: TailChain, q: FloatArray, rate: FloatArray) -> None:
        n = chain.links
        self.chain, self.q, self.rate = chain, q, rate
        self.table, axes, self.joints = np.empty((BODY_ROWS, n)), np.empty((2, n, 2)), np.empty((n + 1, 2))
        fill_body(chain.table, np.ascontiguousarray(q), np.ascontiguousarray(rate), self.table, axes, self.joints)
        self.angle, self.turning, self.cos, self.sin = self.table  # theta [rad], its rate [rad/s], (n,)
        self.forward, self.left = axes  # e and e', (n, 2); the joints are (n + 1, 2) [m]: tail, joints, head's end

    @cached_property
    def mass_matrix(self) -> FloatArray:
        """M(q), (N, N), P4 (2.12)."""
        chain = self.chain
        M = np.empty((chain.coordinates, chain.coordinates))
        fill_mass_matrix(chain.table, self.table, chain.coupling, chain.total_mass, M)
        return M

    @cached_property
    def coriolis_matrix(self) -> FloatArray:
        """C(q, rate), (N, N), by Christoffel's symbols: the rate of M less 2 C is skew. C rate: see (2.13)."""
        chain, n = self.chain, self.chain.links
        sine = np.multiply.outer(self.sin, self.cos) - np.multiply.outer(self.cos, self.sin)
        C = np.zeros((n + 2, n + 2))
        C[:n, :n] = chain.coupling * sine * self.turning
        C[n:, :n] = -((chain.moment * self.turning)[:, np.newaxis] * self.forward).T
        return relative(relative(C).T).T

    @cached_property
    def coriolis_force(self) -> FloatArray:
        """C(q, rate) rate, (N,)."""
        force = np.empty((self.chain.links, 2))
        fill_inertial_force(self.chain.table, self.table, force)
        return self.generalised(force)

    def generalised(self, force: FloatArray) -> FloatArray:
        """Generalised force (N,) of a force (n, 2) [N] on each link's centre."""
        out = np.empty(self.chain.coordinates)
        fill_generalised(self.chain.table, self.table, np.ascontiguousarray(force), out)
        return out

    @cached_property
    def centres(self) -> FloatArray:
        """[m], (n, 2): link centres."""
        return np.asarray((self.joints[:-1] + self.joints[1:]) / 2)

    @cached_property
    def velocities(self) -> FloatArray:
        """[m/s], (n, 2): of link centres."""
        return self.velocities_at(self.rate)

    def velocities_at(self, rate: FloatArray) -> FloatArray:
        """Velocities (n, 2) [m/s] of link centres at other rates of q."""
        velocity = np.empty((self.chain.links, 2))
        fill_velocities(self.chain.table, self.table, np.ascontiguousarray(rate), velocity)
        return velocity

    @cached_property
    def energy(self) -> float:
        """Kinetic energy [J], P4 (2.17)."""
        v, w = self.velocities, self.turning
        motors = self.chain.armature @ self.rate[1 : self.chain.links] ** 2
        return float(self.chain.mass @ (v * v).sum(axis=1) + self.chain.inertia @ (w * w) + motors) / 2

    def points(self, link: IntArray, along: FloatArray, left: FloatArray) -> Points:
        """Points fixed to links (k,): `along` [m] from the link's tail end (P4's k), `left` [m] of its axis."""
        n, k = self.chain.links, len(link)
        e, across = self.forward[link], self.left[link]
        own = along[:, np.newaxis] * e + left[:, np.newaxis] * across
        own_across = along[:, np.newaxis] * across - left[:, np.newaxis] * e
        before = (np.arange(n) < link[:, np.newaxis]) * self.chain.length  # (k, n): l_k of the links behind
        J = np.zeros((k, 2, n + 2))
        J[:, :, :n] = before[:, np.newaxis] * self.left.T
        J[np.arange(k), :, link] = own_across
        J[:, 0, n] = J[:, 1, n + 1] = 1.0
        w = self.turning
        velocity = J[:, :, :n] @ w + self.rate[-2:]
        bias = -(before * w**2) @ self.forward - w[link, np.newaxis] ** 2 * own
        return Points(self.joints[link] + own, velocity, relative(J), bias)

    def off_by(self, other: TailState) -> float:
        """The farthest that a joint or an end of the chain is from where it is in another state [m]."""
        return float(np.linalg.norm(self.joints - other.joints, axis=1).max())

    def pose(self) -> Pose:
        """The same as pushpoint's pose of link centres and angles."""
        return Pose(self.centres, self.angle, self.velocities, self.turning)


def relative(rows: FloatArray) -> FloatArray:
    """Rows (.., N) of derivatives by (theta, x_0, y_0) as those by q: column j sums those of link j and beyond."""
    out = rows.copy()
    out[..., :-2] = np.cumsum(rows[..., -3::-1], axis=-1)[..., ::-1]
    return out
