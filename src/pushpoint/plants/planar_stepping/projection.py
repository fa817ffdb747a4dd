"""P2's own solver as a reference: the projection iteration (64)-(70) with the implicit servo."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.mechanics.planar_chain import sweep
from pushpoint.numerics.projections import project_disc
from pushpoint.plants.planar_stepping.laws import balance_residual, joint_impulse, law_residual, refresh_chords
from pushpoint.plants.planar_stepping.model import Params, Scratch

# Stable below 2 / (largest eigenvalue of the inverse inertia seen at the contacts). P2's r_H = 0.01 is stable but needs
# hundreds of iterations more than this.
FRICTION_STEP = 1.0  # r_T over the link's mass
CONTACT_STEP = 0.6  # r_H over the link's mass


@kernel
def load_impulses(params: Params, scratch: Scratch) -> None:
    """Right-hand side of (66) for the impulses at hand."""
    for i in range(params.mass.size):
        c, s = scratch.pose[i, 2], scratch.pose[i, 3]
        px, py = params.friction[i, 1] * scratch.ground[i, 0], params.friction[i, 2] * scratch.ground[i, 1]
        applied = scratch.applied[i]
        applied[0], applied[1], applied[2] = c * px - s * py, s * px + c * py, 0.0
        for k in range(scratch.contact_start[i], scratch.contact_start[i + 1]):
            row = scratch.contact[k]
            applied[0] += row[0] * row[5]
            applied[1] += row[1] * row[5]
            applied[2] += row[2] * row[5]
        m, inertia = params.mass[i], params.inertia[i]
        v, before, force, block = scratch.velocity[i], scratch.previous[i], scratch.force[i], scratch.block[i]
        force[0] = m * (before[0] - v[0]) + applied[0]
        force[1] = m * (before[1] - v[1]) + applied[1]
        force[2] = inertia * (before[2] - v[2]) + applied[2]
        block[0], block[1], block[2], block[3], block[4], block[5] = m, 0.0, m, 0.0, 0.0, inertia
        block[6], block[7], block[8] = force[0], force[1], force[2]
    for j in range(params.mass.size - 1):
        joint_impulse(params, scratch, j)


@kernel
def project_impulses(params: Params, scratch: Scratch) -> None:
    """(67) and (68)."""
    for i in range(params.mass.size):
        v, m = scratch.velocity[i], params.mass[i]
        c, s = scratch.pose[i, 2], scratch.pose[i, 3]
        r = FRICTION_STEP * m
        x = scratch.ground[i, 0] - r * params.friction[i, 1] * (c * v[0] + s * v[1])
        y = scratch.ground[i, 1] - r * params.friction[i, 2] * (c * v[1] - s * v[0])
        scratch.ground[i, 0], scratch.ground[i, 1] = project_disc(x, y, params.friction[i, 0])
        for k in range(scratch.contact_start[i], scratch.contact_start[i + 1]):
            row = scratch.contact[k]
            approach = row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3]
            row[5] = max(0.0, row[5] - CONTACT_STEP * m * approach)


@kernel
def solve_motion(params: Params, scratch: Scratch) -> None:
    """(64)-(66): end velocity for fixed impulses; twice, so that servo limits and chords are those of that velocity."""
    for _ in range(2):
        load_impulses(params, scratch)
        sweep(params.half_length, scratch.pose, scratch.block, scratch.joint, scratch.factor, scratch.step)
        for i in range(params.mass.size):
            for k in range(3):
                scratch.velocity[i, k] += scratch.step[i, k]
        if params.conserving:
            refresh_chords(params, scratch)


@kernel
def projection(params: Params, scratch: Scratch) -> tuple[float, int]:
    """Iterate (64)-(70) until the residuals are met. Returns the residual and the number of iterations."""
    for i in range(params.mass.size):
        scratch.ground[i, 0], scratch.ground[i, 1] = scratch.ground[i, 2], scratch.ground[i, 3]
    for k in range(scratch.contact_start[params.mass.size]):
        scratch.contact[k, 5] = scratch.contact[k, 4]
    residual = 0.0
    for iteration in range(params.max_iterations):
        solve_motion(params, scratch)
        load_impulses(params, scratch)
        residual = max(balance_residual(params, scratch), law_residual(params, scratch))
        if residual <= params.tolerance:
            return residual, iteration + 1
        project_impulses(params, scratch)
    return residual, params.max_iterations
