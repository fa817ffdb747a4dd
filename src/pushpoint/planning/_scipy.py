"""SciPy is an extra: what is said where it is missing."""

from __future__ import annotations

from typing import Any

from pushpoint.errors import MissingExtra


def scipy_part(name: str) -> Any:
    """A module of SciPy, such as `optimize`."""
    from importlib import import_module

    try:
        return import_module(f"scipy.{name}")
    except ImportError as error:
        raise MissingExtra("planning with push-points", "qp") from error
