"""The one loop: robot, world, plant and controller of a scenario, from the start pose to the recording."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass, fields, replace
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pushpoint import limits
from pushpoint._resuming import checked_rows, made_for, refuse_clock, refuse_foreign, refuse_memory
from pushpoint.control import ControlEvent, Controller, ControllerState, Drawing, Drawn, Laid, Plannable, controllers
from pushpoint.errors import InvalidInput, PushpointError, SolverFailure
from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.pose import moving, planar_pose
from pushpoint.mechanics.rotation import headings
from pushpoint.mechanics.spatial_pose import Attitude, moving_in_space, pose_of_tail, spatial_pose, turned_by
from pushpoint.plants import Completing, Eventful, Plant, plants
from pushpoint.quantities import MOST_BEND
from pushpoint.recording import Checkpoint, Recording
from pushpoint.recording.assemble import RunClock, contact_set, data_set, event_set
from pushpoint.recording.checkpoint import LastRow, check_plain
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario, Start
from pushpoint.types import (
    Command,
    CommandTable,
    ExtraColumn,
    Failure,
    FloatArray,
    Observation,
    Pose,
    SpatialPose,
    Trace,
    new_trace,
    trace_bytes,
)
from pushpoint.worlds import World

MULTIPLE_TOLERANCE = 1e-9  # relative: decimal periods are not exact in binary
TOUCHING = 2e-9  # [m], overlaps of a start pose below this are round-off
TABLE_SIZE = 1_000_000  # commands of one kind in a table at most
JITTER_STREAM = 0x57A27  # keeps the draw of the start apart from those of worlds with the same seed
CHUNK_WALL_TIME = 0.2  # [s], between updates of the progress bar


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
    with _enough_memory(changed):
        setup = Setup.of(changed)
        state = setup.plant.initial_state(start(setup))
        obs = setup.observe(state, tick=0)
        run = Run(setup, state, setup.controller.start(obs), first_tick=0, ticks_since_row=0)
        setup.plant.record_start(state, run.trace)
        return run.to_the_end(progress)


@contextmanager
def _enough_memory(scenario: Scenario) -> Iterator[None]:
    """Robots, worlds and runs within all limits may still be too much for a machine."""
    try:
        yield
    except MemoryError:
        raise InvalidInput(
            f"{scenario.name}: there is not enough memory for its robot, its world, or a recording of "
            f"{scenario.duration:g} s"
        ) from None


def resume(checkpoint: Checkpoint, duration: float | None = None, *, progress: bool = False) -> Recording:
    """Go on from a checkpoint until `duration` [s] after t = 0 (default: the scenario's).

    The first row of the recording is the instant of the checkpoint; all rows are equal to the bit to those
    of a run that never stopped.
    """
    scenario = checkpoint.scenario
    if duration is not None:
        scenario = scenario.with_overrides({"duration": duration})
    setup = Setup.of(scenario)
    if setup.ticks <= checkpoint.tick:
        raise InvalidInput(
            f"duration = {scenario.duration:g} s: the checkpoint is at {checkpoint.time:g} s already; "
            "give a longer duration"
        )
    refuse_foreign(checkpoint, setup.made_for)
    state = setup.plant.restore(checkpoint.plant)
    own_time = setup.plant.observe(state, scenario.control_period).time
    refuse_clock(checkpoint, setup.ticks_per_row, own_time)
    memory = setup.memory_from(checkpoint)
    run = Run(setup, state, memory, checkpoint.tick, checkpoint.ticks_since_row)
    run.begin_with(checkpoint)
    return run.to_the_end(progress)


@dataclass(frozen=True)
class Setup:
    """A scenario with everything built and all periods as whole numbers."""

    scenario: Scenario
    robot: Robot
    world: World
    plant: Plant
    controller: Controller
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
        controller = policy.build(scenario.options_of("controller", policy.Options), robot, period)
        return cls(
            scenario=scenario,
            robot=robot,
            world=world,
            plant=plant,
            controller=controller,
            substeps=whole_multiple("control_period", period, "plant.dt", plant.dt),
            ticks=whole_multiple("duration", scenario.duration, "control_period", period),
            ticks_per_row=whole_multiple("record_period", scenario.recorded_every, "control_period", period),
            movable=world.movable,
        )

    @property
    def bodies(self) -> int:
        """Links and movable obstacles."""
        return len(self.robot.links) + len(self.movable)

    @property
    def joints(self) -> int:
        """How many joint angles there are: two for a cardan joint."""
        return len(self.robot.freedoms)

    @property
    def made_for(self) -> dict[str, str]:
        """What a state of this run belongs to."""
        return made_for(self.scenario.plant.name, self.robot, self.world)

    def memory_from(self, checkpoint: Checkpoint) -> ControllerState:
        """The controller's state in a checkpoint: a copy, as controllers may change theirs in place."""
        fresh = self.controller.start(self.observe(self.plant.initial_state(start(self)), tick=0))
        refuse_memory(self.scenario.controller.name, checkpoint.controller, fresh)
        return deepcopy(checkpoint.controller)

    def observe(self, state: Any, tick: int) -> Observation:
        """The observation at a tick, with the same time to the bit as in a table of commands."""
        period = self.scenario.control_period
        return replace(self.plant.observe(state, period), time=tick * period)


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


def start(setup: Setup) -> Pose | SpatialPose:
    """Where the scenario puts the robot, in the plane or in space."""
    where = start_pose if setup.plant.dimensions == 2 else spatial_start_pose
    pose = where(setup.scenario, setup.robot, setup.world, setup.controller)
    for field in fields(pose):
        if not np.isfinite(getattr(pose, field.name)).all():
            raise InvalidInput(f"start: the {field.name} of a link is not finite; are sizes or speeds too large?")
    return pose


def start_pose(scenario: Scenario, robot: Robot, world: World, controller: Controller) -> Pose:
    """Where the scenario puts the robot, in the shape that the scenario or the controller asks for."""
    start = scenario.start
    _refuse_spatial_start(start)
    angles, rates = _shape(scenario, robot, controller)
    drawing = _drawing(start, controller)
    if drawing is None:
        pose = planar_pose(robot, angles, start.angle, _start_position(scenario), start.link)
    else:
        pose = _drawn_in_plane(scenario, robot, angles, drawing)
    if start.overlap == "refuse":
        _refuse(overlaps(robot, world, pose))
    velocity_x, velocity_y, *_ = start.velocity
    return moving(robot, pose, (velocity_x, velocity_y), start.rate, rates)


def _refuse_spatial_start(start: Start) -> None:
    for name in ("height", "pitch", "roll", "spin"):
        value = getattr(start, name)
        if value:
            raise InvalidInput(f"start.{name} = {value}: only spatial plants leave the plane")
    if len(start.velocity) == 3:
        raise InvalidInput(f"start.velocity = {start.velocity}: planar plants take two values, x and y")


def spatial_start_pose(scenario: Scenario, robot: Robot, world: World, controller: Controller) -> SpatialPose:
    """Where the scenario puts the robot in space: on the ground, in the shape asked for."""
    from pushpoint.mechanics.put_down import put_down  # here, as planar runs need no solids
    from pushpoint.mechanics.spatial_overlap import spatial_overlaps

    start = scenario.start
    angles, rates = _shape(scenario, robot, controller)
    attitude, place = Attitude(start.roll, start.pitch, start.angle), (*_start_position(scenario), 0.0)
    drawing = _drawing(start, controller)
    if drawing is None:
        pose = spatial_pose(robot, angles, attitude, place, start.link)
    else:
        pose = _drawn_in_space(robot, angles, turned_by(attitude), place, start.link, drawing)
    pose = put_down(robot, world, pose, start.height)
    if start.overlap == "refuse":
        _refuse(spatial_overlaps(robot, world, pose))
    velocity = np.array([*start.velocity, 0.0][:3])
    spin = np.array([0.0, 0.0, start.rate] if start.spin is None else start.spin)
    return moving_in_space(robot, pose, velocity, spin, rates)


def _drawing(start: Start, controller: Controller) -> Drawing | None:
    """How the controller wants the robot to lie, unless the scenario gives another shape, or says where."""
    if start.joint_angle is not None:
        return None
    if isinstance(controller, Laid):
        says_where = start.link is not None or start.angle != 0.0 or start.position != (0.0, 0.0)
        return None if says_where else controller.initial_place()
    return controller.initial_drawing() if isinstance(controller, Drawn) else None


def _drawn_in_plane(scenario: Scenario, robot: Robot, angles: FloatArray, drawing: Drawing) -> Pose:
    """The drawing turned by the start's angle about its origin, and moved to the start's position."""
    start, (x, y) = scenario.start, _start_position(scenario)
    tail = float(headings(drawing.rotation)) + start.angle
    mean = tail + float(np.concatenate([[0.0], np.cumsum(angles)]).mean())
    if start.link is not None:
        return planar_pose(robot, angles, mean, (x, y), start.link)
    centre = turned_by(Attitude(heading=start.angle)) @ drawing.centre
    return planar_pose(robot, angles, mean, (x + float(centre[0]), y + float(centre[1])), 0)


def _drawn_in_space(
    robot: Robot,
    angles: FloatArray,
    turn: FloatArray,
    place: tuple[float, float, float],
    link: int | None,
    drawing: Drawing,
) -> SpatialPose:
    """The same in space."""
    tail = turn @ drawing.rotation
    if link is not None:
        return pose_of_tail(robot, angles, tail, place, link)
    x, y, z = np.asarray(place) + turn @ drawing.centre
    return pose_of_tail(robot, angles, tail, (float(x), float(y), float(z)), 0)


def _shape(scenario: Scenario, robot: Robot, controller: Controller) -> tuple[FloatArray, FloatArray]:
    """Joint angles and rates at the start."""
    start, joints = scenario.start, len(robot.freedoms)
    shape = start.joint_angle if start.joint_angle is not None else controller.initial_shape()
    last = len(robot.links) - 1
    if start.link is not None and start.link > last:
        raise InvalidInput(f"start.link = {start.link}: robot {robot.name!r} has links 0 to {last}")
    angles = _per_joint("start.joint_angle", shape, joints)
    if start.joint_angle is None:
        _refuse_bends(scenario.controller.name, angles)
    return angles, _per_joint("start.joint_rate", start.joint_rate, joints)


def _refuse_bends(controller: str, angles: FloatArray) -> None:
    """Joints that a controller wants to start beyond half a turn."""
    wide = np.flatnonzero(~(np.abs(angles) <= MOST_BEND))  # so written, NaN is wide too
    if len(wide):
        raise InvalidInput(
            f"controller {controller!r} starts with joint {wide[0]} at {angles[wide[0]]:.4g} rad; should be from -pi "
            "to pi rad; was an angle meant in degrees?"
        )


def _start_position(scenario: Scenario) -> tuple[float, float]:
    """That of the scenario [m], shifted by its jitter: the same seed gives the same shift."""
    (x, y), jitter = scenario.start.position, scenario.start.jitter
    if jitter == 0.0:
        return x, y
    shift = np.random.default_rng([scenario.seed, JITTER_STREAM]).uniform(-jitter, jitter, 2)
    return x + float(shift[0]), y + float(shift[1])


def _per_joint(name: str, values: Any, joints: int) -> FloatArray:
    array = np.zeros(joints) if values is None else np.array(values, dtype=float)
    if array.shape != (joints,):
        raise InvalidInput(f"{name} has {array.size} values; the robot has {joints} joints")
    return array


def _refuse(overlapping: list[tuple[int, int, float]]) -> None:
    deep = [row for row in overlapping if row[2] > TOUCHING]
    if deep:
        link, obstacle, depth = deep[0]
        what = f"obstacle {obstacle}" if obstacle >= 0 else "the ground"
        more = f" (and {len(deep) - 1} more)" if len(deep) > 1 else ""
        raise InvalidInput(
            f"the start pose overlaps: link {link} is {1e3 * depth:.3g} mm inside {what}{more}; "
            "move the start, or set start.overlap = 'allow' to start all the same"
        )


def refuse_large(setup: Setup, rows: int, ticks: int) -> None:
    """Runs whose recording would not fit into memory, before any of it is asked for."""
    needed = trace_bytes(setup.bodies, rows, ticks * setup.substeps, setup.plant.dimensions) + 8 * rows * setup.joints
    if needed > limits.RECORDED_BYTES:
        raise InvalidInput(
            f"duration = {setup.scenario.duration:g} s makes {ticks} ticks of control_period = "
            f"{setup.scenario.control_period:g} s, {ticks * setup.substeps} steps and {rows} rows: {needed / 1e9:.3g} "
            f"GB of memory; should be {limits.RECORDED_BYTES / 1e9:.3g} GB at most"
        )


def _room(setup: Setup, rows: int, ticks: int) -> tuple[Trace, FloatArray]:
    """An empty trace, and room for the references at its rows."""
    steps, dimensions = ticks * setup.substeps, setup.plant.dimensions
    trace = new_trace(setup.bodies, rows, steps, setup.ticks_per_row, dimensions=dimensions)
    if isinstance(setup.plant, Eventful):
        trace = trace._replace(extra=np.zeros((rows, len(setup.plant.extra_columns))))
    return trace, np.zeros((rows, setup.joints))


class ProgressBar(Protocol):
    """Shows how many ticks are done."""

    def update(self, ticks: int) -> None: ...


class Run:
    """The part of a run from one tick to the end of its scenario."""

    def __init__(
        self,
        setup: Setup,
        state: Any,
        controller_state: ControllerState,
        first_tick: int,
        ticks_since_row: int,
    ) -> None:
        self.setup, self.state, self.controller_state = setup, state, controller_state
        self.first_tick, self.ticks_since_row = first_tick, ticks_since_row
        self.ticks = setup.ticks - first_tick
        rows = 1 + (ticks_since_row + self.ticks) // setup.ticks_per_row
        refuse_large(setup, rows, self.ticks)
        self.trace, self.reference = _room(setup, rows, self.ticks)  # reference: [rad], in force at each row
        self.trace.cursor[3] = ticks_since_row
        self.last_reference = np.zeros(setup.joints)
        self.events: list[ControlEvent] = []
        self.wall_time_s = 0.0
        self._has_first_reference = self._resumed = False
        check_plain(setup.scenario.controller.name, controller_state)

    def begin_with(self, checkpoint: Checkpoint) -> None:
        """Make the instant of the checkpoint the first row: a copy, if it was the last row of its part."""
        self.reference[0], row = checked_rows(checkpoint, self.trace, self.setup.joints)
        self._has_first_reference = self._resumed = True
        if row is None:
            self.setup.plant.record_start(self.state, self.trace)
            return
        self.trace.link[0], self.trace.energy[0], self.trace.extra[0] = row.link, row.energy, row.extra
        self.trace = self.trace._replace(contact=row.contact.copy())
        self.trace.cursor[:2] = 1, len(row.contact)

    def to_the_end(self, progress: bool) -> Recording:
        nothing = CommandTable(*(np.zeros((0, self.setup.joints)) for _ in CommandTable._fields))
        self._advance(0, nothing)  # no tick at all: a plant that compiles does so now, outside the measured time
        started = clock.perf_counter()
        with _progress_bar(self.setup, progress) as bar:
            if isinstance(self.setup.controller, Plannable):
                failure = self._planned(self.setup.controller, bar)
            else:
                failure = self._in_closed_loop(bar)
        self.wall_time_s = clock.perf_counter() - started
        if failure is None:
            return self._recording(None)
        raise SolverFailure(self._message(failure), self._recording(failure))

    def _planned(self, controller: Plannable, bar: ProgressBar | None) -> Failure | None:
        """All commands are known: few calls of the plant, each with a table of moderate size."""
        most = max(1, TABLE_SIZE // max(1, self.setup.joints))
        done, chunk = 0, most if bar is None else 1
        while done < self.ticks:
            before = clock.perf_counter()
            ticks = np.arange(done, min(done + chunk, self.ticks), dtype=np.float64) + self.first_tick
            planned = controller.table(ticks * self.setup.scenario.control_period)
            table = CommandTable(*(np.ascontiguousarray(column, dtype=float) for column in planned))
            self._check(table, self.first_tick + done)
            failure = self._advance(done, table)
            if failure is not None:
                return failure
            done += len(ticks)
            if bar is not None:
                bar.update(self.first_tick + done)
                chunk = min(most, _next_chunk(chunk, clock.perf_counter() - before))
        return None

    def _in_closed_loop(self, bar: ProgressBar | None) -> Failure | None:
        """Observe, decide, advance; tick by tick."""
        controller, shown = self.setup.controller, clock.perf_counter()
        for k in range(self.ticks):
            obs = self.setup.observe(self.state, self.first_tick + k)
            command = self._decide(controller, obs, first=k == 0)
            table = CommandTable(*(np.asarray(a, dtype=float)[np.newaxis] for a in _fields(command)))
            self._check(table, self.first_tick + k)
            failure = self._advance(k, table)
            if failure is not None:
                return failure
            if bar is not None and clock.perf_counter() - shown > CHUNK_WALL_TIME:
                bar.update(self.first_tick + k + 1)
                shown = clock.perf_counter()
        return None

    def _decide(self, controller: Controller, obs: Observation, first: bool) -> Command:
        """One step of the controller. What it cannot do with a state from a checkpoint is the checkpoint's fault."""
        try:
            self.controller_state, command, events = controller.step(self.controller_state, obs)
        except PushpointError:
            raise
        except Exception as error:
            if not (first and self._resumed):
                raise
            what = f"checkpoint, state of controller {self.setup.scenario.controller.name!r}"
            raise InvalidInput(f"{what}: it cannot go on from it ({type(error).__name__}: {error})") from error
        self.events.extend(events)
        return command

    def _advance(self, begin: int, table: CommandTable) -> Failure | None:
        """Let the plant do the ticks of the table, of which `begin` is the first."""
        self._keep_references(begin, table)
        self.trace, failure = self.setup.plant.rollout(self.state, table, self.setup.substeps, self.trace)
        return failure

    def _keep_references(self, begin: int, table: CommandTable) -> None:
        """What the rows need of the table: the references at their times. The plant extrapolates with the rate."""
        ticks = len(table.joint_angle)
        if ticks == 0:
            return
        if not self._has_first_reference:
            self.reference[0], self._has_first_reference = table.joint_angle[0], True
        end = table.joint_angle + self.setup.scenario.control_period * table.joint_rate
        every, before = self.setup.ticks_per_row, self.ticks_since_row + begin
        due = end[every - 1 - before % every :: every]  # of the ticks that end a row
        row = before // every + 1
        self.reference[row : row + len(due)] = due
        self.last_reference = end[-1]

    def _check(self, table: CommandTable, first_tick: int) -> None:
        name, period = self.setup.scenario.controller.name, self.setup.scenario.control_period
        for field, values in zip(CommandTable._fields, table, strict=True):
            if values.shape[1:] != (self.setup.joints,):
                raise InvalidInput(
                    f"controller {name!r} gave {field} of shape {values.shape[1:]}; "
                    f"the robot has {self.setup.joints} joints"
                )
            if not np.isfinite(values).all():
                tick, joint = np.argwhere(~np.isfinite(values))[0]
                raise InvalidInput(
                    f"controller {name!r} gave {field} = {values[tick, joint]} at t = "
                    f"{(first_tick + tick) * period:g} s for joint {joint}; it has to be finite"
                )

    def _recording(self, failure: Failure | None) -> Recording:
        rows, _, steps = (int(n) for n in self.trace.cursor[:3])
        ticks = self._row_ticks(rows)
        times = RunClock(
            row_time=ticks * self.setup.scenario.control_period,
            step_time=(self.first_tick * self.setup.substeps + np.arange(1.0, steps + 1)) * self.setup.plant.dt,
        )
        plant, extra = self.setup.plant, dict[ExtraColumn, FloatArray]()
        if isinstance(plant, Eventful):
            if isinstance(plant, Completing):
                plant.complete(self.trace)
            self.events = sorted([*self.events, *plant.events(self.trace)], key=itemgetter(0))
            extra = dict(zip(plant.extra_columns, self.trace.extra[:rows].T, strict=True))
        return Recording(
            data=data_set(self.setup.robot, self.trace, times, self.reference[:rows], self.setup.movable, extra),
            contacts=contact_set(self.trace, times.row_time, len(self.setup.robot.links)),
            events=event_set(self.events),
            scenario=self.setup.scenario,
            failure=None if failure is None else {**asdict(failure), "status": failure.status.name},
            wall_time_s=self.wall_time_s,
            _checkpoint=None if failure is not None else self._checkpoint(),
        )

    def _row_ticks(self, rows: int) -> np.ndarray:
        """At which ticks, counted from t = 0, the rows were written."""
        every = self.setup.ticks_per_row
        later = self.first_tick - self.ticks_since_row + every * np.arange(1, rows, dtype=np.int64)
        return np.concatenate([[self.first_tick], later])

    def _checkpoint(self) -> Checkpoint:
        check_plain(self.setup.scenario.controller.name, self.controller_state)
        since_row = int(self.trace.cursor[3])
        return Checkpoint(
            scenario=self.setup.scenario,
            tick=self.setup.ticks,
            ticks_since_row=since_row,
            plant=self.setup.plant.dump(self.state),
            controller=deepcopy(self.controller_state),
            reference=self.last_reference,
            last_row=self._last_row() if since_row == 0 else None,
            made_for=self.setup.made_for,
        )

    def _last_row(self) -> LastRow:
        row = int(self.trace.cursor[0]) - 1
        contact = self.trace.contact[: self.trace.cursor[1]]
        contact = contact[contact[:, 0] == row]  # a copy
        contact[:, 0] = 0.0  # it is row 0 of the part that continues
        link, energy, extra = (part[row].copy() for part in (self.trace.link, self.trace.energy, self.trace.extra))
        return LastRow(link, energy, contact, extra)

    def _message(self, failure: Failure) -> str:
        return (
            f"{self.setup.scenario.plant.name} stopped at t = {failure.time:.6g} s: {failure.status.name} "
            f"at link {failure.link}, residual {failure.residual:.3g}; {failure.advice}"
        )


def _fields(command: Command) -> tuple[FloatArray, FloatArray, FloatArray]:
    return command.joint_angle, command.joint_rate, command.torque


def _next_chunk(ticks: int, wall_time: float) -> int:
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
