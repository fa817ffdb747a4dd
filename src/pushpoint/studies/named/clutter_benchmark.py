"""How well does a controller bring a robot through clutter? Fields by density, and fields of other kinds.

An entry is a controller: `pushpoint study run clutter-benchmark --load mine.py --set controller=mine`.
"""

from __future__ import annotations

from pushpoint.scenarios.lab_clutter import CROSSED, FIELDS
from pushpoint.studies.named import NamedStudy, studies
from pushpoint.studies.named._tables import markdown, need_columns
from pushpoint.studies.results import Results
from pushpoint.studies.study import Measurement, Study

SEEDS = tuple(range(1100, 1200))  # those below 1000 are for tuning
END = 30.0  # [s]
MEASURES = (
    Measurement(name="displacement", options={"axis": "x", "end": END}, label="progress"),
    Measurement(name="mean_speed_x"),
    Measurement(name="cost_of_transport", options={"end": END}),
    Measurement(name="peak_joint_torque"),
)
MEDIANS = ("mean_speed_x", "cost_of_transport", "peak_joint_torque")
HEADINGS = ("field", "crossed [%]", "95 %", "speed [mm/s]", "cost of transport", "peak torque [N m]", "failed")

studies.add(
    "clutter-benchmark",
    NamedStudy(
        "Share of fields that a controller crosses: pegs by density, other kinds, and the empty field to compare with",
        Study(
            scenario="lab/clutter-100",
            seeds=SEEDS,
            variants={
                name: {key: choice.model_dump() for key, choice in parts.items()} for name, parts in FIELDS.items()
            },
            measures=MEASURES,
            beyond={"progress": CROSSED},
        ),
    ),
)


def entry_table(results: Results) -> str:
    """The results of one entry as a Markdown table: medians, and shares of all runs, failed ones included.

    Parameters
    ----------
    results
        Of this study, perhaps with other seeds or fields.
    """
    need_columns(results, ("progress", *MEDIANS))
    rows = []
    for field, found in results.summary({"progress": CROSSED} | results.study.beyond).variants.items():
        share = found.columns["progress"].share
        assert share is not None
        low, high = share.interval
        numbers = [found.columns[name].median for name in MEDIANS]
        rows.append([
            field, f"{100 * share.share:.0f}", f"{100 * low:.0f} to {100 * high:.0f}", f"{1e3 * numbers[0]:.0f}",
            f"{numbers[1]:.1f}", f"{numbers[2]:.1f}", f"{found.failed}",
        ])  # fmt: skip
    return markdown(HEADINGS, rows)
