"""Pictures of a reproduction: all claims, figures like those of the papers, one of every run. Drawn on local processes;
those that a cache knows are not drawn again."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pushpoint.cli._scenario import slug
from pushpoint.studies.processes import Work, done, runs_bar
from pushpoint.studies.result_cache import KeptRun, KeptRuns, ResultCache, key_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pushpoint.recording.recording import Recording
    from pushpoint.reproduction.report import Report

ALL_CLAIMS = "All claims"
COLOURS = 256  # of a picture: a third of the bytes, and nobody sees it
LOADED = 4  # recordings that a process keeps: the figures of a paper show the same runs


@dataclass(frozen=True, slots=True)
class Sheet:
    """One picture to be drawn: of claims, of a figure of a paper, or of a run."""

    kind: str  # claims, paper, run
    name: str  # of the figure or the run
    title: str
    runs: Mapping[str, KeptRun | Recording]
    data: Any = None  # what else it shows
    style: str = "light"

    @property
    def file(self) -> str:
        """Below the folder of the report."""
        return f"figures/{'claims' if self.kind == 'claims' else slug(self.name)}.png"

    def key(self) -> str | None:
        """None if its runs are not in a cache."""
        runs = [run.key if isinstance(run, KeptRun) else None for run in self.runs.values()]
        if None in runs:
            return None
        return key_of("picture", [self.kind, self.name, self.title, runs, self.data, self.style, COLOURS])


class Drawn(NamedTuple):
    """A picture as PNG; empty if there is nothing to show, or if there is a problem."""

    image: bytes
    problem: str = ""


def sheets(report: Report, style: str = "light") -> list[Sheet]:
    """All pictures of a report, in the order of its text; no figures of papers whose runs are not all there."""
    runs = report.recordings.runs if isinstance(report.recordings, KeptRuns) else report.recordings
    verdicts = [verdict.as_dict() for verdict in report.verdicts]
    plain = [
        Sheet("claims", "claims", ALL_CLAIMS, {}, verdicts),
        *_paper_sheets(runs),
        *(Sheet("run", name, name, {name: run}, _curves(run)) for name, run in runs.items()),
    ]
    return [replace(sheet, style=style) for sheet in plain]


def _paper_sheets(runs: Mapping[str, KeptRun | Recording]) -> list[Sheet]:
    from pushpoint.reproduction.published import tables_of
    from pushpoint.view.papers import paper_figures

    found = []
    for paper in sorted({name.split("/")[0] for name in runs}):  # a figure shows scenarios of its paper
        for name in paper_figures.names_of(paper):
            figure = paper_figures[name]
            if all(scenario in runs for scenario in figure.scenarios):
                shown = {scenario: runs[scenario] for scenario in figure.scenarios}
                tables = {place: dict(columns) for place, columns in tables_of(paper).items()}
                found.append(Sheet("paper", name, f"{paper}, {figure.title}", shown, tables))
    return found


def _curves(run: KeptRun | Recording) -> dict[str, Any]:
    from pushpoint.reproduction.published import curves_of

    return dict(curves_of(run.scenario.name))


def drawn(wanted: Sequence[Sheet], cache: ResultCache, how: Drawing) -> list[Drawn]:
    """The pictures, in this order."""
    keys = [sheet.key() for sheet in wanted]
    found = {}
    for k, key in enumerate(keys):
        image = None if how.anew else cache.picture(key)
        if image is not None:
            found[k] = Drawn(image)
    missing = [k for k in range(len(wanted)) if k not in found]
    work = Work(partial(draw, cache=cache), _lost)
    processes = how.processes if all(keys[k] is not None for k in missing) else 1  # recordings stay where they are
    with runs_bar("draw", len(missing), how.progress and bool(missing), "figures") as bar:
        for number, picture in done(work, [wanted[k] for k in missing], processes):
            k = missing[number]
            found[k] = picture
            if not picture.problem:
                cache.keep_picture(keys[k], picture.image)
            if bar is not None:
                bar.update(failed=bool(picture.problem))
    return [found[k] for k in range(len(wanted))]


class Drawing(NamedTuple):
    """How pictures are drawn."""

    processes: int | None = None
    anew: bool = False
    progress: bool = False
    style: str = "light"


def _lost(why: str) -> Drawn:
    return Drawn(b"", why)


def draw(sheet: Sheet, cache: ResultCache) -> Drawn:
    """One picture. A figure that cannot be drawn is missing alone."""
    from pushpoint.user_code import described

    try:
        figure = _figure(sheet, cache)
        return Drawn(b"" if figure is None else _png(figure))
    except Exception as error:  # figures may be anybody's
        return Drawn(b"", described(error))


def _figure(sheet: Sheet, cache: ResultCache) -> Figure | None:
    if sheet.kind == "claims":
        from pushpoint.view.claims import claims_figure
        from pushpoint.view.style import styled

        with styled(sheet.style):
            return claims_figure(sheet.data)
    runs = {name: _recording(run, cache) for name, run in sheet.runs.items()}
    if sheet.kind == "paper":
        from pushpoint.view.papers import paper_figures

        return paper_figures[sheet.name].drawn(runs, sheet.data, sheet.style)
    from pushpoint.view.figures import figure

    return figure(runs[sheet.name], style=sheet.style, published=sheet.data)


_last: dict[str, Recording] = {}  # by key


def _recording(run: KeptRun | Recording, cache: ResultCache) -> Recording:
    if not isinstance(run, KeptRun):
        return run
    if run.key is None:
        return run.recording(cache)
    if run.key not in _last:
        while len(_last) >= LOADED:
            del _last[next(iter(_last))]
        _last[run.key] = run.recording(cache)
    return _last[run.key]


def _png(figure: Figure) -> bytes:
    """With few colours: an eighth of the time to read, a third of the bytes."""
    from PIL import Image

    from pushpoint.view.figures import png

    with Image.open(io.BytesIO(png(figure))) as picture:
        few = picture.convert("RGB").quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    packed = io.BytesIO()
    few.save(packed, "PNG", optimize=True)
    return packed.getvalue()
