"""Runs of studies: what is missing in a store is made, on local processes or on a cluster; failures are rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint._interrupts import noted, number_of
from pushpoint.analysis import measures
from pushpoint.errors import InvalidInput, MissingExtra
from pushpoint.files import write_text
from pushpoint.scenario import Scenario
from pushpoint.simulation import Setup, simulate
from pushpoint.studies.keys import RunKeys, base_key
from pushpoint.studies.processes import at_most
from pushpoint.studies.results import STUDY_FILE, Results, Row, StoredRows
from pushpoint.studies.store import Store, StoredRun
from pushpoint.studies.study import Measurement, Place, Study

if TYPE_CHECKING:
    from pushpoint.studies.cluster import Cluster
    from pushpoint.studies.workers import Engine

OURS, OF_TIME = "pushpoint.analysis.", {"start", "end", "time"}  # options of our measures that are times [s]
ROUNDING = 1e-9  # relative
MOST_CHECKED = 64  # points of a sweep that are built before anything runs


def run(
    study: Study,
    processes: int | None = None,
    *,
    progress: bool = False,
    finished: Sequence[Row] = (),
    folder: Path | None = None,
    cluster: Cluster | None = None,
) -> Results:
    """Make all runs of a study on that many processes (default: as many as there are processors).

    With one process everything happens in this one. Rows are in the order of variants, points and seeds, whatever is
    finished first. A run that fails is a row; an interrupt (Ctrl-C) keeps the rows that are finished.

    With a `folder` every batch of finished runs goes to the store in it at once; runs that are there are not made
    again. Without, rows are kept in memory. Rows that are `finished` already are taken over.
    """
    processes = at_most(processes, study.runs)
    if study.recordings == "keep" and folder is None:
        raise InvalidInput("recordings = 'keep': there is no folder to keep them in; give one")
    check(study)
    from pushpoint.studies.conductor import Conductor  # here, as bad input is refused sooner without
    from pushpoint.studies.progress import shown_progress

    with noted() as stop, _engine(processes, cluster) as engine, _opened(folder) as store:
        entry = store.enter(study.to_yaml(), base_key(study))
        if folder is not None:
            write_text(folder / STUDY_FILE, entry.text)
        keys, number = RunKeys(study, entry.key), 2
        _take_over(store, keys, entry.id, finished)
        try:
            with shown_progress(study, progress) as bar:
                Conductor(study, keys, store, entry, engine, bar, stop).run()
        except KeyboardInterrupt as interrupt:
            number = number_of(interrupt)
            if folder is None and not len(StoredRows(store, keys)):
                raise
        rows = StoredRows(store, keys)
        return Results(study, tuple(rows) if folder is None else rows, len(rows) < study.runs, number)


@contextmanager
def _opened(folder: Path | None) -> Iterator[Store]:
    store = Store(folder, create=True)
    try:
        yield store
    finally:
        store.close()


@contextmanager
def _engine(processes: int, cluster: Cluster | None) -> Iterator[Engine]:
    from pushpoint.studies.workers import InlineEngine, LocalEngine

    engine: Engine
    if cluster is not None:
        from pushpoint.studies.cluster import DaskEngine  # here, as it needs an extra

        engine = DaskEngine(cluster)
    else:
        engine = InlineEngine() if processes <= 1 else LocalEngine(processes)
    try:
        yield engine
    finally:
        engine.close()


def _take_over(store: Store, keys: RunKeys, study: int, rows: Sequence[Row]) -> None:
    """Rows from elsewhere, such as those of a table that was saved."""
    if not rows:
        return
    known = {Place(row.variant, row.point, row.seed): row for row in rows}
    found = []
    for number in range(len(keys)):
        place = keys.study.place_of(number)
        if (row := known.get(place)) is not None:
            found.append(_stored(keys[number], place, row))
    store.land(study, found)


def _stored(key: str, place: Place, row: Row) -> StoredRun:
    return StoredRun(
        key, *place, row.settings, row.status, row.message, row.wall_time_s, row.accepted, row.values, row.events,
        row.recording or None,
    )  # fmt: skip


# --- before anything runs ---


def check(study: Study) -> None:
    """Refuse variants and values that cannot run, and compile what the others need: processes then find it on the disk.

    Of a sweep, ends of ranges and all values that are no numbers are looked at; a point that cannot start, or one
    between these that cannot run, is a row that says so, unless none of them can.
    """

    def tried(scenario: Scenario) -> None:
        _refuse_late(study.measures, scenario)
        warm_up(scenario)

    for variant in study.variants:
        points = _points_to_check(study)
        for point in points if study.sweep else ():
            _try_seeds(study, variant, point, Setup.of)
        refusal: InvalidInput | None = None
        for point in points:
            try:
                _try_seeds(study, variant, point, tried)
                break
            except InvalidInput as error:
                refusal = refusal or error
        else:
            raise refusal or InvalidInput(f"variant {variant!r} has no points")


def _points_to_check(study: Study) -> list[dict[str, Any]]:
    return list(islice(study.points.corners, MOST_CHECKED)) if study.sweep else [{}]


def _try_seeds(study: Study, variant: str, point: Mapping[str, Any], tried: Callable[[Scenario], object]) -> None:
    """Do something with the first seed for which it can be done."""
    refusal: InvalidInput | None = None
    changes = {**study.overrides, **study.variants[variant], **point}
    for seed in study.seeds:  # a random world may be impossible for one seed alone: that run fails, not the study
        try:
            tried(study.base_scenario.with_overrides({**changes, "seed": seed}))
            return
        except InvalidInput as error:
            refusal = refusal or error
    raise InvalidInput(f"variant {variant!r}: {refusal}")


def _refuse_late(wanted: Sequence[Measurement], scenario: Scenario) -> None:
    """Refuse times that no recording reaches. What options of other people's measures are is not known."""
    for measurement in wanted:
        if not measures[measurement.name].__module__.startswith(OURS):
            continue
        for option in OF_TIME & measurement.options.keys():
            time = measurement.options[option]
            if time is not None and time > scenario.duration * (1.0 + ROUNDING):
                raise InvalidInput(
                    f"measure {measurement.column!r}: {option} = {time:g} s: should be at most duration = "
                    f"{scenario.duration:g} s"
                )


def warm_up(scenario: Scenario) -> None:
    """Build everything and make one tick; refuses bad input, the run itself reports other failures."""
    try:
        Setup.of(scenario)
        simulate(scenario, duration=scenario.control_period, record_period=scenario.control_period)
    except (InvalidInput, MissingExtra):
        raise
    except Exception:  # a step that fails, or a controller that raises: rows of their own
        return
