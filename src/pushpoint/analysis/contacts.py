"""Where do obstacles and the ground push the robot, how hard, and do links stay in contact?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measure
from pushpoint.analysis._series import (
    ROUNDING,
    between,
    checked,
    column,
    contact_rows,
    displaced,
    recorded,
    require,
    times,
)
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.types import FloatArray
from pushpoint.worlds import Disc

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

Pairs = list[tuple[int, int]]  # (link, peg)

DIRECTIONS = ("size", "x", "y", "left")
PUSHING = 1e-3  # [N], what is more than round-off of the solver
CARRIED = 1e-3  # share of a link's mean weight that the ground has to carry for it to touch

# --- forces on links ---


@measure("N")
def mean_contact_force(run: Recording, *, link: int, axis: str, start: float, end: float) -> float:
    """Mean contact force [N] on a link along an axis between two times [s]."""
    return float(_force_on(run, link)[between(run, start, end), column(axis)].mean())


@measure("N")
def mean_force_on_link(run: Recording, *, link: int, start: float, end: float, direction: str = "size") -> float:
    """Mean of the contact force [N] on a link from `start` to `end` [s]; `direction`: its "size", or its component
    along "x", along "y", or to the "left" of the link as it lies at each instant."""
    if direction not in DIRECTIONS:
        raise UnknownName("direction", direction, DIRECTIONS)
    rows = between(run, start, end)
    force = _force_on(run, link)[rows]
    x, y = force[:, 0], force[:, 1]
    if direction == "left":
        angle = recorded(run, "link_angle")[rows, link]
        return float(np.mean(y * np.cos(angle) - x * np.sin(angle)))
    return float(np.mean({"size": np.linalg.norm(force, axis=1), "x": x, "y": y}[direction]))


@measure("N")
def peak_force_on_link(run: Recording, *, link: int) -> float:
    """Largest contact force [N] on a link, as means from row to row."""
    return float(np.linalg.norm(_force_on(run, link), axis=1).max())


@measure()
def contact_force_ratio(run: Recording, *, link: int, other: int, start: float, end: float) -> float:
    """Mean size of the contact force on a link between two times [s], as a multiple of that on another link."""
    rows = between(run, start, end)
    one, reference = (np.linalg.norm(_force_on(run, number)[rows], axis=1).mean() for number in (link, other))
    if reference == 0.0:
        raise InvalidInput(f"other = {other}: nothing pushes this link between {start} and {end} s")
    return float(one / reference)


@measure()
def peak_contact_ratio(run: Recording, reference: Recording) -> float:
    """Largest contact force on any link, as means from row to row, as a multiple of the reference's while both last."""
    last = min(float(times(run)[-1]), float(times(reference)[-1]))
    one, other = (
        float(np.linalg.norm(recorded(each, "contact_force")[between(each, 0.0, last)], axis=2).max())
        for each in (run, reference)
    )
    if other == 0.0:
        raise InvalidInput("nothing pushes the robot of the reference: no ratio")
    return one / other


@measure()
def lifted_share(run: Recording, *, start: float, end: float | None = None) -> float:
    """Share of the links that the ground does not carry, in the mean between two times [s]."""
    force = recorded(run, "ground_force")
    if force.shape[2] < 3:
        raise InvalidInput(f"{run.scenario.name}: a planar run has no links that are lifted")
    carried = force[between(run, start, end), :, 2]
    weight = carried.sum(axis=1).mean() / carried.shape[1]
    return float((carried <= CARRIED * weight).mean())


def _force_on(run: Recording, link: int) -> FloatArray:
    """Contact force [N] on a link, (rows, axes)."""
    force = recorded(run, "contact_force")
    return force[:, checked("link", link, force.shape[1])]


# --- obstacles that push ---


@measure()
def pegs_at_once(run: Recording, *, start: float, end: float) -> float:
    """How many obstacles push the robot at the same time, in the mean over the rows from `start` to `end` [s]."""
    require(run, start)
    require(run, end)
    table = run.contacts
    time, force = table["time"].values, np.linalg.norm(table["force"].values[:, :2], axis=1)
    chosen = (time > start + ROUNDING) & (time <= end + ROUNDING) & (force > PUSHING)
    pushes = np.unique(np.stack([time[chosen], table["obstacle"].values[chosen]], axis=1), axis=0)
    rows = times(run)
    return float(len(pushes)) / max(1, int(((rows > start + ROUNDING) & (rows <= end + ROUNDING)).sum()))


@measure()
def forward_share(run: Recording, *, start: float, end: float) -> float:
    """Component of the contact impulses along the robot's displacement, over the sum of their magnitudes: one if all
    obstacles push where the robot goes."""
    force = impulses(run, "contact_force", start, end)
    moved, size = displaced(run, start, end), float(np.linalg.norm(force, axis=2).sum())
    far = float(np.linalg.norm(moved))
    return float((force @ moved).sum() / (far * size)) if far > 0 and size > 0 else 0.0


@measure("m")
def farthest_push(run: Recording) -> float:
    """How far [m] the obstacle that was moved farthest is from its place, at the end."""
    if "obstacle_position" not in run.data:
        raise InvalidInput(f"{run.scenario.name}: no obstacle of this run can move")
    place = recorded(run, "obstacle_position")
    return float(np.linalg.norm(place[-1] - place[0], axis=1).max())


@measure("N")
def peg_force(run: Recording, *, peg: int, start: float, end: float | None = None) -> float:
    """Mean normal force [N] of all links on an obstacle between two times [s]."""
    return float(peg_forces(run, peg)[between(run, start, end)].mean())


@measure("N")
def peg_force_off(run: Recording, *, peg: int, force: float, start: float, end: float | None = None) -> float:
    """Largest distance [N] of the normal force on an obstacle from `force` between two times [s]."""
    return float(np.abs(peg_forces(run, peg)[between(run, start, end)] - force).max())


def peg_forces(run: Recording, peg: int) -> FloatArray:
    """Normal force [N] on an obstacle, (rows,), as means from row to row."""
    count = len(run.scenario.built_world().obstacles)
    if not 0 <= peg < count:
        raise InvalidInput(f"peg = {peg}: the world has obstacles 0 to {count - 1}")
    chosen = np.asarray(run.contacts["obstacle"].values) == peg
    force = np.asarray(run.contacts["normal_force"].values, dtype=float)
    out = np.zeros(len(times(run)))
    np.add.at(out, contact_rows(run)[chosen], force[chosen])
    return out


def impulses(run: Recording, variable: str, start: float, end: float) -> FloatArray:
    """Integrals of contact forces (in the plane) or joint torques from row to row; rows hold means since the row
    before."""
    rows = between(run, start, end)
    values = recorded(run, variable)[rows][1:]
    period = np.diff(times(run)[rows]).reshape(-1, *(1,) * (values.ndim - 1))
    return np.asarray((values * period)[..., :2] if values.ndim == 3 else values * period)


# --- gaps ---


@measure("m")
def largest_gap(run: Recording, *, pairs: list[tuple[int, int]], start: float = 0.0, end: float | None = None) -> float:
    """Largest gap [m] of any of the pairs (link, peg) between two times [s]."""
    return float(gaps(run, pairs)[between(run, start, end)].max())


@measure("s")
def first_loss(run: Recording, *, pairs: list[tuple[int, int]], gap: float = 0.005) -> float:
    """When [s] one of the pairs (link, peg) is first farther apart than `gap` [m]; at the end, if it never is."""
    lost = np.flatnonzero((gaps(run, pairs) > gap).any(axis=1))
    return float(times(run)[lost[0] if len(lost) else -1])


def gaps(run: Recording, pairs: Pairs) -> FloatArray:
    """Gaps [m] of pairs (link, peg), (rows, pairs); overlap is negative."""
    from pushpoint.mechanics.peg_contacts import peg_contacts
    from pushpoint.mechanics.tail_chain import TailChain

    chain = TailChain.of(run.scenario.built_robot())
    discs = _discs(run, pairs)
    link = np.array([link for link, _ in pairs])
    centre, radius = np.array([[d.x, d.y] for d in discs]), np.array([d.radius for d in discs])
    angle, place = recorded(run, "link_angle"), recorded(run, "link_position")[:, 0, :2]
    still = np.zeros(chain.coordinates)
    states = (chain.at(chain.q_of(a, 0, p), still) for a, p in zip(angle, place, strict=True))
    return np.array([peg_contacts(state, link, centre, radius).gap for state in states])


def _discs(run: Recording, pairs: Pairs) -> list[Disc]:
    obstacles, links = run.scenario.built_world().obstacles, len(run.scenario.built_robot().links)
    for link, peg in pairs:
        if not 0 <= link < links or not 0 <= peg < len(obstacles) or not isinstance(obstacles[peg], Disc):
            raise InvalidInput(f"pair ({link}, {peg}): there are links 0 to {links - 1} and {len(obstacles)} discs")
    return [disc for disc in (obstacles[peg] for _, peg in pairs) if isinstance(disc, Disc)]
