"""Controllers may be anybody's: what they return is checked, and a wrong type is an error that names their file."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.control import Controller, ControllerState, controllers
from pushpoint.errors import InvalidInput, shown
from pushpoint.recording.checkpoint import check_plain
from pushpoint.types import Command, CommandTable, Event, FloatArray, Map
from pushpoint.user_code import refuse_result

NEEDED = ("initial_shape", "start", "step")  # methods of a controller that `build` returns
ENDS = ("x", "y", "end x", "end y")  # of the edges of a map


def built(name: str, made: Any) -> Controller:
    """What the class method `build` of a controller returned."""
    if not all(callable(getattr(made, method, None)) for method in NEEDED):
        refuse_result(controllers.place_of(name), f"build of controller {name!r}", made, "a controller")
    controller: Controller = made
    return controller


def check_state(name: str, state: Any) -> None:
    """Raise InvalidInput on a state that no file can hold."""
    if not isinstance(state, dict):
        refuse_result(controllers.place_of(name), f"start of controller {name!r}", state, "a dictionary, the state")
    try:
        check_plain(name, state)
    except InvalidInput as error:
        raise InvalidInput(f"{controllers.place_of(name)}{error}") from None


def stepped(name: str, found: Any) -> tuple[ControllerState, Command, tuple[Event, ...]]:
    """What `step` of a controller returned."""
    if isinstance(found, tuple) and len(found) == 3:
        state, command, events = found
        if isinstance(state, dict) and isinstance(command, Command) and (events == () or _are_events(events)):
            return state, command, events
    refuse_result(
        controllers.place_of(name),
        f"step of controller {name!r}",
        found,
        "a tuple of the next state (a dictionary), a Command, and events (tuples of time, name, detail)",
    )


def _are_events(events: Any) -> bool:
    if not isinstance(events, tuple | list):
        return False
    return all(
        isinstance(event, tuple)
        and len(event) == 3
        and isinstance(event[0], float | int | np.floating)
        and isinstance(event[1], str)
        and isinstance(event[2], str)
        for event in events
    )


def numbers(name: str, command: Command) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The arrays of a command."""
    try:
        return (
            np.asarray(command.joint_angle, dtype=float),
            np.asarray(command.joint_rate, dtype=float),
            np.asarray(command.torque, dtype=float),
        )
    except (TypeError, ValueError):
        for field in CommandTable._fields:
            _numbers(name, field, getattr(command, field))
        raise


def table(name: str, planned: Any) -> CommandTable:
    """What `table` of a controller returned."""
    if not (isinstance(planned, tuple) and len(planned) == len(CommandTable._fields)):
        refuse_result(controllers.place_of(name), f"table of controller {name!r}", planned, "a CommandTable")
    columns = zip(CommandTable._fields, planned, strict=True)
    return CommandTable(*(np.ascontiguousarray(_numbers(name, field, values)) for field, values in columns))


def _numbers(name: str, field: str, values: Any) -> Any:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        place = controllers.place_of(name)
        raise InvalidInput(f"{place}controller {name!r} gave {field} = {shown(values)}; it should be numbers") from None


def check_table(name: str, table: CommandTable, joints: int, clock: tuple[int, float]) -> None:
    """Raise InvalidInput on commands that no plant can use. `clock`: the first tick and the control period [s]."""
    place = controllers.place_of(name)
    for field, values in zip(CommandTable._fields, table, strict=True):
        if values.shape[1:] != (joints,):
            raise InvalidInput(
                f"{place}controller {name!r} gave {field} of shape {values.shape[1:]}; the robot has {joints} joints"
            )
        if not np.isfinite(values).all():
            tick, joint = np.argwhere(~np.isfinite(values))[0]
            first, period = clock
            raise InvalidInput(
                f"{place}controller {name!r} gave {field} = {values[tick, joint]} at t = {(first + tick) * period:g} s "
                f"for joint {joint}; it has to be finite"
            )


def known(name: str, found: Any) -> Map:
    """What `known` of a controller returned, as arrays of numbers."""
    if not isinstance(found, Map):
        refuse_result(controllers.place_of(name), f"known of controller {name!r}", found, "a Map")
    return Map(_rows(name, "disc", found.disc, ("x", "y", "radius")), _rows(name, "edge", found.edge, ENDS))


def _rows(name: str, field: str, values: Any, columns: tuple[str, ...]) -> FloatArray:
    """A part of a map: a row for each obstacle, finite, no radius negative."""
    rows = np.asarray(_numbers(name, field, values))
    what = f"{controllers.place_of(name)}controller {name!r} knows {field}"
    if rows.ndim != 2 or rows.shape[1] != len(columns):
        raise InvalidInput(f"{what} of shape {rows.shape}; it should be (k, {len(columns)}): {', '.join(columns)}")
    wrong = ~np.isfinite(rows) | (np.array(columns) == "radius") & (rows < 0.0)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InvalidInput(
            f"{what} {row} with {columns[column]} = {rows[row, column]:g}; numbers should be finite, radii not negative"
        )
    return rows
