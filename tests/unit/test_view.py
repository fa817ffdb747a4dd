"""Pictures of worlds with walls, polygons, patches and discs that move."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

import pushpoint as pp
from pushpoint.recording import Recording
from pushpoint.scenario import Scenario
from pushpoint.view import style
from pushpoint.view.animation import animation
from pushpoint.view.figures import run_figure, save_figure
from pushpoint.view.surroundings import Movable, draw_movable, draw_scene, movable, view_box
from pushpoint.worlds import Disc, Ground, Obstacle, Patch, Polygon, Wall, World

SQUARE = ((0.0, 0.3), (0.2, 0.3), (0.2, 0.5), (0.0, 0.5))
OBSTACLES = (
    Disc(x=0.0, y=-0.35, radius=0.05),
    Disc(x=0.3, y=-0.35, radius=0.05, mass=0.2),
    Wall(points=((-10.0, -0.2), (10.0, -0.2))),
    Polygon(points=SQUARE),
    Disc(x=-0.3, y=-0.35, radius=0.07, mass=0.2),
)
GROUND = Ground(
    friction=0.2,
    patches=(
        Patch(x_min=-0.5, x_max=0.0, y_min=-1, y_max=1, friction=0.6),
        Patch(x_min=0.5, x_max=0.8, y_min=-1, y_max=1, friction=0.05),
        Patch(x_min=-0.4, x_max=-0.3, y_min=-1, y_max=1, friction=0.2),
    ),
)


def world(*obstacles: Obstacle, ground: Ground | None = None) -> World:
    return World(name="w", ground=ground or Ground(), obstacles=obstacles)


@pytest.fixture(scope="module")
def plain() -> Recording:
    """A robot of 0.56 m that lies still on the plane, its middle at the origin."""
    return pp.simulate(
        Scenario(
            name="lab/still",
            robot={"name": "uniform", "options": {"links": 4}},
            world="plane",
            controller="hold",
            duration=0.2,
        )
    )


def within(run: Recording, around: World) -> Recording:
    """The same run, as if it had happened in another world: nothing there touches the robot."""
    return replace(run, scenario=run.scenario.model_copy(update={"world": around}))


def pushed(run: Recording, order: tuple[int, ...] = (1, 4)) -> Recording:
    """The discs 1 and 4 go up by 0.1 m and down by 0.2 m."""
    rows = run.data.sizes["time"]
    end = {1: (0.3, -0.25), 4: (-0.3, -0.55)}
    place = np.stack([np.linspace((0.3, -0.35) if k == 1 else (-0.3, -0.35), end[k], rows) for k in order], axis=1)
    data = run.data.assign(obstacle_position=(("time", "movable", "axis"), place)).assign_coords(movable=list(order))
    return replace(run, data=data)


def scene(run: Recording) -> Axes:
    axes = Figure().add_subplot()
    draw_scene(axes, run, view_box(run))
    return axes


# --- what is drawn ---


def test_walls_are_lines_and_polygons_are_filled(plain: Recording) -> None:
    axes = scene(within(plain, world(*OBSTACLES)))
    (lines,) = (c for c in axes.collections if isinstance(c, LineCollection))
    assert [line.tolist() for line in lines.get_segments()] == [[[-10.0, -0.2], [10.0, -0.2]]]
    assert tuple(lines.get_colors()[0]) == to_rgba(style.PEG_EDGE)
    (polygons,) = (c for c in axes.collections if isinstance(c, PolyCollection))
    assert polygons.get_paths()[0].vertices[:4].tolist() == [list(corner) for corner in SQUARE]
    (discs,) = (c for c in axes.collections if isinstance(c, PatchCollection))
    assert len(discs.get_paths()) == 1  # the others move


def test_patches_are_drawn_where_the_law_differs(plain: Recording) -> None:
    axes = scene(within(plain, world(ground=GROUND)))
    drawn = [(patch.get_x(), patch.get_facecolor()) for patch in axes.patches if isinstance(patch, Rectangle)]
    colours = (style.ROUGH, style.SMOOTH, style.GROUND)  # the last one covers a part of the first
    assert drawn == [(x, to_rgba(colour)) for x, colour in zip((-0.5, 0.5, -0.4), colours, strict=True)]
    same = Ground(patches=(Patch(x_min=0, x_max=1, y_min=0, y_max=1),))
    assert not scene(within(plain, world(ground=same))).patches


def test_movable_discs_are_where_they_were_at_each_row(plain: Recording) -> None:
    still = movable(within(plain, world(*OBSTACLES)))
    assert still.radius.tolist() == [0.05, 0.07]
    assert still.place[0].tolist() == still.place[-1].tolist() == [[0.3, -0.35], [-0.3, -0.35]]
    for order in ((1, 4), (4, 1)):
        found = movable(pushed(within(plain, world(*OBSTACLES)), order))
        assert found.place[-1].tolist() == [[0.3, -0.25], [-0.3, -0.55]]
    axes = Figure().add_subplot()
    drawn = draw_movable(axes, found, -1)
    assert drawn is not None
    assert [path.get_extents().p0.tolist() for path in drawn.get_paths()] == [
        pytest.approx([0.25, -0.3]),
        pytest.approx([-0.37, -0.62]),
    ]
    assert tuple(drawn.get_facecolor()[0]) == to_rgba(style.MOVABLE)
    assert draw_movable(axes, Movable(np.empty(0), np.empty((3, 0, 2))), 0) is None


# --- how much is shown: the robot reaches from -0.31 to 0.31 and from -0.1 to 0.1, and 0.08 more is always shown ---


def test_far_obstacles_do_not_widen_the_view(plain: Recording) -> None:
    far = (
        Wall(points=((-10.0, 3.0), (10.0, 3.0))),
        Wall(points=((-4.0, 0.0), (0.0, 4.0))),  # its box holds the robot
        Polygon(points=[(x + 2, y) for x, y in SQUARE]),
        Disc(x=3, y=0, radius=0.1),
        Disc(x=-3, y=0, radius=0.1, mass=1),
    )
    assert view_box(within(plain, world(*far))) == view_box(plain)


def test_of_near_walls_the_near_part_is_shown(plain: Recording) -> None:
    bare, box = view_box(plain), view_box(within(plain, world(OBSTACLES[2])))
    assert box.bottom == pytest.approx(-0.28)
    assert box.top == bare.top
    assert (bare.left - box.left, box.right - bare.right) == (pytest.approx(0.3), pytest.approx(0.3))


def test_near_polygons_are_shown_but_not_without_end(plain: Recording) -> None:
    bare = view_box(plain)
    assert view_box(within(plain, world(OBSTACLES[3]))) == bare._replace(top=pytest.approx(0.58))
    huge = Polygon(points=((-50, 0.3), (50, 0.3), (50, 50), (-50, 50)))
    box = view_box(within(plain, world(huge)))
    assert (bare.left - box.left, box.right - bare.right, box.top - bare.top) == pytest.approx((0.6, 0.6, 0.6))


def test_discs_are_shown_where_they_were_pushed_to(plain: Recording) -> None:
    around = within(plain, world(*OBSTACLES))
    found = pushed(around)
    place = found.data["obstacle_position"].values
    place[-1, 0] = (0.5, 0.1)
    assert view_box(found).right == pytest.approx(max(view_box(around).right, 0.5 + 0.05 + 0.08))
    place[-1, 0] = (50, 0.1)
    assert view_box(found).right < 2


# --- files ---


def test_figures_and_animations_of_such_worlds(plain: Recording, tmp_path: Path) -> None:
    moved = pushed(within(plain, world(*OBSTACLES, ground=GROUND)))
    for name, run in (("moved", moved), ("still", replace(moved, data=moved.data.drop_vars("obstacle_position")))):
        save_figure(run_figure(run), tmp_path / f"{name}.png")
        animation(run, tmp_path / f"{name}.gif")
        with Image.open(tmp_path / f"{name}.gif") as picture:
            first = np.asarray(picture.convert("RGB"), dtype=int)[80:]  # without the clock
            picture.seek(picture.n_frames - 1)  # type: ignore[attr-defined]  # GIF files have it
            last = np.asarray(picture.convert("RGB"), dtype=int)[80:]
        assert np.any(first != last) == (name == "moved")
