"""Former names work until version 1.0, with a warning."""

from __future__ import annotations

from typing import Any

import pytest

from pushpoint.control.shape_rehearsal import Demands
from pushpoint.robots import robots
from pushpoint.worlds import GroundLaw, worlds

DEMANDS = Demands(1.0, 2.0, 0.1, 0.5, 0.6, 0.3, (), (), (), whole_cycle=True)


@pytest.mark.parametrize(
    ("owner", "former", "now"),
    [
        (GroundLaw(), "is_plain", "is_basic"),
        (worlds["track"](), "is_plain", "is_basic"),
        (robots["aiko"](), "has_plain_joints", "has_basic_joints"),
        (DEMANDS, "way", "distance"),
        (DEMANDS, "change_per_way", "change_per_distance"),
    ],
)
def test_former_names_work_with_a_warning(owner: Any, former: str, now: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"{type(owner).__name__}\.{former} is now called {now}"):
        assert getattr(owner, former) == getattr(owner, now)
