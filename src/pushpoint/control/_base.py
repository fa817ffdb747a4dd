"""The interface that all controllers share."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.robots import Robot, Servo
from pushpoint.types import Command, CommandTable, Event, FloatArray, Map, Observation

if TYPE_CHECKING:  # only planners need models
    from pushpoint.mapping import ModelFactory

ControllerState = dict[str, Any]  # numbers, strings, arrays by name: what a checkpoint holds of a controller


ControlEvent = Event


def refuse_pitch(controller: str, robot: Robot) -> None:
    """For controllers that bend a robot sideways only."""
    if not robot.is_planar:
        raise InvalidInput(
            f"controller {controller!r} knows yaw axes only; robot {robot.name!r} has others: use controller 'gait'"
        )


def refuse_idle_joints(controller: str, robot: Robot) -> None:
    """For controllers that need a motor at every joint."""
    idle = [j for j in range(len(robot.links) - 1) if not robot.joint(j).actuated]
    if idle:
        raise InvalidInput(
            f"controller {controller!r} needs a motor at every joint; of robot {robot.name!r}, joint {idle[0]} is not "
            "actuated"
        )


def warn_of_servo(controller: str, servo: Servo, torque_limit: float) -> None:
    """For controllers whose torques should be all that moves the joints; `torque_limit` [N m] is what they count on."""
    for field, unit in (("stiffness", "N m/rad"), ("damping", "N m s/rad")):
        if getattr(servo, field) != 0.0:
            warnings.warn(
                f"servo.{field} = {getattr(servo, field):g} {unit}: should be 0 with controller {controller!r}, whose "
                "torques are all that should move the joints",
                stacklevel=3,
            )
    if torque_limit > servo.torque_limit:
        warnings.warn(
            f"controller.torque_limit = {torque_limit:g} N m: should be at most servo.torque_limit = "
            f"{servo.torque_limit:g} N m",
            stacklevel=3,
        )


class Controller(Protocol):
    """Observation -> Command at the control rate. All that changes in time is in the state it hands out."""

    Options: ClassVar[type[Frozen]]  # class of its options
    uses: ClassVar[frozenset[str]]  # names of the sensors that it reads; it gets nothing else but the time

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> Controller:
        """Check that the options fit the robot, and prepare everything for stepping.

        Parameters
        ----------
        options
            An object of the class `Options`.
        robot
            The robot that is controlled.
        control_period
            From tick to tick [s].
        """
        ...

    def initial_shape(self) -> FloatArray | None:
        """Joint angles [rad], (n - 1,), to start in; None: it does not mind."""
        ...

    def start(self, obs: Observation) -> ControllerState:
        """The state before the first tick.

        Parameters
        ----------
        obs
            What the sensors read at t = 0.
        """
        ...

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        """One tick.

        Parameters
        ----------
        state
            Of the tick before, or of `start`.
        obs
            What the sensors read.

        Returns
        -------
        tuple
            The next state, what to do in the tick that begins at obs.time, and what happened.
        """
        ...


class Drawing(NamedTuple):
    """Where a controller wants the tail link to be at t = 0."""

    rotation: FloatArray  # (3, 3): columns are its axes (forward, left, up)
    centre: FloatArray  # [m], (3,)


@runtime_checkable
class Drawn(Protocol):
    """A controller that knows how the robot lies in the world, besides its shape."""

    def initial_drawing(self) -> Drawing:
        """The tail link's place at t = 0, in the controller's own frame."""
        ...


@runtime_checkable
class Laid(Protocol):
    """A controller whose path lies in the world: it lays the robot there, unless the scenario says where it starts."""

    def initial_place(self) -> Drawing:
        """The tail link's place at t = 0, in the world."""
        ...


@runtime_checkable
class OpenLoop(Protocol):
    """A controller that can state its commands ahead, equal to the bit to those of its step()."""

    def table(self, times: FloatArray) -> CommandTable:
        """The commands of many ticks.

        Parameters
        ----------
        times
            [s], at which the ticks begin.
        """
        ...


@runtime_checkable
class Planning(Protocol):
    """A controller that tries what it may do in models of its own, made of what it knows of the world."""

    def use_models(self, models: ModelFactory) -> None:
        """Take the factory of models, before the first tick.

        Parameters
        ----------
        models
            Map to model; nothing of the true obstacles can be reached from it.
        """
        ...


@runtime_checkable
class SensorReader(Protocol):
    """A controller that has to know how its sensors are set."""

    def check_sensors(self, options: Mapping[str, Any]) -> None:
        """Refuse sensors that do not fit, before the first tick.

        Parameters
        ----------
        options
            Of the sensors of the run, by their names.
        """
        ...


@runtime_checkable
class ServoReader(Protocol):
    """A controller that has to know the servos."""

    def check_servo(self, servo: Servo) -> None:
        """Refuse servos that do not fit, or warn of them, before the first tick.

        Parameters
        ----------
        servo
            Of the joints in this run.
        """
        ...


@runtime_checkable
class Knowing(Protocol):
    """A controller that can say what it knows of obstacles; it is recorded whenever the controller reports an event."""

    def known(self, state: ControllerState, obs: Observation) -> Map:
        """Obstacles that it believes in.

        Parameters
        ----------
        state
            After a tick.
        obs
            Of that tick.
        """
        ...


class Planned(ABC):
    """Base of controllers without a memory whose `table` says everything: `step` is one row of it, to the bit."""

    @abstractmethod
    def table(self, times: FloatArray) -> CommandTable:
        """The commands of many ticks.

        Parameters
        ----------
        times
            [s], at which the ticks begin.
        """

    def start(self, obs: Observation) -> ControllerState:
        """No state.

        Parameters
        ----------
        obs
            What the sensors read at t = 0.
        """
        return {}

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        """One row of the table.

        Parameters
        ----------
        state
            Of the tick before, or of `start`.
        obs
            What the sensors read.

        Returns
        -------
        tuple
            The next state, what to do in the tick that begins at obs.time, and what happened.
        """
        row = self.table(np.array([obs.time]))
        return state, Command(row.joint_angle[0], row.joint_rate[0], row.torque[0]), ()


class BaseController:
    """Base of controllers that people write: everything but `step` has a default.

    Parameters
    ----------
    options
        What the scenario gives, checked; of the class `Options`. Kept as an attribute.
    robot
        The robot that is controlled. Kept as an attribute.
    control_period
        From tick to tick [s].

    Attributes
    ----------
    period
        From tick to tick [s].
    joints
        How many joint angles there are.

    Examples
    --------
    >>> class Straight(pp.BaseController):
    ...     def step(self, state, obs):
    ...         return state, self.command(0.0), ()
    >>> link = pp.Link(length=0.1, mass=0.2, inertia=2e-4, radius=0.02)
    >>> straight = Straight.build(pp.Options(), pp.Robot(name="short", links=(link, link)), 0.01)
    >>> straight.step({}, None)[1].joint_angle
    array([0.])
    """

    Options: ClassVar[type[Frozen]] = Frozen  # class of its options
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders"})  # names of the sensors that it reads

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        self.options, self.robot, self.period = options, robot, control_period
        self.joints = len(robot.freedoms)

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> BaseController:
        """Make one; a place to refuse options that do not fit the robot.

        Parameters
        ----------
        options
            An object of the class `Options`.
        robot
            The robot that is controlled.
        control_period
            From tick to tick [s].
        """
        return cls(options, robot, control_period)

    def initial_shape(self) -> FloatArray | None:
        """Joint angles [rad] to start in; None: the scenario's, or straight."""
        return None

    def start(self, obs: Observation) -> ControllerState:
        """The state before the first tick: numbers, strings and arrays by name.

        Parameters
        ----------
        obs
            What the sensors read at t = 0.
        """
        return {}

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        """One tick.

        Parameters
        ----------
        state
            Of the tick before, or of `start`.
        obs
            What the sensors read.

        Returns
        -------
        tuple
            The next state, what to do in the tick that begins at obs.time (see `command`), and events.
        """
        raise TypeError(f"controller {type(self).__name__} has no method `step`")

    def command(self, joint_angle: Any, joint_rate: Any = 0.0, torque: Any = 0.0) -> Command:
        """A Command from numbers, one for all joints, or arrays.

        Parameters
        ----------
        joint_angle
            [rad], reference of the servos.
        joint_rate
            [rad/s], with which the reference goes on inside the tick.
        torque
            [N m], added to what the servos do.
        """
        zero = np.zeros(self.joints)
        return Command(zero + joint_angle, zero + joint_rate, zero + torque)
