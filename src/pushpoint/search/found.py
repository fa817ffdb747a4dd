"""What a search has found so far: trials, the best ones, the scenario to run; written as CSV and YAML."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pushpoint.errors import InvalidInput
from pushpoint.files import made, write_bytes
from pushpoint.search.search import MOST, Search, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pushpoint.scenario import Scenario

Status = Literal["ok", "failed", "pruned", "running"]


@dataclass(frozen=True)
class Trial:
    """One set of values, and what came of it."""

    number: int  # from 0 on, in the order in which they were proposed
    values: Mapping[str, Value]  # of the fields that vary
    aims: tuple[float, ...]  # of the search, in its order; empty unless the status is "ok"
    status: Status  # "ok", "failed", "pruned" or "running"
    reason: str = ""  # why it failed, or after how many runs it was ended


@dataclass(frozen=True)
class Found:
    """The trials of a search."""

    search: Search  # what was asked
    trials: tuple[Trial, ...]  # in the order in which they were proposed
    signal: int | None = None  # of the interrupt that ended the search early; None if it ran to its end

    @property
    def done(self) -> tuple[Trial, ...]:
        """Trials with a result."""
        return tuple(trial for trial in self.trials if trial.status == "ok")

    @property
    def best(self) -> Trial:
        """The best one by the first aim.

        Raises
        ------
        InvalidInput
            If no trial has a result.
        """
        if not self.done:
            raise InvalidInput(f"{self.search.base_scenario.name}: none of {len(self.trials)} trials has a result")
        return max(self.done, key=lambda trial: self._gains(trial)[0])

    @property
    def front(self) -> tuple[Trial, ...]:
        """Trials that no other one beats in all aims; those of one aim are the best."""
        return tuple(trial for trial in self.done if not any(self._beats(other, trial) for other in self.done))

    def _gains(self, trial: Trial) -> tuple[float, ...]:
        """Larger is better."""
        wants = (aim.want for aim in self.search.aims)
        return tuple(value if want == MOST else -value for value, want in zip(trial.aims, wants, strict=True))

    def _beats(self, one: Trial, other: Trial) -> bool:
        ours, theirs = self._gains(one), self._gains(other)
        return all(a >= b for a, b in zip(ours, theirs, strict=True)) and ours != theirs

    def scenario(self, trial: Trial | None = None) -> Scenario:
        """What a trial ran, with the first seed; by default the best one.

        Parameters
        ----------
        trial
            One of `trials`.
        """
        chosen = trial or self.best
        return self.search.scenario_of(chosen.values, self.search.seeds[0])

    def table(self) -> list[dict[str, Any]]:
        """A row per trial: number, status, values of the fields, values of the aims."""
        names = [aim.name for aim in self.search.aims]
        return [
            {"trial": trial.number, "status": trial.status}
            | {key: trial.values.get(key, math.nan) for key in self.search.vary}
            | dict(zip(names, trial.aims or (math.nan,) * len(names), strict=True))
            | {"reason": trial.reason}
            for trial in self.trials
        ]

    def save(self, folder: Path) -> dict[str, str]:
        """Write search.yaml, trials.csv and, if there is one, best.yaml, a scenario; returns their paths by kind.

        Parameters
        ----------
        folder
            Is made if it is not there.
        """
        texts = {"search": ("search.yaml", self.search.to_yaml()), "trials": ("trials.csv", self._csv())}
        if self.done:
            texts["best"] = ("best.yaml", self.scenario().to_yaml())
        paths = {kind: made(folder) / name for kind, (name, _) in texts.items()}
        for kind, (_, text) in texts.items():
            write_bytes(paths[kind], text.encode())
        return {kind: str(path) for kind, path in paths.items()}

    def _csv(self) -> str:
        rows, text = self.table(), io.StringIO()
        names = ["trial", "status", *self.search.vary, *(aim.name for aim in self.search.aims), "reason"]
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()
