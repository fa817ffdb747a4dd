"""Checkpoints that a run is to go on from: does all of it belong to this plant, robot and world?

The plant checks its own state (`Plant.restore`); the rest is checked here, against freshly made arrays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.numerics.restored import MOST_COUNT, Limit, restored
from pushpoint.recording import Checkpoint
from pushpoint.recording.checkpoint import LastRow
from pushpoint.robots import Robot
from pushpoint.tape import Tape
from pushpoint.types import FloatArray
from pushpoint.worlds import World

SAME_TIME = 1e-6  # of a control tick: whole numbers of steps and ticks agree to round-off


def made_for(plant: str, robot: Robot, world: World) -> dict[str, str]:
    """What a state belongs to."""
    return {"plant": plant, "robot": _digest(robot), "world": _digest(world)}


def _digest(model: Frozen) -> str:
    """Fields that have their defaults are left out, so that new ones change nothing."""
    return hashlib.sha256(repr(model.model_dump(exclude_defaults=True)).encode()).hexdigest()[:16]


def refuse_foreign(checkpoint: Checkpoint, wanted: Mapping[str, str]) -> None:
    """Raise InvalidInput if it was made for something else; checkpoints of schema version 1 do not say."""
    for name, value in wanted.items():
        found = checkpoint.made_for.get(name, value)
        if found != value:
            other = f" ({found})" if name == "plant" else ""
            raise InvalidInput(f"the checkpoint was made for another {name}{other} than that of its scenario")


def refuse_clock(checkpoint: Checkpoint, ticks_per_row: int, plant_time: float) -> None:
    """Raise InvalidInput unless tick, place in the recording rhythm and the plant's own clock agree."""
    tick, since = checkpoint.tick, checkpoint.ticks_since_row
    if tick < 0:
        raise InvalidInput(f"the checkpoint has tick = {tick}; it should be 0 or more")
    if not 0 <= since < ticks_per_row or since > tick:
        raise InvalidInput(f"the checkpoint has ticks_since_row = {since}; allowed is 0 to {ticks_per_row - 1}")
    if (since == 0) != (checkpoint.last_row is not None):
        raise InvalidInput(
            f"the checkpoint has ticks_since_row = {since}; it has a last row where that is 0, and only there"
        )
    period = checkpoint.scenario.control_period
    if not abs(plant_time - tick * period) <= SAME_TIME * period:
        raise InvalidInput(
            f"the checkpoint is at {tick * period:.9g} s; the state of its plant is at {plant_time:.9g} s"
        )


def checked_rows(checkpoint: Checkpoint, tape: Tape, joints: int) -> tuple[FloatArray, LastRow | None]:
    """Joint references and the last row, as the tape and the recording take them."""
    found = restored("checkpoint, run", {"reference": checkpoint.reference}, {"reference": np.zeros(joints)}, {})
    row = checkpoint.last_row
    if row is None:
        return found["reference"], None
    template = {"link": tape.link[0], "energy": tape.energy[0], "contact": tape.contact[:0], "extra": tape.extra[0]}
    bodies = len(tape.link[0])
    limits = {
        "contact.0": Limit(0, 0),
        "contact.1": Limit(0, bodies - 1),
        "contact.2": Limit(-1 - bodies, MOST_COUNT),  # -1 is the ground, -2 - j link j
    }
    arrays = {f.name: getattr(row, f.name) for f in fields(LastRow)}
    checked = restored("checkpoint, row", arrays, template, limits, growing=("contact",), unbounded=("extra",))
    return found["reference"], LastRow(**checked)


def refuse_memory(whose: str, found: Mapping[str, Any], fresh: Mapping[str, Any]) -> None:
    """Raise InvalidInput unless the state of a controller or of sensors is like one at the start of a run; arrays may
    have become longer or shorter since."""
    where = f"checkpoint, state of {whose}"
    for name in sorted(fresh.keys() ^ found.keys()):
        raise InvalidInput(f"{where}: {name!r} {'is missing' if name in fresh else 'does not belong to it'}")
    for name, made in fresh.items():
        one, other = np.asarray(found[name]), np.asarray(made)
        kinds = {one.dtype.kind, other.dtype.kind}
        if one.ndim != other.ndim or one.shape[1:] != other.shape[1:] or (len(kinds) > 1 and not kinds <= set("biuf")):
            raise InvalidInput(f"{where}: {name!r} is {_form(one)}; expected {_form(other)}")


def _form(array: np.ndarray) -> str:
    kind = "text" if array.dtype.kind == "U" else str(array.dtype)
    return f"an array {array.shape} of {kind}" if array.ndim else f"a {kind}"
