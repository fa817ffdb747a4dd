"""Options of the planar time-stepping plant."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pushpoint.fields import Frozen, at_least
from pushpoint.quantities import Iterations, Mass, TimeStep

StepError = Annotated[float, Field(gt=0, le=0.1, allow_inf_nan=False), at_least(1e-12)]
Tolerance = Annotated[float, Field(gt=0, le=1e-3, allow_inf_nan=False), at_least(1e-16)]


class PlanarSteppingOptions(Frozen):
    """How the planar non-smooth model is stepped."""

    dt: TimeStep = 1e-3  # [s]; with step_error the longest step
    step_error: StepError | None = None  # [m], of one step: shorter ones where it is larger
    scheme: Literal["conserving", "paper"] = "conserving"
    solver: Literal["newton", "projection"] = "newton"
    tolerance: Tolerance = 1e-8  # of the residuals of every step
    max_iterations: Iterations | None = None  # default: 200 for newton, 200000 for projection
    r_h: Mass | None = None  # [kg], r_H of P2 (67), with the projection solver; default: 0.6 of each link's mass
    r_t: Mass | None = None  # [kg], r_T of P2 (68), with the projection solver; default: each link's mass
    # Of a step that is not solved or not sane, halves of halves; 1: every step that is solved is taken as it comes.
    max_parts: Annotated[int, Field(ge=1, le=1024)] = 1024
    # Whether links that are not neighbours touch each other, without friction; auto: looked at when they come near.
    self_contact: bool | Literal["auto"] = "auto"
    # Extended parts of the model: those that robot and world need, or all, so that many worlds share one compilation.
    extended: Literal["needed", "all"] = "needed"
    on_failure: Literal["stop", "accept"] = "stop"  # where a step is not solved: see docs, "A run is not lost"
