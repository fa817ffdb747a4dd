"""Models that are made of a map: the types by which planners ask for them and plants answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, Protocol

from pydantic import Field

from pushpoint.feedback import CompiledLoop
from pushpoint.fields import Frozen
from pushpoint.quantities import FrictionCoefficient, Ratio, TimeStep
from pushpoint.types import FloatArray, Map, Pose


class ModelSettings(Frozen):
    """How a model is made of a map, and by how much it is wrong on purpose."""

    dt: TimeStep = 5e-3  # [s], of the steps of the model at most
    tolerance: Annotated[float, Field(gt=0, le=1e-3)] = 1e-3  # of the residuals of its steps
    max_parts: Annotated[int, Field(ge=1, le=1024)] = 16  # of a step that is not solved as a whole
    peg_friction: FrictionCoefficient = 0.2  # between links and obstacles, believed
    friction_factor: Ratio = 1.0  # by which both frictions are wrong: 1.2 is 20 % too much


class Trial(NamedTuple):
    """What a candidate did in a model."""

    position: FloatArray  # [m], (ticks + 1, n, 2): link centres
    failed: bool  # whether a step could not be solved; the positions end there


class Model(Protocol):
    """A robot among the obstacles of a map."""

    def trials(self, pose: Pose, loops: Sequence[CompiledLoop], ticks: int) -> list[Trial]:
        """What each of several compiled controllers would do.

        Parameters
        ----------
        pose
            Where all of them begin, with velocities.
        loops
            The controllers, each with its own state.
        ticks
            For how long.
        """
        ...


class ModelFactory(Protocol):
    """Map to model. Whoever makes one gives it the robot and the ground, and no obstacle of the true world."""

    def __call__(self, known: Map, settings: ModelSettings) -> Model:
        """The model.

        Parameters
        ----------
        known
            All obstacles that the model has.
        settings
            How it is made.
        """
        ...
