"""Options of the MuJoCo plant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from pushpoint.fields import Frozen, InvalidFields, Problem
from pushpoint.quantities import Iterations, TimeStep


class MujocoOptions(Frozen):
    """How MuJoCo steps; the settings that its accuracy depends on are fixed in model.py and spatial_model.py.

    Both solvers give the same paths. In the plane `cg` takes about half the time; `newton` converges in every step.
    Without a choice it is `cg` in the plane and `newton` in space.
    """

    dt: TimeStep = 1e-3  # [s]
    solver: Literal["cg", "newton"] | None = None
    tolerance: Annotated[float, Field(ge=0, le=1e-3)] = 1e-8  # MuJoCo's own: improvement and gradient, scaled
    max_iterations: Iterations = 100
    dimensions: Literal[2, 3] | None = None  # None: 3 if robot or world leave the plane
    self_contact: bool = False  # links that are not neighbours push each other; in space only

    @model_validator(mode="before")
    @classmethod
    def _without_failures(cls, data: Any) -> Any:
        """The option of our plants is refused by name."""
        if isinstance(data, Mapping) and "on_failure" in data:
            reason = "mujoco has no such option, as it takes every step as its solver leaves it"
            raise InvalidFields(cls.__name__, [Problem(("on_failure",), repr(data["on_failure"]), reason)])
        return data
