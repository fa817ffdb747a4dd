"""Which fields are hopeless for a robot that only pushes, and how many of these, and of the others, are crossed?

A field is marked by the planner of paths (`has_push_path`), which sees the whole map: hopeless is one in which it finds
no path along which three pegs push enough everywhere.
"""

from __future__ import annotations

from pushpoint.scenarios.lab_clutter import CROSSED, FIELDS
from pushpoint.studies.named import NamedStudy, studies
from pushpoint.studies.named._tables import markdown, need_columns
from pushpoint.studies.results import Results, Row
from pushpoint.studies.statistics import share_interval
from pushpoint.studies.study import Measurement, Study

DENSITIES = ("100", "70", "50")
END = 30.0  # [s]
HEADINGS = ("field", "fields", "hopeless", "crossed, of all [%]", "of the others [%]", "of the hopeless [%]")

studies.add(
    "clutter-hopeless",
    NamedStudy(
        "Fields in which no path has push enough: how many there are, and how many a controller crosses all the same",
        Study(
            scenario="lab/clutter-100",
            seeds=tuple(range(1100, 1160)),
            variants={name: {"world": FIELDS[name]["world"].model_dump()} for name in DENSITIES},
            measures=(
                Measurement(name="displacement", options={"axis": "x", "end": END}, label="progress"),
                Measurement(name="has_push_path", options={"distance": CROSSED}, label="passable"),
            ),
            beyond={"progress": CROSSED},
        ),
    ),
)


def shares_table(results: Results) -> str:
    """Shares that are crossed of all fields, of those with a path, and of the hopeless ones, as a Markdown table.

    Parameters
    ----------
    results
        Of this study, perhaps with another controller or other seeds. A run that failed has no mark: it is left out of
        the last two columns, and has not crossed. Where no run has a mark, `hopeless` is "no marks".
    """
    need_columns(results, ("progress",))
    lines = []
    for field in dict.fromkeys(row.variant for row in results.rows):
        rows = [row for row in results.rows if row.variant == field]
        others, hopeless = ([row for row in rows if row.values.get("passable") == mark] for mark in (1.0, 0.0))
        marked = str(len(hopeless)) if others or hopeless else "no marks"
        lines.append([field, str(len(rows)), marked, *map(_share, (rows, others, hopeless))])
    return markdown(HEADINGS, lines)


def _share(rows: list[Row]) -> str:
    """How many of some runs have crossed, with Wilson's interval of 95 %."""
    if not rows:
        return "-"
    crossed = sum(row.values.get("progress", 0.0) > CROSSED for row in rows)
    low, high = share_interval(crossed, len(rows))
    return f"{crossed} of {len(rows)}: {100 * crossed / len(rows):.0f} [{100 * low:.0f}, {100 * high:.0f}]"
