"""What this plant does not know is refused by name; where an assumption of P1 fails, it says so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pushpoint import limits
from pushpoint.errors import InvalidInput
from pushpoint.mechanics.flatness import refuse_spatial
from pushpoint.robots import Joint, Robot, Servo
from pushpoint.types import FloatArray, IntArray
from pushpoint.worlds import Disc, GroundLaw, Obstacle, World

SHOWN = 5  # narrow gaps that are named one by one


def refuse_unknown(robot: Robot, world: World, servo: Servo) -> None:
    """Name the first thing that the model has no equation for."""
    refuse_spatial("planar_hybrid", robot, world)
    for what, known in _unknown(robot, world, servo):
        raise InvalidInput(f"plant 'planar_hybrid' {known}: {what}; use plant 'planar_stepping'")


def _unknown(robot: Robot, world: World, servo: Servo) -> Iterator[tuple[str, str]]:
    """(what, why) of everything that is unknown."""
    if len(robot.links) > limits.HYBRID_LINKS:
        yield (
            f"{len(robot.links)} links",
            f"has a full matrix of contacts and takes {limits.HYBRID_LINKS} links at most",
        )
    if servo.play > 0:
        yield f"servo.play = {servo.play} rad", "has no dead band"
    for what in _of_ground(world.ground):
        yield f"world.ground.{what}", "knows the same dry friction in all directions only, P1 (10)"
    for k, thing in enumerate(world.obstacles):
        for what in _of_obstacle(thing):
            yield (
                f"world.obstacles.{k}{what}",
                "knows fixed discs with inelastic impacts only, P1's Assumptions 3 and 7",
            )
    for j, joint in enumerate(robot.joints):
        if joint != Joint():
            yield f"robot.joints.{j}", "knows joints with nothing but a servo"


def _of_ground(ground: GroundLaw) -> Iterator[str]:
    for field in ("friction_across", "friction_backward"):
        value = getattr(ground, field)
        if value is not None and value != ground.friction:
            yield f"{field} = {value}"
    for field in ("viscous", "viscous_across"):
        if getattr(ground, field):
            yield f"{field} = {getattr(ground, field)} N s/m"
    if getattr(ground, "patches", ()):
        yield "patches"


def _of_obstacle(thing: Obstacle) -> Iterator[str]:
    if not isinstance(thing, Disc):
        yield f" is a {type(thing).__name__.lower()}"
    elif thing.mass is not None:
        yield f".mass = {thing.mass} kg"
    if thing.restitution > 0:
        yield f".restitution = {thing.restitution}"


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
