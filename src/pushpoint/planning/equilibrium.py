"""Shapes and forces that can be held at rest: which set-points of position and force go together (erratum P4-6).

At rest on smooth pegs the ground gives nothing and torques act on joints only, so that the base rows of J_n' lambda
must vanish: G(q) lambda = 0. Three contacts have at most one such lambda, and a generic shape none. A pair (q, lambda)
that can be held solves

    gaps(q) = 0,   G(q) lambda = 0,   A q = a,   B lambda = b,   lambda >= 0

with the task (A, a) and the force set-points (B, b). Torques follow: tau = -S' J_n' lambda.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.peg_contacts import PegContacts, peg_contacts
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.planning.feasibility import null_space, wrench_map
from pushpoint.types import FloatArray, IntArray

HELD = 1e-8  # [m], [N], [rad]: residual of a solution
DIFFERENCE = 1e-6  # of coordinates, for derivatives of wrenches
ITERATIONS = 60


class Touches(NamedTuple):
    """Pairs of links and pegs that should touch."""

    link: IntArray  # (k,)
    centre: FloatArray  # [m], (k, 2)
    radius: FloatArray  # [m], (k,)


class Rows(NamedTuple):
    """Linear set-points: rows @ x = value."""

    rows: FloatArray
    value: FloatArray

    @classmethod
    def none(cls, size: int) -> Rows:
        return cls(np.zeros((0, size)), np.zeros(0))


class Held(NamedTuple):
    """A shape and the forces that hold it."""

    q: FloatArray  # (N,)
    force: FloatArray  # [N], (k,)
    torque: FloatArray  # [N m], (n - 1,)


def link_angle_row(chain: TailChain, link: int) -> FloatArray:
    """The row (N,) that gives the angle of a link in the world, for tasks."""
    row = np.zeros(chain.coordinates)
    row[: link + 1] = 1.0
    return row


def balanced_forces(chain: TailChain, q: FloatArray, touches: Touches) -> FloatArray:
    """Columns (k, d) of normal forces that can be held in a shape as it is: the null space of G."""
    return null_space(wrench_map(_touching(chain, q, touches).normal_jacobian))


def held_pair(
    chain: TailChain, q: FloatArray, touches: Touches, task: Rows, forces: Rows, balanced: bool = True
) -> Held:
    """The pair nearest to the shape q, by Gauss and Newton's method with the shortest steps.

    With `balanced` false there is nothing to hold, and all forces are zero: a shape alone, on any number of pegs.
    Raises InvalidInput, with the missing direction, where the set-points cannot be held.
    """
    if balanced and len(touches.link) < 3:
        raise InvalidInput(
            f"{len(touches.link)} contacts: at least three are needed to hold forces at rest, one per freedom of the "
            "robot as a whole (two along the plane, one turn)"
        )
    k, N, reach = len(touches.link), chain.coordinates, float(chain.length.sum())
    x = np.concatenate([q, _first_forces(chain, q, touches, forces)])
    for _ in range(ITERATIONS):
        wrong = _residual(chain, x, touches, task, forces, reach)
        if np.abs(wrong).max() < HELD:
            x[N:] *= balanced  # nothing to hold: no round-off, either
            return _checked(chain, x, touches)
        step = np.linalg.lstsq(_jacobian(chain, x, touches, task, forces, reach), -wrong, rcond=1e-9)[0]
        x = x + step * min(1.0, 0.3 / max(1e-12, float(np.abs(step[:N]).max())))
    raise InvalidInput(f"these set-points cannot be held: {_worst(wrong, k)}")


def _first_forces(chain: TailChain, q: FloatArray, touches: Touches, forces: Rows) -> FloatArray:
    """Forces that meet their set-points, as nearly balanced as they can be."""
    k = len(touches.link)
    G = wrench_map(_touching(chain, q, touches).normal_jacobian)
    wanted = np.concatenate([np.zeros(3), 1e3 * forces.value])
    return np.asarray(np.linalg.lstsq(np.vstack([G, 1e3 * forces.rows]), wanted, rcond=1e-9)[0].reshape(k))


def _touching(chain: TailChain, q: FloatArray, touches: Touches) -> PegContacts:
    return peg_contacts(chain.at(q, np.zeros_like(q)), *touches)


def _wrench(chain: TailChain, q: FloatArray, force: FloatArray, touches: Touches, reach: float) -> FloatArray:
    """G lambda, (3,), its moment over the length of the robot [N]."""
    return np.asarray(wrench_map(_touching(chain, q, touches).normal_jacobian) @ force / np.array([reach, 1.0, 1.0]))


def _residual(chain: TailChain, x: FloatArray, touches: Touches, task: Rows, forces: Rows, reach: float) -> FloatArray:
    q, force = x[: chain.coordinates], x[chain.coordinates :]
    gap = _touching(chain, q, touches).gap
    wrench = _wrench(chain, q, force, touches, reach)
    return np.concatenate([gap, wrench, task.rows @ q - task.value, forces.rows @ force - forces.value])


def _jacobian(chain: TailChain, x: FloatArray, touches: Touches, task: Rows, forces: Rows, reach: float) -> FloatArray:
    N, k = chain.coordinates, len(touches.link)
    q, force = x[:N], x[N:]
    rows = _touching(chain, q, touches).normal_jacobian
    J = np.zeros((k + 3 + len(task.value) + len(forces.value), N + k))
    J[:k, :N] = rows
    for j, unit in enumerate(DIFFERENCE * np.eye(N)):
        change = _wrench(chain, q + unit, force, touches, reach) - _wrench(chain, q - unit, force, touches, reach)
        J[k : k + 3, j] = change / (2 * DIFFERENCE)
    J[k : k + 3, N:] = wrench_map(rows) / np.array([[reach], [1.0], [1.0]])
    J[k + 3 : k + 3 + len(task.value), :N] = task.rows
    J[k + 3 + len(task.value) :, N:] = forces.rows
    return J


def _checked(chain: TailChain, x: FloatArray, touches: Touches) -> Held:
    """The pair, if no contact would have to pull."""
    q, force = x[: chain.coordinates], x[chain.coordinates :]
    if force.min(initial=0.0) < -HELD:
        pulling = int(np.argmin(force))
        raise InvalidInput(
            f"these set-points cannot be held: the peg at link {touches.link[pulling]} would have to pull with "
            f"{-force[pulling]:.3g} N"
        )
    rows = _touching(chain, q, touches).normal_jacobian
    return Held(q, force, -(rows[:, 1 : chain.links].T @ force))


def _worst(wrong: FloatArray, k: int) -> str:
    """What is left over, the worst first."""
    names = [f"the gap of contact {i} stays at {1e3 * value:.3g} mm" for i, value in enumerate(wrong[:k])]
    moment, x, y = wrong[k : k + 3]
    names += [
        f"a turning moment of {moment:.3g} N times the robot's length is left",
        f"a force of {x:.3g} N along x is left",
        f"a force of {y:.3g} N along y is left",
    ]
    names += [f"set-point {i} is missed by {value:.3g}" for i, value in enumerate(wrong[k + 3 :])]
    return names[int(np.argmax(np.abs(wrong)))]
