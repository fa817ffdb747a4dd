"""Memory of this process, as Linux tells it. (getrusage would also count the process that started this one.)"""

from __future__ import annotations

import os

STATUS = "/proc/self/status"


def is_told() -> bool:
    """Whether the system tells."""
    return os.path.exists(STATUS)


def held(what: str) -> float:
    """[MB]: VmRSS, now, or VmHWM, at its peak."""
    with open(STATUS, encoding="utf-8") as lines:
        return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(f"{what}:"))
