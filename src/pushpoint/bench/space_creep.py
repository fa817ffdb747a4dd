"""Undulation with every link on the ground, where MuJoCo creeps: each against its own limit, at MuJoCo's best error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

from pushpoint.bench.duel import Settings, has_peer
from pushpoint.bench.space import (
    OUR_SETTINGS,
    Runner,
    Say,
    SpaceEntry,
    SpaceRung,
    limit_of,
    relative_error,
    timed_again,
    wall_ratio,
)
from pushpoint.bench.space_runs import OURS, PEER, Case

LADDER = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4)  # [s]
ROUNDS = 2  # a run of MuJoCo takes some seconds
SLACK = 1.2  # a looser solver of MuJoCo may have so many times the error of its best run

FIRST: Settings = {"solver": "newton", "tolerance": 1e-8, "max_iterations": 100}  # that of MuJoCo's ladder
OTHERS: tuple[Settings, ...] = tuple({**FIRST, "solver": solver, "tolerance": 1e-4} for solver in ("newton", "cg"))


@dataclass(frozen=True)
class Creep:
    """Ladders of both and the two entries that are compared."""

    scenario: str
    duration: float  # [s]
    link: int
    our_limit: float  # [m], distance
    peer_limit: float  # [m]; MuJoCo still creeps at the finest dt, so that its true error is larger than it seems
    our_ladder: tuple[SpaceRung, ...]
    peer_ladder: tuple[SpaceRung, ...]
    ours: SpaceEntry | None  # the fastest with at most the error of the peer's entry
    peer: SpaceEntry | None  # the fastest with the smallest error that the peer reaches

    @property
    def ratio(self) -> float | None:
        """The peer's wall time over ours."""
        return wall_ratio(self.peer, self.ours)


def creep(case: Case, say: Say, ladder: Sequence[float] = LADDER, rounds: int = ROUNDS) -> Creep:
    """Measure both ladders, then the two that are compared, interleaved."""
    say(f"{case.name}: ladder of {OURS}")
    Runner(OURS, OUR_SETTINGS[0], [case]).run(max(ladder), case)  # compiles, if nobody has done so yet
    our_ladder, our_limit = judged(Runner(OURS, OUR_SETTINGS[0], [case]), ladder)
    peer_ladder, peer_limit, peer = tuple[SpaceRung, ...](), nan, None
    if has_peer():
        say(f"{case.name}: ladder of {PEER}")
        peer_ladder, peer_limit = judged(Runner(PEER, FIRST, [case]), ladder)
        peer = best_of_peer(case, peer_ladder, peer_limit)
    ours = fastest_within(our_ladder, nan if peer is None else peer.rung.error)
    if ours is not None and peer is not None:
        say(f"{case.name}: best of {rounds}")
        again = {e.plant: e for e in timed_again(case, [ours, peer], rounds)}
        ours, peer = again[OURS], again[PEER]
    duration = case.scenario.duration
    return Creep(case.name, duration, case.link, our_limit, peer_limit, our_ladder, peer_ladder, ours, peer)


def judged(runner: Runner, ladder: Sequence[float]) -> tuple[tuple[SpaceRung, ...], float]:
    """A run at every dt, each judged by the mean of the finest."""
    runs = [(dt, *runner.run(dt, runner.cases[0])) for dt in sorted(ladder, reverse=True)]
    limit = limit_of([way for _, way, _ in runs])
    return tuple(SpaceRung(dt, way, relative_error(way, limit), seconds) for dt, way, seconds in runs), limit


def best_of_peer(case: Case, ladder: Sequence[SpaceRung], limit: float) -> SpaceEntry | None:
    """The fastest run that is about as accurate as the most accurate one.

    The two finest rungs are equally far from their mean; the cheaper of them counts, with the fastest solver.
    """
    finest = min((rung.error for rung in ladder), default=nan)
    near = [rung for rung in ladder if rung.error <= finest * (1 + 1e-6)]
    if not near:
        return None
    rung = max(near, key=lambda r: r.dt)
    entries = [SpaceEntry(PEER, FIRST, rung)]
    entries += [SpaceEntry(PEER, s, Runner(PEER, s, [case], limit).rung(rung.dt)) for s in OTHERS]
    accurate = [e for e in entries if e.rung.error <= SLACK * finest]
    return min(accurate, key=lambda e: e.rung.wall_time_s)


def fastest_within(ladder: Sequence[SpaceRung], error: float) -> SpaceEntry | None:
    """The fastest of our rungs with at most this error."""
    good = [rung for rung in ladder if rung.error <= error]
    rung = min(good, key=lambda r: r.wall_time_s, default=None)
    return None if rung is None else SpaceEntry(OURS, OUR_SETTINGS[0], rung)
