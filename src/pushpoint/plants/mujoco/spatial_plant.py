"""The robot in space in MuJoCo behind the common door."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from pushpoint.fields import Frozen
from pushpoint.mechanics.rotation import headings, matrices
from pushpoint.plants._base import StateArrays
from pushpoint.plants._resting import resting_in_space
from pushpoint.plants.mujoco.advice import ADVICE
from pushpoint.plants.mujoco.limits import restored_mujoco, spatial_limits
from pushpoint.plants.mujoco.options import MujocoOptions
from pushpoint.plants.mujoco.spatial_model import SpatialParams, make_spatial_params
from pushpoint.plants.mujoco.spatial_run import (
    JOINT,
    NORMAL,
    PAIR_COLUMNS,
    PLACE,
    POINT,
    POSITION,
    QUATERNION,
    TICK,
    VELOCITY,
    SpatialState,
    around_spatial_data,
    make_spatial_state,
    run_spatial_ticks,
    write_state,
)
from pushpoint.plants.mujoco.spatial_unknown import refuse_unknown_in_space
from pushpoint.robots import Robot, Servo
from pushpoint.types import (
    Command,
    CommandTable,
    Contacts,
    Event,
    ExtraColumn,
    Failure,
    Observation,
    SpatialPose,
    Status,
    Trace,
    new_trace,
)
from pushpoint.worlds import World


class SpatialMujocoPlant:
    """A chain of links in space, among obstacles and on terrain, as MuJoCo simulates it, with soft contacts."""

    Options: ClassVar[type[Frozen]] = MujocoOptions
    extra_columns: ClassVar[tuple[ExtraColumn, ...]] = (
        ExtraColumn("gravity_work", "J", "work of gravity since t = 0"),
    )
    dimensions = 3

    def __init__(self, params: SpatialParams) -> None:
        self.params = params
        self.dt = params.dt

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: MujocoOptions) -> SpatialMujocoPlant:
        refuse_unknown_in_space(robot, world, servo)
        return cls(make_spatial_params(robot, world, servo, options))

    def initial_state(self, pose: SpatialPose) -> SpatialState:
        return make_spatial_state(self.params, pose)

    def observe(self, state: SpatialState, period: float) -> Observation:
        params, link, data = self.params, state.link, state.data
        return Observation(
            time=state.steps * self.dt,
            joint_angle=data.qpos[params.angle_at],
            joint_rate=data.qvel[params.rate_at],
            joint_torque=state.sums[params.joint_link, JOINT + params.second] / period,
            link_position=link[:, POSITION].copy(),
            link_yaw=headings(matrices(link[:, QUATERNION])),
            link_orientation=link[:, QUATERNION].copy(),
            link_velocity=link[:, VELOCITY].copy(),
            contacts=self._contacts(state, period),
        )

    def _contacts(self, state: SpatialState, period: float) -> Contacts:
        """What pushed during the last tick; the plane is not listed."""
        pushed = {key: pair for key, pair in sorted(state.pairs.items()) if np.any(pair[TICK])}
        link, obstacle = np.array(list(pushed), dtype=np.int64).reshape(-1, 4)[:, :2].T
        pair = np.array(list(pushed.values())).reshape(-1, PAIR_COLUMNS)
        left = matrices(state.link[link, QUATERNION])[..., 1]
        across = np.sum(left * pair[:, NORMAL], axis=1)
        return Contacts(
            link=link,
            obstacle=obstacle,
            place=pair[:, PLACE],
            side=np.where(across < 0, 1, -1),  # pushed to the right: the obstacle is on the left
            point=pair[:, POINT],
            normal=pair[:, NORMAL],
            force=pair[:, TICK] / period,
        )

    def advance(self, state: SpatialState, command: Command, substeps: int) -> Failure | None:
        rows = (command.joint_angle, command.joint_rate, command.torque)
        table = CommandTable(*(np.array(row, dtype=float)[np.newaxis] for row in rows))
        scrap = new_trace(len(state.link), 1, substeps, 2, dimensions=3)  # two ticks per row: one tick writes none
        return self.rollout(state, table, substeps, scrap)[1]

    def rollout(
        self, state: SpatialState, table: CommandTable, substeps: int, trace: Trace
    ) -> tuple[Trace, Failure | None]:
        trace, status = run_spatial_ticks(self.params, state, table, substeps, trace)
        return trace, None if status == Status.OK else self._failure(state, trace, status)

    def _failure(self, state: SpatialState, trace: Trace, status: Status) -> Failure:
        residual = float(trace.step[trace.cursor[2] - 1, 0])
        speed = np.abs(state.link[:, VELOCITY]).max(axis=1)
        worst = int(np.argmax(np.nan_to_num(speed, nan=np.inf)))
        return Failure(status, state.steps * self.dt, worst, residual, ADVICE[status])

    def record_start(self, state: SpatialState, trace: Trace) -> None:
        write_state(self.params, state, trace, 0)
        trace.cursor[0] = 1

    def events(self, trace: Trace) -> Iterator[Event]:
        """None: soft contacts have no instants at which something changes."""
        return iter(())

    def dump(self, state: SpatialState) -> StateArrays:
        import mujoco

        kind = mujoco.mjtState.mjSTATE_INTEGRATION
        physics = np.empty(mujoco.mj_stateSize(self.params.mj, kind))
        mujoco.mj_getState(self.params.mj, state.data, physics, kind)
        return {
            "physics": physics,  # MuJoCo's mjSTATE_INTEGRATION, warm start included
            "steps": np.array([state.steps], dtype=np.int64),
            "sums": state.sums.copy(),
            "ledger": state.ledger.copy(),
            "pair_key": np.array(list(state.pairs), dtype=np.int64).reshape(-1, 4),
            "pair": np.array(list(state.pairs.values())).reshape(-1, PAIR_COLUMNS),
        }

    def restore(self, arrays: StateArrays) -> SpatialState:
        import mujoco

        rest = self.initial_state(resting_in_space(len(self.params.mass), len(self.params.angle_at)))
        found = restored_mujoco(arrays, self.dump(rest), spatial_limits(self.params))
        data, kind = mujoco.MjData(self.params.mj), mujoco.mjtState.mjSTATE_INTEGRATION
        mujoco.mj_setState(self.params.mj, data, found["physics"], kind)
        state = around_spatial_data(self.params, data)
        state.steps, state.sums, state.ledger = int(found["steps"][0]), found["sums"], found["ledger"]
        pairs = zip(found["pair_key"].tolist(), found["pair"], strict=True)
        state.pairs = {(i, k, other, end): pair.copy() for (i, k, other, end), pair in pairs}
        return state
