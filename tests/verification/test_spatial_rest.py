"""Limp robots that are laid or dropped on stairs, hills and obstacles come to rest, on them and not in them."""

from __future__ import annotations

from math import radians
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import SolverFailure
from pushpoint.simulation import Setup
from pushpoint.types import SpatialPose
from tests.verification.spatial import NONE, Gauge, potential, within

LONGER = {"duration": 12.0}  # these are slower than 1e-6 m/s only after 5 to 10 s, not after the 5 s of the scenario
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "stairs": ("lab/stairs-rest", {}),
    "stairs, higher": ("lab/stairs-rest", {"start.height": 0.05}),
    "stairs, across": ("lab/stairs-rest", {"start.angle": radians(80.0), "start.pitch": 0.0}),
    "stairs, steep": ("lab/stairs-rest", {"world.rise": -0.12, "start.pitch": radians(25.0), "duration": 20.0}),
    "stairs, up": ("lab/stairs-rest", {"world.rise": 0.05, "start.pitch": radians(-10.0), **LONGER}),
    "hills": ("lab/rough-ground", {}),
    "hills, across": ("lab/rough-ground", {"start.angle": radians(110.0)}),
    "hills, rolled": ("lab/rough-ground", {"start.roll": 0.7, "start.pitch": 0.1, **LONGER}),
    **{f"hills {seed}": ("lab/rough-ground", {"seed": seed, **LONGER}) for seed in (1, 2, 3)},
    "hills, coarse step": ("lab/rough-ground", {"plant.dt": 5e-3}),
    "stairs, coarse step": ("lab/stairs-rest", {"plant.dt": 5e-3}),
}
# A link lies across a ridge where two features of the hills take turns within a tenth of a micrometre, and each turn
# moves it a little. Measured in 30 s, without a trend: up to 1e-4 m/s and 1.6e-3 rad/s.
HOPS = "a link across a ridge hops between two features and does not come to rest"
RESTLESS = ("hills, across", "hills 2")


def marked(name: str) -> Any:
    return pytest.param(name, marks=[pytest.mark.xfail(strict=True, reason=HOPS)] if name in RESTLESS else [])


@pytest.mark.parametrize("name", [marked(name) for name in CASES])
def test_limp_robot_comes_to_rest(name: str) -> None:
    scenario, changes = CASES[name]
    try:
        recording = pp.simulate(scenario, changes)
    except SolverFailure as failure:
        pytest.fail(str(failure))
    setup, data = Setup.of(recording.scenario), recording.data
    position, orientation = data["link_position"].values, data["link_orientation"].values
    velocity, rate = data["link_velocity"].values, data["link_rate"].values
    gauge = Gauge(setup.robot, setup.world)
    gaps = [
        gauge(SpatialPose(position[k], orientation[k], velocity[k], rate[k], NONE, NONE)) for k in range(len(position))
    ]
    energy = data["kinetic_energy"].values + potential(setup.robot, setup.world, position)
    gained = np.diff(energy)
    within(f"rest, {name}: residual", float(data["step_residual"].values.max()), 1e-6)
    within(f"rest, {name}: penetration [m]", -min(gaps), 5e-4)  # asked for 1e-3; measured 1.3e-4 at 5 ms, 7e-5 else
    within(f"rest, {name}: energy gained in a row [J]", float(gained.max()), 1e-4)  # measured 5e-6, of 2 to 8 J
    within(f"rest, {name}: energy gained in all rows [J]", float(gained[gained > 0].sum()), 1e-4)  # measured 1e-5
    within(f"rest, {name}: speed at the end [m/s]", float(np.abs(velocity[-1]).max()), 1e-6)
    within(f"rest, {name}: rates at the end [rad/s]", float(np.abs(rate[-1]).max()), 1e-5)
    weight = data["ground_force"].values[-1].sum(axis=0)
    within(
        f"rest, {name}: weight carried",
        float(np.abs(weight - [0, 0, 7.5 * 9.81]).max()) / 73.6,
        1e-4,
    )
    print(f"measured: rest, {name}: lost {energy[0] - energy[-1]:.3g} J")
