"""Checks of runs of our own through clutter (scenarios/lab_clutter.py). Data only.

Whether a single field is crossed differs from machine to machine, as such runs are chaotic. So shares are counted by
the benchmark (docs/reference/clutter-benchmark) and `make validate`; here are medians, empty fields, and laws.
"""

from __future__ import annotations

from pushpoint.reproduction._adding import Asked, claims_about, measured
from pushpoint.reproduction._statement import Statement, check
from pushpoint.scenarios.lab_clutter import CROSSED, KNOWN, RUNS

claim = claims_about("lab")
FIELDS = 11  # of which the median is taken
PLANNED = tuple(f"plan-{name}" for name in (*KNOWN, "pegs", "empty"))


def ours(expected: str, low: float | None, high: float | None) -> Statement:
    return check(expected, low, high, "Our own number.")


def along(slug: str) -> Asked:
    """Displacement [m] along x in 30 s."""
    return measured(f"clutter-{slug}", "displacement", axis="x", end=30.0)


claim("clutter-100-crosses", "ours", along("100")).says(
    f"The wave crosses a field of random pegs, {CROSSED:g} m along x in 30 s: median of {FIELDS} fields",
    ours(f"> {CROSSED:g}", CROSSED, None),
    seeds=FIELDS,
)
claim("clutter-empty-stays", "ours", along("empty")).says(
    "Without pegs the wave gets nowhere in 30 s: what it crosses, it crosses by pushing", ours("0", -0.25, 0.25)
)
claim("clutter-crawl-empty-moves", "ours", along("crawl-empty")).says(
    "The crawl needs no pegs: distance in 30 s on empty ground", ours("2.76", 2.6, 2.9)
)
for slug in (*(run[0] for run in RUNS), *PLANNED):
    claim(f"clutter-{slug}-residual", "ours", measured(f"clutter-{slug}", "largest_residual")).says(
        f"All laws hold in every step (clutter-{slug})", ours("0", None, 1e-6)
    )
