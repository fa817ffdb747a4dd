"""Pictures of runs in space: from above and from the side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

import pushpoint as pp
from pushpoint.cli.plot import plot
from pushpoint.geometry.rotation import about_axis, quaternions
from pushpoint.recording import Recording
from pushpoint.robots import Link
from pushpoint.scenarios import scenarios
from pushpoint.view import style
from pushpoint.view.animation import animation
from pushpoint.view.figures import run_figure, save_figure
from pushpoint.view.space import (
    SIDE,
    TOP,
    draw_in_space,
    draw_pushes,
    hull,
    is_spatial,
    link_outline,
    pose_in_space,
    pressing,
)
from pushpoint.view.space_scene import (
    Boxes,
    boxes_of,
    contour_levels,
    draw_movable_from_side,
    draw_side,
    draw_top,
    ground_below,
)
from pushpoint.view.surroundings import movable
from pushpoint.worlds import Box, Cylinder, Disc, Heightfield, Polygon, Profile, Wall, World

LINK = Link(length=0.1, mass=1.0, inertia=1.0, radius=0.03, core=0.04)
STEPS = Profile(points=((-0.5, 0.2), (0.0, 0.2), (0.0, 0.1), (0.5, 0.1), (0.5, 0.0), (0.8, 0.0)))
HILL = Heightfield(x=-1, y=-1, spacing=1.0, heights=((0, 0, 0), (0, 0.1, 0), (0, 0, 0)))
UPRIGHT = about_axis(np.array([0.0, 1.0, 0.0]), -np.pi / 2)  # the head's end up


@pytest.fixture(scope="module")
def run() -> Recording:
    """The start of sidewinding: the robot reaches from -0.7 to 0.7 m along x."""
    return pp.simulate(scenarios["transeth2008b/sidewinding"].with_overrides({"duration": 0.3}))


def within(run: Recording, around: World) -> Recording:
    """The same run, as if it had happened in another world."""
    return replace(run, scenario=run.scenario.model_copy(update={"world": around}))


def world(*obstacles: object, **fields: object) -> World:
    return World.model_validate({"name": "w", "obstacles": obstacles, **fields})


def pressed(run: Recording, *links: int) -> Recording:
    """The same run, with these links alone on the ground."""
    force = np.zeros(run.data["ground_force"].shape)
    force[:, links, 2] = 5.0
    return replace(run, data=run.data.assign(ground_force=(("time", "link", "axis"), force)))


def seen_from(run: Recording) -> tuple[Axes, Axes, Boxes]:
    top, side, boxes = Figure().add_subplot(), Figure().add_subplot(), boxes_of(run)
    draw_top(top, run, boxes.top)
    draw_side(side, run, boxes)
    return top, side, boxes


def extent(points: np.ndarray) -> list[float]:
    """Left, right, lower and upper end."""
    return [*points[:, 0].min(keepdims=True), *points[:, 0].max(keepdims=True), points[:, 1].min(), points[:, 1].max()]


# --- outlines ---


def test_hull_leaves_out_what_is_inside() -> None:
    points = np.array([(0, 0), (1, 0), (0.5, 0.5), (1, 1), (0, 1), (0.5, 0), (0, 0)])
    assert hull(points).tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert hull(points[:2]).tolist() == [[0, 0], [1, 0]]


def test_a_round_link_is_a_capsule_from_all_sides() -> None:
    centre = np.array([1.0, 2.0, 3.0])
    assert extent(link_outline(LINK, centre, np.eye(3), TOP)) == pytest.approx([0.93, 1.07, 1.97, 2.03])
    assert extent(link_outline(LINK, centre, np.eye(3), SIDE)) == pytest.approx([0.93, 1.07, 2.97, 3.03])
    assert extent(link_outline(LINK, centre, UPRIGHT, TOP)) == pytest.approx([0.97, 1.03, 1.97, 2.03])
    assert extent(link_outline(LINK, centre, UPRIGHT, SIDE)) == pytest.approx([0.97, 1.03, 2.93, 3.07])


def test_a_square_link_is_a_bar_with_rounded_edges() -> None:
    square = LINK.model_copy(update={"shape": "square", "edge_radius": 0.01})
    flat = link_outline(square, np.zeros(3), np.eye(3), TOP)
    assert extent(flat) == pytest.approx([-0.05, 0.05, -0.03, 0.03])
    rolled = link_outline(square, np.zeros(3), about_axis(np.array([1.0, 0.0, 0.0]), np.pi / 4), TOP)
    assert rolled[:, 1].max() == pytest.approx(0.02 * np.sqrt(2) + 0.01)


def test_corners_of_all_kinds_of_obstacles() -> None:
    (block,) = Box(centre=(1, 0, 0.5), size=(2, 4, 1), yaw=np.pi / 2).hulls()
    assert [*block.min(axis=0), *block.max(axis=0)] == pytest.approx([-1, -1, 0, 3, 1, 1])
    (pipe,) = Cylinder(start=(0, 0, 1), end=(0, 2, 1), radius=0.5).hulls()
    assert extent(pipe[:, [0, 2]]) == pytest.approx([-0.5, 0.5, 0.5, 1.5], abs=0.01)
    assert sorted({round(y, 9) for y in pipe[:, 1]}) == [0, 2]
    (peg,) = Disc(x=1, y=2, radius=0.1, height=0.3).hulls()
    assert [*peg.min(axis=0), *peg.max(axis=0)] == pytest.approx([0.9, 1.9, 0, 1.1, 2.1, 0.3])
    assert Polygon(points=((0, 0), (1, 0), (0, 1))).hulls()[0][:, 2].max() > 100  # as high as one likes
    assert len(Wall(points=((0, 0), (1, 0), (1, 1)), height=0.2).hulls()) == 2


# --- robots ---


def test_links_that_press_on_the_ground_are_darker(run: Recording) -> None:
    on_two = pressed(run, 2, 10)
    assert np.flatnonzero(pressing(on_two, -1)).tolist() == [2, 10]
    assert pressing(on_two, 0).tolist() == pressing(on_two, -1).tolist()
    (body,) = draw_in_space(Figure().add_subplot(), on_two, -1, TOP)
    assert isinstance(body, PolyCollection)
    colours = [tuple(colour) for colour in body.get_facecolor()]
    assert len(colours) == 11 + 2  # with eyes
    assert [colours.count(to_rgba(c)) for c in (style.BODY, style.BODY_DOWN, style.HEAD, style.HEAD_DOWN)] == [
        9,
        1,
        0,
        1,
    ]


def test_what_is_nearer_covers_what_is_behind(run: Recording) -> None:
    data = run.data.copy(deep=True)
    data["link_position"].values[-1, :, 2] = np.arange(11)[::-1]  # the tail is the highest
    (body,) = draw_in_space(Figure().add_subplot(), replace(run, data=data), -1, TOP)
    assert isinstance(body, PolyCollection)
    tail = extent(np.asarray(body.get_paths()[-1].vertices))
    assert tail[0] == pytest.approx(data["link_position"].values[-1, 0, 0] - 0.0393 - 0.0525, abs=5e-3)


def test_from_the_side_one_sees_one_eye(run: Recording) -> None:
    data = run.data.copy(deep=True)
    data["link_orientation"].values[0] = quaternions(np.broadcast_to(np.eye(3), (11, 3, 3)))
    flat = replace(run, data=data)
    shapes = [draw_in_space(Figure().add_subplot(), flat, 0, view)[0] for view in (TOP, SIDE)]
    assert [len(body.get_paths()) for body in shapes if isinstance(body, PolyCollection)] == [13, 12]


def test_thin_links_are_lines(run: Recording) -> None:
    robot = run.scenario.built_robot()
    thin = robot.model_copy(update={"links": tuple(link.model_copy(update={"radius": 0.0}) for link in robot.links)})
    changed = replace(run, scenario=run.scenario.model_copy(update={"robot": thin}))
    lines, *_ = draw_in_space(Figure().add_subplot(), changed, 0, SIDE)
    assert isinstance(lines, LineCollection)
    ends = pose_in_space(run, 0).ends(robot)
    assert np.array(lines.get_segments()) == pytest.approx(ends[..., [0, 2]])


def test_forces_of_the_ground_have_no_arrows(run: Recording) -> None:
    assert draw_pushes(Figure().add_subplot(), run, -1, TOP) is None


# --- surroundings ---


def test_both_views_are_to_scale_and_have_the_same_x(run: Recording) -> None:
    top, side, boxes = seen_from(run)
    assert top.get_xlim() == side.get_xlim() == boxes.top[:2]
    assert top.get_aspect() == side.get_aspect() == 1.0
    assert boxes.side.bottom == pytest.approx(-0.05, abs=1e-3)


def test_near_solids_are_shown_and_far_ones_are_not(run: Recording) -> None:
    bare = boxes_of(run)
    near, far = Box(centre=(0, 0.4, 0.2), size=(0.2, 0.2, 0.4)), Box(centre=(0, 4, 0.2), size=(0.2, 0.2, 0.4))
    assert boxes_of(within(run, world(far))) == bare
    found = boxes_of(within(run, world(near)))
    assert found.top.top == pytest.approx(0.58)
    assert found.side.top == pytest.approx(0.48)
    tower = boxes_of(within(run, world(Disc(x=0, y=0.3, radius=0.05, height=50))))
    assert tower.side == bare.side


def test_steps_from_above_and_from_the_side(run: Recording) -> None:
    top, side, _ = seen_from(within(run, world(terrain=STEPS)))
    (lines,) = (c for c in top.collections if isinstance(c, LineCollection) and c.get_zorder() < 1)
    assert [segment[0][0] for segment in lines.get_segments()] == [0.0, 0.5]
    assert [text.get_text() for text in top.texts] == ["z = 0.2 m", "z = 0.1 m", "z = 0 m"]
    shades = [patch.get_facecolor() for patch in top.patches if isinstance(patch, Rectangle) and patch.get_width()]
    assert sum(shades[0]) > sum(shades[1]) > sum(shades[2])  # the highest is the lightest
    outline = side.lines[0].get_xydata()
    assert outline[1:-1].tolist() == [list(point) for point in STEPS.points]


def test_hills_from_above_and_from_the_side(run: Recording) -> None:
    on_hill = within(run, world(terrain=HILL))
    top, side, _ = seen_from(on_hill)
    (lines,) = (child for child in top.get_children() if isinstance(child, ContourSet))
    assert lines.levels.tolist() == contour_levels(HILL).tolist()
    assert all(level > 0 for level in contour_levels(HILL))
    assert len(top.images) == 1
    assert max(side.lines[0].get_ydata()) == 0.1
    below = ground_below(on_hill, 0)
    assert below is not None
    assert below[:, 1] == pytest.approx(0.1 * (1 - np.abs(below[:, 0])), abs=1e-3)
    assert ground_below(run, 0) is None


def test_leaning_gravity_has_an_arrow(run: Recording) -> None:
    _, side, _ = seen_from(within(run, world(down=(-0.2, 0, -1))))
    assert "gravity" in [text.get_text() for text in side.texts]
    assert not seen_from(run)[1].texts


def test_movable_discs_from_the_side(run: Recording) -> None:
    loose = within(run, world(Disc(x=0, y=0.3, radius=0.05, height=0.2, mass=1)))
    drawn = draw_movable_from_side(Figure().add_subplot(), loose, movable(loose), 0)
    assert drawn is not None
    assert extent(np.asarray(drawn.get_paths()[0].vertices)) == pytest.approx([-0.05, 0.05, 0, 0.2])
    assert draw_movable_from_side(Figure().add_subplot(), run, movable(run), 0) is None


# --- figures and files ---


def test_figure_of_a_run_in_space(run: Recording) -> None:
    assert is_spatial(run)
    figure = run_figure(run)
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles[0].startswith("From above")
    assert titles[1] == "From the side"
    assert titles[2:5] == [f"Middle link, {axis}" for axis in "xyz"]
    assert "Force of the ground on each link" in titles
    assert run_figure(replace(run, data=run.data.isel(time=slice(0, 1))))  # it failed at once


def test_tall_top_views_have_the_curves_beside_them(run: Recording) -> None:
    data = run.data.copy(deep=True)
    data["link_position"].values[..., 1] += np.linspace(0, 2, run.data.sizes["time"])[:, np.newaxis]
    above, _, beside, *_ = run_figure(replace(run, data=data)).axes
    assert beside.get_position().x0 > above.get_position().x1
    above, _, beside, *_ = run_figure(run).axes
    assert beside.get_position().y1 < above.get_position().y0


def test_animation_of_a_run_in_space(run: Recording, tmp_path: Path) -> None:
    animation(pressed(run, 3), tmp_path / "a.gif")
    with Image.open(tmp_path / "a.gif") as picture:
        assert picture.n_frames > 2  # type: ignore[attr-defined]  # GIF files have it
        colours = {tuple(pixel) for pixel in np.asarray(picture.convert("RGB")).reshape(-1, 3).tolist()}
    exact = {tuple(round(255 * part) for part in to_rgba(colour)[:3]) for colour in (style.BODY, style.BODY_DOWN)}
    assert exact <= colours


def test_pictures_are_complete_or_absent(run: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> None:
        raise OSError("disk full")

    for name in ("a.png", "a.gif"):
        (tmp_path / name).write_text("old")
    monkeypatch.setattr(Figure, "savefig", broken)
    monkeypatch.setattr(Image.Image, "save", broken)
    figure = run_figure(run)
    with pytest.raises(OSError, match="disk full"):
        save_figure(figure, tmp_path / "a.png")
    short = replace(run, data=run.data.isel(time=slice(0, 3)))
    with pytest.raises(OSError, match="disk full"):
        animation(short, tmp_path / "a.gif")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.png"]
    assert {path.read_text() for path in tmp_path.iterdir()} == {"old"}


def test_plot_of_a_saved_run_in_space(run: Recording, tmp_path: Path) -> None:
    run.save(tmp_path / "recording.nc")
    plot(tmp_path)
    plot(tmp_path, gif=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["animation.gif", "figure.png", "recording.nc"]
