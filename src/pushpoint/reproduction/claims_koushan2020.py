"""Claims of P4: Koushan, Hybrid Obstacle Aided Locomotion in Snake Robots, 2020, chapter 5. Data only.

P4 counts from 1, this package from 0: P4's links 2, 3, 5 are 1, 2, 4 here, its obstacles 1, 2, 3 are pegs 0, 1, 2.
Claims whose id begins with `qp-` are ours: the same tasks by `push-shape`. All runs have joints with a damping of
0.5 N m s/rad, which P4 does not give and which changes results (erratum P4-7).
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction import Claim, claims
from pushpoint.scenario import Choice

KEY = "koushan2020"
PAIRS = [[1, 0], [2, 1], [4, 2]]  # links and pegs that should stay together
SETTLED = 4.0  # [s]: from when on the quadratic program has to be there
UNBALANCED = (
    "Three smooth contacts hold forces at rest only in the null space of the base wrench map, (2, 3, 1) for a straight "
    "robot: these set-points are not in it (erratum P4-6). The torques bend the robot until it leaves its pegs"
)


def add(slug: str, scenario: str, measure: str, options: dict[str, Any], **fields: Any) -> None:
    """Register one claim."""
    claim = Claim(
        id=f"{KEY}/{slug}",
        scenarios=(f"{KEY}/{scenario}",),
        measure=Choice(name=measure, options=options),
        **fields,
    )
    claims.add(claim.id, claim)


# --- 5.2 ---

STEADY = {"centre": 6, "start": 18.0}
VALIDITY: dict[str, Any] = {"figure": "5.2, Fig. 5.3", "unit": "N m"}
SETUP = "By statics of the set-up that gives P4's torques (erratum P4-8)."
UNSTABLE = (
    "Mean from 4 to 8 s. The balance is unstable on smooth ground: from small errors the robot slips off its pegs "
    "after 10 s on MuJoCo; on planar_stepping, whose errors are round-off, it leans by 5 mrad after 40 s."
)
for suffix, end, window, on in (
    ("", "", {"start": 18.0}, {}),
    ("-mujoco", ", on MuJoCo", {"start": 4.0, "end": 8.0}, {"overrides": {"plant": "mujoco"}}),
):
    add(
        f"validity-torques{suffix}",
        "validity",
        "torque_off_statics",
        {"centre": 6, "torque": -2.0, "reach": 1.35, **window},
        statement=f"Joint torques of a straight robot on three pegs are those of statics, largest difference{end}",
        published="0",
        accepted=(None, 0.15),
        note=UNSTABLE if suffix else "",
        **VALIDITY,
        **on,
    )
    for peg, force, name in ((0, 1.48, "tail's"), (1, 2.96, "centre"), (2, 1.48, "head's")):
        add(
            f"validity-force-{peg + 1}{suffix}",
            "validity",
            "peg_force",
            {"peg": peg, **window},
            figure="5.2",
            unit="N",
            statement=f"Force on the {name} peg{end}",
            published=f"{force}",
            accepted=(round(0.75 * force, 3), round(1.25 * force, 3)),
            note="" if suffix else SETUP,
            **on,
        )
add(
    "validity-linear",
    "validity",
    "torque_off_a_line",
    {**STEADY, "joints": 4},
    statement="Torques between the pegs are linear in the distance from the centre, largest difference from a line",
    published="0",
    accepted=(None, 0.02),
    **VALIDITY,
)
add(
    "validity-symmetric",
    "validity",
    "torque_asymmetry",
    STEADY,
    statement="Torques are symmetric about the centre, largest difference",
    published="0",
    accepted=(None, 0.02),
    **VALIDITY,
)

# --- 5.3 ---

add(
    "position-filtered",
    "position-filtered",
    "link_angle",
    {"link": 4, "time": 60.0},
    figure="5.3, Fig. 5.6",
    unit="rad",
    statement="With the filter of essential positions link 5 comes to 0.3 rad",
    published="0.3",
    accepted=(0.27, 0.33),
    note="It overshoots on the way, and is still on it after 60 s.",
)
add(
    "position-filtered-overshoot",
    "position-filtered",
    "link_angle_peak",
    {"link": 4},
    figure="5.3, Fig. 5.6",
    unit="rad",
    statement="It does so without much overshoot, largest angle",
    published="about 0.3",
    accepted=(0.29, 0.35),
    differs="A PI loop about joints that only damping holds back has an overshoot of a third or more. (3.49) puts a "
    "projector of velocities to torques: 1 rad/s2 wanted becomes 234 rad/s2 while contacts hold, hence P4's gain of "
    "0.05 (errata P4-5, -7).",
)
add(
    "position-filtered-contacts",
    "position-filtered",
    "first_loss",
    {"pairs": PAIRS},
    figure="5.3, Fig. 5.8",
    unit="s",
    statement="All contacts last, first instant with a gap of more than 5 mm",
    published="all the time",
    accepted=(60.0, None),
    differs="Nothing in (3.38)-(3.41) keeps a contact that can open: (3.16) takes it to hold.",
)
add(
    "position-unfiltered-tail",
    "position-unfiltered",
    "link_angle",
    {"link": 0, "relative_to": 1, "time": 30.0},
    figure="5.3, Fig. 5.7",
    unit="rad",
    statement="Without the filter the robot mainly turns its first joint: angle of the tail link to the next",
    published="spinning around",
    accepted=(None, -0.3),
)
add(
    "position-unfiltered-contacts",
    "position-unfiltered",
    "first_loss",
    {"pairs": PAIRS},
    figure="5.3, Fig. 5.9",
    unit="s",
    statement="and loses contacts, first instant with a gap of more than 5 mm",
    published="lost",
    accepted=(None, 29.0),
)

# --- 5.4 ---

for chains, figure, pegs in (("regular", "Fig. 5.11", (2,)), ("minimal", "Fig. 5.12", (1, 2))):
    for peg in pegs:
        add(
            f"force-{chains}-{peg + 1}",
            f"force-{chains}",
            "peg_force",
            {"peg": peg, "start": 2.0},
            figure=f"5.4, {figure}",
            unit="N",
            statement=f"With {chains} chains the force on obstacle {peg + 1} comes near 2 N, mean from 2 to 4 s",
            published="2",
            accepted=(1.5, 2.5),
            differs=f"{UNBALANCED}.",
        )

# --- 5.5 ---

SECOND, THIRD = {"link": 2, "relative_to": 1}, {"link": 4, "relative_to": 2}
add(
    "ignored-joints-third",
    "ignored-joints",
    "link_angle",
    {**THIRD, "time": 12.0},
    figure="5.5.1, Fig. 5.14",
    unit="rad",
    statement="Where torques of virtual joints are ignored, the third angle settles close to 0.2 rad",
    published="0.2",
    accepted=(0.15, 0.25),
)
add(
    "ignored-joints-second",
    "ignored-joints",
    "link_angle",
    {**SECOND, "time": 12.0},
    figure="5.5.1, Fig. 5.14",
    unit="rad",
    statement="and the second stays very far from -0.2 rad",
    published="jammed",
    accepted=(-0.1, None),
    differs="P4's robot jams between its obstacles with torques at their limit. This one swings its tail, leaves the "
    "pegs within 0.1 s, and is free to take the angles.",
)
for slug, pair, wanted in (("second", SECOND, -0.2), ("third", THIRD, 0.2)):
    add(
        f"active-joints-{slug}",
        "active-joints",
        "link_angle",
        {**pair, "time": 80.0},
        figure="5.5.2, Fig. 5.15",
        unit="rad",
        statement=f"With torques for active joints only, the {slug} angle comes close to {wanted:g} rad",
        published=f"{wanted:g}",
        accepted=(wanted - 0.03, wanted + 0.03),
    )
add(
    "active-joints-contacts",
    "active-joints",
    "first_loss",
    {"pairs": PAIRS},
    figure="5.5.2",
    unit="s",
    statement="and all contacts last, first instant with a gap of more than 5 mm",
    published="all the time",
    accepted=(80.0, None),
    differs="(3.46)-(3.48) leave out what pegs do; nothing keeps contacts (P4-5).",
)

# --- 5.6 ---

add(
    "simultaneous-angle",
    "simultaneous",
    "link_angle",
    {**THIRD, "time": 10.0},
    figure="5.6, Fig. 5.17",
    unit="rad",
    statement="Angle and force at the third obstacle at once: 0.1 rad",
    published="0.1",
    accepted=(0.09, 0.11),
    differs=f"{UNBALANCED}.",
)
add(
    "simultaneous-force",
    "simultaneous",
    "peg_force",
    {"peg": 2, "start": 5.0},
    figure="5.6, Fig. 5.17",
    unit="N",
    statement="and 1 N, mean from 5 to 10 s",
    published="1",
    accepted=(0.8, 1.2),
    differs=f"{UNBALANCED}. With the force goes a shape, which P4 does not ask for.",
)

# --- the same tasks by the quadratic program ---

OURS: dict[str, Any] = {"published": "not published", "unit": "rad", "accepted": (None, 0.002)}


def add_program(slug: str, scenario: str, measure: str, options: dict[str, Any], **fields: Any) -> None:
    """One claim on our plant, and one on MuJoCo."""
    fields = OURS | {"figure": "ours"} | fields
    add(f"qp-{slug}", scenario, measure, options, **fields)
    fields["statement"] += ", on MuJoCo"
    add(f"qp-{slug}-mujoco", scenario, measure, options, overrides={"plant": "mujoco"}, **fields)


def add_forces(slug: str, scenario: str, wanted: tuple[float, float, float], within: float) -> None:
    """Claims on the forces of the three pegs [N]."""
    for peg, force in enumerate(wanted):
        add_program(
            f"{slug}-{peg + 1}",
            scenario,
            "peg_force_off",
            {"peg": peg, "force": force, "start": SETTLED},
            unit="N",
            accepted=(None, within * force),
            statement=f"The quadratic program holds {force:g} N at obstacle {peg + 1} to {100 * within:g} %",
        )


add_program(
    "position",
    "position-filtered-qp",
    "link_angle_off",
    {"link": 4, "angle": 0.3, "start": SETTLED},
    statement="The quadratic program holds link 5 at 0.3 rad from 4 s on, largest distance",
)
for slug, pair, wanted in (("second", SECOND, -0.2), ("third", THIRD, 0.2)):
    add_program(
        f"active-joints-{slug}",
        "active-joints-qp",
        "link_angle_off",
        {**pair, "angle": wanted, "start": SETTLED},
        statement=f"The quadratic program holds the {slug} angle at {wanted:g} rad from 4 s on, largest distance",
    )
add_program(
    "active-joints-contacts",
    "active-joints-qp",
    "largest_gap",
    {"pairs": PAIRS},
    unit="mm",
    scale=1e3,
    accepted=(None, 1.0),
    statement="and keeps all contacts, largest gap",
)
add_program(
    "simultaneous-angle",
    "simultaneous-qp",
    "link_angle_off",
    {**THIRD, "angle": 0.1, "start": SETTLED},
    statement="In a shape that can hold both, the quadratic program holds 0.1 rad, largest distance",
)
add_program(
    "simultaneous-force",
    "simultaneous-qp",
    "peg_force_off",
    {"peg": 2, "force": 1.0, "start": SETTLED},
    unit="N",
    accepted=(None, 0.02),
    statement="and 1 N, largest distance",
)
add_forces("force", "force-regular-qp", (1.6, 2.4, 0.8), 0.02)
add_forces("force-larger", "force-minimal-qp", (4.0, 6.0, 2.0), 0.02)
add(
    "qp-validity",
    "validity-qp",
    "torque_off_statics",
    {"centre": 6, "torque": -2.0, "reach": 1.35, "start": SETTLED},
    **OURS | {"unit": "N m", "accepted": (None, 0.15), "figure": "ours"},
    statement="With the forces of 5.2 as set-points, torques are those of statics, largest difference",
)
