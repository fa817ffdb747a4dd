"""Options of the MuJoCo plant."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pushpoint.fields import Frozen


class MujocoOptions(Frozen):
    """How MuJoCo steps the planar model; the settings that its accuracy hangs on are fixed in model.py.

    Both solvers give the same paths. `cg` takes about half the time; `newton` converges in every step.
    """

    dt: Annotated[float, Field(gt=0, le=0.1)] = 1e-3  # [s]
    solver: Literal["cg", "newton"] = "cg"
    tolerance: Annotated[float, Field(ge=0, le=1e-3)] = 1e-8  # MuJoCo's own: improvement and gradient, scaled
    max_iterations: Annotated[int, Field(ge=1)] = 100
