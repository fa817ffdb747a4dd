"""P1's model a second time, straight from its matrices: plain NumPy, dense, nothing of the plants.

Equal links of length 2 l, mass m and inertia J, as in P1; `DenseChain` at the end takes links that differ. Numbers of
equations are P1's. Links count from the tail (0) to the head; P1's joint angle is theta_i - theta_{i+1}, so that its
torques u have the other sign than ours, u = -torque.

What departs from the printed text (errata of P1): the second C-bar of (46), (48) and (53) is its time derivative; the
sign in (51) is that of alpha in "printed" only; a row of (53) asks for a + rate v >= 0 instead of a >= 0; signs of
velocities are smooth, v / sqrt(v^2 + eps^2).
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from pushpoint.types import FloatArray

RATE, LEAVING = 200.0, 2000.0  # [1/s], of the errata's beta: for links that approach, and that leave


class Motion(NamedTuple):
    """q and dq of P1 (28)."""

    theta: FloatArray  # [rad], (n,)
    p: FloatArray  # [m], (2,)
    dtheta: FloatArray  # [rad/s], (n,)
    dp: FloatArray  # [m/s], (2,)

    @property
    def dq(self) -> FloatArray:
        return np.concatenate([self.dtheta, self.dp])


class Physics(NamedTuple):
    """Parameters of the robot, the ground and the obstacles."""

    l: float  # noqa: E741  # [m], half a link: P1's symbol
    m: float  # [kg]
    J: float  # [kg m2]
    mu: float = 0.0  # of the ground
    mu_o: float = 0.0  # of the obstacles
    g: float = 9.81  # [m/s2]
    slow: float = 1e-3  # [m/s], eps of forces
    slow_turn: float = 1e-2  # [rad/s], eps of torques
    torque: bool = True  # whether the ground resists turning, (15)
    printed: bool = False  # sign of (51)


def smooth_sign(v: FloatArray, eps: float) -> FloatArray:
    return np.asarray(v / np.sqrt(v**2 + eps**2))


def sums_and_differences(n: int) -> tuple[FloatArray, FloatArray]:
    """A and D of IV-A."""
    left, right = np.eye(n)[:-1], np.eye(n)[1:]
    return left + right, left - right


def matrix_n(n: int) -> FloatArray:
    """(26)"""
    A, D = sums_and_differences(n)
    return np.asarray(A.T @ np.linalg.inv(D @ D.T) @ D) if n > 1 else np.zeros((1, 1))


def matrix_v(n: int) -> FloatArray:
    """(27)"""
    A, D = sums_and_differences(n)
    return np.asarray(A.T @ np.linalg.inv(D @ D.T) @ A) if n > 1 else np.zeros((1, 1))


class DenseHybrid:
    """P1 (4)-(59) for n links."""

    def __init__(self, n: int, physics: Physics) -> None:
        self.n, self.has = n, physics
        self.N, self.V, self.e = matrix_n(n), matrix_v(n), np.ones(n)
        self.D = sums_and_differences(n)[1]

    def positions(self, at: Motion) -> FloatArray:
        """(8), (n, 2)"""
        x = -self.has.l * self.N.T @ np.cos(at.theta) + self.e * at.p[0]
        y = -self.has.l * self.N.T @ np.sin(at.theta) + self.e * at.p[1]
        return np.stack([x, y], axis=1)

    def velocities(self, at: Motion) -> FloatArray:
        """(9), (n, 2)"""
        x = self.has.l * self.N.T @ (np.sin(at.theta) * at.dtheta) + self.e * at.dp[0]
        y = -self.has.l * self.N.T @ (np.cos(at.theta) * at.dtheta) + self.e * at.dp[1]
        return np.stack([x, y], axis=1)

    def mass_matrix(self, theta: FloatArray) -> FloatArray:
        """M of (29) with (24)"""
        n, has, S, C = self.n, self.has, np.diag(np.sin(theta)), np.diag(np.cos(theta))
        M = np.zeros((n + 2, n + 2))
        M[:n, :n] = has.J * np.eye(n) + has.m * has.l**2 * (S @ self.V @ S + C @ self.V @ C)
        M[n:, n:] = n * has.m * np.eye(2)
        return M

    def of_forces(self, theta: FloatArray) -> FloatArray:
        """The matrix before f_R in (29), (n + 2, 2 n)"""
        S, C, zero, l = np.diag(np.sin(theta)), np.diag(np.cos(theta)), np.zeros(self.n), self.has.l  # noqa: E741
        return np.block(
            [[l * S @ self.N, -l * C @ self.N], [self.e[np.newaxis], zero[np.newaxis]], [zero[np.newaxis], self.e]]
        )

    def unconstrained(self, at: Motion, torque: FloatArray) -> FloatArray:
        """f_u of (29) with (12), (15) and (25); torques are on the links towards the head"""
        has, S, C = self.has, np.diag(np.sin(at.theta)), np.diag(np.cos(at.theta))
        v = self.velocities(at)
        f = -has.mu * has.m * has.g * v / np.sqrt((v**2).sum(axis=1, keepdims=True) + has.slow**2)
        tau = -0.5 * has.mu * has.m * has.g * has.l * smooth_sign(at.dtheta, has.slow_turn) * has.torque
        W = has.m * has.l**2 * (C @ self.V @ S - S @ self.V @ C)
        out = self.of_forces(at.theta) @ f.T.ravel()
        out[: self.n] += W @ at.dtheta**2 + tau + self.D.T @ -torque
        return np.asarray(out)

    def constraints(self, theta: FloatArray) -> FloatArray:
        """C of (37)"""
        sin, cos = np.sin(theta), np.cos(theta)
        S, C = np.diag(sin), np.diag(cos)
        left = -self.has.l * (S @ self.N.T @ S + C @ self.N.T @ C)
        return np.column_stack([left, -sin, cos])

    def constraints_rate(self, at: Motion) -> FloatArray:
        """Its time derivative, (39) without S_c"""
        S, C = np.diag(np.sin(at.theta)), np.diag(np.cos(at.theta))
        between = np.diag(at.dtheta) @ self.N.T - self.N.T @ np.diag(at.dtheta)
        left = self.has.l * (S @ between @ C - C @ between @ S)
        return np.column_stack([left, -C @ at.dtheta, -S @ at.dtheta])

    def sliding(self, at: Motion, S_c: FloatArray) -> FloatArray:
        """Lambda of (51): physically the magnitude of the normal force counts, as printed its sign as well"""
        v, sin, cos = self.velocities(at), np.sin(at.theta), np.cos(at.theta)
        along = smooth_sign(v[:, 0] * cos + v[:, 1] * sin, self.has.slow)
        selected = S_c if self.has.printed else np.abs(S_c)
        return self.of_forces(at.theta) @ np.vstack([np.diag(cos), np.diag(sin)]) @ np.diag(along) @ selected.T

    def accelerations(self, at: Motion, torque: FloatArray, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
        """ddq and lambda of (52) and (53), a_n + beta v_n >= 0 instead of a_n >= 0"""
        S_c = select(alpha)
        bar, bar_rate = S_c @ self.constraints(at.theta), S_c @ self.constraints_rate(at)
        M, f_u = self.mass_matrix(at.theta), self.unconstrained(at, torque)
        push = bar.T - self.has.mu_o * self.sliding(at, S_c)
        speed = bar @ at.dq
        a = bar @ np.linalg.solve(M, f_u) + bar_rate @ at.dq + np.where(speed < 0.0, RATE, LEAVING) * speed
        force = complementary(bar @ np.linalg.solve(M, push), a)
        return np.linalg.solve(M, f_u + push @ force), force

    def impact(self, at: Motion, alpha: FloatArray) -> tuple[FloatArray, FloatArray]:
        """dq after an impact and the impulses, (58) and (59)"""
        bar, M = select(alpha) @ self.constraints(at.theta), self.mass_matrix(at.theta)
        impulse = complementary(bar @ np.linalg.solve(M, bar.T), bar @ at.dq)
        return at.dq + np.linalg.solve(M, bar.T @ impulse), impulse

    def kinetic_energy(self, at: Motion) -> float:
        return float(0.5 * at.dq @ self.mass_matrix(at.theta) @ at.dq)


def select(alpha: FloatArray) -> FloatArray:
    """S_c of (38)"""
    return np.diag(np.asarray(alpha, dtype=float))[np.flatnonzero(alpha)]


def complementary(A: FloatArray, a: FloatArray) -> FloatArray:
    """x >= 0 with a + A x >= 0 and one of each pair zero: all 2^m choices, the one that errs least."""
    m = len(a)
    best, least = np.zeros(m), np.inf
    scale = np.abs(a).max(initial=1e-300)
    for choice in product((False, True), repeat=m):
        held = np.flatnonzero(choice)
        x = np.zeros(m)
        if held.size:
            x[held] = np.linalg.solve(A[np.ix_(held, held)], -a[held])
        y = a + A @ x
        y[held] = 0.0
        off = max(-(y / scale).min(initial=0.0), -(x * np.diag(A) / scale).min(initial=0.0))
        if off < least:
            best, least = x, off
    assert least < 1e-9, "no solution"
    return best


class DenseChain:
    """Links that all differ, from the motion of their centres: M = J' diag(m) J, with the centre of mass for base."""

    def __init__(self, half: FloatArray, mass: FloatArray, inertia: FloatArray) -> None:
        n = len(half)
        # From the centre of mass to the centre of link i: `lever` times the directions of the links.
        lever = np.zeros((n, n))
        for i in range(1, n):
            lever[i] = lever[i - 1]
            lever[i, i - 1] += half[i - 1]
            lever[i, i] += half[i]
        self.lever = lever - mass @ lever / mass.sum()
        self.mass, self.inertia = mass, inertia

    def centres(self, theta: FloatArray, p: FloatArray) -> FloatArray:
        return np.asarray(p + self.lever @ np.stack([np.cos(theta), np.sin(theta)], axis=1))

    def jacobian(self, theta: FloatArray) -> FloatArray:
        """Of x_0, y_0, x_1, ... by (theta, p)"""
        n = len(theta)
        out = np.zeros((2 * n, n + 2))
        out[0::2, :n], out[1::2, :n] = -self.lever * np.sin(theta), self.lever * np.cos(theta)
        out[0::2, n], out[1::2, n + 1] = 1.0, 1.0
        return out

    def mass_matrix(self, theta: FloatArray) -> FloatArray:
        jacobian, n = self.jacobian(theta), len(theta)
        M = jacobian.T @ np.diag(np.repeat(self.mass, 2)) @ jacobian
        M[:n, :n] += np.diag(self.inertia)
        return np.asarray(M)

    def accelerations(self, theta: FloatArray, dtheta: FloatArray, force: FloatArray, moment: FloatArray) -> FloatArray:
        """ddq under forces (n, 2) and moments (n,) on the links"""
        jacobian, n = self.jacobian(theta), len(theta)
        turning = -self.lever @ (np.stack([np.cos(theta), np.sin(theta)], axis=1) * (dtheta**2)[:, np.newaxis])
        right = jacobian.T @ (force - self.mass[:, np.newaxis] * turning).ravel()
        right[:n] += moment
        return np.linalg.solve(self.mass_matrix(theta), right)
