"""One job: some runs, and what is asked of them. It is done in one process; only numbers leave it."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pushpoint.analysis import measures
from pushpoint.analysis.metrics import accepted_steps
from pushpoint.errors import SolverFailure
from pushpoint.scenario import Scenario
from pushpoint.simulation import simulate
from pushpoint.user_code import described, refuse_result

if TYPE_CHECKING:
    from pushpoint.recording import Recording
    from pushpoint.studies.result_cache import ResultCache

RUN = "run"  # name of the only run of a job


@dataclass(frozen=True, slots=True)
class Question:
    """A registered measure of runs, in the order in which it takes them."""

    measure: str
    options: Mapping[str, Any]
    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """Runs and questions, each by a name of its own."""

    runs: Mapping[str, Scenario]
    questions: Mapping[str, Question]
    kept: Mapping[str, str | None] = field(default_factory=dict)  # keys of the runs whose recordings a cache keeps
    anew: bool = False  # whether runs are made even if the cache has them


@dataclass(frozen=True, slots=True)
class RunNote:
    """What is said of a run, without its recording."""

    wall_time_s: float
    metrics: Mapping[str, float]
    advice: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, recording: Recording, warned: Sequence[str] = ()) -> RunNote:
        from pushpoint.analysis.remarks import advice  # here, as studies say nothing of single runs

        return cls(recording.wall_time_s, recording.metrics(), advice(recording), tuple(dict.fromkeys(warned)))

    @property
    def remarks(self) -> list[str]:
        """Sentences of the advice."""
        return list(self.advice["remarks"])


@dataclass(slots=True)
class Outcome:
    """The answers; what has none is among the problems, by the name of a run or question."""

    answers: dict[str, float] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)  # of the controllers, by name
    accepted_steps: int = 0  # that were not solved to the tolerance, of all runs
    wall_time_s: float = 0.0  # of the simulations
    notes: dict[str, RunNote] = field(default_factory=dict)  # on the runs whose recordings a cache keeps

    def note(self, recording: Recording) -> None:
        """Count what a run reported, whether it failed or not."""
        self.events.update(str(event) for event in recording.events["name"].values)
        self.wall_time_s += recording.wall_time_s
        self.accepted_steps += int(accepted_steps(recording))


def do(job: Job, cache: ResultCache | None = None) -> Outcome:
    """Make the runs, ask the questions. Whatever goes wrong is a problem of that run or question alone."""
    outcome, recordings = Outcome(), {}
    for name, scenario in job.runs.items():
        if cache is not None and name in job.kept:
            recording = _kept(name, job, cache, outcome)
        else:  # warnings are the same for every seed; the run made in advance has shown them
            recording = recorded(name, scenario, outcome, [])
        if recording is not None and name not in outcome.problems:
            recordings[name] = recording
    answered(job.questions, recordings, outcome)
    return outcome


def answered(questions: Mapping[str, Question], recordings: Mapping[str, Recording], outcome: Outcome) -> None:
    """Ask the questions whose runs are there."""
    for name, question in questions.items():
        if all(run in recordings for run in question.runs):
            try:
                outcome.answers[name] = answer(question, recordings)
            except Exception as error:  # measures may be anybody's
                outcome.problems[name] = described(error)


def _kept(name: str, job: Job, cache: ResultCache, outcome: Outcome) -> Recording | None:
    """A run from the cache, or one that goes there."""
    recording, warned = None if job.anew else cache.recording(job.kept[name]), list[str]()
    if recording is None:
        recording = recorded(name, job.runs[name], outcome, warned)
        if name in outcome.problems:
            return None
        if recording is not None:
            cache.keep_recording(job.kept[name], recording)
    if recording is not None:
        outcome.notes[name] = RunNote.of(recording, warned)
    return recording


def recorded(name: str, scenario: Scenario, outcome: Outcome, warned: list[str]) -> Recording | None:
    """Make a run. One that failed is among the problems; it may have a recording until then."""
    recording: Recording | None = None
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            recording = simulate(scenario)
        except Exception as error:  # a controller may raise anything; the other runs go on
            outcome.problems[name] = described(error)
            recording = error.recording if isinstance(error, SolverFailure) else None
    warned += [str(warning.message) for warning in heard]
    if recording is not None:
        outcome.note(recording)
    return recording


def answer(question: Question, recordings: Mapping[str, Recording]) -> float:
    runs, name = [recordings[name] for name in question.runs], question.measure
    found: Any = measures[name](*runs, **question.options)
    try:
        return float(found + 0.0)  # no text, even one of digits
    except (TypeError, ValueError):  # measures may be anybody's
        refuse_result(measures.place_of(name), f"measure {name!r}", found, "a number")
