"""Make the runs that claims need, once each, and compare measured with published numbers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pushpoint.errors import UnknownName
from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._making import Asked, Findings, Maker, Making
from pushpoint.reproduction._runs import FIRST, labels, question
from pushpoint.reproduction._statement import NO_SCATTER, Range, Scatter
from pushpoint.scenarios import scenarios
from pushpoint.studies.jobs import Outcome, RunNote, answer
from pushpoint.studies.result_cache import KeptRuns, ResultCache
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
    scatter: Scatter = NO_SCATTER  # of ensembles

    @property
    def accepted(self) -> Range:
        """Where the measured number confirms the claim."""
        return self.claim.published.accepted(self.scatter)

    @property
    def confirmed(self) -> bool:
        return self.accepted.contains(self.measured)

    @property
    def differs(self) -> bool:
        """Not confirmed, for a known reason and by a known number."""
        return not self.confirmed and self.claim.keeps(self.measured, self.scatter)

    @property
    def failed(self) -> bool:
        return not self.confirmed and not self.differs

    @property
    def word(self) -> str:
        if math.isnan(self.measured):
            return "not measured"
        if self.claim.is_check:
            return "fails" if self.failed else "holds"
        if not self.failed:
            return "confirmed" if self.confirmed else "differs"
        return "drifted" if self.claim.differs else "not confirmed"

    @property
    def reason(self) -> str:
        """What is to be said besides: how the published value follows, remarks, why nothing was measured."""
        problem = f"Not measured, {self.problem}" if self.problem else ""
        return " ".join(filter(None, (self.claim.published.reason, self.claim.note, problem)))

    def described(self, unit: str = "") -> str:
        """The measured number with its unit; that of an ensemble like `2.64 [2.51, 2.70] m, 20 runs`."""
        number = shown(self.measured)
        if self.interval is None:
            return f"{number} {unit}".rstrip()
        if all(math.isfinite(end) for end in self.interval):
            number += f" [{shown(self.interval[0])}, {shown(self.interval[1])}]"
        return f"{f'{number} {unit}'.rstrip()}, {self.claim.seeds} runs"

    def as_dict(self) -> dict[str, Any]:
        return self.claim.model_dump(mode="json") | {
            "paper": self.claim.paper,
            "accepted": (self.accepted.low, self.accepted.high),
            "measured": self.measured,
            "interval": self.interval,
            "scatter": tuple(self.scatter),
            "confirmed": self.confirmed,
            "verdict": self.word,
            "problem": self.problem,
        }


class Count(NamedTuple):
    """How many claims, or checks, ended how."""

    confirmed: int
    differ: int
    checks: int  # that hold
    failed: int  # of either

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> Count:
        words = [verdict.word for verdict in verdicts]
        confirmed, differ, hold = (words.count(word) for word in ("confirmed", "differs", "holds"))
        return cls(confirmed, differ, hold, len(words) - confirmed - differ - hold)

    @property
    def sentence(self) -> str:
        text = f"{self.confirmed} claims confirmed, {self.differ} differ, {self.checks} checks hold"
        return f"{text}, {self.failed} FAILED." if self.failed else f"{text}."


class Effort(NamedTuple):
    """What it took to find the numbers."""

    wall_time_s: float
    simulation_s: float  # wall time of the runs whose recordings are kept, when they were made
    computed: int  # runs and numbers
    known: int  # of them, from the cache


@dataclass(frozen=True)
class Report:
    """The verdicts on some claims and the recordings behind them."""

    verdicts: tuple[Verdict, ...]
    recordings: Mapping[str, Recording]  # by name of the run: of the scenario, and what was changed
    known_notes: Mapping[str, RunNote] = field(default_factory=dict)  # on those of the runs that need not be asked
    effort: Effort | None = None

    @cached_property
    def notes(self) -> dict[str, RunNote]:
        """On all runs."""
        return {name: self.known_notes.get(name) or RunNote.of(self.recordings[name]) for name in self.recordings}

    @property
    def confirmed(self) -> bool:
        """Nothing failed: claims are confirmed or differ as is known, checks hold."""
        return not any(verdict.failed for verdict in self.verdicts)

    @property
    def claims(self) -> tuple[Verdict, ...]:
        """What somebody published."""
        return tuple(verdict for verdict in self.verdicts if not verdict.claim.is_check)

    @property
    def checks(self) -> tuple[Verdict, ...]:
        """What we expect of our own solver and runs."""
        return tuple(verdict for verdict in self.verdicts if verdict.claim.is_check)

    @property
    def count(self) -> Count:
        return Count.of(self.verdicts)

    @property
    def counts(self) -> dict[str, Count]:
        """By paper."""
        papers = dict.fromkeys(verdict.claim.paper for verdict in self.verdicts)
        return {key: Count.of(v for v in self.verdicts if v.claim.paper == key) for key in papers}

    def as_dict(self) -> dict[str, Any]:
        return {
            "status": "ok" if self.confirmed else "failed",
            **self.count._asdict(),
            "papers": {key: count._asdict() for key, count in self.counts.items()},
            "claims": [verdict.as_dict() for verdict in self.claims],
            "own_checks": [verdict.as_dict() for verdict in self.checks],
            "scenarios": {
                name: {"wall_time_s": note.wall_time_s, "metrics": dict(note.metrics), "advice": dict(note.advice)}
                for name, note in self.notes.items()
            },
        }

    def as_markdown(self, figures: Mapping[str, str]) -> str:
        """The tables and the figures; `figures` maps titles to paths relative to the report."""
        lines = ["# Published against measured", "", self.count.sentence]
        if len(self.counts) > 1:
            lines += ["", "| paper | confirmed | differ | checks hold | failed |", "|---|---|---|---|---|"]
            lines += [f"| {key} | " + " | ".join(map(str, count)) + " |" for key, count in self.counts.items()]
        if self.claims:
            lines += ["", "## Claims", "", *_table("published", self.claims)]
        if self.checks:
            lines += ["", "## Checks of our own", "", "Nobody published these.", ""]
            lines += _table("expected", self.checks)
        lines += _listed("Where it differs", {v.claim.id: v.claim.differs for v in self.verdicts if v.differs})
        lines += _listed("Notes", {v.claim.id: v.reason for v in self.verdicts if v.reason})
        said = {name: f"{'. '.join(note.remarks)}." for name, note in self.notes.items() if note.remarks}
        lines += _listed("Remarks on runs", said)
        for title, path in figures.items():
            lines += ["", f"## {title}", "", f"![{title}]({path})"]
        return "\n".join(lines) + "\n"


def _listed(title: str, texts: Mapping[str, str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- `{name}`: {text}" for name, text in texts.items())] if texts else []


def _table(published: str, verdicts: Sequence[Verdict]) -> list[str]:
    headings = ("id", "source", "statement", published, "kind", "measured", "accepted", "unit", "verdict")
    return ["| " + " | ".join(headings) + " |", "|---" * len(headings) + "|", *(_row(verdict) for verdict in verdicts)]


def _row(verdict: Verdict) -> str:
    claim = verdict.claim
    cells = (
        f"`{claim.id}`",
        claim.figure,
        claim.statement,
        claim.published.text,
        claim.published.kind,
        verdict.described(),
        verdict.accepted.text,
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
    names = list(claims) if key == ALL else [key] if "/" in key and key in claims else claims.names_of(key)
    if not names:
        papers = {claims[name].paper for name in claims}
        raise UnknownName("paper or claim", key, {ALL, *papers, *claims})
    return [claims[name] for name in names]


def reproduce(
    key: str = ALL,
    started: Callable[[str], None] | None = None,
    processes: int | None = None,
    also: Sequence[str] = (),
    cache: ResultCache | None = None,
    anew: bool = False,
    progress: bool = False,
) -> Report:
    """Make the runs that claims need and judge them.

    A run that fails leaves the claims that need it unconfirmed; the others are judged all the same.

    Parameters
    ----------
    key
        Of a paper, or the id of a claim, or "all".
    started
        Is called with the name of each run that has to be made; once for all later seeds of ensembles.
    processes
        On which runs are made and measured; default: as many as there are processors. 1: all in this process.
    also
        Scenarios to run even if no claim needs them.
    cache
        Where results are looked for and kept: ``ResultCache.of_user()`` lasts; default: one that ends with the report.
    anew
        Whether to compute everything, whatever the cache knows.
    progress
        Whether to show a bar on standard error, if that is a terminal.
    """
    begin, selection = time.perf_counter(), chosen(key)
    how = Making(cache or ResultCache.temporary(), anew, processes, progress, started)
    maker = Maker(selection, {name: scenarios[name] for name in also}, how)
    found = maker.make()
    verdicts = tuple(_judged(claim, found) for claim in selection)
    recordings = {label: run for label, run in maker.kept.items() if label not in found.failures}
    spent = sum(note.wall_time_s for note in found.notes.values())
    effort = Effort(time.perf_counter() - begin, spent, found.computed, found.known)
    return Report(verdicts, KeptRuns(how.cache, recordings), found.notes, effort)


def _judged(claim: Claim, found: Findings) -> Verdict:
    """By the numbers that were found."""
    problems = [f"{label}: {found.failures[label]}" for label in labels(claim) if label in found.failures]
    if not problems and Asked(claim.id, FIRST) in found.problems:
        problems.append(found.problems[Asked(claim.id, FIRST)])
    seeds = [Asked(claim.id, seed) for seed in range(FIRST + 1, claim.seeds)]
    later = [_outcome(asked, found) for asked in seeds]
    problems += _problems(claim, later)
    values = [] if problems else [found.answers[Asked(claim.id, FIRST)], *(found.answers[asked] for asked in seeds)]
    return _verdict(claim, values, problems)


def _outcome(asked: Asked, found: Findings) -> Outcome:
    if asked in found.answers:
        return Outcome({asked.claim: found.answers[asked]})
    return Outcome(problems={asked.claim: found.problems.get(asked, "")})


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
        return _verdict(claim, (), problems)
    first = answer(question(claim), recordings)
    return _verdict(claim, [first, *(outcome.answers[claim.id] for outcome in later)], ())


def _verdict(claim: Claim, values: Sequence[float], problems: Sequence[str]) -> Verdict:
    if problems:
        return Verdict(claim, math.nan, "; ".join(problems))
    scaled = [claim.scale * value for value in values]
    if claim.seeds == 1:
        return Verdict(claim, scaled[0])
    if any(math.isnan(value) for value in scaled):
        return Verdict(claim, math.nan, f"{claim.id}: no number for some of its runs")
    return Verdict(claim, median(scaled), interval=median_interval(scaled), scatter=Scatter.of(scaled))


def _problems(claim: Claim, later: Sequence[Outcome]) -> list[str]:
    """The first of the runs with later seeds that failed, and how many did."""
    failed = [(seed, outcome) for seed, outcome in enumerate(later, start=1) if claim.id not in outcome.answers]
    if not failed:
        return []
    seed, outcome = failed[0]
    reason = "; ".join(outcome.problems.values())
    return [f"{claim.id}: {len(failed)} of {claim.seeds} runs failed, that with seed {seed}: {reason}"]
