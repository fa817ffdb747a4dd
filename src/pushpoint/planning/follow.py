"""Follow the leader: all joints of a chain on one path, and how its tail coordinates change along it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.mechanics.tail_kernels import fill_reference
from pushpoint.planning._solvers import scipy_part
from pushpoint.planning.paths import UNIT_SPEED, Path
from pushpoint.types import FloatArray

LONGEST = np.pi / 2  # arc over chord: that of half a circle
SHORTEST = 1.0 - 2.0 * UNIT_SPEED  # the same of a straight stretch, whose arc length is not exact
CLOSED, DIGITS = 1e-11, 1e-15  # error of a chord [m], and over the largest coordinate, which has no more digits
ITERATIONS = 60  # halves of the range alone would need 40
SPACING = 5e-3  # [m], of the tables: linear interpolation is then off by about a micrometre


class Reference(NamedTuple):
    """Where the chain should be when its head's end is at arc length s, and how that changes with s."""

    q: FloatArray  # [rad, m], (N,)
    slope: FloatArray  # u = dq/ds, (N,)
    curvature: FloatArray  # d2q/ds2, (N,)


class Following:
    """The chain on a path as a table over the arc length of its head's end."""

    def __init__(self, chain: TailChain, path: Path, begin: float, end: float) -> None:
        if end <= begin:
            raise InvalidInput(f"end = {end:.4g} m: should lie beyond begin = {begin:.4g} m of the path")
        self.chain, self.path = chain, path
        rows = max(8, 1 + round((end - begin) / SPACING))
        if rows * (chain.links + 2) > limits.PATH_TABLE:
            raise InvalidInput(
                f"{chain.links} links along {end - begin:.4g} m of a path are a table of {rows * (chain.links + 2)} "
                f"numbers; should be {limits.PATH_TABLE} at most"
            )
        self.s = np.linspace(begin, end, rows)  # [m]
        self._begin, self._end, self._step = float(self.s[0]), float(self.s[-1]), float(self.s[1] - self.s[0])
        arc = arcs_on(chain, path, self.s)
        joints = path(arc)
        q = coordinates_on(joints)
        tangent = path.tangent(arc)
        self._on_path = np.stack([arc, joints[..., 0], joints[..., 1], -tangent[..., 1], tangent[..., 0]])
        spline = scipy_part("interpolate").CubicSpline(self.s, q)
        self._unchanged = np.zeros((3, q.shape[1]))
        self._table = np.stack([q, spline(self.s, 1), spline(self.s, 2)], axis=1)

    def at(self, s: float, change: FloatArray | None = None, by: float = 0.0) -> Reference:
        """By linear interpolation; beyond the table its last row. With a change (3, N) of q and its derivatives that
        was computed `by` [m] before."""
        found = np.empty(self._table.shape[1:])
        fill_reference(self._table, self._place(s), self._unchanged if change is None else change, by, found)
        return Reference(*found)

    def joints_near(self, s: float) -> OnPath:
        """The tail end, all joints and the head's end on the path, this one at s [m]."""
        return OnPath(self._on_path, self._place(s), self._step)

    def _place(self, s: float) -> float:
        """Of s [m] in the tables, counted in rows."""
        return (min(max(s, self._begin), self._end) - self._begin) / self._step


class OnPath(NamedTuple):
    """A chain on a path, with its head's end at many places of it."""

    table: FloatArray  # [m], (5, rows, n + 1): arc lengths of the joints, their x and y, the path's left there (x, y)
    place: float  # that of the head's end, counted in rows
    step: float  # [m], from row to row


def arcs_on(chain: TailChain, path: Path, s: FloatArray) -> FloatArray:
    """[m], (len(s), n + 1): arc lengths of the tail end, all joints and the head's end, this one at s [m]."""
    arcs = [np.asarray(s, dtype=float)]
    for length in chain.length[::-1]:
        arcs.append(_one_link_back(path, arcs[-1], float(length)))
    return np.stack(arcs[::-1], axis=1)


def _one_link_back(path: Path, s: FloatArray, length: float) -> FloatArray:
    """Arc lengths at the distance `length` behind those at s: Newton's method, and halves of the range between the
    shortest and the longest possible arc where that leads out of it."""
    ahead, near, far = path(s), s - SHORTEST * length, s - LONGEST * length
    back = s - length
    closed = max(CLOSED, DIGITS * float(np.abs(ahead).max()))
    for _ in range(ITERATIONS):
        chord = ahead - path(back)
        distance = np.linalg.norm(chord, axis=1)
        wrong = distance - length
        if np.abs(wrong).max() < closed:
            return np.asarray(back)
        near, far = np.where(wrong < 0.0, back, near), np.where(wrong > 0.0, back, far)
        slope = (chord * path.tangent(back)).sum(axis=1) / distance  # -d distance / d back
        step = back + wrong / np.where(np.abs(slope) > 0.1, slope, 0.1)
        back = np.where((step <= near) & (step >= far), step, (near + far) / 2)
    k = int(np.argmax(np.abs(wrong)))
    raise InvalidInput(
        f"a link of {length} m finds no place on the path behind {s[k]:.3g} m of it: it bends too sharply there"
    )


def coordinates_on(joints: FloatArray) -> FloatArray:
    """Tail coordinates (k, N) of joints (k, n + 1, 2), continuous from row to row."""
    links = np.diff(joints, axis=1)
    angle = np.unwrap(np.unwrap(np.arctan2(links[..., 1], links[..., 0]), axis=1), axis=0)
    return np.concatenate([angle[:, :1], np.diff(angle, axis=1), joints[:, 0]], axis=1)
