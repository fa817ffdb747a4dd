"""A plant on a foreign engine is one small class: docs/howto/add-an-engine.md."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.fields import Frozen
from pushpoint.plants import plants
from pushpoint.plants._engine import Contact, Engine, EnginePlant, EngineState, Stepped
from pushpoint.plants._supports import Supports
from pushpoint.robots import Robot, Servo
from pushpoint.scenario import Scenario
from pushpoint.types import CommandTable, FloatArray, Pose, Status
from pushpoint.worlds import World

# --- the engine: what somebody writes who has one ---

MODEL = Supports(
    plant="beads",
    is_default=True,
    dimensions=2,
    links=frozenset({"round"}),
    ground=frozenset({"viscous"}),
    obstacles=frozenset({"disc"}),
)


class BeadsOptions(Frozen):
    dt: float = 1e-3  # [s]
    hardness: float = 1e4  # [N/m], of discs


class Beads(Engine):
    """Links are beads on a string of springs that cannot turn, on viscous ground, among soft discs."""

    title = "Beads"
    dimensions = 2

    def __init__(self, robot: Robot, world: World, options: BeadsOptions) -> None:
        super().__init__(robot, world, options.dt)
        self.mass = np.array([[link.mass] for link in robot.links])
        self.length = np.array([[link.length] for link in robot.links])
        self.drag, self.hardness = world.ground.viscous, options.hardness

    def place(self, pose: Pose) -> FloatArray:
        return np.stack([pose.position, pose.velocity])

    def links(self, data: FloatArray) -> FloatArray:
        still = np.zeros((len(self.mass), 1))
        return np.hstack([data[0], still, data[1], still])

    def kinetic_energy(self, link: FloatArray) -> float:
        return 0.5 * float(np.sum(self.mass * link[:, 3:5] ** 2))

    def joints(self, state: EngineState) -> tuple[FloatArray, FloatArray]:
        return np.zeros(len(self.mass) - 1), np.zeros(len(self.mass) - 1)

    def step(self, state: EngineState, command: CommandTable, lead: float) -> Stepped:
        place, velocity = state.data
        force = self.string(place)
        pushes = self.touch(state, place)
        after = (velocity + self.dt * (force + pushes) / self.mass) / (1 + self.dt * self.drag / self.mass)
        drag, mean = -self.drag * after, 0.5 * (velocity + after)
        state.data = np.stack([place + self.dt * after, after])
        state.link = self.links(state.data)
        state.sums[:, 0:2] += self.dt * pushes
        state.sums[:, 2:4] += self.dt * drag
        works = (self.dt * float(np.sum(each * mean)) for each in (force, drag, pushes))
        state.book(self.kinetic_energy(state.link), *works)
        return Stepped(status=Status.OK if np.all(np.abs(after) < 1e6) else Status.NOT_FINITE)

    def string(self, place: FloatArray) -> FloatArray:
        """Forces [N] of the springs between beads, (n, 2)."""
        away = np.diff(place, axis=0)
        size = np.linalg.norm(away, axis=1, keepdims=True)
        pull = 100.0 * (size - 0.5 * (self.length[1:] + self.length[:-1])) * away / size
        return np.vstack([pull, np.zeros((1, 2))]) - np.vstack([np.zeros((1, 2)), pull])

    def touch(self, state: EngineState, place: FloatArray) -> FloatArray:
        """Forces [N] of discs on beads, (n, 2)."""
        force = np.zeros_like(place)
        for i, link in enumerate(self.robot.links):
            for k, disc in enumerate(self.world.discs):
                away = place[i] - (disc.x, disc.y)
                depth, normal = disc.radius + link.radius - np.linalg.norm(away), away / np.linalg.norm(away)
                if depth > 0:
                    force[i] += self.hardness * depth * normal
                    point = np.array([disc.x, disc.y]) + disc.radius * normal
                    state.push((i, k), Contact(0.0, point, normal), self.dt * self.hardness * depth * normal)
        return force

    def save(self, data: FloatArray) -> FloatArray:
        return data.ravel()

    def load(self, numbers: FloatArray) -> FloatArray:
        return numbers.reshape(2, -1, 2)


class BeadsPlant(EnginePlant):
    Options: ClassVar[type[Frozen]] = BeadsOptions
    supports: ClassVar[tuple[Supports, ...]] = (MODEL,)
    advice: ClassVar[Mapping[Status, str]] = {Status.NOT_FINITE: "try a smaller plant.dt"}

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: BeadsOptions) -> BeadsPlant:
        MODEL.check(robot, world, servo)
        return cls(Beads(robot, world, options))


# --- what the package makes of it ---

AHEAD = {"x": 0.3, "y": 0.0, "radius": 0.03}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    list(plants)  # so that no scan of the folder comes while this one is there
    monkeypatch.setitem(plants._items, "beads", BeadsPlant)


def scenario(**fields: Any) -> Scenario:
    world = {"name": "here", "ground": {"friction": 0.0, "viscous": 2.0}, "obstacles": fields.pop("obstacles", ())}
    links = [{"length": 0.1, "mass": 1.0, "inertia": 1e-3, "radius": 0.03}] * 4
    given: dict[str, Any] = {
        "name": "lab/beads",
        "robot": {"name": "beads", "links": links},
        "world": world,
        "plant": "beads",
        "controller": {"name": "hold"},
        "start": {"velocity": (0.5, 0.0)},
        "duration": 0.5,
    }
    return Scenario.parse(given | fields)


def test_the_engine_runs_and_is_recorded() -> None:
    run = pp.simulate(scenario())
    speed = run.data["link_velocity"].values[-1, :, 0]
    assert speed == pytest.approx(0.5 * (1 + 2e-3) ** -500, rel=1e-9)
    assert run.data["ground_force"].values[1:, :, 0].max() < 0
    energy = run.data["kinetic_energy"].values
    assert energy[-1] - energy[0] == pytest.approx(run.data["friction_work"].values[-1], rel=1e-9)


def test_contacts_are_recorded_by_pair() -> None:
    run = pp.simulate(scenario(obstacles=[AHEAD]))
    assert set(run.contacts["link"].values) == {3}
    assert set(run.contacts["obstacle"].values) == {0}
    head = run.data["contact_force"].values[:, 3, 0]
    assert head.min() < 0
    assert run.contacts["force"].values[:, 0].sum() == pytest.approx(head.sum(), rel=1e-12)


def test_resumed_runs_are_equal_to_the_bit() -> None:
    whole = scenario(obstacles=[AHEAD])
    first = pp.simulate(whole.model_copy(update={"duration": 0.2}))
    rest = pp.resume(first.checkpoint(), 0.5)
    assert np.array_equal(rest.data["link_position"].values[-1], pp.simulate(whole).data["link_position"].values[-1])


def test_failures_and_refusals_are_those_of_all_plants() -> None:
    endless = {"name": "beads", "options": {"hardness": 1e20}}
    with pytest.raises(SolverFailure, match=r"NOT_FINITE at link 3.* try a smaller plant\.dt"):
        pp.simulate(scenario(plant=endless, obstacles=[AHEAD]))
    with pytest.raises(InvalidInput, match=r"plant 'beads' supports .*discs only: world\.obstacles\.0 is a wall"):
        pp.simulate(scenario(obstacles=[{"kind": "wall", "points": [(1, 0), (1, 1)]}]))


def test_plant_and_run_of_the_mujoco_plant_are_short() -> None:
    """A plant on an engine is about 150 lines, without the models that it builds."""
    pytest.importorskip("mujoco")
    files = (import_module(f"pushpoint.plants.mujoco.{name}").__file__ for name in ("plant", "run"))
    assert sum(len(Path(str(file)).read_text().splitlines()) for file in files) <= 170
