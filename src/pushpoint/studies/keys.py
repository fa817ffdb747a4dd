"""Keys of the runs of a study: the hash of all that their numbers depend on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Any

from pushpoint.errors import PushpointError
from pushpoint.scenario import FROM_FILES, Choice, Scenario
from pushpoint.studies.result_cache import canonical, key_of, result_versions
from pushpoint.studies.study import Study

TABLES = tuple(f".{name}" for name in FROM_FILES)  # endings of files that values of overrides may name


def base_key(study: Study) -> str:
    """What all runs of a study share: scenario as it is built, measures, sources, loaded files, versions."""
    scenario, asked = study.base_scenario, [[m.column, m.name, m.options] for m in study.measurements]
    found = key_of("answer", ["study", scenario.model_dump(), *_built(scenario), asked])
    return found or os.urandom(32).hex()  # something in it has no exact text: nothing is taken for equal


def _built(scenario: Scenario) -> list[Any]:
    """Robot and world as they are built: tables of obstacles are read from files."""
    try:
        return [scenario.built_robot().model_dump(), scenario.built_world().model_dump()]
    except PushpointError:  # overrides may replace what cannot be built
        return []


class RunKeys:
    """The keys of all runs of a study by number; a run with the same changes has the same key in another study."""

    def __init__(self, study: Study, base: str) -> None:
        self.study, self.base = study, base
        self._start = hashlib.sha256(base.encode())
        self._files: dict[str, str] = {}

    def __len__(self) -> int:
        return self.study.runs

    def __getitem__(self, number: int) -> str:
        return self.with_changes(number)[0]

    def with_changes(self, number: int) -> tuple[str, dict[str, Any]]:
        """The key, and what the run changes of the scenario."""
        digest = self._start.copy()
        changes = self.study.changes_of(self.study.place_of(number))
        digest.update(canonical(changes).encode())
        for value in changes.values():
            if named := _named_file(value):
                digest.update(self._hash_of(named).encode())
        return digest.hexdigest(), changes

    def chunks(self, size: int) -> Iterator[tuple[range, list[str]]]:
        """Numbers and keys, a few at a time."""
        for first in range(0, len(self), size):
            numbers = range(first, min(first + size, len(self)))
            yield numbers, [self[number] for number in numbers]

    def _hash_of(self, file: str) -> str:
        """Of a table of obstacles that a change names; empty if it is not there."""
        if file not in self._files:
            try:
                with open(file, "rb") as opened:
                    self._files[file] = hashlib.file_digest(opened, "sha256").hexdigest()
            except (OSError, ValueError):
                self._files[file] = ""
        return self._files[file]


def _named_file(value: Any) -> str:
    if isinstance(value, Choice):
        value = value.options.get("path")
    elif isinstance(value, dict):
        options = value.get("options", value)
        value = options.get("path") if isinstance(options, dict) else None
    return value if isinstance(value, str) and value.endswith(TABLES) else ""


def fingerprint() -> dict[str, Any]:
    """What has to be equal where runs of one study are made: sources, versions, settings. Plain data."""
    return result_versions("answer")
