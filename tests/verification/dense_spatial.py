"""A second, independent spatial time-stepping model: plain NumPy, dense matrices, nothing of the plants.

It is slow and plain on purpose. Every link has its own position, quaternion and six velocities; joints are rows of
W_J, met by every velocity because it is sought in the null space of these rows; what remains is one dense
problem per step. P5 is the spatial non-smooth model of Transeth et al. SI units, radians, world frame; links are
numbered from the tail, and so are joints.

One step of length dt from A by the middle M to the end E:

    q_M = q_A + dt/2 u_A, joints closed            P5 (72); rotations by the exponential map
    M u_E = p_A + dt gravity + servos + contacts + joints, all at q_M          P5 (75)
    q_E = q_M + dt/2 u_E, joints closed            P5 (83), VII-C

p is the momentum, that of rotation in world axes. It is carried from step to step, so that no gyroscopic term
appears. Two definitions of I omega at the end of a step:

    "end"     that with the inertia at E: symmetric in time, energy does not drift. The default.
    "middle"  that with the inertia at M, where u_E was found: explicit and of first order. A link of Aiko that
              turns at 5 rad/s gains 0.35 % of energy in 10 s at dt = 1/2000.

Contact of an end sphere, with r = 1e4 link masses and velocities at q_M, u_E:

    P_N = max(0, -r (g_N + gap_M / dt))
    s   = the point of the disc of radius P_N next to s_A - r mu g_T,   P_T = mu s   (along and across the link)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

import numpy as np

from pushpoint.mechanics.spatial_pose import Attitude, lifted, spatial_pose
from pushpoint.robots import Joint, Link, Robot, Servo
from pushpoint.types import FloatArray, SpatialPose

Reference = Callable[[float], tuple[FloatArray, FloatArray]]
Momentum = Literal["middle", "end"]

LATE = 0.6  # where between the start and the end of a step servos act
STIFFNESS = 1e4  # r of the contact law, in link masses
TOLERANCE = 1e-11  # [N s] and [N m s]: what may be missing in the momentum balance of any freedom
CLOSED = 1e-13  # [m] and [rad]: opening of joints
BODY_AXIS = {"roll": 0, "pitch": 1, "yaw": 2}  # column of the rotation matrix
LOCKED = {  # pairs (axis of the link on the tail's side, axis of that on the head's side) that stay perpendicular
    "yaw": ((2, 0), (2, 1)),
    "pitch": ((1, 0), (1, 2)),
    "yaw-pitch": ((2, 1),),
    "pitch-yaw": ((1, 2),),
}


class Friction(TypedDict):
    """Coefficients of the ground."""

    mu_along: float
    mu_across: float
    rolling: float  # mu_V of P5 (60)


class Run(TypedDict):
    """One row per period, the first at the start."""

    time: FloatArray  # [s], (rows,)
    position: FloatArray  # [m], (rows, n, 3)
    rotation: FloatArray  # (rows, n, 3, 3): columns are the links' axes
    velocity: FloatArray  # [m/s], (rows, n, 3)
    rate: FloatArray  # [rad/s], (rows, n, 3)
    joint_angle: FloatArray  # [rad], (rows, freedoms)
    joint_rate: FloatArray  # [rad/s], (rows, freedoms)
    normal_impulse: FloatArray  # [N s], (rows, n, 2): at the rear and front sphere, summed over the period
    friction_impulse: FloatArray  # [N s], (rows, n, 2, 2): along and across the link, summed over the period
    residual: FloatArray  # [N s], (rows,): largest of the period
    fallbacks: FloatArray  # (rows,): steps of the period that plain Newton iterations did not solve


class State(NamedTuple):
    """Motion of all links, and what a step hands on."""

    position: FloatArray  # [m], (n, 3)
    quaternion: FloatArray  # (n, 4)
    velocity: FloatArray  # [m/s], (n, 3)
    rate: FloatArray  # [rad/s], (n, 3)
    spin: FloatArray  # [N m s], (n, 3): angular momentum of each link about its centre
    slide: FloatArray  # [N s], (2 n, 2): last friction impulses in units of mu, s_A
    roll: FloatArray  # [N s], (2 n, 2): last rolling friction impulses in units of mu_V


class Contact(NamedTuple):
    """The contact law of one step. Rows of W: normals, then pairs along and across, then pairs of rolling."""

    W: FloatArray  # (rows, 6 n): velocities g = W u; friction rows are scaled by mu
    slack: FloatArray  # [m/s], (c,): gap / dt
    stiffness: FloatArray  # [kg], (c,): r
    before: FloatArray  # [N s], (pairs, 2): s_A

    def normal(self, g: FloatArray) -> FloatArray:
        c = len(self.slack)
        return np.maximum(0.0, -self.stiffness * (g[:c] + self.slack))

    def impulse(self, g: FloatArray, radius: FloatArray | None = None) -> FloatArray:
        """Impulses of all rows; discs of given radii [N s], or as large as the normal impulses."""
        P_N, aim = self.normal(g), self._aim(g)
        R = self._of_pairs(P_N if radius is None else radius)
        length = np.linalg.norm(aim, axis=1)
        shrunk = np.where(length > R, R / np.maximum(length, 1e-300), 1.0)
        return np.concatenate([P_N, (shrunk[:, np.newaxis] * aim).ravel()])

    def derivative(self, g: FloatArray, radius: FloatArray | None = None) -> FloatArray:
        """Of impulses with respect to velocities, (rows, rows)."""
        c, pairs = len(self.slack), len(self.before)
        P_N, aim = self.normal(g), self._aim(g)
        R, r = self._of_pairs(P_N if radius is None else radius), self._of_pairs(self.stiffness)
        D = np.zeros((len(g), len(g)))
        D[np.arange(c), np.arange(c)] = np.where(P_N > 0, -self.stiffness, 0.0)
        length = np.linalg.norm(aim, axis=1)
        slips = length >= R
        e = aim / np.maximum(length, 1e-300)[:, np.newaxis]
        turning = np.eye(2) - e[:, :, np.newaxis] * e[:, np.newaxis]
        ratio = (R / np.maximum(length, 1e-300))[:, np.newaxis, np.newaxis]
        block = -r[:, np.newaxis, np.newaxis] * np.where(slips[:, np.newaxis, np.newaxis], ratio * turning, np.eye(2))
        for k in range(pairs):
            rows = slice(c + 2 * k, c + 2 * k + 2)
            D[rows, rows] = block[k]
            if slips[k] and radius is None:
                D[rows, k % c] = e[k] * D[k % c, k % c]
        return D

    def _aim(self, g: FloatArray) -> FloatArray:
        r = self._of_pairs(self.stiffness)[:, np.newaxis]
        return self.before - r * g[len(self.slack) :].reshape(-1, 2)

    def _of_pairs(self, of_contacts: FloatArray) -> FloatArray:
        return np.tile(of_contacts, len(self.before) // max(len(self.slack), 1))


@dataclass
class Problem:
    """Find y with y - b = V^T P(V y): momentum balance in coordinates in which mass and servos are the identity.

    V = W_C basis. `scale` turns what is missing in it into momenta of an orthonormal basis [N s].
    """

    b: FloatArray
    V: FloatArray
    contact: Contact
    scale: FloatArray
    fell_back: bool = False

    def missing(self, y: FloatArray, radius: FloatArray | None = None) -> FloatArray:
        return y - self.b - self.V.T @ self.contact.impulse(self.V @ y, radius)

    def newton_step(self, y: FloatArray, F: FloatArray, radius: FloatArray | None = None) -> FloatArray:
        H = np.eye(len(y)) - self.V.T @ self.contact.derivative(self.V @ y, radius) @ self.V
        return np.asarray(np.linalg.solve(H, -F), dtype=float)

    def residual(self, y: FloatArray) -> float:
        return float(np.abs(self.scale @ self.missing(y)).max(initial=0.0))

    def solve(self, y: FloatArray) -> FloatArray:
        """Semi-smooth Newton; where that gets stuck, a fixed point of the radii with convex problems inside."""
        y, done = self._newton(y, 30)
        if done:
            return y
        self.fell_back = True
        radius = self.contact.normal(self.V @ y)
        best = y
        for k in range(400):
            y = self._convex(y, radius)
            new = self.contact.normal(self.V @ y)
            radius = new if k < 20 else 0.5 * (radius + new)
            if k % 5 == 4:
                polished, done = self._newton(y, 15)
                if self.residual(polished) < self.residual(best):
                    best = polished
                if done:
                    return polished
        return best

    def _newton(self, y: FloatArray, iterations: int) -> tuple[FloatArray, bool]:
        """Newton steps, shortened until the residual falls; and whether that met the tolerance."""
        F = self.missing(y)
        for k in range(iterations):
            if k > 0 and np.abs(self.scale @ F).max(initial=0.0) <= TOLERANCE:
                return y, True
            d, size, part = self.newton_step(y, F), np.linalg.norm(F), 1.0
            while part > 1e-3:
                trial = y + part * d
                F_trial = self.missing(trial)
                if np.linalg.norm(F_trial) <= (1.0 - 0.1 * part) * size:
                    break
                part /= 2
            else:
                break
            y, F = trial, F_trial
        return y, bool(np.abs(self.scale @ F).max(initial=0.0) <= TOLERANCE)

    def _convex(self, y: FloatArray, radius: FloatArray) -> FloatArray:
        """The minimum for given radii: Newton steps, each as long as the slope along it says."""
        for _ in range(100):
            F = self.missing(y, radius)
            if np.abs(self.scale @ F).max(initial=0.0) <= TOLERANCE:
                break
            d = self.newton_step(y, F, radius)
            start = float(d @ F)  # negative: the slope at the start of the step
            low, high, part = 0.0, 1.0, 1.0
            for _ in range(60):
                slope = float(d @ self.missing(y + part * d, radius))
                if (slope <= 0.0 and part == 1.0) or abs(slope) <= -0.5 * start:
                    break
                low, high = (low, part) if slope > 0 else (part, high)
                part = (low + high) / 2
            y = y + part * d
        return y


class Geometry(NamedTuple):
    """A pose with what follows from it."""

    position: FloatArray  # [m], (n, 3)
    quaternion: FloatArray  # (n, 4)
    rotation: FloatArray  # (n, 3, 3)
    inertia: FloatArray  # [kg m2], (n, 3, 3): in world axes


class DenseSpatial:
    """The model: single steps. `last` holds the problem of the last step, `normal` and `sliding` its impulses."""

    last: Problem
    residual: float  # [N s]: what is missing in the momentum balance
    normal: FloatArray  # [N s], (2 n,)
    sliding: FloatArray  # [N s], (2 n, 2)

    def __init__(
        self,
        robot: Robot,
        ground: Friction,
        servo: Servo,
        dt: float,
        gravity: float = 9.81,
        memory: bool = True,
        momentum: Momentum = "end",
    ) -> None:
        if any(robot.joint(j) != Joint(axes=robot.joint(j).axes) for j in range(len(robot.links) - 1)):
            raise ValueError("the dense model knows joints without springs, stops and armature only")
        if servo.play or np.isfinite(servo.torque_limit):
            raise ValueError("the dense model knows servos without play and limits only")
        links = robot.links
        self.n, self.dt, self.gravity, self.memory, self.momentum = len(links), dt, gravity, memory, momentum
        self.half = np.array([link.length / 2 for link in links])
        self.mass = np.array([link.mass for link in links])
        self.own_inertia = np.array([(link.about_roll, link.about_pitch, link.inertia) for link in links])
        self.radius = np.array([link.radius for link in links])
        self.core = np.array([link.half_core for link in links])
        self.mu = np.array([ground["mu_along"], ground["mu_across"]])
        self.mu_rolling = ground["rolling"]
        self.axes = [robot.joint(j).axes for j in range(self.n - 1)]
        self.freedoms = robot.freedoms
        self.locked = [(j, a, b) for j, axes in enumerate(self.axes) for a, b in LOCKED[axes]]
        gains = np.array([servo.gains(axis) for _, axis in self.freedoms]).reshape(-1, 2)
        self.kp, self.kd = gains.T

    def start(self, pose: SpatialPose) -> State:
        quaternion = pose.orientation / np.linalg.norm(pose.orientation, axis=1, keepdims=True)
        at = self.geometry(pose.position.copy(), quaternion)
        spin = np.einsum("nij,nj->ni", at.inertia, pose.rate)
        none = np.zeros((2 * self.n, 2))
        return State(at.position, quaternion, pose.velocity.copy(), pose.rate.copy(), spin, none, none)

    def step(self, a: State, ref: FloatArray, ref_rate: FloatArray) -> State:
        """Advance by dt. `ref` [rad] holds at the end of the step."""
        n, dt = self.n, self.dt
        middle = self.closed(self._moved(a.position, a.quaternion, a.velocity, a.rate, dt / 2))
        M = self.mass_matrix(middle)
        W_S, W_J, contact = self.axes_rows(middle), self.joint_rows(middle), self.contacts(middle, a)
        early, before = 1.0 - LATE, W_S @ np.concatenate([a.velocity, a.rate], axis=1).ravel()
        angle = self.joint_angles(middle) - early * dt / 2 * before
        push = dt * (self.kp * (ref - early * dt * ref_rate - angle) + self.kd * (ref_rate - early * before))
        give = LATE * dt * (dt / 2 * self.kp + self.kd)
        A = M + W_S.T @ (give[:, np.newaxis] * W_S)

        weight = np.zeros((n, 6))
        weight[:, 2] = -dt * self.gravity * self.mass
        carried = np.concatenate([self.mass[:, np.newaxis] * a.velocity, a.spin], axis=1)
        pushed = (carried + weight).ravel() + W_S.T @ push

        free = null_space(W_J)
        root = np.linalg.cholesky(free.T @ A @ free)
        basis = np.linalg.solve(root, free.T).T  # basis^T A basis = 1
        u = np.concatenate([a.velocity, a.rate], axis=1).ravel()
        y = basis.T @ (A @ u)
        excess = np.zeros((n, 6))  # of the momentum at E over that with the inertia at M
        fell_back = False
        for _ in range(20):
            problem = Problem(basis.T @ (pushed - excess.ravel()), contact.W @ basis, contact, root)
            y = problem.solve(y)
            fell_back |= problem.fell_back
            u = basis @ y
            rate = u.reshape(n, 6)[:, 3:]
            spin = np.einsum("nij,nj->ni", middle.inertia, rate)
            turned = np.einsum("nij,nj->ni", matrices(exponential(dt / 2 * rate)), spin)
            if self.momentum == "middle":
                break
            change = turned - spin - excess[:, 3:]
            if np.abs(change).max() <= 1e-15:
                break
            excess[:, 3:] = turned - spin
        problem.fell_back = fell_back
        self.last, self.residual = problem, problem.residual(y)

        velocity = u.reshape(n, 6)[:, :3]
        end = self.closed(self._moved(middle.position, middle.quaternion, velocity, rate, dt / 2))
        P = contact.impulse(contact.W @ u)
        pairs = P[2 * n :].reshape(-1, 2)
        self.normal, self.sliding = P[: 2 * n], self.mu * pairs[: 2 * n]
        slide, roll = a.slide, a.roll
        if self.memory:
            slide = pairs[: 2 * n]
            roll = pairs[2 * n :] if self.mu_rolling else roll
        spin = spin if self.momentum == "middle" else turned
        return State(end.position, end.quaternion, velocity, rate, spin, slide, roll)

    def geometry(self, position: FloatArray, quaternion: FloatArray) -> Geometry:
        R = matrices(quaternion)
        return Geometry(position, quaternion, R, R * self.own_inertia[:, np.newaxis] @ R.transpose(0, 2, 1))

    def _moved(self, position: FloatArray, quaternion: FloatArray, v: FloatArray, w: FloatArray, h: float) -> Geometry:
        quaternion = product(exponential(h * w), quaternion)
        quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
        return self.geometry(position + h * v, quaternion)

    def mass_matrix(self, at: Geometry) -> FloatArray:
        M = np.zeros((self.n, 6, self.n, 6))
        i = np.arange(self.n)
        M[i, :3, i, :3] = self.mass[:, np.newaxis, np.newaxis] * np.eye(3)
        M[i, 3:, i, 3:] = at.inertia
        return M.reshape(6 * self.n, 6 * self.n)

    def openings(self, at: Geometry) -> FloatArray:
        """Gaps of the joints, P5 (12) and (13): three distances each, then cosines between axes."""
        ahead = self.half[:, np.newaxis] * at.rotation[:, :, 0]
        apart = (at.position[:-1] + ahead[:-1]) - (at.position[1:] - ahead[1:])
        cosines = [at.rotation[j, :, a] @ at.rotation[j + 1, :, b] for j, a, b in self.locked]
        return np.concatenate([apart.ravel(), cosines])

    def joint_rows(self, at: Geometry) -> FloatArray:
        """W_J^T: rates of the openings are W_J^T u, P5 (39) and (41)."""
        ahead = self.half[:, np.newaxis] * at.rotation[:, :, 0]
        W = np.zeros((3 * (self.n - 1) + len(self.locked), self.n, 6))
        for j in range(self.n - 1):
            rows = slice(3 * j, 3 * j + 3)
            W[rows, j, :3], W[rows, j + 1, :3] = np.eye(3), -np.eye(3)
            W[rows, j, 3:], W[rows, j + 1, 3:] = -skew(ahead[j]), -skew(ahead[j + 1])
        for row, (j, a, b) in enumerate(self.locked, start=3 * (self.n - 1)):
            both = cross(at.rotation[j, :, a], at.rotation[j + 1, :, b])
            W[row, j, 3:], W[row, j + 1, 3:] = both, -both
        return W.reshape(-1, 6 * self.n)

    def axes_rows(self, at: Geometry) -> FloatArray:
        """Joint rates are W_S u: the first axis is fixed to the link on the tail's side, the second to the other."""
        W = np.zeros((len(self.freedoms), self.n, 6))
        for f, (j, name) in enumerate(self.freedoms):
            link = j + 1 if f > 0 and self.freedoms[f - 1][0] == j else j
            axis = at.rotation[link, :, BODY_AXIS[name]]
            W[f, j, 3:], W[f, j + 1, 3:] = -axis, axis
        return W.reshape(-1, 6 * self.n)

    def joint_angles(self, at: Geometry) -> FloatArray:
        """Like P5 (65) and (66), from the rotation of each link relative to the one behind it."""
        angles: list[float] = []
        for j, axes in enumerate(self.axes):
            R = at.rotation[j].T @ at.rotation[j + 1]
            if axes == "yaw":
                angles += [np.arctan2(R[1, 0], R[0, 0])]
            elif axes == "pitch":
                angles += [np.arctan2(R[0, 2], R[2, 2])]
            elif axes == "yaw-pitch":  # R = Rz Ry
                angles += [np.arctan2(-R[0, 1], R[1, 1]), np.arctan2(-R[2, 0], R[2, 2])]
            else:  # R = Ry Rz
                angles += [np.arctan2(R[0, 2], R[2, 2]), np.arctan2(R[1, 0], R[1, 1])]
        return np.array(angles)

    def closed(self, at: Geometry) -> Geometry:
        """The nearest pose with closed joints, near in terms of the mass matrix: Newton's method."""
        for _ in range(20):
            gap = self.openings(at)
            if np.abs(gap).max(initial=0.0) <= CLOSED:
                return at
            J = self.joint_rows(at)
            answer = np.linalg.solve(self.mass_matrix(at), J.T)
            back = (answer @ np.linalg.solve(J @ answer, -gap)).reshape(self.n, 6)
            at = self._moved(at.position, at.quaternion, back[:, :3], back[:, 3:], 1.0)
        raise ArithmeticError("joints of the dense model not closed")

    def ends(self, at: Geometry) -> FloatArray:
        """Centres of the end spheres, (n, 2, 3): rear and front."""
        ahead = (self.core[:, np.newaxis] * at.rotation[:, :, 0])[:, np.newaxis]
        return np.asarray(at.position[:, np.newaxis] + np.concatenate([-ahead, ahead], axis=1))

    def contacts(self, at: Geometry, a: State) -> Contact:
        """All end spheres against the plane z = 0; those far above it have no impulse by the law itself."""
        n = self.n
        sphere = self.ends(at)
        gap = sphere[:, :, 2] - self.radius[:, np.newaxis]
        up = np.array([0.0, 0.0, 1.0])
        along = at.rotation[:, :, 0] * np.array([1.0, 1.0, 0.0])  # P5 (27)
        along /= np.linalg.norm(along, axis=1, keepdims=True)
        across = np.cross(up, along)
        point = sphere - self.radius[:, np.newaxis, np.newaxis] * up - at.position[:, np.newaxis]
        W_N, W_T, W_V = (np.zeros((n, 2, k, n, 6)) for k in (1, 2, 2))
        for i in range(n):
            for end in range(2):
                for W, row, direction in ((W_N, 0, up), (W_T, 0, along[i]), (W_T, 1, across[i])):
                    W[i, end, row, i, :3], W[i, end, row, i, 3:] = direction, cross(point[i, end], direction)
                W_V[i, end, 0, i, 4], W_V[i, end, 1, i, 3] = -self.radius[i], self.radius[i]  # P5 (33)
            W_T[i] *= self.mu[:, np.newaxis, np.newaxis]
        rolls = self.mu_rolling > 0
        rows = [W_N, W_T, self.mu_rolling * W_V] if rolls else [W_N, W_T]
        return Contact(
            W=np.concatenate([W.reshape(-1, 6 * n) for W in rows]),
            slack=gap.ravel() / self.dt,
            stiffness=np.repeat(STIFFNESS * self.mass, 2),
            before=np.concatenate([a.slide, a.roll]) if rolls else a.slide,
        )

    def kinetic_energy(self, s: State) -> float:
        at = self.geometry(s.position, s.quaternion)
        turning = np.einsum("ni,nij,nj->", s.rate, at.inertia, s.rate)
        return float(self.mass @ (s.velocity**2).sum(axis=1) + turning) / 2

    def angular_momentum(self, s: State) -> FloatArray:
        """About the origin [N m s], with the carried spin."""
        return np.asarray(np.sum(np.cross(s.position, self.mass[:, np.newaxis] * s.velocity) + s.spin, axis=0))


def simulate(
    robot: Robot,
    ground: Friction,
    servo: Servo,
    reference: Reference,
    pose: SpatialPose,
    dt: float,
    duration: float,
    period: float = 0.01,
    gravity: float = 9.81,
    memory: bool = True,
    momentum: Momentum = "end",
) -> Run:
    """A run along a reference, sampled every period and extrapolated inside with its rate.

    `memory`: whether friction starts from the impulse of the last step; see the module for `momentum`.
    """
    substeps, periods = round(period / dt), round(duration / period)
    if abs(substeps * dt - period) > 1e-9 * period or abs(periods * period - duration) > 1e-9 * duration:
        raise ValueError("a period should be a whole number of steps, the duration one of periods")
    model = DenseSpatial(robot, ground, servo, dt, gravity, memory, momentum)
    n, state = model.n, model.start(pose)
    rows: list[list[FloatArray]] = []
    normal, sliding, residual, fallbacks = np.zeros((n, 2)), np.zeros((n, 2, 2)), 0.0, 0
    for tick in range(periods + 1):
        at = model.geometry(state.position, state.quaternion)
        rates = model.axes_rows(at) @ np.concatenate([state.velocity, state.rate], axis=1).ravel()
        moving = [state.position, at.rotation, state.velocity, state.rate, model.joint_angles(at), rates]
        rows.append([np.array(tick * period), *moving, normal, sliding, np.array(residual), np.array(fallbacks)])
        if tick == periods:
            break
        ref, ref_rate = reference(tick * period)
        normal, sliding, residual, fallbacks = np.zeros((n, 2)), np.zeros((n, 2, 2)), 0.0, 0
        for k in range(1, substeps + 1):
            state = model.step(state, ref + k * dt * ref_rate, ref_rate)
            normal = normal + model.normal.reshape(n, 2)
            sliding = sliding + model.sliding.reshape(n, 2, 2)
            residual = max(residual, model.residual)
            fallbacks += model.last.fell_back
    time, position, rotation, velocity, rate, angle, joint_rate, normals, slides, residuals, fell_back = (
        np.array(column, dtype=float) for column in zip(*rows, strict=True)
    )
    return Run(
        time=time,
        position=position,
        rotation=rotation,
        velocity=velocity,
        rate=rate,
        joint_angle=angle,
        joint_rate=joint_rate,
        normal_impulse=normals,
        friction_impulse=slides,
        residual=residuals,
        fallbacks=fell_back,
    )


def null_space(rows: FloatArray) -> FloatArray:
    """Orthonormal columns that span all u with rows u = 0; the rows are independent."""
    Q, _ = np.linalg.qr(rows.T, mode="complete")
    return np.asarray(Q[:, len(rows) :])


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def skew(a: FloatArray) -> FloatArray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def exponential(turn: FloatArray) -> FloatArray:
    """Quaternions (n, 4) of rotation vectors (n, 3) [rad]."""
    half = np.linalg.norm(turn, axis=1, keepdims=True) / 2
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) / 2 * turn], axis=1)


def product(p: FloatArray, q: FloatArray) -> FloatArray:
    """Quaternions (n, 4): first turned by q, then by p."""
    w = p[:, :1] * q[:, :1] - (p[:, 1:] * q[:, 1:]).sum(axis=1, keepdims=True)
    return np.concatenate([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])], axis=1)


def matrices(quaternion: FloatArray) -> FloatArray:
    """Rotation matrices (n, 3, 3) of unit quaternions: (w + v^)^2 + v v^T without the first row and column."""
    w, v = quaternion[:, 0, np.newaxis, np.newaxis], quaternion[:, 1:]
    across = np.zeros((len(v), 3, 3))
    across[:, 0, 1], across[:, 0, 2], across[:, 1, 2] = -v[:, 2], v[:, 1], -v[:, 0]
    across -= across.transpose(0, 2, 1)
    return np.asarray(np.eye(3) + 2 * (w * across + across @ across))


AIKO_SERVO = Servo(stiffness=40.0, damping=0.2, pitch_stiffness=800.0, pitch_damping=0.2)
AIKO_JOINTS = 10
PERIOD = 0.01  # [s]


def aiko_in_space() -> Robot:
    """The robot of P5 with its printed numbers."""
    link = Link(length=0.122, mass=7.5 / 11, inertia=9.63e-4, inertia_roll=2.35e-4, radius=0.0525, core=0.0393)
    joints = (Joint(axes="pitch-yaw"),) * AIKO_JOINTS
    return Robot(name="aiko-in-space", links=(link,) * (AIKO_JOINTS + 1), joints=joints, servo=AIKO_SERVO)


def gait(horizontal: float, vertical: float = 0.0, offset: float = 0.0) -> Reference:
    """P5 (70) and (71) for Aiko's freedoms, pitch and yaw of each joint from the tail; amplitudes and offset [deg].

    The paper counts from the head and bends to the other side: hence the signs and the order of phases.
    """
    frequency, phase = np.radians([80.0, -50.0])
    count = AIKO_JOINTS - 1 - np.arange(AIKO_JOINTS)
    amplitude = np.radians(np.tile([vertical, -horizontal], AIKO_JOINTS))
    start = np.stack([count * phase + np.radians(offset), count * phase], axis=1).ravel()

    def reference(time: float) -> tuple[FloatArray, FloatArray]:
        angle = frequency * time + start
        return amplitude * np.sin(angle), amplitude * frequency * np.cos(angle)

    return reference


def soft_start(reference: Reference, period: float = PERIOD, near: float = np.radians(3.0)) -> Reference:
    """Each freedom stays at zero until its reference, seen every period, first comes near zero (P5 VIII-E)."""
    ticks = np.arange(round(10.0 / period))
    within = np.array([np.abs(reference(tick * period)[0]) < near for tick in ticks])
    first = np.where(within.any(axis=0), np.argmax(within, axis=0) * period, np.inf)

    def softened(time: float) -> tuple[FloatArray, FloatArray]:
        angle, rate = reference(time)
        begun = time > first - period / 2
        return np.where(begun, angle, 0.0), np.where(begun, rate, 0.0)

    return softened


def lying(robot: Robot, joint_angle: FloatArray, link: int) -> SpatialPose:
    """At rest on the ground, the lowest sphere touching it, one link at x = y = 0, mean heading zero."""
    pose = spatial_pose(robot, joint_angle, Attitude(), (0.0, 0.0, 0.0), link)
    forward = matrices(pose.orientation)[:, :, 0]
    reach = np.array([(part.half_core, part.radius) for part in robot.links])
    lowest = np.min(pose.position[:, 2] - reach[:, 0] * np.abs(forward[:, 2]) - reach[:, 1])
    return lifted(pose, -float(lowest))
