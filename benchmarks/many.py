"""Many robots at once on threads: how much threads gain, against MuJoCo's own rollouts, and in clutter."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from benchmarks.case import Say, Settings
from benchmarks.contest import Contest, has_peer
from benchmarks.planar import DURATION, OURS
from benchmarks.requirement import Requirement, required
from benchmarks.runs import PEER, empty_trace, prepare
from benchmarks.timing import interleaved_best, timed
from pushpoint._jit import entry_point
from pushpoint.batch import Batch, in_one_piece
from pushpoint.control.compiled import CompiledController
from pushpoint.plants._compiled import CompiledPlant, Rollout
from pushpoint.plants._many import Crew, Threads
from pushpoint.plants._tape import OK
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup, begin
from pushpoint.types import Command, CommandTable

ROBOTS = 1024
TRACK, HORIZON = "transeth2008a/track", 2.0  # [s]
CLUTTER, CLUTTER_HORIZON = "liljeback2010/random", 2.0  # [s]; another field of obstacles for every robot
ROUNDS = 5
WARMING = 64  # robots in clutter that run before time is taken
SPINS = 400_000_000  # of the loop that shows what threads can gain on this machine: half a second
STEP = 1e-3  # [s], of both plants where they are compared step by step
# The settings that won on the track in an earlier run, where no contest was held in this one.
WON: tuple[Settings, Settings] = (
    {"dt": 0.05, "tolerance": 1e-3},
    {"dt": 0.025, "solver": "cg", "tolerance": 1e-4, "max_iterations": 3},
)
LEAST_GAIN, LEAST_RATIO = 0.9, 15.0


@dataclass(frozen=True)
class AgainstPeer:
    """Robot-seconds of the track per second of wall time, with as many threads each."""

    what: str  # is compared
    ours: float
    peer: float | None

    @property
    def ratio(self) -> float | None:
        return None if self.peer is None else self.ours / self.peer


@dataclass(frozen=True)
class Many:
    """All that is measured with many robots."""

    robots: int
    threads: int
    gain: float | None  # of the threads, on the track: time with one over time with all
    spin_gain: float | None  # the same of a loop that does nothing
    us_per_step: float  # of one robot, with one thread
    contests: tuple[AgainstPeer, ...]  # the first is required
    tick_ms: float  # of all robots by Batch.step, 10 ms each, with all threads
    tick_python_ms: float  # of that outside of compiled calls
    clutter_per_cpu: float  # robot-seconds per CPU second, controller included

    @property
    def requirements(self) -> list[Requirement]:
        share = None if self.gain is None or self.spin_gain is None else self.gain / self.spin_gain
        what = f"{self.robots} robots on the track"
        return [
            required(f"{what}: gain of {self.threads} threads over that of a spin loop", share, ">=", LEAST_GAIN),
            required(f"{what}: MuJoCo's time over ours", self.contests[0].ratio, ">=", LEAST_RATIO),
        ]


def many(say: Say, contests: Sequence[Contest] = (), robots: int = ROBOTS, rounds: int = ROUNDS) -> Many:
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(2, threads)
    say(f"{robots} robots on {threads} threads, best of {rounds}")
    scenario = scenarios[TRACK].with_overrides({"duration": HORIZON})
    gains = threads_gain(Fleet.of_copies(scenario, {"dt": STEP}, robots), threads, rounds)
    compared = tuple(
        against_peer(f"{what}, {horizon:g} s", horizon, settings, robots, threads, max(2, rounds // 2))
        for what, horizon, settings in compared_as(contests)
    )
    tick, outside = tick_times(scenario, robots, threads)
    return Many(robots, threads, *gains, compared, tick, outside, in_clutter(robots, threads))


def compared_as(contests: Sequence[Contest]) -> list[tuple[str, float, tuple[Settings, Settings]]]:
    """Settings that won are accurate over the time of their contest, which is what is required. In shorter runs the
    first step weighs more: from rest and so long, it is made in parts."""
    best, converged = won(contests), {"dt": STEP, "tolerance": 1e-8}
    return [
        ("each with the settings that won its contest", DURATION, best),
        ("the same", HORIZON, best),
        ("steps of 1 ms, solvers converged", HORIZON, (converged, converged)),
    ]


class Fleet:
    """Rollouts of many robots that can be repeated."""

    def __init__(self, runs: Sequence[tuple[Setup, Any, CommandTable]]) -> None:
        self.setup = runs[0][0]
        self._states, self._rollouts = [], []
        for setup, pose, table in runs:
            plant = cast(CompiledPlant, setup.plant)
            memory, state = in_one_piece(plant.initial_state(pose))
            plant.snapshot(state)  # compiles
            ticks = len(table.joint_angle)
            tape = empty_trace(setup.plant, setup.bodies, 1 + ticks, ticks * setup.substeps, setup.ticks_per_row)
            room = np.zeros((plant.contact_room(state) * 40, tape.contact.shape[1]))
            tape = tape._replace(contact=room)
            plant.record_start(state, tape)
            self._rollouts.append(Rollout(plant, state, table, setup.substeps, tape))
            self._states.append((memory, memory.copy()))
        self._cursors = [(run.tape.cursor, run.tape.cursor.copy()) for run in self._rollouts]

    @classmethod
    def of_copies(cls, scenario: Scenario, options: Settings, robots: int) -> Fleet:
        """Robots alike, each with a plant of its own."""
        first = prepare(scenario, OURS, options)
        plant = cast(Any, first.setup.plant)
        return cls([(replace(first.setup, plant=plant.twin()), first.pose, first.table) for _ in range(robots)])

    @property
    def steps(self) -> int:
        """Of one robot."""
        return self.setup.ticks * self.setup.substeps

    def on(self, threads: int) -> Callable[[], None]:
        """A job: all from the start to the end."""
        crew, everybody = Crew(self._rollouts, Threads(threads)), np.arange(len(self._rollouts))

        def job() -> None:
            for memory, start in self._states + self._cursors:
                memory[:] = start
            crew.run(everybody)
            assert (crew.results[:, 1] == OK).all()

        return job


@entry_point
def spin(times: int) -> float:
    """Keeps one processor busy, without memory."""
    x = 1.0
    for _ in range(times):
        x = x * 1.0000000001 + 1e-9
    return x


def spinning(threads: int) -> Callable[[], None]:
    group = Threads(threads)
    return partial(group.share, lambda: (spin(SPINS // threads), None)[1], threads)


def threads_gain(fleet: Fleet, threads: int, rounds: int) -> tuple[float | None, float | None, float]:
    """Gain on the track, gain of the spin loop, and time of a step with one thread [us]."""
    spin(1)
    jobs = [job for count in (1, threads) for job in (fleet.on(count), spinning(count))]
    one, one_spin, all_, all_spin = interleaved_best(jobs, rounds)
    per_step = 1e6 * one / (len(fleet._rollouts) * fleet.steps)
    if threads == 1:
        return None, None, per_step
    return one / all_, one_spin / all_spin, per_step


def won(contests: Sequence[Contest]) -> tuple[Settings, Settings]:
    """The settings of the winners of the track's contest."""
    for contest in contests:
        if contest.scenario == TRACK and contest.peer and contest.ours.entry and contest.peer.entry:
            entries = contest.ours.entry, contest.peer.entry
            ours, peer = ({**entry.settings, "dt": entry.rung.dt} for entry in entries)
            return ours, peer
    return WON


def against_peer(
    what: str, horizon: float, settings: tuple[Settings, Settings], robots: int, threads: int, rounds: int
) -> AgainstPeer:
    scenario = scenarios[TRACK].with_overrides({"duration": horizon})
    jobs = [Fleet.of_copies(scenario, settings[0], robots).on(threads)]
    if has_peer():
        jobs.append(peer_rollouts(scenario, settings[1], robots, threads))
    for job in jobs:
        job()  # compiles what only some steps need
    best = interleaved_best(jobs, rounds)
    rates = [robots * scenario.duration / seconds for seconds in best]
    return AgainstPeer(what, rates[0], rates[1] if len(rates) > 1 else None)


def peer_rollouts(scenario: Scenario, options: Settings, robots: int, threads: int) -> Callable[[], None]:
    """MuJoCo's own rollouts of the same robots with the same commands, on its own threads, which wait for work."""
    import mujoco
    from mujoco import rollout

    from pushpoint.plants.mujoco.fast import controls_of
    from pushpoint.plants.mujoco.log import without_log
    from pushpoint.plants.mujoco.plant import MujocoPlant

    setup, pose, table = prepare(scenario, PEER, {**options, "dimensions": 2})
    plant = cast(MujocoPlant, setup.plant)
    state, mj = plant.initial_state(pose), plant.engine.mj
    signal = controls_of(plant, table, setup.substeps)
    full = np.atleast_2d(plant.engine.save(state.data, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    start, warm = np.repeat(full, robots, axis=0), np.repeat(state.data.qacc_warmstart[np.newaxis], robots, axis=0)
    data = [mujoco.MjData(mj) for _ in range(threads)]

    def job() -> None:
        with without_log():
            rollout.rollout(mj, data, start, signal, nstep=len(signal), initial_warmstart=warm, persistent_pool=True)

    return job


def tick_times(scenario: Scenario, robots: int, threads: int, ticks: int = 50) -> tuple[float, float]:
    """Of one tick of all robots by `Batch.step`, and what of it is not compiled; medians [ms]."""
    setup, _, table = prepare(scenario, OURS, {"dt": STEP})
    compiled: list[float] = []
    with Batch(setup.scenario, seeds=range(robots), threads=threads) as batch:
        call = batch._crew._call

        def timed_call(*arguments: Any) -> None:
            compiled.append(timed(partial(call, *arguments))[1])

        cast(Any, batch._crew)._call = timed_call
        commands = [Command(*(column[k] for column in table)) for k in range(ticks)]
        spent = [timed(partial(batch.step, command))[1] for command in commands]
    return 1e3 * float(np.median(spent)), 1e3 * float(np.median(np.subtract(spent, compiled)))


def in_clutter(robots: int, threads: int) -> float:
    """Robot-seconds per CPU second, each among obstacles of its own, with the compiled controller for jams."""
    crew = Crew([clutter_run(seed) for seed in range(robots)], Threads(threads))
    some = Crew([clutter_run(seed) for seed in range(min(robots, WARMING))], Threads(threads))
    some.run(np.arange(len(some.rollouts)))  # compiles what only some steps need
    before = time.process_time()
    crew.run(np.arange(robots))
    return robots * CLUTTER_HORIZON / (time.process_time() - before)


def clutter_run(seed: int) -> Rollout:
    changes = {"plant": OURS, "duration": CLUTTER_HORIZON, "seed": seed}
    run = begin(Setup.of(scenarios[CLUTTER].with_overrides(changes).pinned()))
    plant, controller = cast(CompiledPlant, run.setup.plant), cast(CompiledController, run.setup.controller)
    loop, table = (
        controller.loop(run.parts.controller, 0, run.ticks),
        CommandTable(*np.zeros((3, run.ticks, run.setup.joints))),
    )
    return Rollout(plant, run.parts.plant, table, run.setup.substeps, run.tape, loop)
