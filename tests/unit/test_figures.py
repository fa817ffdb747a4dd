"""Figures of runs: panels by name, sizes and styles, what they say of forces, energy, claims and faults."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

import pushpoint as pp
from pushpoint.cli.plot import plot
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.recording import Recording
from pushpoint.studies import Study
from pushpoint.studies.results import Results, Row
from pushpoint.view import style
from pushpoint.view.bodies import arrows, draw_robot, full_force, rounded, scale_of
from pushpoint.view.claims import claims_figure, placed
from pushpoint.view.faults import MARK, FaultFinder
from pushpoint.view.figures import DPI, figure, rows_of
from pushpoint.view.panels import LEDGER
from pushpoint.view.papers import paper_figures
from pushpoint.view.run_panels import PANELS
from pushpoint.view.study import study_figure
from pushpoint.worlds import Disc, World

SIDEWINDING = "liljeback2014/sidewinding"


@pytest.fixture(scope="module")
def track() -> Recording:
    return pp.simulate("transeth2008a/track", duration=0.3)


@pytest.fixture(scope="module")
def sidewinding() -> Recording:
    """A run in space that comes 5 m to the left, as the whole one does."""
    run = pp.simulate(SIDEWINDING, duration=0.21)
    data = run.data.copy(deep=True)
    data["link_position"].values[..., 1] += np.linspace(0, 5, run.data.sizes["time"])[:, np.newaxis]
    return replace(run, data=data)


def texts(sheet: Figure) -> list[tuple[str, Bbox]]:
    """All titles, labels, remarks and entries of legends with their places [pixels]."""
    sheet.canvas.draw()  # type: ignore[no-untyped-call]  # of Matplotlib
    legends = [*sheet.legends, *(legend for axes in sheet.axes if (legend := axes.get_legend()) is not None)]
    found = [*sheet.texts, *(text for legend in legends for text in legend.get_texts())]
    for axes in sheet.axes:
        found += [axes.title, axes._left_title, axes._right_title, axes.xaxis.label, axes.yaxis.label]
    return [(each.get_text(), each.get_window_extent()) for each in found if each.get_text() and each.get_visible()]


def overprinted(sheet: Figure) -> list[tuple[str, str]]:
    """Pairs of texts that lie on each other by more than a pixel."""
    pairs = itertools.combinations(texts(sheet), 2)
    return [(a, b) for (a, one), (b, other) in pairs if one.padded(-1).overlaps(other.padded(-1))]


def by_title(sheet: Figure, title: str) -> Axes:
    return next(axes for axes in sheet.axes if axes.get_title("left") == title)


# --- panels, sizes, styles ---


def test_panels_take_a_recording_and_return_axes(track: Recording, sidewinding: Recording) -> None:
    for name, panel in PANELS.items():
        run = sidewinding if name in ("side", "z", "ground_forces") else track
        own = Figure().add_subplot()
        assert panel.draw(run, own, style="print") is own
        assert own.get_title("left") or own.get_title()
    for function in (pp.view.scene, pp.view.path, pp.view.energy, pp.view.events, pp.view.joint_angles):
        axes = function(track)
        assert axes.figure.axes[0] is axes


def test_panels_that_a_run_has_not_are_refused(track: Recording) -> None:
    with pytest.raises(InvalidInput, match="transeth2008a/track: a run in the plane has no side view"):
        pp.view.side(track)
    bare = replace(track, data=track.data.drop_vars("ground_force", errors="ignore"))
    with pytest.raises(InvalidInput, match=r"transeth2008a/track: .* no ground forces"):
        pp.view.ground_forces(bare)
    with pytest.raises(InvalidInput, match="axis = 'z': should be one of x, y"):
        pp.view.coordinate(track, axis="z")
    with pytest.raises(InvalidInput, match=r"from 0 to 0\.3 s"):
        pp.view.scene(track, time=2.0)
    with pytest.raises(InvalidInput, match="link = 11"):
        pp.view.path(track, link=11)


def test_chosen_panels_size_and_order(track: Recording) -> None:
    sheet = figure(track, ["energy", "joint_angles", "scene", "events"], size=(12, 6))
    titles = [axes.get_title("left") for axes in sheet.axes if axes.get_title("left")]
    assert [title[:5] for title in titles] == ["Energ", "Joint", "t = 0", "Event"]
    assert sheet.get_size_inches().tolist() == [12, 6]
    assert rows_of(["x", "y", "scene", "energy", "x", "y"]) == [["x", "y"], ["scene"], ["energy", "x"], ["y"]]
    assert not overprinted(sheet)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"panels": ["enrgy"]}, UnknownName, "'enrgy'. Did you mean 'energy'"),
        ({"panels": []}, InvalidInput, "one name at least"),
        ({"size": (0.1, 5)}, InvalidInput, "from 1 to 60 inches"),
        ({"style": "drak"}, UnknownName, "Did you mean 'dark'"),
    ],
)
def test_wrong_choices_say_what_is_allowed(track: Recording, options: dict, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        figure(track, **options)


@pytest.mark.parametrize("name", style.STYLES)
def test_styles_change_paper_and_letters(track: Recording, name: str) -> None:
    palette, sheet = style.STYLES[name], figure(track, ["scene", "energy"], style=name)
    assert sheet.get_facecolor() == to_rgba(palette.paper)
    scene, energy = sheet.axes
    assert scene.get_facecolor() == to_rgba(palette.ground)
    assert to_rgba(energy.title.get_color()) == to_rgba(palette.ink)
    assert style.LIGHT.ink == style.INK  # outside


def contrast(one: str, other: str) -> float:
    """Of two colours, by WCAG 2."""

    def luminance(colour: str) -> float:
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgba(colour)[:3])
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", style.STYLES)
def test_letters_and_lines_can_be_read(name: str) -> None:
    palette = style.STYLES[name]
    for paper in (palette.paper, palette.ground):
        assert contrast(palette.ink, paper) > 10
        assert contrast(palette.note, paper) > 4.5
        for colour in (palette.body, palette.head, palette.force, palette.fault, palette.blue, palette.red):
            assert contrast(colour, paper) > 3
    assert name != "print" or {palette.ink, palette.quiet, palette.note, palette.peg_edge} == {"#000000"}


def test_styles_apply_to_figures_of_papers(track: Recording) -> None:
    drawn = paper_figures["transeth2008a/fig15"].drawn({"transeth2008a/track": track}, {}, "dark")
    assert drawn is not None
    assert drawn.get_facecolor() == to_rgba(style.DARK.paper)
    (legend,) = drawn.legends
    assert to_rgba(legend.get_lines()[0].get_color()) == to_rgba(style.DARK.body)


def test_plot_takes_panels_size_and_style(track: Recording, tmp_path: Path) -> None:
    track.save(tmp_path / "recording.nc")
    plot(tmp_path, tmp_path / "a.pdf", "scene, energy", "8x5", "print")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(InvalidInput, match="such as 12x6"):
        plot(tmp_path, size="wide")
    with pytest.raises(InvalidInput, match="pushpoint video"):
        plot(tmp_path, size="8x5", gif=True)


# --- sheets ---


def test_no_text_lies_on_another(track: Recording, sidewinding: Recording) -> None:
    for run in (track, sidewinding):
        assert not overprinted(figure(run))


def test_sheets_in_space_are_not_larger_than_a_screen(sidewinding: Recording) -> None:
    for along, up in itertools.product((0.0, 1.0, 8.0), (0.0, 2.0, 6.0)):
        data, rows = sidewinding.data.copy(deep=True), np.linspace(0, 1, sidewinding.data.sizes["time"])[:, np.newaxis]
        data["link_position"].values[..., 0] += along * rows
        data["link_position"].values[..., 2] += up * rows
        assert max(figure(replace(sidewinding, data=data)).get_size_inches() * DPI) <= 1600 + 1e-6


def test_maps_have_ticks_at_whole_links_and_say_what_they_cut(sidewinding: Recording) -> None:
    data = sidewinding.data.copy(deep=True)
    force = data["ground_force"].values
    force[:] = 1.0
    force[3, 4] = (0.0, 0.0, 88.0)
    sheet = figure(replace(sidewinding, data=data))
    sheet.canvas.draw()  # type: ignore[no-untyped-call]  # of Matplotlib
    ticks = by_title(sheet, "Force of the ground on each link").get_yticks()
    assert ticks.tolist() == np.round(ticks).tolist()
    assert "force [N], up to 88 N" in [axes.get_ylabel() for axes in sheet.axes]
    force[3, 4] = 1.0
    assert "force [N]" in [axes.get_ylabel() for axes in figure(replace(sidewinding, data=data)).axes]


def test_energy_curves_on_each_other_are_all_seen(track: Recording) -> None:
    below = {name: style_of for name, (_, style_of) in LEDGER.items() if "linestyle" not in style_of}
    above = {name: style_of for name, (_, style_of) in LEDGER.items() if "linestyle" in style_of}
    assert list(LEDGER) == [*below, *above]  # dashes are drawn last
    assert min(each["linewidth"] for each in below.values()) > max(each["linewidth"] for each in above.values())
    assert set(above) == {"kinetic_energy", "numerical_work"}  # small, near zero
    lines = pp.view.energy(track).lines
    assert len({line.get_color() for line in lines}) == len(lines) == 5


# --- arrows and faults ---


def test_arrows_have_a_round_scale_that_is_said(track: Recording) -> None:
    assert [rounded(value) for value in (0.013, 3.0, 4.0, 88.0, 0.75)] == [0.01, 2, 5, 100, 1]
    full = full_force(track)
    assert full == rounded(full)
    lengths = np.linalg.norm(arrows(np.array([[full, 0.0], [0.0, 100 * full]]), full), axis=1)
    assert lengths.tolist() == pytest.approx([0.2, 0.26])
    legend = pp.view.scene(track).get_legend()
    assert legend is not None
    assert f"0.2 m for {full:g} N" in legend.get_texts()[-1].get_text()
    strong = replace(track, contacts=track.contacts.assign(force=100 * track.contacts["force"]))
    assert ", cut above " in scale_of(strong, -1)


def test_links_inside_obstacles_and_across_others_are_marked(track: Recording) -> None:
    head = track.data["link_position"].values[-1, 10]
    inside = World(name="w", obstacles=(Disc(x=float(head[0]), y=float(head[1]), radius=0.02),))
    run = replace(track, scenario=track.scenario.model_copy(update={"world": inside}))
    assert FaultFinder(track).links(-1).tolist() == []
    assert 10 in FaultFinder(run).links(-1)
    loose = World(name="w", obstacles=(Disc(x=float(head[0]), y=float(head[1]), radius=0.02, mass=1.0),))
    assert 10 in FaultFinder(replace(run, scenario=run.scenario.model_copy(update={"world": loose}))).links(-1)
    marks = [each for each in draw_robot(Figure().add_subplot(), run, -1) if each.get_gid() == MARK]
    assert len(marks) == 1
    axes = pp.view.scene(run)
    legend = axes.get_legend()
    assert legend is not None
    assert any("inside an obstacle" in text.get_text() for text in legend.get_texts())
    drawn = paper_figures["transeth2008a/fig15"].drawn({"transeth2008a/track": run}, {})
    assert drawn is not None
    assert "Outlined: inside an obstacle" in drawn.get_supxlabel()
    drawn = paper_figures["transeth2008a/fig15"].drawn({"transeth2008a/track": track}, {})
    assert drawn is not None
    assert "Outlined" not in drawn.get_supxlabel()
    data = track.data.copy(deep=True)
    data["link_angle"].values[-1, 5] += np.pi / 2
    data["link_position"].values[-1, 5] = data["link_position"].values[-1, 2]
    assert {2, 5} <= set(FaultFinder(replace(track, data=data)).links(-1).tolist())


# --- claims and studies ---


def verdict(measured: float, low: float | None, high: float | None, published: float) -> dict:
    confirmed = (low is None or measured >= low) and (high is None or measured <= high)
    said = {"text": f"about {published:g}", "low": published, "high": published}
    return {"id": "p/c", "accepted": (low, high), "measured": measured, "unit": "m", "confirmed": confirmed,
            "published": said}  # fmt: skip


def test_claims_show_the_published_value() -> None:
    sheet = claims_figure([verdict(1.9, 1.0, 3.0, 2.0), verdict(9.0, 1.0, 3.0, 2.5)])
    (axes,) = sheet.axes
    diamonds = [float(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "D"]
    assert diamonds == pytest.approx([0.5, 0.625])
    assert {"about 2", "about 2.5"} <= {text.get_text() for text in axes.texts}
    assert [line.get_marker() for line in axes.lines if line.get_marker() != "D"] == ["o", ">"]


def test_no_two_misses_are_at_one_place() -> None:
    values = [-1e6, -50.0, -2.0, 0.0, 1.0, 1.5, 3.0, 3.1, 4.0, 40.0, 1e6]
    places = [placed(value, 1.0, 3.0) for value in values]
    assert places == sorted(places)
    assert len(set(places)) == len(places)
    assert (placed(1.0, 1.0, 3.0), placed(3.0, 1.0, 3.0)) == (0.25, 0.75)
    assert 0.0 < places[0] < places[-1] < 1.0
    for low, high in ((0.0, None), (None, 0.0), (2.0, None), (None, -2.0)):
        found = [placed(value, low, high) for value in values]
        assert found == sorted(set(found))
        assert 0.0 < found[0] < found[-1] < 1.0


def test_figures_of_studies_have_units() -> None:
    study = Study.parse({"scenario": "transeth2008a/flat", "seeds": 2})
    values = dict.fromkeys(study.columns, 1.0)
    sheet = study_figure(Results(study, tuple(Row("base", seed, "ok", "", 0.0, values) for seed in (0, 1))))
    units = [pp.analysis.unit_of(wanted.name) for wanted in study.measurements]
    assert [axes.get_ylabel() for axes in sheet.axes] == [f"[{unit}]" if unit else "count or ratio" for unit in units]
    assert {"m", "s"} <= set(units)
    assert not overprinted(sheet)
