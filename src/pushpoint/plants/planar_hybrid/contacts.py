"""Where the links are, which obstacle is nearest to each, and the rows of the unilateral constraints, P1 (30)-(39)."""

from __future__ import annotations

import math

from pushpoint._jit import fused, inlined, kernel
from pushpoint.geometry.capsule_disc import capsule_disc
from pushpoint.geometry.grid import cell_range
from pushpoint.numerics.records import Records
from pushpoint.plants.planar_hybrid.model import Problem, State
from pushpoint.types import FloatArray

DETACHED = 1e-4  # [m], gap that ends a contact: without this hysteresis jumps run to thousands a second
REACH = 2.0 * DETACHED  # [m], gap up to which obstacles are searched for
SMALLEST = 1e-6  # [m], distance of an end from the centre of an obstacle: it came there by a start that overlaps
APART = 1e9  # [m], gap where there is nothing
NOTHING = -1  # in place of an obstacle
SAME_POINT = 1e-12  # [m2], squared distance of two contacts at the joint that both links share


@kernel
def place_links(problem: Problem, vector: FloatArray) -> None:
    """Poses and velocities of all links from angles and centre of mass, P1 (8) and (9)."""
    link, n = problem.link, problem.link.shape[0]
    x = y = vx = vy = 0.0  # as if the centre of link 0 were the origin
    mean_x = mean_y = mean_vx = mean_vy = 0.0
    for i in range(n):
        a = link[i]
        a.cos, a.sin, a.w = math.cos(vector[i]), math.sin(vector[i]), vector[n + 2 + i]
        hx, hy = a.half * a.cos, a.half * a.sin
        if i > 0:
            x, y, vx, vy = x + hx, y + hy, vx - a.w * hy, vy + a.w * hx
        a.x, a.y, a.vx, a.vy = x, y, vx, vy
        mean_x, mean_y = mean_x + a.mass * x, mean_y + a.mass * y
        mean_vx, mean_vy = mean_vx + a.mass * vx, mean_vy + a.mass * vy
        x, y, vx, vy = x + hx, y + hy, vx - a.w * hy, vy + a.w * hx
    per_mass = 1.0 / problem.number[0].mass
    x, y = vector[n] - mean_x * per_mass, vector[n + 1] - mean_y * per_mass
    vx, vy = vector[2 * n + 2] - mean_vx * per_mass, vector[2 * n + 3] - mean_vy * per_mass
    for i in range(n):
        a = link[i]
        a.x, a.y, a.vx, a.vy = a.x + x, a.y + y, a.vx + vx, a.vy + vy


@kernel
def nearest(problem: Problem, state: State, i: int, untouched: bool) -> tuple[int, float]:
    """The obstacle whose edge is nearest to link i, and the gap [m]; -1 if there is none within REACH, P1 (32).

    `untouched`: of those that the link is not in contact with.
    """
    a, grid = problem.link[i], problem.grid
    found, least = -1, APART
    full = a.axis + a.radius + REACH
    column, row = (a.x - grid.origin[0]) / grid.origin[2], (a.y - grid.origin[1]) / grid.origin[2]
    size = full / grid.origin[2]
    column_first, column_last = cell_range(column - size, column + size, grid.shape[0])
    row_first, row_last = cell_range(row - size, row + size, grid.shape[1])
    for r in range(row_first, row_last):
        for c in range(column_first, column_last):
            cell = r * grid.shape[0] + c
            for k in range(grid.start[cell], grid.start[cell + 1]):
                item = grid.item[k]
                dx, dy = a.x - problem.disc[item, 0], a.y - problem.disc[item, 1]
                limit = problem.disc[item, 2] + full
                if dx * dx + dy * dy < limit * limit:
                    gap = gap_to(problem, i, item)
                    if gap < least and not (untouched and slot_of(problem, state, i, item) >= 0):
                        found, least = item, gap
    return found, least


@kernel
def slot_of(problem: Problem, state: State, i: int, obstacle: int) -> int:
    """The slot in which link i touches this obstacle, or NOTHING: a free one; -1 if there is none."""
    slots = problem.number[0].slots
    for s in range(slots * i, slots * (i + 1)):
        touched = int(state.touch[s].obstacle) if state.alpha[s] != 0 else NOTHING
        if touched == obstacle:
            return s
    return -1


@fused
def from_disc(problem: Problem, i: int, obstacle: int) -> tuple[float, float, float, float]:
    """Distance of the axis of link i from the centre of an obstacle [m], its place along the link, the normal."""
    a, disc = problem.link[i], problem.disc
    return capsule_disc(a.x - disc[obstacle, 0], a.y - disc[obstacle, 1], a.cos, a.sin, a.axis)


@kernel
def gap_to(problem: Problem, i: int, obstacle: int) -> float:
    """[m], negative where the link overlaps the obstacle."""
    distance, _, _, _ = from_disc(problem, i, obstacle)
    return float(distance - problem.disc[obstacle, 2] - problem.link[i].radius)


@kernel
def side_of(problem: Problem, i: int, obstacle: int) -> int:
    """alpha_i of a contact with this obstacle, P1 (32): +1 if it pushes link i to its left, -1 if to its right."""
    a = problem.link[i]
    _, _, nx, ny = from_disc(problem, i, obstacle)
    return 1 if a.cos * ny - a.sin * nx >= 0.0 else -1


@kernel
def gather_contacts(problem: Problem, state: State) -> None:
    """The rows of all links in contact; of two links that touch an obstacle with the joint they share, one."""
    count, slots = 0, problem.number[0].slots
    for s in range(state.alpha.shape[0]):
        if state.alpha[s] == 0 or count == problem.contact.shape[0] - 1:
            continue
        c = problem.contact[count]
        c.slot, c.leaving = s, state.leaving[s]
        set_contact(problem, c, s // slots, state.alpha[s], int(state.touch[s].obstacle))
        if problem.number[0].centre or not same_joint(problem, count):
            problem.basic[count] = state.pushing[s]
            count += 1
    problem.number[0].touching = count


@kernel
def normal_speed(problem: Problem, state: State, s: int) -> float:
    """Of the contact in slot s [m/s], negative if it approaches; links are placed already."""
    c = problem.contact[problem.contact.shape[0] - 1]
    set_contact(problem, c, s // problem.number[0].slots, state.alpha[s], int(state.touch[s].obstacle))
    return float(c.speed)


@kernel
def same_joint(problem: Problem, count: int) -> bool:
    """Whether the link before touches the obstacle of contact `count` with the joint that both share, as this one."""
    contact = problem.contact
    c = contact[count]
    if c.place > -problem.link[int(c.link)].axis:
        return False
    for k in range(count - 1, -1, -1):
        other = contact[k]
        if other.link < c.link - 1.0:
            return False
        dx, dy = c.point_x - other.point_x, c.point_y - other.point_y
        if c.obstacle == other.obstacle and dx * dx + dy * dy < SAME_POINT:
            return True
    return False


@kernel
def set_contact(problem: Problem, c: Records, i: int, alpha: int, obstacle: int) -> None:
    """Everything that the row of a contact needs, P1 (36)-(39)."""
    a, disc = problem.link[i], problem.disc
    distance, place, nx, ny = from_disc(problem, i, obstacle)
    c.link, c.obstacle, c.friction = i, obstacle, disc[obstacle, 3]
    c.gap, c.place = distance - disc[obstacle, 2] - a.radius, place
    c.point_x, c.point_y = a.x + place * a.cos - a.radius * nx, a.y + place * a.sin - a.radius * ny
    if problem.number[0].centre:
        push_at_centre(a, c, alpha)
    else:
        push_at_point(a, c, nx, ny, distance)


@inlined
def push_at_centre(a: Records, c: Records, alpha: int) -> None:
    """P1's Assumption 6: the force acts on the centre of mass, across the link; P1 (34) and (39)."""
    c.normal_x, c.normal_y, c.arm = -alpha * a.sin, alpha * a.cos, 0.0
    c.tangent_x, c.tangent_y, c.arm_t = a.cos, a.sin, 0.0
    c.speed = c.normal_x * a.vx + c.normal_y * a.vy
    c.slide = a.cos * a.vx + a.sin * a.vy
    c.bias = -alpha * a.w * c.slide


@inlined
def push_at_point(a: Records, c: Records, nx: float, ny: float, distance: float) -> None:
    """The force acts where link and obstacle touch, along the normal of both; friction on the link's surface.

    The gap g is the distance less both radii; `speed` is its first derivative, `bias` its second without accelerations:
    of a link that glides along with its flank, or of an end that slides round the obstacle.
    """
    c.normal_x, c.normal_y = nx, ny
    c.tangent_x, c.tangent_y = -ny, nx
    c.arm = c.place * (a.cos * ny - a.sin * nx)
    c.arm_t = c.place * (a.cos * nx + a.sin * ny) - a.radius
    c.speed = nx * a.vx + ny * a.vy + c.arm * a.w
    c.slide = c.tangent_x * a.vx + c.tangent_y * a.vy + c.arm_t * a.w
    if abs(c.place) < a.axis:
        side = a.cos * ny - a.sin * nx
        c.bias = -2.0 * side * a.w * (a.cos * a.vx + a.sin * a.vy) - a.w * a.w * distance
    else:
        along = c.slide + a.radius * a.w  # of the point on the axis
        c.bias = along * along / max(distance, SMALLEST) - a.w * a.w * c.place * (a.cos * nx + a.sin * ny)


@kernel
def remember_contacts(problem: Problem, state: State) -> None:
    """Keep what observations and recordings say of the contacts."""
    for k in range(problem.number[0].touching):
        c = problem.contact[k]
        t = state.touch[int(c.slot)]
        t.place, t.normal_x, t.normal_y = c.place, c.normal_x, c.normal_y
        t.point_x, t.point_y = c.point_x, c.point_y
        t.slip = 1.0 if c.friction > 0.0 else 0.0
