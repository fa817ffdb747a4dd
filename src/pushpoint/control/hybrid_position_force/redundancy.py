"""What a robot can do besides its task, P4 3.5.3, (3.41), 6.1.3: how near it is to a singularity, and motions k that
the task does not see, by which it stays away from one, comes to rest, or keeps its shape.

J is the rows of the task Jacobian J_t that are controlled. It is singular where its rank falls; there joints would
have to move infinitely fast. How near that is, P4 says after Chiaverini et al., is seen in the smallest singular value
of J or in the determinant. Rows and columns with lengths count by the longest link, so that they compare with angles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pushpoint.fields import Frozen
from pushpoint.mechanics.tail_chain import TailState
from pushpoint.quantities import Gain
from pushpoint.types import FloatArray

DIFFERENCE = 1e-5  # [rad], of central differences of singular values
Rows = Callable[[TailState], FloatArray]


class Singularity(NamedTuple):
    """How far a task Jacobian is from losing rank; all zero where it has lost it. Infinite, 1, infinite: no rows."""

    smallest: float  # singular value: the least motion of the task that unit motion of the coordinates can be made to
    conditioned: float  # smallest over largest, 0 to 1
    manipulability: float  # sqrt(det(J J')), the product of all singular values


def singularity(rows: FloatArray) -> Singularity:
    """Of rows (t, N) without units."""
    if len(rows) == 0:
        return Singularity(np.inf, 1.0, np.inf)
    sizes = np.linalg.svd(rows, compute_uv=False)
    if len(rows) > rows.shape[1]:
        return Singularity(0.0, 0.0, 0.0)  # more wishes than coordinates
    smallest, largest = float(sizes[-1]), float(sizes[0])
    return Singularity(smallest, smallest / largest if largest > 0.0 else 0.0, float(np.prod(sizes)))


def without_units(state: TailState, rows: FloatArray, lengths: FloatArray) -> FloatArray:
    """Rows (t, N), those that are `lengths` (t,) over the longest link, and columns of the tail's place times it."""
    longest = float(state.chain.length.max())
    scaled = rows / np.where(lengths, longest, 1.0)[:, np.newaxis]
    scaled[:, -2:] *= longest
    return scaled


class Arbitrary(Frozen):
    """Gains of k in (3.41): motions that leave the task alone. All zero, as in P4's experiments: k = 0."""

    damping: Gain = 0.0  # [1/s]: k = -damping q'
    stiffness: Gain = 0.0  # [1/s2]: back to the shape at the start
    away: Gain = 0.0  # [1/s2]: up the gradient of the smallest singular value

    @property
    def used(self) -> bool:
        return self.damping > 0.0 or self.stiffness > 0.0 or self.away > 0.0

    def motion(self, state: TailState, start: FloatArray, rows: Rows) -> FloatArray:
        """k, (N,); `start`: q at the start, `rows`: J without units at a state."""
        k = -self.damping * state.rate - self.stiffness * (state.q - start)
        if self.away > 0.0:
            k = k + self.away * growth(state, rows)
        return np.asarray(k)


def growth(state: TailState, rows: Rows) -> FloatArray:
    """The gradient (N,) of the smallest singular value of J by the joint angles."""
    gradient = np.zeros(state.chain.coordinates)
    for j in range(1, state.chain.links):
        sizes = []
        for step in (DIFFERENCE, -DIFFERENCE):
            q = state.q.copy()
            q[j] += step
            sizes.append(singularity(rows(state.chain.at(q, state.rate))).smallest)
        gradient[j] = (sizes[0] - sizes[1]) / (2 * DIFFERENCE) if np.isfinite(sizes).all() else 0.0
    return gradient
