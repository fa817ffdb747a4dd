"""What came out of a study: a row of plain numbers per run, in files that can be read again."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pushpoint import limits
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.files import read_text, write_json, write_text
from pushpoint.plain_data import read_yaml
from pushpoint.studies.study import Study
from pushpoint.studies.summary import Summary, summarised
from pushpoint.user_code import CodeFile, hint, loaded_files

STUDY_FILE, ROWS_FILE, SUMMARY_FILE, CODE_FILE = "study.yaml", "runs.csv", "summary.json", "code.json"
EVENTS = "events."  # begins the columns that count control events
OWN_COLUMNS = ("variant", "seed", "status", "message", "wall_time_s", "accepted")


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

    @property
    def failed(self) -> bool:
        """Whether it has no values."""
        return self.status != "ok"


@dataclass(frozen=True, slots=True)
class Results:
    """A study and its rows, in the order of variants and seeds; fewer if it was interrupted."""

    study: Study  # what was run
    rows: tuple[Row, ...]  # one per run
    interrupted: bool = False  # whether runs are missing
    signal: int = 2  # number of the signal that interrupted it: 2 is Ctrl-C

    def table(self) -> list[dict[str, Any]]:
        """One dictionary per run, all with the same keys; None where a failed run has no value.

        ``pandas.DataFrame(results.table())``
        """
        names = sorted({name for row in self.rows for name in row.events})
        return [self._flat(row, names) for row in self.rows]

    def _flat(self, row: Row, events: list[str]) -> dict[str, Any]:
        own = {name: getattr(row, name) for name in OWN_COLUMNS}
        values = {column: row.values.get(column) for column in self.study.columns}
        return own | values | {f"{EVENTS}{name}": row.events.get(name, 0) for name in events}

    @property
    def seeds_do_nothing(self) -> bool:
        """Whether runs with different seeds gave the same numbers: then they say no more than one run does."""
        groups = [[row.values for row in self.rows if row.variant == label] for label in self.study.variants]
        return any(len(group) > 1 and all(values == group[0] != {} for values in group) for group in groups)

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
        text, table = io.StringIO(), self.table()
        writer = csv.DictWriter(text, table[0] if table else OWN_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
        return text.getvalue()


def load(folder: str | os.PathLike[str]) -> Results:
    """Read what `Results.save` wrote.

    Parameters
    ----------
    folder
        Of its files.
    """
    place = Path(folder)
    if not (place / ROWS_FILE).is_file():
        raise InvalidInput(f"folder {str(place)!r} holds no study: there is no {ROWS_FILE} in it")
    try:
        study = Study.from_yaml(place / STUDY_FILE)
    except UnknownName as error:
        raise InvalidInput(f"{error}{hint(code_of(place))}") from None
    text = read_text(place / ROWS_FILE, "file", limits.RUNS_FILE_BYTES)
    try:
        rows = tuple(_read(study, cells) for cells in csv.DictReader(io.StringIO(text, newline="")))
    except (KeyError, ValueError, TypeError, AttributeError, csv.Error) as error:  # also cells too few or too many
        raise InvalidInput(f"{str(place / ROWS_FILE)!r} does not fit its study: {error}") from None
    return Results(study, rows, interrupted=len(rows) < len(study.variants) * len(study.seeds))


def code_of(folder: str | os.PathLike[str]) -> tuple[CodeFile, ...]:
    """The Python files that were loaded when a study was saved."""
    place = Path(folder) / CODE_FILE
    if not place.is_file():
        return ()
    data = read_yaml(place, "code")
    try:
        return tuple(CodeFile(str(entry["name"]), str(entry["sha256"])) for entry in data["files"])
    except (TypeError, KeyError):
        raise InvalidInput(f"{str(place)!r}: expected a list of names and hashes of files") from None


def _read(study: Study, cells: dict[str, str]) -> Row:
    counts = {key.removeprefix(EVENTS): int(cell) for key, cell in cells.items() if key.startswith(EVENTS)}
    return Row(
        variant=cells["variant"],
        seed=int(cells["seed"]),
        status=cells["status"],
        message=cells["message"],
        wall_time_s=float(cells["wall_time_s"]),
        values={column: float(cells[column]) for column in study.columns if cells[column] != ""},
        events={name: count for name, count in counts.items() if count},
        accepted=int(cells.get("accepted") or 0),  # older files have no such column
    )
