"""Ours against MuJoCo: the same run, each at the largest step that is accurate, in the same minute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from pushpoint.bench.ladder import LADDER, LIMIT_DT, Rung, largest_accurate, rms_distance
from pushpoint.bench.runs import OURS, PEER, Job, Path, our_job, peer_job
from pushpoint.bench.timing import ROUNDS, TURNS, best_in_turns, interleaved_best, timed
from pushpoint.errors import SolverFailure
from pushpoint.scenario import Scenario

Settings = Mapping[str, Any]
Say = Callable[[str], None]

# First the defaults, whose solvers converge; then all that might be faster and still keep the path accurate enough.
OUR_SETTINGS: tuple[Settings, ...] = tuple({"tolerance": tolerance} for tolerance in (1e-8, 1e-6, 1e-4, 1e-3))
PEER_SETTINGS: tuple[Settings, ...] = tuple(
    {"solver": solver, "tolerance": tolerance, "max_iterations": iterations}
    for solver in ("cg", "newton")
    for tolerance, iterations in ((1e-8, 100), (1e-6, 100), (1e-4, 100), (1e-3, 100), (1e-4, 5), (1e-4, 3))
)


# Solvers that converge, so that contact forces can be trusted; MuJoCo's with either of its methods.
CONVERGED_OURS, CONVERGED_PEERS = OUR_SETTINGS[:1], tuple(s for s in PEER_SETTINGS if s["tolerance"] == 1e-8)


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure."""

    what: str = "fastest settings that keep the path accurate"
    ladder: Sequence[float] = LADDER  # [s]
    limit_dt: float = LIMIT_DT  # [s]
    our_settings: Sequence[Settings] = OUR_SETTINGS  # the first is that of our limit
    peer_settings: Sequence[Settings] = PEER_SETTINGS  # the first is that of the peer's limit
    screening_turns: int = 1  # that choose the finalists
    finalists: int = 3  # settings of each plant that run against each other
    turns: int = TURNS  # of the final
    rounds: int = ROUNDS  # of single runs of the two winners
    ladder_turns: int = TURNS  # fewer where dt is small, see `turns_at`


CONVERGED = Effort(
    what="solvers converged to 1e-8",
    our_settings=CONVERGED_OURS,
    peer_settings=CONVERGED_PEERS,
    ladder_turns=2,
)


@dataclass(frozen=True)
class Entry:
    """One plant with its settings at one dt."""

    plant: str
    settings: Settings
    rung: Rung


@dataclass(frozen=True)
class Duel:
    """The result for one scenario. Without MuJoCo, or if nothing was accurate, there is no ratio."""

    scenario: str
    what: str  # was compared
    duration: float  # [s]
    limit_dt: float  # [s]
    limits_apart: float | None  # [m], rms between the two limits of small steps
    ours: Entry | None
    peer: Entry | None
    ratio: float | None  # peer's wall time over ours
    ratio_alternating: float | None  # the same where every run comes straight after one of the other
    our_ladder: tuple[Rung, ...]
    peer_ladder: tuple[Rung, ...]
    tried: tuple[Entry, ...]  # every setting that was accurate, best of the screening turn, ours first


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
    """Measure both plants on one scenario, each with the settings that suit it; `say` gets a line per stage."""
    say(f"{scenario.name}, {effort.what}: {OURS} with {len(effort.our_settings)} settings")
    us = our_contenders(scenario, effort)
    peers: list[Contender] = []
    if has_peer():
        say(f"{scenario.name}: {PEER} with {len(effort.peer_settings)} settings")
        peers = peer_contenders(scenario, effort, us[0].own_limit)
    ours_tried, peers_tried = (screened(scenario, who, effort) for who in (us, peers))
    say(f"{scenario.name}: best of {effort.turns} turns")
    finalists = [*ours_tried[: effort.finalists], *peers_tried[: effort.finalists]]
    ours, peer = final(scenario, finalists, effort.turns)
    alternating = alternating_ratio(scenario, ours, peer, effort.rounds)
    say(f"{scenario.name}: ladders")
    our_ladder, peer_ladder = ladders([winner(us, ours), winner(peers, peer)], effort)
    return Duel(
        scenario=scenario.name,
        what=effort.what,
        duration=scenario.duration,
        limit_dt=effort.limit_dt,
        limits_apart=rms_distance(peers[0].own_limit, us[0].own_limit) if peers else None,
        ours=ours,
        peer=peer,
        ratio=None if ours is None or peer is None else peer.rung.wall_time_s / ours.rung.wall_time_s,
        ratio_alternating=alternating,
        our_ladder=our_ladder,
        peer_ladder=peer_ladder,
        tried=(*ours_tried, *peers_tried),
    )


def our_contenders(scenario: Scenario, effort: Effort) -> list[Contender]:
    """One per setting; the limit is that of the first."""
    first = effort.our_settings[0]
    our_job(scenario, scenario.control_period, first)()  # compiles, if nobody has done so yet
    limit = limit_path(our_job(scenario, effort.limit_dt, first), OURS, effort.limit_dt)

    def contender(settings: Settings) -> Contender:
        return Contender(OURS, settings, lambda dt: our_job(scenario, dt, settings), limit, limit)

    return [contender(settings) for settings in effort.our_settings]


def peer_contenders(scenario: Scenario, effort: Effort, our_limit: Path) -> list[Contender]:
    """One per setting. All share one limit, which does not depend on the solver."""
    first = effort.peer_settings[0]
    limit = limit_path(peer_job(scenario, effort.limit_dt, first), PEER, effort.limit_dt)

    def contender(settings: Settings) -> Contender:
        return Contender(PEER, settings, lambda dt: peer_job(scenario, dt, settings), limit, our_limit)

    return [contender(settings) for settings in effort.peer_settings]


def screened(scenario: Scenario, contenders: Sequence[Contender], effort: Effort) -> list[Entry]:
    """All that are accurate somewhere on the ladder, the fastest first."""
    found = [entry for who in contenders if (entry := who.entry(effort.ladder)) is not None]
    return fastest_first(timed_again(scenario, found, effort.screening_turns))


def winner(contenders: Sequence[Contender], entry: Entry | None) -> Contender | None:
    """Whose entry it was."""
    return next((who for who in contenders if entry is not None and who.settings == entry.settings), None)


def limit_path(job: Job, plant: str, dt: float) -> Path:
    """The path that stands for the limit of small steps; nothing can be judged without it."""
    path = job()
    if path is None:
        raise SolverFailure(f"{plant} failed at dt = {dt:g} s, the step that its accuracy is measured by")
    return path


def final(scenario: Scenario, entries: Sequence[Entry], turns: int) -> tuple[Entry | None, Entry | None]:
    """The fastest of ours and of the peer's, with wall times from the same turns."""
    again = fastest_first(timed_again(scenario, entries, turns))
    ours, peer = (next((e for e in again if e.plant == plant), None) for plant in (OURS, PEER))
    return ours, peer


def alternating_ratio(scenario: Scenario, ours: Entry | None, peer: Entry | None, rounds: int) -> float | None:
    """Ratio of the winners' best times if each finds the processor's caches as the other leaves them."""
    if ours is None or peer is None:
        return None
    our_time, peer_time = interleaved_best([entry_job(scenario, e) for e in (ours, peer)], rounds)
    return peer_time / our_time


def timed_again(scenario: Scenario, entries: Sequence[Entry], turns: int) -> list[Entry]:
    """The same entries with wall times of runs in turns."""
    jobs = [entry_job(scenario, e) for e in entries]
    best = best_in_turns(jobs, turns)
    return [replace(e, rung=replace(e.rung, wall_time_s=t)) for e, t in zip(entries, best, strict=True)]


def entry_job(scenario: Scenario, entry: Entry) -> Job:
    make = our_job if entry.plant == OURS else peer_job
    return make(scenario, entry.rung.dt, entry.settings)


def fastest_first(entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda e: e.rung.wall_time_s)


def ladders(contenders: Sequence[Contender | None], effort: Effort) -> list[tuple[Rung, ...]]:
    """All rungs of all contenders; at each dt the wall times are of runs in turns."""
    present = [who for who in contenders if who is not None]
    found: dict[str, list[Rung]] = {who.plant: [] for who in present}
    for dt in effort.ladder:
        rungs = [who.rung(dt) for who in present]
        jobs = [who.job(dt) for who in present]
        best = best_in_turns(jobs, turns_at(dt, effort.ladder_turns))
        for who, rung, seconds in zip(present, rungs, best, strict=True):
            found[who.plant].append(replace(rung, wall_time_s=seconds))
    return [() if who is None else tuple(found[who.plant]) for who in contenders]


def turns_at(dt: float, most: int) -> int:
    """`most` turns down to dt = 1 ms and fewer below, so that no rung takes much longer than that one."""
    return max(1, min(most, round(most * dt / 1e-3)))
