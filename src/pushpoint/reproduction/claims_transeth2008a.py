"""Claims of P2: Transeth et al., Snake Robot Obstacle Aided Locomotion, 2008. Data only.

Scenarios translate P2's numbering; its link 6 is link 5 here. Values of figures are read to about 4 mm.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction import Claim, claims
from pushpoint.scenario import Choice

KEY = "transeth2008a"
MIDDLE = 5  # P2's link 6


def add(slug: str, scenarios: str, measure: str, options: dict[str, Any], **fields: Any) -> None:
    """Register one claim; `scenarios` are slugs separated by blanks, in the order the measure takes them."""
    claim = Claim(
        id=f"{KEY}/{slug}",
        scenarios=tuple(f"{KEY}/{name}" for name in scenarios.split()),
        measure=Choice(name=measure, options=options),
        **fields,
    )
    claims.add(claim.id, claim)


# Fig. 14 and section VIII-D2: along seven pipes.

add(
    "track-x6",
    "track",
    "link_coordinate",
    {"link": MIDDLE, "axis": "x", "time": 10.0},
    figure="Fig. 14",
    statement="Along the track link 6 is at x = 2.12 m after 10 s",
    published="2.12",
    unit="m",
    accepted=(2.1165, 2.1225),
    note="The converged solution of the model is 2.1195 m.",
)
add(
    "track-y6-lowest",
    "track",
    "lowest",
    {"link": MIDDLE, "axis": "y"},
    figure="Fig. 14",
    statement="Along the track link 6 swings down to y = -0.014 m",
    published="-0.014",
    unit="m",
    accepted=(-0.02, -0.008),
)
add(
    "track-y6-highest",
    "track",
    "highest",
    {"link": MIDDLE, "axis": "y"},
    figure="Fig. 14",
    statement="Along the track link 6 swings up to y = 0.186 m",
    published="0.186",
    unit="m",
    accepted=(0.177, 0.195),
)
add(
    "track-simulated-path",
    "track",
    "rms_to_curve",
    {"link": MIDDLE, "end": 10.0},
    curve=f"{KEY}/fig14-simulated",
    figure="Fig. 14",
    statement="Link 6 follows the published simulated path, instant by instant (rms)",
    published="0",
    unit="m",
    accepted=(None, 0.015),
    note="The start pose is not published; two thirds of the mean square come from the first second.",
)
add(
    "track-measured-path",
    "track",
    "rms_to_curve",
    {"link": MIDDLE, "end": 10.0},
    curve=f"{KEY}/fig14-measured",
    figure="Fig. 14",
    statement="Link 6 is near the path measured on the robot, instant by instant (rms)",
    published="0.057",
    unit="m",
    accepted=(None, 0.065),
    note="Published value: distance between the two curves of the figure.",
)
add(
    "as-built-nearer-to-robot",
    "track-as-built track",
    "rms_to_curve_gain",
    {"link": MIDDLE, "end": 10.0},
    curve=f"{KEY}/fig14-measured",
    figure="Section VIII-E",
    statement="Play, delay, sampling and saturation explain part of the lag of the robot (change of rms)",
    published="< 0",
    unit="m",
    accepted=(None, -0.004),  # more than the reading accuracy of the figure
)

# Fig. 13 and section VIII-D1: flat ground.

add(
    "flat-speed",
    "flat",
    "mean_speed",
    {"axis": "x", "start": 0.0, "end": 9.0},
    figure="Fig. 13",
    statement="Without obstacles the same gait creeps backwards at about 1 cm/s",
    published="-1",
    unit="cm/s",
    scale=100.0,
    accepted=(-1.08, -0.98),
    note="Centre of mass over two whole gait periods of 4.5 s.",
)

# Section VIII-B: other obstacles.

add(
    "small-pegs-path",
    "track-small-pegs track",
    "rms_between",
    {"link": MIDDLE},
    figure="Fig. 9 and Fig. 14",
    statement="With small obstacles the path of link 6 is almost identical (rms)",
    published="almost identical",
    unit="mm",
    scale=1000.0,
    accepted=(None, 5.0),
    note="P2 gives no positions; each peg's surface is put where its pipe touches the robot.",
)
add(
    "peg3-moved-completes",
    "track-peg3-moved",
    "first_passage",
    {"link": MIDDLE, "axis": "x", "value": 2.2},
    figure="Section VIII-B1",
    statement="With obstacle 3 moved by a link diameter the robot completes the track (time at x = 2.2 m)",
    published="completes",
    unit="s",
    accepted=(None, 11.0),
)
add(
    "peg3-removed-stops",
    "track-peg3-removed",
    "highest",
    {"link": MIDDLE, "axis": "x"},
    figure="Section VIII-B1",
    statement="Without obstacle 3 the robot does not complete the track (farthest x of link 6)",
    published="does not complete",
    unit="m",
    accepted=(None, 1.0),
)
add(
    "peg3-removed-slides-left",
    "track-peg3-removed track",
    "mass_offset_at_end",
    {"axis": "y"},
    figure="Section VIII-B1",
    statement="Without obstacle 3 the robot slides to the left (centre of mass beside that of the track run)",
    published="to the left",
    unit="m",
    accepted=(0.05, None),  # about half a link's diameter
)

# Section VIII-B and Fig. 12: other phase shifts.

NO_POSITIONS = "P2 gives no positions; thin pegs are placed by its rule (see the scenario)."

add(
    "posture-low-stays",
    "posture-low track",
    "progress_ratio",
    {"axis": "x", "end": 5.0},
    figure="Fig. 12a",
    statement="With a phase shift of -30 deg the robot is unable to move forward (share of the track's way)",
    published="unable",
    unit="",
    accepted=(None, 0.15),
    note=f"{NO_POSITIONS} Holds for all radii that P2 lists, not for pipes of 0.08 m radius and more.",
)
add(
    "posture-high-moves",
    "posture-high track",
    "progress_ratio",
    {"axis": "x", "end": 5.0},
    figure="Fig. 12b",
    statement="With a phase shift of -70 deg the robot is able to move forward (share of the track's way)",
    published="able",
    unit="",
    accepted=(0.5, None),
    note=NO_POSITIONS,
)
add(
    "posture-high-inefficient",
    "posture-high track",
    "contact_cost_ratio",
    {"axis": "x", "end": 5.0},
    figure="Fig. 12b",
    statement="With -70 deg higher contact forces are needed for the same way (multiple of the track run's)",
    published="> 1",
    unit="",
    accepted=(1.2, None),
    note="Contact impulse per metre.",
)
add(
    "posture-high-torques",
    "posture-high track",
    "torque_cost_ratio",
    {"axis": "x", "end": 5.0},
    figure="Fig. 12b",
    statement="With -70 deg larger joint torques are needed for the same way (multiple of the track run's)",
    published="> 1",
    unit="",
    accepted=(1.2, None),
    note=NO_POSITIONS,
    differs="P2 argues it from the contact forces. With the pegs placed here the forces grow, but the joint torques, "
    "integrated per metre, are about those of the track run.",
)
