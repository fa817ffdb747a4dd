"""Claims of P4: Koushan, Hybrid Obstacle Aided Locomotion in Snake Robots, 2020, chapter 5. Data only.

P4 counts from 1, this package from 0: P4's links 2, 3, 5 are 1, 2, 4 here, its obstacles 1, 2, 3 are pegs 0, 1, 2.
Entries whose id begins with `qp-` are checks of ours: the same tasks by `push-shape`. Angles and forces of P4
count only while all contacts last, as means over a window. All runs have joints with a damping of
0.5 N m s/rad, which P4 does not give and which changes results (erratum P4-7).
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction._adding import MM, Asked, claims_about, known, measured
from pushpoint.reproduction._statement import Statement, check, derived, half_digit, less_than, more_than, printed
from pushpoint.scenarios.koushan2020_variants import BENDS, FORCE, contact_links

claim = claims_about("koushan2020")
PAIRS = [[1, 0], [2, 1], [4, 2]]  # links and pegs that should stay together
SETTLED = 4.0  # [s]: from when on the quadratic program has to be there
UNBALANCED = (
    "Three smooth contacts hold forces at rest only in the null space of the base wrench map, (2, 3, 1) for a straight "
    "robot: these set-points are not in it (erratum P4-6). The torques bend the robot until it leaves its pegs"
)


def last(window: float) -> dict[str, Any]:
    """Options of measures: over the last so many seconds with all contacts."""
    return {"pairs": PAIRS, "window": window}


def lasting(end: float) -> Statement:
    """That all contacts last until the end of our run [s]."""
    return Statement(kind="derived", text="all the time", low=end, reason="P4 assumes it (5.4.1); the end of our run.")


TOO_SHORT = "Contacts are lost within a second, so that there is nothing to compare (ratio 1)."
NOTHING_KEEPS = "Nothing in (3.38)-(3.49) keeps a contact that can open: (3.16) takes it to hold (erratum P4-5)."

# --- 5.2 ---

STEADY = {"centre": 6, "start": 18.0}
BEAM: dict[str, Any] = {"centre": 6, "torque": -2.0, "reach": 1.35}
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
    claim(f"validity-{slug}", "5.2, Fig. 5.3", measured("validity", measure, **options)).says(
        statement, derived(0.0, half_digit("2"), CLOSE, f"close to {slug}")
    )
    claim(f"validity-{slug}-exact", "5.2, Fig. 5.3", measured("validity", measure, **options)).says(
        f"{statement}, as exact as our model is",
        check("0", None, within, "Statics, and contacts that yield by nothing."),
    )
for suffix, end, window, on in (
    ("", "", {"start": 18.0}, {}),
    ("-mujoco", ", on MuJoCo", {"start": 4.0, "end": 8.0}, {"overrides": {"plant": "mujoco"}}),
):
    claim(
        f"validity-torques{suffix}", "5.2, Fig. 5.3", measured("validity", "torque_off_statics", **BEAM, **window)
    ).says(
        f"Joint torques of a straight robot on three pegs are those of statics, largest difference{end}",
        check("0", None, 0.15, SETUP),
        note=UNSTABLE if suffix else "",
        **on,
    )
    for peg, force, name in ((0, 1.48, "tail's"), (1, 2.96, "centre"), (2, 1.48, "head's")):
        claim(f"validity-force-{peg + 1}{suffix}", "5.2", measured("validity", "peg_force", peg=peg, **window)).says(
            f"Force on the {name} peg{end}",
            check(f"{force}", round(0.75 * force, 3), round(1.25 * force, 3), SETUP),
            **on,
        )

# --- 5.3 ---

FILTERED, UNFILTERED = "position-filtered", "position-unfiltered"
claim(FILTERED, "5.3, Fig. 5.6", measured(FILTERED, "link_angle_while", link=4, **last(10.0))).says(
    "With the filter of essential positions link 5 comes to 0.3 rad, mean of the last 10 s with all contacts",
    printed("0.3"),
    **known(f"{NOTHING_KEEPS} The first is lost after 5 s.", 0.0, 0.001),
)
claim(f"{FILTERED}-contacts", "5.3, Fig. 5.8", measured(FILTERED, "first_loss", pairs=PAIRS)).says(
    "All contacts last, first instant with a gap of more than 5 mm", lasting(60.0), **known(NOTHING_KEEPS, 5.0, 0.2)
)
claim(
    f"{FILTERED}-compensates",
    "5.3, Fig. 5.6",
    measured(FILTERED, "joint_angle_ratio_while", joint=4, other=3, **last(4.0)),
).says(
    "The robot bends the joint before link 5 and compensates by bending the next one to the other side (ratio)",
    less_than(0.0, "in the opposite direction"),
)
claim(f"{UNFILTERED}-angle", "5.3, Fig. 5.7", measured(UNFILTERED, "link_angle_mean", link=4, start=20.0)).says(
    "Without the filter link 5 stays quite far from 0.3 rad, mean of the last 10 s",
    less_than(0.3 - half_digit("0.3"), "quite far from 0.3"),
    note="Contacts are lost here and in P4.",
    **known("The link swings free, once its contacts are lost, and takes the angle.", 0.308, 0.1),
)
claim(f"{UNFILTERED}-tail", "5.3, Fig. 5.7", measured(UNFILTERED, "joint_over_others", joint=0, start=20.0)).says(
    "Without the filter the robot simply turns its first joint (its angle over the largest of the others)",
    more_than(1.0, "simply turns its first joint"),
)
claim(f"{UNFILTERED}-contacts", "5.3, Fig. 5.9", measured(UNFILTERED, "first_loss", pairs=PAIRS)).says(
    "and loses contacts, first instant with a gap of more than 5 mm, before the end of the run", less_than(30.0, "lost")
)

# --- 5.4 ---

for chains, figure, pegs, lost in (("regular", "Fig. 5.11", (2,), 0.08), ("minimal", "Fig. 5.12", (1, 2), 1.1)):
    for peg in pegs:
        claim(
            f"force-{chains}-{peg + 1}",
            f"5.4, {figure}",
            measured(f"force-{chains}", "peg_force_while", peg=peg, **last(2.0)),
        ).says(
            f"With {chains} chains the force on obstacle {peg + 1} is close to 2 N, mean of the last "
            "2 s with all contacts",
            printed("2"),
            **known(f"{UNBALANCED}.", 0.0, 0.001),
        )
    claim(f"force-{chains}-contacts", f"5.4, {figure}", measured(f"force-{chains}", "first_loss", pairs=PAIRS)).says(
        f"With {chains} chains all contacts last, first instant with a gap of more than 5 mm",
        lasting(4.0),
        **known(f"{UNBALANCED}.", lost, 0.1),
    )
claim(
    "force-regular-2-never", "5.4.1, Fig. 5.11", measured("force-regular", "peg_force_peak_while", peg=1, pairs=PAIRS)
).says(
    "With regular chains the force on obstacle 2 never reaches 2 N, largest mean of 20 ms while contacts last",
    less_than(2.0, "never reaches 2"),
    **known(f"{UNBALANCED}: within 0.1 s, with a peak.", 5.67, 1.0),
)
claim(
    "force-regular-3-better",
    "5.4.1, Fig. 5.11",
    measured("force-regular", "peg_force_error_ratio", peg=2, other=1, force=2.0, **last(1.0)),
).says(
    "and that on obstacle 3 is much better controlled (ratio of mean errors)",
    less_than(1.0, "better"),
    **known(TOO_SHORT, 1.0, 0.001),
)
claim(
    "force-minimal-smoother",
    "5.4.2, Fig. 5.12",
    measured("force-minimal force-regular", "torque_roughness_ratio", **last(1.0)),
).says(
    "Control with minimal chains is smoother than with regular ones (ratio of changes of torques)",
    less_than(1.0, "smoother"),
    **known(TOO_SHORT, 1.0, 0.001),
)

# --- 5.5 ---

SECOND, THIRD = {"link": 2, "relative_to": 1}, {"link": 4, "relative_to": 2}
FREE = (
    "P4's robot jams between its obstacles. This one swings its tail, leaves the pegs within 0.1 s, and is free to "
    "take the angles."
)
claim(
    "ignored-joints-third", "5.5.1, Fig. 5.14", measured("ignored-joints", "link_angle_while", **THIRD, **last(4.0))
).says(
    "Where torques of virtual joints are ignored, the third angle settles close to 0.2 rad, mean of "
    "the last 4 s with all contacts",
    printed("0.2"),
    **known(FREE, 0.0, 0.001),
)
claim("ignored-joints-second", "5.5.1, Fig. 5.14", measured("ignored-joints", "link_angle_lowest", **SECOND)).says(
    "and the second stays very far from -0.2 rad (lowest in 12 s)",
    more_than(-0.2 + half_digit("0.2"), "very far from -0.2"),
    **known(FREE, -0.227, 0.02),
)
claim("ignored-joints-jams", "5.5.1", measured("ignored-joints", "first_loss", pairs=PAIRS)).says(
    "It pushes against the obstacles and jams, first instant with a gap of more than 5 mm",
    lasting(12.0),
    **known(FREE, 0.08, 0.05),
)
claim("ignored-joints-saturated", "5.5.1, Fig. 5.14", measured("ignored-joints", "saturated_share", limit=2.0)).says(
    "The joint torques reach their limit (share of the time)", more_than(0.0, "reach"), **known(FREE, 0.0, 0.001)
)
SLOW = "It gets there slowly, and is there after 80 s; but a contact is lost after 34 s."
for slug, pair, number, differing in (
    ("second", SECOND, "-0.2", {}),
    ("third", THIRD, "0.2", known(SLOW, 0.1436, 0.005)),
):
    claim(
        f"active-joints-{slug}", "5.5.2, Fig. 5.15", measured("active-joints", "link_angle_while", **pair, **last(10.0))
    ).says(
        f"With torques for active joints only, the {slug} angle comes close to {number} rad, mean of "
        "the last 10 s with all contacts",
        printed(number),
        **differing,
    )
claim("active-joints-contacts", "5.5.2", measured("active-joints", "first_loss", pairs=PAIRS)).says(
    "and all contacts last, first instant with a gap of more than 5 mm",
    lasting(80.0),
    **known("(3.46)-(3.48) leave out what pegs do; nothing keeps contacts (P4-5).", 33.98, 0.5),
)

# --- 5.6 ---

claim("simultaneous-angle", "5.6, Fig. 5.17", measured("simultaneous", "link_angle_while", **THIRD, **last(5.0))).says(
    "Angle and force at the third obstacle at once: 0.1 rad, mean of the last 5 s with all contacts",
    printed("0.1"),
    **known(f"{UNBALANCED}.", 0.0, 0.001),
)
claim("simultaneous-force", "5.6, Fig. 5.17", measured("simultaneous", "peg_force_while", peg=2, **last(5.0))).says(
    "and 1 N, mean of the last 5 s with all contacts",
    printed("1"),
    **known(f"{UNBALANCED}. With the force goes a shape, which P4 does not ask for.", 0.0, 0.001),
)
claim(
    "filtering-smooths",
    "5.4, 5.6",
    measured("simultaneous simultaneous-unfiltered", "torque_roughness_ratio", **last(1.0)),
).says(
    "Filtering the measured forces makes the control smoother (ratio of changes of torques)", less_than(1.0, "smoother")
)

# --- 6.1.4, 7: joints between contacts ---

SET_POINTS: dict[str, Any] = {"angles": [-0.2, -0.1, 0.1, 0.2], "forces": [0.5, 1.0, 2.0]}
for joints, statement in (
    (2, "At least two joints between contacts are needed: more set-points can be held than with one"),
    (3, "More joints lead to a higher level of controllability: more set-points can be held with three than with two"),
):
    claim(
        f"joints-between-{joints}",
        "abstract, 6.1.4, 7",
        measured(
            f"joints-between-{joints} joints-between-{joints - 1}",
            "held_share_gain",
            **SET_POINTS,
            links=contact_links(joints),
            reference_links=contact_links(joints - 1),
        ),
    ).says(
        f"{statement} (gain of the share of 48)",
        more_than(0.0, "more"),
        note="Two angles and a force at three contacts, by statics; P4 suggests it from 5.4.",
    )

# --- the same tasks by the quadratic program ---


def settled(most: float) -> Statement:
    return check("0", None, most, "Our own program, once it has settled.")


def add_program(slug: str, asked: Asked, statement: str, most: float = 0.002, **fields: Any) -> None:
    """One check on our plant, and one on MuJoCo."""
    claim(f"qp-{slug}", "ours", asked).says(statement, settled(most), **fields)
    on_mujoco = claim(f"qp-{slug}-mujoco", "ours", asked)
    on_mujoco.says(f"{statement}, on MuJoCo", settled(most), overrides={"plant": "mujoco"}, **fields)


def add_forces(slug: str, scenario: str, wanted: tuple[float, float, float], within: float) -> None:
    """Checks of the forces of the three pegs [N]."""
    for peg, force in enumerate(wanted):
        add_program(
            f"{slug}-{peg + 1}",
            measured(scenario, "peg_force_off", peg=peg, force=force, start=SETTLED),
            f"The quadratic program holds {force:g} N at obstacle {peg + 1} to {100 * within:g} %",
            most=within * force,
        )


add_program(
    "position",
    measured("position-filtered-qp", "link_angle_off", link=4, angle=0.3, start=SETTLED),
    "The quadratic program holds link 5 at 0.3 rad from 4 s on, largest distance",
)
for slug, pair, wanted in (("second", SECOND, -0.2), ("third", THIRD, 0.2)):
    add_program(
        f"active-joints-{slug}",
        measured("active-joints-qp", "link_angle_off", **pair, angle=wanted, start=SETTLED),
        f"The quadratic program holds the {slug} angle at {wanted:g} rad from 4 s on, largest distance",
    )
add_program(
    "active-joints-contacts",
    measured("active-joints-qp", "largest_gap", pairs=PAIRS),
    "and keeps all contacts, largest gap",
    most=1.0,
    **MM,
)
add_program(
    "simultaneous-angle",
    measured("simultaneous-qp", "link_angle_off", **THIRD, angle=0.1, start=SETTLED),
    "In a shape that can hold both, the quadratic program holds 0.1 rad, largest distance",
)
add_program(
    "simultaneous-force",
    measured("simultaneous-qp", "peg_force_off", peg=2, force=1.0, start=SETTLED),
    "and 1 N, largest distance",
    most=0.02,
)
add_forces("force", "force-regular-qp", (1.6, 2.4, 0.8), 0.02)
add_forces("force-larger", "force-minimal-qp", (4.0, 6.0, 2.0), 0.02)
claim("qp-validity", "ours", measured("validity-qp", "torque_off_statics", **BEAM, start=SETTLED)).says(
    "With the forces of 5.2 as set-points, torques are those of statics, largest difference",
    check("0", None, 0.15, SETUP),
)
for joints in (2, 3):
    first, second, third = contact_links(joints)
    for slug, link, before, angle in (("second", second, first, BENDS[0]), ("third", third, second, BENDS[1])):
        claim(
            f"qp-joints-between-{joints}-{slug}",
            "ours",
            measured(
                f"joints-between-{joints}", "link_angle_off", link=link, relative_to=before, angle=angle, start=SETTLED
            ),
        ).says(
            f"With {joints} joints between contacts the program holds the {slug} angle, largest distance",
            settled(0.002),
        )
    claim(
        f"qp-joints-between-{joints}-force",
        "ours",
        measured(f"joints-between-{joints}", "peg_force_off", peg=2, force=FORCE, start=SETTLED),
    ).says(f"and the force, with {joints} joints between contacts, largest distance", settled(0.02))
claim(
    "qp-one-joint-holds-nothing",
    "ours",
    measured("joints-between-1", "held_share", **SET_POINTS, links=contact_links(1)),
).says(
    "With one joint between contacts none of the set-points can be held: nine conditions, eight unknowns",
    check("0", None, 0.0, "Gaps 3, balance 3, set-points 3; angles and place of three links 5, forces 3."),
)
