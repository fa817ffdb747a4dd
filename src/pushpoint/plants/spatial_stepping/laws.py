"""The contact laws, as impulses of one step.

Normal, P5 (55): a contact may close at the speed `approach` = gap / dt at most, so that it touches, and no more, in the
middle of the next step. It yields a little, which makes the split of the weight over many contacts unique:

    P_N = max(0, -hard (g_N + approach))

Friction, P5 (57)-(58), for the ellipse with the half axes mu_t P_N and mu_s P_N along and across the link. In the
scaled coordinates s = P / mu, which turn the ellipse into a disc of radius P_N, with ONE softness for both axes:

    s = projection of (l - soft mu g) on the disc of radius R,   l the s of the last step,

so that a contact that sticks does not creep. Rolling friction, P5 (59)-(60), likewise, with the torques
roll s about the tangents. The radius R is held while an iteration is done (see newton).
"""

from __future__ import annotations

import math

from pushpoint._jit import fused, kernel
from pushpoint.mechanics.spatial_chain import add_rank_one
from pushpoint.numerics.records import Records

ABOUT = 0.05  # relative difference of tangents of sliding contacts that is no reason to find them again


@fused
def velocity_at(a: Records, r1: float, r2: float, r3: float) -> tuple[float, float, float]:
    """Velocity [m/s] of the material point of a link at r."""
    return a.v1 + a.w2 * r3 - a.w3 * r2, a.v2 + a.w3 * r1 - a.w1 * r3, a.v3 + a.w1 * r2 - a.w2 * r1


@fused
def step_at(a: Records, c: Records) -> tuple[float, float, float]:
    """How the step of the motion of a link changes the velocity at the contact point."""
    return a.d4 + a.d2 * c.r3 - a.d3 * c.r2, a.d5 + a.d3 * c.r1 - a.d1 * c.r3, a.d6 + a.d1 * c.r2 - a.d2 * c.r1


@fused
def in_frame(c: Records, p1: float, p2: float, p3: float) -> tuple[float, float, float]:
    """Parts of a vector along the normal and the tangents of a contact."""
    return (
        c.n1 * p1 + c.n2 * p2 + c.n3 * p3,
        c.t1 * p1 + c.t2 * p2 + c.t3 * p3,
        c.s1 * p1 + c.s2 * p2 + c.s3 * p3,
    )


@fused
def velocity_of(a: Records, c: Records) -> tuple[float, float, float]:
    """Speeds [m/s] of a link at the contact point along the normal and the tangents."""
    p1, p2, p3 = velocity_at(a, c.r1, c.r2, c.r3)
    return in_frame(c, p1, p2, p3)


@kernel
def measure_speeds(link: Records, contact: Records, count: int) -> None:
    """Speeds of all contacts."""
    for k in range(count):
        c = contact[k]
        a = link[int(c.link)]
        c.gn, c.gt, c.gs = velocity_of(a, c)
        _, c.gr, c.gq = in_frame(c, a.w1, a.w2, a.w3)
        if c.other >= 0.0:
            c.gn -= velocity_of(link[int(c.other)], c)[0]


@kernel
def keep_start(contact: Records, count: int) -> None:
    """Speeds at the start of the step, for the works."""
    for k in range(count):
        c = contact[k]
        c.start_n, c.start_t, c.start_s, c.start_r, c.start_q = c.gn, c.gt, c.gs, c.gr, c.gq


@kernel
def measure_steps(link: Records, contact: Records, count: int) -> None:
    """How the speeds of all contacts change with the step of the motion."""
    for k in range(count):
        c = contact[k]
        a = link[int(c.link)]
        p1, p2, p3 = step_at(a, c)
        c.dn, c.dt, c.ds = in_frame(c, p1, p2, p3)
        _, c.dr, c.dq = in_frame(c, a.d1, a.d2, a.d3)
        if c.other >= 0.0:
            p1, p2, p3 = step_at(link[int(c.other)], c)
            c.dn -= c.n1 * p1
            c.dn -= c.n2 * p2 + c.n3 * p3


@fused
def normal_impulse(c: Records, gn: float) -> float:
    """P_N [N s] at a normal speed."""
    return float(max(0.0, -c.hard * (gn + c.approach)))


@fused
def trial(c: Records) -> tuple[float, float]:
    """l - soft mu g: s of friction as if the contact stuck."""
    return c.lt - c.soft * c.mu_t * c.gt, c.ls - c.soft * c.mu_s * c.gs


@fused
def rolling_trial(c: Records) -> tuple[float, float]:
    """The same of rolling friction."""
    return c.lr - c.roll_soft * c.roll * c.gr, c.lq - c.roll_soft * c.roll * c.gq


@fused
def on_disc(z1: float, z2: float, radius: float) -> tuple[float, float, float]:
    """Projection on the disc; the third value is 1 inside and below 1 outside: the factor of the projection."""
    size = math.sqrt(z1 * z1 + z2 * z2)
    if size <= radius:
        return z1, z2, 1.0
    factor = radius / size
    return factor * z1, factor * z2, factor


@fused
def evaluate(c: Records) -> None:
    """Impulses at the present speeds."""
    c.pn = normal_impulse(c, c.gn)
    c.closed = 1.0 if c.pn > 0.0 else 0.0
    s1, s2, factor = on_disc(*trial(c), c.disc)
    c.pt, c.ps, c.slips = c.mu_t * s1, c.mu_s * s2, 1.0 if factor < 1.0 else 0.0
    if c.roll > 0.0:
        s1, s2, factor = on_disc(*rolling_trial(c), c.disc)
        c.pr, c.pq, c.rolls = c.roll * s1, c.roll * s2, 1.0 if factor < 1.0 else 0.0


@fused
def sliding_direction(z1: float, z2: float) -> tuple[float, float, float]:
    """Size of z and its direction: that of the friction of a contact that slides."""
    size = math.sqrt(z1 * z1 + z2 * z2)
    if size == 0.0:
        return 1.0, 0.0, 0.0
    return size, z1 / size, z2 / size


@fused
def evaluate_in_mode(c: Records) -> None:
    """Impulses at the present speeds if it goes on to press, stick and slide as in the last step, whatever the law."""
    c.pn = -c.hard * (c.gn + c.approach) * c.closed
    z1, z2 = trial(c)
    if c.slips > 0.0:
        _, e1, e2 = sliding_direction(z1, z2)
        z1, z2 = c.pn * e1, c.pn * e2
    c.pt, c.ps = c.mu_t * z1 * c.closed, c.mu_s * z2 * c.closed
    if c.roll > 0.0:
        z1, z2 = rolling_trial(c)
        if c.rolls > 0.0:
            _, e1, e2 = sliding_direction(z1, z2)
            z1, z2 = c.pn * e1, c.pn * e2
        c.pr, c.pq = c.roll * z1 * c.closed, c.roll * z2 * c.closed


@fused
def moment_of(c: Records, f1: float, f2: float, f3: float) -> tuple[float, float, float]:
    """Moment about O of a force, or of a direction, at the contact point."""
    return c.r2 * f3 - c.r3 * f2, c.r3 * f1 - c.r1 * f3, c.r1 * f2 - c.r2 * f1


@fused
def impulse_of(c: Records) -> tuple[float, float, float]:
    """Of a contact on its link [N s], in world axes."""
    return (
        c.pn * c.n1 + c.pt * c.t1 + c.ps * c.s1,
        c.pn * c.n2 + c.pt * c.t2 + c.ps * c.s2,
        c.pn * c.n3 + c.pt * c.t3 + c.ps * c.s3,
    )


@fused
def press(a: Records, c: Records, f1: float, f2: float, f3: float) -> None:
    """An impulse acts on a link at the contact point."""
    m1, m2, m3 = moment_of(c, f1, f2, f3)
    a.f1, a.f2, a.f3 = a.f1 + m1, a.f2 + m2, a.f3 + m3
    a.f4, a.f5, a.f6 = a.f4 + f1, a.f5 + f2, a.f6 + f3


@fused
def push(a: Records, c: Records) -> None:
    """The impulses of a contact act on its link."""
    press(a, c, *impulse_of(c))
    if c.roll > 0.0:
        a.f1 += c.pr * c.t1 + c.pq * c.s1
        a.f2 += c.pr * c.t2 + c.pq * c.s2
        a.f3 += c.pr * c.t3 + c.pq * c.s3


@fused
def along_tangents(c: Records, q1: float, q2: float) -> tuple[float, float, float]:
    """The direction with the parts q along the tangents."""
    return q1 * c.t1 + q2 * c.s1, q1 * c.t2 + q2 * c.s2, q1 * c.t3 + q2 * c.s3


@kernel
def stiffen(a: Records, c: Records, k: float, n1: float, n2: float, n3: float) -> None:
    """A contact's tangent k along a direction adds to the inertia of its link."""
    m1, m2, m3 = moment_of(c, n1, n2, n3)
    add_rank_one(a, k * m1, k * m2, k * m3, k * n1, k * n2, k * n3, m1, m2, m3, n1, n2, n3)


@kernel
def stiffen_with_friction(a: Records, c: Records, q1: float, q2: float) -> None:
    """The normal's tangent of a contact whose friction grows with it: by q along the tangents per normal impulse."""
    k = c.hard
    f1 = k * (c.n1 + q1 * c.t1 + q2 * c.s1)
    f2 = k * (c.n2 + q1 * c.t2 + q2 * c.s2)
    f3 = k * (c.n3 + q1 * c.t3 + q2 * c.s3)
    m1, m2, m3 = moment_of(c, c.n1, c.n2, c.n3)
    t1, t2, t3 = moment_of(c, f1, f2, f3)
    add_rank_one(a, t1, t2, t3, f1, f2, f3, m1, m2, m3, c.n1, c.n2, c.n3)


@kernel
def twist(a: Records, c: Records, k: float, e1: float, e2: float) -> None:
    """The tangent k of rolling friction about an axis, e along the tangents, adds to the inertia of its link."""
    d1, d2, d3 = along_tangents(c, e1, e2)
    add_rank_one(a, k * d1, k * d2, k * d3, 0.0, 0.0, 0.0, d1, d2, d3, 0.0, 0.0, 0.0)


@kernel
def twist_with_weight(a: Records, c: Records, q1: float, q2: float) -> None:
    """Rolling friction grows with the normal impulse, by q about the tangents."""
    k = c.hard
    d1, d2, d3 = along_tangents(c, q1, q2)
    m1, m2, m3 = moment_of(c, c.n1, c.n2, c.n3)
    add_rank_one(a, k * d1, k * d2, k * d3, 0.0, 0.0, 0.0, m1, m2, m3, c.n1, c.n2, c.n3)


@kernel
def stiffen_by(a: Records, c: Records, exact: bool) -> None:
    """Tangents of a contact that presses, sticks or slides as its flags say; `exact`: with the friction that grows with
    the normal impulse, which makes them unsymmetric."""
    size, e1, e2 = sliding_direction(*trial(c))
    if c.closed > 0.0:
        if exact and c.slips > 0.0:
            stiffen_with_friction(a, c, c.mu_t * e1, c.mu_s * e2)
        else:
            stiffen(a, c, c.hard, c.n1, c.n2, c.n3)
    if c.slips > 0.0:
        c.q1, c.q2 = c.disc / size * e1, c.disc / size * e2
        if c.disc <= 0.0:
            return
        stiffen(a, c, c.soft * c.disc / size, *along_tangents(c, -e2 * c.mu_t, e1 * c.mu_s))
    else:
        stiffen(a, c, c.soft * c.mu_t * c.mu_t, c.t1, c.t2, c.t3)
        stiffen(a, c, c.soft * c.mu_s * c.mu_s, c.s1, c.s2, c.s3)
    if c.roll > 0.0:
        stiffen_rolling(a, c, exact)


@fused
def tangent_changed(c: Records) -> bool:
    """Whether the tangent of a sliding contact is no longer about that of the last sweep."""
    size, e1, e2 = sliding_direction(*trial(c))
    k = c.disc / size
    return bool((k * e1 - c.q1) ** 2 + (k * e2 - c.q2) ** 2 > ABOUT * ABOUT * (c.q1 * c.q1 + c.q2 * c.q2))


@kernel
def stiffen_rolling(a: Records, c: Records, exact: bool) -> None:
    k = c.roll_soft * c.roll * c.roll
    if c.rolls > 0.0:
        size, e1, e2 = sliding_direction(*rolling_trial(c))
        twist(a, c, k * c.disc / size, -e2, e1)
        if exact and c.closed > 0.0:
            twist_with_weight(a, c, c.roll * e1, c.roll * e2)
    else:
        twist(a, c, k, 1.0, 0.0)
        twist(a, c, k, 0.0, 1.0)


@fused
def slope(c: Records, alpha: float) -> float:
    """Impulses after the part alpha of the step, times the step of the speeds."""
    gn, gt, gs = c.gn + alpha * c.dn, c.gt + alpha * c.dt, c.gs + alpha * c.ds
    total = normal_impulse(c, gn) * c.dn
    s1, s2, _ = on_disc(c.lt - c.soft * c.mu_t * gt, c.ls - c.soft * c.mu_s * gs, c.disc)
    total += c.mu_t * s1 * c.dt + c.mu_s * s2 * c.ds
    if c.roll > 0.0:
        gr, gq = c.gr + alpha * c.dr, c.gq + alpha * c.dq
        s1, s2, _ = on_disc(c.lr - c.roll_soft * c.roll * gr, c.lq - c.roll_soft * c.roll * gq, c.disc)
        total += c.roll * (s1 * c.dr + s2 * c.dq)
    return float(total)


@fused
def advance(c: Records, alpha: float) -> None:
    """Take the part alpha of the step."""
    c.gn, c.gt, c.gs = c.gn + alpha * c.dn, c.gt + alpha * c.dt, c.gs + alpha * c.ds
    c.gr, c.gq = c.gr + alpha * c.dr, c.gq + alpha * c.dq


@fused
def reverses(c: Records, alpha: float) -> bool:
    """Whether the part alpha of a step, just taken, turned the friction by more than a right angle."""
    z1, z2 = trial(c)
    old1, old2 = z1 + alpha * c.soft * c.mu_t * c.dt, z2 + alpha * c.soft * c.mu_s * c.ds
    return bool(z1 * old1 + z2 * old2 < 0.0)
