"""How much work is one run to compute, against another?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.analysis import measures
from pushpoint.analysis._series import times

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("iteration_ratio")
def iteration_ratio(run: Recording, reference: Recording) -> float:
    """Iterations of the solver per simulated second, as a multiple of the reference's: counted, not timed."""
    one, other = (float(each.data["step_iterations"].sum()) / float(times(each)[-1]) for each in (run, reference))
    return one / other
