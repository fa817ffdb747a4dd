"""Laying the virtual snake robot so that its joints are as near to the curve as they can be, all of them together.

P3's own alignment treats one link after the other and is "not optimal by any specific measure". Here the head is
placed as P3 does, and then the joint angles minimise the sum of the squared distances of joints and tail from the
curve, by Gauss and Newton's method with damping from P3's alignment on; limits of angle and rate are bounds.
"""

from __future__ import annotations

import numpy as np

from pushpoint.shapes.alignments import LIMITED, SLOWED, Laid, Memory, Settings, alignments
from pushpoint.shapes.alignments.look_ahead import lay
from pushpoint.shapes.hermite import Curve, sample, sample_slope
from pushpoint.shapes.virtual_snake import VirtualSnake, forward_kinematics
from pushpoint.types import FloatArray

SAMPLES_PER_PIECE = 32  # of the curve, among which the nearest point is sought; then one step along the tangent
ITERATIONS = 12
DAMPING = 1e-4  # of the largest diagonal entry, at first; ten times more after a step that does not help
ENOUGH = 1e-4  # part of the sum by which a step has to lower it: with less it is done


@alignments.register("least-squares")
def least_squares(curve: Curve, snake: VirtualSnake, settings: Settings, memory: Memory, laid: Laid) -> None:
    """Ours: joints as near to the curve as they can be, all together; some milliseconds per call."""
    last = memory.q.copy()
    lay(curve, snake, settings, Memory(last.copy(), memory.head), laid)
    low = np.clip(last - settings.most_turn, snake.lower, snake.upper)
    high = np.clip(last + settings.most_turn, snake.lower, snake.upper)
    head = np.concatenate([laid.frame[0], [[0.0, 0.0, 0.0, 1.0]]])
    near = _Near(curve, settings.head, float(laid.aim.min()))
    q = np.clip(laid.q, low, high)
    if (low < high).any():
        q = _nearest(snake, head, near, q, (low, high))
    frames = forward_kinematics(snake, head, q)
    laid.q[:], memory.q[:], laid.frame[1:] = q, q, frames[:, :3]
    laid.aim[:] = np.minimum.accumulate(near.to(frames[:, :3, 3])[0])
    slowed = (q <= last - settings.most_turn) | (q >= last + settings.most_turn)
    laid.flag[:] = LIMITED * ((q <= snake.lower) | (q >= snake.upper)) + SLOWED * slowed


def _nearest(
    snake: VirtualSnake, head: FloatArray, near: _Near, q: FloatArray, bounds: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Joint angles within bounds with the least sum of squared distances that can be reached from q."""
    frames = forward_kinematics(snake, head, q)
    _, off, along = near.to(frames[:, :3, 3])
    cost, damping = float((off * off).sum()), DAMPING
    for _ in range(ITERATIONS):
        J = _across(_motion(frames), along)
        gradient = J.T @ off.ravel()
        free = ~((q <= bounds[0]) & (gradient > 0.0) | (q >= bounds[1]) & (gradient < 0.0))
        if not free.any():
            break
        H = J[:, free].T @ J[:, free]
        H.flat[:: len(H) + 1] += damping * max(float(H.max()), 1e-30)
        tried = q.copy()
        tried[free] -= np.linalg.solve(H, gradient[free])
        tried = np.clip(tried, *bounds)
        moved = forward_kinematics(snake, head, tried)
        _, new_off, new_along = near.to(moved[:, :3, 3])
        new_cost = float((new_off * new_off).sum())
        if new_cost >= cost:
            damping *= 10.0
            continue
        done = cost - new_cost < ENOUGH * cost
        q, frames, off, along, cost, damping = tried, moved, new_off, new_along, new_cost, damping / 3.0
        if done:
            break
    return q


def _motion(frames: FloatArray) -> FloatArray:
    """(N + 1, 3, N): how the origins of frames 0 to N move with the joint angles: joint j turns frames from j on."""
    origin, axis = frames[:, :3, 3], frames[:-1, :3, 2]
    arm = origin[:, np.newaxis] - origin[np.newaxis, :-1]
    moves = np.cross(axis[np.newaxis], arm)
    moves *= np.arange(len(frames))[:, np.newaxis, np.newaxis] > np.arange(len(axis))[np.newaxis, :, np.newaxis]
    return np.swapaxes(moves, 1, 2)


def _across(motion: FloatArray, along: FloatArray) -> FloatArray:
    """The part of motions (k, 3, N) across directions (k, 3), as rows (3 k, N)."""
    part = np.einsum("ki,kij->kj", along, motion)
    return np.asarray(motion - along[:, :, np.newaxis] * part[:, np.newaxis]).reshape(-1, motion.shape[2])


class _Near:
    """The part of a curve near the robot, sampled."""

    def __init__(self, curve: Curve, head: float, tail: float) -> None:
        low = min(tail, head) - 1.0
        self._curve = curve
        self._s = np.linspace(low, head, max(2, int((head - low) * SAMPLES_PER_PIECE) + 1))
        self._place = np.empty((len(self._s), 3))
        sample(curve, self._s, self._place)

    def to(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Parameters (k,) of the nearest points, distances across the curve as vectors (k, 3) [m], tangents (k, 3)."""
        away = ((points[:, np.newaxis] - self._place) ** 2).sum(axis=2)
        s = np.ascontiguousarray(self._s[np.argmin(away, axis=1)])
        place, slope = np.empty((len(s), 3)), np.empty((len(s), 3))
        sample(self._curve, s, place)
        sample_slope(self._curve, s, slope)
        size = np.linalg.norm(slope, axis=1)
        along = slope / np.maximum(size, 1e-12)[:, np.newaxis]
        off = points - place
        part = (off * along).sum(axis=1)
        step = np.where(size > 1e-9, part / np.maximum(size, 1e-9), 0.0)
        s = s + np.clip(step, -1.0 / SAMPLES_PER_PIECE, 1.0 / SAMPLES_PER_PIECE)
        return np.minimum(s, self._s[-1]), off - part[:, np.newaxis] * along, along
