"""Ours against MuJoCo: the same run, each at the largest step that is accurate, in the same minute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from pushpoint.bench.ladder import LADDER, LIMIT_DT, Rung, largest_accurate, rms_distance
from pushpoint.bench.runs import OURS, PEER, Job, Path, our_job, peer_job
from pushpoint.bench.timing import ROUNDS, interleaved_best, timed
from pushpoint.errors import SolverFailure
from pushpoint.scenario import Scenario

Settings = Mapping[str, Any]
Say = Callable[[str], None]

# First the defaults of our door to MuJoCo; then all that might be faster and still accurate enough.
PEER_SETTINGS: tuple[Settings, ...] = tuple(
    {"solver": solver, "tolerance": tolerance, "max_iterations": iterations}
    for solver in ("cg", "newton")
    for tolerance, iterations in ((1e-8, 100), (1e-6, 100), (1e-4, 100), (1e-3, 100), (1e-4, 5), (1e-4, 3))
)


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure."""

    ladder: Sequence[float] = LADDER  # [s]
    limit_dt: float = LIMIT_DT  # [s]
    peer_settings: Sequence[Settings] = PEER_SETTINGS  # the first is that of the peer's limit
    screening_rounds: int = 2  # that choose the peer's finalists
    finalists: int = 3  # settings of the peer that run against ours
    rounds: int = ROUNDS  # of the final
    ladder_rounds: int = ROUNDS  # fewer where dt is small, see `rounds_at`


@dataclass(frozen=True)
class Entry:
    """One plant with its settings (ours: the defaults) at one dt."""

    plant: str
    settings: Settings
    rung: Rung


@dataclass(frozen=True)
class Duel:
    """The result for one scenario. Without MuJoCo, or if nothing was accurate, there is no ratio."""

    scenario: str
    duration: float  # [s]
    limit_dt: float  # [s]
    limits_apart: float | None  # [m], rms between the two limits of small steps
    ours: Entry | None
    peer: Entry | None
    ratio: float | None  # peer's wall time over ours
    our_ladder: tuple[Rung, ...]
    peer_ladder: tuple[Rung, ...]
    peer_tried: tuple[Entry, ...]  # every setting that was accurate, best of the screening rounds


@dataclass(frozen=True)
class Contender:
    """One plant with its settings, and the paths [m] that its accuracy is judged by."""

    plant: str
    settings: Settings
    job: Callable[[float], Job]  # from dt [s]
    own_limit: Path
    our_limit: Path

    def rung(self, dt: float) -> Rung:
        """One run at `dt` [s]."""
        path, seconds = timed(self.job(dt))
        return Rung(dt, rms_distance(path, self.own_limit), rms_distance(path, self.our_limit), seconds)

    def entry(self, ladder: Sequence[float]) -> Entry | None:
        """Down the ladder to the first dt that is accurate."""
        for dt in sorted(ladder, reverse=True):
            rung = largest_accurate([self.rung(dt)])
            if rung is not None:
                return Entry(self.plant, self.settings, rung)
        return None


def has_peer() -> bool:
    """Whether MuJoCo is installed."""
    return find_spec("mujoco") is not None


def duel(scenario: Scenario, effort: Effort, say: Say) -> Duel:
    """Measure both plants on one scenario; `say` gets a line per stage."""
    say(f"{scenario.name}: {OURS}")
    us = our_contender(scenario, effort)
    ours = us.entry(effort.ladder)
    peers: list[Contender] = []
    if has_peer():
        say(f"{scenario.name}: {PEER} with {len(effort.peer_settings)} settings")
        peers = peer_contenders(scenario, effort, us.own_limit)
    found = [entry for peer in peers if (entry := peer.entry(effort.ladder)) is not None]
    tried = fastest_first(timed_again(scenario, found, effort.screening_rounds))
    say(f"{scenario.name}: best of {effort.rounds}")
    ours, peer = final(scenario, ours, tried[: effort.finalists], effort.rounds)
    say(f"{scenario.name}: ladders")
    chosen = [p for p in peers if peer is not None and p.settings == peer.settings]
    our_ladder, *peer_ladder = ladders([us, *chosen], effort)
    return Duel(
        scenario=scenario.name,
        duration=scenario.duration,
        limit_dt=effort.limit_dt,
        limits_apart=rms_distance(peers[0].own_limit, us.own_limit) if peers else None,
        ours=ours,
        peer=peer,
        ratio=None if ours is None or peer is None else peer.rung.wall_time_s / ours.rung.wall_time_s,
        our_ladder=our_ladder,
        peer_ladder=peer_ladder[0] if peer_ladder else (),
        peer_tried=tuple(tried),
    )


def our_contender(scenario: Scenario, effort: Effort) -> Contender:
    def job(dt: float) -> Job:
        return our_job(scenario, dt)

    job(scenario.control_period)()  # compiles, if nobody has done so yet
    limit = limit_path(job(effort.limit_dt), OURS, effort.limit_dt)
    return Contender(OURS, {}, job, limit, limit)


def peer_contenders(scenario: Scenario, effort: Effort, our_limit: Path) -> list[Contender]:
    """One per setting. All share one limit, which does not depend on the solver."""
    first = effort.peer_settings[0]
    limit = limit_path(peer_job(scenario, effort.limit_dt, first), PEER, effort.limit_dt)

    def contender(settings: Settings) -> Contender:
        return Contender(PEER, settings, lambda dt: peer_job(scenario, dt, settings), limit, our_limit)

    return [contender(settings) for settings in effort.peer_settings]


def limit_path(job: Job, plant: str, dt: float) -> Path:
    """The path that stands for the limit of small steps; nothing can be judged without it."""
    path = job()
    if path is None:
        raise SolverFailure(f"{plant} failed at dt = {dt:g} s, the step that its accuracy is measured by")
    return path


def final(
    scenario: Scenario, ours: Entry | None, peers: Sequence[Entry], rounds: int
) -> tuple[Entry | None, Entry | None]:
    """Ours and the fastest of the peer's, with wall times from the same rounds."""
    again = timed_again(scenario, [*([] if ours is None else [ours]), *peers], rounds)
    theirs = fastest_first([e for e in again if e.plant == PEER])
    return next((e for e in again if e.plant == OURS), None), next(iter(theirs), None)


def timed_again(scenario: Scenario, entries: Sequence[Entry], rounds: int) -> list[Entry]:
    """The same entries with wall times from interleaved rounds."""
    jobs = [entry_job(scenario, e) for e in entries]
    best = interleaved_best(jobs, rounds)
    return [replace(e, rung=replace(e.rung, wall_time_s=t)) for e, t in zip(entries, best, strict=True)]


def entry_job(scenario: Scenario, entry: Entry) -> Job:
    if entry.plant == OURS:
        return our_job(scenario, entry.rung.dt)
    return peer_job(scenario, entry.rung.dt, entry.settings)


def fastest_first(entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda e: e.rung.wall_time_s)


def ladders(contenders: Sequence[Contender], effort: Effort) -> list[tuple[Rung, ...]]:
    """All rungs of all contenders; at each dt the wall times come from interleaved rounds."""
    found: list[list[Rung]] = [[] for _ in contenders]
    for dt in effort.ladder:
        rungs = [who.rung(dt) for who in contenders]
        best = interleaved_best([who.job(dt) for who in contenders], rounds_at(dt, effort.ladder_rounds))
        for column, rung, seconds in zip(found, rungs, best, strict=True):
            column.append(replace(rung, wall_time_s=seconds))
    return [tuple(column) for column in found]


def rounds_at(dt: float, most: int) -> int:
    """`most` rounds down to dt = 1 ms and fewer below, so that no rung takes much longer than that one."""
    return max(1, min(most, round(most * dt / 1e-3)))
