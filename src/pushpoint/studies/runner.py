"""Runs of studies on local processes: jobs go out, numbers come back, failures are rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pushpoint._interrupts import number_of
from pushpoint.errors import InvalidInput, MissingExtra
from pushpoint.scenario import Scenario
from pushpoint.simulation import Setup, simulate
from pushpoint.studies.jobs import RUN, Job, Outcome, Question, do
from pushpoint.studies.processes import Work, at_most, done, runs_bar
from pushpoint.studies.results import Results, Row
from pushpoint.studies.study import Study


def run(study: Study, processes: int | None = None, *, progress: bool = False, finished: Sequence[Row] = ()) -> Results:
    """Make all runs of a study on that many processes (default: as many as there are processors).

    With one process everything happens in this one. Rows are in the order of variants and seeds, whatever is
    finished first. A run that fails is a row; an interrupt (Ctrl-C) keeps the rows that are finished. Rows that are
    `finished` already are not run again.
    """
    pairs = [(variant, seed) for variant in study.variants for seed in study.seeds]
    processes = at_most(processes, len(pairs))
    check(study)
    known = {(row.variant, row.seed): row for row in finished}
    jobs, rows = _jobs(study, pairs)
    rows |= {k: known[pair] for k, pair in enumerate(pairs) if pair in known}
    jobs = {k: job for k, job in jobs.items() if k not in rows}
    numbers, number = list(jobs), 2
    try:
        with runs_bar(study.base_scenario.name, len(jobs), progress) as bar:
            for k, outcome in outcomes(list(jobs.values()), processes):
                rows[numbers[k]] = _row(*pairs[numbers[k]], outcome)
                if bar is not None:
                    bar.update(failed=outcome.problems != {})
    except KeyboardInterrupt as stop:
        if not rows:
            raise
        number = number_of(stop)
    return Results(study, tuple(rows[k] for k in sorted(rows)), len(rows) < len(pairs), number)


def check(study: Study) -> None:
    """Refuse variants that cannot run, and compile what the others need: processes then find it on the disk."""
    for variant in study.variants:
        refusal: InvalidInput | None = None
        for seed in study.seeds:  # a random world may be impossible for one seed alone: that run fails, not the study
            try:
                warm_up(study.scenario_of(variant, seed))
                break
            except InvalidInput as error:
                refusal = refusal or error
        else:
            raise InvalidInput(f"variant {variant!r}: {refusal}")


def warm_up(scenario: Scenario) -> None:
    """Build everything and make one tick; refuses bad input, the run itself reports other failures."""
    try:
        Setup.of(scenario)
        simulate(scenario, duration=scenario.control_period, record_period=scenario.control_period)
    except (InvalidInput, MissingExtra):
        raise
    except Exception:  # a step that fails, or a controller that raises: rows of their own
        return


def _jobs(study: Study, pairs: Sequence[tuple[str, int]]) -> tuple[dict[int, Job], dict[int, Row]]:
    """The jobs by number, and the rows of those that cannot even be stated: a world may be impossible for a seed."""
    questions = {wanted.column: Question(wanted.name, wanted.options, (RUN,)) for wanted in study.measurements}
    jobs, refused = {}, {}
    for k, (variant, seed) in enumerate(pairs):
        try:
            jobs[k] = Job({RUN: study.scenario_of(variant, seed)}, questions)
        except InvalidInput as error:
            refused[k] = _row(variant, seed, Outcome(problems={RUN: str(error)}))
    return jobs, refused


def _row(variant: str, seed: int, outcome: Outcome) -> Row:
    failed = bool(outcome.problems)
    return Row(
        variant=variant,
        seed=seed,
        status="failed" if failed else "ok",
        message="; ".join(outcome.problems.values()),
        wall_time_s=outcome.wall_time_s,
        values={} if failed else outcome.answers,
        events=dict(sorted(outcome.events.items())),
        accepted=outcome.accepted_steps,
    )


def outcomes(jobs: Sequence[Job], processes: int | None = None) -> Iterator[tuple[int, Outcome]]:
    """Numbers and outcomes of the jobs, as they are finished."""
    return done(Work(do, lost), jobs, processes)


def lost(why: str) -> Outcome:
    """Of a job without an outcome."""
    return Outcome(problems={RUN: why})
