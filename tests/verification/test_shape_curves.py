"""Shape curves, the virtual snake robot and its alignment: closed forms, SciPy, MuJoCo, symmetries, bad cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, PchipInterpolator

from pushpoint.control._shape_options import ShapeFollowerOptions
from pushpoint.control.shape_follower import ShapeFollower
from pushpoint.errors import InvalidInput
from pushpoint.geometry.rotation import about_axis
from pushpoint.mechanics.spatial_pose import bent
from pushpoint.registry import Registry
from pushpoint.robots import Joint, Robot, robots
from pushpoint.shapes import (
    Aligner,
    Coordinate,
    GaitSegment,
    Laid,
    ParametricCurve,
    ShapeCurve,
    Wave,
    alignments,
    deviation,
    forward_kinematics,
    interpolations,
    new_memory,
    virtual_snake,
)
from pushpoint.shapes.alignments import LIMITED, SLOWED, UNDETERMINED
from pushpoint.shapes.gait_segment import Reach, reach_of, rolled_pitched_turned
from pushpoint.shapes.virtual_snake import link_centres, link_rotations
from pushpoint.types import FloatArray

EXAMPLE_1 = np.array([(0.0, 0.0, 0.0), (0.25, 0.15, 0.0), (0.5, 0.0, 0.05), (0.75, -0.15, 0.3)])
EXAMPLE_4 = (0.0, -15.8, -3.1, -20.3, 9.0, -9.7)  # [deg], to the last digit given
ROUND_OFF = 1e-12  # [m], [rad]; measured below 2e-14
LINK = 0.08  # [m]


def snake_like(joints: int, length: float = LINK) -> Robot:
    return robots["square-17"](links=joints + 1, length=length)


def with_axes(*axes: str) -> Robot:
    """Joints in this order from the tail."""
    plain = snake_like(len(axes))
    return plain.model_copy(update={"joints": tuple(Joint(axes=kind) for kind in axes)})  # type: ignore[arg-type]


def sidewinding(points: int = 9) -> GaitSegment:
    """P3 (19) with the numbers of IV-B."""
    return GaitSegment(
        curve=ParametricCurve(
            x=Coordinate(advance=0.952),
            y=Coordinate(waves=(Wave(amplitude=0.24),)),
            z=Coordinate(waves=(Wave(amplitude=0.08 / 3, phase=math.pi / 2),)),
            points=points,
        )
    )


def random_points(count: int, seed: int) -> FloatArray:
    return np.asarray(np.cumsum(np.random.default_rng(seed).normal(size=(count, 3)), axis=0))


# --- curves ---


@pytest.mark.parametrize("count", [2, 3, 4, 30])
def test_pchip_is_that_of_scipy(count: int) -> None:
    points, s = random_points(count, count), np.linspace(0.0, count - 1.0, 500)
    ours, theirs = ShapeCurve(points), PchipInterpolator(np.arange(count), points)
    assert np.abs(ours.at(s) - theirs(s)).max() < ROUND_OFF
    assert np.abs(ours.slope(s) - theirs(s, 1)).max() < ROUND_OFF


def test_example_1() -> None:
    curve = ShapeCurve(EXAMPLE_1)
    assert curve.at(2.5) == pytest.approx([0.625, -0.075, 0.1417], abs=5e-5)
    assert curve.length() == pytest.approx(0.991, abs=5e-4)


@pytest.mark.parametrize("angle", [0.3, 2.0, -1.2])
def test_vector_pchip_turns_with_its_points(angle: float) -> None:
    turn = about_axis(np.array([2.0, -1.0, 2.0]) / 3.0, angle)
    points, s = random_points(9, 1), np.linspace(-0.5, 8.5, 300)
    one, other = ShapeCurve(points, "vector-pchip"), ShapeCurve(points @ turn.T, "vector-pchip")
    assert np.abs(one.at(s) @ turn.T - other.at(s)).max() < ROUND_OFF


def test_pchip_does_not_turn_with_its_points() -> None:
    """Why there is another choice: millimetres on P3's sidewinding curve, erratum P3-5."""
    turn, points = about_axis(np.array([0.0, 0.0, 1.0]), math.radians(45.0)), sidewinding().repeated(2)
    s = np.linspace(0.0, 16.0, 800)
    off = np.linalg.norm(ShapeCurve(points).at(s) @ turn.T - ShapeCurve(points @ turn.T).at(s), axis=1).max()
    assert 1e-3 < off < 2e-2


def test_vector_pchip_is_pchip_along_a_line() -> None:
    along = np.array([0.0, 1.0, 1.5, 4.0, 3.0, 2.5, 3.5])[:, np.newaxis]
    points, s = along * np.array([1.0, 2.0, -2.0]), np.linspace(0.0, 6.0, 200)
    assert np.abs(ShapeCurve(points).at(s) - ShapeCurve(points, "vector-pchip").at(s)).max() < ROUND_OFF


@given(seed=st.integers(0, 10**6), s=st.floats(-1.0, 9.0), distance=st.floats(1e-6, 10.0))
@settings(max_examples=100, deadline=None)
def test_going_ahead_goes_the_given_distance(seed: int, s: float, distance: float) -> None:
    curve = ShapeCurve(random_points(8, seed))
    assert curve.length(s, curve.ahead(s, distance)) == pytest.approx(
        distance, rel=1e-5
    )  # corners: 4 x 5 points per piece


def test_corners_where_the_slope_is_zero_are_passed() -> None:
    """Erratum P3-4: the step of s is not v dt / |S'|."""
    curve = ShapeCurve([(0, 0, 0), (0.2, 0, 0), (0.2, 0, -0.2), (0.4, 0, -0.2)])
    assert np.linalg.norm(curve.slope(1.0)) < ROUND_OFF
    s = 0.0
    for _ in range(60):
        s = curve.ahead(s, 0.01)
    assert s == pytest.approx(3.0, abs=1e-6)


def test_curves_go_on_straight() -> None:
    curve = ShapeCurve(EXAMPLE_1)
    assert curve.at(-2.0) == pytest.approx(EXAMPLE_1[0] - 2.0 * curve.slope(0.0), abs=ROUND_OFF)
    assert curve.at(5.0) == pytest.approx(EXAMPLE_1[3] + 2.0 * curve.slope(3.0), abs=ROUND_OFF)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([(0, 0, 0)], "at least 2"),
        ([], "at least 2"),
        ([(0, 0, 0), (0, 0, 0), (1, 0, 0)], r"points\[0\] and points\[1\] coincide"),
        ([(0, 0, 0), (math.nan, 0, 0)], r"points\[1\].*finite"),
        ([(0, 0), (1,)], r"points\[1\].*x, y or x, y, z"),
    ],
)
def test_bad_points_are_refused(points: list[tuple[float, ...]], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ShapeCurve(points)


def test_unknown_interpolations_are_refused() -> None:
    with pytest.raises(InvalidInput, match="pchip"):
        ShapeCurve(EXAMPLE_1, "spline")


# --- the virtual snake robot ---


def mujoco_frames(joints: int, head: FloatArray, q: FloatArray) -> FloatArray:
    """Positions [m] of joints 1 to N and the tail's tip by MuJoCo, from P3's words: z up for odd joints, axis to the
    right for even ones."""
    mujoco = pytest.importorskip("mujoco")
    text = "".join(
        f'<body pos="{-LINK} 0 0"><joint axis="{"0 0 1" if j % 2 == 0 else "0 -1 0"}"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        for j in range(joints)
    )
    tip = f'<site name="tip" pos="{-LINK} 0 0"/>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{text}{tip}'
        f"{'</body>' * (joints + 1)}</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    data.qpos[:3] = head[:3, 3]
    mujoco.mju_mat2Quat(data.qpos[3:7], np.ascontiguousarray(head[:3, :3]).ravel())
    data.qpos[7:] = q
    mujoco.mj_kinematics(model, data)
    return np.concatenate([data.xpos[2:], data.site_xpos])


@pytest.mark.parametrize("joints", [6, 16, 40])
def test_forward_kinematics_is_that_of_mujoco(joints: int) -> None:
    draw = np.random.default_rng(joints)
    head = np.eye(4)
    head[:3, :3], head[:3, 3] = about_axis(np.array([1.0, 2.0, 2.0]) / 3.0, 0.7), draw.normal(size=3)
    q = draw.uniform(-1.2, 1.2, joints)
    ours = forward_kinematics(virtual_snake(snake_like(joints)), head, q)[:, :3, 3]
    assert np.abs(ours - mujoco_frames(joints, head, q)).max() < 1e-9  # measured below 1e-14


@pytest.mark.parametrize(
    "robot",
    [
        snake_like(6),
        with_axes("pitch", "yaw", "pitch"),
        with_axes("yaw", "yaw", "pitch", "pitch"),
        with_axes("yaw-pitch", "pitch-yaw", "yaw"),
        with_axes("yaw", "yaw", "yaw"),
    ],
    ids=["alternating", "pitch first", "pairs", "cardan", "planar"],
)
def test_chains_are_those_of_the_plants(robot: Robot) -> None:
    """The aligned links, seen from the tail, are where pushpoint's own kinematics puts them."""
    snake, curve = virtual_snake(robot), ShapeCurve(EXAMPLE_1)
    laid = Aligner(snake, 2 * LINK).align(curve, 2.9, roll=0.4)
    chain = bent(robot, snake.to_robot(laid.q))
    axes, centres = link_rotations(snake, laid.frame), link_centres(snake, laid.frame)
    assert np.abs(axes[0] @ chain.rotation - axes).max() < ROUND_OFF
    assert np.abs(centres[0] + chain.centre @ axes[0].T - centres).max() < ROUND_OFF


# --- alignment ---


def test_example_4() -> None:
    laid = Aligner(virtual_snake(snake_like(6, 0.1)), 0.2).align(ShapeCurve(EXAMPLE_1), 3.0)
    assert np.degrees(laid.q) == pytest.approx(EXAMPLE_4, abs=0.05)


def head_of(laid: Laid) -> FloatArray:
    return np.concatenate([laid.frame[0], [[0.0, 0.0, 0.0, 1.0]]])


@given(seed=st.integers(0, 10**6), roll=st.floats(-4.0, 4.0), factor=st.floats(1.0, 3.0))
@settings(max_examples=60, deadline=None)
def test_alignment_is_kinematics_and_aims_at_the_look_ahead(seed: int, roll: float, factor: float) -> None:
    snake, curve = virtual_snake(snake_like(16)), ShapeCurve(0.1 * random_points(12, seed))
    laid = Aligner(snake, factor * LINK).align(curve, curve.last, roll)
    assert np.abs(forward_kinematics(snake, head_of(laid), laid.q)[:, :3] - laid.frame[1:]).max() < 1e-11
    away = np.linalg.norm(curve.at(laid.aim) - laid.frame[:-1, :, 3], axis=1)
    assert (np.diff(laid.aim) <= 0.0).all()
    moved = np.concatenate([[True], np.diff(laid.aim) < 0.0])  # those that stay were farther away already
    assert away[moved] == pytest.approx(factor * LINK, rel=1e-9)
    assert (away[~moved] >= factor * LINK * (1 - 1e-9)).all()


def test_alignment_turns_with_its_curve() -> None:
    """Turned and moved in the horizontal plane the curve gives the same joint angles."""
    snake, points = virtual_snake(snake_like(16)), sidewinding().repeated(3)
    turned = points @ about_axis(np.array([0.0, 0.0, 1.0]), 1.1).T + np.array([3.0, -2.0, 0.5])
    one, other = (Aligner(snake, 2 * LINK).align(ShapeCurve(p, "vector-pchip"), 20.3) for p in (points, turned))
    assert one.q == pytest.approx(other.q, abs=1e-10)


def test_mirrored_curves_mirror_the_robot() -> None:
    """In a mirror yaw angles change their sign, pitch angles do not."""
    snake, points = virtual_snake(snake_like(16)), sidewinding().repeated(3)
    one, other = (
        Aligner(snake, 2 * LINK).align(ShapeCurve(p), 20.3) for p in (points, points * np.array([1.0, -1.0, 1.0]))
    )
    assert other.q == pytest.approx(one.q * snake.sign, abs=1e-10)


def test_a_straight_curve_makes_a_straight_robot() -> None:
    laid = Aligner(virtual_snake(snake_like(16)), LINK).align(ShapeCurve([(0, 0, 0), (2, 1, 0.5)]), 1.0)
    assert np.abs(laid.q).max() < 1e-8
    assert deviation(ShapeCurve([(0, 0, 0), (2, 1, 0.5)]), laid) < 1e-9


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("kind", ["pchip", "vector-pchip"])
def test_angles_change_smoothly_along_smooth_curves(kind: str, factor: float) -> None:
    """At most 5 deg per mm of progress over a cycle; measured 0.4 to 2.5. Deviations: 28 to 93 mm, in
    docs/theory/shape-curves."""
    aligner, curve = Aligner(virtual_snake(snake_like(16)), factor * LINK), ShapeCurve(sidewinding().repeated(4), kind)
    memory, s, last = new_memory(16), 16.0, None
    while s < 24.0:  # one cycle
        laid = aligner.align(curve, s, memory=memory)
        if last is not None:
            assert np.degrees(np.abs(laid.q - last)).max() < 5.0 * 0.5
        last, s = laid.q.copy(), curve.ahead(s, 0.5e-3)
    assert deviation(curve, laid) < 0.1


def over_the_top(t: float) -> tuple[float, float, float]:
    """A loop in a vertical plane: the head points up, back, down and ahead again."""
    return 0.5 * math.sin(t), 0.0, 0.5 - 0.5 * math.cos(t)


@pytest.mark.parametrize("lean", [0.0, 0.1], ids=["through the vertical", "past it"])
def test_a_head_that_passes_the_vertical_does_not_roll_over(lean: float) -> None:
    """Erratum P3-2: by (6) alone all yaw axes would change sides at the vertical."""
    points = [(x + 0.02 * t, lean * t, z) for t in np.linspace(0.0, 2.5 * math.pi, 26) for x, _, z in [over_the_top(t)]]
    curve, aligner = ShapeCurve(points, "vector-pchip"), Aligner(virtual_snake(snake_like(8)), 2 * LINK)
    memory, s, last, left = new_memory(8), 5.0, None, np.zeros(3)
    while s < curve.last:
        laid = aligner.align(curve, s, memory=memory)
        assert np.isfinite(laid.frame).all()
        if last is not None:
            assert np.degrees(np.abs(laid.q - last)).max() < 5.0
            assert float(laid.frame[0, :, 1] @ left) > 0.99
        last, left, s = laid.q.copy(), laid.frame[0, :, 1].copy(), curve.ahead(s, 1e-3)


def test_a_head_that_starts_vertical_has_its_left_where_the_world_has_it() -> None:
    laid = Aligner(virtual_snake(snake_like(4)), LINK).align(ShapeCurve([(0, 0, 0), (0, 0, 1.0)]), 1.0)
    assert laid.frame[0, :, 1] == pytest.approx([0.0, 1.0, 0.0])
    assert np.isfinite(laid.q).all()


def test_a_tail_past_the_curve_follows_its_straight_extension() -> None:
    curve = ShapeCurve([(0, 0, 0), (0.1, 0.02, 0.0), (0.2, 0.0, 0.0)])
    laid = Aligner(virtual_snake(snake_like(16)), 2 * LINK).align(curve, 2.0)
    assert laid.aim[-1] < -5.0
    assert np.abs(laid.q[-6:]).max() < 0.02  # it has come to lie along it
    assert np.isfinite(laid.frame).all()


def staircase() -> ShapeCurve:
    step = [(0.0, 0.0), (0.2, 0.0)]
    return ShapeCurve([(x + 0.2 * k, 0.0, z - 0.2 * k) for k in range(10) for x, z in step])


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.0, 3.0])
def test_sharp_corners(factor: float) -> None:
    curve, aligner = staircase(), Aligner(virtual_snake(snake_like(16)), factor * LINK)
    for head in np.linspace(3.0, curve.last, 300):
        laid = aligner.align(curve, float(head))
        assert np.isfinite(laid.frame).all()
        assert np.abs(laid.q).max() <= math.pi


def test_an_aim_along_the_axis_keeps_the_last_angle() -> None:
    """A yaw joint cannot turn towards a point straight above it."""
    curve = ShapeCurve([(0, 0, 1.0), (0, 0, 0), (0.08, 0, 0)])
    robot = with_axes("yaw")
    memory = new_memory(1)
    memory.q[0] = 0.3
    laid = Aligner(virtual_snake(robot), LINK).align(curve, 2.0, memory=memory)
    assert laid.flag[0] == UNDETERMINED
    assert laid.q[0] == 0.3


def limited(limit: float) -> Robot:
    plain = snake_like(16)
    joints = tuple(joint.model_copy(update={"lower": -limit, "upper": limit}) for joint in plain.joints)
    return plain.model_copy(update={"joints": joints})


def test_limits_are_kept_and_made_up_for() -> None:
    """Erratum P3-7: clamped inside the alignment the tail comes nearer to the curve than clamped after it."""
    curve, limit = ShapeCurve(sidewinding().repeated(4)), math.radians(42.0)  # the curve asks for 60 degrees
    free = Aligner(virtual_snake(snake_like(16)), 2 * LINK).align(curve, 22.0)
    snake = virtual_snake(limited(limit))
    kept = Aligner(snake, 2 * LINK).align(curve, 22.0)
    assert np.abs(free.q).max() > limit
    assert np.abs(kept.q).max() <= limit
    assert (kept.flag & LIMITED).any()
    assert not (free.flag & LIMITED).any()
    clamped = forward_kinematics(snake, head_of(free), np.clip(free.q, -limit, limit))[:, :3, 3]
    places = curve.at(np.linspace(0.0, curve.last, 3000))
    inside, after = (
        float(np.linalg.norm(origins[:, np.newaxis] - places, axis=2).min(axis=1).mean())
        for origins in (kept.frame[1:, :, 3], clamped)
    )
    assert inside < 0.5 * after  # measured: 13 mm and 48 mm


def test_rates_are_kept() -> None:
    curve, aligner = ShapeCurve(sidewinding().repeated(3)), Aligner(virtual_snake(snake_like(16)), 2 * LINK)
    memory = new_memory(16)
    aligner.align(curve, 18.0, memory=memory)
    before = memory.q.copy()
    laid = aligner.align(curve, 20.0, memory=memory, most_turn=0.05)
    assert np.abs(laid.q - before).max() <= 0.05 + ROUND_OFF
    assert (laid.flag & SLOWED).any()


def test_heads_that_are_nowhere_are_refused() -> None:
    with pytest.raises(InvalidInput, match="finite"):
        Aligner(virtual_snake(snake_like(4)), LINK).align(ShapeCurve(EXAMPLE_1), math.nan)


def test_lengths_go_forward_and_places_have_any_shape() -> None:
    curve = ShapeCurve(EXAMPLE_1)
    with pytest.raises(InvalidInput, match="at most high"):
        curve.length(3.0, 1.0)
    assert curve.at(np.zeros((2, 5))).shape == (2, 5, 3)
    with pytest.raises(InvalidInput, match="at least 2"):
        GaitSegment.of_function(lambda b: (b, 0.0), points=1)


@pytest.mark.parametrize("look_ahead", [0.5 * LINK, 0.0, math.nan, math.inf])
def test_look_ahead_below_the_link_length_is_refused(look_ahead: float) -> None:
    with pytest.raises(InvalidInput, match="look_ahead"):
        Aligner(virtual_snake(snake_like(4)), look_ahead)


# --- gait segments ---


def test_a_parametric_curve_is_what_p3_says() -> None:
    beta = np.linspace(0.0, math.tau, 9)
    wanted = np.stack([0.952 * beta / math.tau, 0.24 * np.sin(beta), 0.08 / 3 * np.cos(beta)], axis=1)
    assert sidewinding().array() == pytest.approx(wanted, abs=1e-15)
    own: Callable[[float], tuple[float, float, float]] = lambda b: (  # noqa: E731
        0.952 * b / math.tau,
        0.24 * math.sin(b),
        0.08 / 3 * math.cos(b),
    )
    assert GaitSegment.of_function(own).array() == pytest.approx(wanted, abs=1e-15)


def test_repeated_segments_share_their_ends() -> None:
    """Erratum P3-6: k - 1 new points per cycle."""
    points = sidewinding().repeated(4)
    assert len(points) == 4 * 8 + 1
    assert points[8::8] - points[:-8:8] == pytest.approx(np.tile([0.952, 0.0, 0.0], (4, 1)), abs=1e-12)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "either points or a curve"),
        ({"points": [(0, 0), (1, 0)], "curve": {}}, "either points or a curve"),
        ({"points": [(0, 0)]}, "at least 2"),
        ({"curve": {"points": 1}}, "greater than or equal to 2"),
        ({"curve": {"y": {"waves": [{"amplitude": 0.0}]}}}, "coincide"),
    ],
)
def test_bad_segments_are_refused(data: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        GaitSegment.parse(data)


# --- every interpolation, every alignment ---

EQUIVARIANT = [name for name in interpolations if name != "pchip"]


@pytest.mark.parametrize("name", list(interpolations))
@pytest.mark.parametrize("count", [2, 3, 9])
def test_every_interpolation_goes_through_its_points(name: str, count: int) -> None:
    points = random_points(count, count)
    curve = ShapeCurve(points, name)
    assert np.abs(curve.at(np.arange(count, dtype=float)) - points).max() < ROUND_OFF


@given(seed=st.integers(0, 10**6), roll=st.floats(-3.0, 3.0), pitch=st.floats(-1.5, 1.5), yaw=st.floats(-3.0, 3.0))
@settings(max_examples=30, deadline=None)
@pytest.mark.parametrize("name", EQUIVARIANT)
def test_curves_turn_with_their_points(name: str, seed: int, roll: float, pitch: float, yaw: float) -> None:
    turn, points = rolled_pitched_turned(roll, pitch, yaw), 0.1 * random_points(9, seed)
    s = np.linspace(-0.5, 8.5, 200)
    assert np.abs(ShapeCurve(points, name).at(s) @ turn.T - ShapeCurve(points @ turn.T, name).at(s)).max() < ROUND_OFF


def test_splines_are_those_of_scipy() -> None:
    points, s = random_points(12, 7), np.linspace(0.0, 11.0, 400)
    theirs = CubicSpline(np.arange(12), points, bc_type="natural")
    assert np.abs(ShapeCurve(points, "natural-spline").at(s) - theirs(s)).max() < ROUND_OFF


def test_straight_pieces_are_straight() -> None:
    points = random_points(5, 3)
    curve = ShapeCurve(points, "linear")
    assert curve.length() == pytest.approx(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    assert curve.at(2.25) == pytest.approx(0.75 * points[2] + 0.25 * points[3])


def test_catmull_and_rom_bend_like_a_parabola() -> None:
    """Exact for points of a parabola with evenly spaced parameters."""
    s = np.arange(6.0)
    curve = ShapeCurve(np.stack([s, s**2, 1 - s], axis=1), "catmull-rom")
    t = np.linspace(0.0, 5.0, 50)
    assert np.abs(curve.at(t) - np.stack([t, t**2, 1 - t], axis=1)).max() < 1e-12 * 25


@pytest.mark.parametrize(("name", "ahead"), [("pchip", 2), ("vector-pchip", 2), ("catmull-rom", 2), ("linear", 2)])
def test_local_curves_keep_two_points_ahead(name: str, ahead: int) -> None:
    assert reach_of(name, sidewinding()) == Reach(ahead, 3)


def test_a_spline_is_felt_farther_away() -> None:
    """By 2 - sqrt(3) less from point to point: ten of them for 1e-7 m of slopes of 0.2 m."""
    ahead, behind = reach_of("natural-spline", sidewinding())
    assert 8 <= ahead <= 13
    assert 8 <= behind <= 13


@pytest.mark.parametrize("name", list(alignments))
def test_every_alignment_is_kinematics_within_limits(name: str) -> None:
    snake, curve = virtual_snake(snake_like(16)), ShapeCurve(sidewinding().repeated(4))
    lower, upper = np.full(16, -0.5), np.full(16, 0.5)
    aligner = Aligner(snake._replace(lower=lower, upper=upper), 2 * LINK, name)
    memory, last, s = new_memory(16), None, 20.0
    for _ in range(8):
        laid = aligner.align(curve, s, 0.2, memory, math.inf if last is None else 0.01)
        assert np.abs(forward_kinematics(snake, head_of(laid), laid.q)[:, :3] - laid.frame[1:]).max() < 1e-11
        assert laid.frame[0, :, 3] == pytest.approx(curve.at(s))
        assert (np.diff(laid.aim) <= 0.0).all()
        assert (np.abs(laid.q) <= 0.5).all()
        assert last is None or np.abs(laid.q - last).max() <= 0.01 + 1e-12
        assert np.array_equal(memory.q, laid.q)
        last, s = laid.q.copy(), curve.ahead(s, 5e-3)
    assert ((laid.flag & LIMITED) > 0).any()


@given(seed=st.integers(0, 10**6), factor=st.floats(1.0, 2.5))
@settings(max_examples=20, deadline=None)
def test_least_squares_are_nearer_than_looking_ahead(seed: int, factor: float) -> None:
    """The root of the mean square of the distances; chords of 1/64 of a piece measure it to a tenth of a millimetre."""
    snake, curve = virtual_snake(snake_like(12)), ShapeCurve(0.15 * random_points(12, seed), "vector-pchip")
    off = [rms_distance(curve, Aligner(snake, factor * LINK, name).align(curve, curve.last)) for name in BOTH]
    assert off[1] <= off[0] + 1e-4


BOTH = ("look-ahead", "least-squares")


def rms_distance(curve: ShapeCurve, laid: Laid) -> float:
    s = np.linspace(float(laid.aim.min()) - 1.0, curve.last, 4000)
    away = np.linalg.norm(laid.frame[1:, np.newaxis, :, 3] - curve.at(s), axis=2).min(axis=1)
    return float(np.sqrt((away**2).mean()))


def test_least_squares_on_p3s_sidewinding() -> None:
    """17 mm where looking ahead by 2 a leaves 26 mm; in docs/theory/shape-curves."""
    snake, curve = virtual_snake(snake_like(16)), ShapeCurve(sidewinding().repeated(4))
    ahead, least = (rms_distance(curve, Aligner(snake, 2 * LINK, name).align(curve, 22.0)) for name in BOTH)
    assert least < 0.8 * ahead


USERS_FILE = """
import numpy as np
from pushpoint.shapes import alignments, interpolations

@interpolations.register("test-flat")
def flat(points):
    return np.zeros_like(points)

@interpolations.register("test-wrong")
def wrong(points):
    return np.zeros(3)

@interpolations.register("test-far")
def far(points):
    return np.broadcast_to(points.mean(axis=0), points.shape)

@alignments.register("test-straight")
def straight(curve, snake, settings, memory, laid):
    alignments["look-ahead"](curve, snake, settings, memory, laid)
    laid.q[:] = 0.0
    memory.q[:] = 0.0
"""


@pytest.fixture
def _users_file(monkeypatch: pytest.MonkeyPatch) -> None:
    registries: tuple[Registry[Any], ...] = (interpolations, alignments)
    for registry in registries:
        monkeypatch.setattr(registry, "_items", {name: registry[name] for name in registry})  # undone after
    exec(compile(USERS_FILE, "users_file.py", "exec"), {})


@pytest.mark.usefixtures("_users_file")
def test_one_file_adds_an_interpolation_and_an_alignment() -> None:
    options = {"segment": sidewinding(), "interpolation": "test-flat", "alignment": "test-straight", "speed": 0.5}
    controller = ShapeFollower.build(ShapeFollowerOptions(**options), snake_like(16), 0.03)
    assert np.array_equal(controller.initial_shape(), np.zeros(16))
    assert np.abs(ShapeCurve(EXAMPLE_1, "test-flat").slope(1.0)).max() == 0.0


@pytest.mark.usefixtures("_users_file")
@pytest.mark.parametrize(
    ("name", "message"), [("test-wrong", "slopes of shape"), ("test-far", "points away; should be")]
)
def test_interpolations_of_others_are_checked(name: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ShapeFollower.build(
            ShapeFollowerOptions(segment=sidewinding(), interpolation=name, speed=0.5), snake_like(16), 0.03
        )
