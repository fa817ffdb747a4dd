"""Offline: paths, where a chain lies on them, which push-points carry it along, and what can be held."""
