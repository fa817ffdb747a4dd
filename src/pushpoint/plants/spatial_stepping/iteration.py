"""What every iteration of Newton's method does: loads, tangents, one articulated sweep, a step.

Tangents that hardly changed are kept: beyond the outermost contact that began or ceased to press, stick or slide, a
sweep uses those of the last.
"""

from __future__ import annotations

from pushpoint._jit import fused, inlined, kernel
from pushpoint.mechanics.spatial_chain import begin_inertias, later_momentum, move_links, sweep
from pushpoint.numerics.records import Records
from pushpoint.plants.spatial_stepping import laws
from pushpoint.plants.spatial_stepping.coupling import couple, press_along
from pushpoint.plants.spatial_stepping.joints import load_joints
from pushpoint.plants.spatial_stepping.model import Problem, Rows

TURN = 0.1  # [rad]
STEP, KEPT, BEST = range(3)  # rows of Rows.motion: the last step; before the exact tangent is tried; the best one


@kernel
def load_links(link: Records, h: float) -> None:
    """What the momentum of each link lacks, without contacts."""
    for i in range(link.shape[0]):
        a = link[i]
        l1, l2, l3, p1, p2, p3 = later_momentum(a, h)
        a.f1, a.f2, a.f3 = a.old1 - l1, a.old2 - l2, a.old3 - l3
        a.f4, a.f5, a.f6 = a.old4 - p1, a.old5 - p2, a.old6 - p3


@fused
def largest(a: float, b: float, c: float) -> float:
    return max(abs(a), abs(b), abs(c))


@kernel
def imbalance(problem: Problem) -> float:
    """Largest impulse [N s] that is not balanced: at the root, and along the joints (torques over half a link)."""
    link, joint, tree = problem.link, problem.joint, problem.tree
    for i in range(link.shape[0]):
        a = link[i]
        a.d1, a.d2, a.d3, a.d4, a.d5, a.d6 = a.f1, a.f2, a.f3, a.f4, a.f5, a.f6
    worst, where = 0.0, tree[0, 0]
    for k in range(tree.shape[0] - 1, 0, -1):
        own, near = link[tree[k, 0]], link[tree[k, 1]]
        for f in range(2, 4):
            if tree[k, f] >= 0:
                j = joint[tree[k, f]]
                left = j.tau + j.s1 * own.d1 + j.s2 * own.d2 + j.s3 * own.d3
                left += j.s4 * own.d4 + j.s5 * own.d5 + j.s6 * own.d6
                size = abs(left) / own.half
                if not size <= worst:
                    worst, where = size, tree[k, 0]
        near.d1, near.d2, near.d3 = near.d1 + own.d1, near.d2 + own.d2, near.d3 + own.d3
        near.d4, near.d5, near.d6 = near.d4 + own.d4, near.d5 + own.d5, near.d6 + own.d6
    root = link[tree[0, 0]]
    size = max(largest(root.d4, root.d5, root.d6), largest(root.d1, root.d2, root.d3) / root.half)
    if not size <= worst:
        worst, where = size, tree[0, 0]
    problem.number[0].worst_link = where
    return float(worst)


@fused
def changes(c: Records, closed: float, slips: float, rolls: float) -> bool:
    """Whether a contact, just evaluated, presses, sticks or slides otherwise than its tangents say."""
    if c.closed != closed:
        return True
    if c.closed == 0.0:
        return False
    return bool(c.slips != slips or c.rolls != rolls or (c.slips > 0.0 and laws.tangent_changed(c)))


@kernel
def load_contacts(problem: Problem, keep_modes: bool) -> float:
    """Impulses of all contacts on their links; returns how far friction is from the disc of its normal impulse. Notes
    which links, the root among them, lie between contacts whose tangents changed."""
    worst, low, high, root = 0.0, problem.link.shape[0], -1, int(problem.tree[0, 0])
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        i, closed, slips, rolls = int(c.link), c.closed, c.slips, c.rolls
        if keep_modes:
            laws.evaluate_in_mode(c)
        else:
            laws.evaluate(c)
        if changes(c, closed, slips, rolls):
            low, high = min(low, root, i), max(high, root, i)
        worst = max(worst, max(c.mu_t, c.mu_s, 1.0 if c.roll > 0.0 else 0.0) * abs(c.pn - c.disc))
        laws.push(problem.link[i], c)
        if c.other >= 0.0:
            press_along(problem.link[int(c.other)], c, -c.pn)
    problem.number[0].low, problem.number[0].high = low, high
    return worst


@kernel
def load(problem: Problem, keep_modes: bool) -> tuple[float, float]:
    """At the present velocities, relative to the weight: what is not balanced, and how far the radii of friction are
    from the normal impulses. `keep_modes`: contacts press, stick and slide as they did last."""
    dt = problem.number[0].dt
    load_links(problem.link, 0.5 * dt)
    joints_changed = load_joints(problem.joint, dt)
    lag = load_contacts(problem, keep_modes)
    if joints_changed:
        problem.number[0].low, problem.number[0].high = 0, problem.link.shape[0] - 1
    scale = 1.0 / (problem.number[0].weight * dt)
    return imbalance(problem) * scale, lag * scale


@kernel
def newton_step(problem: Problem, room: Rows, exact: bool, low: int, high: int) -> None:
    """Direction from the present loads and tangents; beyond the links `low` to `high` tangents are those of the last
    iteration. `exact`: see laws."""
    begin_inertias(problem.link, low, high)
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        if low <= c.link <= high and c.other < 0.0 and (c.closed > 0.0 or c.disc > 0.0):
            laws.stiffen_by(problem.link[int(c.link)], c, exact)
    sweep(problem.link, problem.joint, problem.tree, problem.scratch, low, high)
    if problem.number[0].self_contacts > 0:
        couple(problem, room)
    laws.measure_steps(problem.link, problem.contact, problem.number[0].contacts)


@inlined
def newton_step_all(problem: Problem, room: Rows, exact: bool) -> None:
    """Direction from the present loads and tangents of all links."""
    newton_step(problem, room, exact, 0, problem.link.shape[0] - 1)


@kernel
def longest_step(problem: Problem) -> float:
    """The part of a step in which nothing turns faster than TURN per half a time step: beyond, the terms of the momenta
    that are quadratic in the velocities, and not part of the tangent, would take over."""
    a = problem.link[problem.tree[0, 0]]
    fastest = largest(a.d1, a.d2, a.d3)
    for k in range(problem.joint.shape[0]):
        fastest = max(fastest, abs(problem.joint[k].step))
    most = 2.0 * TURN / problem.number[0].dt
    return most / fastest if fastest > most else 1.0


@fused
def add_step(problem: Problem, alpha: float) -> None:
    """Add a part of the step to the motion of the root and to the rates."""
    a = problem.link[problem.tree[0, 0]]
    a.w1, a.w2, a.w3 = a.w1 + alpha * a.d1, a.w2 + alpha * a.d2, a.w3 + alpha * a.d3
    a.v1, a.v2, a.v3 = a.v1 + alpha * a.d4, a.v2 + alpha * a.d5, a.v3 + alpha * a.d6
    for k in range(problem.joint.shape[0]):
        problem.joint[k].rate += alpha * problem.joint[k].step


@kernel
def take_step(problem: Problem, alpha: float) -> None:
    """Move by a part of the step."""
    for k in range(problem.number[0].contacts):
        laws.advance(problem.contact[k], alpha)
    add_step(problem, alpha)
    move_links(problem.link, problem.joint, problem.tree)


@kernel
def set_radii(problem: Problem) -> None:
    """Radii of friction are the normal impulses."""
    for k in range(problem.number[0].contacts):
        c = problem.contact[k]
        c.disc = laws.normal_impulse(c, c.gn)


@inlined
def step_in_last_modes(problem: Problem, room: Rows) -> None:
    """A full step with all contacts pressing, sticking and sliding as they did last."""
    load(problem, True)
    newton_step_all(problem, room, True)
    take_step(problem, longest_step(problem))
    set_radii(problem)


@kernel
def keep_motion(problem: Problem, room: Rows, row: int) -> None:
    """Put the velocities aside."""
    a, kept = problem.link[problem.tree[0, 0]], room.motion[row]
    kept[0], kept[1], kept[2], kept[3], kept[4], kept[5] = a.w1, a.w2, a.w3, a.v1, a.v2, a.v3
    for k in range(problem.joint.shape[0]):
        kept[6 + k] = problem.joint[k].rate


@fused
def keep_root_step(problem: Problem, room: Rows) -> None:
    """Put the step of the root aside, as loads take its place."""
    a, kept = problem.link[problem.tree[0, 0]], room.motion[STEP]
    kept[0], kept[1], kept[2], kept[3], kept[4], kept[5] = a.d1, a.d2, a.d3, a.d4, a.d5, a.d6


@kernel
def restore_motion(problem: Problem, room: Rows, row: int, alpha: float) -> None:
    """The velocities put aside and a part of the last step; none of it if alpha is zero, whatever the step was."""
    a, kept, s = problem.link[problem.tree[0, 0]], room.motion[row], room.motion[STEP]
    a.w1, a.w2, a.w3, a.v1, a.v2, a.v3 = kept[0], kept[1], kept[2], kept[3], kept[4], kept[5]
    for k in range(problem.joint.shape[0]):
        problem.joint[k].rate = kept[6 + k]
    if alpha > 0.0:
        a.d1, a.d2, a.d3, a.d4, a.d5, a.d6 = s[0], s[1], s[2], s[3], s[4], s[5]
        add_step(problem, alpha)
    move_links(problem.link, problem.joint, problem.tree)
    laws.measure_speeds(problem.link, problem.contact, problem.number[0].contacts)
    set_radii(problem)
