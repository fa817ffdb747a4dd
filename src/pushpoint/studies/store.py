"""The store of a study: one SQLite file, to which every batch of finished runs goes at once and whole.

A run is there exactly once, by its key. Several masters may work on one store: each claims the runs that it is about to
make, and a claim ends with its run, with its master, or when it is not renewed. The journal is SQLite's rollback
journal, not the write-ahead log: between two transactions the store is one file, which can be copied; a transaction
every second or so gains nothing from the log. Locks of network file systems cannot be relied on: local disks only.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pushpoint._user_cache import is_alive
from pushpoint.errors import InvalidInput
from pushpoint.files import made, this_host
from pushpoint.studies.keys import fingerprint
from pushpoint.user_code import CodeFile, loaded_files

FILE, RECORDINGS = "study.sqlite", "recordings"  # names in the folder of a study
SCHEMA = 1  # raised with every change of the tables
APPLICATION = 0x70757368  # "push", in the header of the file
WAITS = 60.0  # [s], for another process to end its transaction
LEASE = 30.0  # [s], of a claim that is not renewed
RENEWED_AFTER = 5.0  # [s]
AT_ONCE = 500  # keys in a question to SQLite
REMOTE = ("nfs", "cifs", "smb", "fuse.sshfs", "lustre", "beegfs", "gpfs", "ceph", "9p", "afs")
TABLES = """
CREATE TABLE studies (
    id INTEGER PRIMARY KEY, turn INTEGER NOT NULL, made TEXT NOT NULL, study TEXT NOT NULL, key TEXT NOT NULL,
    code TEXT NOT NULL, versions TEXT NOT NULL, UNIQUE (study, key)
);
CREATE TABLE runs (
    key TEXT PRIMARY KEY, study INTEGER NOT NULL REFERENCES studies (id), variant TEXT NOT NULL,
    point INTEGER NOT NULL, seed INTEGER NOT NULL, settings TEXT NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL,
    wall_time_s REAL NOT NULL, accepted INTEGER NOT NULL, numbers TEXT NOT NULL, events TEXT NOT NULL, recording TEXT,
    made TEXT NOT NULL
);
CREATE TABLE claims (key TEXT PRIMARY KEY, master TEXT NOT NULL, until REAL NOT NULL);
"""


class StoredRun(NamedTuple):
    """A row of the table `runs`, as far as it comes from the run itself."""

    key: str
    variant: str
    point: int
    seed: int
    settings: dict[str, Any]
    status: str  # ok, failed
    message: str
    wall_time_s: float
    accepted: int
    values: dict[str, float]
    events: dict[str, int]
    recording: str | None  # name of the file in the folder of recordings


@dataclass(frozen=True, slots=True)
class StoredStudy:
    """A study as a store knows it."""

    id: int
    text: str  # YAML
    key: str  # shared by its runs
    code: tuple[CodeFile, ...]  # Python files that were loaded
    versions: dict[str, Any]


class Claimed(NamedTuple):
    """What became of keys that somebody asked for; all that is in neither is made, or being made here."""

    mine: set[str]  # to be made here
    others: set[str]  # being made by another master


class Store:
    """The store in a folder, or one in memory that ends with the process (`folder` = None)."""

    def __init__(self, folder: Path | None, create: bool = False) -> None:
        self.folder = folder
        self.path = None if folder is None else folder / FILE
        self._renewed = 0.0
        self._master = f"{this_host()}-{os.getpid()}-{os.urandom(4).hex()}"
        if folder is not None and create:
            made(folder)
            warn_of_network(folder)
        with self._speaking():
            self._database = sqlite3.connect(self._address(create), uri=True, timeout=WAITS, isolation_level=None)
            try:
                self._prepare(create or folder is None)
            except BaseException:
                self._database.close()
                raise

    def _address(self, create: bool) -> str:
        if self.path is None:
            return "file::memory:"
        if not create and not self.path.is_file():
            raise InvalidInput(f"folder {str(self.folder)!r} holds no study: there is no {FILE} in it")
        writable = create or os.access(self.path, os.W_OK)
        return f"{self.path.absolute().as_uri()}?mode={'rwc' if create else 'rw' if writable else 'ro'}"

    def _prepare(self, create: bool) -> None:
        self._database.execute("PRAGMA synchronous = FULL")
        version, application = self._pragma("user_version"), self._pragma("application_id")
        if create and version == 0 and application == 0 and not self._has_tables():
            with self.transaction():
                if not self._has_tables():  # another master may have been faster
                    for statement in TABLES.strip().split(";\n"):
                        self._database.execute(statement)
                    self._database.execute(f"PRAGMA application_id = {APPLICATION}")
                    self._database.execute(f"PRAGMA user_version = {SCHEMA}")
            version, application = self._pragma("user_version"), self._pragma("application_id")
        if application != APPLICATION:
            raise InvalidInput(f"{str(self.path)!r} is no store of a study, but another database")
        if version != SCHEMA:
            raise InvalidInput(
                f"store {str(self.path)!r} has schema version {version}; this version of pushpoint reads {SCHEMA}: "
                "use the version that made it, or another folder"
            )

    def _pragma(self, name: str) -> int:
        return int(self._database.execute(f"PRAGMA {name}").fetchone()[0])

    def _has_tables(self) -> bool:
        return bool(self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])

    def close(self) -> None:
        """Give back what is claimed, and close the file."""
        with suppress(sqlite3.Error):
            self._database.execute("DELETE FROM claims WHERE master = ?", [self._master])
        self._database.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing; others wait meanwhile."""
        with self._speaking():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # SQLite may have done so itself
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Errors of SQLite as one line that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            name, store = getattr(error, "sqlite_errorname", "") or "", f"store {str(self.path)!r}"
            if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
                raise InvalidInput(
                    f"{store} cannot be written: {error} ({name}); all runs until now are kept, and `pushpoint study "
                    "resume` goes on once there is room"
                ) from None
            if name in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
                raise InvalidInput(f"{store} cannot be read: {error}") from None
            if name.startswith("SQLITE_BUSY"):
                raise InvalidInput(f"{store} is locked by another process for more than {WAITS:g} s") from None
            raise InvalidInput(f"{store} cannot be used: {error}") from None

    # --- studies ---

    def enter(self, text: str, key: str) -> StoredStudy:
        """Make a study the last one; it is noted once."""
        values = (
            _now(),
            text,
            key,
            json.dumps([asdict(file) for file in loaded_files()]),
            json.dumps(fingerprint()),
        )
        with self.transaction():
            self._database.execute(
                "INSERT INTO studies (turn, made, study, key, code, versions) "
                "SELECT 1 + coalesce(max(turn), 0), ?, ?, ?, ?, ? FROM studies WHERE true "
                "ON CONFLICT (study, key) DO UPDATE SET turn = excluded.turn",
                values,
            )
        return self.last_study()

    def last_study(self) -> StoredStudy:
        """The one that was run last."""
        with self._speaking():
            row = self._database.execute(
                "SELECT id, study, key, code, versions FROM studies ORDER BY turn DESC LIMIT 1"
            ).fetchone()
        if row is None:
            raise InvalidInput(f"store {str(self.path)!r} holds no study yet")
        code = tuple(CodeFile(file["name"], file["sha256"]) for file in json.loads(row[3]))
        return StoredStudy(row[0], row[1], row[2], code, json.loads(row[4]))

    # --- runs ---

    def present(self, keys: Sequence[str], recorded: bool = False) -> set[str]:
        """Which of the runs are there; with `recorded`, those whose recording is there too, if there can be one."""
        wanted = " AND (recording IS NOT NULL OR status <> 'ok')" if recorded else ""
        return {row[0] for row in self._among(f"SELECT key FROM runs WHERE key IN (*){wanted}", keys)}

    def runs(self, keys: Sequence[str]) -> dict[str, StoredRun]:
        """Those of the runs that are there, by key."""
        columns = (
            "key, variant, point, seed, settings, status, message, wall_time_s, accepted, numbers, events, recording"
        )
        found = self._among(f"SELECT {columns} FROM runs WHERE key IN (*)", keys)
        return {row[0]: _read(row) for row in found}

    def _among(self, question: str, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        with self._speaking():
            for first in range(0, len(keys), AT_ONCE):
                some = keys[first : first + AT_ONCE]
                marks = ",".join("?" * len(some))
                yield from self._database.execute(question.replace("*", marks), some).fetchall()

    def land(self, study: int, runs: Iterable[StoredRun]) -> None:
        """Keep finished runs, in one transaction. One that is there already stays; it may get its recording."""
        now, rows = _now(), list(runs)
        with self.transaction():
            self._database.executemany(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE "
                "SET recording = excluded.recording WHERE runs.recording IS NULL AND excluded.recording IS NOT NULL",
                [_written(study, row, now) for row in rows],
            )
            self._database.executemany("DELETE FROM claims WHERE key = ?", [(row.key,) for row in rows])

    # --- claims ---

    def claim(self, keys: Sequence[str], recorded: bool = False) -> Claimed:
        """Take the runs that nobody has made or is making."""
        now = time.time()
        with self.transaction():
            self._forget_dead(now)
            there, claimed = self.present(keys, recorded), "SELECT key, master FROM claims WHERE key IN (*)"
            masters = {key: master for key, master in self._among(claimed, keys) if key not in there}
            mine = {key for key in keys if key not in there and key not in masters}
            new = [(key, self._master, now + LEASE) for key in mine]
            self._database.executemany("INSERT INTO claims VALUES (?, ?, ?)", new)
        return Claimed(mine, {key for key, master in masters.items() if master != self._master})

    def _forget_dead(self, now: float) -> None:
        """Claims of masters that have not renewed them, or that are known to be dead."""
        self._database.execute("DELETE FROM claims WHERE until < ?", [now])
        for (master,) in self._database.execute("SELECT DISTINCT master FROM claims").fetchall():
            host, pid, _ = master.split("-")
            if host == this_host() and int(pid) != os.getpid() and not is_alive(int(pid)):
                self._database.execute("DELETE FROM claims WHERE master = ?", [master])

    def renew(self) -> None:
        """Now and then, while runs are made that take longer."""
        now = time.time()
        if self.path is None or now - self._renewed < RENEWED_AFTER:
            return
        self._renewed = now
        with self.transaction():
            self._database.execute("UPDATE claims SET until = ? WHERE master = ?", [now + LEASE, self._master])


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _written(study: int, run: StoredRun, now: str) -> tuple[Any, ...]:
    values = json.dumps({name: _json_number(value) for name, value in run.values.items()})
    texts = json.dumps(run.settings), run.status, run.message
    numbers = run.wall_time_s, run.accepted
    return (run.key, study, run.variant, run.point, run.seed, *texts, *numbers, values, json.dumps(run.events),
            run.recording, now)  # fmt: skip


def _read(row: tuple[Any, ...]) -> StoredRun:
    key, variant, point, seed, settings, status, message, wall, accepted, values, events, recording = row
    numbers = {name: float(value) for name, value in json.loads(values).items()}
    return StoredRun(key, variant, point, seed, json.loads(settings), status, message, wall, accepted, numbers,
                     json.loads(events), recording)  # fmt: skip


def _json_number(value: float) -> float | str:
    """Numbers with all their digits; JSON has no word for the others, and `float` reads these."""
    return value if math.isfinite(value) else str(value)


def warn_of_network(folder: Path) -> None:
    """Say so if a folder is on a disk of another machine, as far as the system knows."""
    kind = _file_system(folder)
    if kind.startswith(REMOTE):
        warnings.warn(
            f"folder {str(folder)!r} is on a network file system ({kind}), whose locks SQLite cannot rely on; "
            "stores belong on local disks: --out names another folder",
            stacklevel=3,
        )


def _file_system(folder: Path) -> str:
    """The kind of the file system that a folder is on; empty where nobody knows."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
        place = folder.resolve()
    except OSError:
        return ""
    mounts = [line.split()[1:3] for line in lines]
    around = [(len(where), kind) for where, kind in mounts if place.is_relative_to(where.replace("\\040", " "))]
    return max(around)[1] if around else ""
