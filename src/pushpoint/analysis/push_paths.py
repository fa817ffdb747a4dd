"""Could a robot that only pushes get through the field of a run at all?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pushpoint.analysis import measure

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measure()
def has_push_path(run: Recording, *, distance: float = 1.5, speed: float = 0.15) -> float:
    """One if a path along which three pegs always push enough was found in the full map of this run, for the motors
    that it has; else zero: the field is hopeless for a robot that keeps still where nothing pushes. `distance` [m] is
    that of the path, `speed` [m/s] the one along it. Takes 2 to 5 s."""
    from pushpoint.planning.push_path.planner import has_path  # here, as few studies ask for it
    from pushpoint.planning.push_path.request import PlanOptions, request_in

    return float(has_path(request_in(run.scenario, speed), PlanOptions.parse({"distance": distance, "plans": 1})))
