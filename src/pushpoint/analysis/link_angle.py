"""What angle does a link have, in the world or relative to another link?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures
from pushpoint.analysis._series import between, require, times
from pushpoint.errors import InvalidInput
from pushpoint.types import FloatArray

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("link_angle")
def link_angle(run: Recording, *, link: int, time: float, relative_to: int | None = None) -> float:
    """Angle [rad] of a link at a time [s], linear between rows."""
    require(run, time)
    return float(np.interp(time, times(run), link_angles(run, link, relative_to)))


@measures.register("link_angle_peak")
def link_angle_peak(run: Recording, *, link: int, relative_to: int | None = None) -> float:
    """The largest angle [rad] of a link, with its sign."""
    angle = link_angles(run, link, relative_to)
    return float(angle[np.abs(angle).argmax()])


@measures.register("link_angle_lowest")
def link_angle_lowest(run: Recording, *, link: int, relative_to: int | None = None) -> float:
    """The smallest angle [rad] of a link."""
    return float(link_angles(run, link, relative_to).min())


@measures.register("link_angle_mean")
def link_angle_mean(
    run: Recording, *, link: int, start: float, end: float | None = None, relative_to: int | None = None
) -> float:
    """Mean angle [rad] of a link between two times [s]."""
    return float(link_angles(run, link, relative_to)[between(run, start, end)].mean())


@measures.register("link_angle_off")
def link_angle_off(
    run: Recording, *, link: int, angle: float, start: float, end: float | None = None, relative_to: int | None = None
) -> float:
    """Largest distance [rad] of a link's angle from `angle` between two times [s]."""
    return float(np.abs(link_angles(run, link, relative_to)[between(run, start, end)] - angle).max())


def link_angles(run: Recording, link: int, relative_to: int | None = None) -> FloatArray:
    """Angle [rad] of a link, (rows,)."""
    angle = np.asarray(run.data["link_angle"].values, dtype=float)
    for name, number in (("link", link), ("relative_to", relative_to)):
        if number is not None and not 0 <= number < angle.shape[1]:
            raise InvalidInput(f"{name} = {number}: the recording has links 0 (tail) to {angle.shape[1] - 1}")
    return np.asarray(angle[:, link] if relative_to is None else angle[:, link] - angle[:, relative_to])
