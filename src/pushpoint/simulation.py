"""The one loop: robot, world, plant and controller of a scenario, from the start pose to the recording."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from pushpoint import _user_results, limits
from pushpoint._interrupts import Stop, noted, number_of
from pushpoint._resuming import checked_rows, made_for, refuse_clock, refuse_foreign, refuse_memory
from pushpoint._start_pose import start_pose
from pushpoint.control import ControlEvent, Controller, ControllerState, OpenLoop, Planning, controllers
from pushpoint.errors import Interrupted, InvalidInput, PushpointError, SolverFailure
from pushpoint.plants import Plant, plants
from pushpoint.plants._map_models import MapModels
from pushpoint.recording import Checkpoint, Recording
from pushpoint.recording.assemble import RunClock, contact_set, data_set, event_set
from pushpoint.recording.checkpoint import LastRow
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.sensors import Mount
from pushpoint.sensors._suite import Memory, Suite
from pushpoint.tape import Tape, new_tape, tape_bytes
from pushpoint.types import Command, CommandTable, Failure, FloatArray, Observation, Pose, SpatialPose
from pushpoint.user_code import loaded_files, refuse_changed
from pushpoint.worlds import World

if TYPE_CHECKING:  # only where they are used, with the compiler or with conditions
    from pushpoint._stopping import Conditions, Met
    from pushpoint.control.compiled import CompiledController
    from pushpoint.feedback import CompiledLoop
    from pushpoint.plants._compiled import CompiledPlant

MULTIPLE_TOLERANCE = 1e-9  # relative: decimal periods are not exact in binary
STOPPED = "stop"  # name of the event that says why a run ended before its duration
TABLE_SIZE = 1_000_000  # commands of one kind in a table at most
CHUNK_WALL_TIME = 0.2  # [s], of a call of the plant: between updates of the progress bar, and until signals act
FIRST_CHUNK = 200_000  # steps of links in the first call: 0.02 to 0.2 s


def simulate(
    scenario: Scenario | Path,
    overrides: Mapping[str, Any] | None = None,
    *,
    progress: bool = False,
    **fields: Any,
) -> Recording:
    """Run a scenario (or the YAML file of one) and record it.

    `overrides` have dotted keys, ``{"controller.amplitude": 0.6}``; `fields` replace whole fields of the
    scenario, ``duration=5.0, plant="mujoco"``. Times in s. Raises SolverFailure, with the recording until
    then, when the plant cannot go on.
    """
    if isinstance(scenario, Path):
        scenario = Scenario.from_yaml(scenario)
    changed = scenario.with_overrides({**(overrides or {}), **fields}).pinned()
    with enough_memory(changed):
        return begin(Setup.of(changed)).to_the_end(progress)


def begin(setup: Setup) -> Run:
    """A run at t = 0."""
    state, sensed = setup.plant.initial_state(setup.start_pose()), Memory()
    memory = setup.controller.start(setup.observe(state, dict(sensed), tick=0))
    run = Run(setup, Parts(state, memory, sensed), first_tick=0, ticks_since_row=0)
    setup.plant.record_start(state, run.tape)
    run.conditions = setup.conditions(state)
    return run


@contextmanager
def enough_memory(scenario: Scenario) -> Iterator[None]:
    """Robots, worlds and runs within all limits may still be too much for a machine."""
    try:
        yield
    except MemoryError:
        raise InvalidInput(
            f"{scenario.name}: there is not enough memory for its robot, its world, or a recording of "
            f"{scenario.duration:g} s"
        ) from None


def resume(
    checkpoint: Checkpoint, duration: float | None = None, *, progress: bool = False, force: bool = False
) -> Recording:
    """Go on from a checkpoint.

    The first row of the recording is the instant of the checkpoint; all rows are equal to the bit to those
    of a run that never stopped.

    Parameters
    ----------
    checkpoint
        Of `Recording.checkpoint` or `Checkpoint.load`.
    duration
        [s], when to stop, counted from t = 0; default: the scenario's.
    progress
        Whether to show a bar on standard error, if that is a terminal.
    force
        Whether to go on with loaded files that have changed since.

    Returns
    -------
    Recording
        What happened from the checkpoint on.

    Raises
    ------
    InvalidInput
        If the checkpoint is already at `duration`, or does not belong to its scenario, or was made with another version
        of a file that is loaded.
    SolverFailure
        If the plant cannot go on.

    Examples
    --------
    >>> first = pp.simulate("transeth2008a/flat", duration=0.05)
    >>> pp.resume(first.checkpoint(), duration=0.1).data["time"].values[[0, -1]].round(6).tolist()
    [0.05, 0.1]
    """
    scenario = checkpoint.scenario
    if duration is not None:
        # By default the time between rows depends on the duration: it stays what it was.
        scenario = scenario.with_overrides({"duration": duration, "record_period": scenario.recorded_every})
    if not force:
        refuse_changed(checkpoint.code, "the checkpoint")
    setup = Setup.of(scenario)
    if setup.ticks <= checkpoint.tick:
        raise InvalidInput(
            f"duration = {scenario.duration:g} s: the checkpoint is at {checkpoint.time:g} s already; "
            "give a longer duration"
        )
    refuse_foreign(checkpoint, setup.made_for)
    state = setup.plant.restore(checkpoint.plant)
    refuse_clock(checkpoint, setup.ticks_per_row, setup.plant.snapshot(state).time)
    parts = Parts(state, *setup.memories_from(checkpoint))
    run = Run(setup, parts, checkpoint.tick, checkpoint.ticks_since_row)
    run.begin_with(checkpoint)
    conditions = setup.conditions(setup.plant.initial_state(setup.start_pose()))
    run.conditions = conditions and conditions.without_those_met(run.tape)
    return run.to_the_end(progress)


@dataclass(frozen=True)
class Setup:
    """A scenario with everything built and all periods as whole numbers."""

    scenario: Scenario
    robot: Robot
    world: World
    plant: Plant
    controller: Controller
    sensors: Suite
    substeps: int  # plant steps per control tick
    ticks: int  # control ticks from t = 0 to the end
    ticks_per_row: int
    movable: tuple[int, ...]  # indices of the obstacles that can be pushed about

    @classmethod
    def of(cls, scenario: Scenario) -> Setup:
        robot, world, period = scenario.built_robot(), scenario.built_world(), scenario.control_period
        model, policy = plants[scenario.plant.name], controllers[scenario.controller.name]
        plant_options = scenario.options_of("plant", model.Options)
        plant = model.build(robot, world, scenario.servo or robot.servo, plant_options)
        made = policy.build(scenario.options_of("controller", policy.Options), robot, period)
        controller = _user_results.built(scenario.controller.name, made)
        if isinstance(controller, Planning):
            controller.use_models(MapModels(robot, world, scenario.servo or robot.servo, period))
        return cls(
            scenario=scenario,
            robot=robot,
            world=world,
            plant=plant,
            controller=controller,
            sensors=Suite.of(scenario, controller.uses, Mount(robot, world, period)),
            substeps=whole_multiple("control_period", period, "plant.dt", plant.dt),
            ticks=whole_multiple("duration", scenario.duration, "control_period", period),
            ticks_per_row=whole_multiple("record_period", scenario.recorded_every, "control_period", period),
            movable=world.movable,
        )

    @property
    def bodies(self) -> int:
        """Links and movable obstacles."""
        return len(self.robot.links) + len(self.movable)

    @cached_property
    def joints(self) -> int:
        """How many joint angles there are: two for a cardan joint."""
        return len(self.robot.freedoms)

    @property
    def runs_compiled(self) -> bool:
        """Whether plant and controller run in one compiled call: both are compiled, and sensors show what there is."""
        return hasattr(self.controller, "loop") and hasattr(self.plant, "feedback") and self.sensors.is_exact

    @property
    def ends_by_failure(self) -> bool:
        """Whether a step that cannot be solved is one of the conditions that end the run."""
        return self.scenario.stop is not None and self.scenario.stop.failure

    @property
    def made_for(self) -> dict[str, str]:
        """What a state of this run belongs to."""
        return made_for(self.scenario.plant.name, self.robot, self.world)

    def start_pose(self) -> Pose | SpatialPose:
        """Where the robot is at t = 0."""
        return start_pose(self.scenario, self.robot, self.world, self.controller, self.plant.dimensions)

    def conditions(self, start: Any) -> Conditions | None:
        """What ends the run before its duration; `start` is the state of the plant at t = 0."""
        if self.scenario.stop is None:
            return None
        from pushpoint._stopping import Conditions

        return Conditions(self.scenario.stop, self.robot, self.plant.snapshot(start).position)

    def memories_from(self, checkpoint: Checkpoint) -> tuple[ControllerState, Memory]:
        """What controller and sensors remember in a checkpoint: copies, as they may change theirs in place."""
        sensed = Memory()
        state = self.plant.initial_state(self.start_pose())
        fresh = self.controller.start(self.observe(state, sensed, tick=0))
        name = self.scenario.controller.name
        refuse_memory(f"controller {name!r}", checkpoint.controller, fresh)
        refuse_memory("sensors", checkpoint.sensors, sensed)
        return deepcopy(checkpoint.controller), deepcopy(checkpoint.sensors)

    def observe(self, state: Any, sensed: Memory, tick: int) -> Observation:
        """What the controller gets at a tick; the memory of the sensors goes on."""
        return self.sensors.observe(self.plant.snapshot(state), sensed, tick)


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


def whole_multiple(name: str, value: float, unit_name: str, unit: float) -> int:
    """value / unit, which has to be a whole number of at least one."""
    if value / unit > limits.STEPS:
        raise InvalidInput(
            f"{name} = {value:.9g} s is more than {limits.STEPS:g} times {unit_name} = {unit:g} s; that is too many"
        )
    count = max(1, round(value / unit))
    if abs(value / unit - count) > MULTIPLE_TOLERANCE * count:
        raise InvalidInput(
            f"{name} = {value:.9g} s is not a multiple of {unit_name} = {unit:g} s; nearest {count * unit:.9g} s"
        )
    return count


def refuse_large(setup: Setup, rows: int, ticks: int) -> None:
    """Runs whose recording would not fit into memory, before any of it is asked for."""
    needed = tape_bytes(setup.bodies, rows, ticks * setup.substeps, setup.plant.dimensions) + 8 * rows * setup.joints
    if needed > limits.RECORDED_BYTES:
        raise InvalidInput(
            f"duration = {setup.scenario.duration:g} s makes {ticks} ticks of control_period = "
            f"{setup.scenario.control_period:g} s, {ticks * setup.substeps} steps and {rows} rows: {needed / 1e9:.3g} "
            f"GB of memory; should be {limits.RECORDED_BYTES / 1e9:.3g} GB at most"
        )


def _room(setup: Setup, rows: int, ticks: int) -> tuple[Tape, FloatArray]:
    """An empty tape, and room for the references at its rows."""
    steps, dimensions = ticks * setup.substeps, setup.plant.dimensions
    extra = len(setup.plant.extra_columns)
    tape = new_tape(setup.bodies, rows, steps, setup.ticks_per_row, dimensions=dimensions, extra=extra)
    return tape, np.zeros((rows, setup.joints))


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
        refuse_large(setup, rows, self.ticks)
        self.tape, self.reference = _room(setup, rows, self.ticks)  # reference: [rad], in force at each row
        self.tape.cursor[0].ticks = ticks_since_row
        self.last_reference = np.zeros(setup.joints)
        self.events: list[ControlEvent] = []
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

    def to_the_end(self, progress: bool) -> Recording:
        self.compile()
        started = clock.perf_counter()
        failure, whole = None, True
        with noted() as self.stop:
            try:
                with _progress_bar(self.setup, progress) as bar:
                    failure = self.go_on(self.ticks, bar)
            except KeyboardInterrupt as stop:  # inside of a tick: what it has changed already is not known
                self.stop.signal, whole = number_of(stop), False
            self.wall_time_s = clock.perf_counter() - started
            recording = self.recording(failure, resumable=whole)
        if failure is not None and not self.setup.ends_by_failure:
            raise SolverFailure(self.message(failure), recording)
        if self.stop.signal is not None:
            time = (self.first_tick + self.done) * self._period
            words = f"{self.setup.scenario.name} was interrupted at t = {time:.6g} s"
            raise Interrupted(words, recording, self.stop.signal)
        return recording

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
        self.events.append(ControlEvent((self.first_tick + self.done) * self._period, STOPPED, met.why))
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
            loop = cast("CompiledController", controller).loop(self.parts.controller, self.first_tick + self.done)
            return CommandTable(*np.zeros((3, ticks, self.setup.joints))), loop
        times = np.arange(self.done, self.done + ticks, dtype=np.float64) + self.first_tick
        with self.stop.in_code_of_users:
            planned = controller.table(times * self._period)
        table = _user_results.table(self.setup.scenario.controller.name, planned)
        self._check(table, self.first_tick + self.done)
        return table, None

    def conclude(self, table: CommandTable, loop: CompiledLoop | None) -> None:
        """After that call: keep what it left but for the tape; `done` is for the caller to count."""
        if loop is None:
            self._keep_references(table)
            return
        controller = cast("CompiledController", self.setup.controller)
        self._check(table, self.first_tick + self.done)
        self._keep_references(table)
        self.parts.controller = controller.unpacked(loop.state, self.parts.controller)
        for code, tick, values in loop.events:
            state = controller.unpacked(values[len(values) - len(loop.state) :], self.parts.controller)
            found = controller.describe(code, state, values)
            self.events.extend(ControlEvent(tick * self._period, name, detail) for name, detail in found)

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
        self._check(CommandTable(*(values[np.newaxis] for values in given)), self.first_tick + self.done)

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

    def _check(self, table: CommandTable, first_tick: int) -> None:
        name, period = self.setup.scenario.controller.name, self.setup.scenario.control_period
        place = controllers.place_of(name)
        for field, values in zip(CommandTable._fields, table, strict=True):
            if values.shape[1:] != (self.setup.joints,):
                raise InvalidInput(
                    f"{place}controller {name!r} gave {field} of shape {values.shape[1:]}; "
                    f"the robot has {self.setup.joints} joints"
                )
            if not np.isfinite(values).all():
                tick, joint = np.argwhere(~np.isfinite(values))[0]
                raise InvalidInput(
                    f"{place}controller {name!r} gave {field} = {values[tick, joint]} at t = "
                    f"{(first_tick + tick) * period:g} s for joint {joint}; it has to be finite"
                )

    def recording(self, failure: Failure | None = None, resumable: bool = True) -> Recording:
        """What was recorded until now, with a checkpoint if the run can go on from here."""
        rows, steps = int(self.tape.cursor[0].row), int(self.tape.cursor[0].step)
        ticks = self._row_ticks(rows)
        times = RunClock(
            row_time=ticks * self.setup.scenario.control_period,
            step_time=(self.first_tick * self.setup.substeps + np.arange(1.0, steps + 1)) * self.setup.plant.dt,
        )
        plant = self.setup.plant
        plant.complete(self.tape)
        events = sorted([*self.events, *plant.events(self.tape)], key=itemgetter(0))
        if failure is not None and self.setup.ends_by_failure:
            events.append(ControlEvent(failure.time, STOPPED, self.message(failure)))
        extra = dict(zip(plant.extra_columns, self.tape.extra[:rows].T, strict=True))
        return Recording(
            data=data_set(self.setup.robot, self.tape, times, self.reference[:rows], self.setup.movable, extra),
            contacts=contact_set(self.tape, times.row_time, len(self.setup.robot.links)),
            events=event_set(events),
            scenario=self.setup.scenario,
            failure=None if failure is None else {**asdict(failure), "status": failure.status.name},
            wall_time_s=self.wall_time_s,
            code=loaded_files(),
            _checkpoint=self._checkpoint() if failure is None and resumable else None,
        )

    def _row_ticks(self, rows: int) -> np.ndarray:
        """At which ticks, counted from t = 0, the rows were written."""
        every = self.setup.ticks_per_row
        later = self.first_tick - self.ticks_since_row + every * np.arange(1, rows, dtype=np.int64)
        return np.concatenate([[self.first_tick], later])

    def _checkpoint(self) -> Checkpoint:
        _user_results.check_state(self.setup.scenario.controller.name, self.parts.controller)
        since_row = int(self.tape.cursor[0].ticks)
        return Checkpoint(
            scenario=self.setup.scenario,
            tick=self.first_tick + self.done,
            ticks_since_row=since_row,
            plant=self.setup.plant.dump(self.parts.plant),
            controller=deepcopy(self.parts.controller),
            sensors=deepcopy(self.parts.sensors),
            reference=self.last_reference,
            last_row=self._last_row() if since_row == 0 else None,
            made_for=self.setup.made_for,
            code=loaded_files(),
        )

    def _last_row(self) -> LastRow:
        row = int(self.tape.cursor[0].row) - 1
        contact = self.tape.contact[: self.tape.cursor[0].contact]
        contact = contact[contact[:, 0] == row]  # a copy
        contact[:, 0] = 0.0  # it is row 0 of the part that continues
        link, energy, extra = (part[row].copy() for part in (self.tape.link, self.tape.energy, self.tape.extra))
        return LastRow(link, energy, contact, extra)

    def message(self, failure: Failure) -> str:
        return failure_message(self.setup.scenario.plant.name, failure)


def failure_message(plant: str, failure: Failure) -> str:
    """For people."""
    return (
        f"{plant} stopped at t = {failure.time:.6g} s: {failure.status.name} "
        f"at link {failure.link}, residual {failure.residual:.3g}; {failure.advice}"
    )


def next_chunk(ticks: int, wall_time: float) -> int:
    """As many ticks as take about CHUNK_WALL_TIME, approached from below."""
    return max(1, min(4 * ticks, round(ticks * CHUNK_WALL_TIME / max(wall_time, 1e-6))))


@contextmanager
def _progress_bar(setup: Setup, wanted: bool) -> Iterator[ProgressBar | None]:
    """A bar on standard error, if wanted and if somebody can see it."""
    import sys

    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from pushpoint._progress import SimulationBar

    with SimulationBar(setup.scenario.name, setup.ticks, setup.scenario.control_period) as bar:
        yield bar
