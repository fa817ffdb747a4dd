"""Scenarios: runs as data, one file per paper, named `key/slug`."""

from pushpoint.registry import Registry
from pushpoint.scenario import Scenario

scenarios: Registry[Scenario] = Registry("scenario", __name__)

__all__ = ["scenarios"]
