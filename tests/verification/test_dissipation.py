"""With ground friction or obstacles and no servo: energy only falls, the ledger closes, laws hold at every step."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint.worlds import Ground, World
from tests.verification.chains import PEGS, coast, flung, uneven

WORLDS = {
    "friction": World(name="w", ground=Ground(friction=0.2)),
    "orthotropic": World(name="w", ground=Ground(friction=0.1, friction_across=0.5)),
    "pegs": World(name="w", ground=Ground(friction=0.0), obstacles=PEGS),
    "friction and pegs": World(name="w", ground=Ground(friction=0.05), obstacles=PEGS),
}


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())
@pytest.mark.parametrize("scheme", ["conserving", "paper"])
@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_energy_never_grows(world: World, scheme: str, dt: float) -> None:
    robot = uneven(6)
    trace = coast(robot, world, flung(robot, speed=2.0), 2.0, dt=dt, scheme=scheme)
    energy = trace.energy[:, 1]
    assert np.diff(energy).max() <= 1e-14 * energy[0]  # round-off of the sum
    assert trace.step[:, 0].max() <= 1e-8
    if world.ground.friction:
        assert energy[-1] <= 1e-12 * energy[0] + 1e-18  # it came to rest


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())
def test_ledger_closes(world: World) -> None:
    robot = uneven(6)
    ledger = coast(robot, world, flung(robot, speed=2.0), 2.0, dt=1e-3).energy[:, 1:]
    works = ledger[:, 1:].sum(axis=1)
    # The bound asked for is 1e-9; every step is exact, so only round-off of the sums is left.
    assert np.abs(ledger[:, 0] - ledger[0, 0] - works).max() <= 1e-12 * ledger[0, 0]
    assert ledger[-1, 1] == 0.0  # no servo, no work
    assert ledger[-1, 4] <= 1e-15  # the scheme itself creates nothing


def test_momentum_comes_from_the_pegs() -> None:
    """Contact impulses recorded are exactly what changes the linear momentum."""
    robot = uneven(6)
    world = WORLDS["pegs"]
    trace = coast(robot, world, flung(robot, speed=2.0), 1.0, dt=1e-3)
    mass = np.array([link.mass for link in robot.links])
    momentum = np.einsum("i,tik->tk", mass, trace.link[:, :, 3:5])
    impulse = 0.01 * trace.link[1:, :, 6:8].sum(axis=1)
    np.testing.assert_allclose(
        np.diff(momentum, axis=0), impulse, atol=1e-5 * mass.sum()
    )  # contact steps: the energy guard
    assert np.abs(impulse).max() > 0.01  # something was hit
