"""Figures like those of the papers, on short runs, and robots without width."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.quiver import Quiver
from PIL import Image

import pushpoint as pp
from pushpoint.cli.reproduce import save
from pushpoint.recording import Recording
from pushpoint.recording.assemble import event_set
from pushpoint.reproduction import claims
from pushpoint.reproduction.published import curve, table, tables_of
from pushpoint.reproduction.report import Report, Verdict, reproduce
from pushpoint.scenarios import scenarios
from pushpoint.view import style
from pushpoint.view.animation import animation
from pushpoint.view.bodies import draw_robot, link_ends, pose, pushes_at
from pushpoint.view.figures import run_figure
from pushpoint.view.papers import paper_figures, scenarios_of
from pushpoint.view.papers._parts import centre_velocity, smoothed

pytestmark = pytest.mark.filterwarnings("ignore:obstacles .* apart")  # known of the clutter

P1 = "liljeback2010"
RESOLUTIONS = {"rows": (0.1, 0.25), "clutter": (0.2,)}  # [s], made up


def resolving(run: Recording, starts: tuple[float, ...]) -> Recording:
    """The same run, as if jams had been resolved for 0.05 s at these times."""
    kinds = ((0.0, "resolution"), (0.05, "resolution-ended"))
    events = [(start + later, name, "") for start in starts for later, name in kinds]
    return replace(run, events=event_set(events))


@pytest.fixture(scope="module")
def runs() -> Mapping[str, Recording]:
    found = {name: pp.simulate(scenarios[name].with_overrides({"duration": 0.3})) for name in scenarios_of(P1)}
    for slug, starts in RESOLUTIONS.items():
        found[f"{P1}/{slug}"] = resolving(found[f"{P1}/{slug}"], starts)
    return found


def drawn(runs: Mapping[str, Recording], slug: str) -> Figure:
    figure = paper_figures[f"{P1}/{slug}"].drawn(runs, tables_of(P1))
    assert figure is not None
    return figure


def points(axes: Axes, colour: str) -> np.ndarray:
    """Coordinates of all lines and marks of one colour, (points, 2)."""
    lines = [line.get_xydata() for line in axes.lines if to_rgb(line.get_color()) == to_rgb(colour)]
    return np.vstack(lines) if lines else np.empty((0, 2))


def dashes(axes: Axes) -> list[float]:
    """Where vertical dashed lines stand."""
    upright = [line for line in axes.lines if len(line.get_xdata()) == 2 and line.is_dashed()]
    return [float(line.get_xdata()[0]) for line in upright if line.get_xdata()[0] == line.get_xdata()[1]]


# --- what was published ---


def test_published_tables_are_found_by_paper_and_figure() -> None:
    assert list(tables_of(P1)) == ["fig10", "fig11", "fig12", "fig13", "fig14"]
    joints = tables_of(P1)["fig10"]
    assert sorted(set(joints["t_s"])) == [0, 4, 8, 11]
    assert np.sum(joints["t_s"] == 0) == 12
    jams = table("liljeback2010_fig13.csv")
    assert [int(np.sum(jams["run"] == slug)) for slug in ("rows", "clutter")] == [6, 8]
    assert curve(f"{P1}/fig11").x[-1] == 2.147
    assert not tables_of("nobody1999")


def test_runs_of_published_tables_exist() -> None:
    for figure in ("fig12", "fig13"):
        assert all(f"{P1}/{slug}" in scenarios for slug in tables_of(P1)[figure]["run"])


# --- which figures there are ---


@pytest.mark.parametrize("name", list(paper_figures))
def test_figures_name_scenarios_that_exist(name: str) -> None:
    figure = paper_figures[name]
    assert figure.title.startswith(f"Fig. {name.split('/fig')[1]}: ")
    assert all(scenario in scenarios for scenario in figure.scenarios)


def test_scenarios_of_a_paper_of_all_and_of_a_claim() -> None:
    assert set(scenarios_of(P1)) == {f"{P1}/{slug}" for slug in ("track", "rows-serpenoid", "rows", "clutter")}
    assert set(scenarios_of(P1)) <= set(scenarios_of("all"))
    assert scenarios_of(f"{P1}/rows") == ()


def test_a_figure_is_skipped_without_its_runs(runs: Mapping[str, Recording]) -> None:
    some = {name: run for name, run in runs.items() if name != f"{P1}/clutter"}
    figures = {name: paper_figures[name].drawn(some, tables_of(P1)) for name in paper_figures if name.startswith(P1)}
    assert [name for name, figure in figures.items() if figure is None] == [f"{P1}/fig12", f"{P1}/fig13"]
    unjammed = some | {f"{P1}/rows": resolving(some[f"{P1}/rows"], ())}
    assert paper_figures[f"{P1}/fig15"].drawn(unjammed, tables_of(P1)) is None


# --- what they show ---


def test_fig10_has_published_joints_on_ours_at_the_start(runs: Mapping[str, Recording]) -> None:
    (axes,) = drawn(runs, "fig10").axes  # the run ends before 4 s
    run = runs[f"{P1}/track"]
    ends = link_ends(run.scenario.built_robot(), *pose(run, 0))
    ours = np.vstack([ends[:, 0], ends[-1:, 1]])
    assert points(axes, style.ORANGE) == pytest.approx(ours, abs=5e-3)
    assert axes.get_aspect() == 1.0


def test_fig11_has_the_published_curve_in_all_panels(runs: Mapping[str, Recording]) -> None:
    scene, x, y = drawn(runs, "fig11").axes
    assert points(scene, style.ORANGE).tolist() == [[0.525, 0.18]]
    assert points(x, style.ORANGE).tolist() == [[0, 0.525]]
    assert points(y, style.ORANGE).tolist() == [[0, 0.18]]
    assert len(points(x, style.BLUE)) == runs[f"{P1}/track"].data.sizes["time"]


def test_fig12_has_one_scale_and_marks_final_places(runs: Mapping[str, Recording]) -> None:
    panels = drawn(runs, "fig12").axes
    assert len({panel.get_xlim() for panel in panels}) == 1
    assert [points(panel, style.ORANGE)[:, 0].tolist() for panel in panels] == [[0.5], [2.55], [2.45]]
    for panel, slug in zip(panels, ("rows-serpenoid", "rows", "clutter"), strict=True):
        ours = float(runs[f"{P1}/{slug}"].data["centre_of_mass"][-1, 0])
        assert points(panel, style.BODY).tolist() == [[ours, 1.0]]
        assert sum(line.is_dashed() for line in panel.lines) == 2  # initial shape, path of the head


def test_fig13_has_a_dashed_line_for_each_resolution(runs: Mapping[str, Recording]) -> None:
    for panel, slug, published in zip(drawn(runs, "fig13").axes, ("rows", "clutter"), (6, 8), strict=True):
        assert dashes(panel) == pytest.approx(RESOLUTIONS[slug])
        assert len(points(panel, style.ORANGE)) == published
        assert f"{len(RESOLUTIONS[slug])} resolutions, published {published}" in panel.get_title("left")


def test_fig14_has_the_signs_of_the_paper(runs: Mapping[str, Recording]) -> None:
    run = runs[f"{P1}/rows"]
    angle, force = run.data["link_angle"].values, np.zeros(run.data["contact_force"].shape)
    force[:, 4] = 7.0 * np.stack([-np.sin(angle[:, 4]), np.cos(angle[:, 4])], axis=1)  # to the left
    torque = np.tile(np.arange(9.0), (len(force), 1))
    data = run.data.assign(contact_force=(("time", "link", "axis"), force), joint_torque=(("time", "joint"), torque))
    upper, lower = drawn(runs | {f"{P1}/rows": replace(run, data=data)}, "fig14").axes
    assert points(upper, style.BLUE)[:, 1] == pytest.approx(7.0)
    assert points(lower, style.BLUE)[:, 1] == pytest.approx(-4.0)
    assert sorted(points(upper, style.ORANGE)[:, 1]) == [-200, -200, 200, 200]


def test_fig15_shows_the_resolution_nearest_to_the_published_one(runs: Mapping[str, Recording]) -> None:
    run = runs[f"{P1}/rows"]
    (axes,) = drawn(runs, "fig15").axes
    assert axes.get_title("left").startswith("Resolution from 0.25 to 0.30 s")
    before = link_ends(run.scenario.built_robot(), *pose(run, 25))
    (dashed,) = (line for line in axes.lines if line.is_dashed())
    assert dashed.get_xydata()[:-1].tolist() == before[:, 0].tolist()
    pushed = len(pushes_at(run, 25).link)
    assert len([c for c in axes.collections if isinstance(c, Quiver)]) == (pushed > 0)


def test_velocity_of_the_centre_and_its_smoothing(runs: Mapping[str, Recording]) -> None:
    run = runs[f"{P1}/rows"]
    time, centre = run.data["time"].values, run.data["centre_of_mass"].values
    moved = np.trapezoid(centre_velocity(run), time, axis=0)
    assert moved == pytest.approx(centre[-1] - centre[0], abs=2e-4)
    straight = 1.0 + 2.0 * time
    assert smoothed(np.ones(len(time)), time, 0.1) == pytest.approx(1.0)
    assert smoothed(straight, time, 0.1)[10:-10] == pytest.approx(straight[10:-10])
    assert smoothed(np.array([3.0]), np.array([0.0]), 0.1).tolist() == [3.0]
    assert len(smoothed(np.arange(4.0), np.arange(4.0), 100.0)) == 4


# --- robots without width ---


def test_links_without_width_are_lines_between_dots(runs: Mapping[str, Recording]) -> None:
    axes = Figure().add_subplot()
    lines, rear, tip = draw_robot(axes, runs[f"{P1}/rows"], 0)
    assert isinstance(lines, LineCollection)
    assert isinstance(rear, PathCollection)
    assert isinstance(tip, PathCollection)
    assert len(lines.get_segments()) == len(rear.get_offsets()) == 10
    assert [to_rgba(colour) for colour in (style.BODY, style.HEAD)] == [tuple(lines.get_colors()[k]) for k in (0, -1)]
    assert np.asarray(tip.get_offsets())[0] == pytest.approx(lines.get_segments()[-1][1])


def test_links_of_both_kinds_in_one_robot(runs: Mapping[str, Recording]) -> None:
    run = runs[f"{P1}/rows"]
    robot = run.scenario.built_robot()
    wide = robot.links[0].model_copy(update={"radius": 0.03})
    mixed = robot.model_copy(update={"links": (*robot.links[:-1], wide)})
    changed = replace(run, scenario=run.scenario.model_copy(update={"robot": mixed}))
    body, lines, *_ = draw_robot(Figure().add_subplot(), changed, 0)
    assert isinstance(body, PolyCollection)
    assert isinstance(lines, LineCollection)
    assert len(body.get_paths()) == 10 + 2  # with eyes
    assert {tuple(colour) for colour in lines.get_colors()} == {to_rgba(style.BODY)}


def test_run_figure_and_animation_without_width(runs: Mapping[str, Recording], tmp_path: Path) -> None:
    run = runs[f"{P1}/rows"]
    run_figure(run)
    animation(run, tmp_path / "thin.gif")
    with Image.open(tmp_path / "thin.gif") as picture:
        colours = {tuple(pixel) for pixel in np.asarray(picture.convert("RGB")).reshape(-1, 3).tolist()}
    exact = {tuple(round(255 * part) for part in to_rgb(colour)) for colour in (style.BODY, style.HEAD)}
    assert exact <= colours


# --- the command ---


def test_reproduce_runs_what_figures_show(runs: Mapping[str, Recording], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("pushpoint.studies.jobs.simulate", lambda scenario: runs[f"{P1}/rows"])
    monkeypatch.setattr("pushpoint.reproduction._making.needed", lambda selection: {"lab/x": scenarios[f"{P1}/rows"]})
    monkeypatch.setattr("pushpoint.reproduction.report.chosen", lambda key: [])
    report = reproduce("nothing", started=asked.append, also=scenarios_of(P1), processes=1)
    assert asked == ["lab/x", *scenarios_of(P1)]
    assert list(report.recordings) == asked


def test_report_lists_figures_of_the_paper_before_those_of_runs(runs: Mapping[str, Recording], tmp_path: Path) -> None:
    verdict = Verdict(claims["transeth2008a/track-x6"], 2.12)
    save(Report((verdict,), {f"{P1}/track": runs[f"{P1}/track"]}), tmp_path)
    titles = [line[3:] for line in (tmp_path / "report.md").read_text().splitlines() if line.startswith("## ")]
    titles = [title for title in titles if title not in ("Claims", "Notes")]
    expected = [f"{P1}, {paper_figures[f'{P1}/{slug}'].title}" for slug in ("fig10", "fig11")]
    assert titles == ["All claims", *expected, f"{P1}/track"]
    assert {p.name for p in (tmp_path / "figures").iterdir()} >= {f"{P1}-fig10.png", f"{P1}-fig11.png"}
