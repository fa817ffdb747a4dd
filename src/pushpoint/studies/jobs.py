"""One job: some runs, and what is asked of them. It is done in one process; only numbers leave it."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
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


@dataclass(slots=True)
class Outcome:
    """The answers; what has none is among the problems, by the name of a run or question."""

    answers: dict[str, float] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)  # of the controllers, by name
    accepted_steps: int = 0  # that were not solved to the tolerance, of all runs
    wall_time_s: float = 0.0  # of the simulations


def do(job: Job) -> Outcome:
    """Make the runs, ask the questions. Whatever goes wrong is a problem of that run or question alone."""
    outcome, recordings = Outcome(), {}
    for name, scenario in job.runs.items():
        recording = _recorded(name, scenario, outcome)
        if recording is not None:
            recordings[name] = recording
    for name, question in job.questions.items():
        if all(run in recordings for run in question.runs):
            try:
                outcome.answers[name] = answer(question, recordings)
            except Exception as error:  # measures may be anybody's
                outcome.problems[name] = described(error)
    return outcome


def _recorded(name: str, scenario: Scenario, outcome: Outcome) -> Recording | None:
    recording: Recording | None = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the same for every seed; the run made in advance has shown them
            recording = simulate(scenario)
    except Exception as error:  # a controller may raise anything; the other runs go on
        outcome.problems[name] = described(error)
        recording = error.recording if isinstance(error, SolverFailure) else None
    if recording is not None:
        outcome.events.update(str(event) for event in recording.events["name"].values)
        outcome.wall_time_s += recording.wall_time_s
        outcome.accepted_steps += int(accepted_steps(recording))
    return None if name in outcome.problems else recording


def answer(question: Question, recordings: Mapping[str, Recording]) -> float:
    runs, name = [recordings[name] for name in question.runs], question.measure
    found: Any = measures[name](*runs, **question.options)
    try:
        return float(found + 0.0)  # no text, even one of digits
    except (TypeError, ValueError):  # measures may be anybody's
        refuse_result(measures.place_of(name), f"measure {name!r}", found, "a number")
