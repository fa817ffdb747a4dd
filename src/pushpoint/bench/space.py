"""Ours against MuJoCo in space: how far a link gets, at the same accuracy, in the same minute.

Paths in space scatter: where a link touches down decides what comes next, and a start pose changed by a thousandth of a
radian, or another dt, gives an end that is some millimetres off. So a limit is a mean of two runs, and a setting is
accurate only if all of several start poses are near it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan
from statistics import mean

from pushpoint.bench.duel import Settings, has_peer
from pushpoint.bench.space_runs import OURS, PEER, STARTS, Case, Moved, around, length, space_job
from pushpoint.bench.timing import interleaved_best, timed

Say = Callable[[str], None]

LADDER = (1e-2, 5e-3, 2.5e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4)  # [s]; parts of the control period of 10 ms
LIMIT_RUNGS = 2  # the limit is the mean of so many of the finest that finished
ACCURACY = 0.01  # of the limit
ROUNDS, ROUNDS_FROM = 7, 1e-3  # of the final; ladders get fewer rounds, and only one below a dt of 1e-3 s

OUR_SETTINGS: tuple[Settings, ...] = ({"tolerance": 1e-6}, {"tolerance": 1e-4})  # the default, and a looser one
PEER_SETTINGS: tuple[Settings, ...] = tuple(
    {"solver": solver, "tolerance": tolerance, "max_iterations": iterations}
    for solver in ("newton", "cg")
    for tolerance, iterations in ((1e-8, 100), (1e-4, 100), (1e-3, 100), (1e-4, 5), (1e-4, 3))
)


@dataclass(frozen=True)
class SpaceEffort:
    """How thoroughly to measure."""

    ladder: Sequence[float] = LADDER  # [s], the finest last
    peer_settings: Sequence[Settings] = PEER_SETTINGS  # the first is that of the peer's limit
    starts: int = STARTS
    accuracy: float = ACCURACY  # of the limit
    screening_rounds: int = 2
    finalists: int = 3
    rounds: int = ROUNDS
    ladder_rounds: int = 3


BRIEF = SpaceEffort(ladder=LADDER[:-1], peer_settings=tuple(PEER_SETTINGS[k] for k in (0, 1, 4, 5, 6)), rounds=5)


@dataclass(frozen=True)
class SpaceRung:
    """One step size of a ladder."""

    dt: float  # [s]
    moved: Moved | None  # [m], from the scenario's own start; None if the run failed
    error: float  # of the distance, relative to the limit; the worst of all starts; infinite if a run failed
    wall_time_s: float


@dataclass(frozen=True)
class SpaceEntry:
    """One plant with its settings at one dt."""

    plant: str
    settings: Settings
    rung: SpaceRung


@dataclass(frozen=True)
class SpaceDuel:
    """The result for one case. Without MuJoCo, or if nothing was accurate, there is no ratio."""

    scenario: str
    duration: float  # [s]
    link: int
    accuracy: float  # of the limit
    our_limit: float  # [m], distance; not a number if too many runs failed
    peer_limit: float  # [m]
    ours: SpaceEntry | None
    peer: SpaceEntry | None
    our_ladder: tuple[SpaceRung, ...]
    peer_ladder: tuple[SpaceRung, ...]
    tried: tuple[SpaceEntry, ...]  # every setting that was accurate, ours first

    @property
    def ratio(self) -> float | None:
        """The peer's wall time over ours."""
        return wall_ratio(self.peer, self.ours)

    @property
    def real_time_factor(self) -> float | None:
        """Simulated over wall time, ours."""
        return None if self.ours is None else self.duration / self.ours.rung.wall_time_s


def wall_ratio(peer: SpaceEntry | None, ours: SpaceEntry | None) -> float | None:
    return None if ours is None or peer is None else peer.rung.wall_time_s / ours.rung.wall_time_s


@dataclass(frozen=True)
class Runner:
    """One plant with its settings, the cases of all starts, and the distance [m] that its accuracy is judged by."""

    plant: str
    settings: Settings
    cases: Sequence[Case]
    limit: float = nan

    def run(self, dt: float, case: Case) -> tuple[Moved | None, float]:
        """Displacement and wall time [s] of one run."""
        return timed(space_job(self.plant, case, dt, self.settings))

    def rung(self, dt: float, enough: float = inf) -> SpaceRung:
        """A run from every start, up to the first whose error is beyond `enough`; the wall time is the first one's."""
        way, seconds = self.run(dt, self.cases[0])
        error = relative_error(way, self.limit)
        for case in self.cases[1:]:
            if error > enough or not isfinite(error):
                break
            error = max(error, relative_error(self.run(dt, case)[0], self.limit))
        return SpaceRung(dt, way, error, seconds)

    def entry(self, ladder: Sequence[float], accuracy: float) -> SpaceEntry | None:
        """Down the ladder to the first dt that is accurate."""
        for dt in sorted(ladder, reverse=True):
            rung = self.rung(dt, enough=accuracy)
            if rung.error <= accuracy:
                return SpaceEntry(self.plant, self.settings, rung)
        return None


def relative_error(way: Moved | None, limit: float) -> float:
    """Of a distance; infinite for runs that failed, or without a limit."""
    error = abs(length(way) - limit) / limit
    return error if isfinite(error) else inf


def limit_of(ways: Sequence[Moved | None]) -> float:
    """The mean distance [m] of the finest runs that finished, the finest last; not a number if there are too few."""
    lengths = [length(way) for way in ways if way is not None][-LIMIT_RUNGS:]
    return mean(lengths) if len(lengths) == LIMIT_RUNGS else nan


def space_duel(case: Case, effort: SpaceEffort, say: Say) -> SpaceDuel:
    """Measure both plants on one case, each with the settings that suit it; `say` gets a line per stage."""
    say(f"{case.name}: limits of small steps")
    cases = around(case, effort.starts)
    us = runners(OURS, OUR_SETTINGS, cases, effort.ladder)
    peers = runners(PEER, effort.peer_settings, cases, effort.ladder) if has_peer() else []
    say(f"{case.name}: {len(us)} settings of {OURS}, {len(peers)} of {PEER}")
    ours_tried, peers_tried = (screened(who, effort) for who in (us, peers))
    say(f"{case.name}: best of {effort.rounds}, and ladders")
    ours, peer = final(case, [*ours_tried[: effort.finalists], *peers_tried[: effort.finalists]], effort.rounds)
    our_ladder, peer_ladder = ladders([chosen(us, ours), chosen(peers, peer)], effort)
    return SpaceDuel(
        scenario=case.name,
        duration=case.scenario.duration,
        link=case.link,
        accuracy=effort.accuracy,
        our_limit=us[0].limit,
        peer_limit=peers[0].limit if peers else nan,
        ours=ours,
        peer=peer,
        our_ladder=our_ladder,
        peer_ladder=peer_ladder,
        tried=(*ours_tried, *peers_tried),
    )


def runners(plant: str, settings: Sequence[Settings], cases: Sequence[Case], ladder: Sequence[float]) -> list[Runner]:
    """One per setting; the limit is that of the first, from the scenario's own start."""
    first = Runner(plant, settings[0], cases)
    first.run(max(ladder), cases[0])  # compiles, if nobody has done so yet
    ways = [first.run(dt, cases[0])[0] for dt in sorted(ladder, reverse=True)[-LIMIT_RUNGS - 1 :]]
    return [Runner(plant, s, cases, limit_of(ways)) for s in settings]


def screened(who: Sequence[Runner], effort: SpaceEffort) -> list[SpaceEntry]:
    """All that are accurate somewhere on the ladder, the fastest first."""
    found = [entry for runner in who if (entry := runner.entry(effort.ladder, effort.accuracy)) is not None]
    return timed_again(who[0].cases[0], found, effort.screening_rounds) if found else []


def timed_again(case: Case, entries: Sequence[SpaceEntry], rounds: int) -> list[SpaceEntry]:
    """The same entries with wall times from interleaved rounds, the fastest first."""
    best = interleaved_best([space_job(e.plant, case, e.rung.dt, e.settings) for e in entries], rounds)
    again = [replace(e, rung=replace(e.rung, wall_time_s=t)) for e, t in zip(entries, best, strict=True)]
    return sorted(again, key=lambda e: e.rung.wall_time_s)


def final(case: Case, entries: Sequence[SpaceEntry], rounds: int) -> tuple[SpaceEntry | None, SpaceEntry | None]:
    """The fastest of ours and of the peer's, with wall times from the same rounds."""
    again = timed_again(case, entries, rounds)
    ours, peer = (next((e for e in again if e.plant == plant), None) for plant in (OURS, PEER))
    return ours, peer


def chosen(who: Sequence[Runner], entry: SpaceEntry | None) -> Runner | None:
    """Whose entry it was; the first if nothing was accurate."""
    found = (runner for runner in who if entry is not None and runner.settings == entry.settings)
    return next(found, who[0] if who else None)


def ladders(who: Sequence[Runner | None], effort: SpaceEffort) -> list[tuple[SpaceRung, ...]]:
    """All rungs of all runners, from all starts down to ROUNDS_FROM and below that from the scenario's own."""
    present = [runner for runner in who if runner is not None]
    found: dict[str, list[SpaceRung]] = {runner.plant: [] for runner in present}
    for dt in effort.ladder:
        for runner, rung in zip(present, rungs_at(dt, present, effort.ladder_rounds), strict=True):
            found[runner.plant].append(rung)
    return [() if runner is None else tuple(found[runner.plant]) for runner in who]


def rungs_at(dt: float, present: Sequence[Runner], rounds: int) -> list[SpaceRung]:
    """One rung of each; wall times from interleaved rounds, or from a single run where dt is small."""
    if dt < ROUNDS_FROM:
        return [replace(runner, cases=runner.cases[:1]).rung(dt) for runner in present]
    rungs = [runner.rung(dt) for runner in present]
    best = interleaved_best([space_job(r.plant, r.cases[0], dt, r.settings) for r in present], rounds)
    return [replace(rung, wall_time_s=t) for rung, t in zip(rungs, best, strict=True)]
