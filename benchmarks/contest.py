"""Ours against MuJoCo at equal accuracy: the same run, each plant with its best settings, in the same minute.

1. Each plant's own limit of small steps says what is exact.
2. Screening: every setting of a plant goes down the ladder of step sizes to the largest dt that is accurate, and is
   timed there.
3. Final: the fastest few settings of both plants are timed together. The fastest of each wins, and the peer's time over
   ours is the ratio.
4. Ladders: the two winners at all step sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import inf, isfinite

from benchmarks.case import Case, Say, Settings
from benchmarks.judge import Result, length
from benchmarks.requirement import Requirement, required
from benchmarks.runs import PEER, around, job
from benchmarks.timing import interleaved_best, timed


@dataclass(frozen=True)
class Rung:
    """One step size of a ladder."""

    dt: float  # [s]
    end: tuple[float, float] | None  # [m], last row of what is compared; None if the run failed
    error: float  # to the own limit, the worst of all starts; infinite if a run failed
    wall_time_s: float


@dataclass(frozen=True)
class Entry:
    """One plant with its settings at one dt."""

    plant: str
    settings: Settings
    rung: Rung


@dataclass(frozen=True)
class Side:
    """What one plant achieved."""

    plant: str
    limit: float | None  # [m], distance; None if paths are compared
    entry: Entry | None  # the winner's; None if no setting was accurate
    ladder: tuple[Rung, ...]
    tried: tuple[Entry, ...]  # every setting that was accurate, with times of the screening


@dataclass(frozen=True)
class Contest:
    """The result of one case. Without MuJoCo, or if nothing was accurate, there is no ratio."""

    scenario: str
    what: str  # was compared
    compared: str  # path or distance: the errors are in metres or relative
    accuracy: float
    duration: float  # [s]
    link: int
    ours: Side
    peer: Side | None
    limits_apart: float | None  # error of the peer's limit by ours
    ratio: float | None  # the peer's wall time over ours
    ratio_alternating: float | None  # the same where every run comes straight after one of the other
    real_time_factor: float | None  # simulated over our wall time
    required_ratio: float | None
    required_real_time: float | None

    @property
    def requirements(self) -> list[Requirement]:
        """Nothing accurate at any dt misses them too."""
        factors = {
            "simulated over wall time": (self.real_time_factor, self.required_real_time),
            "MuJoCo's time over ours": (self.ratio, self.required_ratio),
        }
        return [
            required(f"{self.scenario}: {what}", value, ">=", least, failed=self.ours.entry is None)
            for what, (value, least) in factors.items()
            if least is not None
        ]


@dataclass(frozen=True)
class Contender:
    """One plant with its settings, and the limit that it is judged by."""

    plant: str
    settings: Settings
    starts: Sequence[Case]  # the case from all start poses, the scenario's own first
    limit: Result

    @property
    def case(self) -> Case:
        return self.starts[0]

    def rung(self, dt: float, enough: float = inf) -> Rung:
        """A run from every start, up to the first whose error is beyond `enough`; the wall time is the first one's."""
        found = self.judged(dt, *timed(job(self.case, self.plant, self.settings, dt)))
        error = found.error
        for start in self.starts[1:]:
            if error > enough or not isfinite(error):
                break
            result = job(start, self.plant, self.settings, dt)()
            error = max(error, self.case.judge.error(result, self.limit))
        return replace(found, error=error)

    def judged(self, dt: float, result: Result, seconds: float) -> Rung:
        x, y = result[-1].tolist()
        return Rung(dt, (x, y) if isfinite(x) else None, self.case.judge.error(result, self.limit), seconds)

    def entry(self) -> Entry | None:
        """Down the ladder to the first dt that is accurate."""
        accuracy = self.case.judge.accuracy
        for dt in sorted(self.case.ladder, reverse=True):
            rung = self.rung(dt, enough=accuracy)
            if rung.error <= accuracy:
                return Entry(self.plant, self.settings, rung)
        return None

    def side(self, entry: Entry | None, ladder: Sequence[Rung], tried: Sequence[Entry] = ()) -> Side:
        limit = length(self.limit) if self.case.judge.compared == "distance" else None
        return Side(self.plant, limit, entry, tuple(ladder), tuple(tried))


def contest(case: Case, say: Say) -> Contest:
    """All four stages; `say` gets a line per stage."""
    say(f"{case.name}, {case.what}: limits of small steps")
    starts = around(case)
    teams = [contenders(case.ours, case.our_settings, starts)]
    if has_peer():
        teams.append(contenders(PEER, case.peer_settings, starts))
    say(f"{case.name}: {' and '.join(f'{len(team)} settings of {team[0].plant}' for team in teams)}")
    tried = [screened(team) for team in teams]
    say(f"{case.name}: best of {case.timing.final}")
    finalists = [entry for entries in tried for entry in entries[: case.timing.finalists]]
    final = timed_again(case, finalists, case.timing.final)
    winners = [next((entry for entry in final if entry.plant == team[0].plant), None) for team in teams]
    alternating = alternating_ratio(case, winners)
    say(f"{case.name}: ladders")
    firsts = [contender_of(team, winner) for team, winner in zip(teams, winners, strict=True)]
    found = zip(firsts, winners, ladders(firsts), tried, strict=True)
    sides = [who.side(winner, ladder, entries) for who, winner, ladder, entries in found]
    return concluded(case, [who.limit for who in firsts], sides, alternating)


def has_peer() -> bool:
    """Whether MuJoCo is installed."""
    return find_spec("mujoco") is not None


def contenders(plant: str, settings: Sequence[Settings], starts: Sequence[Case]) -> list[Contender]:
    """One contender per setting. All share the limit of the first, from the scenario's own start, as limits do not
    depend on the solver."""
    case = starts[0]
    job(case, plant, settings[0], case.scenario.control_period)()  # compiles, if nobody has done so yet
    steps = case.judge.limit_steps(case.ladder)
    limit = case.judge.limit([job(case, plant, settings[0], dt)() for dt in steps])
    return [Contender(plant, each, starts, limit) for each in settings]


def screened(team: Sequence[Contender]) -> list[Entry]:
    """All that are accurate somewhere on the ladder, the fastest first."""
    case, found = team[0].case, [entry for who in team if (entry := who.entry()) is not None]
    return timed_again(case, found, case.timing.screening)


def timed_again(case: Case, entries: Sequence[Entry], repeats: int) -> list[Entry]:
    """The same entries with wall times of runs in turns, the fastest first."""
    best = case.timing.best([job(case, e.plant, e.settings, e.rung.dt) for e in entries], repeats)
    again = [replace(e, rung=replace(e.rung, wall_time_s=t)) for e, t in zip(entries, best, strict=True)]
    return sorted(again, key=lambda e: e.rung.wall_time_s)


def alternating_ratio(case: Case, winners: Sequence[Entry | None]) -> float | None:
    """Ratio of the winners' best times if each finds the processor's caches as the other leaves them."""
    present = [winner for winner in winners if winner is not None]
    if len(present) < 2 or case.timing.alternating == 0:
        return None
    jobs = [job(case, e.plant, e.settings, e.rung.dt) for e in present]
    our_time, peer_time = interleaved_best(jobs, case.timing.alternating)
    return peer_time / our_time


def contender_of(team: Sequence[Contender], entry: Entry | None) -> Contender:
    """Whose entry it was; the first if nothing was accurate."""
    return next((who for who in team if entry is not None and who.settings == entry.settings), team[0])


def ladders(who: Sequence[Contender]) -> list[tuple[Rung, ...]]:
    """All rungs of all contenders."""
    return list(zip(*(rungs_at(dt, who) for dt in who[0].case.ladder), strict=True))


def rungs_at(dt: float, who: Sequence[Contender]) -> list[Rung]:
    """One rung of each with wall times of runs in turns; where dt is small, of a single run from the own start."""
    case = who[0].case
    repeats = case.timing.ladder(dt)
    if repeats == 0:
        return [replace(each, starts=[case]).rung(dt) for each in who]
    rungs = [each.rung(dt) for each in who]
    best = case.timing.best([job(case, each.plant, each.settings, dt) for each in who], repeats)
    return [replace(rung, wall_time_s=seconds) for rung, seconds in zip(rungs, best, strict=True)]


def concluded(case: Case, limits: Sequence[Result], sides: Sequence[Side], alternating: float | None = None) -> Contest:
    """The ratio, and all that belongs to it; ours comes first, and the peer may be missing."""
    ours, peer = sides[0], sides[1] if len(sides) > 1 else None
    our_time, peer_time = (None if s is None or s.entry is None else s.entry.rung.wall_time_s for s in (ours, peer))
    return Contest(
        scenario=case.name,
        what=case.what,
        compared=case.judge.compared,
        accuracy=case.judge.accuracy,
        duration=case.scenario.duration,
        link=case.link,
        ours=ours,
        peer=peer,
        limits_apart=case.judge.error(limits[1], limits[0]) if len(limits) > 1 else None,
        ratio=None if our_time is None or peer_time is None else peer_time / our_time,
        ratio_alternating=alternating,
        real_time_factor=None if our_time is None else case.scenario.duration / our_time,
        required_ratio=case.required_ratio,
        required_real_time=case.required_real_time,
    )
