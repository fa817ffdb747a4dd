"""Were the laws of the model solved?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.analysis import measures

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("largest_residual")
def largest_residual(run: Recording) -> float:
    """Largest relative residual of any step."""
    return float(run.data["step_residual"].max())
