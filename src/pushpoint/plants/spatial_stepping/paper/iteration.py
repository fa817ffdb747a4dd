"""The modified Newton algorithm of P5 VII-B: (84)-(93)."""

from __future__ import annotations

import math

from pushpoint._jit import kernel
from pushpoint.numerics.projections import project_disc, project_half_ellipses
from pushpoint.plants.spatial_stepping.paper.joint_impulses import solve_joints
from pushpoint.plants.spatial_stepping.paper.kinematics import rate_along, speed_along
from pushpoint.plants.spatial_stepping.paper.model import ACROSS, ALONG, NORMAL, ROLL_X, ROLL_Y, PaperProblem
from pushpoint.types import FloatArray


@kernel
def project_ellipse(x: float, y: float, a: float, b: float) -> tuple[float, float]:
    """The nearest point of the ellipse with the half axes a and b, which may vanish."""
    if a <= 0.0 or b <= 0.0:
        return min(max(x, -a), a), min(max(y, -b), b)
    if a == b:
        return project_disc(x, y, a)
    nearest = project_half_ellipses(x, y, b, math.copysign(a / b, x))
    return nearest[0], nearest[1]


@kernel
def push(u: FloatArray, mass: FloatArray, w: FloatArray, impulse: float) -> None:
    """u += M^-1 w P of one link."""
    for m in range(6):
        u[m] += w[m] * impulse / mass[m]


@kernel
def solve_motion(problem: PaperProblem, rows: int) -> None:
    """(84)-(86): reactions of the joints and velocities for the contact impulses at hand."""
    u, w, reaction = problem.speed, problem.joint, problem.reaction
    for i in range(u.shape[0]):
        for m in range(6):
            u[i, m] = problem.free[i, m]
    for c in range(problem.number[0].contacts):  # M^-1 S of (85)
        a = problem.active[c]
        for m in range(rows):
            push(u[a // 2], problem.mass[a // 2], problem.contact[a, m], problem.impulse[a, m])
    for j in range(w.shape[0]):
        for m in range(w.shape[1]):
            reaction[j, m] = -rate_along(w[j, m], u, j)
    solve_joints(problem)  # (84)
    for j in range(w.shape[0]):  # (86)
        for m in range(w.shape[1]):
            push(u[j], problem.mass[j], w[j, m, :6], reaction[j, m])
            push(u[j + 1], problem.mass[j + 1], w[j, m, 6:], reaction[j, m])


@kernel
def project_contact(problem: PaperProblem, a: int) -> tuple[float, float, float]:
    """(87)-(92) of one contact. Returns the squares of the changes of P_N, P_T and P_V."""
    number, r = problem.number[0], problem.size[0]
    p, w, u = problem.impulse[a], problem.contact[a], problem.speed[a // 2]
    normal = max(0.0, p[NORMAL] - r.r_N * speed_along(w[NORMAL], u))
    x = p[ALONG] - r.r_T * speed_along(w[ALONG], u)
    y = p[ACROSS] - r.r_T * speed_along(w[ACROSS], u)
    x, y = project_ellipse(x, y, number.mu_t * normal, number.mu_s * normal)  # (58)
    of_n, of_t, of_v = normal - p[NORMAL], (x - p[ALONG]) ** 2 + (y - p[ACROSS]) ** 2, 0.0
    p[NORMAL], p[ALONG], p[ACROSS] = normal, x, y
    if number.roll > 0.0:
        x = p[ROLL_X] - r.r_V * speed_along(w[ROLL_X], u)
        y = p[ROLL_Y] - r.r_V * speed_along(w[ROLL_Y], u)
        x, y = project_disc(x, y, number.roll * normal)  # (60)
        of_v = (x - p[ROLL_X]) ** 2 + (y - p[ROLL_Y]) ** 2
        p[ROLL_X], p[ROLL_Y] = x, y
    return of_n * of_n, of_t, of_v


@kernel
def project_impulses(problem: PaperProblem) -> float:
    """(87)-(93). Returns the residual: changes of impulses, scaled (see model.residual_scale), over weight times dt."""
    of_n, of_t, of_v, worst = 0.0, 0.0, 0.0, -1.0
    number, size = problem.number[0], problem.size[0]
    for c in range(number.contacts):
        a = problem.active[c]
        n, t, v = project_contact(problem, a)
        of_n, of_t, of_v = of_n + n, of_t + t, of_v + v
        if not n + t + v <= worst:
            worst, number.worst_link = n + t + v, a // 2
    changes = size.per_N * math.sqrt(of_n) + size.per_T * math.sqrt(of_t) + size.per_V * math.sqrt(of_v)
    return float(changes / (number.weight * number.dt))


@kernel
def iterate(problem: PaperProblem) -> tuple[float, int]:
    """Velocities and impulses of a step. Returns the residual and the number of iterations."""
    number, residual = problem.number[0], 0.0
    rows, limit = 5 if number.roll > 0.0 else 3, number.max_iterations
    for iteration in range(limit):
        solve_motion(problem, rows)
        residual = project_impulses(problem)
        if residual <= number.tolerance or not math.isfinite(residual):
            return residual, iteration + 1
    return residual, limit
