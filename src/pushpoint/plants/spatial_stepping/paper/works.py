"""The energy ledger of a step: works with the mean of the velocities before and after; the rest is numerical."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.plants.spatial_stepping.paper.kinematics import rate_along, speed_along
from pushpoint.plants.spatial_stepping.paper.model import ACROSS, ALONG, NORMAL, ROLL_X, ROLL_Y, PaperProblem
from pushpoint.plants.spatial_stepping.step import less_gains
from pushpoint.types import FloatArray


@kernel
def mean_speed(problem: PaperProblem, w: FloatArray, i: int) -> float:
    return 0.5 * (speed_along(w, problem.old[i]) + speed_along(w, problem.speed[i]))


@kernel
def joint_work(problem: PaperProblem) -> float:
    """Work [J] of servos, springs and dampers."""
    work = 0.0
    for k in range(problem.freedom.shape[0]):
        a = problem.freedom[k]
        j = int(a.joint)
        rate = rate_along(problem.torque[k], problem.old, j) + rate_along(problem.torque[k], problem.speed, j)
        work += 0.5 * a.tau * rate
    return work


@kernel
def contact_work(problem: PaperProblem) -> tuple[float, float]:
    """Works [J] of friction and of normal impulses. What single contacts gain by the mean velocity is taken off the
    losses of the others, as in the default scheme: neither ever gives energy."""
    friction, normal, gain = 0.0, 0.0, 0.0
    for c in range(problem.number[0].contacts):
        a = problem.active[c]
        i, w, p = a // 2, problem.contact[a], problem.impulse[a]
        pressed = p[NORMAL] * mean_speed(problem, w[NORMAL], i)
        rubbed = p[ALONG] * mean_speed(problem, w[ALONG], i) + p[ACROSS] * mean_speed(problem, w[ACROSS], i)
        rubbed += p[ROLL_X] * mean_speed(problem, w[ROLL_X], i) + p[ROLL_Y] * mean_speed(problem, w[ROLL_Y], i)
        normal, friction = normal + min(pressed, 0.0), friction + min(rubbed, 0.0)
        gain += max(pressed, 0.0) + max(rubbed, 0.0)
    return less_gains(friction, normal, gain)


@kernel
def measure_works(problem: PaperProblem, before: float) -> None:
    """Kinetic energy at the end of the step, and what changed it from that `before` [J]; the rest is numerical."""
    number = problem.number[0]
    twice = gravity = 0.0
    for i in range(problem.mass.shape[0]):
        u, v, mass = problem.old[i], problem.speed[i], problem.mass[i]
        for m in range(6):
            twice += mass[m] * v[m] ** 2
        fall = number.down_x * (u[0] + v[0]) + number.down_y * (u[1] + v[1]) + number.down_z * (u[2] + v[2])
        gravity += 0.5 * number.dt * mass[0] * fall
    number.energy, number.servo, number.gravity = 0.5 * twice, joint_work(problem), gravity
    number.friction, number.normal = contact_work(problem)
    number.numerical = number.energy - before - number.servo - number.gravity - number.friction - number.normal
