"""Runs for statements of P4 that its figures do not show."""

from __future__ import annotations

from pushpoint.scenarios import scenarios
from pushpoint.scenarios.koushan2020 import KEY

scenarios.add(
    f"{KEY}/simultaneous-unfiltered",
    scenarios[f"{KEY}/simultaneous"]
    .with_overrides({"controller.force_lag": 0.0})
    .model_copy(
        update={
            "name": f"{KEY}/simultaneous-unfiltered",
            "title": "0.1 rad and 1 N at the third peg, measured forces not filtered",
        }
    ),
)
