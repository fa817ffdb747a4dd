"""Claims of P1: Liljebäck et al., Hybrid Modelling and Control of Obstacle-Aided Snake Robot Locomotion, 2010.

Data only. Its link 6 of eleven is link 5 here, its link and joint 5 of ten are 4. Runs among obstacles are chaotic: a
start moved by 0.1 mm ends elsewhere. Such claims are about the median of twenty starts, each jittered by up to 0.1 mm.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction import Claim, claims
from pushpoint.scenario import Choice

KEY = "liljeback2010"
MIDDLE = 5  # P1's link 6 of eleven
FIFTH = 4  # P1's link and joint 5 of ten
RUNS = 20
POINT = {"plant.contact": "point"}
PRINTED = {"plant.obstacle_friction": "printed"}
CURVE = "liljeback2010/fig11"


def add(slug: str, scenario: str, measure: str, options: dict[str, Any], **fields: Any) -> None:
    """Register one claim."""
    claim = Claim(
        id=f"{KEY}/{slug}",
        scenarios=(f"{KEY}/{scenario}",),
        measure=Choice(name=measure, options=options),
        **fields,
    )
    claims.add(claim.id, claim)


def add_way(slug: str, scenario: str, statement: str, end: float = 30.0, **fields: Any) -> None:
    """Register a claim about the way along x in `end` [s], the median of RUNS starts."""
    add(
        slug,
        scenario,
        "way",
        {"axis": "x", "end": end},
        **{"figure": "VIII-B3, Fig. 12", "unit": "m", "seeds": RUNS, "statement": statement} | fields,
    )


# Figs. 10 and 11, section VIII-A: along seven pipes.

TRACK = {"figure": "Fig. 11", "unit": "m"}
add(
    "track-x6",
    "track",
    "link_coordinate",
    {"link": MIDDLE, "axis": "x", "time": 11.0},
    statement="Along the track link 6 is at x = 2.15 m after 11 s",
    published="2.15",
    accepted=(1.95, 2.2),
    **TRACK,
)
add(
    "track-curve-x",
    "track",
    "rms_to_curve",
    {"link": MIDDLE, "axis": "x"},
    curve=CURVE,
    statement="Link 6 follows the published x(t), rms",
    published="0",
    accepted=(None, 0.09),
    **TRACK,
)
add(
    "track-curve-y",
    "track",
    "rms_to_curve",
    {"link": MIDDLE, "axis": "y"},
    curve=CURVE,
    statement="Link 6 follows the published y(t), rms",
    published="0",
    accepted=(None, 0.04),
    **TRACK,
)
add(
    "track-curve-at-the-point",
    "track",
    "rms_to_curve",
    {"link": MIDDLE},
    curve=CURVE,
    overrides=POINT,
    statement="Link 6 follows the published curve when obstacles push where they touch, rms",
    published="0",
    accepted=(None, 0.02),
    note="Reading the figure is good to 4 mm. With forces at the link centres, as the text has it, it is 66 mm.",
    **TRACK,
)

# Section VIII-B2, Fig. 12 top.

add_way(
    "serpenoid-gets-stuck",
    "rows-serpenoid",
    "Lateral undulation among rows of obstacles gets about 0.5 m far in 20 s",
    end=20.0,
    figure="VIII-B2, Fig. 12",
    published="0.5",
    accepted=(None, 0.6),
)

# Section VIII-B3, Figs. 12 to 14.

add_way(
    "rows-way",
    "rows",
    "Among rows of obstacles the hybrid controller gets about 2.5 m far in 30 s",
    published="2.5",
    accepted=(2.2, None),
)
add_way(
    "rows-without-resolution",
    "rows-no-resolution",
    "Without the resolution of jams it gets stuck",
    published="less",
    accepted=(None, 0.6),
)
add_way(
    "rows-way-printed",
    "rows",
    "The same with the friction of obstacles as printed in (51)",
    overrides=PRINTED,
    published="2.5",
    accepted=(2.8, None),
    note="The printed selection matrix lets friction push every contact on the left side forward. The interval covers "
    "the limit: timers 5 ms longer, or control at 500 Hz, give 2.79 m.",
)
add(
    "rows-jams-printed",
    "rows",
    "event_count",
    {"name": "resolution"},
    overrides=PRINTED,
    seeds=RUNS,
    figure="Fig. 13",
    statement="Among rows of obstacles jam resolution starts six times in 30 s; friction as printed",
    published="6",
    accepted=(6, 12),
)
add(
    "rows-jams",
    "rows",
    "event_count",
    {"name": "resolution"},
    seeds=RUNS,
    figure="Fig. 13",
    statement="Among rows of obstacles jam resolution starts six times in 30 s",
    published="6",
    accepted=(6, 12),
    differs="Friction that always opposes sliding makes four times as many jams; with the printed sign, which lets it "
    "push, it is twice as many.",
)
add_way(
    "clutter-way",
    "clutter",
    "In clutter the hybrid controller gets about 2.5 m far in 30 s",
    published="2.5",
    accepted=(1.6, None),
)
add_way(
    "clutter-way-at-the-point",
    "clutter",
    "The same when obstacles push where they touch",
    overrides=POINT,
    published="2.5",
    accepted=(2.2, None),
    note="A jitter of 0.1 mm hardly mixes: most of the twenty runs end alike. Timers 5 ms longer give 1.52 m.",
)
add(
    "rows-force",
    "rows",
    "peak_force_on_link",
    {"link": FIFTH},
    seeds=RUNS,
    figure="Fig. 14",
    unit="N",
    statement="Constraint forces above 100 N act on link 5",
    published="200",
    accepted=(100, None),
)
add(
    "rows-torque",
    "rows",
    "peak_torque_of_joint",
    {"joint": FIFTH},
    seeds=RUNS,
    figure="Fig. 14",
    unit="N m",
    statement="The torque of joint 5 reaches 10 N m",
    published="10 to 15",
    accepted=(10, None),
    note="The largest mean of 10 ms in 30 s, the median of twenty runs, is higher than the highest peak published.",
)
