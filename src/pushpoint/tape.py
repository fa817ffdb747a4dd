"""The tape that a plant writes while it runs: rows of bodies, contacts, energies, steps and events.

A Layout says which columns there are; it is all that recordings need to label them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pushpoint.types import FloatArray

# Where the next row, contact, step and event go; ticks since the last row, and from row to row.
CURSOR = np.dtype(
    (np.record, [(name, np.int64) for name in ("row", "contact", "step", "event", "ticks", "ticks_per_row")]),
    align=True,
)
STEP_COLUMNS = (
    "residual", "iterations", "status",
    "parts", "reasons",  # parts that a repeated step was made of, 0 for a whole one; reasons as types.Repeated
    "fallbacks",  # how often a slower solver had to help
    "guard_work",  # [J], energy that the guard against numerical gain took
)  # fmt: skip
EVENT_COLUMNS = ("time", "kind", "link", "obstacle", "impulse", "bound")
LEDGER = ("kinetic_energy", "servo_work", "friction_work", "contact_work", "numerical_work")


class Layout(NamedTuple):
    """Columns of the rows of a tape, in the plane or in space."""

    axes: tuple[str, ...]
    pose: tuple[str, ...]  # of a body, at the instant of the row
    means: tuple[str, ...]  # of a body, over the time since the last row
    contact: tuple[str, ...]

    @property
    def link(self) -> tuple[str, ...]:
        return self.pose + self.means

    def columns(self, name: str) -> slice:
        """Of a quantity of a body: those of all its axes or parts."""
        found = [k for k, column in enumerate(self.link) if column == name or column.startswith(f"{name}_")]
        return slice(found[0], found[-1] + 1)

    def contact_columns(self, name: str) -> slice:
        """The same of a contact."""
        found = [k for k, column in enumerate(self.contact) if column == name or column.startswith(f"{name}_")]
        return slice(found[0], found[-1] + 1)


def _along(name: str, axes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name}_{axis}" for axis in axes)


def _layout(axes: tuple[str, ...], turned: tuple[str, ...], rate: tuple[str, ...], torque: tuple[str, ...]) -> Layout:
    contact: tuple[str, ...] = ("row", "link", "obstacle", "place")
    for name in ("point", "normal", "force"):
        contact += _along(name, axes)
    return Layout(
        axes=axes,
        pose=(*_along("position", axes), *turned, *_along("velocity", axes), *rate),
        means=(*_along("contact_force", axes), *_along("ground_force", axes), *torque),
        # whether it slid at the end of the row; impulse of impacts since the last row [N s]
        contact=(*contact, "slip", "impact"),
    )


# Torques are kept with the link on the head's side of the joint; zero where there is none.
PLANE = _layout(("x", "y"), ("angle",), ("rate",), ("torque",))
SPACE = _layout(
    ("x", "y", "z"),
    tuple(f"quaternion_{part}" for part in "wxyz"),
    _along("rate", ("x", "y", "z")),
    ("torque_first", "torque_second"),
)


def layout_of(dimensions: int) -> Layout:
    return PLANE if dimensions == 2 else SPACE


class Tape(NamedTuple):
    """Room for the output of a run; a plant fills it from the cursor on.

    Few arrays, because each costs compile time. Forces and torques are means since the previous row.
    """

    cursor: Any  # (1,), of CURSOR: `tape.cursor[0].row` in kernels and in Python
    link: FloatArray  # (rows, bodies, columns): Layout.link, of n links and then of movable obstacles
    energy: FloatArray  # (rows, 6): time [s] and the columns LEDGER [J]
    contact: FloatArray  # (contacts, columns): Layout.contact
    step: FloatArray  # (steps, 7): the columns STEP_COLUMNS; plants write those that are not zero
    extra: FloatArray  # (rows, columns): what only this plant knows, see plants.Plant.extra_columns
    event: FloatArray  # (events, 6): the columns EVENT_COLUMNS, of plants that track events

    @property
    def layout(self) -> Layout:
        return PLANE if self.contact.shape[1] == len(PLANE.contact) else SPACE


class ExtraColumn(NamedTuple):
    """A number per row that only one plant knows."""

    name: str
    units: str
    meaning: str


def tape_bytes(bodies: int, rows: int, steps: int, dimensions: int) -> int:
    """Memory that `new_tape` asks for, but for the tables that grow."""
    return 8 * (rows * (bodies * len(layout_of(dimensions).link) + 1 + len(LEDGER)) + len(STEP_COLUMNS) * steps)


def new_tape(
    bodies: int, rows: int, steps: int, ticks_per_row: int, contacts: int = 1024, dimensions: int = 2, extra: int = 0
) -> Tape:
    """An empty tape of `bodies` links and movable obstacles; `contacts`: room of the contact table, see `grown`;
    `extra`: columns that only its plant knows."""
    layout, cursor = layout_of(dimensions), np.zeros(1, CURSOR)
    cursor["ticks_per_row"] = ticks_per_row
    return Tape(
        cursor=cursor,
        link=np.zeros((rows, bodies, len(layout.link))),
        energy=np.zeros((rows, 1 + len(LEDGER))),
        contact=np.zeros((contacts, len(layout.contact))),
        step=np.zeros((steps, len(STEP_COLUMNS))),
        extra=np.zeros((rows, extra)),
        event=np.zeros((0, len(EVENT_COLUMNS))),
    )


def grown(tape: Tape, contacts: int = 0, events: int = 0) -> Tape:
    """The same tape with room for more contacts and events."""
    return tape._replace(
        contact=np.concatenate([tape.contact, np.zeros((contacts, tape.contact.shape[1]))]),
        event=np.concatenate([tape.event, np.zeros((events, len(EVENT_COLUMNS)))]),
    )
