"""The report as one HTML page that opens from the disk: no server, no network, nothing beside it.

All text goes through `_text`, so that no title or message becomes a part of the page. The policy in the head allows the
one style and the one script below by their hashes, images inside the page, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from pushpoint.studies.statistics import placed_in_range

if TYPE_CHECKING:
    from pushpoint.reproduction.report import Report, Verdict
    from pushpoint.studies.jobs import RunNote

PAPERS = {  # in the order of their numbers, by which statements and notes name them
    "liljeback2010": "P1: P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl, Hybrid Modelling and Control of "
    "Obstacle-Aided Snake Robot Locomotion, IEEE Transactions on Robotics 26 (5), 2010",
    "transeth2008a": "P2: A. A. Transeth, R. I. Leine, Ch. Glocker, K. Y. Pettersen, P. Liljebäck, Snake Robot "
    "Obstacle Aided Locomotion: Modeling, Simulations, and Experiments, IEEE Transactions on Robotics 24 (1), 2008",
    "liljeback2014": "P3: P. Liljebäck, K. Y. Pettersen, Ø. Stavdahl, J. T. Gravdahl, A 3D Motion Planning Framework "
    "for Snake Robots, 2014",
    "koushan2020": "P4: A. Koushan, Hybrid Obstacle Aided Locomotion in Snake Robots, master's thesis, NTNU, 2020",
    "transeth2008b": "P5: A. A. Transeth, R. I. Leine, Ch. Glocker, K. Y. Pettersen, 3D Snake Robot Motion: Non-smooth "
    "Modeling, Simulations, and Experiments, 2008",
}
STATES = ("confirmed", "differs", "holds", "failed")
BAR = 144.0, 14.0  # width and height of the drawing of a range
_FIGURE = re.compile(r"Figs?\. (\d+(?:\.\d+)?)")
_FOLDERS = re.compile(r"(?<![\w.:])(?:[A-Za-z]:)?[/\\](?:[^/\\\s'\"<>|:;,()]+[/\\])+")


class Picture(NamedTuple):
    """A figure of a paper as it comes out here."""

    name: str  # key/slug
    title: str  # "Fig. 13: ..."
    scenarios: tuple[str, ...]
    image: bytes = b""  # PNG
    problem: str = ""  # why there is none

    @property
    def paper(self) -> str:
        return self.name.split("/")[0]


@dataclass(frozen=True, slots=True)
class About:
    """Where numbers come from: what people read at the end of a page."""

    machine: Mapping[str, str]
    versions: Mapping[str, str]
    times: Mapping[str, str]
    code: Mapping[str, str] = field(default_factory=dict)  # hashes of loaded files by name


def page(report: Report, pictures: Sequence[Picture], about: About) -> str:
    """The whole page."""
    style, script = ((files(__name__) / name).read_text(encoding="utf-8").strip() for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join((
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        "<title>Published against measured</title>",
        '<link rel="icon" href="data:,">',
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        *_head(report),
        *_filters(report),
        "<main>",
        *_papers(report, pictures),
        *_checks(report),
        *_runs(report.notes),
        "</main>",
        *_about(about),
        f"<script>{script}</script>",
        "</body>",
        "</html>",
        "",
    ))  # fmt: skip


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _text(value: object) -> str:
    """The only path from data into the page."""
    return escape(str(value), quote=True)


def without_folders(text: str) -> str:
    """Messages may name files: their folders are nobody's business."""
    return _FOLDERS.sub("", text)


def _joined(*parts: str) -> str:
    return "".join(parts)


# --- head ---


def _head(report: Report) -> list[str]:
    count = report.count
    tiles = (
        ("good", count.confirmed, "claims confirmed"),
        ("other", count.differ, "claims differ, with a reason"),
        ("good", count.checks, "checks of our own hold"),
        ("bad" if count.failed else "quiet", count.failed, "failed"),
    )
    lines = [
        "<header>",
        "<h1>Published against measured</h1>",
        '<p class="lead">What papers on snake robots state, and what <code>pushpoint</code> computes.</p>',
        '<ul class="tiles">',
        *(f'<li class="{kind}"><strong>{number}</strong> {what}</li>' for kind, number, what in tiles),
        "</ul>",
    ]
    if len(report.counts) > 1:
        lines += _counts(report)
    return [*lines, "</header>"]


def _counts(report: Report) -> list[str]:
    headings = ("confirmed", "differ", "checks hold", "failed")
    lines = ['<nav aria-label="Papers" class="card scroll"><table class="plain">', "<thead><tr><th>paper</th>"]
    lines += [f'<th class="right">{heading}</th>' for heading in headings]
    lines += ["</tr></thead>", "<tbody>"]
    for paper in in_order(report.counts):
        count = report.counts[paper]
        has_claims = any(verdict.claim.paper == paper for verdict in report.claims)
        place = _anchor("paper" if has_claims else "checks", paper)
        cells = _joined(*(f'<td class="right">{number}</td>' for number in count))
        lines.append(f'<tr><th scope="row"><a href="#{place}">{_text(paper)}</a></th>{cells}</tr>')
    return [*lines, "</tbody></table></nav>"]


def _filters(report: Report) -> list[str]:
    states = [state_of(verdict) for verdict in report.verdicts]
    buttons = [_button("all", len(states), True)]
    buttons += [_button(state, states.count(state), False) for state in STATES if state in states]
    return [
        '<div class="bar" id="bar" role="search" hidden><div>',
        *buttons,
        '<input type="search" id="search" placeholder="Search claims" aria-label="Search claims" autocomplete="off">',
        '<span id="shown" role="status"></span>',
        '<button type="button" id="theme" aria-label="Change between light and dark">Dark</button>',
        "</div></div>",
    ]


def _button(state: str, count: int, pressed: bool) -> str:
    held = "true" if pressed else "false"
    return f'<button type="button" data-filter="{state}" aria-pressed="{held}">{state} <span>{count}</span></button>'


# --- claims ---


def state_of(verdict: Verdict) -> str:
    """One of STATES."""
    return "failed" if verdict.failed else verdict.word


def _papers(report: Report, pictures: Sequence[Picture]) -> list[str]:
    papers = [verdict.claim.paper for verdict in report.claims] + [picture.paper for picture in pictures]
    lines: list[str] = []
    for paper in in_order(papers):
        verdicts = [verdict for verdict in report.claims if verdict.claim.paper == paper]
        own = [picture for picture in pictures if picture.paper == paper]
        lines += [f'<section data-group id="{_anchor("paper", paper)}">', f"<h2>{_text(paper)}</h2>"]
        if paper in PAPERS:
            lines.append(f'<p class="reference">{_text(PAPERS[paper])}</p>')
        for topic, claims in topics(verdicts, own).items():
            shown = [picture for picture in own if topic_of(picture.title) == topic]
            lines += _topic(topic, claims, shown)
        lines.append("</section>")
    return lines


def in_order(papers: Iterable[str]) -> list[str]:
    """Each once, by number; others behind them."""
    known = list(PAPERS)
    return sorted(dict.fromkeys(papers), key=lambda key: (known.index(key) if key in PAPERS else len(known), key))


def topic_of(source: str) -> str:
    """The first figure that a source names, or else the source."""
    found = _FIGURE.search(source)
    return f"Fig. {found[1]}" if found else source


def topics(verdicts: Sequence[Verdict], pictures: Sequence[Picture]) -> dict[str, list[Verdict]]:
    """The claims of a paper by figure, in their order, then by section."""
    found: dict[str, list[Verdict]] = {topic_of(picture.title): [] for picture in pictures}
    for verdict in verdicts:
        found.setdefault(topic_of(verdict.claim.figure), []).append(verdict)
    return dict(sorted(found.items(), key=lambda item: _order(item[0])))


def _order(topic: str) -> tuple[bool, list[int], str]:
    number = _FIGURE.search(topic)
    return number is None, [int(part) for part in number[1].split(".")] if number else [], topic


def _topic(topic: str, claims: Sequence[Verdict], pictures: Sequence[Picture]) -> list[str]:
    title = pictures[0].title.partition(": ")[2] if pictures else ""
    heading = f"{_text(topic)} <small>{_text(title)}</small>" if title else _text(topic)
    lines = ['<section class="card" data-group>', f"<h3>{heading}</h3>"]
    if claims:
        lines += _table("published", claims, topic)
    for picture in pictures:
        lines += _figure(picture)
    return [*lines, "</section>"]


def _figure(picture: Picture) -> list[str]:
    runs = " ".join(f"<code>{_text(name)}</code>" for name in picture.scenarios)
    if not picture.image:
        return [f'<p class="quiet">There is no figure: {_text(without_folders(picture.problem))}.</p>']
    data, (wide, high) = base64.b64encode(picture.image).decode(), _size(picture.image)
    return [
        "<figure>",
        f'<img src="data:image/png;base64,{data}" width="{wide}" height="{high}" alt="{_text(picture.title)}">',
        f"<figcaption>{runs}</figcaption>",
        "</figure>",
    ]


def _size(image: bytes) -> tuple[int, int]:
    """Width and height of a PNG, which its head holds."""
    return int.from_bytes(image[16:20], "big"), int.from_bytes(image[20:24], "big")


def _checks(report: Report) -> list[str]:
    if not report.checks:
        return []
    lines = ['<section data-group id="checks">', "<h2>Checks of our own</h2>"]
    lines.append('<p class="reference">What we expect of our solvers and runs. Nobody published these.</p>')
    for paper in in_order(verdict.claim.paper for verdict in report.checks):
        lines += [f'<section class="card" data-group id="{_anchor("checks", paper)}">', f"<h3>{_text(paper)}</h3>"]
        lines += _table("expected", [verdict for verdict in report.checks if verdict.claim.paper == paper], "ours")
        lines.append("</section>")
    return [*lines, "</section>"]


def _table(published: str, verdicts: Sequence[Verdict], topic: str) -> list[str]:
    headings = ("statement", published, "measured", "accepted", "verdict")
    cells = _joined(*(f'<th scope="col">{heading}</th>' for heading in headings))
    return [
        '<table class="claims">',
        f"<colgroup>{'<col>' * len(headings)}</colgroup>",
        f"<thead><tr>{cells}</tr></thead>",
        *(line for verdict in verdicts for line in _claim(verdict, published, topic)),
        "</table>",
    ]


def _claim(verdict: Verdict, published: str, topic: str) -> list[str]:
    claim, state = verdict.claim, state_of(verdict)
    source = "" if claim.figure in (topic, "own", "ours") else f", {_text(claim.figure)}"
    kind = "" if claim.is_check else f"<small>{_text(claim.published.kind)}</small>"
    unit = f" {_text(claim.unit)}" if claim.unit else ""
    why = reason_of(verdict)
    lines = [
        f'<tbody class="{state}" data-state="{state}" id="{_anchor("claim", claim.id)}">',
        f'<tr><th scope="row">{_text(claim.statement)}<code>{_text(claim.id)}{source}</code></th>',
        _cell(published, f"{_text(claim.published.text)}{kind}"),
        _cell("measured", _measured(verdict), "number"),
        _cell("accepted", f"{_text(verdict.accepted.text)}{unit}{_bar(verdict)}", "number"),
        _cell("verdict", f'<span class="badge">{_text(verdict.word)}</span>'),
        "</tr>",
    ]
    if why:
        lines.append(f'<tr class="why"><td colspan="5">{_text(why)}</td></tr>')
    return [*lines, "</tbody>"]


def _cell(label: str, content: str, kind: str = "") -> str:
    kind = f' class="{kind}"' if kind else ""
    return f'<td data-label="{label}"{kind}><div>{content}</div></td>'


def _measured(verdict: Verdict) -> str:
    from pushpoint.reproduction.report import shown

    if math.isnan(verdict.measured):
        return "not measured"
    number = f'<span class="measured">{_text(f"{shown(verdict.measured)} {verdict.claim.unit}".rstrip())}</span>'
    if verdict.interval is None:
        return number
    low, high = verdict.interval
    ends = f"95 %: {shown(low)} to {shown(high)}, " if math.isfinite(low) and math.isfinite(high) else ""
    return f"{number}<small>{_text(ends)}{verdict.claim.seeds} runs</small>"


def reason_of(verdict: Verdict) -> str:
    """Why it differs, how the published value follows, remarks, and what went wrong."""
    differs = verdict.claim.differs if not verdict.confirmed else ""
    return without_folders(" ".join(filter(None, (differs, verdict.reason))))


def _bar(verdict: Verdict) -> str:
    """The accepted range as a bar, its ends at a quarter and three quarters; the measured number as a mark."""
    low, high = verdict.accepted.low, verdict.accepted.high
    wide, tall = BAR
    shapes = [_box("range", wide / 4, wide / 2, 3, tall - 6)]
    shapes += [_box("open", 0.0, wide / 4, 3, tall - 6)] if low is None else []
    shapes += [_box("open", 0.75 * wide, wide / 4, 3, tall - 6)] if high is None else []
    if verdict.interval is not None and all(map(math.isfinite, verdict.interval)):
        first, last = (wide * placed_in_range(end, low, high) for end in verdict.interval)
        shapes.append(_box("reach", first, max(last - first, 1.0), 5, tall - 10))
    if math.isfinite(verdict.measured):
        shapes.append(_box("mark", wide * placed_in_range(verdict.measured, low, high) - 1.5, 3.0, 0, tall))
    return (
        f'<svg viewBox="0 0 {wide:g} {tall:g}" preserveAspectRatio="none" aria-hidden="true">{_joined(*shapes)}</svg>'
    )


def _box(kind: str, x: float, width: float, y: float, height: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="{height:g}"/>'


def _anchor(kind: str, name: str) -> str:
    return f"{kind}-{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}"


# --- runs, and where it all comes from ---


def _runs(notes: Mapping[str, RunNote]) -> list[str]:
    if not notes:
        return []
    lines = ['<section class="card" id="runs">', f"<details><summary>{len(notes)} runs</summary>"]
    lines += ['<div class="scroll"><table class="plain"><thead><tr><th>run</th><th class="right">simulated</th>']
    lines += ['<th class="right">took</th><th>remarks</th></tr></thead>', "<tbody>"]
    for name, note in notes.items():
        said = without_folders(". ".join((*note.remarks, *note.warnings)))
        lines.append(
            f'<tr><th scope="row"><code>{_text(name)}</code></th>'
            f'<td class="right">{_text(_seconds(note.metrics.get("duration", math.nan)))}</td>'
            f'<td class="right">{_text(_seconds(note.wall_time_s))}</td><td>{_text(said)}</td></tr>'
        )
    return [*lines, "</tbody></table></div></details>", "</section>"]


def _seconds(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g} s" if value < 100 else f"{value:.0f} s"


def _about(about: About) -> list[str]:
    lines = ["<footer>", '<section class="card" id="about">', "<h3>How it was made</h3>", "<dl>"]
    for pairs in (about.times, about.machine, {"versions": _listed(about.versions)}, {"files": _listed(about.code)}):
        lines += [f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in pairs.items() if value]
    return [*lines, "</dl>", "</section>", "</footer>"]


def _listed(pairs: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in pairs.items())
