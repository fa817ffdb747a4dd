"""MuJoCo's warnings: not printed, but read as the status of a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mujoco

from pushpoint.types import Status


def status_of(data: Any) -> Status:
    """From MuJoCo's warnings: 1 and 2 no memory for contacts, 3 to 6 a number that is not finite or huge."""
    warnings = data.warning.number
    if not warnings.any():
        return Status.OK
    if warnings[3:].any():
        return Status.NOT_FINITE
    return Status.TOO_MANY_CONTACTS if warnings[1:3].any() else Status.OK


@contextmanager
def without_log() -> Iterator[None]:
    """Keep MuJoCo from printing and filing its warnings: `status_of` finds them in the data."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
