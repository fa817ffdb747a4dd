"""Claims of P1: Liljebäck et al., Hybrid Modelling and Control of Obstacle-Aided Snake Robot Locomotion, 2010.

Data only. Its link 6 of eleven is link 5 here, its link and joint 5 of ten are 4. Runs among obstacles are chaotic: a
start moved by 0.1 mm ends elsewhere. Such claims are about the median of twenty starts, each jittered by up to 0.1 mm,
and what these scatter by belongs to what is accepted: P1's run could be one of them.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction._adding import CM_PER_S, adder, known, measured
from pushpoint.reproduction._statement import (
    Statement,
    at_least,
    check,
    counted,
    more_than,
    printed,
    read,
    read_length,
    read_time,
)
from pushpoint.reproduction.published import on_curve

add = adder("liljeback2010")
MIDDLE = 5  # P1's link 6 of eleven
FIFTH = 4  # P1's link and joint 5 of ten
RUNS = 20
POINT = {"plant.contact": "point"}
PRINTED = {"plant.obstacle_friction": "printed"}
CURVE = "liljeback2010/fig11"
FRICTION = 0.2  # VIII-B1: mu_o


# Figs. 10 and 11, section VIII-A: along seven pipes.

TRACK = {"figure": "Fig. 11", "unit": "m"}
AT_THE_CENTRE = "With forces at the centres of links, as the text has it, the robot is 11 cm behind in the end. "
add(
    "track-x6",
    measured("track", "link_coordinate", link=MIDDLE, axis="x", time=11.0),
    statement="Along the track link 6 is at x = 2.147 m after 11 s",
    published=read_length("2.147"),
    **TRACK,
    **known(f"{AT_THE_CENTRE}With forces where links touch it is there to 1 cm.", 2.036, 0.002),
)
for axis, ours in (("x", 0.062), ("y", 0.024)):
    add(
        f"track-curve-{axis}",
        measured("track", "rms_to_curve", link=MIDDLE, axis=axis),
        curve=CURVE,
        statement=f"Link 6 follows the published {axis}(t), rms",
        published=on_curve(CURVE, axis),
        **TRACK,
        **known(f"{AT_THE_CENTRE}See track-curve-at-the-point.", ours, 0.002),
    )
add(
    "track-curve-at-the-point",
    measured("track", "rms_to_curve", link=MIDDLE),
    curve=CURVE,
    overrides=POINT,
    statement="Link 6 follows the published curve when obstacles push where they touch, rms",
    published=on_curve(CURVE),
    note="With forces at the link centres, as the text has it, it is 66 mm.",
    **TRACK,
    **known("Nearly: 10.1 mm, where the figure is read to 9.4 mm.", 0.01006, 0.0003),
)


# Section VIII-B: ensembles.


def add_both(
    slug: str, measure: str, options: dict[str, Any], published: tuple[Statement, Statement], **fields: Any
) -> None:
    """Register a claim about the run among rows and one about that in clutter; `statement` has a place for both.

    `rows` and `clutter` hold what is known to differ.
    """
    statement, known_of = fields.pop("statement"), {name: fields.pop(name, {}) for name in ("rows", "clutter")}
    for scenario, where, value in zip(
        ("rows", "clutter"), ("Among rows of obstacles", "In clutter"), published, strict=True
    ):
        add(
            f"{scenario}-{slug}",
            measured(scenario, measure, **options),
            seeds=RUNS,
            statement=f"{where} {statement}",
            published=value,
            **fields,
            **known_of[scenario],
        )


UNTIL_30_S = {"axis": "x", "end": 30.0}
METRES = {"figure": "VIII-B3, Fig. 12", "unit": "m"}
add(
    "serpenoid-gets-stuck",
    measured("rows-serpenoid", "displacement", axis="x", end=20.0),
    seeds=RUNS,
    figure="VIII-B2, Fig. 12",
    unit="m",
    statement="Lateral undulation among rows of obstacles gets about 0.5 m far in 20 s",
    published=printed("0.5", "about 0.5"),
    **known("It gets stuck here too, but earlier.", 0.338, 0.002),
)
add(
    "rows-without-resolution",
    measured("rows-no-resolution", "displacement", **UNTIL_30_S),
    seeds=RUNS,
    statement="Without the resolution of jams the hybrid controller gets stuck",
    published=check("stuck", None, 0.6, "About what lateral undulation makes; P1 does not try it."),
    **METRES,
)
add_both(
    "distance",
    "displacement",
    UNTIL_30_S,
    (printed("2.5", "about 2.5"),) * 2,
    statement="the hybrid controller gets about 2.5 m far in 30 s",
    **METRES,
)
SLOWER = "It is what the distance in 30 s makes; P1's two numbers do not agree with each other."
add_both(
    "speed",
    "mean_speed",
    {"axis": "x", "start": 0.0, "end": 30.0},
    (printed("10", "around 10"),) * 2,
    figure="VIII-B3, Fig. 13",
    statement="the velocity varies around 10 cm/s (mean over 30 s)",
    **CM_PER_S,
    note="2.5 m in 30 s, which P1 states too, are 8.3 cm/s.",
    rows=known(SLOWER, 9.208, 0.02),
    clutter=known(SLOWER, 7.717, 0.02),
)
JAMS = {"name": "resolution"}
MORE_JAMS = "A few more. It depends on readings of the text: see docs/theory/departures-p1."
add_both(
    "jams",
    "event_count",
    JAMS,
    (counted(6), counted(8)),
    figure="VIII-B3, Fig. 13",
    statement="jam resolution starts so many times in 30 s",
    rows=known(MORE_JAMS, 7.0, 0.5),
    clutter=known(MORE_JAMS, 10.0, 0.5),
)
EARLY = "The first jam comes earlier. It depends on readings of the text: see docs/theory/departures-p1."
add_both(
    "first-jam",
    "event_time",
    JAMS,
    (read_time("3.5"), read_time("2.9")),
    figure="Fig. 13",
    unit="s",
    statement="the first jam resolution starts at this time",
    rows=known(EARLY, 2.365, 0.02),
    clutter=known(EARLY, 2.775, 0.02),
)
add(
    "rows-force",
    measured("rows", "peak_force_on_link", link=FIFTH),
    seeds=RUNS,
    figure="VIII-B3, Fig. 14",
    unit="N",
    statement="Constraint forces above 200 N act on link 5",
    published=at_least("200", "above 200"),
    note="Means of 10 ms.",
)
add(
    "rows-torque",
    measured("rows", "peak_torque_of_joint", joint=FIFTH),
    seeds=RUNS,
    figure="Fig. 14",
    unit="N m",
    statement="The torque of joint 5 has peaks of 15 N m",
    published=read("15", "15; the text: sometimes as high as 10"),
    note="The largest mean of 10 ms in 30 s.",
)
add(
    "rows-fig-15",
    measured("rows", "resolutions_that_turn", clockwise=3, anticlockwise=7, duration=0.5),
    seeds=RUNS,
    figure="Fig. 15",
    statement="A jam by forces on links 4 and 8 is resolved by turning link 4 clockwise and link 8 "
    "anticlockwise (how many such)",
    published=more_than(0.0, "one at 17.05 s"),
    **known("Runs are chaotic, and jams are others: most runs have none by these two links.", 0.0, 0.5),
)
add(
    "rows-p-matrix",
    measured("rows", "least_friction_bound"),
    seeds=RUNS,
    figure="VIII-B1, Remark 19",
    statement="The matrix of (53) is a P-matrix in every step (least friction up to which it is one)",
    published=more_than(FRICTION, "always, at mu_o = 0.2"),
    note="In all rows, every 10 ms. The plant tests every step.",
)
add(
    "rows-full-rank",
    measured("rows", "least_contact_singular_value"),
    figure="Property 13",
    statement="The matrix of (38) has full rank for all poses (smallest singular value, rows of length 1)",
    published=more_than(0.0, "full rank"),
    note="P1 argues it from physics. Proof: an end link in moment balance carries no lateral force, and so on "
    "along the chain.",
)

# Other readings of the model.

add(
    "rows-distance-printed",
    measured("rows", "displacement", **UNTIL_30_S),
    overrides=PRINTED,
    seeds=RUNS,
    statement="The distance among rows with the friction of obstacles as printed in (51)",
    published=printed("2.5", "about 2.5"),
    note="The printed selection matrix lets friction push every contact on the left side forward.",
    **METRES,
    **known("It gets less far, in all of the runs.", 2.024, 0.01),
)
add(
    "rows-jams-printed",
    measured("rows", "event_count", **JAMS),
    overrides=PRINTED,
    seeds=RUNS,
    figure="VIII-B3, Fig. 13",
    statement="The number of jams among rows with that friction",
    published=counted(6),
    **known("Fewer than published: such friction pushes the robot on.", 2.0, 0.5),
)
add(
    "clutter-distance-at-the-point",
    measured("clutter", "displacement", **UNTIL_30_S),
    overrides=POINT,
    seeds=RUNS,
    statement="The distance in clutter when obstacles push where they touch",
    published=printed("2.5", "about 2.5"),
    note="A jitter of 0.1 mm hardly mixes: most of the twenty runs end alike. Timers 5 ms longer give 1.52 m.",
    **METRES,
)
