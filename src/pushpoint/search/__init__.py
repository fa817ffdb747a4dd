"""Searches: parameters of gaits, controllers, robots and worlds that do best; by Optuna, in a store that goes on."""

from pushpoint.search.found import Found, Trial
from pushpoint.search.search import Aim, Range, Search

__all__ = ["Aim", "Found", "Range", "Search", "Trial"]
