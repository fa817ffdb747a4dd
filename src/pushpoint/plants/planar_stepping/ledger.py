"""The energy ledger of a step, its guard, and what is remembered of its impulses."""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.mechanics.planar_chain import locked_motion
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.extended import Contacts, Ground
from pushpoint.plants.planar_stepping.ground_law import in_link_axes, in_world_axes
from pushpoint.plants.planar_stepping.laws import is_free
from pushpoint.plants.planar_stepping.model import Problem, State
from pushpoint.types import FloatArray

# Kinetic energy at the end; its change; works of servos, of ground friction, of contacts; numerical error; work of
# contacts as it is, before what is positive of it is taken for numerical [J]. Last, as all links are looked at anyway,
# the largest acceleration of the end of a link by its turning [m/s2].
Works = tuple[float, float, float, float, float, float, float, float]


@fused
def works(problem: Problem, ground: Ground | None) -> Works:
    """Works by the mean velocity: M (u_E - u_A) . (u_E + u_A) / 2 is the change of kinetic energy, and every impulse
    does its part of it. What the joint reactions do is the error of the scheme.

    Neither friction nor contacts can do positive work. Where their impulses do, as the mean velocity is not the one at
    the end that the laws were solved for, or as links are pushed out of obstacles, `account` books it as numerical.
    """
    link, links = problem.link, problem.chain.shape[0]
    kinetic = servo = friction = applied = change = behind = turning = 0.0
    for i in range(link.shape[0]):
        a = link[i]
        m, inertia = a.mass, a.inertia
        vx, vy, w = a.vx, a.vy, a.w
        turning = max(turning, a.axis * w * w)
        kinetic += m * (vx * vx + vy * vy) + inertia * w * w
        mx, my, mw = 0.5 * (vx + a.old_vx), 0.5 * (vy + a.old_vy), 0.5 * (w + a.old_w)
        change += m * ((vx - a.old_vx) * mx + (vy - a.old_vy) * my) + inertia * (w - a.old_w) * mw
        applied += a.applied_x * mx + a.applied_y * my + a.applied_w * mw
        if ground is None:
            gx, gy = mx, my
            if a.along != a.across:
                gx, gy = in_link_axes(a, mx, my)
            friction += a.ground_x * gx + a.ground_y * gy
        else:
            b = ground.link[i]
            friction += b.ground_x * mx + b.ground_y * my + b.spin_impulse * mw
        if 0 < i < links:
            servo += a.torque * (mw - behind)
        behind = mw
    contact, error = applied - friction, change - servo - applied
    return 0.5 * kinetic, change, servo, min(0.0, friction), min(0.0, contact), error, contact, turning


@fused
def account(
    problem: Problem, ledger: FloatArray, done: Works, ground: Ground | None, contacts: Contacts | None
) -> None:
    """Book the works, with the guard against energy out of nothing before."""
    kinetic, change, servo, friction, contact = done[0], done[1], done[2], done[3], done[4]
    surplus = min(change - servo, kinetic)
    problem.number[0].guard = 0.0
    if problem.number[0].passive * problem.number[0].conserving > 0.0 and surplus > 0.0:
        hold_back(problem, kinetic, surplus, is_free(problem, ground, contacts))
        kinetic -= surplus
        change -= surplus
        problem.number[0].guard = surplus
    ledger[0] = kinetic
    ledger[1] += servo
    ledger[2] += friction
    ledger[3] += contact
    ledger[4] += change - servo - friction - contact


@fused
def hold_back(problem: Problem, kinetic: float, surplus: float, in_flight: bool) -> None:
    """The guard of the conserving scheme, whose energy error of order dt**2 has either sign: where ground or obstacles
    are there, velocities are scaled back so that no step creates energy. Stick, slip and touch stay what they are. In
    flight only the motion relative to the locked robot is scaled, so that the momenta stay too."""
    link = problem.link
    x = y = vx = vy = w = 0.0
    if in_flight:
        x, y, vx, vy, w, locked = locked_motion(link)
        kinetic -= locked
    scale = math.sqrt(max(0.0, kinetic - surplus) / kinetic) if kinetic > 0.0 else 0.0
    for i in range(link.shape[0]):
        a = link[i]
        own_x, own_y = vx - w * (a.y - y), vy + w * (a.x - x)
        a.vx, a.vy = own_x + scale * (a.vx - own_x), own_y + scale * (a.vy - own_y)
        a.w = w + scale * (a.w - w)


@fused
def remember(problem: Problem, state: State, i: int, ground: Ground | None, contacts: Contacts | None) -> None:
    """Warm starts of row i, and its impulses of the tick; those of its contacts also since the last recorded row."""
    contact, own, sums = problem.contact, state.link[i], state.sums
    a = problem.link[i]
    own.ground_x, own.ground_y = a.ground_x, a.ground_y
    px = py = 0.0
    for k in range(problem.first[i], problem.first[i + 1]):
        c = contact[k]
        pair = state.pair[int(c.pair)]
        x, y = c.normal_x * c.impulse, c.normal_y * c.impulse
        if contacts is not None:
            x, y = x - c.normal_y * c.impulse_t, y + c.normal_x * c.impulse_t
            remember_friction(c, pair)
            if c.other >= 0.0:
                add_reaction(sums, int(c.other), x, y)
        # A link lands in two steps: it comes to the surface in the first, and to rest there in the second.
        landed, pair.landing = pair.landing > 0.0, 0.0
        if landed or pair.impulse == 0.0:
            pair.impact += c.impulse
        if pair.impulse == 0.0 and c.impulse > 0.0:
            pair.landing = 1.0
        pair.impulse = c.impulse
        pair.tick_x += x
        pair.tick_y += y
        pair.record_x += x
        pair.record_y += y
        px += x
        py += y
    ground_x, ground_y = a.applied_x - px, a.applied_y - py
    if ground is not None:
        b = ground.link[i]
        ground_x, ground_y, own.spin = b.ground_x, b.ground_y, b.spin_impulse
    elif contacts is not None:  # other links may have pushed it, too
        ground_x, ground_y = in_world_axes(a)
    sums[i, 0] += px
    sums[i, 1] += py
    sums[i, 2] += ground_x
    sums[i, 3] += ground_y
    if i > 0:
        sums[i, 4] += a.torque


@kernel
def add_reaction(sums: FloatArray, other: int, x: float, y: float) -> None:
    """The impulse that a movable obstacle gets from what touches it."""
    sums[other, 0] -= x
    sums[other, 1] -= y


@kernel
def remember_friction(c: Records, pair: Records) -> None:
    """Friction of a contact, and whether it slides."""
    pair.tangential = c.impulse_t
    pair.slip = 1.0 if c.mu > 0.0 and c.impulse > 0.0 and c.stiff_t == 0.0 else 0.0
