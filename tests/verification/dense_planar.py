"""A second, independent planar time-stepping model: plain NumPy, dense matrices, nothing of the plants.

It is slow and plain on purpose. Every link has its own three coordinates; joints are multipliers, eliminated
by a dense Schur complement; ground friction, obstacles and servos are what remains, one dense problem per
step. P2 is Transeth et al. 2008a. SI units, radians, world frame; links are numbered from the tail.

Two schemes, which differ in where the joints are closed:

    "paper"       P2 (54)-(63): joint velocities vanish at the midpoint M, then the links are pushed together
                  from the head on (P2 VI-C).
    "conserving"  the chain is closed at A, M and E, and the pose q_M + dt u_E is closed as well. That makes
                  both momenta at the midpoints constant as long as nothing acts from outside.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from pushpoint.robots import Robot, Servo
from pushpoint.types import CommandTable, FloatArray, IntArray, Pose
from pushpoint.worlds import World

Scheme = Literal["paper", "conserving"]

REACH = 0.05  # [m]: obstacles farther off are left out; a step that could cross this distance raises
PUSH_OUT = 1.0  # [m/s], of links that overlap an obstacle, at most
VELOCITY_TOLERANCE = 2e-13  # [m/s] and [rad/s], times the largest joint rate if above one: round-off
JOINT_TOLERANCE = 1e-13  # [m/s]: change of the joint condition between two iterations
ANCHOR = 1e-9  # pulls Newton steps to the last iterate: ground impulses at rest are not unique


class State(NamedTuple):
    """Motion of all links."""

    position: FloatArray  # [m], (n, 2)
    angle: FloatArray  # [rad], (n,)
    velocity: FloatArray  # [m/s], (n, 2)
    rate: FloatArray  # [rad/s], (n,)


class Impulses(NamedTuple):
    """What acted in one step, at the midpoint pose."""

    middle: State  # pose at M, velocities of A
    joint: FloatArray  # [N s], (n - 1, 2): on the link on the tail side
    ground: FloatArray  # [N s], (n, 2): along and across the link
    obstacle: FloatArray  # [N s], (k,): along the normal, on the link
    servo: FloatArray  # [N m s], (n - 1,): on the link on the head side
    link: IntArray  # (k,): of the obstacle rows
    clearance_rate: FloatArray  # [m/s], (k,): normal velocity, plus gap / dt in "conserving"


def state_of(pose: Pose) -> State:
    return State(pose.position.copy(), pose.angle.copy(), pose.velocity.copy(), pose.rate.copy())


class ServoLaw(NamedTuple):
    """Impulse of each joint as a function of its rate at the end: clip(dead(free - slope rate) + feed)."""

    free: FloatArray  # [N m s]
    slope: float  # [N m s2]
    dead: float  # [N m s], half width of the dead band
    feed: FloatArray  # [N m s]
    limit: float  # [N m s]

    def impulse(self, rate: FloatArray) -> FloatArray:
        pull = self.free - self.slope * rate
        passed = pull - np.clip(pull, -self.dead, self.dead)
        return np.asarray(np.clip(passed + self.feed, -self.limit, self.limit))

    def derivative(self, rate: FloatArray) -> FloatArray:
        pull = self.free - self.slope * rate
        passed = (np.abs(pull) >= self.dead) & (np.abs(self.impulse(rate)) < self.limit)
        return np.where(passed, -self.slope, 0.0)

    def alone(self, joint: int, rate: float, mobility: float) -> float:
        """P with P = impulse(rate + mobility P): one of five straight pieces holds it."""
        one = self._replace(free=self.free[joint], feed=self.feed[joint])
        pull = one.free - self.slope * rate + np.array([-self.dead, self.dead])
        sloped = (pull + one.feed) / (1.0 + self.slope * mobility)
        pieces = np.array([-self.limit, self.limit, one.feed, *sloped])
        pieces = pieces[np.isfinite(pieces)]
        error = np.abs(pieces - one.impulse(rate + mobility * pieces))
        return float(pieces[np.argmin(error)])


class ContactProblem(NamedTuple):
    """Find x = (ground in units of its radii, obstacles, servos) with row velocities y = A x + b such that

    ground: -y in the normal cone of the unit disc at x; obstacles: x >= 0, y >= 0, x y = 0;
    servos: x = law(y). A is symmetric, positive semi-definite; ground rows come in pairs.
    """

    A: FloatArray
    b: FloatArray
    discs: int
    obstacles: int
    law: ServoLaw
    scale: FloatArray  # rows: y = scale * velocity

    @property
    def ground_rows(self) -> slice:
        return slice(0, 2 * self.discs)

    @property
    def obstacle_rows(self) -> slice:
        return slice(2 * self.discs, 2 * self.discs + self.obstacles)

    @property
    def servo_rows(self) -> slice:
        return slice(2 * self.discs + self.obstacles, len(self.b))

    def steps(self) -> FloatArray:
        """A step r per row for x -> prox(x - r y); the two rows of a disc share theirs (P2 (58))."""
        diagonal = np.diag(self.A).copy()
        pairs = diagonal[self.ground_rows].reshape(-1, 2)
        diagonal[self.ground_rows] = np.repeat(pairs.max(axis=1), 2)
        return np.asarray(1.0 / diagonal)

    def solve(self, x: FloatArray) -> FloatArray:
        """Semi-smooth Newton; where that cycles, block Gauss-Seidel, which descends, finds a better start."""
        if len(self.b) == 0:
            return x
        for sweeps in (0, 5, 50, 500, 5000):
            for _ in range(sweeps):
                x = self._sweep(x)
            newton, error = self._newton(x)
            if error <= self._tolerance(newton):
                return newton
        raise ArithmeticError(f"dense contact problem not solved: velocity error {error:.1e}")

    def _tolerance(self, x: FloatArray) -> float:
        joint_rates = (self.A @ x + self.b)[self.servo_rows]
        return VELOCITY_TOLERANCE * float(np.abs(joint_rates).max(initial=1.0))

    def _newton(self, x: FloatArray) -> tuple[FloatArray, float]:
        best, least = x, np.inf
        for _ in range(30):
            natural, jacobian, error = self._linearised(x)
            if error < least:
                best, least = x, error
            if error <= self._tolerance(x):
                break
            x = x - np.linalg.solve(jacobian + ANCHOR * np.eye(len(x)), natural)
        return best, float(least)

    def _linearised(self, x: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """Natural map F = x - prox(x - r y), its Jacobian, and its size as a velocity."""
        y, r = self.A @ x + self.b, self.steps()
        aim = x - r * y
        prox = np.empty_like(x)
        slope = np.zeros_like(self.A)  # derivative of prox
        rows = self.ground_rows
        prox[rows], slope[rows, rows] = disc_projections(aim[rows])
        rows = self.obstacle_rows
        prox[rows] = np.maximum(aim[rows], 0.0)
        slope[rows, rows] = np.diag((aim[rows] > 0).astype(float))
        jacobian = np.eye(len(x)) - slope @ (np.eye(len(x)) - r[:, np.newaxis] * self.A)
        rows = self.servo_rows
        prox[rows] = self.law.impulse(y[rows])
        jacobian[rows] -= self.law.derivative(y[rows])[:, np.newaxis] * self.A[rows]
        moves = self.scale > 0  # no friction along or across: that row has no velocity
        error = np.abs(x - prox)[moves] / (r * self.scale)[moves]
        return x - prox, jacobian, float(error.max())

    def _sweep(self, x: FloatArray) -> FloatArray:
        """One pass of exact solves, block by block."""
        x = x.copy()
        for k in range(self.discs):
            pair = slice(2 * k, 2 * k + 2)
            block = self.A[pair, pair]
            x[pair] = disc_minimum(block, self.A[pair] @ x + self.b[pair] - block @ x[pair])
        for row in range(2 * self.discs, len(x)):
            mobility = self.A[row, row]
            rest = float(self.A[row] @ x + self.b[row] - mobility * x[row])
            joint = row - self.servo_rows.start
            x[row] = max(0.0, -rest / mobility) if joint < 0 else self.law.alone(joint, rest, mobility)
        return x


class Rows(NamedTuple):
    """All that acts on the links apart from the joints, one column of W each: ground, obstacles, servos."""

    W: FloatArray  # ground columns are scaled by the largest impulses
    offset: FloatArray  # [m/s] and [rad/s], added to the row velocities
    scale: FloatArray  # of the columns
    ground_guess: FloatArray
    link: IntArray  # of the obstacle columns


def disc_projections(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Nearest point of the unit disc to each pair of numbers, and the derivative of that (2 x 2 blocks)."""
    pairs = points.reshape(-1, 2)
    distance = np.maximum(np.hypot(pairs[:, 0], pairs[:, 1]), 1.0)
    onto = pairs / distance[:, np.newaxis]
    outside = (distance > 1.0)[:, np.newaxis, np.newaxis]
    blocks = np.eye(2) - np.where(outside, onto[:, :, np.newaxis] * onto[:, np.newaxis], 0.0)
    derivative = np.zeros((len(pairs), 2, len(pairs), 2))
    index = np.arange(len(pairs))
    derivative[index, :, index, :] = blocks / distance[:, np.newaxis, np.newaxis]
    return onto.ravel(), derivative.reshape(len(points), len(points))


def disc_minimum(B: FloatArray, c: FloatArray) -> FloatArray:
    """Minimum of x B x / 2 + c x in the unit disc: (B + shift) x = -c with shift >= 0, zero if |x| < 1."""
    value, axes = np.linalg.eigh(B)
    value = np.maximum(value, 1e-16 * value[1])  # no friction along or across: that part of c is zero
    part = -(axes.T @ c)
    low, high = 0.0, float(np.linalg.norm(part))
    if np.linalg.norm(part / value) <= 1.0:
        return np.asarray(axes @ (part / value))
    while low < (shift := 0.5 * (low + high)) < high:  # until there is no number in between
        if np.linalg.norm(part / (value + shift)) > 1.0:
            low = shift
        else:
            high = shift
    return np.asarray(axes @ (part / (value + high)))


class DensePlanar:
    """The model: single steps, or a run along a table of commands. `last` is what acted in the last step."""

    last: Impulses

    def __init__(self, robot: Robot, world: World, servo: Servo, dt: float, scheme: Scheme) -> None:
        links = robot.links
        self.n = len(links)
        self.dt, self.scheme, self.servo = dt, scheme, servo
        self.half = np.array([link.length / 2 for link in links])
        self.mass = np.array([link.mass for link in links])
        self.inertia = np.array([link.inertia for link in links])
        self.core = np.array([link.half_core for link in links])
        self.radius = np.array([link.radius for link in links])
        self.disc = np.array([(d.x, d.y, d.radius) for d in world.obstacles]).reshape(-1, 3)
        # Largest ground impulse along and across each link, P2 (50) and (52).
        self.grip = np.outer(self.mass, (world.ground.along, world.ground.across)) * world.gravity * dt
        self.passive = bool(self.grip.any() or len(self.disc))
        self.M = np.diag(np.stack([self.mass, self.mass, self.inertia], axis=1).ravel())
        self._ground_guess = np.zeros(2 * self.n)

    def step(self, state: State, ref: FloatArray, rate: FloatArray, torque: FloatArray) -> State:
        """Advance by dt. `ref` [rad] holds at the end of the step; `torque` [N m] is feed-forward."""
        middle = self._middle(state)
        law = self._servo_law(middle.angle, ref, rate, torque)
        u = self._impact(middle, law)
        self.solved = self._end(middle, u)  # obeys all laws; below it may be slowed down
        if self.scheme == "conserving" and self.passive:
            u = self._without_surplus(state, u)
        return self._end(middle, u)

    def run(self, commands: CommandTable, ticks: int, substeps: int, start: State) -> list[State]:
        """States at the start and after each tick; in a tick the rate reference extrapolates the angle."""
        states = [start]
        for tick in range(ticks):
            angle, rate, torque = (column[tick] for column in commands)
            state = states[-1]
            for k in range(substeps):
                state = self.step(state, angle + rate * (k + 1) * self.dt, rate, torque)
            states.append(state)
        return states

    def _middle(self, a: State) -> State:
        """The pose at M, P2 (54); "conserving" moves the closed chain instead of the links one by one."""
        half_step = self.dt / 2
        angle = a.angle + half_step * a.rate
        if self.scheme == "paper":
            return State(a.position + half_step * a.velocity, angle, a.velocity, a.rate)
        centre = self.centre(a.position) + half_step * self.centre(a.velocity)
        return State(self.closed_about_centre(angle, centre), angle, a.velocity, a.rate)

    def _end(self, middle: State, u: FloatArray) -> State:
        """The pose at E, P2 (63) and VI-C, with the new velocities."""
        half_step = self.dt / 2
        velocity, rate = u[:, :2], u[:, 2]
        angle = middle.angle + half_step * rate
        if self.scheme == "paper":
            head = middle.position[-1] + half_step * velocity[-1]  # the paper's link 1
            return State(self.closed_from_head(angle, head), angle, velocity, rate)
        centre = self.centre(middle.position) + half_step * self.centre(velocity)
        return State(self.closed_about_centre(angle, centre), angle, velocity, rate)

    def _without_surplus(self, a: State, u: FloatArray) -> FloatArray:
        """Slow down if ground and obstacles, which can only take energy, seem to have given some."""
        e = a._replace(velocity=u[:, :2], rate=u[:, 2])
        before, after = self.kinetic_energy(a), self.kinetic_energy(e)
        servo_work = float(self.last.servo @ (np.diff(a.rate) + np.diff(e.rate))) / 2
        surplus = after - before - servo_work
        if surplus <= 0:
            return u
        return np.asarray(u * np.sqrt(max(after - surplus, 0.0) / after))

    def _impact(self, middle: State, law: ServoLaw) -> FloatArray:
        """Velocities at E, (n, 3), from P2 (55)-(61) with the joints eliminated; fills `last`."""
        u_a = np.column_stack([middle.velocity, middle.rate]).ravel()
        rows, W_J = self._rows(middle), self.joint_directions(middle.angle)
        M_inv = np.diag(1.0 / np.diag(self.M))
        closing = M_inv @ W_J @ np.linalg.inv(W_J.T @ M_inv @ W_J)  # u_E's answer to a wanted joint velocity
        mobility = M_inv - closing @ W_J.T @ M_inv
        A = rows.W.T @ mobility @ rows.W
        x = np.concatenate([rows.ground_guess, np.zeros(len(rows.link)), law.impulse(np.diff(middle.rate))])

        opening = np.zeros(W_J.shape[1])  # wanted joint velocity W_J^T u_E
        for _ in range(100):
            u_free = u_a - closing @ (W_J.T @ u_a - opening)
            b = rows.W.T @ u_free + rows.offset
            problem = ContactProblem(A, b, len(rows.ground_guess) // 2, len(rows.link), law, rows.scale)
            x = problem.solve(x)
            u = u_free + mobility @ rows.W @ x
            wanted = self._joint_opening(middle.angle, u)
            if np.abs(wanted - opening).max(initial=0.0) <= JOINT_TOLERANCE:
                break
            opening = wanted
        else:
            raise ArithmeticError("joint condition of the dense model not met")

        if len(self.disc) and np.abs(u.reshape(-1, 3)).max() * self.dt > REACH / 2:
            raise ArithmeticError("links too fast for the reach of the dense model")
        P_J = closing.T @ (self.M @ (u - u_a) - rows.W @ x)
        self._keep(middle, rows, problem, x, P_J)
        return np.asarray(u.reshape(-1, 3))

    def _rows(self, middle: State) -> Rows:
        """Ground, obstacles and servos of one step; links without any friction have no ground rows."""
        held = np.repeat(self.grip.any(axis=1), 2)
        radii = self.grip.ravel()[held]
        link, W_H, slack = self.obstacle_directions(middle)
        W_T = self.ground_directions(middle.angle)[:, held] * radii
        return Rows(
            W=np.column_stack([W_T, W_H, self.servo_directions()]),
            offset=np.concatenate([np.zeros(len(radii)), slack, np.zeros(self.n - 1)]),
            scale=np.concatenate([radii, np.ones(len(link) + self.n - 1)]),
            ground_guess=self._ground_guess[held],
            link=link,
        )

    def _keep(self, middle: State, rows: Rows, problem: ContactProblem, x: FloatArray, P_J: FloatArray) -> None:
        """Remember the impulses, and those of the ground as a first guess for the next step."""
        self._ground_guess[np.repeat(self.grip.any(axis=1), 2)] = x[problem.ground_rows]
        self.last = Impulses(
            middle=middle,
            joint=P_J.reshape(-1, 2),
            ground=self._ground_guess.reshape(-1, 2) * self.grip,
            obstacle=x[problem.obstacle_rows],
            servo=x[problem.servo_rows],
            link=rows.link,
            clearance_rate=(problem.A @ x + problem.b)[problem.obstacle_rows],
        )

    def _joint_opening(self, angle: FloatArray, u: FloatArray) -> FloatArray:
        """What W_J^T u_E must be. "conserving": such that q_M + dt u_E is closed, given the new rates."""
        if self.scheme == "paper":
            return np.zeros(2 * (self.n - 1))  # P2 (61)
        rate = u.reshape(-1, 3)[:, 2]
        turn = self.dt * rate
        # Chord minus tangent, (e(angle + turn) - e(angle)) / dt - rate e_perp(angle), free of cancellation.
        along, across = -2 * np.sin(turn / 2) ** 2 / self.dt, (np.sin(turn) - turn) / self.dt
        bend = along[:, np.newaxis] * direction(angle) + across[:, np.newaxis] * normal_to(angle)
        swing = self.half[:, np.newaxis] * bend
        return np.asarray(-(swing[:-1] + swing[1:]).ravel())

    def _servo_law(self, angle: FloatArray, ref: FloatArray, rate: FloatArray, torque: FloatArray) -> ServoLaw:
        """Implicit: the angle at the end is that at M plus dt/2 times the new rate."""
        kp, kd, dt = self.servo.stiffness, self.servo.damping, self.dt
        return ServoLaw(
            free=dt * (kp * (ref - np.diff(angle)) + kd * rate),
            slope=dt * (dt / 2 * kp + kd),
            dead=dt * kp * self.servo.play / 2,
            feed=dt * torque,
            limit=dt * self.servo.torque_limit,
        )

    def joint_directions(self, angle: FloatArray) -> FloatArray:
        """W_J of g_J = r_i + h_i e_i - r_(i+1) + h_(i+1) e_(i+1), P2 (12)."""
        W = np.zeros((self.n, 3, self.n - 1, 2))
        swing = self.half[:, np.newaxis] * normal_to(angle)
        for j in range(self.n - 1):
            W[j, :2, j], W[j + 1, :2, j] = np.eye(2), -np.eye(2)
            W[j, 2, j], W[j + 1, 2, j] = swing[j], swing[j + 1]
        return W.reshape(3 * self.n, -1)

    def servo_directions(self) -> FloatArray:
        W = np.zeros((self.n, 3, self.n - 1))
        for j in range(self.n - 1):
            W[j, 2, j], W[j + 1, 2, j] = -1.0, 1.0
        return W.reshape(3 * self.n, -1)

    def ground_directions(self, angle: FloatArray) -> FloatArray:
        """W_T: velocity of each centre along and across its link, P2 (21)."""
        W = np.zeros((self.n, 3, self.n, 2))
        for i in range(self.n):
            W[i, :2, i] = np.column_stack([direction(angle)[i], normal_to(angle)[i]])
        return W.reshape(3 * self.n, -1)

    def obstacle_directions(self, at: State) -> tuple[IntArray, FloatArray, FloatArray]:
        """Link and W_H of each pair that takes part, and what is added to its normal velocity [m/s]."""
        distance, gradient = nearest(at.position, at.angle, self.core, self.disc[:, :2])
        gap = distance - (self.disc[:, 2] + self.radius[:, np.newaxis])
        link, disc = np.nonzero(gap <= (0.0 if self.scheme == "paper" else REACH))
        W = np.zeros((self.n, 3, len(link)))
        W[link, :, np.arange(len(link))] = gradient[link, disc]
        slack = np.zeros(len(link)) if self.scheme == "paper" else np.maximum(gap[link, disc] / self.dt, -PUSH_OUT)
        return link, W.reshape(3 * self.n, -1), slack

    def chain(self, angle: FloatArray) -> FloatArray:
        """Link centres of the closed chain whose tail link is centred at the origin."""
        arm = self.half[:, np.newaxis] * direction(angle)
        return np.concatenate([np.zeros((1, 2)), np.cumsum(arm[:-1] + arm[1:], axis=0)])

    def closed_about_centre(self, angle: FloatArray, centre: FloatArray) -> FloatArray:
        links = self.chain(angle)
        return np.asarray(links - self.centre(links) + centre)

    def closed_from_head(self, angle: FloatArray, head: FloatArray) -> FloatArray:
        links = self.chain(angle)
        return np.asarray(links - links[-1] + head)

    def centre(self, vectors: FloatArray) -> FloatArray:
        """Mean over the links, weighted by mass."""
        return np.asarray(self.mass @ vectors / self.mass.sum())

    def kinetic_energy(self, s: State) -> float:
        return float(self.mass @ (s.velocity**2).sum(axis=1) + self.inertia @ s.rate**2) / 2

    def angular_momentum(self, s: State) -> float:
        """About the origin [N m s]."""
        x, y = s.position.T
        return float(self.mass @ (x * s.velocity[:, 1] - y * s.velocity[:, 0]) + self.inertia @ s.rate)


def direction(angle: FloatArray) -> FloatArray:
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def normal_to(angle: FloatArray) -> FloatArray:
    return np.stack([-np.sin(angle), np.cos(angle)], axis=-1)


def nearest(
    centre: FloatArray, angle: FloatArray, core: FloatArray, points: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Distances (n, k) of points from the links' axes; their change with (x, y, angle), (n, k, 3)."""
    e = direction(angle)[:, np.newaxis]
    place = ((points - centre[:, np.newaxis]) * e).sum(axis=-1)
    place = np.clip(place, -core[:, np.newaxis], core[:, np.newaxis])
    apart = centre[:, np.newaxis] + place[..., np.newaxis] * e - points
    distance = np.hypot(apart[..., 0], apart[..., 1])
    with np.errstate(invalid="ignore"):
        normal = apart / distance[..., np.newaxis]
    normal = np.where(distance[..., np.newaxis] > 0, normal, normal_to(angle)[:, np.newaxis])
    turning = place * (e[..., 0] * normal[..., 1] - e[..., 1] * normal[..., 0])
    return distance, np.concatenate([normal, turning[..., np.newaxis]], axis=-1)
