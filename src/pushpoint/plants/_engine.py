"""The base of plants on foreign engines: everything about a run but the engine's own steps.

An `Engine` steps a robot in its world and books each step in an `EngineState`: poses of the links, impulses, energies
and pairs that touch. `EnginePlant` makes a plant of it: ticks, rows of the tape, snapshots, failures, checkpoints.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.numerics.restored import MOST_COUNT, Limit, Limits, restored
from pushpoint.plants._base import StateArrays, Uneventful
from pushpoint.plants._resting import resting, resting_in_space
from pushpoint.robots import Robot
from pushpoint.tape import LEDGER, ExtraColumn, Tape, grown, layout_of
from pushpoint.types import CommandTable, Failure, FloatArray, IntArray, Pairs, Snapshot, Status
from pushpoint.worlds import World

CONTACT_ROOM = 4096  # rows by which the contact table grows at least
SMOOTH = 0.0  # impulse of impacts: soft contacts have none
PAIRS = ("pair_key", "pair")  # arrays of a dumped state with a row for each pair that touched

Key = tuple[int, ...]  # link, obstacle or -1, and whatever distinguishes two contacts of these


class Contact(NamedTuple):
    """A link and something that touches it; d axes."""

    place: float  # [m], along the link from its centre
    point: FloatArray  # [m], (d,)
    normal: FloatArray  # (d,): to the link
    slip: float = 0.0  # whether it slid in the last step


@dataclass(slots=True)
class Pair:
    """A contact of this tick or of those since the last recorded row, and its impulses."""

    contact: Contact  # as it was last
    tick: FloatArray  # [N s], (d,): impulse of the tick
    since_row: FloatArray  # [N s], (d,): impulse of all ticks before it since the last row

    @property
    def row(self) -> FloatArray:
        """All of it as numbers."""
        place, point, normal, slip = self.contact
        return np.concatenate([[place], point, normal, [slip], self.tick, self.since_row])

    @classmethod
    def of(cls, row: FloatArray) -> Pair:
        d = (len(row) - 2) // 4
        point, normal, tick, since_row = (row[at : at + d].copy() for at in (1, 1 + d, 2 + 2 * d, 2 + 3 * d))
        return cls(Contact(float(row[0]), point, normal, float(row[1 + 2 * d])), tick, since_row)


@dataclass(slots=True)
class EngineState:
    """All that changes in time; n links in d dimensions."""

    data: Any  # the engine's own
    link: FloatArray  # (n, k): Layout.pose, poses and velocities
    sums: FloatArray  # [N s], [N m s], (n, 2 m): Layout.means as impulses; of the tick, then since the last row
    ledger: FloatArray  # [J]: tape.LEDGER and the engine's extra columns
    steps: int = 0  # done since t = 0
    pairs: dict[Key, Pair] = field(default_factory=dict)

    def push(self, key: Key, contact: Contact, impulse: FloatArray) -> None:
        """Note an impulse [N s], (d,), on a link; it goes to the table of contacts, and not to the sums."""
        pair = self.pairs.setdefault(key, Pair(contact, np.zeros(len(impulse)), np.zeros(len(impulse))))
        pair.contact = contact
        pair.tick += impulse

    def book(self, energy: float, servo: float, friction: float, contact: float, *extra: float) -> None:
        """Kinetic energy at the end of a step, and works in it [J]; what they leave open is numerical."""
        numerical = energy - float(self.ledger[0]) - servo - friction - contact
        for work in extra:
            numerical -= work
        self.ledger[0] = energy
        self.ledger[1:] += servo, friction, contact, numerical, *extra

    def begin_tick(self) -> None:
        self.sums[:, : self.sums.shape[1] // 2] = 0.0
        for pair in self.pairs.values():
            pair.tick[:] = 0.0
        self.pairs = {key: pair for key, pair in self.pairs.items() if np.any(pair.since_row)}

    def end_tick(self) -> None:
        half = self.sums.shape[1] // 2
        self.sums[:, half:] += self.sums[:, :half]
        for pair in self.pairs.values():
            pair.since_row += pair.tick


class Stepped(NamedTuple):
    """How a step went."""

    residual: float = 0.0  # what the engine's solver left, relative
    iterations: int = 0
    status: Status = Status.OK


class Engine(ABC):
    """What one file supplies of a foreign engine. Built once; all that changes in time is in its data."""

    title: ClassVar[str]  # as messages call the engine
    dimensions: ClassVar[int]  # 2 or 3
    key_size: ClassVar[int] = 2  # of the keys of pairs
    extra_columns: ClassVar[tuple[ExtraColumn, ...]] = ()  # of the ledger

    def __init__(self, robot: Robot, world: World, dt: float) -> None:
        self.robot, self.world, self.dt = robot, world, dt  # dt [s]

    @abstractmethod
    def place(self, pose: Any) -> Any:
        """The engine's data with the robot in a Pose or a SpatialPose."""

    @abstractmethod
    def links(self, data: Any) -> FloatArray:
        """Poses and velocities of all links, (n, k): Layout.pose."""

    @abstractmethod
    def kinetic_energy(self, link: FloatArray) -> float:
        """Of links with these poses and velocities [J]."""

    @abstractmethod
    def joints(self, state: EngineState) -> tuple[FloatArray, FloatArray]:
        """Angles [rad] and rates [rad/s], each (f,)."""

    @abstractmethod
    def step(self, state: EngineState, command: CommandTable, lead: float) -> Stepped:
        """One step that ends `lead` [s] after the start of a tick, with the tick's command, (f,) each: sets
        `state.link`, adds to `state.sums`, calls `state.push` for each contact and `state.book` for the energy."""

    @abstractmethod
    def save(self, data: Any) -> FloatArray:
        """All that the engine needs to run on, equal to the bit."""

    @abstractmethod
    def load(self, numbers: FloatArray) -> Any:
        """The data that `save` was given."""

    @cached_property
    def joint_at(self) -> tuple[IntArray, IntArray]:
        """Where `EngineState.sums` keeps the motors' impulses of the freedoms: with the link on the head's side."""
        joint, place = np.array(self.robot.places, dtype=np.int64).reshape(-1, 2).T
        return joint + 1, 2 * self.dimensions + place

    @property
    def key_limits(self) -> Limits:
        """What a checkpoint may hold as keys of pairs."""
        links, obstacles = len(self.robot.links), len(self.world.obstacles)
        return {"pair_key.0": Limit(0, links - 1), "pair_key.1": Limit(-1, obstacles - 1)}


class EnginePlant(Uneventful):
    """A plant whose steps are those of an engine."""

    advice: ClassVar[Mapping[Status, str]]  # what to try when it stops

    def __init__(self, engine: Engine) -> None:
        self.engine, self.dt, self.dimensions = engine, engine.dt, engine.dimensions
        self.extra_columns = engine.extra_columns
        self.layout = layout_of(engine.dimensions)

    def initial_state(self, pose: Any) -> EngineState:
        return self._begin(self.engine.place(pose))

    def _begin(self, data: Any) -> EngineState:
        link = self.engine.links(data)
        sums = np.zeros((len(link), 2 * len(self.layout.means)))
        state = EngineState(data, link, sums, np.zeros(len(LEDGER) + len(self.extra_columns)))
        state.ledger[0] = self.engine.kinetic_energy(link)
        return state

    # --- ticks ---

    def rollout(
        self, state: EngineState, table: CommandTable, substeps: int, tape: Tape
    ) -> tuple[Tape, Failure | None]:
        for row in zip(*table, strict=True):
            status = self._tick(state, CommandTable(*row), substeps, tape)
            if status != Status.OK:
                return tape, self._failure(state, tape, status)
            tape.cursor[0].ticks += 1
            if tape.cursor[0].ticks == tape.cursor[0].ticks_per_row:
                tape = _with_room(tape, len(state.pairs))
                self._write_row(state, tape, float(tape.cursor[0].ticks * substeps * self.dt))
        return tape, None

    def _tick(self, state: EngineState, command: CommandTable, substeps: int, tape: Tape) -> Status:
        """One control tick of `substeps` steps."""
        state.begin_tick()
        for k in range(substeps):
            stepped = self.engine.step(state, command, (k + 1) * self.dt)
            state.steps += 1
            at = tape.cursor[0].step
            tape.step[at, :3] = stepped
            tape.cursor[0].step = at + 1
            if stepped.status != Status.OK:
                return stepped.status
        state.end_tick()
        return Status.OK

    def _failure(self, state: EngineState, tape: Tape, status: Status) -> Failure:
        residual = float(tape.step[tape.cursor[0].step - 1, 0])
        speed = np.abs(state.link[:, self.layout.columns("velocity")]).max(axis=1)
        worst = int(np.argmax(np.nan_to_num(speed, nan=np.inf)))
        return Failure(status, state.steps * self.dt, worst, residual, self.advice[status])

    # --- rows of the tape ---

    def record_start(self, state: EngineState, tape: Tape) -> None:
        self._write_state(state, tape, 0)
        tape.cursor[0].row = 1

    def _write_row(self, state: EngineState, tape: Tape, span: float) -> None:
        """Record the state and the means over the `span` [s] since the last row."""
        row, half = tape.cursor[0].row, state.sums.shape[1] // 2
        self._write_state(state, tape, row)
        tape.link[row, :, state.link.shape[1] :] = state.sums[:, half:] / span
        state.sums[:, half:] = 0.0
        for (i, obstacle, *_), pair in sorted(state.pairs.items()):
            if np.any(pair.since_row):
                place, point, normal, slip = pair.contact
                line = row, i, obstacle, place, *point, *normal, *(pair.since_row / span), slip, SMOOTH
                tape.contact[tape.cursor[0].contact] = line
                tape.cursor[0].contact += 1
            pair.since_row[:] = 0.0
        tape.cursor[0].row = row + 1
        tape.cursor[0].ticks = 0

    def _write_state(self, state: EngineState, tape: Tape, row: int) -> None:
        """What of a row is known at its instant."""
        tape.link[row, :, : state.link.shape[1]] = state.link
        tape.energy[row] = state.steps * self.dt, *state.ledger[: len(LEDGER)]
        tape.extra[row] = state.ledger[len(LEDGER) :][: tape.extra.shape[1]]

    # --- snapshots ---

    def snapshot(self, state: EngineState) -> Snapshot:
        angle, rate = self.engine.joints(state)
        d, turned = self.dimensions, "angle" if self.dimensions == 2 else "quaternion"
        return Snapshot(
            time=state.steps * self.dt,
            joint_angle=angle,
            joint_rate=rate,
            joint_impulse=state.sums[self.engine.joint_at],
            position=self._columns(state, "position"),
            attitude=self._columns(state, turned),
            velocity=self._columns(state, "velocity"),
            rate=self._columns(state, "rate"),
            contact_impulse=state.sums[:, :d].copy(),
            ground_impulse=state.sums[:, d : 2 * d].copy(),
            pairs=self._pairs_that_pushed(state),
            obstacle_position=np.zeros((0, d)),
        )

    def _columns(self, state: EngineState, name: str) -> FloatArray:
        """A quantity of all links: (n, columns), or (n,) if it is one number."""
        found = state.link[:, self.layout.columns(name)].copy()
        return found[:, 0] if found.shape[1] == 1 else found

    def _pairs_that_pushed(self, state: EngineState) -> Pairs:
        """The plane itself is not listed."""
        pushed = {key: pair for key, pair in sorted(state.pairs.items()) if np.any(pair.tick)}
        link, obstacle = np.array(list(pushed), dtype=np.int64).reshape(-1, self.engine.key_size)[:, :2].T
        contacts, shape = [pair.contact for pair in pushed.values()], (-1, self.dimensions)
        return Pairs(
            link=link,
            obstacle=obstacle,
            place=np.array([contact.place for contact in contacts]),
            point=np.array([contact.point for contact in contacts]).reshape(shape),
            normal=np.array([contact.normal for contact in contacts]).reshape(shape),
            impulse=np.array([pair.tick for pair in pushed.values()]).reshape(shape),
        )

    # --- checkpoints ---

    def dump(self, state: EngineState) -> StateArrays:
        keys, pairs = list(state.pairs), list(state.pairs.values())
        return {
            "physics": self.engine.save(state.data),
            "steps": np.array([state.steps], dtype=np.int64),
            "sums": state.sums.copy(),
            "ledger": state.ledger.copy(),
            "pair_key": np.array(keys, dtype=np.int64).reshape(-1, self.engine.key_size),
            "pair": np.array([pair.row for pair in pairs]).reshape(-1, 2 + 4 * self.dimensions),
        }

    def restore(self, arrays: StateArrays) -> EngineState:
        found = self._checked(arrays)
        state = self._begin(self.engine.load(found["physics"]))
        state.steps, state.sums, state.ledger = int(found["steps"][0]), found["sums"], found["ledger"]
        rows = zip(found["pair_key"].tolist(), found["pair"], strict=True)
        state.pairs = {tuple(key): Pair.of(row) for key, row in rows}
        return state

    def _checked(self, arrays: StateArrays) -> StateArrays:
        """Arrays that come from a file, before the engine sees them."""
        template = self.dump(self.initial_state(self._resting()))
        physics, size = np.size(arrays.get("physics", ())), template["physics"].size
        if "physics" in arrays and physics != size:
            whose = self.engine.title
            raise InvalidInput(f"the checkpoint holds {physics} numbers of {whose}; this model and version have {size}")
        what, limits = f"state of {self.engine.title.lower()}", {"steps": Limit(0, MOST_COUNT)}
        found = restored(what, arrays, template, {**limits, **self.engine.key_limits}, growing=PAIRS)
        if len(found["pair_key"]) != len(found["pair"]):
            raise InvalidInput(f"{what}: arrays 'pair_key' and 'pair' have different numbers of rows")
        return found

    def _resting(self) -> Any:
        """Some pose."""
        links, freedoms = len(self.engine.robot.links), len(self.engine.robot.freedoms)
        return resting(links) if self.dimensions == 2 else resting_in_space(links, freedoms)


def _with_room(tape: Tape, contacts: int) -> Tape:
    if tape.cursor[0].contact + contacts <= len(tape.contact):
        return tape
    return grown(tape, max(len(tape.contact), contacts, CONTACT_ROOM))
