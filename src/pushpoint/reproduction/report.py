"""Run the scenarios that claims need, once each, and compare measured with published numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pushpoint.analysis import measures
from pushpoint.errors import SolverFailure, UnknownName
from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction.published import curve
from pushpoint.scenarios import scenarios
from pushpoint.simulation import simulate

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

ALL = "all"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim with the number measured for it, in the claim's unit; NaN if a run that it needs failed."""

    claim: Claim
    measured: float
    problem: str = ""  # why nothing was measured

    @property
    def confirmed(self) -> bool:
        return self.claim.accepts(self.measured)

    @property
    def failed(self) -> bool:
        """Neither confirmed nor known to differ."""
        return not self.confirmed and not (self.claim.differs and math.isfinite(self.measured))

    @property
    def word(self) -> str:
        if self.confirmed:
            return "confirmed"
        return "not confirmed" if self.failed else "differs"

    def as_dict(self) -> dict[str, Any]:
        data = self.claim.model_dump(mode="json")
        return data | {
            "paper": self.claim.paper,
            "measured": self.measured,
            "confirmed": self.confirmed,
            "verdict": self.word,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts on some claims and the recordings behind them."""

    verdicts: tuple[Verdict, ...]
    recordings: Mapping[str, Recording]  # by scenario name

    @property
    def confirmed(self) -> bool:
        """No claim failed."""
        return not any(verdict.failed for verdict in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        return {
            "status": "ok" if self.confirmed else "failed",
            "confirmed": sum(verdict.confirmed for verdict in self.verdicts),
            "claims": [verdict.as_dict() for verdict in self.verdicts],
            "scenarios": {
                name: {"wall_time_s": run.wall_time_s, "metrics": run.metrics()}
                for name, run in self.recordings.items()
            },
        }

    def as_markdown(self, figures: Mapping[str, str]) -> str:
        """The table and the figures; `figures` maps titles to paths relative to the report."""
        confirmed = sum(verdict.confirmed for verdict in self.verdicts)
        lines = [
            "# Published against measured",
            "",
            f"{confirmed} of {len(self.verdicts)} claims confirmed.",
            "",
            "| claim | source | statement | published | measured | accepted | unit | verdict |",
            "|---|---|---|---|---|---|---|---|",
            *(_row(verdict) for verdict in self.verdicts),
        ]
        notes = [f"- `{v.claim.id}`: {v.claim.note}" for v in self.verdicts if v.claim.note]
        notes += [f"- `{v.claim.id}`: not measured, {v.problem}" for v in self.verdicts if v.problem]
        if notes:
            lines += ["", "## Notes", "", *notes]
        for title, path in figures.items():
            lines += ["", f"## {title}", "", f"![{title}]({path})"]
        return "\n".join(lines) + "\n"


def _row(verdict: Verdict) -> str:
    claim = verdict.claim
    cells = (
        f"`{claim.id}`",
        claim.figure,
        claim.statement,
        claim.published,
        shown(verdict.measured),
        claim.accepted_text,
        claim.unit,
        f"**{verdict.word}**" if verdict.failed else verdict.word,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def shown(number: float) -> str:
    """Five significant digits, never in exponential form for everyday sizes."""
    if math.isnan(number):
        return "not measured"
    return f"{number:.5g}" if abs(number) < 1000 else f"{number:.0f}"


def chosen(key: str = ALL) -> list[Claim]:
    """The claims of a paper, one claim by its id, or all of them."""
    found = [claims[name] for name in claims if key in (ALL, name, claims[name].paper)]
    if not found:
        papers = {claims[name].paper for name in claims}
        raise UnknownName("paper or claim", key, {ALL, *papers, *claims})
    return found


def needed(selection: Sequence[Claim]) -> list[str]:
    """Names of the scenarios behind some claims, each once."""
    return list(dict.fromkeys(name for claim in selection for name in claim.scenarios))


def reproduce(key: str = ALL, started: Callable[[str], None] | None = None) -> Report:
    """Run what the claims of `key` need and judge them; `started` hears the name of each scenario.

    A run that fails leaves the claims that need it unconfirmed; the others are judged all the same.
    """
    selection = chosen(key)
    recordings, failures = {}, {}
    for name in needed(selection):
        if started is not None:
            started(name)
        try:
            recordings[name] = simulate(scenarios[name])
        except SolverFailure as failure:
            failures[name] = f"{name}: {failure}"
    return Report(tuple(judged(claim, recordings, failures) for claim in selection), recordings)


def judged(claim: Claim, recordings: Mapping[str, Recording], failures: Mapping[str, str] | None = None) -> Verdict:
    """Measure one claim on recordings by scenario name."""
    problems = [failures[name] for name in claim.scenarios if failures and name in failures]
    if problems:
        return Verdict(claim, math.nan, "; ".join(problems))
    options = dict(claim.measure.options)
    if claim.curve is not None:
        options["curve"] = curve(claim.curve)
    runs = [recordings[name] for name in claim.scenarios]
    return Verdict(claim, claim.scale * float(measures[claim.measure.name](*runs, **options)))
