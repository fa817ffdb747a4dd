"""The one loop: from one tick to the next, by a table of commands, a compiled controller, or one in Python."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from pushpoint._interrupts import Stop
from pushpoint.control import ControlEvent, Controller, ControllerState, Knowing, OpenLoop
from pushpoint.errors import InvalidInput, PushpointError
from pushpoint.recording import Checkpoint, Recording
from pushpoint.sensors._suite import Memory
from pushpoint.simulation import _user_results
from pushpoint.simulation._recorded import STOPPED, new_room, recording_of
from pushpoint.simulation._resuming import checked_rows, refuse_clock, refuse_foreign
from pushpoint.simulation.setup import Setup
from pushpoint.types import Command, CommandTable, Failure, FloatArray, Map, Observation

if TYPE_CHECKING:  # only where they are used, with the compiler or with conditions
    from pushpoint.control.compiled import InPlant
    from pushpoint.feedback import CompiledLoop
    from pushpoint.plants._compiled import CompiledPlant
    from pushpoint.simulation._stopping import Conditions, Met

TABLE_SIZE = 1_000_000  # commands of one kind in a table at most
CHUNK_WALL_TIME = 0.2  # [s], of a call of the plant: between updates of the progress bar, and until signals act
FIRST_CHUNK = 200_000  # steps of links in the first call: 0.02 to 0.2 s


@dataclass
class Parts:
    """All that changes in time during a run, but for what is recorded."""

    plant: Any
    controller: ControllerState
    sensors: Memory


class Kept(NamedTuple):
    """An instant of a run, to go back to."""

    parts: Parts
    cursor: Any  # of the tape
    done: int
    events: int
    last_reference: FloatArray


Ticks = Callable[[int], Failure | None]  # does so many ticks at most, which it adds to `done`


def copied_parts(parts: Parts) -> Parts:
    plant = parts.plant
    copied = type(plant)(*(array.copy() for array in plant)) if isinstance(plant, tuple) else deepcopy(plant)
    return Parts(copied, deepcopy(parts.controller), deepcopy(parts.sensors))


class ProgressBar(Protocol):
    """Shows how many ticks are done."""

    def update(self, ticks: int) -> None: ...


class Run:
    """The part of a run from one tick to the end of its scenario."""

    def __init__(
        self,
        setup: Setup,
        parts: Parts,
        first_tick: int,
        ticks_since_row: int,
    ) -> None:
        self.setup, self.parts, self._period = setup, parts, setup.scenario.control_period
        self.first_tick, self.ticks_since_row = first_tick, ticks_since_row
        self.ticks = setup.ticks - first_tick
        rows = 1 + (ticks_since_row + self.ticks) // setup.ticks_per_row
        self.tape, self.reference = new_room(setup, rows, self.ticks)  # reference: [rad], in force at each row
        self.tape.cursor[0].ticks = ticks_since_row
        self.last_reference = np.zeros(setup.joints)
        self.events: list[ControlEvent] = []
        self.known: list[tuple[float, Map]] = []  # [s], and what the controller believed in then
        self.wall_time_s = 0.0
        self.done, self.stop = 0, Stop()  # ticks since first_tick
        self.conditions: Conditions | None = None
        self.met: Met | None = None  # the condition that ended the run
        self._has_first_reference = self._resumed = False
        self._checked_rows = 1  # the first one is the start
        self.chunk = max(1, FIRST_CHUNK // (setup.substeps * setup.bodies))  # ticks of a call of the plant
        self._row = np.zeros((len(CommandTable._fields), 1, setup.joints))
        self._flat_row = self._row.ravel()  # a view
        self._one = CommandTable(*self._row)  # the same, as a table of one tick
        _user_results.check_state(setup.scenario.controller.name, parts.controller)

    def fork(self, ticks: int) -> Run:
        """Another run from this instant on, for at most so many ticks."""
        parts, since = copied_parts(self.parts), int(self.tape.cursor[0].ticks)
        first = self.first_tick + self.done
        setup = replace(self.setup, ticks=first + ticks)
        run = Run(setup, parts, first, since)
        run.chunk, run._resumed, run.conditions = self.chunk, True, self.conditions
        setup.plant.record_start(parts.plant, run.tape)
        return run

    def begin_with(self, checkpoint: Checkpoint) -> None:
        """Make the instant of the checkpoint the first row: a copy, if it was the last row of its part."""
        self.reference[0], row = checked_rows(checkpoint, self.tape, self.setup.joints)
        self._has_first_reference = self._resumed = True
        if row is None:
            self.setup.plant.record_start(self.parts.plant, self.tape)
            return
        self.tape.link[0], self.tape.energy[0], self.tape.extra[0] = row.link, row.energy, row.extra
        self.tape = self.tape._replace(contact=row.contact.copy())
        self.tape.cursor[0].row, self.tape.cursor[0].contact = 1, len(row.contact)

    def compile(self) -> None:
        """No tick at all: a plant that compiles does so now, outside the measured time."""
        nothing = CommandTable(*(np.zeros((0, self.setup.joints)) for _ in CommandTable._fields))
        self._advance(nothing)

    def go_on(self, until: int, bar: ProgressBar | None = None) -> Failure | None:
        """Ticks, counted from first_tick, until that number is done, a condition is met, a signal asks to stop, or the
        plant cannot go on.

        Signals are heeded between calls of the plant, each of which is short."""
        ticks = self.controller_ticks()
        one_by_one = ticks == self._in_closed_loop  # controllers in Python never go back: who knows what they remember
        while self.done < until and self.stop.signal is None and self.met is None:
            before, first = clock.perf_counter(), self.done
            kept = self.kept_instant() if self.conditions is not None and not one_by_one else None
            most = 1 if self.conditions is not None and one_by_one else self.chunk
            failure = ticks(min(most, until - first))
            if self.end_if_met(ticks, kept):
                failure = None
            if failure is not None:
                return failure
            if bar is not None:
                bar.update(self.first_tick + self.done)
            self.chunk = next_chunk(self.done - first, clock.perf_counter() - before)
        return None

    def end_if_met(self, ticks: Ticks | None = None, kept: Kept | None = None) -> bool:
        """Whether a condition holds at a row that is new; if so, the run ends there.

        Several ticks may have been done since: the run then goes back to `kept` and does by `ticks` those until it."""
        if self.conditions is None:
            return False
        last = int(self.tape.cursor[0].row)
        met = self.conditions.first_met(self.tape, self._checked_rows)
        self._checked_rows = last
        if met is None:
            return False
        ends = met.row * self.setup.ticks_per_row - self.ticks_since_row
        if kept is not None and ticks is not None and ends < self.done:
            self._go_back(kept)
            while self.done < ends:
                ticks(ends - self.done)
        self.met = met
        self.events.append(ControlEvent(self.time, STOPPED, met.why))
        return True

    def kept_instant(self) -> Kept:
        """To go back to, if a condition was met before the end of a call of the plant."""
        cursor, parts = self.tape.cursor.copy(), copied_parts(self.parts)
        return Kept(parts, cursor, self.done, len(self.events), self.last_reference.copy())

    def _go_back(self, kept: Kept) -> None:
        self.parts, self.done, self.last_reference = kept.parts, kept.done, kept.last_reference
        self.tape.cursor[:] = kept.cursor
        del self.events[kept.events :]

    def controller_ticks(self) -> Ticks:
        """How this controller is run: for a number of ticks at most, which it adds to `done`."""
        if isinstance(self.setup.controller, OpenLoop):
            return self._planned
        return self._compiled if self.setup.runs_compiled else self._in_closed_loop

    @property
    def in_one_call(self) -> bool:
        """Whether a call of the plant makes many ticks: commands are known ahead, or the controller is compiled."""
        return isinstance(self.setup.controller, OpenLoop) or self.setup.runs_compiled

    def prepare(self, ticks: int) -> tuple[CommandTable, CompiledLoop | None]:
        """For a call of the plant that makes at most so many of the next ticks: a table of moderate size, and the
        compiled controller that fills it, if there is one."""
        controller = self.setup.controller
        ticks = min(ticks, max(1, TABLE_SIZE // max(1, self.setup.joints)))
        if not isinstance(controller, OpenLoop):
            decides = cast("InPlant", controller)
            ticks = min(ticks, decides.most_ticks)
            loop = decides.loop(self.parts.controller, self.first_tick + self.done, ticks)
            return CommandTable(*np.zeros((3, ticks, self.setup.joints))), loop
        times = np.arange(self.done, self.done + ticks, dtype=np.float64) + self.first_tick
        with self.stop.in_code_of_users:
            planned = controller.table(times * self._period)
        table = _user_results.table(self.setup.scenario.controller.name, planned)
        self._check(table)
        return table, None

    def conclude(self, table: CommandTable, loop: CompiledLoop | None) -> None:
        """After that call: keep what it left but for the tape; `done` is for the caller to count."""
        if loop is None:
            self._keep_references(table)
            return
        controller = cast("InPlant", self.setup.controller)
        self._check(table)
        self._keep_references(table)
        self.parts.controller = controller.after(loop, self.parts.controller)
        self.events.extend(controller.events(loop, self.parts.controller))

    def _planned(self, ticks: int) -> Failure | None:
        """All commands are known: one call of the plant."""
        table, _ = self.prepare(ticks)
        failure = self._advance(table)
        self.done += len(table.joint_angle)
        return failure

    def _compiled(self, ticks: int) -> Failure | None:
        """The controller is compiled, too: one call of the plant, with a table that the controller fills."""
        plant, (table, loop) = cast("CompiledPlant", self.setup.plant), self.prepare(ticks)
        self.tape, failure = plant.rollout(self.parts.plant, table, self.setup.substeps, self.tape, loop)
        self.conclude(table, loop)
        self.done += len(table.joint_angle)
        return failure

    def _in_closed_loop(self, ticks: int) -> Failure | None:
        """Observe, decide, advance; tick by tick, until a signal asks to stop."""
        stop, controller, until = self.stop, self.setup.controller, self.done + ticks
        while self.done < until and stop.signal is None:
            with stop.in_code_of_users:
                command = self._decide(controller, self.observe(), first=self.done == 0)
            failure = self.obey(command)
            self.done += 1
            if failure is not None:
                return failure
        return None

    def observe(self) -> Observation:
        """What the controller gets at the next tick."""
        return self.setup.observe(self.parts.plant, self.parts.sensors, self.first_tick + self.done)

    def obey(self, command: Command) -> Failure | None:
        """A tick with that command; `done` is for the caller to count."""
        self._fill(command)
        return self._advance(self._one)

    def _fill(self, command: Command) -> None:
        """The row of three tables from a command, checked."""
        angle, rate, torque = given = _user_results.numbers(self.setup.scenario.controller.name, command)
        row, flat = self._row, self._flat_row
        if angle.shape == rate.shape == torque.shape == (self.setup.joints,):
            row[0, 0], row[1, 0], row[2, 0] = given
            if isfinite(flat.dot(flat)):
                return
        self._check(CommandTable(*(values[np.newaxis] for values in given)))

    def _decide(self, controller: Controller, obs: Observation, first: bool) -> Command:
        """One step of the controller. What it cannot do with a state from a checkpoint is the checkpoint's fault."""
        try:
            found = controller.step(self.parts.controller, obs)
        except PushpointError:
            raise
        except Exception as error:
            if not (first and self._resumed):
                raise
            what = f"checkpoint, state of controller {self.setup.scenario.controller.name!r}"
            raise InvalidInput(f"{what}: it cannot go on from it ({type(error).__name__}: {error})") from error
        name = self.setup.scenario.controller.name
        self.parts.controller, command, events = _user_results.stepped(name, found)
        if events:
            self.events.extend(events)
            if isinstance(controller, Knowing) and callable(controller.known):
                known = _user_results.known(name, controller.known(self.parts.controller, obs))
                self.known.append((obs.time, known))
        return command

    def _advance(self, table: CommandTable) -> Failure | None:
        """Let the plant do the ticks of the table."""
        self._keep_references(table)
        self.tape, failure = self.setup.plant.rollout(self.parts.plant, table, self.setup.substeps, self.tape)
        return failure

    def _keep_references(self, table: CommandTable) -> None:
        """What the rows need of the table: the references at their times. The plant extrapolates with the rate."""
        ticks = len(table.joint_angle)
        if ticks == 0:
            return
        if not self._has_first_reference:
            self.reference[0], self._has_first_reference = table.joint_angle[0], True
        every, before, period = self.setup.ticks_per_row, self.ticks_since_row + self.done, self._period
        self.last_reference = table.joint_angle[-1] + period * table.joint_rate[-1]
        if before % every + ticks < every:
            return  # no row is due
        due = slice(every - 1 - before % every, None, every)  # of the ticks, those that end a row
        row, ends = before // every + 1, table.joint_angle[due] + period * table.joint_rate[due]
        self.reference[row : row + len(ends)] = ends

    def _check(self, table: CommandTable) -> None:
        """Of the ticks from here on."""
        scenario, period = self.setup.scenario, self._period
        _user_results.check_table(
            scenario.controller.name, table, self.setup.joints, (self.first_tick + self.done, period)
        )

    def recording(self, failure: Failure | None = None, resumable: bool = True) -> Recording:
        """What was recorded until now, with a checkpoint if the run can go on from here."""
        return recording_of(self, failure, resumable)

    @property
    def time(self) -> float:
        """Since t = 0 [s]."""
        return (self.first_tick + self.done) * self._period

    def message(self, failure: Failure) -> str:
        return failure_message(self.setup.scenario.plant.name, failure)


def begin(setup: Setup) -> Run:
    """A run at t = 0."""
    state, sensed = setup.plant.initial_state(setup.start_pose()), Memory()
    memory = setup.controller.start(setup.observe(state, dict(sensed), tick=0))
    run = Run(setup, Parts(state, memory, sensed), first_tick=0, ticks_since_row=0)
    setup.plant.record_start(state, run.tape)
    run.conditions = setup.conditions(state)
    return run


def go_on_from(checkpoint: Checkpoint, setup: Setup) -> Run:
    """A run at the instant of a checkpoint, which has to belong to it."""
    refuse_foreign(checkpoint, setup.made_for)
    state = setup.plant.restore(checkpoint.plant)
    refuse_clock(checkpoint, setup.ticks_per_row, setup.plant.snapshot(state).time)
    parts = Parts(state, *setup.memories_from(checkpoint))
    run = Run(setup, parts, checkpoint.tick, checkpoint.ticks_since_row)
    run.begin_with(checkpoint)
    conditions = setup.conditions(setup.plant.initial_state(setup.start_pose()))
    run.conditions = conditions and conditions.without_those_met(run.tape)
    return run


def failure_message(plant: str, failure: Failure) -> str:
    """For people."""
    return (
        f"{plant} stopped at t = {failure.time:.6g} s: {failure.status.name} "
        f"at link {failure.link}, residual {failure.residual:.3g}; {failure.advice}"
    )


def next_chunk(ticks: int, wall_time: float) -> int:
    """As many ticks as take about CHUNK_WALL_TIME, approached from below."""
    return max(1, min(4 * ticks, round(ticks * CHUNK_WALL_TIME / max(wall_time, 1e-6))))
