"""What a recording's file has to hold, by schema version, and the check that it does.

Whoever reads a recording may rely on these: figures and measures take them unchecked. Plants and people may add
variables of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import xarray as xr

from pushpoint.errors import InvalidInput
from pushpoint.recording._labels import BODY, JOINT, PLACE
from pushpoint.scenario import Scenario
from pushpoint.tape import LEDGER


class Expected(NamedTuple):
    dims: tuple[str, ...]
    kind: str = "f"  # floats; i: whole numbers; U: texts
    since: int = 1  # schema version that has it first


Table = Mapping[str, Expected]
KNOWN_SINCE = 5  # schema version

_TIME, _STEP = ("time",), ("step",)
DATA: Table = {
    "time": Expected(_TIME),
    "step_time": Expected(_STEP),
    "link": Expected(("link",), "i"),
    "joint": Expected(("joint",), "i"),
    "axis": Expected(("axis",), "U"),
    **{name: Expected(BODY) for name in ("link_position", "link_velocity", "contact_force", "ground_force")},
    "link_angle": Expected(PLACE),
    "centre_of_mass": Expected(("time", "axis")),
    **{name: Expected(JOINT) for name in ("joint_angle", "joint_rate", "joint_torque", "joint_reference")},
    **{name: Expected(_TIME) for name in LEDGER},
    "step_residual": Expected(_STEP),
    "step_iterations": Expected(_STEP, "i"),
    "step_status": Expected(_STEP, "i"),
    **{name: Expected(_STEP, "i", since=2) for name in ("step_parts", "step_reasons", "step_fallbacks")},
    "step_guard_work": Expected(_STEP, since=2),
}
PLANAR: Table = {"link_rate": Expected(PLACE)}
SPATIAL: Table = {
    "link_rate": Expected(BODY),
    "quaternion": Expected(("quaternion",), "U"),
    "link_orientation": Expected((*PLACE, "quaternion")),
    "joint_number": Expected(("joint",), "i"),
    "joint_axis": Expected(("joint",), "U"),
}
MOVABLE: Table = {
    "movable": Expected(("movable",), "i"),
    "obstacle_position": Expected(("time", "movable", "axis")),
    "obstacle_velocity": Expected(("time", "movable", "axis")),
    "obstacle_rate": Expected(("time", "movable")),
    "obstacle_ground_force": Expected(("time", "movable", "axis")),
}
_CONTACT = ("contact",)
CONTACTS: Table = {
    "axis": Expected(("axis",), "U"),
    **{name: Expected(_CONTACT, "i") for name in ("link", "obstacle", "side", "slip")},
    **{name: Expected(_CONTACT) for name in ("time", "place", "normal_force", "tangential_force", "impact")},
    **{name: Expected((*_CONTACT, "axis")) for name in ("point", "normal", "force")},
}
EVENTS: Table = {"time": Expected(("event",)), "name": Expected(("event",), "U"), "detail": Expected(("event",), "U")}

_KNOWN = ("known",)
KNOWN: Table = {
    **{name: Expected(_KNOWN) for name in ("time", "x", "y", "radius")},
    **{name: Expected(_KNOWN, since=6) for name in ("end_x", "end_y")},
}


def refuse_unexpected(groups: Mapping[str, xr.Dataset], scenario: Scenario, schema: int, where: str) -> None:
    """Raise InvalidInput unless everything is there, of the right type and of the sizes that the robot has."""
    data = groups[""]
    spatial = "quaternion" in data.dims
    expected = {**DATA, **(SPATIAL if spatial else PLANAR), **(MOVABLE if "movable" in data.dims else {})}
    wanted = {"": expected, "contacts": CONTACTS, "events": EVENTS}
    if schema >= KNOWN_SINCE:
        wanted["known"] = KNOWN
    for name, table in wanted.items():
        if name not in groups:
            raise InvalidInput(f"{where}: there is no group {name!r}")
        _refuse(groups[name], table, schema, f"{where}, {name}" if name else where)
    _refuse_sizes(groups, scenario, 3 if spatial else 2, where)


def _refuse(dataset: xr.Dataset, table: Table, schema: int, where: str) -> None:
    for name, expected in table.items():
        if name not in dataset.variables:
            if expected.since <= schema:
                raise InvalidInput(f"{where}: there is no variable {name!r}")
            continue
        found = dataset.variables[name]
        if found.dims != expected.dims:
            raise InvalidInput(f"{where}: {name!r} has dimensions {found.dims}; expected {expected.dims}")
        if found.dtype.kind != expected.kind:
            raise InvalidInput(f"{where}: {name!r} holds {found.dtype}; expected {_KINDS[expected.kind]}")


_KINDS = {"f": "numbers", "i": "whole numbers", "U": "texts"}


def _refuse_sizes(groups: Mapping[str, xr.Dataset], scenario: Scenario, axes: int, where: str) -> None:
    data, contacts = groups[""], groups["contacts"]
    wanted = {"axis": axes, "quaternion": 4 if axes == 3 else 0}
    try:
        robot = scenario.built_robot()
        wanted |= {"link": len(robot.links), "joint": len(robot.freedoms)}
    except InvalidInput:  # registered by a package that is not installed here: the numbers can be read all the same
        pass
    for name, size in wanted.items():
        if data.sizes.get(name, 0) != size:
            raise InvalidInput(f"{where}: there are {data.sizes.get(name, 0)} of {name!r}; the robot has {size}")
    if data.sizes["time"] == 0:
        raise InvalidInput(f"{where}: there is no row in it; a run has one or more")
    if contacts.sizes["axis"] != axes:
        raise InvalidInput(f"{where}, contacts: there are {contacts.sizes['axis']} axes; expected {axes}")
    link = contacts["link"].values
    if link.size and not (link.min() >= 0 and link.max() < data.sizes["link"]):
        raise InvalidInput(f"{where}, contacts: link is {link.min()} to {link.max()}; the robot has links 0 to "
                           f"{data.sizes['link'] - 1}")  # fmt: skip
