"""Steps in space that are accepted are sane: nothing sinks or passes through anything, no energy comes from nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.mechanics.put_down import put_down
from pushpoint.mechanics.spatial_pose import Attitude, spatial_pose
from pushpoint.plants.spatial_stepping.model import deepest_allowed, first_to_meet
from pushpoint.recording import Recording
from pushpoint.robots import Joint, Link, Robot, Servo
from pushpoint.scenario import Scenario
from pushpoint.types import Command, Repeated, Status
from pushpoint.worlds import World
from tests.properties.draws import Draw
from tests.properties.test_wild_space import depth_of, works_of
from tests.ticks import advance, observe
from tests.verification.spatial import build, within

LINK: dict[str, Any] = {"length": 0.12, "mass": 0.5, "inertia": 8e-4, "radius": 0.03, "inertia_roll": 2.2e-4}


def limp(links: int) -> dict[str, Any]:
    return {"name": "limp", "links": [LINK] * links, "joints": [{"axes": "pitch-yaw"}] * (links - 1)}


def on_a_slope(dt: float, **plant: Any) -> Scenario:
    """28 limp links dropped on a slope, where steps of 5 ms left links 18 cm below the plane."""
    draw = Draw(15)
    return Scenario.parse(
        {
            "name": "test/slope",
            "robot": limp(28),
            "world": {"name": "slope", "ground": {"friction": 0.3}, "down": [0.3, -0.5, -0.8]},
            "plant": {"name": "spatial_stepping", "options": {"dt": dt, **plant}},
            "controller": "hold",
            "start": {
                "joint_angle": [draw.uniform(-0.25, 0.25) for _ in range(54)],
                "height": 0.3,
                "velocity": [1.0, 1.0, 0.0],
            },
            "duration": 0.8,
        }
    )


@pytest.mark.parametrize("dt", [1e-2, 5e-3, 2e-3, 1e-3])
def test_links_on_a_slope_do_not_sink(dt: float) -> None:
    recording = pp.simulate(on_a_slope(dt))
    within(f"slope, dt {dt}: depth [m]", depth_of(recording), deepest_allowed(dt))
    within(f"slope, dt {dt}: numerical work", works_of(recording).numerical, 0.01)
    if dt >= 5e-3:
        assert recording.metrics()["repeated_steps"] > 0
        reasons = int(np.bitwise_or.reduce(recording.data["step_reasons"].values))
        assert Repeated(reasons) & (Repeated.ENERGY | Repeated.PENETRATION)


WALLS: dict[str, dict[str, Any]] = {  # thin ones, with their near side about x = 0.5
    "wall": {"kind": "wall", "points": [[0.5, -2.0], [0.5, 2.0]], "height": 1.0},
    "peg": {"kind": "disc", "x": 0.503, "y": 0.0, "radius": 0.003, "height": 1.0},
    "board": {"kind": "box", "centre": [0.502, 0.0, 0.3], "size": [0.004, 4.0, 1.0]},
    "wire": {"kind": "cylinder", "start": [0.503, -2.0, 0.1], "end": [0.503, 2.0, 0.1], "radius": 0.003},
}


@pytest.mark.parametrize("obstacle", WALLS)
@pytest.mark.parametrize("speed", [3.0, 10.0])
@pytest.mark.parametrize("dt", [1e-2, 2e-3])
def test_a_thrown_link_does_not_pass_through_thin_obstacles(obstacle: str, speed: float, dt: float) -> None:
    """A link that lies across its path; at 10 m/s it moves 10 cm in a step, through a wire of 6 mm."""
    scenario = Scenario.parse(
        {
            "name": "test/wall",
            "robot": {"name": "one", "links": [{**LINK, "radius": 0.01, "length": 0.3}]},
            "world": {"name": "w", "gravity": 0.0, "obstacles": [WALLS[obstacle]]},
            "plant": {"name": "spatial_stepping", "options": {"dt": dt}},
            "controller": "hold",
            "start": {"angle": np.pi / 2, "height": 0.09, "velocity": [speed, 0.0, 0.0]},
            "duration": 0.3,
        }
    )
    recording = pp.simulate(scenario)
    farthest = float(recording.data["link_position"].values[..., 0].max())
    within(f"{obstacle} at {speed} m/s, dt {dt}: centre [m]", farthest, 0.5 - 0.01 + deepest_allowed(dt))
    assert farthest > 0.48  # it came there


def test_repeated_steps_are_counted_and_ordinary_runs_have_none() -> None:
    rough = pp.simulate(on_a_slope(1e-2))
    parts = rough.data["step_parts"].values
    assert rough.metrics()["repeated_steps"] == (parts > 1).sum() > 0
    assert parts.max() <= 64
    assert (rough.data["step_reasons"].values[parts > 1] > 0).all()
    smooth = pp.simulate("transeth2008b/undulation-isotropic", duration=2.0)
    assert smooth.metrics()["repeated_steps"] == 0


def test_runs_go_on_from_a_checkpoint_to_the_bit_where_steps_are_repeated() -> None:
    whole = pp.simulate(on_a_slope(5e-3))
    begin = pp.simulate(on_a_slope(5e-3), duration=0.28)
    rest = pp.resume(begin.checkpoint(), 0.8)
    tail = whole.data["link_position"].values[-len(rest.data["time"]) :]
    assert (whole.data["step_parts"].values[60:] > 1).any()  # after the checkpoint
    assert np.array_equal(rest.data["link_position"].values, tail)
    assert np.array_equal(rest.data["numerical_work"].values[-5:], whole.data["numerical_work"].values[-5:])


def test_reruns_are_equal() -> None:
    one, other = pp.simulate(on_a_slope(5e-3)), pp.simulate(on_a_slope(5e-3))
    for name in ("link_position", "step_parts", "friction_work"):
        assert np.array_equal(one.data[name].values, other.data[name].values), name


def unsolvable(**plant: Any) -> Recording | SolverFailure:
    """A tolerance that round-off does not allow, as soon as links touch the ground."""
    options = {"tolerance": 1e-16, "max_iterations": 25, **plant}
    try:
        return pp.simulate(on_a_slope(5e-3, **options), duration=0.28)
    except SolverFailure as failure:
        return failure


def test_a_run_stops_at_a_step_that_is_not_solved_or_goes_on_if_asked() -> None:
    stopped, accepted = unsolvable(), unsolvable(on_failure="accept")
    assert isinstance(stopped, SolverFailure)
    assert "NOT_CONVERGED" in str(stopped)
    assert "plant.on_failure" in str(stopped)
    assert isinstance(accepted, Recording)
    status, residual = accepted.data["step_status"].values, accepted.data["step_residual"].values
    went_on = status == Status.ACCEPTED
    assert went_on.any()
    assert accepted.metrics()["accepted_steps"] == went_on.sum()
    within("accepted: residual", float(residual[went_on].max()), 1e-3)


def test_a_step_that_is_far_from_solved_is_never_accepted() -> None:
    """With three iterations no impact of 28 links is."""
    with pytest.raises(SolverFailure, match="NOT_CONVERGED") as failure:
        pp.simulate(on_a_slope(1e-2, max_iterations=3, on_failure="accept"))
    assert failure.value.recording.data["step_residual"].values[-1] > 1e-3


THICK = Link(length=0.05, mass=0.3, inertia=5e-4, inertia_roll=4e-4, radius=0.04)


def test_short_and_thick_links_do_not_push_those_next_but_one() -> None:
    """In a straight chain of links of 5 cm with a radius of 4 cm, those next but one overlap by 3 cm."""
    robot = Robot(name="thick", links=(THICK,) * 6, joints=(Joint(),) * 5, servo=Servo(stiffness=5.0, damping=0.1))
    assert first_to_meet(robot).tolist() == [3.0, 4.0, 5.0, 6.0, 6.0, 7.0]
    plant = build(robot, World(name="w"), robot.servo)
    pose = put_down(robot, World(name="w"), spatial_pose(robot, np.zeros(5), Attitude(), (0, 0, 0)), 0.0)
    state = plant.initial_state(pose)
    assert advance(plant, state, Command(np.zeros(5), np.zeros(5), np.zeros(5)), 200) is None
    moved = observe(plant, state, 0.2).link_position - pose.position
    within("thick links: moved [m]", float(np.abs(moved).max()), 1e-4)


def test_links_that_overlap_at_the_start_are_left_as_they_are() -> None:
    """A ring whose ends overlap: they are not pushed, and do not go deeper."""
    link = Link.parse({**LINK, "length": 0.1})
    robot = Robot(name="ring", links=(link,) * 8, joints=(Joint(),) * 7, servo=Servo(stiffness=20.0, damping=0.5))
    bend = np.full(7, 0.93)
    plant = build(robot, World(name="w"), robot.servo)
    pose = put_down(robot, World(name="w"), spatial_pose(robot, bend, Attitude(), (0, 0, 0)), 0.0)
    apart = float(np.linalg.norm(pose.position[0] - pose.position[-1]))
    state = plant.initial_state(pose)
    assert advance(plant, state, Command(bend, np.zeros(7), np.zeros(7)), 300) is None
    within("ring: moved [m]", float(np.abs(observe(plant, state, 0.3).link_position - pose.position).max()), 2e-3)
    tighter = Command(bend + 0.1, np.zeros(7), np.zeros(7))
    assert advance(plant, state, tighter, 300) is None
    seen = observe(plant, state, 0.3)
    assert float(np.linalg.norm(seen.link_position[0] - seen.link_position[-1])) > apart - 0.02
    assert (seen.contacts.obstacle < -1).any()


def test_links_that_touch_are_in_the_contact_table() -> None:
    """Obstacle -2 - k is link k; forces are those on the first link, and `contact_force` has both."""
    link = {**LINK, "length": 0.1}
    scenario = Scenario.parse(
        {
            "name": "test/ring",
            "robot": {"name": "ring", "links": [link] * 8, "servo": {"stiffness": 20.0, "damping": 0.5}},
            "world": {"name": "w", "ground": {"friction": 0.2}},
            "plant": "spatial_stepping",
            "controller": {"name": "hold", "options": {"joint_angle": 1.2}},
            "start": {"joint_angle": [0.6] * 7},
            "duration": 0.5,
        }
    )
    recording = pp.simulate(scenario)
    table = recording.contacts
    other = -2 - table["obstacle"].values
    assert len(other) > 0
    assert (other >= table["link"].values + 2).all()
    assert (other < 8).all()
    last = table["time"].values == table["time"].values.max()
    force = np.zeros((8, 3))
    for k in np.flatnonzero(last):
        push = table["force"].values[k]
        force[table["link"].values[k]] += push
        force[other[k]] -= push
    shown = recording.data["contact_force"].sel(time=table["time"].values[last][0]).values
    assert np.abs(force - shown).max() <= 1e-9 * np.abs(force).max()
    longer, resumed = pp.simulate(scenario, duration=0.6), pp.resume(recording.checkpoint(), duration=0.6)
    np.testing.assert_array_equal(longer.data["link_position"][-1], resumed.data["link_position"][-1])


def test_links_that_stay_apart_make_no_difference() -> None:
    with_them = pp.simulate("transeth2008b/sidewinding", duration=1.0)
    without = pp.simulate("transeth2008b/sidewinding", {"plant.self_contact": False}, duration=1.0)
    assert np.array_equal(with_them.data["link_position"].values, without.data["link_position"].values)


def test_mujoco_has_no_auto() -> None:
    with pytest.raises(InvalidInput, match="self_contact"):
        pp.simulate("transeth2008b/sidewinding", {"plant": {"name": "mujoco", "options": {"self_contact": "auto"}}})
