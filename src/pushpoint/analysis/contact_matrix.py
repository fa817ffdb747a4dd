"""Do contact forces follow from the motion: has P1's problem one solution, and its matrix full rank?

Forces on a planar chain at the centres of links, across them, are told apart by the motion if and only if the matrix
of P1 (38), their lever arms on all coordinates, has full rank (P1, Property 13). It always has: take the end link of a
chain whose moments are all in balance. The joint transmits a force and no moment, so that a lateral force at the
link's centre needs one at the joint as large, and both turn the link the same way: it is zero. What is left is a chain
with one link less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import ROUNDING, times
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

SINGULAR = 1e-12  # below, a singular value is round-off


@measures.register("least_friction_bound")
def least_friction_bound(run: Recording) -> float:
    """The least obstacle friction, of all rows, up to which the matrix of P1 (53) is a P-matrix; 2 if that is more."""
    if "friction_bound" not in run.data:
        raise InvalidInput(f"{run.scenario.name}: only runs of planar_hybrid have a friction_bound")
    return float(run.data["friction_bound"].min())


@measures.register("least_contact_singular_value")
def least_contact_singular_value(run: Recording) -> float:
    """The smallest singular value, of all rows with contacts, of the matrix of P1 (38) with rows of length 1."""
    angle = np.asarray(run.data["link_angle"].values, dtype=float)
    lengths = np.array([link.length for link in run.scenario.built_robot().links])
    row = np.searchsorted(times(run), np.asarray(run.contacts["time"].values, dtype=float) - ROUNDING)
    link = np.asarray(run.contacts["link"].values)
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
