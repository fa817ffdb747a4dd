"""P2's own solver as a reference: the projection iteration (64)-(70), with the implicit servo."""

from __future__ import annotations

import math
from typing import NamedTuple

from pushpoint._jit import kernel
from pushpoint.mechanics.planar_chain import carried, chord_change, sweep, take_chords
from pushpoint.numerics.projections import project_disc
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_stepping.contact_law import apply_contact, approach_speed
from pushpoint.plants.planar_stepping.ground_law import in_world_axes, slide
from pushpoint.plants.planar_stepping.joint_law import basic_impulse
from pushpoint.plants.planar_stepping.laws import law_residual, load_imbalance, squared_speed
from pushpoint.plants.planar_stepping.model import Problem

# Stable below 2 over the largest eigenvalue of the inverse inertia seen at the contacts: for friction surely below
# twice the mass of the lightest link, as P2's r_T = 1.3 kg just is. P2's r_H = 0.01 kg is stable too, but needs many
# times as many iterations.
FRICTION_STEP = 1.0  # default of r_T over the link's mass
CONTACT_STEP = 0.6  # default of r_H over the link's mass


class Relaxation(NamedTuple):
    """Step sizes of the iteration [kg]; 0: a share of each link's mass."""

    r_h: float  # of P2 (67)
    r_t: float  # of P2 (68)


@kernel
def load_inertia(link: Records, i: int) -> None:
    """Start the block of link i with its inertia, and its applied impulse with the friction of the ground."""
    a = link[i]
    a.xx, a.xy, a.yy = a.mass, 0.0, a.mass
    a.xw, a.yw, a.ww = 0.0, 0.0, a.inertia
    a.applied_x, a.applied_y = in_world_axes(a)
    a.applied_w = 0.0


@kernel
def load_impulses(problem: Problem) -> float:
    """Right-hand side of (66) for the impulses at hand; returns the residual of the balance as laws.evaluate."""
    link, unit = problem.link, problem.number[0].weight * problem.number[0].dt
    fx = fy = moment = worst = 0.0
    fastest = problem.number[0].gravity * problem.number[0].dt
    fastest *= fastest
    for i in range(link.shape[0] - 1, -1, -1):
        load_inertia(link, i)
        for k in range(problem.first[i], problem.first[i + 1]):
            apply_contact(link, problem.contact, i, k)
        load_imbalance(link, i)
        if i > 0:
            basic_impulse(link, i, problem.number[0].dt)
        fx, fy, moment, wrong = carried(link, i, fx, fy, moment)
        if not wrong <= worst:
            worst, problem.number[0].worst_link = wrong, i
        fastest = max(fastest, squared_speed(link, i))
    problem.number[0].speed = math.sqrt(fastest)
    return float(max(abs(fx), abs(fy), worst) / unit)


@kernel
def project_impulses(problem: Problem, relaxation: Relaxation) -> None:
    """(67) and (68)."""
    link, contact = problem.link, problem.contact
    r_h, r_t = relaxation.r_h, relaxation.r_t
    for i in range(link.shape[0]):
        a = link[i]
        vx, vy = slide(link, i)
        r = r_t if r_t > 0.0 else FRICTION_STEP * a.mass
        x, y = a.ground_x - r * vx, a.ground_y - r * vy
        a.ground_x, a.ground_y = project_disc(x, y, a.disc)
        for k in range(problem.first[i], problem.first[i + 1]):
            r_contact = r_h if r_h > 0.0 else CONTACT_STEP * a.mass
            contact[k].impulse = max(0.0, contact[k].impulse - r_contact * approach_speed(link, contact, i, k))


@kernel
def solve_motion(problem: Problem) -> None:
    """(64)-(66): end velocity for fixed impulses; twice, so that servo limits and chords are those of that velocity."""
    link = problem.link
    for _ in range(2):
        load_impulses(problem)
        sweep(problem.chain, 1.0)
        if problem.number[0].conserving > 0.0:
            chord_change(link, problem.number[0].dt)
            take_chords(link)


@kernel
def projection(problem: Problem, relaxation: Relaxation) -> tuple[float, int]:
    """Iterate (64)-(70) until the residuals are met. Returns the residual and the number of iterations."""
    link, limit = problem.link, int(problem.number[0].max_iterations)
    for i in range(link.shape[0]):
        a = link[i]
        a.ground_x, a.ground_y = a.ground_guess_x, a.ground_guess_y
    for k in range(problem.first[link.shape[0]]):
        problem.contact[k].impulse = problem.contact[k].guess
    residual = 0.0
    for iteration in range(limit):
        solve_motion(problem)
        residual = max(load_impulses(problem), law_residual(problem, None, None, None))
        if residual <= problem.number[0].tolerance:
            return residual, iteration + 1
        project_impulses(problem, relaxation)
    return residual, limit
