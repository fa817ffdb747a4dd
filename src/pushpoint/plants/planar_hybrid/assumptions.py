"""Where an assumption of P1 fails, the plant says so; robots that are too long for its method are refused."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, IntArray
from pushpoint.worlds import World

SHOWN = 5  # narrow gaps that are named one by one


def refuse_many_links(robot: Robot) -> None:
    if len(robot.links) > limits.HYBRID_LINKS:
        raise InvalidInput(
            f"plant 'planar_hybrid' has a full matrix of contacts and takes {limits.HYBRID_LINKS} links at most: "
            f"{len(robot.links)} links; use plant 'planar_stepping'"
        )


def narrow_gaps(robot: Robot, world: World) -> Iterator[str]:
    """P1's Assumption 4: between two obstacles a link must fit, so that none is touched on both sides."""
    longest = max(link.length for link in robot.links)
    disc = np.array([[d.x, d.y, d.radius] for d in world.discs]).reshape(-1, 3)
    count = 0
    for i, near, gaps in _closer(disc, longest):
        for j, gap in zip(near[: max(0, SHOWN - count)].tolist(), gaps.tolist(), strict=False):
            yield (
                f"obstacles {min(i, j)} and {max(i, j)} are {gap:.3g} m apart, less than the link length "
                f"{longest:.3g} m: a link could touch both, which this model does not know (P1's Assumption 4)"
            )
        count += len(near)
    if count > SHOWN:
        yield f"{count - SHOWN} more pairs of obstacles are closer than the link length {longest:.3g} m"


def _closer(disc: FloatArray, limit: float) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """An obstacle, those closer than `limit` to it, and the gaps; from left to right: each pair once."""
    order = np.argsort(disc[:, 0] - disc[:, 2])
    x, y, radius = disc[order].T
    beyond = np.searchsorted(x - radius, x + radius + limit)  # further right nothing is as near
    for k, end in enumerate(beyond):
        later = slice(k + 1, end)
        gap = np.hypot(x[later] - x[k], y[later] - y[k]) - radius[k] - radius[later]
        near = np.flatnonzero(gap < limit)
        if len(near):
            yield int(order[k]), order[later][near], gap[near]
