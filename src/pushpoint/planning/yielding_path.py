"""A path that yields to pegs, and the chain on it.

A path is drawn for a map; where a peg is a few millimetres from where the map has it, a robot on the path would press
on it or miss it. So the path is moved sideways by o(s), such that a robot on it just touches every peg near it:

    o(s) = sum_i w_i k(s - s_i),    k(d) = exp(-d^2 / 2 WIDTH^2),    (k(s_i - s_j) + SOFT delta_ij) w = wanted

`wanted` are the gaps of the pegs from the path, towards them. SOFT shares out what pegs close to each other ask for.
The chain on the moved path follows from the one on the path: joints are moved by o across the path, links take the
directions between them. Lengths then fit to first order in o and o', which are small.
"""

from __future__ import annotations

import numpy as np

from pushpoint.mechanics.tail_kernels import Pegs, fill_moved, fill_weights
from pushpoint.planning.follow import Following
from pushpoint.planning.paths import Path
from pushpoint.types import FloatArray, IntArray

WIDTH = 0.35  # [m]: a third of the distance between pegs, about; shorter ones would bend the path more
SOFT = 0.02
SAMPLING = 0.01  # [m], between places at which pegs are looked for


class YieldingPath:
    """A path, the pegs that it yields to, and the chain on it."""

    def __init__(self, following: Following, pegs: Pegs, near: float, candidates: float) -> None:
        """`near` [m]: pegs farther than this from a robot on the path do not attract it; those farther than
        `candidates` [m] never will."""
        self.following, self._near = following, near
        path, width = following.path, float(following.chain.radius.max())
        self.peg, self._s = _beside(path, pegs, width + candidates)
        point, tangent = path(self._s), path.tangent(self._s)
        left = np.stack([-tangent[:, 1], tangent[:, 0]], axis=1)
        across = ((pegs.centre[self.peg] - point) * left).sum(axis=1)
        side, touch = np.where(across >= 0.0, 1.0, -1.0), pegs.radius[self.peg] + width
        self._beside = np.concatenate([point, left, side[:, np.newaxis], touch[:, np.newaxis]], axis=1)
        mixed = _kernel(self._s[:, np.newaxis] - self._s) + SOFT * np.eye(len(self.peg))
        self._weights: FloatArray = np.ascontiguousarray(np.linalg.inv(mixed), dtype=np.float64)

    def weights(self, centre: FloatArray) -> FloatArray:
        """w, for pegs believed at `centre` (m, 2) [m] of the map."""
        found = np.empty(len(self.peg))
        fill_weights(self._beside, self._weights, self.peg, np.ascontiguousarray(centre), self._near, found)
        return found

    def change(self, s: float, weights: FloatArray) -> FloatArray:
        """What the moved path changes in q at s [m], and in its derivatives, (3, N)."""
        chain = self.following.chain
        change = np.zeros((3, chain.coordinates))
        if not weights.any():
            return change
        room, (on_path, place, step) = np.empty((7, chain.links + 1)), self.following.joints_near(s)
        fill_moved(on_path, place, self._s, weights, 0.5 / WIDTH**2, chain.length, room, change)
        before, now, after = change
        return np.array([now, (after - before) / (2.0 * step), (after - 2.0 * now + before) / step**2])


def _beside(path: Path, pegs: Pegs, reach: float) -> tuple[IntArray, FloatArray]:
    """Pegs whose surfaces are nearer to the path than `reach` [m], and the arc lengths [m] beside them."""
    grid = np.linspace(0.0, path.length, 2 + int(path.length / SAMPLING))
    points, found = path(grid), []
    for peg, (centre, radius) in enumerate(zip(pegs.centre, pegs.radius, strict=True)):
        distance = np.hypot(*(points - centre).T)
        k = int(distance.argmin())
        if distance[k] < radius + reach + SAMPLING and 0 < k < len(grid) - 1:
            s = path.nearest(centre, float(grid[k]))
            if np.hypot(*(path(np.array([s]))[0] - centre)) < radius + reach:
                found.append((peg, s))
    return np.array([peg for peg, _ in found], dtype=np.int64), np.array([s for _, s in found], dtype=float)


def _kernel(distance: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-0.5 / WIDTH**2 * distance**2))
