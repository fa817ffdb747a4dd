"""A path that gives way to pegs, and the chain on it.

A path is drawn for a map; where a peg is a few millimetres from where the map has it, a robot on the path would press on
it or miss it. So the path is moved sideways by o(s), such that a robot on it just touches every peg near it:

    o(s) = sum_i w_i k(s - s_i),    k(d) = exp(-d^2 / 2 WIDTH^2),    (k(s_i - s_j) + SOFT delta_ij) w = wanted

`wanted` are the gaps of the pegs from the path, towards them. SOFT shares out what pegs close to each other ask for. The
chain on the moved path follows from the one on the path: joints are moved by o across the path, links take the
directions between them. Lengths then fit to first order in o and o', which are small.
"""

from __future__ import annotations

import numpy as np

from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.planning.follow import Following, Reference
from pushpoint.planning.paths import Path
from pushpoint.planning.push_points import Pegs
from pushpoint.types import FloatArray

WIDTH = 0.35  # [m]: a third of the distance between pegs, about; shorter ones would bend the path more
SOFT = 0.02
STEP = 5e-3  # [m], for derivatives along the path


class GivingWay:
    """A path, the pegs that it gives way to, and the chain on it."""

    def __init__(self, following: Following, pegs: Pegs, near: float, candidates: float) -> None:
        """`near` [m]: pegs farther than this from a robot on the path do not attract it; those farther than
        `candidates` [m] never will."""
        self.following, self._near = following, near
        path, width = following.path, float(following.chain.radius.max())
        s = np.array([path.nearest(centre) for centre in pegs.centre])
        point, tangent = path(s), path.tangent(s)
        self._left = np.stack([-tangent[:, 1], tangent[:, 0]], axis=1).reshape(-1, 2)
        across = ((pegs.centre - point) * self._left).sum(axis=1)
        self.peg = np.flatnonzero((np.abs(across) - pegs.radius - width < candidates) & (s > 0.0) & (s < path.length))
        self._s, self._point, self._left = s[self.peg], point[self.peg], self._left[self.peg]
        self._side = np.where(across[self.peg] >= 0.0, 1.0, -1.0)
        self._touch = pegs.radius[self.peg] + width
        self._weights = np.linalg.inv(_kernel(self._s[:, np.newaxis] - self._s) + SOFT * np.eye(len(self.peg)))

    def weights(self, centre: FloatArray) -> FloatArray:
        """w, for pegs believed at `centre` (m, 2) [m] of the map."""
        across = ((centre[self.peg] - self._point) * self._left).sum(axis=1)
        gap = self._side * across - self._touch
        return np.asarray(self._weights @ np.where(gap < self._near, self._side * gap, 0.0))

    def at(self, s: float, weights: FloatArray) -> Reference:
        """The chain on the moved path, its head's end beside s [m]."""
        return moved(self.following.at(s), self.change(s, weights), 0.0)

    def change(self, s: float, weights: FloatArray) -> Reference:
        """What the moved path changes in q at s [m], and in its derivatives."""
        chain = self.following.chain
        if not weights.any():
            return Reference(*np.zeros((3, chain.coordinates)))
        arc, point, left, angle = self.following.joints_at(s + STEP * np.array([-1.0, 0.0, 1.0]))
        offset = _kernel(arc[..., np.newaxis] - self._s) @ weights  # (3, n + 1)
        to = point + offset[..., np.newaxis] * left
        links = to[:, 1:] - to[:, :-1]
        cos, sin = np.cos(angle), np.sin(angle)
        turn = np.arctan2(cos * links[..., 1] - sin * links[..., 0], cos * links[..., 0] + sin * links[..., 1])
        before, now, after = _coordinates(chain, to, angle + turn) - _coordinates(chain, point, angle)
        return Reference(now, (after - before) / (2.0 * STEP), (after - 2.0 * now + before) / STEP**2)


def moved(reference: Reference, change: Reference, by: float) -> Reference:
    """A reference with a change that was computed `by` [m] before it."""
    q, slope, curvature = change
    return Reference(
        reference.q + q + by * slope, reference.slope + slope + by * curvature, reference.curvature + curvature
    )


def _kernel(distance: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 / WIDTH**2 * distance**2))


def _coordinates(chain: TailChain, joints: FloatArray, angle: FloatArray) -> FloatArray:
    """Tail coordinates (3, N) of link angles (3, n), placed so that joints (3, n + 1, 2) fit in the mean."""
    q = np.empty((len(angle), chain.coordinates))
    q[:, 0], q[:, 1:-2] = angle[:, 0], angle[:, 1:] - angle[:, :-1]
    # The mean of the joints lies this far from the tail: each link counts for all joints ahead of it.
    share = chain.length * np.arange(chain.links, 0, -1) / (chain.links + 1)
    q[:, -2] = joints[..., 0].mean(axis=1) - np.cos(angle) @ share
    q[:, -1] = joints[..., 1].mean(axis=1) - np.sin(angle) @ share
    return q
