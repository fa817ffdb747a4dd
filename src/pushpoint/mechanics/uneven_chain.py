"""The linear solve of `planar_chain` for blocks that are not symmetric, in O(n).

Where a link slides along an obstacle, friction is a part of the normal impulse: a change of the velocity along the
normal changes the impulse across it, and the reverse does not hold. The block of such a link has the terms yx, wx and
wy of its own besides xy, xw and yw; all else is as in `planar_chain`.

Pivots are taken as they come. Theirs is no positive definite matrix: where friction wedges a link, one may be small,
and the solution is poor. Newton's method sees that by the residual, and goes over to lagged limits.
"""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.mechanics.planar_chain import spread
from pushpoint.numerics.records import Records

# xx, xy, yx, yy, xw, yw, wx, wy, ww, fx, fy, fw; w is the moment as a row, the rate as a column.
Uneven = tuple[float, float, float, float, float, float, float, float, float, float, float, float]
NOTHING: Uneven = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@fused
def own_block(a: Records) -> Uneven:
    """Of a link, about its centre."""
    return a.xx, a.xy, a.yx, a.yy, a.xw, a.yw, a.wx, a.wy, a.ww, a.fx, a.fy, a.fw


@fused
def shifted(block: Uneven, sx: float, sy: float) -> Uneven:
    """A block about another point, from which (sx, sy) leads to the present one."""
    xx, xy, yx, yy, xw, yw, wx, wy, ww, fx, fy, fw = block
    right_w = ww + (sx * wy - sy * wx)
    xw, yw = xw + (sx * xy - sy * xx), yw + (sx * yy - sy * yx)
    wx, wy = wx + (sx * yx - sy * xx), wy + (sx * yy - sy * xy)
    return xx, xy, yx, yy, xw, yw, wx, wy, right_w + (sx * yw - sy * xw), fx, fy, fw + (sx * fy - sy * fx)


@fused
def summed(a: Uneven, b: Uneven) -> Uneven:
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5],
        a[6] + b[6], a[7] + b[7], a[8] + b[8], a[9] + b[9], a[10] + b[10], a[11] + b[11],
    )  # fmt: skip


@fused
def eliminated(a: Records, sx: float, sy: float, stiffness: float, torque: float, beyond: Uneven) -> Uneven:
    """Take link `a` to all that is beyond it, and eliminate its joint towards the root; see `planar_chain`."""
    whole = summed(shifted(own_block(a), sx, sy), shifted(beyond, 2.0 * sx, 2.0 * sy))
    xx, xy, yx, yy, xw, yw, wx, wy, ww, fx, fy, moment = whole
    pivot = 1.0 / (ww + stiffness)
    driven, left = (moment + torque) * pivot, stiffness * pivot
    row_x, row_y = wx * pivot, wy * pivot
    a.row_x, a.row_y, a.row_w, a.driven = row_x, row_y, left, driven
    return (
        xx - xw * row_x, xy - xw * row_y, yx - yw * row_x, yy - yw * row_y,
        xw * left, yw * left, wx * left, wy * left, ww * left,
        fx - xw * driven, fy - yw * driven, moment - ww * driven,
    )  # fmt: skip


@kernel
def uneven_sweep(link: Records, gain: float) -> None:
    """Solve (J' K J + joint stiffness) dV = J' F + joint torque for the link velocities J dV, and add `gain` times
    them; see `planar_chain.sweep`."""
    n = link.shape[0]
    middle = n // 2
    ahead = behind = NOTHING
    for k in range(middle):
        a, joint = link[k], link[k + 1]
        behind = eliminated(a, -a.hx, -a.hy, joint.stiffness, -joint.torque, behind)
        if n - 1 - k > middle:
            a = link[n - 1 - k]
            ahead = eliminated(a, a.hx, a.hy, a.stiffness, a.torque, ahead)
    root = link[middle]
    beyond = summed(shifted(ahead, root.hx, root.hy), shifted(behind, -root.hx, -root.hy))
    solve_uneven_root(root, summed(own_block(root), beyond), gain)
    spread(link, middle, gain)


@kernel
def solve_uneven_root(root: Records, block: Uneven, gain: float) -> None:
    """The 3 x 3 system of the root link by Gauss's elimination."""
    xx, xy, yx, yy, xw, yw, wx, wy, ww, fx, fy, fw = block
    l1, l2 = yx / xx, wx / xx
    yy, yw, fy = yy - l1 * xy, yw - l1 * xw, fy - l1 * fx
    wy, ww, fw = wy - l2 * xy, ww - l2 * xw, fw - l2 * fx
    l3 = wy / yy
    w = (fw - l3 * fy) / (ww - l3 * yw)
    y = (fy - yw * w) / yy
    x = (fx - xy * y - xw * w) / xx
    root.dx, root.dy, root.dw = x, y, w
    root.vx += gain * x
    root.vy += gain * y
    root.w += gain * w
