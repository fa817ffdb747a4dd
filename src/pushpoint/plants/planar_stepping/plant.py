"""The planar time-stepping model behind the common door."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pushpoint._jit import compiling_once
from pushpoint.fields import Frozen
from pushpoint.geometry.capsule_disc import capsule_disc
from pushpoint.mechanics.yaw import yaw_quaternions
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays
from pushpoint.plants.planar_stepping.model import Params, State, make_params, make_scratch, make_state
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.run import TABLE_FULL, run_ticks
from pushpoint.robots import Robot, Servo
from pushpoint.types import (
    Command,
    CommandTable,
    Contacts,
    Failure,
    FloatArray,
    Observation,
    Pose,
    Status,
    Trace,
    grown,
    new_trace,
)
from pushpoint.worlds import World

ADVICE = {
    Status.NOT_CONVERGED: "try a smaller plant.dt, a larger plant.max_iterations, or a looser plant.tolerance",
    Status.NOT_FINITE: "try a smaller plant.dt; check servo gains and feed-forward torques",
    Status.TOO_MANY_CONTACTS: "obstacles are packed too densely around one link; merge or thin them out",
}


@plants.register("planar_stepping")
class PlanarStepping:
    """Planar chain of capsules on flat ground among discs; options in `PlanarSteppingOptions`."""

    Options: ClassVar[type[Frozen]] = PlanarSteppingOptions

    def __init__(self, params: Params) -> None:
        self.params = params
        self.dt = params.dt
        self._scratch = make_scratch(params)

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions) -> PlanarStepping:
        return cls(make_params(robot, world, servo, options))

    def initial_state(self, pose: Pose) -> State:
        return make_state(self.params, pose)

    def observe(self, state: State, period: float) -> Observation:
        link = state.link
        return Observation(
            time=float(state.clock[0] * self.dt),
            joint_angle=np.diff(link[:, 2]),
            joint_rate=np.diff(link[:, 5]),
            joint_torque=state.tick[1:, 4] / period,
            link_position=link[:, :2].copy(),
            link_yaw=link[:, 2].copy(),
            link_orientation=yaw_quaternions(link[:, 2]),
            link_velocity=link[:, 3:5].copy(),
            contacts=self._contacts(state, period),
        )

    def _contacts(self, state: State, period: float) -> Contacts:
        pairs = int(state.pair_start[-1])
        pair, disc = state.pair[:pairs], state.pair_disc[:pairs]
        link = np.repeat(np.arange(len(state.link)), np.diff(state.pair_start))
        pushed = np.any(pair[:, 4:6] != 0.0, axis=1)
        pair, disc, link = pair[pushed], disc[pushed], link[pushed]
        normal, angle = pair[:, 2:4], state.link[link, 2]
        # The normal points from the obstacle to the link: on the link's right, the obstacle is on its left.
        left_of_axis = -np.sin(angle) * normal[:, 0] + np.cos(angle) * normal[:, 1]
        return Contacts(
            link=link,
            obstacle=disc.copy(),
            place=pair[:, 1].copy(),
            side=np.where(left_of_axis < 0, 1, -1),
            point=self.params.disc[disc, :2] + self.params.disc[disc, 2:] * normal,
            normal=normal.copy(),
            force=pair[:, 4:6] / period,
        )

    def advance(self, state: State, command: Command, substeps: int) -> Failure | None:
        table = CommandTable(*(np.array(a, dtype=float)[np.newaxis] for a in (command.joint_angle, command.joint_rate, command.torque)))
        scrap = new_trace(len(state.link), 1, substeps, 2, 0)  # two ticks per row: one tick writes none
        return self.rollout(state, table, substeps, scrap)[1]

    def rollout(
        self, state: State, table: CommandTable, substeps: int, trace: Trace
    ) -> tuple[Trace, Failure | None]:
        first = 0
        with compiling_once("planar_stepping"):
            status, first = run_ticks(self.params, state, self._scratch, table, first, substeps, trace)
        while status == TABLE_FULL:
            trace = grown(trace, max(2 * len(trace.contact), 2 * len(state.pair_disc), 4096))
            status, first = run_ticks(self.params, state, self._scratch, table, first, substeps, trace)
        return trace, None if status == Status.OK else self._failure(state, trace, Status(status))

    def _failure(self, state: State, trace: Trace, status: Status) -> Failure:
        residual = float(trace.step_residual[trace.cursor[2] - 1])
        worst = self._scratch.number[2:4]
        return Failure(status, float(state.clock[0] * self.dt), int(worst.max()), residual, ADVICE[status])

    def record_start(self, state: State, trace: Trace) -> None:
        trace.time[0] = state.clock[0] * self.dt
        trace.link[0] = state.link
        trace.energy[0] = state.ledger
        trace.cursor[0] = 1

    def overlaps(self, pose: Pose) -> list[tuple[int, int, float]]:
        found, out = [], np.zeros(4)
        for i in range(len(pose.angle)):
            c, s = np.cos(pose.angle[i]), np.sin(pose.angle[i])
            capsule = np.array([*pose.position[i], c, s, *self.params.capsule[i]])
            near = np.linalg.norm(self.params.disc[:, :2] - pose.position[i], axis=1) < (
                self.params.capsule[i].sum() + self.params.disc[:, 2]
            )
            for k in np.flatnonzero(near):
                capsule_disc(capsule, self.params.disc[k], out)
                if out[0] < 0:
                    found.append((i, int(k), float(-out[0])))
        return sorted(found, key=lambda row: -row[2])

    def dump(self, state: State) -> StateArrays:
        return {name: value.copy() for name, value in state._asdict().items()}

    def restore(self, arrays: StateArrays) -> State:
        template = State._fields
        values: dict[str, FloatArray | Any] = {name: np.ascontiguousarray(arrays[name]).copy() for name in template}
        return State(**values)
