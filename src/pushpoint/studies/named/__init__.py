"""Studies with a name: `pushpoint study run NAME`. One file each."""

from __future__ import annotations

from typing import NamedTuple

from pushpoint.registry import Registry
from pushpoint.studies.study import Study

__all__ = ["NamedStudy", "studies"]


class NamedStudy(NamedTuple):
    """A study that people run by its name."""

    title: str  # one line
    study: Study  # seeds, variants and measures may be replaced


studies: Registry[NamedStudy] = Registry("study", __name__)
