"""Make the runs that claims need, once each, and compare measured with published numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pushpoint.analysis.remarks import advice, remarks
from pushpoint.errors import SolverFailure, UnknownName
from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._runs import labels, later_outcomes, needed, question
from pushpoint.scenarios import scenarios
from pushpoint.simulation import simulate
from pushpoint.studies.jobs import Outcome, answer
from pushpoint.studies.statistics import Interval, median, median_interval

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

ALL = "all"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim with the number measured for it, in the claim's unit; NaN if a run that it needs failed.

    That of an ensemble is the median of its runs, with its 95 % interval (infinite for fewer than six runs).
    """

    claim: Claim
    measured: float
    problem: str = ""  # why nothing was measured
    interval: Interval | None = None  # of ensembles

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

    def told(self, unit: str = "") -> str:
        """The measured number with its unit; that of an ensemble like `2.64 [2.51, 2.70] m, 20 runs`."""
        number = shown(self.measured)
        if self.interval is None:
            return f"{number} {unit}".rstrip()
        if all(math.isfinite(end) for end in self.interval):
            number += f" [{shown(self.interval[0])}, {shown(self.interval[1])}]"
        return f"{f'{number} {unit}'.rstrip()}, {self.claim.seeds} runs"

    def as_dict(self) -> dict[str, Any]:
        data = self.claim.model_dump(mode="json")
        return data | {
            "paper": self.claim.paper,
            "measured": self.measured,
            "interval": self.interval,
            "confirmed": self.confirmed,
            "verdict": self.word,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The verdicts on some claims and the recordings behind them."""

    verdicts: tuple[Verdict, ...]
    recordings: Mapping[str, Recording]  # by name of the run: of the scenario, and what was changed

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
                name: {"wall_time_s": run.wall_time_s, "metrics": run.metrics(), "advice": advice(run)}
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
        said = [f"- `{name}`: {sentence}." for name, run in self.recordings.items() for sentence in remarks(run)]
        if said:
            lines += ["", "## Remarks on runs", "", *said]
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
        verdict.told(),
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


def reproduce(
    key: str = ALL,
    started: Callable[[str], None] | None = None,
    processes: int | None = None,
    also: Sequence[str] = (),
) -> Report:
    """Make the runs that the claims of `key` need and judge them; `started` hears the name of each.

    A run that fails leaves the claims that need it unconfirmed; the others are judged all the same. Ensembles
    are run on that many processes (default: as many as there are processors), but for their first seed, whose
    recording is kept. `also` names scenarios to run even if no claim needs them.
    """
    selection = chosen(key)
    recordings, failures = {}, {}
    for label, scenario in (needed(selection) | {name: scenarios[name] for name in also}).items():
        if started is not None:
            started(label)
        try:
            recordings[label] = simulate(scenario)
        except SolverFailure as failure:
            failures[label] = f"{label}: {failure}"
    possible = [claim for claim in selection if not failures.keys() & set(labels(claim))]
    later = later_outcomes(possible, processes, started)
    verdicts = (judged(claim, recordings, failures, later.get(claim.id, ())) for claim in selection)
    return Report(tuple(verdicts), recordings)


def judged(
    claim: Claim,
    recordings: Mapping[str, Recording],
    failures: Mapping[str, str] | None = None,
    later: Sequence[Outcome] = (),
) -> Verdict:
    """Measure one claim on recordings by name; of an ensemble, these are of the first seed."""
    problems = [failures[label] for label in labels(claim) if failures and label in failures]
    problems += _problems(claim, later)
    if problems:
        return Verdict(claim, math.nan, "; ".join(problems))
    values = [answer(question(claim), recordings), *(outcome.answers[claim.id] for outcome in later)]
    scaled = [claim.scale * value for value in values]
    if claim.seeds == 1:
        return Verdict(claim, scaled[0])
    if any(math.isnan(value) for value in scaled):
        return Verdict(claim, math.nan, f"{claim.id}: no number for some of its runs")
    return Verdict(claim, median(scaled), interval=median_interval(scaled))


def _problems(claim: Claim, later: Sequence[Outcome]) -> list[str]:
    """The first of the runs with later seeds that failed, and how many did."""
    failed = [(seed, outcome) for seed, outcome in enumerate(later, start=1) if claim.id not in outcome.answers]
    if not failed:
        return []
    seed, outcome = failed[0]
    reason = "; ".join(outcome.problems.values())
    return [f"{claim.id}: {len(failed)} of {claim.seeds} runs failed, that with seed {seed}: {reason}"]
