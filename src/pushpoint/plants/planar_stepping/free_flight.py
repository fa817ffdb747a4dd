"""Angular momentum of runs on which nothing outside acts, to round-off also in what is shown.

The conserving scheme keeps the angular momentum of its velocities about the poses in the middle of the steps. About a
recorded pose, between two of these, it differs by order dt**2. Here a spin of the whole robot takes up the difference,
in the start and in the rows of a trace. Where ground or obstacles act, momenta are not constant and nothing is done.
"""

from __future__ import annotations

import numpy as np

from pushpoint.numerics.records import table
from pushpoint.plants.planar_stepping.model import BODY_FIELDS, Problem, State
from pushpoint.types import FloatArray

X, Y, ANGLE, VX, VY, W = range(6)  # columns of rows: (..., n, 6)


def keeps_momenta(problem: Problem) -> bool:
    return bool(problem.number[0].conserving and not problem.number[0].passive)


def start_motion(problem: Problem, state: State) -> None:
    """Give the first mid pose the angular momentum of the start; the ledger books the energy that this changes."""
    state.clock[1] = 1
    row = table(state.link, *BODY_FIELDS[:6])
    wanted, _ = _spin(problem, row)
    for _ in range(4):  # each pass gains a factor of dt times the rate
        kept, inertia = _spin(problem, _mid_pose(problem, row))
        _add_spin(problem, row, (wanted - kept) / inertia)
    state.link["vx"], state.link["vy"], state.link["w"] = row[:, VX:].T
    state.link["last_vx"], state.link["last_vy"], state.link["last_w"] = row[:, VX:].T
    mass, moment = problem.link["mass"], problem.link["inertia"]
    energy = 0.5 * float(np.sum(mass * (row[:, VX] ** 2 + row[:, VY] ** 2) + moment * row[:, W] ** 2))
    state.ledger[4] += energy - state.ledger[0]
    state.ledger[0] = energy


def show_kept_spin(problem: Problem, rows: FloatArray) -> None:
    """Give rows (rows, n, 6) the angular momentum that the scheme keeps, in place."""
    present, inertia = _spin(problem, rows)
    kept, _ = _spin(problem, _mid_pose(problem, rows))
    _add_spin(problem, rows, (kept - present) / inertia)


def _mid_pose(problem: Problem, rows: FloatArray) -> FloatArray:
    """The rows half a step later, with closed joints."""
    half, link = 0.5 * problem.number[0].dt, problem.link
    later = rows.copy()
    later[..., ANGLE] += half * rows[..., W]
    arm = link["half"][:, np.newaxis] * np.stack([np.cos(later[..., ANGLE]), np.sin(later[..., ANGLE])], axis=-1)
    place = np.zeros_like(arm)
    place[..., 1:, :] = np.cumsum(arm[..., :-1, :] + arm[..., 1:, :], axis=-2)
    centre = _mean(problem, rows[..., [X, Y]] + half * rows[..., [VX, VY]])
    later[..., [X, Y]] = place + centre - _mean(problem, place)
    return later


def _mean(problem: Problem, values: FloatArray) -> FloatArray:
    """Mean over links, weighted by mass; keeps the axis."""
    share = problem.link["mass"] / problem.link["mass"].sum()
    return np.asarray(np.sum(share[:, np.newaxis] * values, axis=-2, keepdims=True))


def _spin(problem: Problem, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Angular momentum and moment of inertia about the centre of mass."""
    mass, moment = problem.link["mass"], problem.link["inertia"]
    arm = rows[..., [X, Y]] - _mean(problem, rows[..., [X, Y]])
    cross = arm[..., 0] * rows[..., VY] - arm[..., 1] * rows[..., VX]
    return np.sum(mass * cross + moment * rows[..., W], axis=-1), np.sum(
        mass * np.sum(arm**2, axis=-1) + moment, axis=-1
    )


def _add_spin(problem: Problem, rows: FloatArray, spin: FloatArray) -> None:
    arm = rows[..., [X, Y]] - _mean(problem, rows[..., [X, Y]])
    rate = np.asarray(spin)[..., np.newaxis]
    rows[..., VX] -= rate * arm[..., 1]
    rows[..., VY] += rate * arm[..., 0]
    rows[..., W] += rate
