"""The planar hybrid plant: its ledger, its state, what it refuses, what it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput
from pushpoint.plants.planar_hybrid.options import PlanarHybridOptions
from pushpoint.plants.planar_hybrid.plant import PlanarHybrid
from pushpoint.robots import Joint, Robot, Servo
from pushpoint.scenarios import scenarios
from pushpoint.simulation import Setup
from pushpoint.tape import new_tape
from pushpoint.types import Command, CommandTable
from pushpoint.worlds import Disc, Ground, Obstacle, Patch, Polygon, Wall, World
from tests.ticks import advance, observe
from tests.verification.hybrid_cases import (
    ONE,
    ROWS,
)
from tests.verification.hybrids import (
    LIMP,
    rod,
    single,
    world_of,
)


def test_energy_ledger_closes() -> None:
    data = pp.simulate(ROWS, duration=2.0).data
    kinetic = data["kinetic_energy"].values
    works = sum(data[name].values for name in ("servo_work", "friction_work", "contact_work"))
    lost = data["numerical_work"].values
    np.testing.assert_allclose(kinetic - kinetic[0], works + lost, atol=1e-13)
    assert np.abs(lost).max() <= 1e-6  # measured 4e-7 J at the default tolerance
    assert np.all(np.diff(data["friction_work"].values) <= 0)
    v, w = data["link_velocity"].values, data["link_rate"].values
    by_hand = 0.5 * ((v**2).sum(axis=(1, 2)) + 0.0016 * (w**2).sum(axis=1))
    np.testing.assert_allclose(kinetic, by_hand, rtol=1e-12, atol=1e-15)
    # Torques are means over 10 ms: their work by the change of the joint angles is off by what varies within.
    turned = np.diff(data["joint_angle"].values, axis=0)
    servo = (data["joint_torque"].values[1:] * turned).sum(axis=1).cumsum()
    assert servo[-1] == pytest.approx(data["servo_work"].values[-1], rel=0.05)


def test_reruns_are_equal_to_the_bit() -> None:
    first, again = (pp.simulate(ROWS, duration=2.0) for _ in range(2))
    assert first.data.drop_vars("step_time").identical(again.data.drop_vars("step_time"))
    assert first.contacts.identical(again.contacts)
    assert first.events.identical(again.events)


def resolution_begun() -> float:
    """When the first resolution of P1's rows begins [s]."""
    events = pp.simulate(ROWS, duration=6.0).events
    return float(events["time"].values[events["name"].values == "resolution"][0])


@pytest.mark.parametrize("through_a_file", [False, True])
def test_a_checkpoint_within_a_resolution_resumes_to_the_bit(through_a_file: bool, tmp_path: Path) -> None:
    """At an odd number of ticks, between two rows; the controller's history and the contacts go along."""
    begun = resolution_begun()
    stop = round(begun / 0.01) * 0.01 + 0.235
    whole = pp.simulate(ROWS, duration=stop + 0.505)
    checkpoint = pp.simulate(ROWS, duration=stop).checkpoint()
    assert checkpoint.controller["resolving"]
    assert checkpoint.ticks_since_row == 1
    if through_a_file:
        checkpoint = pp.Checkpoint.load(checkpoint.save(tmp_path / "part.nc"))
    resumed = pp.resume(checkpoint, duration=stop + 0.505)
    assert_same_rows(resumed, whole, stop)


def test_a_checkpoint_at_a_row_resumes_to_the_bit() -> None:
    whole, part = (pp.simulate(ROWS, duration=duration) for duration in (2.5, 2.0))
    assert_same_rows(pp.resume(part.checkpoint(), duration=2.5), whole, 2.0)


def assert_same_rows(resumed: pp.Recording, whole: pp.Recording, stop: float) -> None:
    later = whole.data["time"].values > stop - 1e-9
    expected = whole.data.isel(time=later)
    found = resumed.data.isel(time=slice(-int(later.sum()), None))
    per_step = [name for name in expected.variables if "step" in expected[name].dims]
    for name in expected.data_vars:
        if name not in per_step:
            np.testing.assert_array_equal(found[name].values, expected[name].values, err_msg=str(name))
    events = whole.events.isel(event=whole.events["time"].values > stop - 1e-9)
    assert resumed.events["detail"].values.tolist() == events["detail"].values.tolist()
    assert resumed.events["time"].values.tolist() == events["time"].values.tolist()


def ends_in_cpu_seconds(seconds: int, code: str) -> bool:
    """Whether Python comes to the end of `code` in so many CPU seconds: kernels without end cannot be interrupted."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))\n"
    return subprocess.run([sys.executable, "-c", limit + code], check=False, capture_output=True).returncode == 0


def test_a_checkpoint_without_contacts_resumes() -> None:
    """Its table of contacts is empty and has to grow all the same. In a process of its own, which can be stopped."""
    pp.simulate(ROWS, duration=0.1)  # compiled for the other process too
    code = f"import pushpoint as pp; pp.resume(pp.simulate({ROWS!r}, duration=0.1).checkpoint(), duration=0.2)"
    assert ends_in_cpu_seconds(12, code)


def test_bound_of_friction_at_a_joint_that_two_links_touch_with() -> None:
    """The scan for mu_o* ends where two rows are nearly the same; in a process of its own, which can be stopped."""
    code = """
import numpy as np
from pushpoint.numerics.lcp.friction import friction_bound_from_python
from pushpoint.numerics.lcp.p_matrix import p_workspace
A = np.array([[1.6309853485123387, 1.6310239492323881], [1.6310239492323881, 1.6310625540364583]])
B = np.array([[-0.3445180659894642, -0.34463600186001475], [-0.34451020989027636, -0.34462814855222956]])
friction_bound_from_python(A, B, 2, 10.0, p_workspace(4))
"""
    assert ends_in_cpu_seconds(12, code)


def refusal(world: World | None = None, robot: Robot | None = None, servo: Servo = LIMP) -> str:
    with pytest.raises(InvalidInput) as refused:
        PlanarHybrid.build(robot or ONE, world or world_of(), servo, PlanarHybridOptions())
    return str(refused.value)


OBSTACLES: list[tuple[Obstacle, list[str]]] = [
    (Wall(points=((0.0, 1.0), (1.0, 1.0))), ["world.obstacles.1", "wall"]),
    (Polygon(points=((0.0, 1.0), (1.0, 1.0), (0.5, 2.0))), ["world.obstacles.1", "polygon"]),
    (Disc(x=1.0, y=1.0, radius=0.1, mass=2.0), ["world.obstacles.1.mass = 2.0 kg"]),
    (Disc(x=1.0, y=1.0, radius=0.1, restitution=0.5), ["world.obstacles.1.restitution = 0.5"]),
]


@pytest.mark.parametrize(("obstacle", "words"), OBSTACLES)
def test_unsupported_obstacles_are_named(obstacle: Obstacle, words: list[str]) -> None:
    message = refusal(World(name="w", obstacles=(Disc(x=5.0, y=5.0, radius=0.1), obstacle)))
    assert all(word in message for word in ["planar_hybrid", "planar_stepping", *words]), message


GROUNDS: list[tuple[dict[str, Any], str]] = [
    ({"friction_across": 0.5}, "world.ground.friction_across = 0.5"),
    ({"friction_backward": 0.5}, "world.ground.friction_backward = 0.5"),
    ({"viscous": 0.5}, "world.ground.viscous = 0.5"),
    ({"viscous_across": 0.5}, "world.ground.viscous_across = 0.5"),
    ({"patches": (Patch(x_min=0, x_max=1, y_min=0, y_max=1),)}, "world.ground.patches"),
]


@pytest.mark.parametrize(("law", "word"), GROUNDS)
def test_unsupported_grounds_are_named(law: dict[str, Any], word: str) -> None:
    assert word in refusal(World(name="w", ground=Ground(**law)))


def test_unsupported_joints_and_servos_are_named() -> None:
    springs = Robot(name="r", links=(rod(),) * 3, joints=(Joint(), Joint(stiffness=1.0)))
    assert "robot.joints.1" in refusal(robot=springs)
    assert "servo.play = 0.1 rad" in refusal(servo=Servo(play=0.1))


def test_narrow_gaps_are_named() -> None:
    near = world_of(Disc(x=0.0, y=1.0, radius=0.1), Disc(x=3.0, y=1.0, radius=0.1), Disc(x=0.3, y=1.0, radius=0.1))
    with pytest.warns(UserWarning, match=r"obstacles 0 and 2 are 0\.1 m apart.*link length 0\.2 m"):
        PlanarHybrid.build(ONE, near, LIMP, PlanarHybridOptions())


@pytest.mark.parametrize("contact", ["centre", "point"])
@pytest.mark.parametrize("below", [True, False])
def test_what_is_observed_of_a_contact(contact: str, below: bool) -> None:
    """A link of 1 kg hits a disc at 0.5 m/s within a tick of 10 ms: 50 N in the mean, away from the disc."""
    side = -1.0 if below else 1.0
    world = world_of(Disc(x=3.0, y=3.0, radius=0.1), Disc(x=0.05, y=side * 0.102, radius=0.1))
    plant = PlanarHybrid(ONE, world, LIMP, PlanarHybridOptions(contact=contact))
    state = plant.initial_state(single(vy=0.5 * side))
    none = Command(*(np.zeros(0) for _ in range(3)))
    assert advance(plant, state, none, 10) is None
    seen = observe(plant, state, 0.01)
    contacts = seen.contacts
    mean = 50.0 if contact == "centre" else 50.0 / (1 + 0.05**2 / 0.01)
    assert (contacts.link.tolist(), contacts.obstacle.tolist()) == ([0], [1])
    assert contacts.side.tolist() == [-1 if below else 1]
    np.testing.assert_allclose(contacts.force, [[0.0, -side * mean]], rtol=0.01, atol=0.5)
    np.testing.assert_allclose(contacts.normal, [[0.0, -side]], atol=0.02)
    np.testing.assert_allclose(contacts.point, [[0.05, side * 0.002]], atol=2e-3)
    assert contacts.place[0] == pytest.approx(0.05, abs=2e-3)
    assert seen.time == pytest.approx(0.01)
    assert advance(plant, state, none, 10) is None
    if contact == "centre":
        assert observe(plant, state, 0.01).contacts.link.size == 0  # at rest: nothing pushes any more


def test_ticks_one_by_one_are_a_table_of_ticks() -> None:
    """`advance` and `rollout` end in the same state to the bit."""
    setup = Setup.of(scenarios["liljeback2010/rows-serpenoid"])
    plant, controller = setup.plant, setup.controller
    assert isinstance(plant, PlanarHybrid)
    pose = setup.start_pose()
    one, many = plant.initial_state(pose), plant.initial_state(pose)
    commands = CommandTable(*(np.ascontiguousarray(a) for a in controller.table(0.005 * np.arange(300))))
    for k in range(300):
        assert advance(plant, one, Command(*(column[k] for column in commands)), setup.substeps) is None
    tape = new_tape(10, 2, 300 * setup.substeps, 301)
    assert plant.rollout(many, commands, setup.substeps, tape)[1] is None
    assert many.touch["obstacle"].any()  # there were contacts
    for name in ("clock", "vector", "alpha", "pushing", "touch"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name), err_msg=name)
