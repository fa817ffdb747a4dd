"""Joints: the implicit servo of P2 (43), and the springs, dampers, stops and armature of extended joints.

All torques are impulses of a step on the link on the head side; rates are those at the end of the step.
"""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.numerics.projections import clip, dead_band
from pushpoint.numerics.records import Records
from pushpoint.numerics.residuals import unilateral_residual
from pushpoint.plants.planar_stepping.extended import Joints
from pushpoint.plants.planar_stepping.model import Problem
from pushpoint.types import CommandTable

FAR = 1e15  # [rad/s], the rate that a stop far away allows


@fused
def drive_joints(
    problem: Problem, body: Records, commands: CommandTable, row: int, lead: float, joints: Joints | None
) -> None:
    """Servo impulses at joint rate zero; `lead` [s] from the start of the tick to the end of the step."""
    link, dt = problem.chain, problem.number[0].dt
    for i in range(1, link.shape[0]):
        a = link[i]
        speed = body[i].w - body[i - 1].w
        angle = body[i].angle - body[i - 1].angle + 0.5 * dt * speed
        rate = commands.joint_rate[row, i - 1]
        reference = commands.joint_angle[row, i - 1] + lead * rate
        a.drive = a.servo_p * (reference - angle) + a.servo_d * rate
        a.feed = dt * commands.torque[row, i - 1]
        if joints is not None:
            prepare_passive(joints.link[i], angle, speed, dt)
            joints.link[i].stop_guess = body[i].stop


@kernel
def prepare_passive(b: Records, angle: float, rate: float, dt: float) -> None:
    """Spring, damper and armature as rest - give * rate, and the rates that the stops allow; `angle` is at mid step."""
    b.give = dt * (0.5 * dt * b.spring + b.damper) + b.armature
    b.rest = b.armature * rate - dt * b.spring * (angle - b.spring_angle)
    b.low_rate = max(-FAR, -max(0.0, angle - b.lower) / dt)
    b.high_rate = min(FAR, max(0.0, b.upper - angle) / dt)


@kernel
def basic_impulse(link: Records, i: int, dt: float) -> None:
    """Servo impulse of the joint behind link i at the end rate, and its tangent; P2 (43) with the joint's rate."""
    a = link[i]
    stiffness = 0.5 * dt * a.servo_p + a.servo_d
    servo = a.drive - stiffness * (a.w - link[i - 1].w)
    demand = dead_band(servo, a.band) + a.feed
    a.torque = clip(demand, a.limit)
    free = abs(servo) < a.band or abs(demand) > a.limit
    a.stiffness = 0.0 if free else stiffness


@fused
def extended_impulse(link: Records, joint: Records, i: int, penalty: float, held: bool) -> None:
    """Add spring, damper, armature and stops to the joint behind link i. A stop pushes only back, like a contact."""
    a, b = link[i], joint[i]
    rate = a.w - link[i - 1].w
    a.torque += b.rest - b.give * rate
    a.stiffness += b.give
    r = penalty * (a.inertia + a.mass * a.half * a.half)
    from_low, from_high = b.stop_guess - r * (rate - b.low_rate), b.stop_guess - r * (rate - b.high_rate)
    b.stop = 0.0
    if from_low > 0.0 or (held and b.stop_guess > 0.0):
        b.stop = from_low
        a.stiffness += r
    elif from_high < 0.0 or (held and b.stop_guess < 0.0):
        b.stop = from_high
        a.stiffness += r
    a.torque += b.stop


@fused
def extended_residual(link: Records, joint: Records, i: int, per_unit: float, per_speed: float) -> float:
    """Natural-map residual of the stops of the joint behind link i."""
    a, b = link[i], joint[i]
    rate, per_moment, reach = a.w - link[i - 1].w, per_unit / a.half, per_speed * a.half
    low = unilateral_residual(max(b.stop, 0.0) * per_moment, (rate - b.low_rate) * reach)
    high = unilateral_residual(max(-b.stop, 0.0) * per_moment, (b.high_rate - rate) * reach)
    return max(low, high)
