"""Claims of P1: Liljebäck et al., Hybrid Modelling and Control of Obstacle-Aided Snake Robot Locomotion, 2010.

Data only. Its link 6 of eleven is link 5 here, its link and joint 5 of ten are 4. Runs among obstacles are chaotic: a
start moved by 0.1 mm ends elsewhere. Such claims are about the median of twenty starts, each jittered by up to 0.1 mm,
and what these scatter by belongs to what is accepted: P1's run could be one of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pushpoint.reproduction._adding import CM_PER_S, Subject, claims_about, known, measured
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

claim = claims_about("liljeback2010")
MIDDLE = 5  # P1's link 6 of eleven
FIFTH = 4  # P1's link and joint 5 of ten
RUNS = 20
POINT = {"plant.contact": "point"}
PRINTED = {"plant.obstacle_friction": "printed"}
CURVE = "liljeback2010/fig11"
FRICTION = 0.2  # VIII-B1: mu_o


# Figs. 10 and 11, section VIII-A: along seven pipes.

AT_THE_CENTRE = "With forces at the centres of links, as the text has it, the robot is 11 cm behind in the end. "
claim("track-x6", "Fig. 11", measured("track", "link_coordinate", link=MIDDLE, axis="x", time=11.0)).says(
    "Along the track link 6 is at x = 2.147 m after 11 s",
    read_length("2.147"),
    **known(f"{AT_THE_CENTRE}With forces where links touch it is there to 1 cm.", 2.036, 0.002),
)
for axis, ours in (("x", 0.062), ("y", 0.024)):
    claim(f"track-curve-{axis}", "Fig. 11", measured("track", "rms_to_curve", link=MIDDLE, axis=axis)).says(
        f"Link 6 follows the published {axis}(t), rms",
        on_curve(CURVE, axis),
        curve=CURVE,
        **known(f"{AT_THE_CENTRE}See track-curve-at-the-point.", ours, 0.002),
    )
claim("track-curve-at-the-point", "Fig. 11", measured("track", "rms_to_curve", link=MIDDLE)).says(
    "Link 6 follows the published curve when obstacles push where they touch, rms",
    on_curve(CURVE),
    curve=CURVE,
    overrides=POINT,
    note="With forces at the link centres, as the text has it, it is 66 mm.",
    **known("Nearly: 10.1 mm, where the figure is read to 9.4 mm.", 0.01006, 0.0003),
)


# Section VIII-B: ensembles.


class Said(NamedTuple):
    """What is published of the run among rows or of that in clutter, and what is known to differ."""

    published: Statement
    differing: dict[str, Any]


def add_both(subject: Subject, statement: str, rows: Said, clutter: Said, **fields: Any) -> None:
    """Register a claim about the run among rows, and the same about that in clutter."""
    for name, where, said in (("rows", "Among rows of obstacles", rows), ("clutter", "In clutter", clutter)):
        about = subject._replace(slug=f"{name}-{subject.slug}", asked=subject.asked._replace(scenarios=(name,)))
        about.says(f"{where} {statement}", said.published, seeds=RUNS, **said.differing, **fields)


UNTIL_30_S = {"axis": "x", "end": 30.0}
claim("serpenoid-gets-stuck", "VIII-B2, Fig. 12", measured("rows-serpenoid", "displacement", axis="x", end=20.0)).says(
    "Lateral undulation among rows of obstacles gets about 0.5 m far in 20 s",
    printed("0.5", "about 0.5"),
    seeds=RUNS,
    **known("It gets stuck here too, but earlier.", 0.338, 0.002),
)
claim("rows-without-resolution", "VIII-B3, Fig. 12", measured("rows-no-resolution", "displacement", **UNTIL_30_S)).says(
    "Without the resolution of jams the hybrid controller gets stuck",
    check("stuck", None, 0.6, "About what lateral undulation makes; P1 does not try it."),
    seeds=RUNS,
)
FAR = Said(printed("2.5", "about 2.5"), {})
add_both(
    claim("distance", "VIII-B3, Fig. 12", measured("", "displacement", **UNTIL_30_S)),
    "the hybrid controller gets about 2.5 m far in 30 s",
    FAR,
    FAR,
)
SLOWER = "It is what the distance in 30 s makes; P1's two numbers do not agree with each other."
add_both(
    claim("speed", "VIII-B3, Fig. 13", measured("", "mean_speed", axis="x", start=0.0, end=30.0)),
    "the velocity varies around 10 cm/s (mean over 30 s)",
    Said(printed("10", "around 10"), known(SLOWER, 9.208, 0.02)),
    Said(printed("10", "around 10"), known(SLOWER, 7.717, 0.02)),
    **CM_PER_S,
    note="2.5 m in 30 s, which P1 states too, are 8.3 cm/s.",
)
JAMS = {"name": "resolution"}
MORE_JAMS = "A few more. It depends on readings of the text: see docs/theory/departures-p1."
add_both(
    claim("jams", "VIII-B3, Fig. 13", measured("", "event_count", **JAMS)),
    "jam resolution starts so many times in 30 s",
    Said(counted(6), known(MORE_JAMS, 7.0, 0.5)),
    Said(counted(8), known(MORE_JAMS, 10.0, 0.5)),
)
EARLY = "The first jam comes earlier. It depends on readings of the text: see docs/theory/departures-p1."
add_both(
    claim("first-jam", "Fig. 13", measured("", "event_time", **JAMS)),
    "the first jam resolution starts at this time",
    Said(read_time("3.5"), known(EARLY, 2.365, 0.02)),
    Said(read_time("2.9"), known(EARLY, 2.775, 0.02)),
)
claim("rows-force", "VIII-B3, Fig. 14", measured("rows", "peak_force_on_link", link=FIFTH)).says(
    "Constraint forces above 200 N act on link 5", at_least("200", "above 200"), seeds=RUNS, note="Means of 10 ms."
)
claim("rows-torque", "Fig. 14", measured("rows", "peak_torque_of_joint", joint=FIFTH)).says(
    "The torque of joint 5 has peaks of 15 N m",
    read("15", "15; the text: sometimes as high as 10"),
    seeds=RUNS,
    note="The largest mean of 10 ms in 30 s.",
)
claim(
    "rows-fig-15", "Fig. 15", measured("rows", "resolutions_that_turn", clockwise=3, anticlockwise=7, duration=0.5)
).says(
    "A jam by forces on links 4 and 8 is resolved by turning link 4 clockwise and link 8 anticlockwise (how many such)",
    more_than(0.0, "one at 17.05 s"),
    seeds=RUNS,
    **known("Runs are chaotic, and jams are others: most runs have none by these two links.", 0.0, 0.5),
)
claim("rows-p-matrix", "VIII-B1, Remark 19", measured("rows", "least_friction_bound")).says(
    "The matrix of (53) is a P-matrix in every step (least friction up to which it is one)",
    more_than(FRICTION, "always, at mu_o = 0.2"),
    seeds=RUNS,
    note="In all rows, every 10 ms. The plant tests every step.",
)
claim("rows-full-rank", "Property 13", measured("rows", "least_contact_singular_value")).says(
    "The matrix of (38) has full rank for all poses (smallest singular value, rows of length 1)",
    more_than(0.0, "full rank"),
    note="P1 argues it from physics. Proof: an end link in moment balance carries no lateral force, and so on "
    "along the chain.",
)

# Other readings of the model.

claim("rows-distance-printed", "VIII-B3, Fig. 12", measured("rows", "displacement", **UNTIL_30_S)).says(
    "The distance among rows with the friction of obstacles as printed in (51)",
    printed("2.5", "about 2.5"),
    overrides=PRINTED,
    seeds=RUNS,
    note="The printed selection matrix lets friction push every contact on the left side forward.",
    **known("It gets less far, in all of the runs.", 2.024, 0.01),
)
claim("rows-jams-printed", "VIII-B3, Fig. 13", measured("rows", "event_count", **JAMS)).says(
    "The number of jams among rows with that friction",
    counted(6),
    overrides=PRINTED,
    seeds=RUNS,
    **known("Fewer than published: such friction pushes the robot on.", 2.0, 0.5),
)
claim("clutter-distance-at-the-point", "VIII-B3, Fig. 12", measured("clutter", "displacement", **UNTIL_30_S)).says(
    "The distance in clutter when obstacles push where they touch",
    printed("2.5", "about 2.5"),
    overrides=POINT,
    seeds=RUNS,
    note="A jitter of 0.1 mm hardly mixes: most of the twenty runs end alike. Timers 5 ms longer give 1.52 m.",
)
