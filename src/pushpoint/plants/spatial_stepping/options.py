"""Options of the spatial time-stepping plant."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pushpoint.fields import Frozen, at_least
from pushpoint.quantities import Iterations, TimeStep

Tolerance = Annotated[float, Field(gt=0, le=1e-3, allow_inf_nan=False), at_least(1e-16)]


# Rigid contacts share weight and friction in no unique manner: P5's iteration converges slowly. P5 prints no tolerance.
PRINTED = {"tolerance": 1e-4, "max_iterations": 200_000}
StepOfIteration = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False), at_least(1e-12)]  # [kg]


class SpatialSteppingOptions(Frozen):
    """How the spatial non-smooth model is stepped.

    `scheme`: "paper" is P5's own algorithm, with absolute coordinates and the iteration (84)-(93), on the plane alone;
    `r_N`, `r_T` and `r_V` are its parameters, by default those that P5 prints for Aiko, scaled to the robot.

    `hardness`: a contact yields by a speed of impulse / (hardness mass of the link) in a step. It defines how links on
    several points share their weight, which rigid bodies leave open. `self_contact`: whether links that are not
    neighbours push each other, without friction; "auto" searches where they come near, as True does. `on_failure`:
    "accept" goes on where a step cannot be solved, if its residual is below 1e-3 and it makes no energy.
    """

    dt: TimeStep = 1e-3  # [s]
    scheme: Literal["conserving", "paper"] = "conserving"
    r_N: StepOfIteration | None = None  # [kg], of normal impulses
    r_T: StepOfIteration | None = None  # [kg], of friction
    r_V: StepOfIteration | None = None  # [kg], of rolling friction
    tolerance: Tolerance = 1e-6  # of impulses, relative to the robot's weight times dt; of scheme "paper" 1e-4
    max_iterations: Iterations = 1000  # of scheme "paper" 200000
    hardness: Annotated[float, Field(ge=10, le=1e5)] = 300.0
    self_contact: bool | Literal["auto"] = "auto"
    on_failure: Literal["stop", "accept"] = "stop"

    @model_validator(mode="before")
    @classmethod
    def _filled_in(cls, given: Any) -> Any:
        """Defaults of scheme "paper"."""
        return {**PRINTED, **given} if isinstance(given, dict) and given.get("scheme") == "paper" else given
