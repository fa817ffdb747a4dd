"""Semismooth Newton for the convex problem of a step: one O(n) sweep per iteration, line search, multipliers."""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.mechanics.planar_chain import sweep
from pushpoint.plants.planar_stepping.laws import (
    balance_residual,
    evaluate,
    keep_multipliers,
    law_residual,
    refresh_chords,
)
from pushpoint.plants.planar_stepping.model import Params, Scratch

CHORD_UPDATES = 12  # the chords settle in two or three; later ones would only feed round-off
SHORTENINGS = 20


@kernel
def slope(scratch: Scratch) -> float:
    """Derivative of the convex function along the Newton step (minus the residual's power)."""
    power = 0.0
    for i in range(scratch.force.shape[0]):
        for k in range(3):
            power += scratch.force[i, k] * scratch.step[i, k]
    for j in range(scratch.torque.size):
        power += scratch.torque[j] * (scratch.step[j + 1, 2] - scratch.step[j, 2])
    return -power


@kernel
def move(scratch: Scratch, length: float) -> None:
    """Velocity = that before the line search + length * step."""
    for i in range(scratch.step.shape[0]):
        for k in range(3):
            scratch.velocity[i, k] = scratch.trial[i, k] + length * scratch.step[i, k]


@kernel
def search_line(params: Params, scratch: Scratch, with_chords: bool) -> None:
    """Take the Newton step; where it overshoots, find the minimum along it by safeguarded secants."""
    for i in range(scratch.step.shape[0]):
        for k in range(3):
            scratch.trial[i, k] = scratch.velocity[i, k]
    at_zero = slope(scratch)
    move(scratch, 1.0)
    if with_chords:
        refresh_chords(params, scratch)
    evaluate(params, scratch)
    at = slope(scratch)
    if not at > 0.5 * abs(at_zero):  # the slope grows from at_zero < 0: only an overshoot is refused
        return
    low, high, low_slope, high_slope = 0.0, 1.0, at_zero, at
    for _ in range(SHORTENINGS):
        share = low_slope / (low_slope - high_slope)
        length = low + min(0.9, max(0.1, share)) * (high - low)
        move(scratch, length)
        evaluate(params, scratch)
        at = slope(scratch)
        if abs(at) <= 0.5 * abs(at_zero):
            return
        if at > 0.0:
            high, high_slope = length, at
        else:
            low, low_slope = length, at


@kernel
def newton(params: Params, scratch: Scratch) -> tuple[float, int]:
    """Solve for scratch.velocity from the guess there. Returns the residual and the number of sweeps."""
    evaluate(params, scratch)
    residual = 0.0
    for iteration in range(params.max_iterations):
        residual = balance_residual(params, scratch)
        if residual <= params.tolerance:
            residual = max(residual, law_residual(params, scratch))
            if residual <= params.tolerance:
                return residual, iteration
            keep_multipliers(params, scratch)
            evaluate(params, scratch)
        sweep(params.half_length, scratch.pose, scratch.block, scratch.joint, scratch.factor, scratch.step)
        search_line(params, scratch, params.conserving and iteration < CHORD_UPDATES)
    return residual, params.max_iterations
