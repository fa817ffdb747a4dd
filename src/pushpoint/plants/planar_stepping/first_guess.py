"""Where Newton's method begins a step, kept for a second beginning.

Newton's method with limits of friction that follow the normal impulses minimises nothing, and may go far astray. Lagged
limits then begin where it began: with the velocities, chords and multipliers of the step before.
"""

from __future__ import annotations

from pushpoint._jit import kernel
from pushpoint.plants.planar_stepping.extended import Contacts, Ground, Joints
from pushpoint.plants.planar_stepping.model import Problem


@kernel
def keep_first_guess(problem: Problem, ground: Ground | None, contacts: Contacts, joints: Joints | None) -> None:
    """Before the first sweep."""
    link, kept = problem.link, contacts.link
    for i in range(link.shape[0]):
        a, b = link[i], kept[i]
        b.first_vx, b.first_vy, b.first_w = a.vx, a.vy, a.w
        b.first_chord_x, b.first_chord_y, b.first_chord_w = a.chord_x, a.chord_y, a.chord_w
        b.first_ground_x, b.first_ground_y = a.ground_guess_x, a.ground_guess_y
        if ground is not None:
            b.first_spin = ground.link[i].spin_guess
    if joints is not None:
        for i in range(joints.link.shape[0]):
            kept[i].first_stop = joints.link[i].stop_guess
    for k in range(problem.first[link.shape[0]]):
        c = problem.contact[k]
        c.first_guess, c.first_guess_t = c.guess, c.guess_t


@kernel
def take_first_guess(problem: Problem, ground: Ground | None, contacts: Contacts, joints: Joints | None) -> None:
    """Back to it, with the limits of friction that go with its normal impulses."""
    link, kept = problem.link, contacts.link
    for i in range(link.shape[0]):
        a, b = link[i], kept[i]
        a.vx, a.vy, a.w = b.first_vx, b.first_vy, b.first_w
        a.chord_x, a.chord_y, a.chord_w = b.first_chord_x, b.first_chord_y, b.first_chord_w
        a.ground_guess_x, a.ground_guess_y = b.first_ground_x, b.first_ground_y
        if ground is not None:
            ground.link[i].spin_guess = b.first_spin
    if joints is not None:
        for i in range(joints.link.shape[0]):
            joints.link[i].stop_guess = kept[i].first_stop
    for k in range(problem.first[link.shape[0]]):
        c = problem.contact[k]
        c.guess, c.guess_t = c.first_guess, c.first_guess_t
        c.limit, c.last_limit = c.mu * c.guess, -1.0
