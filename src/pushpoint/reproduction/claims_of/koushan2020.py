"""Claims of P4: Koushan, Hybrid Obstacle Aided Locomotion in Snake Robots, 2020, chapter 5. Data only.

P4 counts from 1, this package from 0: P4's links 2, 3, 5 are 1, 2, 4 here, its obstacles 1, 2, 3 are pegs 0, 1, 2.
Entries whose id begins with `qp-` are checks of ours: the same tasks by `push-shape`. Angles and forces of P4
count only while all contacts last, as means over a window. All runs have joints with a damping of
0.5 N m s/rad, which P4 does not give and which changes results (erratum P4-7).
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction._adding import MM, Asked, adder, known, measured
from pushpoint.reproduction._statement import (
    Statement,
    check,
    derived,
    half_digit,
    less_than,
    more_than,
    printed,
)
from pushpoint.scenarios.koushan2020_variants import BENDS, FORCE, contact_links

add = adder("koushan2020")
PAIRS = [[1, 0], [2, 1], [4, 2]]  # links and pegs that should stay together
SETTLED = 4.0  # [s]: from when on the quadratic program has to be there
UNBALANCED = (
    "Three smooth contacts hold forces at rest only in the null space of the base wrench map, (2, 3, 1) for a straight "
    "robot: these set-points are not in it (erratum P4-6). The torques bend the robot until it leaves its pegs"
)


def lasting(end: float) -> Statement:
    """That all contacts last until the end of our run [s]."""
    return Statement(kind="derived", text="all the time", low=end, reason="P4 assumes it (5.4.1); the end of our run.")


TOO_SHORT = "Contacts are lost within a second, so that there is nothing to compare (ratio 1)."
NOTHING_KEEPS = "Nothing in (3.38)-(3.49) keeps a contact that can open: (3.16) takes it to hold (erratum P4-5)."

# --- 5.2 ---

STEADY = {"centre": 6, "start": 18.0}
VALIDITY: dict[str, Any] = {"figure": "5.2, Fig. 5.3", "unit": "N m"}
SETUP = "By statics of the set-up that gives P4's torques (erratum P4-8); P4 prints no forces."
UNSTABLE = (
    "Mean from 4 to 8 s. The balance is unstable on smooth ground: from small errors the robot slips off its pegs "
    "after 10 s on MuJoCo; on planar_stepping, whose errors are round-off, it leans by 5 mrad after 40 s."
)
CLOSE = "To half the last digit of the torque of -2 N m at the centre."
for slug, measure, options, what, within in (
    ("linear", "torque_off_a_line", {**STEADY, "joints": 4}, "linear in the distance from the centre", 0.02),
    ("symmetric", "torque_asymmetry", STEADY, "symmetric about the centre", 0.02),
):
    statement = f"Torques between the pegs are {what}, largest difference"
    add(
        f"validity-{slug}",
        measured("validity", measure, **options),
        statement=statement,
        published=derived(0.0, half_digit("2"), CLOSE, f"close to {slug}"),
        **VALIDITY,
    )
    add(
        f"validity-{slug}-exact",
        measured("validity", measure, **options),
        statement=f"{statement}, as exact as our model is",
        published=check("0", None, within, "Statics, and contacts that give way by nothing."),
        **VALIDITY,
    )
for suffix, end, window, on in (
    ("", "", {"start": 18.0}, {}),
    ("-mujoco", ", on MuJoCo", {"start": 4.0, "end": 8.0}, {"overrides": {"plant": "mujoco"}}),
):
    add(
        f"validity-torques{suffix}",
        measured("validity", "torque_off_statics", centre=6, torque=-2.0, reach=1.35, **window),
        statement=f"Joint torques of a straight robot on three pegs are those of statics, largest difference{end}",
        published=check("0", None, 0.15, SETUP),
        note=UNSTABLE if suffix else "",
        **VALIDITY,
        **on,
    )
    for peg, force, name in ((0, 1.48, "tail's"), (1, 2.96, "centre"), (2, 1.48, "head's")):
        add(
            f"validity-force-{peg + 1}{suffix}",
            measured("validity", "peg_force", peg=peg, **window),
            figure="5.2",
            unit="N",
            statement=f"Force on the {name} peg{end}",
            published=check(f"{force}", round(0.75 * force, 3), round(1.25 * force, 3), SETUP),
            **on,
        )

# --- 5.3 ---

FILTERED, UNFILTERED = "position-filtered", "position-unfiltered"
add(
    FILTERED,
    measured(FILTERED, "link_angle_while", link=4, pairs=PAIRS, window=10.0),
    figure="5.3, Fig. 5.6",
    unit="rad",
    statement="With the filter of essential positions link 5 comes to 0.3 rad, mean of the last 10 s with all contacts",
    published=printed("0.3"),
    **known(f"{NOTHING_KEEPS} The first is lost after 5 s.", 0.0, 0.001),
)
add(
    f"{FILTERED}-contacts",
    measured(FILTERED, "first_loss", pairs=PAIRS),
    figure="5.3, Fig. 5.8",
    unit="s",
    statement="All contacts last, first instant with a gap of more than 5 mm",
    published=lasting(60.0),
    **known(NOTHING_KEEPS, 5.0, 0.2),
)
add(
    f"{FILTERED}-compensates",
    measured(FILTERED, "joint_angle_ratio_while", joint=4, other=3, pairs=PAIRS, window=4.0),
    figure="5.3, Fig. 5.6",
    statement="The robot bends the joint before link 5 and compensates by bending the next one the other way (ratio)",
    published=less_than(0.0, "in the opposite direction"),
)
add(
    f"{UNFILTERED}-angle",
    measured(UNFILTERED, "link_angle_mean", link=4, start=20.0),
    figure="5.3, Fig. 5.7",
    unit="rad",
    statement="Without the filter link 5 stays quite far from 0.3 rad, mean of the last 10 s",
    published=less_than(0.3 - half_digit("0.3"), "quite far from 0.3"),
    note="Contacts are lost here and in P4.",
    **known("The link swings free, once its contacts are lost, and takes the angle.", 0.308, 0.1),
)
add(
    f"{UNFILTERED}-tail",
    measured(UNFILTERED, "joint_over_others", joint=0, start=20.0),
    figure="5.3, Fig. 5.7",
    statement="Without the filter the robot simply turns its first joint (its angle over the largest of the others)",
    published=more_than(1.0, "simply turns its first joint"),
)
add(
    f"{UNFILTERED}-contacts",
    measured(UNFILTERED, "first_loss", pairs=PAIRS),
    figure="5.3, Fig. 5.9",
    unit="s",
    statement="and loses contacts, first instant with a gap of more than 5 mm, before the end of the run",
    published=less_than(30.0, "lost"),
)

# --- 5.4 ---

for chains, figure, pegs, lost in (("regular", "Fig. 5.11", (2,), 0.08), ("minimal", "Fig. 5.12", (1, 2), 1.1)):
    for peg in pegs:
        add(
            f"force-{chains}-{peg + 1}",
            measured(f"force-{chains}", "peg_force_while", peg=peg, pairs=PAIRS, window=2.0),
            figure=f"5.4, {figure}",
            unit="N",
            statement=f"With {chains} chains the force on obstacle {peg + 1} is close to 2 N, mean of the last "
            "2 s with all contacts",
            published=printed("2"),
            **known(f"{UNBALANCED}.", 0.0, 0.001),
        )
    add(
        f"force-{chains}-contacts",
        measured(f"force-{chains}", "first_loss", pairs=PAIRS),
        figure=f"5.4, {figure}",
        unit="s",
        statement=f"With {chains} chains all contacts last, first instant with a gap of more than 5 mm",
        published=lasting(4.0),
        **known(f"{UNBALANCED}.", lost, 0.1),
    )
add(
    "force-regular-2-never",
    measured("force-regular", "peg_force_peak_while", peg=1, pairs=PAIRS),
    figure="5.4.1, Fig. 5.11",
    unit="N",
    statement="With regular chains the force on obstacle 2 never reaches 2 N, largest mean of 20 ms while "
    "contacts last",
    published=less_than(2.0, "never reaches 2"),
    **known(f"{UNBALANCED}: within 0.1 s, with a peak.", 5.67, 1.0),
)
add(
    "force-regular-3-better",
    measured("force-regular", "peg_force_error_ratio", peg=2, other=1, force=2.0, pairs=PAIRS, window=1.0),
    figure="5.4.1, Fig. 5.11",
    statement="and that on obstacle 3 is much better controlled (ratio of mean errors)",
    published=less_than(1.0, "better"),
    **known(TOO_SHORT, 1.0, 0.001),
)
add(
    "force-minimal-smoother",
    measured("force-minimal force-regular", "torque_roughness_ratio", pairs=PAIRS, window=1.0),
    figure="5.4.2, Fig. 5.12",
    statement="Control with minimal chains is smoother than with regular ones (ratio of changes of torques)",
    published=less_than(1.0, "smoother"),
    **known(TOO_SHORT, 1.0, 0.001),
)

# --- 5.5 ---

SECOND, THIRD = {"link": 2, "relative_to": 1}, {"link": 4, "relative_to": 2}
FREE = (
    "P4's robot jams between its obstacles. This one swings its tail, leaves the pegs within 0.1 s, and is free to "
    "take the angles."
)
add(
    "ignored-joints-third",
    measured("ignored-joints", "link_angle_while", **THIRD, pairs=PAIRS, window=4.0),
    figure="5.5.1, Fig. 5.14",
    unit="rad",
    statement="Where torques of virtual joints are ignored, the third angle settles close to 0.2 rad, mean of "
    "the last 4 s with all contacts",
    published=printed("0.2"),
    **known(FREE, 0.0, 0.001),
)
add(
    "ignored-joints-second",
    measured("ignored-joints", "link_angle_lowest", **SECOND),
    figure="5.5.1, Fig. 5.14",
    unit="rad",
    statement="and the second stays very far from -0.2 rad (lowest in 12 s)",
    published=more_than(-0.2 + half_digit("0.2"), "very far from -0.2"),
    **known(FREE, -0.227, 0.02),
)
add(
    "ignored-joints-jams",
    measured("ignored-joints", "first_loss", pairs=PAIRS),
    figure="5.5.1",
    unit="s",
    statement="It pushes against the obstacles and jams, first instant with a gap of more than 5 mm",
    published=lasting(12.0),
    **known(FREE, 0.08, 0.05),
)
add(
    "ignored-joints-saturated",
    measured("ignored-joints", "saturated_share", limit=2.0),
    figure="5.5.1, Fig. 5.14",
    statement="The joint torques reach their limit (share of the time)",
    published=more_than(0.0, "reach"),
    **known(FREE, 0.0, 0.001),
)
SLOW = "It is on its way there, and is there after 80 s; but a contact is lost after 34 s."
for slug, pair, number, differing in (
    ("second", SECOND, "-0.2", {}),
    ("third", THIRD, "0.2", known(SLOW, 0.1436, 0.005)),
):
    add(
        f"active-joints-{slug}",
        measured("active-joints", "link_angle_while", **pair, pairs=PAIRS, window=10.0),
        figure="5.5.2, Fig. 5.15",
        unit="rad",
        statement=f"With torques for active joints only, the {slug} angle comes close to {number} rad, mean of "
        "the last 10 s with all contacts",
        published=printed(number),
        **differing,
    )
add(
    "active-joints-contacts",
    measured("active-joints", "first_loss", pairs=PAIRS),
    figure="5.5.2",
    unit="s",
    statement="and all contacts last, first instant with a gap of more than 5 mm",
    published=lasting(80.0),
    **known("(3.46)-(3.48) leave out what pegs do; nothing keeps contacts (P4-5).", 33.98, 0.5),
)

# --- 5.6 ---

add(
    "simultaneous-angle",
    measured("simultaneous", "link_angle_while", **THIRD, pairs=PAIRS, window=5.0),
    figure="5.6, Fig. 5.17",
    unit="rad",
    statement="Angle and force at the third obstacle at once: 0.1 rad, mean of the last 5 s with all contacts",
    published=printed("0.1"),
    **known(f"{UNBALANCED}.", 0.0, 0.001),
)
add(
    "simultaneous-force",
    measured("simultaneous", "peg_force_while", peg=2, pairs=PAIRS, window=5.0),
    figure="5.6, Fig. 5.17",
    unit="N",
    statement="and 1 N, mean of the last 5 s with all contacts",
    published=printed("1"),
    **known(f"{UNBALANCED}. With the force goes a shape, which P4 does not ask for.", 0.0, 0.001),
)
add(
    "filtering-smooths",
    measured("simultaneous simultaneous-unfiltered", "torque_roughness_ratio", pairs=PAIRS, window=1.0),
    figure="5.4, 5.6",
    statement="Filtering the measured forces makes the control smoother (ratio of changes of torques)",
    published=less_than(1.0, "smoother"),
)

# --- 6.1.4, 7: joints between contacts ---

SET_POINTS: dict[str, Any] = {"angles": [-0.2, -0.1, 0.1, 0.2], "forces": [0.5, 1.0, 2.0]}
for joints, statement in (
    (2, "At least two joints between contacts are needed: more set-points can be held than with one"),
    (3, "More joints lead to a higher level of controllability: more set-points can be held with three than with two"),
):
    add(
        f"joints-between-{joints}",
        measured(
            f"joints-between-{joints} joints-between-{joints - 1}",
            "held_share_gain",
            **SET_POINTS,
            links=contact_links(joints),
            reference_links=contact_links(joints - 1),
        ),
        figure="abstract, 6.1.4, 7",
        statement=f"{statement} (gain of the share of 48)",
        published=more_than(0.0, "more"),
        note="Two angles and a force at three contacts, by statics; P4 suggests it from 5.4.",
    )

# --- the same tasks by the quadratic program ---

OURS: dict[str, Any] = {"unit": "rad", "most": 0.002, "figure": "ours"}


def add_program(slug: str, asked: Asked, **fields: Any) -> None:
    """One check on our plant, and one on MuJoCo."""
    fields = OURS | fields
    fields["published"] = check("0", None, fields.pop("most"), "Our own program, once it has settled.")
    add(f"qp-{slug}", asked, **fields)
    fields["statement"] += ", on MuJoCo"
    add(f"qp-{slug}-mujoco", asked, overrides={"plant": "mujoco"}, **fields)


def add_forces(slug: str, scenario: str, wanted: tuple[float, float, float], within: float) -> None:
    """Checks of the forces of the three pegs [N]."""
    for peg, force in enumerate(wanted):
        add_program(
            f"{slug}-{peg + 1}",
            measured(scenario, "peg_force_off", peg=peg, force=force, start=SETTLED),
            unit="N",
            most=within * force,
            statement=f"The quadratic program holds {force:g} N at obstacle {peg + 1} to {100 * within:g} %",
        )


add_program(
    "position",
    measured("position-filtered-qp", "link_angle_off", link=4, angle=0.3, start=SETTLED),
    statement="The quadratic program holds link 5 at 0.3 rad from 4 s on, largest distance",
)
for slug, pair, wanted in (("second", SECOND, -0.2), ("third", THIRD, 0.2)):
    add_program(
        f"active-joints-{slug}",
        measured("active-joints-qp", "link_angle_off", **pair, angle=wanted, start=SETTLED),
        statement=f"The quadratic program holds the {slug} angle at {wanted:g} rad from 4 s on, largest distance",
    )
add_program(
    "active-joints-contacts",
    measured("active-joints-qp", "largest_gap", pairs=PAIRS),
    **MM,
    most=1.0,
    statement="and keeps all contacts, largest gap",
)
add_program(
    "simultaneous-angle",
    measured("simultaneous-qp", "link_angle_off", **THIRD, angle=0.1, start=SETTLED),
    statement="In a shape that can hold both, the quadratic program holds 0.1 rad, largest distance",
)
add_program(
    "simultaneous-force",
    measured("simultaneous-qp", "peg_force_off", peg=2, force=1.0, start=SETTLED),
    unit="N",
    most=0.02,
    statement="and 1 N, largest distance",
)
add_forces("force", "force-regular-qp", (1.6, 2.4, 0.8), 0.02)
add_forces("force-larger", "force-minimal-qp", (4.0, 6.0, 2.0), 0.02)
add(
    "qp-validity",
    measured("validity-qp", "torque_off_statics", centre=6, torque=-2.0, reach=1.35, start=SETTLED),
    figure="ours",
    unit="N m",
    published=check("0", None, 0.15, SETUP),
    statement="With the forces of 5.2 as set-points, torques are those of statics, largest difference",
)
for joints in (2, 3):
    first, second, third = contact_links(joints)
    for slug, link, before, angle in (("second", second, first, BENDS[0]), ("third", third, second, BENDS[1])):
        add(
            f"qp-joints-between-{joints}-{slug}",
            measured(
                f"joints-between-{joints}", "link_angle_off", link=link, relative_to=before, angle=angle, start=SETTLED
            ),
            figure="ours",
            unit="rad",
            statement=f"With {joints} joints between contacts the program holds the {slug} angle, largest distance",
            published=check("0", None, 0.002, "Our own program, once it has settled."),
        )
    add(
        f"qp-joints-between-{joints}-force",
        measured(f"joints-between-{joints}", "peg_force_off", peg=2, force=FORCE, start=SETTLED),
        figure="ours",
        unit="N",
        statement=f"and the force, with {joints} joints between contacts, largest distance",
        published=check("0", None, 0.02, "Our own program, once it has settled."),
    )
add(
    "qp-one-joint-holds-nothing",
    measured("joints-between-1", "held_share", **SET_POINTS, links=contact_links(1)),
    figure="ours",
    statement="With one joint between contacts none of the set-points can be held: nine conditions, eight unknowns",
    published=check("0", None, 0.0, "Gaps 3, balance 3, set-points 3; angles and place of three links 5, forces 3."),
)
