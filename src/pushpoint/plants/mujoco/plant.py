"""Plant `mujoco`: robots and worlds as MuJoCo simulates them, in the plane or in space."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from pushpoint.errors import InvalidInput, MissingExtra
from pushpoint.fields import Frozen
from pushpoint.numerics.restored import MOST_COUNT, Limit, restored
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays, Uneventful
from pushpoint.plants._supports import Supports, uses
from pushpoint.plants.mujoco.encoding import Encoding, Pair, State
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.run import run_ticks, write_state
from pushpoint.plants.mujoco.supports import PLANE, SPACE, refuse_by_numbers
from pushpoint.robots import Robot, Servo
from pushpoint.tape import ExtraColumn, Tape
from pushpoint.types import CommandTable, Failure, FloatArray, Pairs, Snapshot, Status
from pushpoint.worlds import World

ADVICE = {
    Status.NOT_FINITE: "try a smaller plant.dt; check servo gains and feed-forward torques",
    Status.TOO_MANY_CONTACTS: "MuJoCo's memory for contacts is full; thin out the obstacles around the robot",
}
PAIRS = ("pair_key", "pair")  # arrays of a dumped state with a row for each pair that touched


@plants.register("mujoco")
class MujocoPlant(Uneventful):
    """The same robots and worlds as MuJoCo simulates them, with soft contacts: in the plane, or in space."""

    Options: ClassVar[type[Frozen]] = MujocoOptions
    supports: ClassVar[tuple[Supports, ...]] = (PLANE, SPACE)

    def __init__(self, model: Encoding) -> None:
        self.model, self.dt, self.dimensions = model, model.dt, model.dimensions
        in_space = (ExtraColumn("gravity_work", "J", "work of gravity since t = 0"),)
        self.extra_columns = in_space if model.dimensions == 3 else ()

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> MujocoPlant:
        in_space = options.dimensions == 3
        if options.dimensions is None:
            in_space = any(use.is_spatial for use in uses(robot, world, servo))
        (SPACE if in_space else PLANE).check(robot, world, servo, options.self_contact)
        if in_space:
            refuse_by_numbers(robot, world)
        if find_spec("mujoco") is None:
            raise MissingExtra("plant 'mujoco'", "mujoco")
        return cls(encoding(robot, world, servo, options, in_space))

    def initial_state(self, pose: Any) -> State:
        import mujoco

        data = mujoco.MjData(self.model.mj)
        self.model.place(data, pose)
        return self.model.begin(data)

    def snapshot(self, state: State) -> Snapshot:
        angle, rate, impulse = self.model.joints(state)
        d, link = self.dimensions, state.link
        return Snapshot(
            time=state.steps * self.dt,
            joint_angle=angle,
            joint_rate=rate,
            joint_impulse=impulse,
            position=link[:, :d].copy(),
            attitude=link[:, self.model.attitude].copy(),
            velocity=link[:, self.model.velocity].copy(),
            rate=link[:, self.model.rate].copy(),
            contact_impulse=state.sums[:, :d].copy(),
            ground_impulse=state.sums[:, d : 2 * d].copy(),
            pairs=self._pairs_that_pushed(state),
            obstacle_position=np.zeros((0, d)),
        )

    def _pairs_that_pushed(self, state: State) -> Pairs:
        """The plane itself is not listed."""
        pushed = {key: pair for key, pair in sorted(state.pairs.items()) if np.any(pair.tick)}
        link, obstacle = np.array(list(pushed), dtype=np.int64).reshape(-1, self.model.key_size)[:, :2].T
        point, normal, impulse = (
            np.array([getattr(pair, name) for pair in pushed.values()]).reshape(-1, self.dimensions)
            for name in ("point", "normal", "tick")
        )
        return Pairs(link, obstacle, np.array([pair.place for pair in pushed.values()]), point, normal, impulse)

    def rollout(self, state: State, table: CommandTable, substeps: int, tape: Tape) -> tuple[Tape, Failure | None]:
        tape, status = run_ticks(self.model, state, table, substeps, tape)
        return tape, None if status == Status.OK else self._failure(state, tape, status)

    def _failure(self, state: State, tape: Tape, status: Status) -> Failure:
        residual = float(tape.step[tape.cursor[0].step - 1, 0])
        speed = np.abs(state.link[:, self.model.velocity]).max(axis=1)
        worst = int(np.argmax(np.nan_to_num(speed, nan=np.inf)))
        return Failure(status, state.steps * self.dt, worst, residual, ADVICE[status])

    def record_start(self, state: State, tape: Tape) -> None:
        write_state(self.model, state, tape, 0)
        tape.cursor[0].row = 1

    def dump(self, state: State) -> StateArrays:
        import mujoco

        kind, keys, pairs = mujoco.mjtState.mjSTATE_INTEGRATION, list(state.pairs), list(state.pairs.values())
        physics = np.empty(mujoco.mj_stateSize(self.model.mj, kind))
        mujoco.mj_getState(self.model.mj, state.data, physics, kind)
        return {
            "physics": physics,  # MuJoCo's mjSTATE_INTEGRATION, warm start included
            "steps": np.array([state.steps], dtype=np.int64),
            "sums": state.sums.copy(),
            "ledger": state.ledger.copy(),
            "pair_key": np.array(keys, dtype=np.int64).reshape(-1, self.model.key_size),
            "pair": np.array([pair.row for pair in pairs]).reshape(-1, 2 + 4 * self.dimensions),
        }

    def restore(self, arrays: StateArrays) -> State:
        import mujoco

        found = self._checked(arrays)
        data, kind = mujoco.MjData(self.model.mj), mujoco.mjtState.mjSTATE_INTEGRATION
        mujoco.mj_setState(self.model.mj, data, found["physics"], kind)
        state = self.model.begin(data)
        state.steps, state.sums, state.ledger = int(found["steps"][0]), found["sums"], found["ledger"]
        rows = zip(found["pair_key"].tolist(), found["pair"], strict=True)
        state.pairs = {tuple(key): Pair.of(row) for key, row in rows}
        return state

    def _checked(self, arrays: StateArrays) -> StateArrays:
        """Arrays that come from a file, before MuJoCo sees them."""
        template = self.dump(self.initial_state(self.model.resting()))
        physics, size = np.size(arrays.get("physics", ())), template["physics"].size
        if "physics" in arrays and physics != size:
            raise InvalidInput(f"the checkpoint holds {physics} numbers of MuJoCo; this model and version have {size}")
        limits = {"steps": Limit(0, MOST_COUNT), **self.model.key_limits}
        found = restored("state of mujoco", arrays, template, limits, growing=PAIRS)
        if len(found["pair_key"]) != len(found["pair"]):
            raise InvalidInput("state of mujoco: arrays 'pair_key' and 'pair' have different numbers of rows")
        return found

    def fast_rollout(self, state: State, table: CommandTable, substeps: int) -> FloatArray:
        """Link positions [m] at the ends of all ticks, (ticks, n, d), by one call of MuJoCo's rollout.

        Nothing is recorded and the state stays as it is: the best that MuJoCo can do, for comparisons of speed.
        """
        import mujoco
        import mujoco.rollout

        mj, kind = self.model.mj, mujoco.mjtState.mjSTATE_FULLPHYSICS
        start = np.empty(mujoco.mj_stateSize(mj, kind))
        mujoco.mj_getState(mj, state.data, start, kind)
        lead: FloatArray = self.dt * np.arange(1.0, substeps + 1.0)[:, np.newaxis]
        signal = self.model.controls(CommandTable(*(column[:, np.newaxis] for column in table)), lead)
        steps = signal.shape[0] * substeps
        path, _ = mujoco.rollout.rollout(
            mj,
            mujoco.MjData(mj),
            start,
            np.ascontiguousarray(signal.reshape(steps, mj.nu)) if mj.nu else None,
            nstep=steps,
            initial_warmstart=state.data.qacc_warmstart.copy(),
        )
        return self.model.positions(path[0, substeps - 1 :: substeps, 1:])  # the first column is the time


def encoding(robot: Robot, world: World, servo: Servo, options: MujocoOptions, in_space: bool) -> Encoding:
    if in_space:
        from pushpoint.plants.mujoco.spatial import SpatialEncoding

        return SpatialEncoding(robot, world, servo, options)
    from pushpoint.plants.mujoco.planar import PlanarEncoding

    return PlanarEncoding(robot, world, servo, options)
