"""How far apart are the paths of a link in two runs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.analysis import measures
from pushpoint.analysis._series import at, link_path, rms, times

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("rms_between")
def rms_between(run: Recording, reference: Recording, *, link: int) -> float:
    """Root mean square distance [m] of a link between two runs, at equal times, while both last."""
    t = times(run)
    shared = t <= times(reference)[-1]
    return rms(link_path(run, link)[shared] - at(reference, link_path(reference, link), t[shared]))
