"""The force laws of a step: impulses as functions of the end velocity, their tangents, and their residuals.

With multipliers from the last iterate (augmented Lagrangian) every impulse is a monotone function of a velocity:

    contact   P_H = max(0, P_H' - r (gamma_H + gap / dt))                 P2 (57), inelastic
    friction  P_T = projection on the disc of P_T' - r gamma_T            P2 (58), scaled to a disc for (52)
    servo     P_J = clip(dead band(a - kappa rate) + feed-forward)        P2 (43) at the end of the step, implicit

so that the step is the minimum of a strictly convex function of the end velocity.
"""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.mechanics.planar_chain import chord_velocity, imbalance
from pushpoint.numerics.projections import clip, dead_band
from pushpoint.numerics.residuals import friction_residual, unilateral_residual
from pushpoint.plants.planar_stepping.model import Params, Scratch

STIFFNESS = 1e6  # r over the link's mass: one update of the multiplier shrinks the error of a law by about 1/r


@kernel
def ground_impulse(params: Params, scratch: Scratch, i: int) -> None:
    """Friction of link i and its tangent, added to block and force; P2 (58) with (50) or (52)."""
    radius = params.friction[i, 0]
    if radius == 0.0:
        return
    c, s = scratch.pose[i, 2], scratch.pose[i, 3]
    along, across = params.friction[i, 1], params.friction[i, 2]
    vx, vy = scratch.velocity[i, 0], scratch.velocity[i, 1]
    r = STIFFNESS * params.mass[i]
    x = scratch.ground[i, 2] - r * along * (c * vx + s * vy)
    y = scratch.ground[i, 3] - r * across * (c * vy - s * vx)
    length = math.sqrt(x * x + y * y)
    kxx, kxy, kyy = r, 0.0, r
    if length > radius:
        x, y = x / length, y / length
        k = r * radius / length
        kxx, kxy, kyy = k * y * y, -k * x * y, k * x * x
        x, y = x * radius, y * radius
    scratch.ground[i, 0], scratch.ground[i, 1] = x, y
    px, py = along * x, across * y  # in link axes
    scratch.applied[i, 0] += c * px - s * py
    scratch.applied[i, 1] += s * px + c * py
    kxx, kxy, kyy = kxx * along * along, kxy * along * across, kyy * across * across
    block = scratch.block[i]
    block[0] += c * c * kxx - 2.0 * c * s * kxy + s * s * kyy
    block[1] += c * s * (kxx - kyy) + (c * c - s * s) * kxy
    block[2] += s * s * kxx + 2.0 * c * s * kxy + c * c * kyy


@kernel
def contact_impulse(params: Params, scratch: Scratch, i: int, k: int) -> None:
    """Normal impulse of contact k on link i and its tangent; P2 (57). It pushes the link off."""
    row = scratch.contact[k]
    nx, ny, arm = row[0], row[1], row[2]
    v = scratch.velocity[i]
    r = STIFFNESS * params.mass[i]
    row[5] = max(0.0, row[4] - r * (nx * v[0] + ny * v[1] + arm * v[2] + row[3]))
    if row[5] == 0.0:
        return
    force, block = scratch.applied[i], scratch.block[i]
    force[0] += nx * row[5]
    force[1] += ny * row[5]
    force[2] += arm * row[5]
    block[0] += r * nx * nx
    block[1] += r * nx * ny
    block[2] += r * ny * ny
    block[3] += r * nx * arm
    block[4] += r * ny * arm
    block[5] += r * arm * arm


@kernel
def joint_impulse(params: Params, scratch: Scratch, j: int) -> None:
    """Servo impulse of joint j at the end rate and its tangent, P2 (43) with the rate of the joint."""
    row = params.servo[j]
    stiffness = 0.5 * params.dt * row[0] + row[1]
    rate = scratch.velocity[j + 1, 2] - scratch.velocity[j, 2]
    servo = scratch.drive[j, 0] - stiffness * rate
    demand = dead_band(servo, row[2]) + scratch.drive[j, 1]
    scratch.torque[j] = clip(demand, row[3])
    free = abs(servo) < row[2] or abs(demand) > row[3]
    scratch.joint[j, 0] = 0.0 if free else stiffness
    scratch.joint[j, 1] = scratch.torque[j]


@kernel
def evaluate(params: Params, scratch: Scratch) -> None:
    """All impulses and tangents at the velocity in scratch.velocity (chords of the joint update included)."""
    for i in range(params.mass.size):
        m, inertia = params.mass[i], params.inertia[i]
        block, applied = scratch.block[i], scratch.applied[i]
        for k in range(3):
            applied[k] = 0.0
        block[0], block[1], block[2], block[3], block[4], block[5] = m, 0.0, m, 0.0, 0.0, inertia
        ground_impulse(params, scratch, i)
        for k in range(scratch.contact_start[i], scratch.contact_start[i + 1]):
            contact_impulse(params, scratch, i, k)
        v, before = scratch.velocity[i], scratch.previous[i]
        force = scratch.force[i]
        force[0] = m * (before[0] - v[0]) + applied[0]
        force[1] = m * (before[1] - v[1]) + applied[1]
        force[2] = inertia * (before[2] - v[2]) + applied[2]
        block[6], block[7], block[8] = force[0], force[1], force[2]
    for j in range(params.mass.size - 1):
        joint_impulse(params, scratch, j)


@kernel
def refresh_chords(params: Params, scratch: Scratch) -> None:
    """Make the chords fit the rates in scratch.velocity: joints that are closed after the step replace P2 (61)."""
    n = params.mass.size
    for i in range(n):
        scratch.rate[i] = scratch.velocity[i, 2]
    chord_velocity(params.half_length, params.dt, scratch.pose, scratch.rate, scratch.new_chord)
    for i in range(n):
        for k in range(2):
            change = scratch.new_chord[i, k] - scratch.chord[i, k]
            scratch.chord[i, k] = scratch.new_chord[i, k]
            scratch.velocity[i, k] += change
            scratch.trial[i, k] += change


@kernel
def balance_residual(params: Params, scratch: Scratch) -> float:
    """Unbalanced impulse over (weight x dt), moments over (weight x dt x link length); scratch.number[2]: link."""
    scratch.number[2] = imbalance(params.half_length, scratch.pose, scratch.force, scratch.torque, scratch.number)
    unit = params.weight * params.dt
    i = int(scratch.number[2])
    return max(scratch.number[0] / unit, scratch.number[1] / (unit * 2.0 * params.half_length[i]))


@kernel
def velocity_scale(params: Params, scratch: Scratch) -> float:
    """max(g dt, fastest link) [m/s]."""
    largest = params.gravity * params.dt
    for i in range(params.mass.size):
        v = scratch.velocity[i]
        largest = max(largest, math.sqrt(v[0] * v[0] + v[1] * v[1]), abs(v[2]) * params.half_length[i])
    return largest


@kernel
def law_residual(params: Params, scratch: Scratch) -> float:
    """Largest natural-map residual of all contact laws; scratch.number[3]: its link."""
    unit, speed = params.weight * params.dt, velocity_scale(params, scratch)
    if speed == 0.0:
        return 0.0
    worst = 0.0
    for i in range(params.mass.size):
        v = scratch.velocity[i]
        wrong = 0.0
        if params.friction[i, 0] > 0.0:
            c, s = scratch.pose[i, 2], scratch.pose[i, 3]
            wrong = friction_residual(
                scratch.ground[i, 0] / unit,
                scratch.ground[i, 1] / unit,
                params.friction[i, 1] * (c * v[0] + s * v[1]) / speed,
                params.friction[i, 2] * (c * v[1] - s * v[0]) / speed,
                params.friction[i, 0] / unit,
            )
        for k in range(scratch.contact_start[i], scratch.contact_start[i + 1]):
            row = scratch.contact[k]
            approach = row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3]
            wrong = max(wrong, unilateral_residual(row[5] / unit, approach / speed))
        if not wrong <= worst:
            worst = wrong
            scratch.number[3] = i
    return worst


@kernel
def keep_multipliers(params: Params, scratch: Scratch) -> None:
    """The impulses found become the multipliers of the next iteration."""
    for i in range(params.mass.size):
        scratch.ground[i, 2], scratch.ground[i, 3] = scratch.ground[i, 0], scratch.ground[i, 1]
    for k in range(scratch.contact_start[params.mass.size]):
        scratch.contact[k, 4] = scratch.contact[k, 5]
