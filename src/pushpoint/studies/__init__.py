"""Studies: many runs of one scenario on local processes, and what can be said about them together.

Names are imported when they are first used: claims need the statistics, and no processes.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pushpoint.studies.results import Results, Row
    from pushpoint.studies.runner import run
    from pushpoint.studies.study import Measurement, Study

__all__ = ["Measurement", "Results", "Row", "Study", "run"]

_HOMES = {"Measurement": "study", "Results": "results", "Row": "results", "Study": "study", "run": "runner"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
