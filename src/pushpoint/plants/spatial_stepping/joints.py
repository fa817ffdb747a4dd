"""What acts in the joints: servo, spring, damper, stops; all implicit, as impulses of one step.

A servo acts with the angle and the rate between the start and the end of the step, a part LATE from the start: with
half of it the step would be symmetric in time, with all of it the servo would be damped by dt/2 Kp besides its own
damping.

    dt (Kp (ref - angle) + Kd (ref_rate - rate) + feed),   angle = (1 - LATE) start + LATE end, rate likewise

is cut off at its limit. Within half of its play a servo gives nothing but its feed-forward torque. A stop is a
unilateral contact of the joint angle.
"""

from __future__ import annotations

from pushpoint._jit import fused, kernel
from pushpoint.numerics.projections import dead_band
from pushpoint.numerics.records import Records
from pushpoint.types import CommandTable

LATE = 0.6


@kernel
def drive_joints(joint: Records, commands: CommandTable, row: int, lead: float, dt: float) -> None:
    """Servo impulses at rate zero, `lead` [s] after the start of the tick; angles in the middle of the step."""
    for k in range(joint.shape[0]):
        a = joint[k]
        a.start = a.rate
        a.middle = a.angle + 0.5 * dt * a.rate
        rate = commands.joint_rate[row, k]
        aim = commands.joint_angle[row, k] + (lead - (1.0 - LATE) * dt) * rate
        angle = a.middle - (1.0 - LATE) * 0.5 * dt * a.rate
        speed = rate - (1.0 - LATE) * a.rate
        a.feed = dt * commands.torque[row, k]
        a.drive = dt * (a.servo_p * (aim - angle) + a.servo_d * speed + commands.torque[row, k])


@fused
def servo_impulse(a: Records, rate: float, dt: float) -> tuple[float, float]:
    """Impulse [N m s] of the servo at a joint rate, and how it decreases with the rate."""
    kappa = LATE * dt * (0.5 * dt * a.servo_p + a.servo_d)
    wanted, limit = a.drive - kappa * rate, dt * a.limit
    if a.band > 0.0:
        wanted -= a.feed
        if abs(wanted) < dt * a.band:
            kappa = 0.0
        wanted = dead_band(wanted, dt * a.band) + a.feed
    if wanted > limit:
        return limit * a.actuated, 0.0
    if wanted < -limit:
        return -limit * a.actuated, 0.0
    return wanted * a.actuated, kappa * a.actuated


@fused
def stop_impulse(a: Records, rate: float, dt: float) -> tuple[float, float]:
    """Impulse of the stops: a stiff spring on the angle that the middle of the next step would have."""
    below = a.lower - a.middle - dt * rate
    if below > 0.0:
        return a.stop_hard * below / dt, a.stop_hard
    above = a.middle + dt * rate - a.upper
    if above > 0.0:
        return -a.stop_hard * above / dt, a.stop_hard
    return 0.0, 0.0


@fused
def passive_impulse(a: Records, rate: float, dt: float) -> tuple[float, float]:
    """Impulse of spring, damper and armature."""
    kappa = dt * (0.5 * dt * a.spring + a.damper) + a.armature
    return dt * a.spring * (a.rest - a.middle) - kappa * rate + a.armature * a.start, kappa


@fused
def joint_impulse(a: Records, rate: float, dt: float) -> tuple[float, float]:
    """All impulses at a joint rate, and how they decrease with it."""
    servo, stiff = servo_impulse(a, rate, dt)
    stop, hard = stop_impulse(a, rate, dt)
    rest, own = passive_impulse(a, rate, dt)
    return servo + stop + rest, stiff + hard + own


@kernel
def load_joints(joint: Records, dt: float) -> bool:
    """Impulses and tangents of all joints at their present rates. Returns whether tangents changed: a servo came to its
    limit or left it, or a joint its stop."""
    changed = False
    for k in range(joint.shape[0]):
        a = joint[k]
        before = a.kappa
        a.tau, a.kappa = joint_impulse(a, a.rate, dt)
        changed = changed or a.kappa != before
    return changed


@kernel
def joint_work(joint: Records, dt: float) -> float:
    """Note the impulses of the step; returns the work [J] of servos, springs, dampers and stops."""
    work = 0.0
    for k in range(joint.shape[0]):
        a = joint[k]
        a.torque, _ = servo_impulse(a, a.rate, dt)
        all_of_it, _ = joint_impulse(a, a.rate, dt)
        all_of_it += a.armature * (a.rate - a.start)  # its energy is a part of the kinetic energy
        work += all_of_it * 0.5 * (a.start + a.rate)
    return work
