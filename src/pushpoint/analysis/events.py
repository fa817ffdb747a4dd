"""How often did something happen?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis import measures

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording


@measures.register("event_count")
def event_count(run: Recording, *, name: str) -> float:
    """Events of this name, such as `resolution` or `impact`."""
    return float(np.sum(run.events["name"].values == name))
