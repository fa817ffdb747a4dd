"""What a contest is about, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.judge import Judge
from pushpoint.scenario import Scenario

Settings = Mapping[str, Any]  # options of a plant
Say = Callable[[str], None]  # gets a line per stage of a measurement


@dataclass(frozen=True)
class Timing:
    """How often jobs run, and in which order."""

    best: Callable[[Sequence[Callable[[], Any]], int], list[float]]  # one of timing.py; its int is called repeats here
    screening: int  # repeats that choose the finalists
    final: int  # repeats of the finalists
    ladder: Callable[[float], int]  # repeats at a dt [s]; 0: the time of the run that is judged counts
    alternating: int = 0  # rounds in which the winners alternate run by run
    finalists: int = 3  # settings of each plant


@dataclass(frozen=True)
class Case:
    """One run with two plants."""

    scenario: Scenario
    ours: str  # plant
    link: int  # whose path is compared
    what: str  # is compared, for people
    judge: Judge
    ladder: Sequence[float]  # [s], step sizes
    our_settings: Sequence[Settings]  # the first is that of our limit
    peer_settings: Sequence[Settings]  # the first is that of the peer's limit
    timing: Timing
    starts: int = 1  # start poses from which a setting has to be accurate
    creeps: bool = False  # the peer does not reach a limit: compared at the smallest error that it has
    required_ratio: float | None = None  # the peer's time over ours
    required_real_time: float | None = None  # simulated time over our wall time

    @property
    def name(self) -> str:
        return self.scenario.name
