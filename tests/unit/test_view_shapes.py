"""Pictures of shape curves and of robots laid along them."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from pushpoint.control.shape_rehearsal import demands, rehearsed, rehearsed_cycle
from pushpoint.robots import robots
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.shapes import Aligner, ShapeCurve, virtual_snake
from pushpoint.view.shape_sheet import shape_sheet
from pushpoint.view.shapes import (
    Aslant,
    Stretch,
    axis_lines,
    box_around,
    draw_curve,
    draw_shadow,
    draw_virtual,
    label_points,
    room_of,
    set_frame,
    under,
    whole,
)
from pushpoint.view.space import SIDE, TOP, Sight

CURVE = ShapeCurve([(0, 0, 0), (0.5, 0.2, 0), (1.0, 0, 0.1), (1.5, -0.2, 0.3)])
PLACES = np.random.default_rng(1).normal(size=(20, 3))


@pytest.mark.parametrize(("aslant", "view"), [(Aslant(-90, 90), TOP), (Aslant(-90, 0), SIDE)])
def test_aslant_contains_the_views_along_axes(aslant: Aslant, view: Sight) -> None:
    assert aslant.flat(PLACES) == pytest.approx(view.flat(PLACES), abs=1e-12)
    assert aslant.nearness(PLACES) == pytest.approx(view.nearness(PLACES), abs=1e-12)


def test_aslant_keeps_lengths_across_the_line_of_sight() -> None:
    assert Aslant().axes @ Aslant().axes.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(Aslant().axes) == pytest.approx(1.0)


def test_a_stretch_has_the_points_within_it_and_lies_on_the_curve() -> None:
    part = Stretch(CURVE, 0.5, 2.5)
    assert part.points.tolist() == CURVE.points[1:3].tolist()
    assert part.places[[0, -1]] == pytest.approx(CURVE.at(np.array([0.5, 2.5])), abs=1e-12)
    assert part.shadow(-0.1)[:, 2].tolist() == [-0.1] * len(part.places)
    assert part.floor == part.places[:, 2].min()
    assert len(whole(CURVE).points) == 4


@pytest.mark.parametrize("view", [TOP, SIDE, Aslant()])
def test_curves_and_points_are_where_they_are(view: Sight) -> None:
    axes = Figure().add_subplot()
    draw_curve(axes, whole(CURVE), view)
    line, dots = axes.lines
    assert np.asarray(line.get_xydata()) == pytest.approx(view.flat(whole(CURVE).places))
    assert np.asarray(dots.get_xydata()) == pytest.approx(view.flat(CURVE.points))
    draw_shadow(axes, whole(CURVE), view, 0.0)
    label_points(axes, CURVE, view)
    assert [text.get_text() for text in axes.texts] == ["$P_{0}$", "$P_{1}$", "$P_{2}$", "$P_{3}$"]


@pytest.mark.parametrize("name", ["square-17", "aiko-cardan", "aiko", "thin-aiko"])
def test_robots_have_a_line_per_link_and_one_per_axis_at_its_joint(name: str) -> None:
    robot = robots[name]()
    snake = virtual_snake(robot)
    laid = Aligner(snake, 2 * float(snake.length.max())).align(CURVE, 3.0)
    axes = Figure().add_subplot()
    draw_virtual(axes, robot, laid, Aslant())
    bodies, links, turns = axes.collections
    assert isinstance(bodies, PolyCollection)
    assert isinstance(links, LineCollection)
    assert [len(c.get_paths()) for c in (bodies, links, turns)] == [len(robot.links)] * 2 + [len(robot.freedoms)]
    ends = axis_lines(robot, laid, snake.joints)
    assert ends.mean(axis=1) == pytest.approx(laid.frame[1:-1, :, 3])
    along = laid.frame[2:, :, 3] - laid.frame[1:-1, :, 3]  # joint i turns its link in the plane across its axis
    assert np.einsum("ja,ja->j", ends[:, 1] - ends[:, 0], along) == pytest.approx(np.zeros(snake.joints), abs=1e-12)


def test_a_few_links_from_the_head() -> None:
    robot = robots["square-17"]()
    laid = Aligner(virtual_snake(robot), 0.16).align(CURVE, 3.0)
    axes = Figure().add_subplot()
    draw_virtual(axes, robot, laid, SIDE, links=3)
    assert [len(c.get_paths()) for c in axes.collections] == [3, 3, 2]
    lines = np.array(axes.collections[1].get_segments())  # type: ignore[attr-defined]  # lines have it
    assert lines[0, 0] == pytest.approx(CURVE.points[-1, [0, 2]])


def test_boxes_hold_what_they_should_and_frames_are_to_scale() -> None:
    robot = robots["square-17"]()
    laid = Aligner(virtual_snake(robot), 0.16).align(CURVE, 3.0)
    for view in (TOP, Aslant()):
        box = box_around(view, room_of(robot, laid))
        flat = view.flat(laid.frame[:, :, 3])
        assert np.all((flat > [box.left, box.bottom]) & (flat < [box.right, box.top]))
        axes = Figure().add_subplot()
        set_frame(axes, view, box)
        assert axes.get_aspect() == 1.0
        assert axes.get_xlim() == (box.left, box.right)
    assert {text.get_text() for text in axes.texts} >= {"x", "y", "z"}  # aslant: arrows


def test_the_robot_lies_on_what_is_shown_under_it() -> None:
    motion = rehearsed(scenarios["liljeback2014/sidewinding"], duration=6.0)
    for row in (0, -1):
        part = under(motion, row)
        tip, tail = motion.laid[row].frame[0, :, 3], motion.laid[row].frame[-1, :, 3]
        assert np.linalg.norm(part.places - tip, axis=1).min() < 0.01
        assert np.linalg.norm(part.places - tail, axis=1).min() < 0.05


@pytest.mark.parametrize(("name", "views"), [("liljeback2014/examples", 3), ("lab/draw-your-own", 4)])
def test_a_sheet_has_views_and_references(name: str, views: int) -> None:
    scenario: Scenario = scenarios[name]
    motion = rehearsed_cycle(scenario) if views == 4 else rehearsed(scenario, 0.0)
    sheet = shape_sheet(scenario, motion, demands(motion))
    titles = [axes.get_title("left") for axes in sheet.axes]
    assert len(titles) == views + 2
    assert titles[-2].startswith("Yaw joints")
    assert titles[-1].startswith("Pitch joints")
    pitch = [j for j, (_, kind) in enumerate(scenario.built_robot().freedoms) if kind == "pitch"]
    if views == 4:
        shown = np.array([line.get_ydata() for line in sheet.axes[-1].lines])
        assert shown == pytest.approx(np.degrees(motion.reference[:, pitch].T))
    else:
        heights = [bar.get_height() for bar in sheet.axes[-1].patches]  # type: ignore[attr-defined]
        assert heights == pytest.approx(np.degrees(motion.reference[0, pitch]))


@pytest.mark.parametrize(
    ("duration", "message"),
    [(4.0, "One cycle: 1.35 m of curve in 2.70 s"), (1.0, "The first 1 s, less than a cycle: 0.50 m")],
)
def test_a_sheet_says_what_it_shows(duration: float, message: str) -> None:
    scenario = scenarios["lab/draw-your-own"].with_overrides({"duration": duration})
    motion = rehearsed_cycle(scenario)
    sheet = shape_sheet(scenario, motion, demands(motion))
    assert any(text.get_text().startswith(message) for text in sheet.texts)


def test_limits_of_joints_are_drawn_where_they_matter() -> None:
    scenario = scenarios["liljeback2014/examples"].with_overrides({"robot.joints.0.upper": 0.1})
    motion = rehearsed(scenario, 0.0)
    sheet = shape_sheet(scenario, motion, demands(motion))
    assert [text.get_text() for axes in sheet.axes[-2:] for text in axes.texts] == ["limit"]
