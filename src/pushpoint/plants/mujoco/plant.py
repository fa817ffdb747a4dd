"""The planar robot in MuJoCo behind the common door, which also leads to the one in space."""

from __future__ import annotations

from importlib.util import find_spec
from typing import ClassVar

import numpy as np

from pushpoint.errors import InvalidInput, MissingExtra
from pushpoint.fields import Frozen
from pushpoint.mechanics.flatness import refuse_spatial
from pushpoint.mechanics.yaw import yaw_quaternions
from pushpoint.plants import plants
from pushpoint.plants._base import Plant, StateArrays
from pushpoint.plants._resting import resting
from pushpoint.plants.mujoco.advice import ADVICE
from pushpoint.plants.mujoco.limits import planar_limits, restored_mujoco
from pushpoint.plants.mujoco.model import Params, make_params
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.run import (
    NORMAL,
    PAIR_COLUMNS,
    PLACE,
    TICK,
    State,
    around_data,
    contact_point,
    make_state,
    run_ticks,
)
from pushpoint.plants.mujoco.spatial_plant import SpatialMujocoPlant
from pushpoint.plants.mujoco.unknown import refuse_unknown
from pushpoint.robots import Robot, Servo
from pushpoint.types import (
    Command,
    CommandTable,
    Contacts,
    Failure,
    Observation,
    Pose,
    Status,
    Trace,
    new_trace,
)
from pushpoint.worlds import World


@plants.register("mujoco")
class MujocoPlant:
    """The same robots and worlds as MuJoCo simulates them, with soft contacts: in the plane, or in space."""

    Options: ClassVar[type[Frozen]] = MujocoOptions
    dimensions = 2

    def __init__(self, params: Params) -> None:
        self.params = params
        self.dt = params.dt

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> Plant:
        in_space = leaves_plane(robot, world) if options.dimensions is None else options.dimensions == 3
        if not in_space:
            _refuse_out_of_plane(robot, world, options)
            refuse_unknown(robot, world, servo)
        if find_spec("mujoco") is None:
            raise MissingExtra("plant 'mujoco'", "mujoco")
        if in_space:
            return SpatialMujocoPlant.build(robot, world, servo, options)
        return cls(make_params(robot, world, servo, options))

    def initial_state(self, pose: Pose) -> State:
        return make_state(self.params, pose)

    def observe(self, state: State, period: float) -> Observation:
        link = state.link
        return Observation(
            time=state.steps * self.dt,
            joint_angle=np.diff(link[:, 2]),
            joint_rate=np.diff(link[:, 5]),
            joint_torque=state.sums[1:, 4] / period,
            link_position=link[:, :2].copy(),
            link_yaw=link[:, 2].copy(),
            link_orientation=yaw_quaternions(link[:, 2]),
            link_velocity=link[:, 3:5].copy(),
            contacts=self._contacts(state, period),
        )

    def _contacts(self, state: State, period: float) -> Contacts:
        """The pairs that pushed during the last tick."""
        pushed = {key: pair for key, pair in sorted(state.pairs.items()) if np.any(pair[TICK])}
        link, disc = np.array(list(pushed), dtype=np.int64).reshape(-1, 2).T
        pair = np.array(list(pushed.values())).reshape(-1, PAIR_COLUMNS)
        normal, angle = pair[:, NORMAL], state.link[link, 2]
        across = -np.sin(angle) * normal[:, 0] + np.cos(angle) * normal[:, 1]
        return Contacts(
            link=link,
            obstacle=disc,
            place=pair[:, PLACE],
            side=np.where(across < 0, 1, -1),  # pushed to the right: the obstacle is on the left
            point=contact_point(self.params, disc, normal),
            normal=normal,
            force=pair[:, TICK] / period,
        )

    def advance(self, state: State, command: Command, substeps: int) -> Failure | None:
        rows = (command.joint_angle, command.joint_rate, command.torque)
        table = CommandTable(*(np.array(row, dtype=float)[np.newaxis] for row in rows))
        scrap = new_trace(len(state.link), 1, substeps, 2)  # two ticks per row: one tick writes none
        return self.rollout(state, table, substeps, scrap)[1]

    def rollout(self, state: State, table: CommandTable, substeps: int, trace: Trace) -> tuple[Trace, Failure | None]:
        trace, status = run_ticks(self.params, state, table, substeps, trace)
        return trace, None if status == Status.OK else self._failure(state, trace, status)

    def _failure(self, state: State, trace: Trace, status: Status) -> Failure:
        residual = float(trace.step[trace.cursor[2] - 1, 0])
        speed = np.abs(state.link[:, 3:]).max(axis=1)
        worst = int(np.argmax(np.nan_to_num(speed, nan=np.inf)))
        return Failure(status, state.steps * self.dt, worst, residual, ADVICE[status])

    def record_start(self, state: State, trace: Trace) -> None:
        trace.link[0, :, :6] = state.link
        trace.energy[0] = state.steps * self.dt, *state.ledger
        trace.cursor[0] = 1

    def dump(self, state: State) -> StateArrays:
        import mujoco

        kind = mujoco.mjtState.mjSTATE_INTEGRATION
        physics = np.empty(mujoco.mj_stateSize(self.params.mj, kind))
        mujoco.mj_getState(self.params.mj, state.data, physics, kind)
        return {
            "physics": physics,  # MuJoCo's mjSTATE_INTEGRATION, warm start included
            "steps": np.array([state.steps], dtype=np.int64),
            "sums": state.sums.copy(),
            "ledger": state.ledger.copy(),
            "pair_key": np.array(list(state.pairs), dtype=np.int64).reshape(-1, 2),
            "pair": np.array(list(state.pairs.values())).reshape(-1, PAIR_COLUMNS),
        }

    def restore(self, arrays: StateArrays) -> State:
        import mujoco

        rest = self.initial_state(resting(len(self.params.mass)))
        found = restored_mujoco(arrays, self.dump(rest), planar_limits(self.params))
        data, kind = mujoco.MjData(self.params.mj), mujoco.mjtState.mjSTATE_INTEGRATION
        mujoco.mj_setState(self.params.mj, data, found["physics"], kind)
        state = around_data(self.params, data)
        state.steps, state.sums, state.ledger = int(found["steps"][0]), found["sums"], found["ledger"]
        pairs = zip(found["pair_key"].tolist(), found["pair"], strict=True)
        state.pairs = {(i, k): pair.copy() for (i, k), pair in pairs}
        return state


def leaves_plane(robot: Robot, world: World) -> bool:
    """Whether robot or world have something that the planar model has no place for."""
    flat = robot.is_planar and all(link.shape == "round" for link in robot.links)
    return not (flat and world.is_flat and world.ground.rolling == world.ground.stribeck == 0)


def _refuse_out_of_plane(robot: Robot, world: World, options: MujocoOptions) -> None:
    refuse_spatial("mujoco", robot, world)
    if options.self_contact:
        raise InvalidInput("plant 'mujoco': self_contact = True needs dimensions = 3")
