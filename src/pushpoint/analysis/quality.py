"""Can the numbers of a run be believed: residuals, depth inside of obstacles, unique contact forces, time step?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pushpoint.analysis import measure
from pushpoint.analysis._series import contact_rows, recorded, times
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

SINGULAR = 1e-12  # below, a singular value is round-off
MANY = 0.05  # share of repeated steps from which on a shorter step is worth a thought
COVERED = 0.95  # share of the steps that the shorter one would have made without repeating them
WHOLE = 1e-6  # relative: decimal periods are not exact in binary

# --- the solver ---


@measure()
def largest_residual(run: Recording) -> float:
    """Largest relative residual of any step."""
    return float(run.data["step_residual"].max())


@measure()
def iteration_ratio(run: Recording, reference: Recording) -> float:
    """Iterations of the solver per simulated second, as a multiple of the reference's: counted, not timed."""
    one, other = (float(each.data["step_iterations"].sum()) / float(times(each)[-1]) for each in (run, reference))
    return one / other


def suggested_time_step(run: Recording) -> float | None:
    """A time step [s] that COVERED of the steps would have been made with at once; None if `plant.dt` fits.

    Steps that cannot be solved, or that are not sane, are repeated in parts. Where more than MANY are, the parts that
    COVERED of the steps needed give the length, rounded down to 1, 2 or 5 times a power of ten that divides the control
    period.
    """
    if "step_parts" not in run.data or run.data.sizes["step"] < 2:
        return None
    parts = np.asarray(run.data["step_parts"].values)
    if np.mean(parts > 1) <= MANY:
        return None
    ends = recorded(run, "step_time")
    dt = float(ends[-1] - ends[0]) / (len(ends) - 1)
    needed = int(np.quantile(parts, COVERED, method="inverted_cdf"))
    return None if needed <= 1 else _rounded(dt / needed, run.scenario.control_period)


def _rounded(longest: float, period: float) -> float:
    """At most `longest` [s]: 1, 2 or 5 times a power of ten if one divides the period, else a whole part of that."""
    decade = math.floor(math.log10(longest) + WHOLE)
    for power in range(decade, decade - 3, -1):
        for digit in (5, 2, 1):
            step = float(f"{digit}e{power}")
            if step <= longest * (1 + WHOLE) and _is_whole(period / step):
                return step
    return period / math.ceil(period / longest * (1 - WHOLE))


def _is_whole(ratio: float) -> bool:
    return ratio > 0.5 and abs(ratio - round(ratio)) <= WHOLE * ratio


# --- depth inside of obstacles ---


class Penetration(NamedTuple):
    """The deepest place of a run, at its recorded rows. Obstacle -1 is the ground or its terrain."""

    depth: float  # [m]; 0 if nothing overlaps, and nothing else counts then
    time: float  # [s]
    link: int
    obstacle: int


@measure("m")
def penetration(run: Recording) -> float:
    """Largest depth [m] of any link inside any obstacle (in space also the ground) at the recorded rows."""
    return deepest(run).depth


def deepest(run: Recording) -> Penetration:
    """Where and when that is: true geometric depth, whatever the plant takes for a contact."""
    robot, world, position = run.scenario.built_robot(), run.scenario.built_world(), recorded(run, "link_position")
    if "link_orientation" in run.data:
        from pushpoint.mechanics.spatial_overlap import deepest_in_space

        found = deepest_in_space(robot, world, position, run.data["link_orientation"].values)
    else:
        from pushpoint.mechanics.penetration import deepest_overlap

        movable = recorded(run, "obstacle_position") if "obstacle_position" in run.data else None
        found = deepest_overlap(robot, world, position, recorded(run, "link_angle"), movable)
    return Penetration(found.depth, float(times(run)[max(0, found.row)]), found.link, found.obstacle)


# --- do contact forces follow from the motion (P1)? ---
#
# Forces on a planar chain at the centres of links, across them, follow from the motion if and only if the matrix
# of P1 (38), their lever arms on all coordinates, has full rank (P1, Property 13). It always has: take the end link of
# a chain whose moments are all in balance. The joint transmits a force and no moment, so that a lateral force at the
# link's centre needs one at the joint as large, and both turn the link in the same sense: it is zero. What is left is a
# chain with one link less.


@measure()
def least_friction_bound(run: Recording) -> float:
    """The least obstacle friction, of all rows, up to which the matrix of P1 (53) is a P-matrix; 2 if that is more."""
    if "friction_bound" not in run.data:
        raise InvalidInput(f"{run.scenario.name}: only runs of planar_hybrid have a friction_bound")
    return float(run.data["friction_bound"].min())


@measure()
def least_contact_singular_value(run: Recording) -> float:
    """The smallest singular value, of all rows with contacts, of the matrix of P1 (38) with rows of length 1."""
    angle = recorded(run, "link_angle")
    lengths = np.array([link.length for link in run.scenario.built_robot().links])
    row, link = contact_rows(run), np.asarray(run.contacts["link"].values)
    least = [
        np.linalg.svd(contact_matrix(angle[k], lengths, np.unique(link[row == k])), compute_uv=False)[-1]
        for k in np.unique(row)
    ]
    if not least:
        raise InvalidInput(f"{run.scenario.name}: no link touches anything")
    smallest = float(min(least))
    return smallest if smallest > SINGULAR else 0.0


def contact_matrix(angle: FloatArray, lengths: FloatArray, touched: FloatArray) -> FloatArray:
    """Lateral velocities of the centres of some links by the rates of all coordinates, (touched, links + 2).

    Coordinates are the link angles and the place of the tail's end; rows have length 1.
    """
    links = np.arange(len(angle))
    rows = []
    for i in touched:
        arm = np.where(links < i, lengths, np.where(links == i, lengths / 2, 0.0))
        turning = arm * np.cos(angle - angle[i])  # lateral to link i
        row = np.concatenate([turning, [-np.sin(angle[i]), np.cos(angle[i])]])
        rows.append(row / np.linalg.norm(row))
    return np.array(rows)
