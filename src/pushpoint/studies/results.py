"""What came out of a study: a row of plain numbers per run, in files that can be read again."""

from __future__ import annotations

import csv
import io
import json
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, overload

from pushpoint import limits
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.files import read_text, write_json, write_text
from pushpoint.plain_data import read_yaml
from pushpoint.studies.keys import RunKeys
from pushpoint.studies.remarks import Effects
from pushpoint.studies.result_cache import canonical
from pushpoint.studies.store import FILE, Store, StoredRun
from pushpoint.studies.study import Place, Study
from pushpoint.studies.summary import Summary, summarised
from pushpoint.user_code import CodeFile, hint, loaded_files

STUDY_FILE, ROWS_FILE, SUMMARY_FILE, CODE_FILE = "study.yaml", "runs.csv", "summary.json", "code.json"
EVENTS = "events."  # begins the columns that count control events
OWN_COLUMNS = ("variant", "seed", "status", "message", "wall_time_s", "accepted")
CHUNK = 500  # rows that are read at a time


@dataclass(frozen=True, slots=True)
class Row:
    """One run. A failed one has a message and no values."""

    variant: str  # its label
    seed: int  # of the scenario
    status: str  # ok, failed
    message: str  # why it failed
    wall_time_s: float  # [s], of the simulation alone
    values: dict[str, float] = field(default_factory=dict)  # by column of the study
    events: dict[str, int] = field(default_factory=dict)  # how often the controller reported each
    accepted: int = 0  # steps that were not solved to the tolerance, but that the run went on after
    point: int = 0  # number of the point of the sweep
    settings: dict[str, Any] = field(default_factory=dict)  # swept values, by dotted key
    recording: str = ""  # name of its file, if it is kept

    @property
    def failed(self) -> bool:
        """Whether it has no values."""
        return self.status != "ok"


class StoredRows(Sequence[Row]):
    """The rows of a study in a store, in the order of variants, points and seeds. They are read when they are asked
    for, a few at a time: a million rows need no memory."""

    def __init__(self, store: Store, keys: RunKeys) -> None:
        self._folder, self._keys = store.folder, keys
        self._open = store
        self._numbers = array("q")
        for numbers, some in keys.chunks(CHUNK):
            there = store.present(some)
            self._numbers.extend(number for number, key in zip(numbers, some, strict=True) if key in there)

    @property
    def study(self) -> Study:
        """Whose rows they are."""
        return self._keys.study

    @property
    def key(self) -> str:
        """What all of them share, see `keys.base_key`."""
        return self._keys.base

    @cached_property
    def _store(self) -> Store:
        return self._open if self._folder is None else Store(self._folder)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Row]:
        for first in range(0, len(self), CHUNK):
            yield from self._read(self._numbers[first : first + CHUNK])

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(index, slice):
            return tuple(self._read(self._numbers[index]))
        return next(self._read(self._numbers[index : index + 1 or None]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return NotImplemented if not isinstance(other, Sequence) else False
        return all(own == theirs for own, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # as other sequences that may be long

    def _read(self, numbers: Sequence[int]) -> Iterator[Row]:
        if not len(numbers):
            raise IndexError("there is no such row")
        keys = [self._keys[number] for number in numbers]
        found = self._store.runs(keys)
        for number, key in zip(numbers, keys, strict=True):
            place = self.study.place_of(number)
            yield _row(place, self.study.points[place.point], found[key])


def _row(place: Place, settings: dict[str, Any], run: StoredRun) -> Row:
    return Row(
        variant=place.variant,
        seed=place.seed,
        status=run.status,
        message=run.message,
        wall_time_s=run.wall_time_s,
        values=run.values,
        events=run.events,
        accepted=run.accepted,
        point=place.point,
        settings=settings,
        recording=run.recording or "",
    )


@dataclass(frozen=True, slots=True)
class Results:
    """A study and its rows, in the order of variants, points and seeds; fewer if it was interrupted."""

    study: Study  # what was run
    rows: Sequence[Row]  # one per run
    interrupted: bool = False  # whether runs are missing
    signal: int = 2  # number of the signal that interrupted it: 2 is Ctrl-C

    def table(self) -> list[dict[str, Any]]:
        """One dictionary per run, all with the same keys; None where a failed run has no value.

        ``pandas.DataFrame(results.table())``
        """
        return list(self.records())

    def records(self) -> Iterator[dict[str, Any]]:
        """The same, one at a time."""
        names = sorted({name for row in self.rows for name in row.events})
        return (self._flat(row, names) for row in self.rows)

    def _flat(self, row: Row, events: list[str]) -> dict[str, Any]:
        own = {name: getattr(row, name) for name in OWN_COLUMNS}
        recording = {"recording": row.recording} if self.study.recordings == "keep" else {}
        values = {column: row.values.get(column) for column in self.study.columns}
        return own | recording | row.settings | values | {f"{EVENTS}{name}": row.events.get(name, 0) for name in events}

    @property
    def seeds_do_nothing(self) -> bool:
        """Whether runs with different seeds gave the same numbers: then they say no more than one run does."""
        return len(self.study.seeds) > 1 and self.effects().seeds

    def effects(self) -> Effects:
        """What makes no difference to any run: seeds, variants, swept fields."""
        return Effects.of(self)

    @property
    def missing(self) -> int:
        """How many runs are not there yet."""
        return self.study.runs - len(self.rows)

    def summary(self, beyond: Mapping[str, float] | None = None) -> Summary:
        """Medians, shares and comparisons with the first variant.

        Parameters
        ----------
        beyond
            Thresholds by column; default: the study's.
        """
        study = self.study if beyond is None else Study.parse({**dict(self.study), "beyond": dict(beyond)})
        return summarised(study, self.rows)

    def save(self, folder: str | os.PathLike[str]) -> dict[str, str]:
        """Write study, rows and summary, which `load` reads; returns their paths.

        Parameters
        ----------
        folder
            Of study.yaml, runs.csv and summary.json; made if it is missing.
        """
        place = Path(folder)
        write_text(place / STUDY_FILE, self.study.to_yaml())
        write_text(place / ROWS_FILE, self._csv())
        write_json(place / SUMMARY_FILE, self.summary().as_dict())
        files = {"study": STUDY_FILE, "runs": ROWS_FILE, "summary": SUMMARY_FILE}
        if loaded_files():
            files["code"] = CODE_FILE
            write_json(place / CODE_FILE, {"files": [asdict(file) for file in loaded_files()]})
        return {what: str(place / name) for what, name in files.items()}

    def _csv(self) -> str:
        """Numbers with all their digits: reading them again gives them to the bit."""
        text, records = io.StringIO(), self.records()
        first = next(records, None)
        writer = csv.DictWriter(text, first or OWN_COLUMNS, lineterminator="\n")
        writer.writeheader()
        for record in () if first is None else chain([first], records):
            writer.writerow(plain_cells(record))
        return text.getvalue()


def load(folder: str | os.PathLike[str]) -> Results:
    """Read a study from its store, or from the table that `Results.save` wrote.

    Parameters
    ----------
    folder
        Of its files.
    """
    place = Path(folder)
    if (place / FILE).is_file() and (stored := _from_store(place)) is not None:
        return stored
    if not (place / ROWS_FILE).is_file():
        raise InvalidInput(f"folder {str(place)!r} holds no study: there is no {FILE} in it, nor {ROWS_FILE}")
    study = _study_in(place / STUDY_FILE, place)
    text = read_text(place / ROWS_FILE, "file", limits.RUNS_FILE_BYTES)
    points = {canonical(point): number for number, point in enumerate(study.points)} if study.sweep else {}
    try:
        rows = tuple(_read(study, cells, points) for cells in csv.DictReader(io.StringIO(text, newline="")))
    except (KeyError, ValueError, TypeError, AttributeError, csv.Error) as error:  # also cells too few or too many
        raise InvalidInput(f"{str(place / ROWS_FILE)!r} does not fit its study: {error}") from None
    return Results(study, rows, interrupted=len(rows) < study.runs)


def _from_store(folder: Path) -> Results | None:
    """The study that was run last; None if the table beside the store is of another one."""
    store = Store(folder)
    try:
        entry = store.last_study()
        if (folder / STUDY_FILE).is_file() and read_text(folder / STUDY_FILE, "study file") != entry.text:
            return None
        rows = StoredRows(store, RunKeys(_study_in(entry.text, folder), entry.key))
    finally:
        store.close()
    return Results(rows.study, rows, interrupted=len(rows) < rows.study.runs)


def _study_in(source: str | Path, folder: Path) -> Study:
    try:
        return Study.from_yaml(source)
    except UnknownName as error:
        raise InvalidInput(f"{error}{hint(code_of(folder))}") from None


def code_of(folder: str | os.PathLike[str]) -> tuple[CodeFile, ...]:
    """The Python files that were loaded when a study was run or saved."""
    if (Path(folder) / FILE).is_file():
        store = Store(Path(folder))
        try:
            return store.last_study().code
        finally:
            store.close()
    place = Path(folder) / CODE_FILE
    if not place.is_file():
        return ()
    data = read_yaml(place, "code")
    try:
        return tuple(CodeFile(str(entry["name"]), str(entry["sha256"])) for entry in data["files"])
    except (TypeError, KeyError):
        raise InvalidInput(f"{str(place)!r}: expected a list of names and hashes of files") from None


def _read(study: Study, cells: dict[str, str], points: Mapping[str, int]) -> Row:
    counts = {key.removeprefix(EVENTS): int(cell) for key, cell in cells.items() if key.startswith(EVENTS)}
    settings = {key: _setting(cells[key]) for key in study.sweep}
    return Row(
        variant=cells["variant"],
        seed=int(cells["seed"]),
        status=cells["status"],
        message=cells["message"],
        wall_time_s=float(cells["wall_time_s"]),
        values={column: float(cells[column]) for column in study.columns if cells[column] != ""},
        events={name: count for name, count in counts.items() if count},
        accepted=int(cells.get("accepted") or 0),  # older files have no such column
        point=points[canonical(settings)] if settings else 0,
        settings=settings,
        recording=cells.get("recording", ""),
    )


def _setting(cell: str) -> Any:
    try:
        return json.loads(cell)
    except json.JSONDecodeError:
        return cell


def plain_cells(record: dict[str, Any]) -> dict[str, Any]:
    """Lists and mappings among swept values are written as JSON."""
    return {key: json.dumps(value) if isinstance(value, list | dict | bool) else value for key, value in record.items()}
