"""Rotations in space for set-up and recordings: quaternions wxyz, matrices whose columns are a link's axes."""

from __future__ import annotations

import numpy as np

from pushpoint.types import FloatArray

X, Y, Z = np.eye(3)


def about_axis(axis: FloatArray, angle: float) -> FloatArray:
    """Rotation matrix about a unit axis by an angle [rad], Rodrigues."""
    x, y, z = axis
    across = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * across + (1.0 - np.cos(angle)) * across @ across)


def turned(roll: float, pitch: float, yaw: float) -> FloatArray:
    """Axes, as columns, of what is turned about x, then y, then z by these angles [rad]."""
    return about_axis(Z, yaw) @ about_axis(Y, pitch) @ about_axis(X, roll)


def matrices(quaternion: FloatArray) -> FloatArray:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def yaws_of(quaternion: FloatArray) -> FloatArray:
    """Angles [rad] (...) of the forward axes of unit quaternions (..., 4) in the horizontal plane: see `headings`."""
    x, y = forwards(quaternion)
    return np.asarray(np.arctan2(y, x))


def forwards(quaternion: FloatArray) -> tuple[FloatArray, FloatArray]:
    """x and y (...) of the forward axes, of the first columns of `matrices`."""
    w, x, y, z = quaternion[..., 0], quaternion[..., 1], quaternion[..., 2], quaternion[..., 3]
    return 1 - 2 * (y * y + z * z), 2 * (x * y + w * z)


def quaternions(matrix: FloatArray) -> FloatArray:
    """Unit quaternions (..., 4) of rotation matrices (..., 3, 3); of the two, the one whose largest part is positive.

    All four parts follow from the largest, so that none comes from a difference of nearly equal numbers.
    """
    flat = matrix.reshape(-1, 3, 3)
    trace = flat[:, 0, 0] + flat[:, 1, 1] + flat[:, 2, 2]
    squared = np.stack([trace, flat[:, 0, 0], flat[:, 1, 1], flat[:, 2, 2]], axis=1)
    largest = np.argmax(squared, axis=1)
    out = np.empty((len(flat), 4))
    for row, (r, k) in enumerate(zip(flat, largest, strict=True)):
        if k == 0:
            parts = (1 + trace[row], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1])
        else:
            i, j, m = k - 1, k % 3, (k + 1) % 3
            vector = np.empty(3)
            vector[i], vector[j], vector[m] = 1 + r[i, i] - r[j, j] - r[m, m], r[i, j] + r[j, i], r[i, m] + r[m, i]
            parts = (r[m, j] - r[j, m], *vector)
        out[row] = parts
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    return out.reshape(*matrix.shape[:-2], 4)


def headings(matrix: FloatArray) -> FloatArray:
    """Angles [rad] (...) in the horizontal plane of the forward axes of (..., 3, 3)."""
    return np.asarray(np.arctan2(matrix[..., 1, 0], matrix[..., 0, 0]))
