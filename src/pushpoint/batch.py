"""Many runs in one's own hands: one call steps all of them, on threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from pushpoint._interrupts import noted
from pushpoint.errors import InvalidInput
from pushpoint.feedback import NUMBER, PAIR_COLUMNS, Feedback
from pushpoint.many import scenarios_of
from pushpoint.plants._compiled import CompiledPlant, Rollout
from pushpoint.plants._many import Crew, Threads, bodies_of, refuse_unequal
from pushpoint.plants._tape import OK
from pushpoint.scenario import Scenario
from pushpoint.scenarios import Source
from pushpoint.simulation import Setup, enough_memory, failure_message
from pushpoint.tape import CURSOR, new_tape
from pushpoint.types import Command, CommandTable, FloatArray, IntArray, Status

BoolArray = npt.NDArray[np.bool_]
ALIGNED = 64  # bytes, of the states in memory


class Batch:
    """Many independent runs, tick by tick, with one's own commands: for training, and for trying many inputs.

    Nothing is recorded, and there are no sensors: the observation is the truth, as one row of numbers per robot.

    Parameters
    ----------
    scenarios
        A registered name, a path to a .yaml or .json file, a `Scenario`, or a sequence of these. Plants, numbers of
        links and joints, control periods and steps per tick have to be equal; worlds, servos and durations may differ.
        They have no stop conditions.
        Plants are those that are compiled: not `mujoco`.
    overrides
        Values by dotted key: one mapping for all robots, or a sequence with one for each.
    seeds
        One for each robot.
    threads
        How many at once; default: as many as there are processors.
    **fields
        Whole fields of the scenarios, such as ``duration=5.0``.

    Examples
    --------
    >>> batch = pp.Batch("transeth2008a/flat", seeds=range(3), duration=0.1)
    >>> seen = batch.step(0.1)  # rad, for all joints of all robots
    >>> seen[:, batch.columns["joint_angle"]].shape
    (3, 10)
    >>> batch.done.tolist()
    [False, False, False]
    """

    scenarios: list[Scenario]  # of each robot, with its seed
    control_period: float  # [s]
    links: int  # of a robot
    joints: int  # joint angles of a robot
    dimensions: int  # 2: in the plane, 3: in space
    columns: dict[str, slice]  # of `observation`: where each quantity is
    observation: FloatArray  # (robots, numbers): what is seen at the present tick
    failed: BoolArray  # (robots,): whose plant could not go on
    failures: list[str]  # of each robot, why; empty if it can go on

    def __init__(
        self,
        scenarios: Source | Scenario | Sequence[Source | Scenario],
        overrides: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        *,
        seeds: Sequence[int] | None = None,
        threads: int | None = None,
        **fields: Any,
    ) -> None:
        self._threads = Threads(threads)
        self.scenarios = scenarios_of(scenarios, overrides, seeds, fields)
        first = _Robot(self.scenarios[0])
        setup, layout, count = first.setup, first.plant.layout, len(self.scenarios)
        self.control_period = setup.scenario.control_period
        self.links, self.joints, self.dimensions = layout.links, layout.joints, layout.dimensions
        self.columns = columns_of(layout.bounds, layout.dimensions)
        self._size, self._substeps = layout.size, setup.substeps
        divisor = np.ones(layout.size)  # kernels show impulses of a tick
        for name in ("joint_torque", "contact_force", "ground_force"):
            divisor[self.columns[name]] = self.control_period
        self._divisor = divisor
        # What all robots have of the same size is in common arrays.
        self._table = CommandTable(*np.zeros((3, count, 1, layout.joints)))
        self._cursor = np.zeros((count, 1), CURSOR)
        self._values = np.zeros((count, len(first.plant.feedback.values)))
        self._number = np.zeros((count, 1), NUMBER)
        self._start = np.zeros((count, layout.size))  # observation
        self._ticks = np.zeros((2, count), np.int64)  # done, and at the end
        self.failed = np.zeros(count, bool)
        self.failures = [""] * count
        self._robots: list[_Robot] = [first] * count
        for k, scenario in enumerate(self.scenarios):
            self._place(k, first if k == 0 else _Robot(scenario))
        refuse_unequal([robot.plant for robot in self._robots])
        self._crew = Crew([robot.rollout for robot in self._robots], self._threads)
        self._everybody = np.arange(count)
        self.observation = self._start.copy()

    def _place(self, k: int, robot: _Robot) -> None:
        """Let a robot be number k."""
        self._refuse_other(k, robot.setup)
        self._robots[k], self._ticks[:, k] = robot, (0, robot.setup.ticks)
        self._number[k], values = robot.plant.feedback.number, robot.plant.feedback.values
        table = CommandTable(*(column[k] for column in self._table))
        self._cursor[k] = np.zeros(1, CURSOR)
        self._cursor[k]["ticks_per_row"] = robot.setup.ticks_per_row
        refuse_unequal([self._robots[0].plant, robot.plant])
        self._values[k] = values
        feedback = Feedback(
            self._number[k],
            self._values[k],
            np.zeros((len(robot.plant.feedback.pairs), PAIR_COLUMNS[self.dimensions])),
            np.zeros((0, 2)),
        )
        self._start[k] = robot.begin(table, self._cursor[k], feedback) / self._divisor

    def _refuse_other(self, k: int, setup: Setup) -> None:
        for name, own, first in (
            ("control_period", setup.scenario.control_period, self.control_period),
            ("steps per tick", setup.substeps, self._substeps),
        ):
            if own != first:
                raise InvalidInput(f"robot 0 has {name} = {first:g}, robot {k} has {own:g}: should be the same")

    def __len__(self) -> int:
        return len(self.scenarios)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the threads; they come back if they are needed."""
        self._threads.close()

    @property
    def time(self) -> FloatArray:
        """Since the start [s], (robots,)."""
        time: FloatArray = self._ticks[0] * self.control_period
        return time

    @property
    def done(self) -> BoolArray:
        """Whose duration is over, or whose plant could not go on, (robots,)."""
        done: BoolArray = self.failed | (self._ticks[0] >= self._ticks[1])
        return done

    def reset(self, indices: Any = None, seeds: Sequence[int] | None = None) -> FloatArray:
        """Begin anew, all robots or some.

        Parameters
        ----------
        indices
            Numbers of robots, or a mask; all by default.
        seeds
            One for each of them: new worlds and starts, which have to be built. Without, the start is a copy.

        Returns
        -------
        FloatArray
            What is seen of all robots, as `observation`.
        """
        which = self._chosen(indices)
        if seeds is not None:
            if len(seeds) != len(which):
                raise InvalidInput(f"{len(seeds)} seeds for {len(which)} robots: give one each")
            for k, seed in zip(which.tolist(), seeds, strict=True):
                self._rebuild(k, int(seed))
        for k in which.tolist():
            self._robots[k].restart()
            self._crew.check(k)
            self.failures[k] = ""
        self._ticks[0, which] = 0
        self._cursor["ticks"][which] = 0
        self.failed = self.failed.copy()
        self.failed[which] = False
        self.observation = self.observation.copy()
        self.observation[which] = self._start[which]
        return self.observation

    def _chosen(self, indices: Any) -> IntArray:
        if indices is None:
            return self._everybody
        chosen = np.atleast_1d(np.asarray(indices))
        if chosen.dtype == bool and chosen.shape == (len(self),):
            return np.flatnonzero(chosen)
        whole = chosen.size == 0 or np.issubdtype(chosen.dtype, np.integer)
        if chosen.ndim != 1 or not whole or (chosen.size and not 0 <= chosen.min() <= chosen.max() < len(self)):
            raise InvalidInput(
                f"indices = {indices!r}: should be whole numbers from 0 to {len(self) - 1}, or a mask of {len(self)}"
            )
        return chosen.astype(np.int64)

    def _rebuild(self, k: int, seed: int) -> None:
        if seed == self.scenarios[k].seed:
            return
        scenario = self.scenarios[k].with_overrides({"seed": seed}).pinned()
        robot = _Robot(scenario)
        self._place(k, robot)
        self.scenarios[k] = scenario
        self._crew.rollouts[k] = robot.rollout
        self._crew.load(k)

    def step(self, commands: Command | npt.ArrayLike) -> FloatArray:
        """One control tick of all robots that are not done.

        Parameters
        ----------
        commands
            Joint angles [rad], one number, one per joint, or an array of shape (robots, joints); or a `Command` of such
            arrays.

        Returns
        -------
        FloatArray
            What is seen at its end, (robots, numbers): see `columns`. Forces and torques are means over the tick. Rows
            of robots that are done stay as they are.
        """
        self._command(commands)
        done = self.done
        active = np.flatnonzero(~done) if done.any() else self._everybody
        if len(active) == 0:
            return self.observation
        cursor = self._cursor
        cursor["row"] = cursor["contact"] = cursor["step"] = cursor["event"] = 0
        with noted() as stop:
            self._crew.run(active)
        bad = active[self._crew.results[active, 1] != OK]
        self._ticks[0, active] += 1
        seen = self._values[:, : self._size] / self._divisor
        if len(active) < len(self):
            seen[done] = self.observation[done]
        if len(bad):
            self._note_failures(bad.tolist())
            seen[bad] = self.observation[bad]
        self.observation = seen
        stop.raise_if_asked()
        return seen

    def _command(self, commands: Command | npt.ArrayLike) -> None:
        table = self._table
        if not isinstance(commands, Command):
            self._fill(table.joint_angle, commands, "joint_angle")
            table.joint_rate[:] = table.torque[:] = 0.0
            return
        for name, column in zip(CommandTable._fields, table, strict=True):
            self._fill(column, getattr(commands, name), name)

    def _fill(self, column: FloatArray, given: Any, name: str) -> None:
        values = np.asarray(given, dtype=float)
        try:
            whole = np.broadcast_to(values, (len(self), self.joints))
        except ValueError:
            raise InvalidInput(
                f"{name} of shape {values.shape}; should be ({len(self)}, {self.joints}): robots and joints"
            ) from None
        if not np.isfinite(values).all():
            robot, joint = np.argwhere(~np.isfinite(whole))[0]
            value = whole[robot, joint]
            raise InvalidInput(f"{name} = {value} for joint {joint} of robot {robot}; it has to be finite")
        column[:, 0] = whole

    def _note_failures(self, which: list[int]) -> None:
        self.failed = self.failed.copy()
        for k in which:
            self.failed[k] = True
            robot, status = self._robots[k], Status(int(self._crew.results[k, 1]))
            failure = robot.plant.failure(robot.rollout.state, robot.rollout.tape, status)
            self.failures[k] = failure_message(self.scenarios[k].plant.name, failure)


class _Robot:
    """One run of a batch: its plant, state and tape, and the state at t = 0."""

    def __init__(self, scenario: Scenario) -> None:
        with enough_memory(scenario):
            self.setup = Setup.of(scenario)
        if scenario.stop is not None:
            raise InvalidInput(
                f"scenario {scenario.name!r} has stop conditions, which are about recorded runs; give stop=None, and "
                "reset the robots of a batch yourself"
            )
        if not isinstance(self.setup.plant, CompiledPlant):
            raise InvalidInput(
                f"scenario {scenario.name!r} is on plant {scenario.plant.name!r}, which is not compiled; a batch needs "
                "one that is, such as 'planar_stepping'"
            )
        self.plant = cast(CompiledPlant, self.setup.plant)
        self.rollout: Rollout

    def begin(self, table: CommandTable, cursor: Any, feedback: Feedback) -> FloatArray:
        """Take a place in the arrays of the batch. Returns what kernels show at t = 0."""
        plant, setup = self.plant, self.setup
        self._memory, state = in_one_piece(plant.initial_state(setup.start_pose()))
        plant.snapshot(state)
        seen = plant.feedback.values[: plant.layout.size].copy()
        extra, steps = len(plant.extra_columns), setup.substeps
        tape = new_tape(
            bodies_of(plant, state), 1, steps, 1, plant.contact_room(state), plant.layout.dimensions, extra
        )._replace(cursor=cursor)
        events = np.zeros((plant.event_room(steps), tape.event.shape[1]))
        plant.record_start(state, tape)
        self.rollout = Rollout(plant, state, table, steps, tape._replace(event=events), feedback=feedback)
        self._at_start = self._memory.copy()
        return seen

    def restart(self) -> None:
        """From t = 0 on."""
        self._memory[:] = self._at_start


def in_one_piece(state: Any) -> tuple[npt.NDArray[np.uint8], Any]:
    """A state whose arrays are parts of one array of bytes, and that array: it is copied in one go."""
    sizes = [-(-array.nbytes // ALIGNED) * ALIGNED for array in state]
    memory = np.zeros(sum(sizes) + ALIGNED, np.uint8)
    at = -memory.ctypes.data % ALIGNED
    parts = []
    for array, size in zip(state, sizes, strict=True):
        part = np.ndarray(array.shape, array.dtype, memory, at)
        part[...] = array
        parts.append(part)
        at += size
    return memory, type(state)(*parts)


def columns_of(bounds: tuple[int, ...], dimensions: int) -> dict[str, slice]:
    """Where each quantity of an observation is."""
    names = (
        "time", "joint_angle", "joint_rate", "joint_torque", "link_position",
        "link_yaw" if dimensions == 2 else "link_orientation", "link_velocity", "link_rate", "contact_force",
        "ground_force",
    )  # fmt: skip
    return {name: slice(a, b) for name, a, b in zip(names, bounds[:-1], bounds[1:], strict=True)}
