"""Methods that lay the virtual snake robot along a shape curve, P3 III-D ("the chosen method"); one file per method.

An alignment fills `laid`, all of it, and makes `memory` that of this call. It keeps the limits of the joints
(`snake.lower`, `snake.upper`) and `settings.most_turn`, and sets the flags of joints that these hold back. The head's
tip is S(`settings.head`). `laid.aim` does not increase from the head to the tail: behind the last one the curve may be
forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field

from pushpoint import limits
from pushpoint.registry import Registry
from pushpoint.shapes.hermite import Curve
from pushpoint.shapes.virtual_snake import VirtualSnake
from pushpoint.types import FloatArray, IntArray

LIMITED, SLOWED, UNDETERMINED = 1, 2, 4  # flags of a joint, added up


class Settings(NamedTuple):
    """Where the head is, and how to lay the rest."""

    head: float  # s_h
    roll: float  # [rad], phi_h
    look_ahead: float  # [m], l_LAD
    most_turn: float  # [rad], by which a joint may differ from its last angle; infinite: any


class Memory(NamedTuple):
    """What one call hands to the next."""

    q: FloatArray  # [rad], (N,): the last angles
    head: FloatArray  # (7,): y'_h, O_h [m], and 1 if there was a last call


class Laid(NamedTuple):
    """The result of a call."""

    q: FloatArray  # [rad], (N,): joint angles, P3's signs
    frame: FloatArray  # (N + 2, 3, 4): x, y, z axis and origin [m] of the head's frame, then of frames 0 to N
    aim: FloatArray  # (N + 1,): s_ref of each link, where on the curve it belongs
    flag: IntArray  # (N,)


def new_memory(joints: int) -> Memory:
    """Before the first call."""
    return Memory(np.zeros(joints), np.zeros(7))


def new_laid(joints: int) -> Laid:
    """Room for a result."""
    return Laid(np.zeros(joints), np.zeros((joints + 2, 3, 4)), np.zeros(joints + 1), np.zeros(joints, dtype=np.int64))


Alignment = Callable[[Curve, VirtualSnake, Settings, Memory, Laid], None]

alignments: Registry[Alignment] = Registry("alignment", __name__)


def known(name: str) -> str:
    """The name of an alignment, refused if there is none of that name."""
    _ = alignments[name]
    return name


AlignmentName = Annotated[str, Field(min_length=1, max_length=limits.NAME_LENGTH), AfterValidator(known)]
