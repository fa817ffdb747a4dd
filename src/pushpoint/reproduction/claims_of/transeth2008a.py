"""Claims of P2: Transeth et al., Snake Robot Obstacle Aided Locomotion, 2008. Data only.

Scenarios translate P2's numbering; its link 6 is link 5 here, its links 2, 7 and 10 are 9, 4 and 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.reproduction._adding import CM, CM_PER_S, MM, claims_about, known, measured
from pushpoint.reproduction._statement import (
    LENGTH_READING,
    check,
    derived,
    less_than,
    more_than,
    printed,
    read_length,
    within,
)
from pushpoint.reproduction.published import curve, on_curve

KEY = "transeth2008a"
claim = claims_about(KEY)
MIDDLE = 5  # P2's link 6
SIMULATED, MEASURED = f"{KEY}/fig14-simulated", f"{KEY}/fig14-measured"
TWO_PERIODS: dict[str, Any] = {"axis": "x", "start": 0.0, "end": 9.0}  # of the gait, 4.5 s each
UNTIL_5_S: dict[str, Any] = {"axis": "x", "end": 5.0}
POINTS = {"every": 0.5}  # [s]: where the curves of Fig. 14 were read


def distance_of_curves() -> float:
    """Root mean square distance [m] of the two curves of Fig. 14 until 10 s."""
    one, other = curve(SIMULATED), curve(MEASURED)
    until = one.time <= 10.0
    return float(np.sqrt(np.mean(((one.x - other.x) ** 2 + (one.y - other.y) ** 2)[until])))


# Fig. 14 and section VIII-D2: along seven pipes.

claim("track-x6", "Fig. 14", measured("track", "link_coordinate", link=MIDDLE, axis="x", time=10.0)).says(
    "Along the track link 6 is at x = 2.12 m after 10 s", read_length("2.12")
)
claim("track-x6-converged", "Fig. 14", measured("track", "link_coordinate", link=MIDDLE, axis="x", time=10.0)).says(
    "It is where the model converges to as the time step shrinks",
    check("2.1195", 2.1192, 2.1198, "At steps from 2e-5 to 1e-2 s link 6 is within 0.4 mm of it."),
)
for slug, measure, number in (("lowest", "lowest", "-0.009"), ("highest", "highest", "0.186")):
    claim(f"track-y6-{slug}", "Fig. 14", measured("track", measure, link=MIDDLE, axis="y", end=10.0, **POINTS)).says(
        f"Along the track the {slug} y of link 6 is {number} m, of the points that were read", read_length(number)
    )
claim("track-simulated-path", "Fig. 14", measured("track", "rms_to_curve", link=MIDDLE, end=10.0)).says(
    "Link 6 follows the published simulated path, instant by instant (rms)",
    on_curve(SIMULATED),
    curve=SIMULATED,
    note="The start pose is not published; two thirds of the mean square come from the first second.",
)
claim("track-measured-path", "Fig. 14", measured("track", "rms_to_curve", link=MIDDLE, end=10.0)).says(
    "Link 6 is as far from the path measured on the robot as the published simulation (rms)",
    derived(
        round(distance_of_curves(), 4), on_curve(MEASURED).accuracy, "Distance between the two curves of the figure."
    ),
    curve=MEASURED,
)
claim("robot-behind", "VIII-D2", measured("track", "ahead_of_curve", link=MIDDLE, axis="x", end=10.0)).says(
    "The robot is 3 to 4 cm behind the simulation at any time (mean along x)",
    within("3", "4", "ca 3 to 4"),
    curve=MEASURED,
    **CM,
    note="P2's own two curves are 4.4 cm apart along x on average.",
)
claim("track-speed", "VIII-D2", measured("track", "mean_speed", **TWO_PERIODS)).says(
    "Along the track the robot moves at about 15 cm/s",
    printed("15", "ca. 15"),
    **CM_PER_S,
    **known(
        "P2's own Fig. 14 has 15.9 cm/s, ours over two whole gait periods 16.1: the printed number is rounded down.",
        16.14,
        0.02,
    ),
)
claim("track-times-faster", "VIII-D2", measured("track flat", "speed_ratio", **TWO_PERIODS)).says(
    "That is 15 times faster than without obstacles, and in the opposite direction",
    printed("-15", "-15: 15 times faster, in the opposite direction"),
)
claim(
    "as-built-nearer-to-robot", "VIII-E", measured("track-as-built track", "rms_to_curve_gain", link=MIDDLE, end=10.0)
).says(
    "Play, delay, sampling and saturation explain part of the lag of the robot (change of rms)",
    less_than(0.0, "less"),
    curve=MEASURED,
)
claim(
    "misplaced-nearer-to-robot",
    "VIII-E",
    measured("track-misplaced track", "rms_to_curve_gain", link=MIDDLE, start=1.0, end=10.0),
).says(
    "A robot put down 5 mm behind and 5 mm beside its place explains part of the lag, once it has "
    "moved for 1 s (change of rms)",
    less_than(0.0, "less"),
    curve=MEASURED,
    **MM,
    note="5 mm is ours: what the clearance allows.",
    **known("The motion forgets its start: after a second both runs are on the same path.", 0.0006, 0.01),
)

# Fig. 13 and sections VIII-D1, VIII-D2: flat ground, other friction.

claim("flat-speed", "Fig. 13", measured("flat", "mean_speed", **TWO_PERIODS)).says(
    "Without obstacles the same gait creeps backwards at about 1 cm/s",
    printed("-1", "approximately -1"),
    **CM_PER_S,
    note="Centre of mass over two whole gait periods of 4.5 s.",
)
claim("flat-speed-converged", "Fig. 13", measured("flat", "mean_speed", **TWO_PERIODS)).says(
    "It is what the model converges to as the time step shrinks",
    check("-1.0425", -1.0455, -1.0395, "At steps from 2e-5 to 1e-2 s: -1.0467 to -1.0425."),
    **CM_PER_S,
)
claim(
    "less-dependent-on-ground",
    "VIII-D2",
    measured("track-slippery track-grippy flat-slippery flat-grippy", "sensitivity_ratio", axis="x", end=9.0),
).says(
    "With obstacles the distance depends less on the friction of the ground (0.05 to 0.5; relative "
    "change over that without obstacles)",
    less_than(1.0, "less dependent"),
)

# Section VIII-B: other obstacles.

claim("small-pegs-path", "Fig. 9 and Fig. 14", measured("track-small-pegs track", "rms_between", link=MIDDLE)).says(
    "With small obstacles the path of link 6 is almost identical (rms)",
    derived(0.0, 1e3 * LENGTH_READING, "No difference that could be read off a figure.", "almost identical"),
    **MM,
    note="P2 gives no positions; each peg's surface is put where its pipe touches the robot.",
)
claim(
    "link-7-pushed-right",
    "Figs. 10, 11",
    measured("track-small-pegs", "mean_contact_force", link=4, axis="y", start=4.5, end=5.5),
).says(
    "Around 5.2 s link 7 is pushed along -y",
    less_than(0.0, "negative"),
    **known(
        "The same forces with the opposite sign: link 7 is pushed along +y, links 2 and 10 along -y. The pegs "
        "stand on these sides in Fig. 14, so the y axis of Fig. 10 seems to point to the other side.",
        5.92,
        0.05,
    ),
)
for other, link in ((2, 9), (10, 1)):
    claim(
        f"link-7-pushed-more-than-{other}",
        "Fig. 11",
        measured("track-small-pegs", "contact_force_ratio", link=4, other=link, start=4.5, end=5.5),
    ).says(
        f"From 4.5 to 5.5 s the mean force on link 7 is higher than on link {other} (multiple of it)",
        more_than(1.0, "higher"),
    )
LAST_PIPE = 2.2588  # [m], x of obstacle 7, VIII-D2
claim("peg3-moved-completes", "VIII-B1", measured("track-peg3-moved", "highest", link=MIDDLE, axis="x")).says(
    "With obstacle 3 moved by a link diameter the robot completes the track (link 6 passes the last obstacle)",
    more_than(LAST_PIPE, "completes: beyond 2.2588"),
)
claim("peg3-removed-stops", "VIII-B1", measured("track-peg3-removed", "highest", link=MIDDLE, axis="x")).says(
    "Without obstacle 3 the robot does not complete the track (farthest x of link 6)",
    less_than(LAST_PIPE, "does not: short of 2.2588"),
)
# When obstacle 3 is only moved, the robot is back on its path after a gait period of 4.5 s: looked at for half of one.
for slug, what, last in (("moved", "moved by a link diameter", 2.25), ("removed", "removed", 10.0)):
    claim(
        f"peg3-{slug}-slides-left", "VIII-B1", measured(f"track-peg3-{slug} track", "mass_offset", axis="y", time=last)
    ).says(
        f"With obstacle 3 {what} the robot slides to the left (centre of mass beside that of the track run)",
        more_than(0.0, "to the left"),
    )
    claim(
        f"peg3-{slug}-turns-left",
        "VIII-B1",
        measured(f"track-peg3-{slug} track", "heading_difference", start=last - 2.25, end=last),
    ).says(
        f"With obstacle 3 {what} the robot turns anticlockwise (against the track run, mean of half a period)",
        more_than(0.0, "anticlockwise"),
    )

# Section VIII-B and Fig. 12: other gaits.

NO_POSITIONS = "P2 gives no positions; thin pegs are placed by its rule (see the scenario)."

claim("posture-low-stays", "Fig. 12a", measured("posture-low", "mean_speed", axis="x", start=0.5, end=5.0)).says(
    "With a phase shift of -30 deg the robot is unable to move forward (speed over a gait period)",
    less_than(0.0, "unable: not forward"),
    **CM_PER_S,
    note=f"{NO_POSITIONS} It gets along pipes of 0.08 m radius and more.",
)
claim("posture-high-moves", "Fig. 12b", measured("posture-high", "mean_speed", axis="x", start=0.5, end=5.0)).says(
    "With a phase shift of -70 deg the robot is able to move forward (speed over a gait period)",
    more_than(0.0, "able"),
    **CM_PER_S,
    note=NO_POSITIONS,
)
TORQUES = known(
    "P2 argues it from the contact forces. With the pegs placed here the forces grow, the joint torques do not.",
    0.952,
    0.005,
)
for slug, measure, what, differing in (
    ("inefficient", "contact_cost_ratio", "higher contact forces", {}),
    ("torques", "torque_cost_ratio", "larger joint torques", TORQUES),
):
    claim(f"posture-high-{slug}", "Fig. 12b", measured("posture-high placed", measure, **UNTIL_5_S)).says(
        f"With -70 deg {what} are needed for the same distance (multiple of those with -50 deg)",
        more_than(1.0, "more"),
        note=f"Time integral per metre. {NO_POSITIONS}",
        **differing,
    )
claim("amplitude-low-inefficient", "VIII-B", measured("amplitude-low placed", "contact_cost_ratio", **UNTIL_5_S)).says(
    "With a lower amplitude of 30 deg higher contact forces are needed for the same distance "
    "(multiple of those with 40 deg)",
    more_than(1.0, "more"),
    note=f"The amplitude is ours. Time integral per metre. {NO_POSITIONS}",
)
claim(
    "frequency-high-faster",
    "VIII-B",
    measured("track-frequency-high track", "speed_ratio", axis="x", start=0.0, end=5.0),
).says(
    "A higher frequency of 120 deg/s results in a greater speed (multiple of that with 80 deg/s)",
    more_than(1.0, "greater"),
    note="The frequency is ours.",
)
claim("frequency-high-impacts", "VIII-B", measured("track-frequency-high track", "peak_contact_ratio")).says(
    "and the impacts become harder (largest mean force of 10 ms, multiple)", more_than(1.0, "harder")
)

# Fig. 7, after Gray 1946: where three links between three pegs glide to. The middle one starts at x = 0.

for slug, moves, relation, published in (
    ("", "forward", "glide forward if alpha > beta", more_than(0.0, "forward")),
    ("-backward", "backward", "glide backward if alpha < beta", less_than(0.0, "backward")),
    ("-equal", "rest", "stay if alpha = beta", check("0", -1e-6, 1e-6, "Zero, but for round-off.")),
):
    claim(
        f"gray-{moves}",
        "Fig. 7",
        measured(f"lab/gray-three-links{slug}", "link_coordinate", link=1, axis="x", time=0.2),
    ).says(f"Three links {relation}", published, **MM)
