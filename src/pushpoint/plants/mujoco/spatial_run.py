"""Steps and ticks of the MuJoCo plant in space, and what is recorded of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pushpoint.mechanics.rotation import matrices
from pushpoint.plants.mujoco.run import status_of, with_room, without_log
from pushpoint.plants.mujoco.spatial_model import SpatialParams, spatial_controls
from pushpoint.types import CommandTable, FloatArray, IntArray, SpatialPose, Status, Trace

# Columns of State.link, as types.SPATIAL_LINK_COLUMNS.
POSITION, QUATERNION, VELOCITY, RATE, MOTION = slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13), 13
# Columns of State.sums, impulses of the tick; eight further on the same since the last recorded row.
CONTACT, GROUND, JOINT, RECORD = slice(0, 3), slice(3, 6), 6, 8
# Columns of a pair: place [m], contact point [m], normal, whether it slid in the last step, and the impulse [N s] of
# the tick and since the last recorded row.
PLACE, POINT, NORMAL, SLIP, TICK, SINCE_ROW = 0, slice(1, 4), slice(4, 7), 7, slice(8, 11), slice(11, 14)
PAIR_COLUMNS = 14
AT_LIMIT = 0.999  # of the friction limit: above it a contact counts as sliding
LEDGER_SIZE = 6  # types.LEDGER and the work of gravity
PLANE = 1  # in SpatialParams.geom_ground

Key = tuple[int, int, int, int]  # link, obstacle or -1, the other shape, and the half of the link: 0 tail, 1 head


@dataclass(slots=True)
class SpatialState:
    """All that changes in time."""

    data: Any  # mujoco.MjData
    steps: int  # done since t = 0
    link: FloatArray  # (n, 13): position, quaternion, velocity, rate
    sums: FloatArray  # (n, 16): impulses on each link, see above
    ledger: FloatArray  # [J], (6,): types.LEDGER and the work of gravity
    pairs: dict[Key, FloatArray]  # what touched in this tick or since the last row


class Touch(NamedTuple):
    """Contacts as seen from their links, one row each; the two links of a self-contact have a row each."""

    link: IntArray
    other: IntArray  # the shape that is touched
    point: FloatArray  # [m], (k, 3)
    normal: FloatArray  # (k, 3): to the link
    push: FloatArray  # [N], (k, 3): on the link, along the normal
    friction: FloatArray  # [N], (k, 3): on the link, across the normal
    moment: FloatArray  # [N m], (k, 3): on the link, of rolling friction
    slip: FloatArray  # (k,): 1 if friction is at its limit


def make_spatial_state(params: SpatialParams, pose: SpatialPose) -> SpatialState:
    import mujoco

    data, root = mujoco.MjData(params.mj), params.root
    data.qpos[:7] = [*pose.position[root], *pose.orientation[root]]
    data.qvel[:3] = pose.velocity[root]
    data.qvel[3:6] = matrices(pose.orientation[root]).T @ pose.rate[root]  # MuJoCo's are in the link's axes
    data.qpos[params.angle_at] = pose.joint_angle
    data.qvel[params.rate_at] = pose.joint_rate
    return around_spatial_data(params, data)


def around_spatial_data(params: SpatialParams, data: Any) -> SpatialState:
    """A state at t = 0 with these coordinates and velocities."""
    link = links_of(params, data)
    state = SpatialState(data, 0, link, np.zeros((len(link), 2 * RECORD)), np.zeros(LEDGER_SIZE), {})
    state.ledger[0] = kinetic_energy(params, link)
    return state


def links_of(params: SpatialParams, data: Any) -> FloatArray:
    """Position, quaternion, velocity and rate of all links (n, 13) for the coordinates and velocities in the data."""
    import mujoco

    mujoco.mj_kinematics(params.mj, data)
    mujoco.mj_comPos(params.mj, data)
    mujoco.mj_comVel(params.mj, data)
    body, out = params.body, np.empty((len(params.body), MOTION))
    out[:, POSITION], out[:, QUATERNION] = data.xpos[body], data.xquat[body]
    rate, at_mass_centre = data.cvel[body, :3], data.cvel[body, 3:]
    centre = data.subtree_com[params.body[params.root]]
    out[:, VELOCITY], out[:, RATE] = at_mass_centre + np.cross(rate, out[:, POSITION] - centre), rate
    return out


def kinetic_energy(params: SpatialParams, link: FloatArray) -> float:
    own = np.einsum("iba,ib->ia", matrices(link[:, QUATERNION]), link[:, RATE])  # in the links' axes
    moving = params.mass @ np.sum(link[:, VELOCITY] ** 2, axis=1)
    return 0.5 * float(moving + np.sum(params.inertia * own * own))


def run_spatial_ticks(
    params: SpatialParams, state: SpatialState, table: CommandTable, substeps: int, trace: Trace
) -> tuple[Trace, Status]:
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


def tick(params: SpatialParams, state: SpatialState, command: CommandTable, substeps: int, trace: Trace) -> Status:
    """One control tick of `substeps` steps."""
    forget_tick(state)
    for k in range(substeps):
        state.data.ctrl[:] = spatial_controls(params, command, (k + 1) * params.dt)
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


def forget_tick(state: SpatialState) -> None:
    state.sums[:, :RECORD] = 0.0
    for pair in state.pairs.values():
        pair[TICK] = 0.0
    state.pairs = {key: pair for key, pair in state.pairs.items() if np.any(pair[SINCE_ROW])}


def step(params: SpatialParams, state: SpatialState) -> Status:
    """One step of MuJoCo, with its impulses and its energy; every force works on the mean velocity of the step."""
    import mujoco

    data, before = state.data, state.link
    rate_before, angle_before = data.qvel[params.rate_at], data.qpos[params.angle_at]
    mujoco.mj_step(params.mj, data)
    state.steps += 1
    # Contacts are still those of the start of the step: what follows does not touch them.
    touch = touches(params, data)
    torque = joint_torque(params, data, angle_before, rate_before)
    state.link = after = links_of(params, data)
    mean = 0.5 * (before + after)
    state.sums[params.joint_link, JOINT + params.second] += torque * params.dt
    servo = params.dt * float(torque @ (0.5 * (rate_before + data.qvel[params.rate_at])))
    gravity = params.dt * float(params.mass @ (mean[:, VELOCITY] @ params.gravity))
    friction, contact = add_touches(params, state, touch, before, mean)
    energy = kinetic_energy(params, after)
    gained = energy - float(state.ledger[0])
    state.ledger[0] = energy
    state.ledger[1:] += servo, friction, contact, gained - servo - friction - contact - gravity, gravity
    return status_of(data)


def joint_torque(params: SpatialParams, data: Any, angle: FloatArray, rate: FloatArray) -> FloatArray:
    """Torques [N m] in the joints during the step: servo, spring, damper, stops, less what turns the motor.

    The implicit parts belong to the change of rate, see `model.servo_inertia`; a servo at its limit has none.
    """
    change = data.qvel[params.rate_at] - rate
    force = data.actuator_force * params.actuated
    servo = np.where(np.abs(force) < params.torque_limit, force - params.servo_drag * change, force)
    passive = data.qfrc_passive[params.rate_at] - params.spring_drag * change
    return np.asarray(servo + passive + stop_torque(params, data, angle) - params.armature * change / params.dt)


def stop_torque(params: SpatialParams, data: Any, angle: FloatArray) -> FloatArray:
    """Of joints at their stops [N m], (f,)."""
    import mujoco

    out = np.zeros(len(angle))
    rows = np.flatnonzero(data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT))
    if len(rows) == 0:
        return out
    address = params.mj.jnt_dofadr[data.efc_id[rows]]
    freedom = np.array([int(np.flatnonzero(params.rate_at == a)[0]) for a in address])
    at_lower = angle[freedom] - params.stop[freedom, 0] < params.stop[freedom, 1] - angle[freedom]
    np.add.at(out, freedom, np.where(at_lower, 1.0, -1.0) * data.efc_force[rows])
    return out


def touches(params: SpatialParams, data: Any) -> Touch:
    """What MuJoCo's contacts did to the links in the step."""
    contact, parts = data.contact, np.arange(6)
    address, dim, geom = contact.efc_address, contact.dim, contact.geom.reshape(-1, 2)
    known = (parts < dim[:, np.newaxis]) & (address[:, np.newaxis] >= 0)
    at = np.where(known, address[:, np.newaxis] + parts, 0)
    # On the second shape, in the contact's frame: normal, two tangents, and moments about the three.
    own = np.where(known, data.efc_force[at], 0.0) if len(data.efc_force) else np.zeros((len(dim), 6))
    frame = contact.frame.reshape(-1, 3, 3)
    limit = np.where(parts[1:] < dim[:, np.newaxis], contact.friction, np.inf).reshape(-1, 5)
    used = np.sqrt(np.sum((own[:, 1:] / limit) ** 2, axis=1))
    slip = ((dim > 1) & (used > AT_LIMIT * own[:, 0])).astype(float)
    push = own[:, :1] * frame[:, 0]
    friction = np.einsum("ck,ckx->cx", own[:, 1:3], frame[:, 1:])
    moment = np.einsum("ck,ckx->cx", own[:, 3:], frame)
    pressed = own[:, 0] > 0.0
    sides = []
    for side, sense in ((1, 1.0), (0, -1.0)):
        c = np.flatnonzero(pressed & (params.geom_link[geom[:, side]] >= 0))
        seen = (sense * vectors[c] for vectors in (frame[:, 0], push, friction, moment))
        sides.append((params.geom_link[geom[c, side]], geom[c, 1 - side], contact.pos[c], *seen, slip[c]))
    return Touch(*(np.concatenate(both) for both in zip(*sides, strict=True)))


def add_touches(
    params: SpatialParams, state: SpatialState, touch: Touch, before: FloatArray, mean: FloatArray
) -> tuple[float, float]:
    """Add the step's impulses to the sums; returns the work [J] of the ground's friction and of all other contacts."""
    ground, total = params.geom_ground[touch.other] > 0, touch.push + touch.friction
    for columns, rows in ((GROUND, ground), (CONTACT, ~ground)):
        np.add.at(state.sums[:, columns], touch.link[rows], params.dt * total[rows])
    rate = mean[touch.link, RATE]
    velocity = mean[touch.link, VELOCITY] + np.cross(rate, touch.point - before[touch.link, POSITION])
    rubbed = params.dt * np.sum(touch.friction * velocity + touch.moment * rate, axis=1)
    pushed = params.dt * np.sum(touch.push * velocity, axis=1)
    for c in np.flatnonzero((params.geom_ground[touch.other] != PLANE) & (params.geom_link[touch.other] < 0)):
        note_touch(params, state, touch, int(c), before)
    return float(rubbed[ground].sum()), float(pushed.sum() + rubbed[~ground].sum())


def note_touch(params: SpatialParams, state: SpatialState, touch: Touch, c: int, link: FloatArray) -> None:
    """Keep contact c with an obstacle or the terrain for the table of contacts."""
    i, other = int(touch.link[c]), int(touch.other[c])
    forward = matrices(link[i, QUATERNION])[:, 0]
    along = float((touch.point[c] - link[i, POSITION]) @ forward)
    key = (i, int(params.geom_obstacle[other]), other, int(along > 0))
    pair = state.pairs.setdefault(key, np.zeros(PAIR_COLUMNS))
    pair[PLACE] = min(max(along, -params.half_core[i]), params.half_core[i])
    pair[POINT], pair[NORMAL], pair[SLIP] = touch.point[c], touch.normal[c], touch.slip[c]
    pair[TICK] += params.dt * (touch.push[c] + touch.friction[c])


def solver_residual(params: SpatialParams, data: Any) -> float:
    """The gradient [m/s2] at which MuJoCo's solver stopped, over the larger of gravity and top speed / dt."""
    iterations = int(data.solver_niter[0])
    if iterations == 0:
        return 0.0
    kept = min(iterations, len(data.solver)) - 1  # MuJoCo remembers so many iterations
    scale = max(float(np.linalg.norm(params.gravity)) * params.dt, float(np.abs(data.qvel).max()))
    return float(data.solver[kept].gradient) * params.dt / scale if scale > 0 else 0.0


def write_row(params: SpatialParams, state: SpatialState, trace: Trace, span: float) -> None:
    """Record the state and the means over the `span` [s] since the last row: types.SPATIAL_LINK_COLUMNS."""
    row = trace.cursor[0]
    write_state(params, state, trace, row)
    trace.link[row, :, MOTION:] = state.sums[:, RECORD:] / span
    for (i, obstacle, *_), pair in sorted(state.pairs.items()):
        if np.any(pair[SINCE_ROW]):
            where = pair[PLACE], *pair[POINT], *pair[NORMAL]
            trace.contact[trace.cursor[1]] = row, i, obstacle, *where, *(pair[SINCE_ROW] / span), pair[SLIP], 0.0
            trace.cursor[1] += 1
        pair[SINCE_ROW] = 0.0
    state.sums[:, RECORD:] = 0.0
    trace.cursor[0] = row + 1
    trace.cursor[3] = 0


def write_state(params: SpatialParams, state: SpatialState, trace: Trace, row: int) -> None:
    """What of a row is known at its instant."""
    trace.link[row, :, :MOTION] = state.link
    trace.energy[row] = state.steps * params.dt, *state.ledger[:5]
    trace.extra[row] = state.ledger[5:][: trace.extra.shape[1]]
