"""Make the runs that claims need, on local processes, and measure them; what a cache knows is not computed again.

First come the runs with the first seeds, whose recordings are kept, each with the questions about it alone, and the
ensembles, of which only numbers stay. Then come the questions about several runs, whose recordings are there by then.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import NamedTuple

from pushpoint.errors import InvalidInput
from pushpoint.reproduction import Claim
from pushpoint.reproduction._runs import FIRST, clusters, labels, needed, question
from pushpoint.scenario import Scenario
from pushpoint.studies.jobs import Job, Outcome, Question, RunNote, do
from pushpoint.studies.processes import Work, done, runs_bar
from pushpoint.studies.result_cache import KeptRun, ResultCache, key_of, run_key


class Asked(NamedTuple):
    """A claim, by its id, for one seed."""

    claim: str
    seed: int


@dataclass(frozen=True, slots=True)
class Making:
    """How runs are made."""

    cache: ResultCache
    anew: bool = False  # whether everything is computed, whatever the cache knows
    processes: int | None = None  # default: as many as there are processors
    progress: bool = False  # whether a bar is shown, where somebody can see it
    started: Callable[[str], None] | None = None  # is called with the name of each run


@dataclass(slots=True)
class Findings:
    """What came out, by name of the run or by question."""

    notes: dict[str, RunNote] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)  # of runs whose recordings should be kept
    answers: dict[Asked, float] = field(default_factory=dict)
    problems: dict[Asked, str] = field(default_factory=dict)
    computed: int = 0  # runs and answers that the cache did not know
    known: int = 0  # those that it did


class _Task(NamedTuple):
    """A job, and which of its answers belongs to what."""

    job: Job
    seed: int
    title: str  # for people who watch


class Maker:
    """Makes the runs of some claims, and others that are wanted besides."""

    def __init__(self, selection: Sequence[Claim], also: Mapping[str, Scenario], how: Making) -> None:
        self._how, self._selection = how, list({claim.id: claim for claim in selection}.values())
        self.scenarios = {**needed(selection), **also}
        self._keys: dict[tuple[str, int], str | None] = {}  # of runs, by label and seed
        self.kept = {label: KeptRun(run, self._key(label, FIRST, run)) for label, run in self.scenarios.items()}
        self.findings = Findings()
        self._open: dict[Asked, Question] = {}  # what is not known yet
        self._answer_keys: dict[Asked, str | None] = {}

    def make(self) -> Findings:
        self._take_known()
        tasks = self._first() + self._later()
        others = sum(len(task.job.runs) for task in tasks if task.seed != FIRST)
        self._do(tasks, f"{others} runs with other seeds", self._how.processes)
        self._do(self._across(), "", processes=1)  # to read recordings takes less than to start processes
        for note in self.findings.notes.values():
            for warning in note.warnings:
                warnings.warn(warning, stacklevel=3)
        return self.findings

    def _key(self, label: str, seed: int, scenario: Scenario) -> str | None:
        if (label, seed) not in self._keys:
            try:
                self._keys[label, seed] = run_key(scenario)
            except InvalidInput:
                if seed == FIRST:
                    raise
                self._keys[label, seed] = None  # a random world may be impossible for one seed: that run will fail
        return self._keys[label, seed]

    def _take_known(self) -> None:
        """Numbers that the cache has; what it does not have is open."""
        cache, found = self._how.cache, self.findings
        for claim in self._selection:
            for seed in range(FIRST, claim.seeds):
                asked = Asked(claim.id, seed)
                wanted, runs = question(claim, seed), needed([claim], seed)
                keys = [self._key(label, seed, runs[label]) for label in wanted.runs]
                self._answer_keys[asked] = answer_key(wanted, keys)
                known = None if self._how.anew else cache.data(self._answer_keys[asked])
                if known is None:
                    self._open[asked] = wanted
                else:
                    found.answers[asked] = float(known)
        for label in self.scenarios:
            known = None if self._how.anew else cache.data(self._note_key(label))
            if known is not None:
                found.notes[label] = RunNote(**known | {"warnings": tuple(known["warnings"])})
        found.known = len(found.answers) + len(found.notes)

    def _note_key(self, label: str) -> str | None:
        key = self.kept[label].key
        return None if key is None else key_of("note", key)

    def _open_claims(self, seed: int, of: Iterable[Claim]) -> list[Claim]:
        return [claim for claim in of if Asked(claim.id, seed) in self._open]

    def _first(self) -> list[_Task]:
        """Runs with the first seed, each with the questions about it alone."""
        found = []
        for label, scenario in self.scenarios.items():
            asking = [claim for claim in self._open_claims(FIRST, self._selection) if labels(claim) == (label,)]
            if asking or label not in self.findings.notes:
                questions = {claim.id: self._open[Asked(claim.id, FIRST)] for claim in asking}
                job = Job({label: scenario}, questions, {label: self.kept[label].key}, self._how.anew)
                found.append(_Task(job, FIRST, label))
        return found

    def _later(self) -> list[_Task]:
        """Other seeds of ensembles. Claims that share runs are measured in one process, so that none is made twice."""
        found = []
        for cluster in clusters([claim for claim in self._selection if claim.seeds > 1]):
            for seed in range(FIRST + 1, max(claim.seeds for claim in cluster)):
                asking = self._open_claims(seed, cluster)
                if asking:
                    questions = {claim.id: self._open[Asked(claim.id, seed)] for claim in asking}
                    found.append(_Task(Job(needed(asking, seed), questions), seed, ""))
        return found

    def _across(self) -> list[_Task]:
        """Questions about several runs with the first seed, whose recordings are kept by now."""
        failed = self.findings.failures.keys()
        asking = [claim for claim in self._open_claims(FIRST, self._selection) if not failed & set(labels(claim))]
        found = []
        for cluster in clusters(asking):
            runs = needed(cluster)
            questions = {claim.id: self._open[Asked(claim.id, FIRST)] for claim in cluster}
            job = Job(runs, questions, {label: self.kept[label].key for label in runs})
            found.append(_Task(job, FIRST, ""))
        return found

    def _do(self, tasks: Sequence[_Task], others: str, processes: int | None) -> None:
        """Have jobs done, and keep what comes out as soon as it does: an interrupt loses little."""
        said: set[str] = set()

        def started(number: int) -> None:
            title = tasks[number].title or others
            if title and title not in said and self._how.started is not None:
                self._how.started(title)
            said.add(title)

        work = Work(partial(do, cache=self._how.cache), _lost, started)
        jobs = [task.job for task in tasks]
        with runs_bar("reproduce", len(tasks), self._how.progress and bool(tasks), "jobs") as bar:
            for number, outcome in done(work, jobs, processes):
                self._take(tasks[number], outcome)
                if bar is not None:
                    bar.update(failed=outcome.problems != {})

    def _take(self, task: _Task, outcome: Outcome) -> None:
        cache, found = self._how.cache, self.findings
        for name, value in outcome.answers.items():
            asked = Asked(name, task.seed)
            found.answers[asked] = value
            self._open.pop(asked, None)
            cache.keep_data(self._answer_keys[asked], value)
        new = {label: note for label, note in outcome.notes.items() if label not in found.notes}
        for label, note in new.items():
            found.notes[label] = note
            cache.keep_data(self._note_key(label), asdict(note))
        problem = "; ".join(outcome.problems.values())
        for name in task.job.questions.keys() - outcome.answers.keys():
            found.problems[Asked(name, task.seed)] = problem
        if task.title and task.title not in outcome.notes:
            found.failures[task.title] = problem
        found.computed += len(outcome.answers) + len(new)


def answer_key(asked: Question, runs: Sequence[str | None]) -> str | None:
    """Of the number that a measure gives for runs with these keys."""
    if None in runs:
        return None
    return key_of("answer", [asked.measure, dict(asked.options), list(runs)])


def _lost(why: str) -> Outcome:
    return Outcome(problems={"": why})
