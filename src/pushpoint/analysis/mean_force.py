"""With how much force is a link pushed, and where to?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between
from pushpoint.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

DIRECTIONS = ("size", "x", "y", "left")


@measures.register("mean_force_on_link")
def mean_force_on_link(run: Recording, *, link: int, start: float, end: float, direction: str = "size") -> float:
    """Mean of the contact force [N] on a link from `start` to `end` [s]: its size, or its component along x, along y,
    or to the left of the link as it lies at each instant."""
    if direction not in DIRECTIONS:
        raise UnknownName("direction", direction, DIRECTIONS)
    rows = between(run, start, end)
    force = np.asarray(run.data["contact_force"].values, dtype=float)[rows]
    if not 0 <= link < force.shape[1]:
        raise InvalidInput(f"link = {link}: the recording has links 0 (at the tail) to {force.shape[1] - 1}")
    x, y = force[:, link, 0], force[:, link, 1]
    if direction == "left":
        angle = np.asarray(run.data["link_angle"].values, dtype=float)[rows, link]
        return float(np.mean(y * np.cos(angle) - x * np.sin(angle)))
    return float(np.mean({"size": np.linalg.norm(force[:, link], axis=1), "x": x, "y": y}[direction]))
