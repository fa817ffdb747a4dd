"""The planar time-stepping model behind the common door."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pushpoint._jit import compiling_once
from pushpoint.fields import Frozen
from pushpoint.mechanics.yaw import yaw_quaternions
from pushpoint.plants import plants
from pushpoint.plants._base import StateArrays
from pushpoint.plants.planar_stepping.free_flight import keeps_momenta, show_kept_spin, start_motion
from pushpoint.plants.planar_stepping.model import (
    P_NORMAL_X,
    P_NORMAL_Y,
    P_PLACE,
    P_TICK_X,
    P_TICK_Y,
    S_ANGLE,
    S_VX,
    S_VY,
    S_W,
    WORST_LINK,
    Problem,
    State,
    Surroundings,
    make_problem,
    make_state,
    make_surroundings,
)
from pushpoint.plants.planar_stepping.options import PlanarSteppingOptions
from pushpoint.plants.planar_stepping.projection import run_ticks_by_projection
from pushpoint.plants.planar_stepping.run import TABLE_FULL, run_ticks
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
    """Planar non-smooth time-stepping model with set-valued friction and unilateral contact (P2)."""

    Options: ClassVar[type[Frozen]] = PlanarSteppingOptions

    def __init__(self, problem: Problem, around: Surroundings, options: PlanarSteppingOptions) -> None:
        self.dt = options.dt
        self._solver = options.solver
        self._problem, self._around = problem, around

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: PlanarSteppingOptions) -> PlanarStepping:
        around = make_surroundings(robot, world)
        problem = make_problem(robot, world, servo, options, len(around.pair))
        return cls(problem, around, options)

    def initial_state(self, pose: Pose) -> State:
        return make_state(self._problem, pose)

    def observe(self, state: State, period: float) -> Observation:
        link = state.link
        return Observation(
            time=float(state.clock[0] * self.dt),
            joint_angle=np.diff(link[:, S_ANGLE]),
            joint_rate=np.diff(link[:, S_W]),
            joint_torque=state.sums[1:, 4] / period,
            link_position=link[:, :2].copy(),
            link_yaw=link[:, S_ANGLE].copy(),
            link_orientation=yaw_quaternions(link[:, S_ANGLE]),
            link_velocity=link[:, [S_VX, S_VY]],
            contacts=self._contacts(state, period),
        )

    def _contacts(self, state: State, period: float) -> Contacts:
        """The pairs that pushed during the last tick."""
        pairs = int(state.pair_start[-1])
        pushed = np.flatnonzero(np.any(state.pair[:pairs, [P_TICK_X, P_TICK_Y]] != 0.0, axis=1))
        link = np.repeat(np.arange(len(state.link)), np.diff(state.pair_start))[pushed]
        pair, obstacle = state.pair[pushed], state.pair_disc[pushed]
        normal, angle = pair[:, [P_NORMAL_X, P_NORMAL_Y]], state.link[link, S_ANGLE]
        across = -np.sin(angle) * normal[:, 0] + np.cos(angle) * normal[:, 1]
        disc = self._around.disc[obstacle]
        return Contacts(
            link=link,
            obstacle=obstacle,
            place=pair[:, P_PLACE],
            side=np.where(across < 0, 1, -1),  # pushed to the right: the obstacle is on the left
            point=disc[:, :2] + disc[:, 2:] * normal,
            normal=normal,
            force=pair[:, [P_TICK_X, P_TICK_Y]] / period,
        )

    def advance(self, state: State, command: Command, substeps: int) -> Failure | None:
        rows = (command.joint_angle, command.joint_rate, command.torque)
        table = CommandTable(*(np.array(row, dtype=float)[np.newaxis] for row in rows))
        scrap = new_trace(len(state.link), 1, substeps, 2)  # two ticks per row: one tick writes none
        return self.rollout(state, table, substeps, scrap)[1]

    def rollout(self, state: State, table: CommandTable, substeps: int, trace: Trace) -> tuple[Trace, Failure | None]:
        free, first_row = keeps_momenta(self._problem), int(trace.cursor[0])
        if free and state.clock[1] == 0:
            start_motion(self._problem, state)
        with compiling_once(f"planar_stepping ({self._solver})"):
            status, tick = self._run(state, table, 0, substeps, trace)
        while status == TABLE_FULL:
            trace = grown(trace, max(2 * len(trace.contact), 2 * len(state.pair_disc), 4096))
            status, tick = self._run(state, table, tick, substeps, trace)
        if free:
            show_kept_spin(self._problem, trace.link[first_row : trace.cursor[0], :, :6])
        return trace, None if status == Status.OK else self._failure(state, trace, Status(status))

    def _run(self, state: State, table: CommandTable, tick: int, substeps: int, trace: Trace) -> tuple[int, int]:
        run = run_ticks if self._solver == "newton" else run_ticks_by_projection
        return run(self._problem, self._around, state, table, tick, substeps, trace)

    def _failure(self, state: State, trace: Trace, status: Status) -> Failure:
        residual = float(trace.step[trace.cursor[2] - 1, 0])
        link = int(self._problem.number[WORST_LINK])
        return Failure(status, float(state.clock[0] * self.dt), link, residual, ADVICE[status])

    def record_start(self, state: State, trace: Trace) -> None:
        trace.link[0, :, :6] = state.link[:, :6]
        trace.energy[0] = state.clock[0] * self.dt, *state.ledger[:5]
        trace.cursor[0] = 1

    def dump(self, state: State) -> StateArrays:
        return {name: value.copy() for name, value in state._asdict().items()}

    def restore(self, arrays: StateArrays) -> State:
        return State(**{name: np.ascontiguousarray(arrays[name]).copy() for name in State._fields})
