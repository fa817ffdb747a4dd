"""Models that are made of a map: the types by which planners ask for them and plants answer."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, Protocol

from pydantic import Field

from pushpoint.feedback import CompiledLoop
from pushpoint.fields import Frozen, at_least
from pushpoint.quantities import FrictionCoefficient, TimeStep
from pushpoint.types import FloatArray, Map, Pose
from pushpoint.worlds import Ground

FrictionFactor = Annotated[float, Field(gt=0, le=100, allow_inf_nan=False), at_least(1e-6)]


class ModelSettings(Frozen):
    """How a model is made of a map, and by how much it is wrong on purpose."""

    dt: TimeStep = 5e-3  # [s], of the steps of the model at most
    tolerance: Annotated[float, Field(gt=0, le=1e-3), at_least(1e-12)] = 1e-3  # of the residuals of its steps
    max_parts: Annotated[int, Field(ge=1, le=1024)] = 4  # of a step that is not solved as a whole
    peg_friction: FrictionCoefficient = 0.2  # between links and obstacles, believed
    friction_factor: FrictionFactor = 1.0  # by which frictions and drags are wrong: 1.2 is 20 % too much


class Trial(NamedTuple):
    """What a candidate did in a model."""

    position: FloatArray  # [m], (n, 2): link centres at its end
    angle: FloatArray  # [rad], (n,): of the links
    failed: bool  # whether a step could not be solved; the trial ended there
    work: int  # what its steps cost, counted in sweeps of the solver over the links
    end: Any  # to go on from, see `Model.trial`


class Model(Protocol):
    """A robot among the obstacles of a map."""

    def begin(self, pose: Pose) -> Any:
        """An instant to begin trials from.

        Parameters
        ----------
        pose
            Where the robot is, with velocities.
        """
        ...

    def trial(self, begin: Any, loop: CompiledLoop, ticks: int) -> Trial:
        """What a compiled controller would do.

        Parameters
        ----------
        begin
            What `begin` returned, or the end of an earlier trial; stays as it is.
        loop
            The controller; goes on with its own state.
        ticks
            For how long.
        """
        ...


class ModelFactory(Protocol):
    """Map to model. Whoever makes one gives it the robot and the ground, and no obstacle of the true world."""

    @property
    def ground(self) -> Ground:
        """That of the models."""
        ...

    @property
    def gravity(self) -> float:
        """[m/s2], of the models."""
        ...

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
