"""Attributes under their former names, which work with a DeprecationWarning until version 1.0."""

from __future__ import annotations

import warnings
from typing import Any


def renamed(former: str, now: str) -> property:
    """A property with the value of the attribute `now`."""

    def value(owner: Any) -> Any:
        warnings.warn(f"{type(owner).__name__}.{former} is now called {now}", DeprecationWarning, stacklevel=2)
        return getattr(owner, now)

    return property(value, doc=f"Former name of `{now}`, with a DeprecationWarning.")
