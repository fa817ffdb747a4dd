"""How much the contacts could carry with which a planar robot pushes at round pegs."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pushpoint.analysis._series import recorded
from pushpoint.errors import MissingExtra
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning.feasibility import Drag, largest_load
from pushpoint.planning.push_points import push_points
from pushpoint.view import style
from pushpoint.view.space import is_spatial

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

AMPLE = 1.5  # multiple of the friction from which a margin counts as ample
COLOURS = {"ample": style.GREEN, "small": style.ORANGE, "short": style.RED, "unknown": style.QUIET}


class Margins:
    """alpha at each row: the largest multiple of the ground's friction, at the velocities of that row, that the pegs in
    contact balance together with joint torques within their limits. Below one the robot slows down.

    Asked row by row, as each answer is a linear program (about a millisecond).
    """

    def __init__(self, run: Recording) -> None:
        self.run, self._robot, self._world = run, run.scenario.built_robot(), run.scenario.built_world()
        self._known: dict[int, float] = {}
        self.missing = ""  # what is not installed

    @cached_property
    def applies(self) -> bool:
        """Whether the model holds: planar run, yaw joints, round fixed pegs, friction."""
        world = self._world
        drags = world.ground.friction > 0 or world.ground.viscous > 0
        round_pegs = len(world.discs) == len(world.obstacles) > 0 and not world.movable
        return (
            not is_spatial(self.run) and self._robot.is_planar and len(self._robot.links) > 1 and round_pegs and drags
        )

    def at(self, row: int) -> float:
        """alpha; NaN where the model does not apply."""
        if not self.applies or self.missing:
            return math.nan
        if row not in self._known:
            try:
                self._known[row] = self._solve(row)
            except MissingExtra as error:
                self.missing = str(error)
                return math.nan
        return self._known[row]

    @cached_property
    def _chain(self) -> TailChain:
        return TailChain.of(self._robot)

    @cached_property
    def _motion(self) -> tuple[np.ndarray, ...]:
        names = ("link_angle", "link_rate", "link_position", "link_velocity")
        return tuple(recorded(self.run, name) for name in names)

    def _solve(self, row: int) -> float:
        angle, rate, position, velocity = (values[row] for values in self._motion)
        chain = self._chain
        q = chain.q_of(angle, 0, position[0])
        half = chain.length[0] / 2
        tail = velocity[0] - half * rate[0] * np.array([-math.sin(angle[0]), math.cos(angle[0])])
        state = chain.at(q, np.concatenate([rate[:1], np.diff(rate), tail]))
        world, servo = self._world, self.run.scenario.servo or self._robot.servo
        pegs = Pegs.of(tuple((disc.x, disc.y, disc.radius) for disc in world.discs))
        found = push_points(state, pegs).contacts
        rows = found.normal_jacobian - world.discs[0].friction * found.tangent_jacobian
        drag = Drag(world.ground.friction, world.ground.viscous, world.gravity)
        load = -state.generalised(drag.on(chain, state.velocities))
        return max(0.0, largest_load(rows, load, servo.torque_limit, float(chain.length.sum())).alpha)


def grade(alpha: float) -> str:
    """A key of COLOURS."""
    if math.isnan(alpha):
        return "unknown"
    return "ample" if alpha >= AMPLE else "small" if alpha >= 1.0 else "short"
