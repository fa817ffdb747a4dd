"""What `pushpoint study` prints: each variant, points of a sweep, variants against the first, runs that failed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from pushpoint.cli._console import results

if TYPE_CHECKING:
    from pushpoint.studies import Results, Study
    from pushpoint.studies.summary import Spread, Summary, VariantSummary

SHOWN_FAILURES = 5
MOST_LINES = 60  # of a table of points


def print_summary(summary: Summary, found: Results) -> None:
    """Tables: each variant by itself, or the points of a sweep; each variant against the first; runs that failed."""
    percent = f"[{100 * summary.confidence:g} %]"
    first, *others = summary.variants
    columns = tuple(summary.variants[first].columns)
    rows: list[tuple[str, ...]] = [
        (_with_unit(found.study, column), label, _runs(variant), *_spread(variant.columns[column]))
        for column in columns
        for label, variant in summary.variants.items()
    ]
    if not _print_points(summary, found, percent):
        _print_table(summary.scenario, ("measure", "variant", "runs", f"median {percent}", "quartiles", "share"), rows)
    if others:
        rows = [
            (_with_unit(found.study, column), label, *_comparison(summary, label, column))
            for column in columns
            for label in others
        ]
        compared = ("measure", "variant", "pairs", f"difference {percent}", "p", "share", "p")
        _print_table(f"against {first}, seed by seed", compared, rows)
    _print_failures(summary, found)
    for line in _notes(summary):
        results().print(line, markup=False)


def _print_points(summary: Summary, found: Results, percent: str) -> bool:
    """A line per measure, variant and point, if they are few enough to be read. Medians over all points of a sweep say
    little: they depend on which points there are."""
    keys = tuple(found.study.sweep)
    lines = [
        (
            _with_unit(found.study, column),
            point.variant,
            *(_setting(point.settings[key]) for key in keys),
            f"{point.runs}",
            *_spread_of_point(point.columns[column]),
        )
        for column in found.study.columns
        for point in summary.points
    ]
    if not 0 < len(lines) <= MOST_LINES:
        if keys:
            results().print(f"{len(found.study.points)} points, all together; figure.png shows them", markup=False)
        return False
    headings = ("measure", "variant", *keys, "runs", f"median {percent}", "quartiles", "share")
    _print_table(f"{summary.scenario}, {len(found.study.points)} points", headings, lines)
    return True


def _spread_of_point(spread: Spread) -> tuple[str, str, str]:
    """Of a single run, its number alone."""
    median, quartiles, share = _spread(spread)
    return (f"{spread.median:.4g}", "", "") if spread.count == 1 else (median, quartiles, share)


def _setting(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else f"{value}"


def _print_failures(summary: Summary, found: Results) -> None:
    count = sum(variant.failed for variant in summary.variants.values())
    if not count:
        return
    first = islice((row for row in found.rows if row.failed), SHOWN_FAILURES)
    swept = bool(found.study.sweep)
    failed = [(row.variant, described(row.settings) if swept else "", f"{row.seed}", row.message) for row in first]
    more = [("...", "", "", f"and {count - SHOWN_FAILURES} more, in runs.csv")] * (count > SHOWN_FAILURES)
    _print_table("failed runs", ("variant", "point", "seed", "message"), [*failed, *more])


def described(settings: dict[str, object]) -> str:
    """A point of a sweep in one line."""
    return ", ".join(f"{key}={_setting(value)}" for key, value in settings.items())


def _with_unit(study: Study, column: str) -> str:
    """A column with the unit of its measure, if that has one."""
    from pushpoint.analysis import unit_of

    unit = next(unit_of(wanted.name) for wanted in study.measurements if wanted.column == column)
    return f"{column} [{unit}]" if unit else column


def _print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns that are empty in all rows are left out."""
    from rich.table import Table
    from rich.text import Text

    used = [k for k in range(len(headings)) if any(row[k] for row in rows)]
    table = Table(title=Text(title), title_justify="left", box=None, padding=(0, 1))
    for k in used:
        table.add_column(headings[k], overflow="fold", no_wrap=k > 1 and headings[k] not in ("message", "point"))
    for row in rows:
        table.add_row(*(Text(row[k]) for k in used))
    results().print(table)


def _runs(variant: VariantSummary) -> str:
    """`19 + 1 failed`: runs that ended, and others apart."""
    if not variant.failed:
        return f"{variant.runs}"
    return f"{variant.runs - variant.failed} + {variant.failed} failed"


def _notes(summary: Summary) -> Iterator[str]:
    """How failed runs count, and in which runs steps were accepted."""
    from pushpoint.studies.summary import FAILED_RUNS

    for label, variant in summary.variants.items():
        for column, spread in variant.columns.items():
            if spread.share is not None and variant.failed:
                share = spread.share
                yield (
                    f"{label}: {column} is above {share.beyond:g} in {share.count} of {share.total - share.failed} "
                    f"runs that ended; {_counted(share.failed, 'failed run')} as not above: "
                    f"{share.count} of {share.total}"
                )
        if variant.accepted:
            yield (
                f"{label}: {variant.accepted_steps} steps in {variant.accepted} of {variant.runs} runs were not solved "
                "to the tolerance, but accepted (plant.on_failure)"
            )
    if any(variant.failed for variant in summary.variants.values()):
        yield FAILED_RUNS


def _counted(count: int, what: str) -> str:
    return f"{count} {what} counts" if count == 1 else f"{count} {what}s count"


def _spread(spread: Spread) -> tuple[str, str, str]:
    """Median, quartiles, share."""
    share = spread.share
    shown = "" if share is None else f"{share.share:.2f} {_ends(share.interval)} > {share.beyond:g}"
    if not spread.count:
        return "not measured", "", shown
    low, high = spread.quartiles
    return f"{spread.median:.4g} {_ends(spread.interval)}", f"{low:.4g} … {high:.4g}", shown


def _comparison(summary: Summary, label: str, column: str) -> tuple[str, str, str, str, str]:
    """Pairs, difference, its p, difference of the shares, its p."""
    compared = (summary.variants[label].against_first or {})[column]
    share = compared.share
    shares = ("", "") if share is None else (f"{share.difference:+.2f} {_ends(share.interval)}", f"{share.p_value:.2g}")
    if not compared.pairs:
        return "0", "not measured", "", *shares
    difference = f"{compared.difference:+.4g} {_ends(compared.interval)}"
    return f"{compared.pairs}", difference, f"{compared.p_value:.2g}", *shares


def _ends(interval: tuple[float, float]) -> str:
    if interval == (-math.inf, math.inf):
        return "[too few runs]"
    return f"[{interval[0]:.4g}, {interval[1]:.4g}]"
