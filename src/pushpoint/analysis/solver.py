"""Were the laws of the model solved?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.analysis import measures

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("largest_residual")
def largest_residual(*runs: Recording) -> float:
    """Largest relative residual of any step of any of the runs."""
    return max(float(run.data["step_residual"].max()) for run in runs)
