"""Measures: one question about recordings per file, each answered by one number.

A measure takes one or more recordings, in the order its signature names them, and keyword options. Lengths
are in metres, times in seconds, links are counted from the tail.
"""

from collections.abc import Callable

from pushpoint.analysis._series import Curve
from pushpoint.registry import Registry

Measure = Callable[..., float]

measures: Registry[Measure] = Registry("measure", __name__)

__all__ = ["Curve", "Measure", "measures"]
