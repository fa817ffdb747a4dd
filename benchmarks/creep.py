"""Ours against MuJoCo where MuJoCo creeps and reaches no limit: compared at the smallest error that it has.

Both ladders are single runs with the first settings, and give the limits too. The peer's entry is its most accurate run
with the fastest of its settings; ours is the fastest rung with at most that error. Only these two are timed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite

from benchmarks.case import Case, Say, Settings
from benchmarks.contest import Contender, Contest, Entry, Rung, concluded, has_peer, timed_again
from benchmarks.runs import PEER, job
from benchmarks.timing import timed

SLACK = 1.2  # a looser solver of the peer may have so many times the error of its best run


def creep(case: Case, say: Say) -> Contest:
    """Measure both ladders, then the two entries that are compared."""
    say(f"{case.name}, {case.what}: ladder of {case.ours}")
    job(case, case.ours, case.our_settings[0], max(case.ladder))()  # compiles, if nobody has done so yet
    us, our_ladder = judged(case, case.ours, case.our_settings[0])
    if not has_peer():
        return concluded(case, [us.limit], [us.side(fastest_within(us, our_ladder, inf), our_ladder)])
    say(f"{case.name}: ladder of {PEER}")
    peers, peer_ladder = judged(case, PEER, case.peer_settings[0])
    peer = best_of_peer(peers, peer_ladder)
    ours = fastest_within(us, our_ladder, inf if peer is None else peer.rung.error)
    if ours is not None and peer is not None:
        say(f"{case.name}: best of {case.timing.final}")
        again = {entry.plant: entry for entry in timed_again(case, [ours, peer], case.timing.final)}
        ours, peer = again[case.ours], again[PEER]
    return concluded(case, [us.limit, peers.limit], [us.side(ours, our_ladder), peers.side(peer, peer_ladder)])


def judged(case: Case, plant: str, settings: Settings) -> tuple[Contender, list[Rung]]:
    """A run at every dt, each judged by the limit that they give."""
    runs = [(dt, *timed(job(case, plant, settings, dt))) for dt in sorted(case.ladder, reverse=True)]
    who = Contender(plant, settings, [case], case.judge.limit([result for _, result, _ in runs]))
    return who, [who.judged(*run) for run in runs]


def best_of_peer(who: Contender, ladder: Sequence[Rung]) -> Entry | None:
    """The fastest run that is about as accurate as the most accurate one.

    The two finest rungs are equally far from their mean; the cheaper of them counts, with the fastest solver.
    """
    finest = min(rung.error for rung in ladder)
    if not isfinite(finest):
        return None
    rung = max((rung for rung in ladder if rung.error <= finest * (1 + 1e-6)), key=lambda rung: rung.dt)
    others = [replace(who, settings=settings) for settings in who.case.peer_settings[1:]]
    entries = [Entry(PEER, who.settings, rung), *(Entry(PEER, o.settings, o.rung(rung.dt)) for o in others)]
    accurate = [entry for entry in entries if entry.rung.error <= SLACK * finest]
    return min(accurate, key=lambda entry: entry.rung.wall_time_s)


def fastest_within(who: Contender, ladder: Sequence[Rung], error: float) -> Entry | None:
    """The fastest of our rungs with at most this error."""
    good = [rung for rung in ladder if isfinite(rung.error) and rung.error <= error]
    rung = min(good, key=lambda rung: rung.wall_time_s, default=None)
    return None if rung is None else Entry(who.plant, who.settings, rung)
