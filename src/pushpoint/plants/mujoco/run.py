"""Steps and ticks of the MuJoCo plant, and what is recorded of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pushpoint.plants.mujoco.model import Params, controls, link_state
from pushpoint.types import CommandTable, FloatArray, IntArray, Pose, Status, Trace, grown

# Columns of State.sums, impulses of the tick; five further on the same since the last recorded row.
CONTACT, GROUND, JOINT, RECORD = slice(0, 2), slice(2, 4), 4, 5
# Columns of a pair: place [m], normal x, y, impulse [N s] x, y of the tick and since the last recorded row.
PLACE, NORMAL, TICK, SINCE_ROW = 0, slice(1, 3), slice(3, 5), slice(5, 7)
PAIR_COLUMNS = 7
CONTACT_ROOM = 4096  # rows by which the contact table grows at least


@dataclass(slots=True)
class State:
    """All that changes in time."""

    data: Any  # mujoco.MjData
    steps: int  # done since t = 0
    link: FloatArray  # (n, 6): x, y, angle, v_x, v_y, rate
    sums: FloatArray  # (n, 10): impulses on each link, see above
    ledger: FloatArray  # [J], (5,): types.LEDGER
    pairs: dict[tuple[int, int], FloatArray]  # (link, disc) that touched in this tick or since the last row


def make_state(params: Params, pose: Pose) -> State:
    import mujoco

    data = mujoco.MjData(params.mj)
    data.qpos[:] = [*pose.position[0], pose.angle[0], *np.diff(pose.angle)]
    data.qvel[:] = [*pose.velocity[0], pose.rate[0], *np.diff(pose.rate)]
    return around_data(params, data)


def around_data(params: Params, data: Any) -> State:
    """A state at t = 0 with these coordinates and velocities."""
    n = len(params.mass)
    link = link_state(params, data.qpos, data.qvel)
    state = State(data, 0, link, np.zeros((n, 10)), np.zeros(5), {})
    state.ledger[0] = kinetic_energy(params, link)
    return state


def kinetic_energy(params: Params, link: FloatArray) -> float:
    v_x, v_y, rate = link[:, 3:].T
    return 0.5 * float(params.mass @ (v_x * v_x + v_y * v_y) + params.inertia @ (rate * rate))


def run_ticks(params: Params, state: State, table: CommandTable, substeps: int, trace: Trace) -> tuple[Trace, Status]:
    """All ticks of the table, until one fails."""
    for row in zip(*table, strict=True):
        with without_log():
            status = tick(params, state, CommandTable(*row), substeps, trace)
        if status != Status.OK:
            return trace, status
        trace.cursor[3] += 1
        if trace.cursor[3] == trace.cursor[4]:
            trace = with_room(trace, len(state.pairs))
            write_row(params, state, trace, float(trace.cursor[3] * substeps * params.dt))
    return trace, Status.OK


@contextmanager
def without_log() -> Iterator[None]:
    """Keep MuJoCo from printing and filing its warnings: `status_of` finds them in the data."""
    import mujoco

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def tick(params: Params, state: State, command: CommandTable, substeps: int, trace: Trace) -> Status:
    """One control tick of `substeps` steps."""
    forget_tick(state)
    for k in range(substeps):
        state.data.ctrl[:] = controls(params, command, (k + 1) * params.dt)
        status = step(params, state)
        at = trace.cursor[2]
        trace.step[at, :3] = solver_residual(params, state.data), state.data.solver_niter[0], status
        trace.cursor[2] = at + 1
        if status != Status.OK:
            return status
    state.sums[:, RECORD:] += state.sums[:, :RECORD]
    for pair in state.pairs.values():
        pair[SINCE_ROW] += pair[TICK]
    return Status.OK


def forget_tick(state: State) -> None:
    state.sums[:, :RECORD] = 0.0
    for pair in state.pairs.values():
        pair[TICK] = 0.0
    state.pairs = {key: pair for key, pair in state.pairs.items() if np.any(pair[SINCE_ROW])}


def step(params: Params, state: State) -> Status:
    """One step of MuJoCo, with its impulses and its energy."""
    import mujoco

    data, before = state.data, state.link
    joint_rate = data.qvel[3:].copy()
    mujoco.mj_step(params.mj, data)
    state.steps += 1
    state.link = after = link_state(params, data.qpos, data.qvel)
    mean = 0.5 * (before[:, 3:] + after[:, 3:])
    torque = joint_torque(params, data, joint_rate)
    state.sums[1:, JOINT] += torque * params.dt
    energy = kinetic_energy(params, after)
    servo = params.dt * float(torque @ np.diff(mean[:, 2]))
    friction, contact = add_contacts(params, state, before, mean)
    gained = energy - float(state.ledger[0])
    state.ledger[0] = energy
    state.ledger[1:] += servo, friction, contact, gained - servo - friction - contact
    return status_of(data)


def joint_torque(params: Params, data: Any, rate_before: FloatArray) -> FloatArray:
    """Torques [N m] that acted during the step, see `model.servo_inertia`; at the limit none is implicit. Those of
    dampers belong to them; MuJoCo takes them at the end of the step."""
    force, rate = data.actuator_force, data.qvel[3:]
    implicit = params.servo_inertia / params.dt * (rate - rate_before)
    servo = np.where(np.abs(force) < params.torque_limit, force - implicit, force)
    return np.asarray(servo - params.joint_damping * rate)


def add_contacts(params: Params, state: State, before: FloatArray, mean: FloatArray) -> tuple[float, float]:
    """Add the step's impulses to the sums; returns the work [J] of friction and of obstacles."""
    contact, force = state.data.contact, state.data.efc_force
    # MuJoCo orders the two shapes by type, plane, sphere, capsule: the second one is always the link's.
    first, second = contact.geom[:, 0], contact.geom[:, 1]
    disc, link = params.geom_disc[first], params.geom_link[second]
    frame, row = contact.frame, contact.efc_address
    feet = np.flatnonzero(disc < 0)
    tangent = params.dt * force[row[feet, np.newaxis] + [1, 2]]
    impulse = tangent[:, :1] * frame[feet, 3:5] + tangent[:, 1:] * frame[feet, 6:8]
    state.sums[link[feet], GROUND] += impulse
    friction = float(np.sum(impulse * mean[link[feet], :2]))
    pushed = 0.0
    for c in np.flatnonzero((disc >= 0) & (row >= 0)):  # no row: found just out of touch
        size = params.dt * float(force[row[c]])
        if size > 0.0:
            i, k = int(link[c]), int(disc[c])
            pushed += push(params, state, (i, k), size * frame[c, :2], (before[i], mean[i]))
    return friction, pushed


def push(
    params: Params,
    state: State,
    key: tuple[int, int],
    impulse: FloatArray,
    motion: tuple[FloatArray, FloatArray],
) -> float:
    """Note an impulse [N s] of a disc on a link with this pose and mean velocity; returns its work [J]."""
    (i, k), (link, mean) = key, motion
    normal = impulse / np.hypot(impulse[0], impulse[1])
    pair = state.pairs.setdefault(key, np.zeros(PAIR_COLUMNS))
    x, y, radius = params.disc[k]
    along = (x - link[0]) * np.cos(link[2]) + (y - link[1]) * np.sin(link[2])
    pair[PLACE] = min(max(along, -params.half_core[i]), params.half_core[i])
    pair[NORMAL] = normal
    pair[TICK] += impulse
    state.sums[i, CONTACT] += impulse
    arm_x, arm_y = x + radius * normal[0] - link[0], y + radius * normal[1] - link[1]
    moment = arm_x * impulse[1] - arm_y * impulse[0]
    return float(impulse @ mean[:2] + moment * mean[2])


def solver_residual(params: Params, data: Any) -> float:
    """The gradient [m/s2] at which MuJoCo's solver stopped, over the larger of gravity and top speed / dt."""
    iterations = int(data.solver_niter[0])
    if iterations == 0:
        return 0.0
    kept = min(iterations, len(data.solver)) - 1  # MuJoCo remembers so many iterations
    scale = max(params.gravity * params.dt, float(np.abs(data.qvel).max()))
    return float(data.solver[kept].gradient) * params.dt / scale if scale > 0 else 0.0


def status_of(data: Any) -> Status:
    """From MuJoCo's warnings: 1 and 2 no memory for contacts, 3 to 6 a number that is not finite or huge."""
    warnings = data.warning.number
    if not warnings.any():
        return Status.OK
    if warnings[3:].any():
        return Status.NOT_FINITE
    return Status.TOO_MANY_CONTACTS if warnings[1:3].any() else Status.OK


def with_room(trace: Trace, contacts: int) -> Trace:
    if trace.cursor[1] + contacts <= len(trace.contact):
        return trace
    return grown(trace, max(len(trace.contact), contacts, CONTACT_ROOM))


def write_row(params: Params, state: State, trace: Trace, span: float) -> None:
    """Record the state and the means over the `span` [s] since the last row: types.LINK_COLUMNS."""
    row = trace.cursor[0]
    trace.link[row, :, :6] = state.link
    trace.link[row, :, 6:] = state.sums[:, RECORD:] / span
    trace.energy[row] = state.steps * params.dt, *state.ledger
    for (i, k), pair in sorted(state.pairs.items()):
        if np.any(pair[SINCE_ROW]):
            place = pair[PLACE], *contact_point(params, k, pair[NORMAL]), *pair[NORMAL]
            trace.contact[trace.cursor[1]] = row, i, k, *place, *(pair[SINCE_ROW] / span), 0.0, 0.0  # smooth and soft
            trace.cursor[1] += 1
        pair[SINCE_ROW] = 0.0
    state.sums[:, RECORD:] = 0.0
    trace.cursor[0] = row + 1
    trace.cursor[3] = 0


def contact_point(params: Params, disc: int | IntArray, normal: FloatArray) -> FloatArray:
    """Where the normal leaves the disc [m]."""
    return np.asarray(params.disc[disc, :2] + params.disc[disc, 2:] * normal)
