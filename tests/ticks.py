"""Single control ticks of a plant without a controller: what tests of steps need."""

from __future__ import annotations

from typing import Any

import numpy as np

from pushpoint.plants import Plant
from pushpoint.sensors._frames import contacts_of, quaternions, yaws
from pushpoint.tape import new_tape
from pushpoint.types import Command, CommandTable, Failure, Observation


def advance(plant: Plant, state: Any, command: Command, substeps: int) -> Failure | None:
    """One control tick of `substeps` steps; changes the state in place and records nothing."""
    rows = (command.joint_angle, command.joint_rate, command.torque)
    table = CommandTable(*(np.array(row, dtype=float)[np.newaxis] for row in rows))
    seen = plant.snapshot(state)
    bodies = len(seen.position) + len(seen.obstacle_position)
    scrap = new_tape(bodies, 1, substeps, 2, dimensions=plant.dimensions)  # two ticks per row: one tick writes none
    scrap = scrap._replace(extra=np.zeros((1, len(getattr(plant, "extra_columns", ())))))
    return plant.rollout(state, table, substeps, scrap)[1]


def observe(plant: Plant, state: Any, period: float) -> Observation:
    """All that exact sensors on the robot would show after a tick of `period` [s]."""
    seen = plant.snapshot(state)
    return Observation(
        seen.time,
        joint_angle=seen.joint_angle,
        joint_rate=seen.joint_rate,
        joint_torque=seen.joint_impulse / period,
        link_position=seen.position,
        link_yaw=yaws(seen),
        link_orientation=quaternions(seen),
        link_velocity=seen.velocity,
        contacts=contacts_of(seen, period),
    )
