"""Gaps between the capsules of a robot and the solids around it, from Python: for starts, not for steps."""

from __future__ import annotations

import numpy as np

from pushpoint._jit import compiling_once, entry_point
from pushpoint.geometry.capsule_solids import capsule_contacts
from pushpoint.geometry.capsules import outline
from pushpoint.geometry.rotation import matrices
from pushpoint.geometry.solids import Solids
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray, SpatialPose

CAPSULE_COLUMNS = ("x", "y", "z", "ux", "uy", "uz", "half", "radius")  # [m]; u: unit axis


@entry_point
def gaps_of_capsules(solids: Solids, capsule: FloatArray, reach: float, out: FloatArray, rows: IntArray) -> int:
    """All contacts of capsules (k, CAPSULE_COLUMNS) with gaps below `reach` [m] into `out`, those of capsule i from
    row rows[i] to rows[i + 1]. Returns the number of rows, or one more than there are if they do not suffice."""
    rows[0] = 0
    at = int(rows[0])  # no literal: it would have everything compiled twice
    for i in range(capsule.shape[0]):
        if at <= out.shape[0]:
            c = capsule[i]
            at = capsule_contacts(solids, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], reach, out, at)
        rows[i + 1] = min(at, out.shape[0])
    return at


def contacts_of(solids: Solids, capsule: FloatArray, reach: float) -> tuple[FloatArray, IntArray]:
    """All contacts with gaps below `reach` [m] (rows, CONTACT_COLUMNS and room), and the capsule of each."""
    out, rows = np.empty((64 + 16 * len(capsule), 10)), np.zeros(len(capsule) + 1, dtype=np.int64)
    with compiling_once("gaps of capsules"):
        while gaps_of_capsules(solids, capsule, reach, out, rows) > len(out):
            out = np.empty((4 * len(out), 10))
    return out[: rows[-1]], np.repeat(np.arange(len(capsule)), np.diff(rows))


def capsules_of(robot: Robot, pose: SpatialPose) -> tuple[FloatArray, IntArray]:
    """The capsules (k, CAPSULE_COLUMNS) of all links, and the link of each."""
    rows, owner = [], []
    for i, (link, centre, axes) in enumerate(zip(robot.links, pose.position, matrices(pose.orientation), strict=True)):
        for capsule in outline(link.shape, link.half_core, link.radius, link.rounding):
            at = centre + axes @ [0.0, capsule.left, capsule.up]
            rows.append([*at, *axes[:, 0], capsule.half, capsule.radius])
            owner.append(i)
    return np.array(rows), np.array(owner, dtype=np.int64)
