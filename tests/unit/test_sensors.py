"""Sensors: exact readings, their errors, and what is remembered of them."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control import ControllerState, controllers
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.sensors import Mount, sensors
from pushpoint.sensors._suite import Suite
from pushpoint.simulation import Setup
from pushpoint.types import Command, Observation, Pairs, Snapshot
from pushpoint.worlds import Disc, World
from tests.ticks import advance

PERIOD = 0.01
LINKS = 3


def scenario(**changes: Any) -> Scenario:
    return Scenario.parse({
        "name": "lab/sensed",
        "robot": {"name": "uniform", "options": {"links": LINKS, "length": 0.2, "mass": 0.5, "radius": 0.02}},
        "world": {"name": "pegs", "obstacles": [
            {"x": 1.0, "y": 0.0, "radius": 0.1},
            {"x": 0.0, "y": 0.5, "radius": 0.1},
            {"kind": "wall", "points": [[-1.0, -1.0], [2.0, -1.0]]},
            {"kind": "polygon", "points": [[3.0, 3.0], [4.0, 3.0], [4.0, 4.0]]},
        ]},
        "controller": "hold",
        "control_period": PERIOD,
        **changes,
    })  # fmt: skip


def snapshot(tick: int = 0, planar: bool = True, touched: tuple[int, ...] = ()) -> Snapshot:
    """A robot along x whose head is at the origin; in space the same."""
    n, d, k = LINKS, 2 if planar else 3, len(touched)
    position = np.zeros((n, d))
    position[:, 0] = 0.2 * np.arange(1 - n, 1)
    attitude = np.zeros(n) if planar else np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    link, normal = np.full(k, n - 1), np.tile(np.eye(d)[1], (k, 1))
    return Snapshot(
        time=tick * PERIOD,
        joint_angle=np.full(n - 1, 0.1 * tick),
        joint_rate=np.full(n - 1, 10.0),
        joint_impulse=np.full(n - 1, 0.02),
        position=position,
        attitude=attitude,
        velocity=np.tile(float(tick) * np.eye(d)[0], (n, 1)),
        rate=np.zeros(n) if planar else np.zeros((n, 3)),
        contact_impulse=np.zeros((n, d)),
        ground_impulse=np.zeros((n, d)),
        pairs=Pairs(link, np.array(touched, dtype=np.int64), np.full(k, 0.05), position[link], normal, 0.3 * normal),
        obstacle_position=np.zeros((0, d)),
    )


def suite(*uses: str, seed: int = 0, **listed: Any) -> Suite:
    run = scenario(sensors={name: {} for name in uses} | {k.replace("_", "-"): v for k, v in listed.items()}, seed=seed)
    return Suite.of(run, uses, Mount(run.built_robot(), run.built_world(), PERIOD))


def readings(own: Suite, field: str, ticks: int) -> list[Any]:
    memory: dict[str, Any] = {}
    return [getattr(own.observe(snapshot(tick), memory, tick), field) for tick in range(ticks)]


# --- exact readings ---


@pytest.mark.parametrize("name", list(sensors))
@pytest.mark.parametrize("planar", [True, False])
def test_every_sensor_gives_what_it_names_and_nothing_else(name: str, planar: bool) -> None:
    seen = suite(name).observe(snapshot(planar=planar), {}, 0)
    assert set(vars(seen)) == {"time", *sensors[name].gives}


@pytest.mark.parametrize("name", list(sensors))
def test_every_field_of_an_observation_is_annotated(name: str) -> None:
    assert set(sensors[name].gives) <= set(Observation.__annotations__)


def test_joint_readings() -> None:
    seen = suite("joint-encoders", "joint-torque").observe(snapshot(3), {}, 3)
    assert seen.joint_angle == pytest.approx(0.3)
    assert seen.joint_torque == pytest.approx(2.0)  # 0.02 N m s in 0.01 s


@pytest.mark.parametrize("planar", [True, False])
def test_tactile_feels_in_the_axes_of_the_link(planar: bool) -> None:
    touches = suite("tactile").observe(snapshot(planar=planar, touched=(0,)), {}, 0).touches
    assert touches.link.tolist() == [LINKS - 1]
    assert touches.force[0, 1] == pytest.approx(30.0)  # pushed to its left
    assert touches.side.tolist() == [-1]  # by what is on its right
    assert touches.point == pytest.approx(0.0)


def test_weak_touches_are_not_felt() -> None:
    seen = suite("tactile", tactile={"threshold": 31.0}).observe(snapshot(touched=(0,)), {}, 0)
    assert seen.touches.link.size == 0


def test_joint_wrench_balances_momentum() -> None:
    """All links gain 1 m/s in a tick of 0.01 s by something that the plant reports nowhere: 50 N on each."""
    memory: dict[str, Any] = {}
    own = suite("joint-wrench")
    assert own.observe(snapshot(0), memory, 0).joint_force == pytest.approx(0.0)
    force = own.observe(snapshot(1), memory, 1).joint_force
    assert force[:, 0] == pytest.approx([-50.0, -100.0])


def test_joint_wrench_of_a_run_is_zero_beyond_a_free_end() -> None:
    """Dragged by nothing but joints: the force through the last joint moves the head alone."""
    run = pp.simulate("transeth2008a/track", duration=0.5)
    setup = Setup.of(run.scenario)
    mount = Mount(setup.robot, setup.world, run.scenario.control_period)
    own = Suite.of(run.scenario, ["joint-wrench"], mount)
    state, memory = setup.plant.restore(run.checkpoint().plant), dict[str, Any]()
    before = setup.plant.snapshot(state)
    own.observe(before, memory, 0)
    hold = Command(before.joint_angle, np.zeros_like(before.joint_angle), np.zeros_like(before.joint_angle))
    advance(setup.plant, state, hold, setup.substeps)
    seen = setup.plant.snapshot(state)
    force = own.observe(seen, memory, 1).joint_force[-1]
    mass = setup.robot.links[-1].mass
    outside = seen.contact_impulse[-1] + seen.ground_impulse[-1]
    gained = mass * (seen.velocity[-1] - before.velocity[-1])
    assert force * mount.period == pytest.approx(gained - outside, abs=1e-9)


def test_imu_shows_weight_in_space_and_acceleration_in_both() -> None:
    own, memory = suite("imu"), dict[str, Any]()
    own.observe(snapshot(0), memory, 0)
    assert own.observe(snapshot(1), memory, 1).head_acceleration == pytest.approx([100.0, 0.0])
    assert own.observe(snapshot(0, planar=False), {}, 0).head_acceleration == pytest.approx([0.0, 0.0, 9.81])


def test_range_scan_sees_discs_and_walls_and_not_beyond_its_range() -> None:
    scan = suite("range-scan").observe(snapshot(), {}, 0).range_scan
    assert scan.shape == (91,)
    assert scan[45] == pytest.approx(0.9)  # the disc ahead
    assert scan[75] == pytest.approx(0.4)  # the one on the left, at 90 degrees
    assert scan[15] == pytest.approx(1.0)  # the wall on the right
    assert np.isinf(scan[-1])
    near = suite("range-scan", range_scan={"range": 0.5, "rays": 1}).observe(snapshot(), {}, 0).range_scan
    assert np.isinf(near).all()


def test_range_scan_follows_discs_that_move() -> None:
    run = scenario().with_overrides({"world.obstacles.0.mass": 1.0})
    own = Suite.of(run, ["range-scan"], Mount(run.built_robot(), run.built_world(), PERIOD))
    moved = dataclasses.replace(snapshot(), obstacle_position=np.array([[0.6, 0.0]]))
    assert own.observe(moved, {}, 0).range_scan[45] == pytest.approx(0.5)


def test_map_by_how_much_is_known() -> None:
    def discs(known: str, **seen: Any) -> int:
        return len(suite("map", map={"known": known, "range": 0.6}).observe(snapshot(**seen), {}, 0).map.disc)

    assert [discs("none"), discs("full"), discs("within"), discs("touched")] == [0, 2, 1, 0]
    own, memory = suite("map", map={"known": "touched"}), dict[str, Any]()
    assert len(own.observe(snapshot(touched=(1,)), memory, 0).map.disc) == 1
    assert len(own.observe(snapshot(), memory, 1).map.disc) == 1  # it stays on the map
    assert len(suite("map").observe(snapshot(), {}, 0).map.edge) == 1 + 3


def test_boxes_and_cylinders_have_outlines() -> None:
    box = {"kind": "box", "centre": [1.0, 0.0, 0.1], "size": [0.2, 0.2, 0.2], "yaw": np.pi / 4}
    pipe = {"kind": "cylinder", "start": [0.0, 1.0, 0.1], "end": [1.0, 1.0, 0.1], "radius": 0.1}
    run = scenario(world={"name": "solids", "obstacles": [box, pipe]})
    own = Suite.of(run, ["range-scan"], Mount(run.built_robot(), run.built_world(), PERIOD))
    scan = own.observe(snapshot(planar=False), {}, 0).range_scan
    assert scan[45] == pytest.approx(1.0 - 0.1 * np.sqrt(2.0))
    assert scan[75] == pytest.approx(0.9)


# --- errors ---


def test_noise_has_its_size_and_repeats_with_the_seed() -> None:
    noisy = {"noise": 0.01, "bias": 0.5}
    one, same, other = (
        np.array(readings(suite("joint-encoders", joint_encoders=noisy, seed=seed), "joint_angle", 400))
        for seed in (1, 1, 2)
    )
    exact = 0.1 * np.arange(400)[:, np.newaxis]
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert (one - exact).mean() == pytest.approx(0.5, abs=2e-3)  # four standard errors of 800 draws: 1.4e-3
    assert (one - exact).std() == pytest.approx(0.01, rel=0.1)  # four standard errors


def test_latency_shows_what_was() -> None:
    late = readings(suite("joint-encoders", joint_encoders={"latency": 2 * PERIOD}), "joint_angle", 5)
    assert [float(reading[0]) for reading in late] == pytest.approx([0.0, 0.0, 0.0, 0.1, 0.2])


def test_rate_holds_readings() -> None:
    slow = readings(suite("joint-encoders", joint_encoders={"rate": 50.0}), "joint_angle", 5)
    assert [float(reading[0]) for reading in slow] == pytest.approx([0.0, 0.0, 0.2, 0.2, 0.4])


def test_dropout_keeps_the_last_reading() -> None:
    lossy = readings(suite("joint-encoders", joint_encoders={"dropout": 0.5}), "joint_angle", 200)
    values = np.array([reading[0] for reading in lossy])
    kept = np.diff(values) == 0.0
    assert 0.3 < kept.mean() < 0.7
    assert values[1:][~kept] == pytest.approx(0.1 * np.arange(1, 200)[~kept])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"latency": 0.015}, "sensors.joint-encoders.latency: 0.015 s is not a multiple of control_period = 0.01 s"),
        ({"rate": 70.0}, "is not a multiple of control_period"),
        ({"noise": -1.0}, "sensors.joint-encoders.noise = -1"),
        ({"nois": 1.0}, "Did you mean 'sensors.joint-encoders.noise'"),
    ],
)
def test_wrong_options_are_refused_by_name(options: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        suite("joint-encoders", joint_encoders=options)
    assert message in str(refusal.value)


def test_options_of_sensors_that_nobody_reads_are_checked() -> None:
    with pytest.raises(InvalidInput, match=r"Did you mean 'sensors\.map\.noise'"):
        pp.simulate(scenario(sensors={"joint-encoders": {}, "map": {"nois": 1.0}}))


def test_a_missing_sensor_is_an_error_before_the_run() -> None:
    with pytest.raises(InvalidInput, match="controller 'hold' uses sensor 'joint-encoders'"):
        pp.simulate(scenario(sensors={}))
    with pytest.raises(InvalidInput, match="Did you mean 'joint-torque'"):
        pp.simulate(scenario(sensors={"joint-encoders": {}, "joint-torq": {}}))


# --- in a run ---


class NudgeOptions(Frozen):
    pass


class Nudge:
    """Bends the last joint as far as the sensors say that something pushes; remembers nothing."""

    Options: ClassVar[type[Frozen]] = NudgeOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "tactile"})

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> Nudge:
        return cls()

    def initial_shape(self) -> None:
        return None

    def start(self, obs: Observation) -> ControllerState:
        return {}

    def step(self, state: ControllerState, obs: Observation) -> tuple[ControllerState, Command, tuple[()]]:
        still = np.zeros_like(obs.joint_angle)
        return state, Command(0.1 + 0.9 * obs.joint_angle, still, 0.0 * still + 0.01 * len(obs.touches.link)), ()


@pytest.fixture
def nudge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(controllers._items, "nudge", Nudge)


@pytest.mark.usefixtures("nudge")
def test_imperfect_sensors_are_part_of_a_checkpoint(tmp_path: Any) -> None:
    imperfect = {
        "joint-encoders": {"noise": 1e-3, "latency": 0.03, "dropout": 0.2},
        "tactile": {"latency": 0.02, "rate": 50.0},
    }
    pegs = World(name="pegs", obstacles=(Disc(x=0.0, y=0.13, radius=0.1), Disc(x=0.25, y=-0.13, radius=0.1)))
    run = scenario(controller="nudge", sensors=imperfect, duration=0.4).model_copy(update={"world": pegs})
    whole = pp.simulate(run)
    path = pp.simulate(run, duration=0.17).checkpoint().save(tmp_path / "half.nc")
    resumed = pp.resume(pp.Checkpoint.load(path), duration=0.4)
    np.testing.assert_array_equal(resumed.data["link_position"][-1], whole.data["link_position"][-1])
    assert not np.array_equal(pp.simulate(run, sensors=None).data["joint_angle"], whole.data["joint_angle"])


@pytest.mark.usefixtures("nudge")
def test_a_controller_gets_only_what_it_uses() -> None:
    with pytest.raises(AttributeError, match="no sensor that the controller uses gives it"):
        _ = suite("joint-encoders").observe(snapshot(), {}, 0).link_position


# --- errors in proportion, and touches that are missed ---


def pushed(force: float = 4.0) -> Snapshot:
    """All links but the first are pushed by so much [N] along x, and a quarter of it along y."""
    impulse = PERIOD * np.outer([0.0, 1.0, 1.0], [force, force / 4])
    return dataclasses.replace(snapshot(), contact_impulse=impulse)


def felt_by_links(ticks: int, **options: Any) -> Any:
    sensed = suite("contact-force", contact_force=options)
    return np.array([sensed.observe(pushed(), {}, tick).contact_force for tick in range(ticks)])


def test_noise_in_proportion_grows_with_the_force() -> None:
    """Of 2000 readings the spread is known to 2 %."""
    found = felt_by_links(1000, relative_noise=0.1)
    assert not found[:, 0].any()
    spread = found[:, 1:].reshape(-1, 2).std(axis=0)
    np.testing.assert_allclose(spread, [0.4, 0.1], rtol=0.1)
    np.testing.assert_array_equal(found[:5], felt_by_links(5, relative_noise=0.1))


def test_touches_are_missed_link_by_link() -> None:
    """Of 2000 touches a tenth, 0.7 % standard error."""
    found = felt_by_links(1000, missed=0.1)
    felt = found[:, 1:]
    gone = (felt == 0.0).all(axis=2)
    assert 0.07 < gone.mean() < 0.13
    np.testing.assert_allclose(felt[~gone], np.tile([4.0, 1.0], ((~gone).sum(), 1)))
    assert (gone[:, 0] != gone[:, 1]).any()


@pytest.mark.parametrize("field", ["relative_noise", "missed"])
def test_shares_of_forces_are_at_most_one(field: str) -> None:
    with pytest.raises(InvalidInput, match=rf"sensors\.contact-force\.{field} = 1\.5"):
        suite("contact-force", contact_force={field: 1.5})
