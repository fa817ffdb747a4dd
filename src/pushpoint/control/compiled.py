"""Controllers whose tick is compiled: one function on flat arrays, which runs inside the one compiled call of a run.

    tick(state, parameters, observation, reference)

`state` goes on from tick to tick, `parameters` do not change, `observation` is as in `pushpoint.feedback`, and
`reference` takes the answer: joint angles, joint rates and torques, and last an event code, zero for none.
"""

from __future__ import annotations

import os
import re
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Protocol

import numba
import numpy as np

from pushpoint._jit import COMPILE_ERRORS, MachineCode, compiled_part
from pushpoint.control._base import BaseController, ControlEvent, ControllerState
from pushpoint.errors import InvalidInput
from pushpoint.feedback import CompiledLoop, flat_layout
from pushpoint.registry import shown_path
from pushpoint.robots import Robot
from pushpoint.types import Command, FloatArray, Observation

__all__ = ["CompiledController", "compiled_part", "compiled_tick"]

# Of the compiler's messages: how lines begin that do not say why, and how they say where.
HOW_FAR, PLACE = "Failed in ", re.compile(r'^File "(.+)", line (\d+):', re.MULTILINE)
# What each sensor shows of a flat observation, as numbers of its parts; nothing shows the last one.
SHOWS = {"joint-encoders": (1, 2), "joint-torque": (3,), "link-poses": (4, 5, 6, 7), "contact-force": (8,)}


def compiled_tick(function: Callable[[FloatArray, FloatArray, FloatArray, FloatArray], None]) -> MachineCode:
    """Mark a function as the tick of a compiled controller.

    Parameters
    ----------
    function
        Of state, parameters, observation and reference, flat arrays of float64; it changes the first and the last.
    """
    return MachineCode(function)


def _not_compiled(tick: MachineCode, error: Exception) -> str:
    """One line with the place, of the many in which the compiler tells how it got there."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith(HOW_FAR)]
    words = next(iter(lines), type(error).__name__)
    if words.endswith(":") and len(lines) > 1:
        words = f"{words} {lines[1].removeprefix('>>> ')}"
    place, found = getattr(error, "loc", None), PLACE.search(str(error))  # the first place is the innermost one
    code = tick.function.__code__
    file, line = (place.filename, place.line) if place else (code.co_filename, code.co_firstlineno)
    file, line = found.groups() if found else (file, line)
    return f"{shown_path(os.path.abspath(file))}, line {line}: {code.co_name} cannot be compiled: {words}"


class InPlant(Protocol):
    """A controller that runs inside the compiled call of a plant."""

    most_ticks: ClassVar[int]  # of one call

    def loop(self, state: ControllerState, first_tick: int, ticks: int) -> CompiledLoop: ...

    def after(self, loop: CompiledLoop, state: ControllerState) -> ControllerState: ...

    def events(self, loop: CompiledLoop, state: ControllerState) -> Iterable[ControlEvent]: ...


class CompiledController(BaseController):
    """Base of compiled controllers; everything but `tick`, `parameters` and `initial_state` has a default.

    The same `tick` runs inside compiled plants, tick by tick where sensors are not exact or a plant is not compiled,
    and as Python with NUMBA_DISABLE_JIT=1.

    Parameters
    ----------
    options
        What the scenario gives, checked; of the class `Options`.
    robot
        The robot that is controlled.
    control_period
        From tick to tick [s].
    """

    tick: ClassVar[MachineCode]  # see `compiled_tick`
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders"})  # sensors; what others show is NaN
    most_ticks: ClassVar[int] = sys.maxsize  # of one call of a plant

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        super().__init__(options, robot, control_period)
        other = sorted(self.uses - SHOWS.keys())
        if other:
            raise InvalidInput(
                f"{type(self).__name__} is a compiled controller and uses sensor {other[0]!r}; it can use "
                f"{', '.join(sorted(SHOWS))}"
            )

    @abstractmethod
    def parameters(self) -> Any:
        """What does not change in a run, flat."""

    def initial_state(self, obs: Observation) -> Mapping[str, Any]:
        """Numbers and arrays by name, which become the flat state in this order.

        Parameters
        ----------
        obs
            What is seen before the first tick.
        """
        return {}

    def describe(self, code: int, state: ControllerState, observation: FloatArray) -> Iterable[tuple[str, str]]:
        """The events of a tick whose answer had an event code: names and details.

        Parameters
        ----------
        code
            What the tick gave.
        state
            After the tick, by name.
        observation
            That of the tick, flat.
        """
        return [(f"event {code}", "")]

    def start(self, obs: Observation) -> ControllerState:
        return dict(self.initial_state(obs))

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        values, joints = self.packed(state), self.joints
        seen, reference = self.flat(obs), np.zeros(3 * joints + 1)
        self._run(values, np.asarray(self.parameters(), dtype=float), seen, reference)
        after = self.unpacked(values, state)
        command = Command(reference[:joints], reference[joints : 2 * joints], reference[2 * joints : 3 * joints])
        code = int(reference[-1])
        found = self.describe(code, after, seen) if code else ()
        return after, command, tuple(ControlEvent(obs.time, name, detail) for name, detail in found)

    def _run(self, *arrays: FloatArray) -> None:
        tick = type(self).tick
        try:
            tick.function(*arrays) if numba.config.DISABLE_JIT else tick(*arrays)
        except COMPILE_ERRORS as error:
            raise InvalidInput(_not_compiled(tick, error)) from error

    def loop(self, state: ControllerState, first_tick: int, ticks: int) -> CompiledLoop:
        """To go on inside a compiled plant.

        Parameters
        ----------
        state
            From which it goes on, by name.
        first_tick
            The next one, counted from t = 0.
        ticks
            How many will follow; only controllers that plan them ahead need to know.
        """
        parameters = np.asarray(self.parameters(), dtype=float)
        shown = sum(1 << k for name in self.uses for k in SHOWS[name])
        tick = type(self).tick
        try:
            address = tick.address
        except COMPILE_ERRORS as error:
            raise InvalidInput(_not_compiled(tick, error)) from error
        return CompiledLoop(address, parameters, self.packed(state), self.period, first_tick, shown)

    def after(self, loop: CompiledLoop, state: ControllerState) -> ControllerState:
        """The state by name after the ticks of a loop.

        Parameters
        ----------
        loop
            Of `loop`, after its last tick.
        state
            Before its first tick.
        """
        return self.unpacked(loop.state, state)

    def events(self, loop: CompiledLoop, state: ControllerState) -> Iterable[ControlEvent]:
        """What happened during the ticks of a loop.

        Parameters
        ----------
        loop
            Of `loop`, after its last tick.
        state
            After it, by name; of these only names and shapes matter.
        """
        for code, tick, values in loop.events:
            then = self.unpacked(values[len(values) - len(loop.state) :], state)
            yield from (ControlEvent(tick * self.period, *found) for found in self.describe(code, then, values))

    def packed(self, state: ControllerState) -> FloatArray:
        """The flat state.

        Parameters
        ----------
        state
            By name.
        """
        return np.concatenate([np.zeros(0), *(np.atleast_1d(value).astype(float).ravel() for value in state.values())])

    def unpacked(self, values: FloatArray, like: ControllerState) -> ControllerState:
        """The state by name.

        Parameters
        ----------
        values
            The flat state.
        like
            Another state of this run, which says names and shapes.
        """
        after: ControllerState = {}
        at = 0
        for name, value in like.items():
            size = np.size(value)
            part = values[at : at + size]
            after[name] = part.copy() if isinstance(value, np.ndarray) else type(value)(part[0])
            at += size
        return after

    def flat(self, obs: Observation) -> FloatArray:
        """The flat observation: what the sensors in use show, NaN for all else.

        Parameters
        ----------
        obs
            What the sensors read.
        """
        shown = self._shown(obs)
        vectors = next((shown[k] for k in (4, 8) if k in shown), None)
        dimensions = 2 if vectors is None else vectors.shape[1]
        layout = flat_layout(len(self.robot.links), self.joints, dimensions)
        if dimensions == 3 and 5 in shown:
            shown[5] = obs.link_orientation
        flat = np.full(layout.size, np.nan)
        flat[0] = obs.time
        for k, values in shown.items():
            flat[layout.bounds[k] : layout.bounds[k + 1]] = np.ravel(values)
        return flat

    def _shown(self, obs: Observation) -> dict[int, Any]:
        found: dict[int, Any] = {}
        if "joint-encoders" in self.uses:
            found |= {1: obs.joint_angle, 2: obs.joint_rate}
        if "joint-torque" in self.uses:
            found[3] = obs.joint_torque
        if "link-poses" in self.uses:
            found |= {4: obs.link_position, 5: obs.link_yaw, 6: obs.link_velocity, 7: obs.link_rate}
        if "contact-force" in self.uses:
            found[8] = obs.contact_force
        return found
