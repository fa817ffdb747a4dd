"""Controllers of P4's runs: what they refuse, hold, and report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.analysis import measures
from pushpoint.errors import InvalidInput
from pushpoint.robots import Joint
from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup

KEY = "koushan2020"


def changed(slug: str, **overrides: Any) -> Scenario:
    return scenarios[f"{KEY}/{slug}"].with_overrides({k.replace("__", "."): v for k, v in overrides.items()})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"angle": [0.1]}, "angle has 1 values for 3 contacts"),
        ({"force": [None, 1.0]}, "force has 2 values for 3 contacts"),
        ({"contacts": [[2, 0], [1, 1], [4, 2]]}, "order from the tail"),
        ({"contacts": [[1, 0], [2, 1], [4, 7]]}, "contacts name peg 7; there are 3 pegs"),
        ({"contacts": [[1, 0], [2, 1], [9, 2]]}, "names link 9; robot 'snakesim' has links 0"),
        ({"free": [1, 2]}, "3 different ones"),
        ({"form": "improved"}, "form"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], said: str) -> None:
    scenario = scenarios[f"{KEY}/position-filtered"]
    merged = Choice(name=scenario.controller.name, options=scenario.controller.options | options)
    with pytest.raises(InvalidInput, match=said):
        pp.simulate(scenario.model_copy(update={"controller": merged}), duration=0.02)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"joint_angle": [0.0, 0.0]}, "joint_angle has 2 values"),
        ({"torque": [[13, 1.0]]}, "joint 13; robot 'snakesim' has joints 0 to 12"),
    ],
)
def test_bad_options_of_the_joint_loops_are_named(options: dict[str, Any], said: str) -> None:
    scenario = scenarios[f"{KEY}/validity"]
    with pytest.raises(InvalidInput, match=said):
        pp.simulate(scenario.model_copy(update={"controller": Choice(name="joint-pid", options=options)}))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"world.places": [0.45, 0.75]}, "2 places, but 3 sides"),
        ({"world.sides": [1.0, 0.5, -1.0]}, "allowed are 1 \\(left\\) and -1 \\(right\\)"),
        ({"world.radius": -0.1}, "radius"),
        ({"robot.joint_damping": -1.0}, "joint_damping"),
    ],
)
def test_bad_worlds_and_robots_are_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        pp.simulate(f"{KEY}/position-filtered", changes, duration=0.02)


def test_set_points_that_cannot_be_held_are_refused_with_what_is_left() -> None:
    """P4's own 2 N at obstacles 2 and 3, erratum P4-6."""
    both = [{"peg": 1, "force": 2.0}, {"peg": 2, "force": 2.0}]
    with pytest.raises(InvalidInput, match=r"cannot be held: a force of .* N along y is left"):
        pp.simulate(changed("force-regular-qp", controller__forces=both))


def test_lost_contacts_are_events() -> None:
    run = pp.simulate(f"{KEY}/force-regular", duration=1.0)
    names = run.events["name"].values.tolist()
    assert names.count("contact-lost") >= 3
    assert "link 1" in str(run.events["detail"].values[0])


@pytest.mark.parametrize("form", ["printed", "corrected"])
@pytest.mark.parametrize("options", [{"filtered": True}, {"passive": "eliminated"}, {"chains": "minimal"}])
def test_all_of_p4s_methods_run(form: str, options: dict[str, Any]) -> None:
    task = {"angle": [None, None, 0.1], "force": [None, 1.0, 1.0], "form": form, "force_lag": 0.05, **options}
    loops = {"position_loop": {"proportional": 0.05, "derivative": 1.0}, "force_loop": {"proportional": 0.1}}
    scenario = scenarios[f"{KEY}/position-filtered"]
    given = {key: scenario.controller.options[key] for key in ("pegs", "contacts")}
    controller = Choice(name="hybrid-position-force", options=given | task | loops)
    run = pp.simulate(scenario.model_copy(update={"controller": controller}), duration=0.1)
    assert np.isfinite(run.data["link_angle"].values).all()
    assert np.abs(run.data["joint_torque"].values).max() > 0.0


def test_a_run_goes_on_from_a_checkpoint_to_the_bit() -> None:
    whole = pp.simulate(f"{KEY}/simultaneous", duration=0.4)
    part = pp.simulate(f"{KEY}/simultaneous", duration=0.2)
    rest = pp.resume(part.checkpoint(), duration=0.4)
    assert np.array_equal(whole.data["link_angle"].values[-1], rest.data["link_angle"].values[-1])


def test_measures_refuse_what_is_not_there() -> None:
    run = pp.simulate(f"{KEY}/force-regular", duration=0.04)
    for measure, options in (
        ("link_angle", {"link": 6, "time": 0.0}),
        ("link_angle_peak", {"link": 0, "relative_to": 9}),
        ("peg_force", {"peg": 3, "start": 0.0}),
        ("largest_gap", {"pairs": [(1, 5)]}),
        ("torque_off_statics", {"centre": 5, "torque": 1.0, "reach": 1.0, "start": 0.0}),
        ("torque_off_a_line", {"centre": 2, "joints": 3, "start": 0.0}),
    ):
        with pytest.raises(InvalidInput):
            measures[measure](run, **options)
    assert measures["first_loss"](run, pairs=[(1, 0)], gap=1.0) == pytest.approx(0.04)
    assert measures["largest_gap"](run, pairs=[(1, 0)], end=0.0) == pytest.approx(0.0, abs=1e-12)


def without_motor(slug: str, joint: int, **options: Any) -> Scenario:
    """A run of P4 with one joint that is not actuated."""
    scenario = scenarios[f"{KEY}/{slug}"]
    robot = scenario.built_robot()
    joints = tuple(robot.joint(j).model_copy(update={"actuated": j != joint}) for j in range(len(robot.links) - 1))
    controller = Choice(name=scenario.controller.name, options=scenario.controller.options | options)
    return scenario.model_copy(update={"robot": robot.model_copy(update={"joints": joints}), "controller": controller})


@pytest.mark.parametrize(
    ("slug", "joint", "options", "said"),
    [
        ("ignored-joints", 4, {}, "joint 4 is not actuated: option passive = 'ignored' drops its torque"),
        ("position-filtered", 1, {"passive": "eliminated"}, "joint 1 is not actuated: option form = 'printed'"),
        ("force-regular", 0, {}, "option force.1: joint 0 of its closed kinematic chain is not actuated"),
        ("force-minimal", 3, {}, "option force.2: joint 3 of its closed kinematic chain is not actuated"),
        ("force-regular-qp", 2, {}, "joint 2, which is not actuated, would need -0.36 N m"),
    ],
)
def test_what_needs_a_motor_is_refused_without(slug: str, joint: int, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        pp.simulate(without_motor(slug, joint, **options), duration=0.02)


def test_pushing_along_needs_a_motor_at_every_joint() -> None:
    """With one joint limp it drifted off its path within half a second."""
    robot = scenarios["lab/hoal-sine"].built_robot()
    joints = tuple(Joint(actuated=j != 6) for j in range(13))
    limp = scenarios["lab/hoal-sine"].model_copy(update={"robot": robot.model_copy(update={"joints": joints})})
    with pytest.raises(InvalidInput, match=r"needs a motor at every joint; .* joint 6 is not actuated"):
        pp.simulate(limp, duration=0.02)


def test_sharp_paths_are_refused_on_demand() -> None:
    """P4 (3.51): the sine of hoal-sine has radii of 0.36 m for links of 0.3 m."""
    pp.simulate("lab/hoal-sine", {"controller.curvature_limit": 1.0}, duration=0.02)
    with pytest.raises(InvalidInput, match=r"radius of 0\.362 m .* should be 0\.6 m at least"):
        pp.simulate("lab/hoal-sine", {"controller.curvature_limit": 0.5}, duration=0.02)


@pytest.mark.parametrize(
    ("slug", "joint", "options"),
    [
        ("active-joints", 4, {"form": "corrected", "free": "auto"}),
        ("active-joints", 0, {"form": "printed"}),
        ("position-filtered-qp", 4, {}),
    ],
)
def test_what_needs_no_motor_there_runs_and_gives_it_no_torque(slug: str, joint: int, options: dict[str, Any]) -> None:
    scenario = without_motor(slug, joint, **options)
    setup = Setup.of(scenario)
    at_rest, sensed = setup.plant.initial_state(setup.start_pose()), {}
    state = setup.controller.start(setup.observe(at_rest, sensed, 0))
    for tick in range(1, 4):
        state, command, _ = setup.controller.step(state, setup.observe(at_rest, sensed, tick))
    assert command.torque[joint] == 0.0
    assert np.abs(command.torque).max() > 0.0
    assert np.isfinite(pp.simulate(scenario, duration=0.4).data["link_angle"].values).all()


def test_the_program_turns_a_link_with_a_limp_joint() -> None:
    """5.3 with the joint before the last contact limp: pegs and the other joints do it."""
    run = pp.simulate(without_motor("position-filtered-qp", 4, ramp=0.5), duration=1.5)
    angle = run.data["link_angle"].values[-1, 4]
    assert angle == pytest.approx(0.3, abs=0.01)


OPTIONS_OF_P4_8 = {
    "chains": "largest",
    "passive": "eliminated",
    "free": "auto",
    "form": "corrected",
    "arbitrary": {"damping": 5.0, "away": 1.0},
    "position_loop": {"proportional": 25.0, "derivative": 10.0},
}


def test_largest_chains_a_chosen_psi_and_k_run_and_go_on_to_the_bit() -> None:
    scenario = scenarios[f"{KEY}/active-joints"]
    controller = Choice(name="hybrid-position-force", options=scenario.controller.options | OPTIONS_OF_P4_8)
    scenario = scenario.model_copy(update={"controller": controller})
    whole, part = pp.simulate(scenario, duration=0.4), pp.simulate(scenario, duration=0.2)
    rest = pp.resume(part.checkpoint(), duration=0.4)
    assert np.array_equal(whole.data["link_angle"].values[-1], rest.data["link_angle"].values[-1])
    assert np.isfinite(whole.data["link_angle"].values).all()


def test_nearness_to_a_singularity_is_an_event() -> None:
    """Six variables of three contacts, straight: the place along each link is the same motion, x_0."""
    run = pp.simulate(changed("position-unfiltered", controller__singular_below=1e-3), duration=0.1)
    assert run.events["name"].values.tolist()[0] == "near-singular"
    far = pp.simulate(
        changed("position-filtered", controller__others="free", controller__singular_below=1e-3), duration=0.1
    )
    assert "near-singular" not in far.events["name"].values.tolist()
