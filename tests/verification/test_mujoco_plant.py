"""The MuJoCo plant against closed forms, conservation laws and the non-smooth planar plant.

Every tolerance names the margin that was measured when it was set.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.pose import mass_mean, moving, planar_pose
from pushpoint.plants import Plant, plants
from pushpoint.robots import Joint, Link, Robot, Servo, robots
from pushpoint.tape import Tape, new_tape
from pushpoint.types import Command, CommandTable, FloatArray, Pose, Status
from pushpoint.worlds import Disc, Ground, Obstacle, Polygon, Wall, World, worlds
from tests.ticks import advance, observe

pytest.importorskip("mujoco", reason="the plant's engine is an extra: pip install 'pushpoint[mujoco]'")

from pushpoint.plants.mujoco.fast import fast_rollout  # not without MuJoCo

G = 9.81
TICK = 0.01  # [s]
FREE = World(name="free", ground=Ground(friction=0.0))
BLOCK = Robot(name="block", links=(Link(length=0.1, mass=0.5, inertia=1e-3, radius=0.05),))


def build(robot: Robot, world: World, servo: Servo | None = None, **options: object) -> Plant:
    model = plants["mujoco"]
    return model.build(robot, world, servo or robot.servo, model.Options(**options))


def run(plant: Plant, state: object, table: CommandTable) -> Tape:
    ticks, joints = table.joint_angle.shape
    substeps = round(TICK / plant.dt)
    tape = new_tape(joints + 1, ticks + 1, ticks * substeps, 1)
    plant.record_start(state, tape)
    tape, failure = plant.rollout(state, table, substeps, tape)
    assert failure is None
    return tape


def idle(ticks: int, joints: int) -> CommandTable:
    return CommandTable(*(np.zeros((ticks, joints)) for _ in CommandTable._fields))


def undulation(ticks: int) -> CommandTable:
    """The gait of the track: joint angle = -A sin(w t + (9 - j) d)."""
    amplitude, frequency, offset = np.radians([40.0, 80.0, -50.0])
    phase = frequency * TICK * np.arange(ticks)[:, np.newaxis] + (9 - np.arange(10)) * offset
    rate = -amplitude * frequency * np.cos(phase)
    return CommandTable(-amplitude * np.sin(phase), rate, np.zeros_like(phase))


def track_start(table: CommandTable) -> Pose:
    return planar_pose(robots["aiko"](), table.joint_angle[0], math.radians(8.0), (0.520, 0.160), 5)


def sliding(velocity: tuple[float, float], angle: float = 0.0) -> Pose:
    return Pose(np.zeros((1, 2)), np.array([angle]), np.array([velocity]), np.zeros(1))


@pytest.mark.parametrize("dt", [1e-3, 1e-4])
@pytest.mark.parametrize(("angle", "friction"), [(0.0, 0.2), (math.pi / 2, 0.5)])
def test_block_stops_after_v2_over_2_mu_g(dt: float, angle: float, friction: float) -> None:
    """Along the link mu = 0.2 holds, across it mu = 0.5."""
    plant = build(BLOCK, World(name="ice", ground=Ground(friction=0.2, friction_across=0.5)), dt=dt)
    state = plant.initial_state(sliding((1.0, 0.0), angle))
    tape = run(plant, state, idle(60, 0))
    distance = 1.0 / (2 * friction * G)
    lost = 0.5 * dt * 1.0  # [m], v0 dt / 2: a step moves with its end velocity
    firmness = 1e-4  # the normal force is higher by the part v / FIRMNESS while sliding; measured 4e-5 to 9e-5
    assert tape.link[-1, 0, 0] == pytest.approx(distance - lost, rel=firmness)
    assert np.abs(tape.link[-1, 0, 3:5]).max() < 1e-9  # [m/s], measured 1e-12


def test_block_that_friction_can_hold_creeps_four_micrometres_per_second() -> None:
    plant = build(BLOCK, World(name="plane", ground=Ground(friction=0.2)))
    state = plant.initial_state(sliding((0.0, 0.0), angle=0.3))
    state.data.qfrc_applied[0] = 0.9 * 0.2 * BLOCK.mass * G
    tape = run(plant, state, idle(100, 0))
    creep = 0.9 * 0.2**2 * 1e-4  # [m] in 1 s: load / limit * mu**2 FIRMNESS / STICK_RATIO
    assert tape.link[-1, 0, 0] == pytest.approx(creep, rel=0.01)
    force = tape.link[2:, 0, 8]  # without the tick in which the creep begins
    assert force == pytest.approx(-state.data.qfrc_applied[0], rel=1e-4)  # solver tolerance, measured 2e-5


def test_free_chain_keeps_its_momenta() -> None:
    """No ground, no obstacles: servo torques are internal. MuJoCo's chain drifts with dt: first order."""
    robot = robots["aiko"]()
    table = undulation(100)
    drift = []
    for dt in (1e-3, 5e-4):
        plant = build(robot, FREE, dt=dt)
        pose = planar_pose(robot, table.joint_angle[0], 0.3, (0.1, -0.2))
        state = plant.initial_state(moving(robot, pose, (0.2, -0.1), 0.5, np.zeros(10)))
        tape = run(plant, state, table)
        drift.append(np.abs(momenta(robot, tape.link[-1]) - momenta(robot, tape.link[0])))
    linear, angular = 7.5 * 0.22, 0.5  # [kg m/s], [kg m2/s]: what there is of each
    assert (drift[1] < 0.01 * np.array([linear, linear, angular])).all()
    assert drift[1][2] < 0.7 * drift[0][2]  # half the step, half the drift


def momenta(robot: Robot, link: FloatArray) -> FloatArray:
    """Linear x, y and angular about the centre of mass."""
    mass = np.array([part.mass for part in robot.links])
    inertia = np.array([part.inertia for part in robot.links])
    arm = link[:, :2] - mass_mean(robot, link[:, :2])
    linear = mass @ link[:, 3:5]
    spin = mass @ (arm[:, 0] * link[:, 4] - arm[:, 1] * link[:, 3]) + inertia @ link[:, 5]
    return np.array([*linear, spin])


def test_peg_force_is_mass_times_acceleration() -> None:
    """A block runs into a peg off its axis; all momentum that it loses passes through the contact table."""
    world = World(name="peg", ground=Ground(friction=0.0), obstacles=(Disc(x=0.3, y=0.02, radius=0.05),))
    plant = build(BLOCK, world)
    state = plant.initial_state(sliding((1.0, 0.0)))
    tape = run(plant, state, idle(40, 0))
    change = BLOCK.mass * np.diff(tape.link[:, 0, 3:5], axis=0)
    assert np.abs(change).max() > 0.1  # [N s], it did hit
    assert tape.link[1:, 0, 6:8] * TICK == pytest.approx(change, abs=1e-12)
    rows = tape.contact[: tape.cursor[0].contact]
    assert rows[:, 8:10].sum(axis=0) == pytest.approx(tape.link[:, 0, 6:8].sum(axis=0), rel=1e-12)
    assert np.all(rows[:, 6] < 0)  # normals point from the peg to the block
    assert np.linalg.norm(rows[:, 4:6] - (0.3, 0.02), axis=1) == pytest.approx(0.05)


def test_ground_force_is_bounded_by_the_weight_of_the_link() -> None:
    robot, table = robots["aiko"](), undulation(100)
    plant = build(robot, worlds["plane"]())
    tape = run(plant, plant.initial_state(planar_pose(robot, table.joint_angle[0], 0.0, (0.0, 0.0))), table)
    force = np.linalg.norm(tape.link[1:, :, 8:10], axis=2)
    limit = 0.2 * robot.links[0].mass * G
    assert force.max() <= limit * (1 + 1e-4)  # FIRMNESS: 1e-4 at 1 m/s
    assert force.max() >= limit * (1 - 1e-6)
    gained = mass_mean(robot, tape.link[-1, :, 3:5]) * robot.mass
    assert TICK * tape.link[1:, :, 8:10].sum(axis=(0, 1)) == pytest.approx(gained, abs=0.05)


def test_energy_ledger_closes() -> None:
    table = undulation(50)
    plant = build(robots["aiko"](), worlds["track"]())
    energy = run(plant, plant.initial_state(track_start(table)), table).energy
    balance = energy[:, 1] - energy[0, 1] - energy[:, 2:].sum(axis=1)
    assert np.abs(balance).max() < 1e-12
    assert abs(energy[-1, 5]) < 0.01 * energy[-1, 2]  # numerical against servo work, measured 4e-3


def test_saturated_servo_gives_its_limit() -> None:
    """At the limit the torque is exactly the limit, and only the links' own inertia resists."""
    robot = Robot(name="pair", links=BLOCK.links * 2)
    plant = build(robot, FREE, Servo(stiffness=80.0, damping=0.5, torque_limit=0.5))
    state = plant.initial_state(planar_pose(robot, np.zeros(1), 0.0, (0.0, 0.0)))
    command = Command(np.array([1.0]), np.zeros(1), np.zeros(1))
    assert advance(plant, state, command, 5) is None
    seen = observe(plant, state, 5 * plant.dt)
    # In a straight pair each link turns about its own centre, which stays.
    inertia = robot.links[0].inertia
    assert seen.joint_torque[0] == pytest.approx(0.5, rel=1e-12)
    assert seen.joint_rate[0] == pytest.approx(2 * 0.5 / inertia * 5 * plant.dt, rel=1e-3)


@pytest.mark.parametrize("ticks_per_row", [1, 7])
def test_restored_run_is_equal_to_the_bit(ticks_per_row: int) -> None:
    table, first = undulation(40), 17
    plant = build(robots["aiko"](), worlds["track"]())
    whole = recorded(plant, plant.initial_state(track_start(table)), table, ticks_per_row)
    state = plant.initial_state(track_start(table))
    parts = new_tape(11, 41, 400, ticks_per_row)
    plant.record_start(state, parts)
    parts, _ = plant.rollout(state, CommandTable(*(a[:first] for a in table)), 10, parts)
    other = build(robots["aiko"](), worlds["track"]())
    saved = plant.dump(state)
    run_on = other.restore({name: array.copy() for name, array in saved.items()})
    parts, _ = other.rollout(run_on, CommandTable(*(a[first:] for a in table)), 10, parts)
    cursor = whole.cursor[0]
    rows, contacts, steps = cursor.row, cursor.contact, cursor.step
    assert contacts > 0
    assert np.array_equal(whole.cursor, parts.cursor)
    assert np.array_equal(whole.link[:rows], parts.link[:rows])
    assert np.array_equal(whole.energy[:rows], parts.energy[:rows])
    assert np.array_equal(whole.contact[:contacts], parts.contact[:contacts])
    assert np.array_equal(whole.step[:steps], parts.step[:steps])


def recorded(plant: Plant, state: object, table: CommandTable, ticks_per_row: int) -> Tape:
    ticks, joints = table.joint_angle.shape
    tape = new_tape(joints + 1, ticks + 1, 10 * ticks, ticks_per_row)
    plant.record_start(state, tape)
    return plant.rollout(state, table, 10, tape)[0]


def test_fast_rollout_is_the_recorded_run() -> None:
    table = undulation(30)
    plant = build(robots["aiko"](), worlds["track"]())
    state = plant.initial_state(track_start(table))
    path = fast_rollout(plant, state, table, 10)
    assert np.array_equal(path, run(plant, state, table).link[1:, :, :2])


def test_play_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"servo\.play = 0\.01"):
        build(robots["aiko"](), worlds["plane"](), Servo(stiffness=800.0, damping=2.0, play=0.01))


PEG = Disc(x=5, y=5, radius=0.1)
SQUARE = ((5, 5), (6, 5), (6, 6), (5, 6))
PLANAR = "plant 'mujoco' with dimensions = 2"


@pytest.mark.parametrize(
    ("obstacle", "words"),
    [
        (Wall(points=SQUARE[:2]), "world.obstacles.1 is a wall"),
        (Polygon(points=SQUARE), "world.obstacles.1 is a polygon"),
        (PEG.model_copy(update={"mass": 0.5}), "world.obstacles.1.mass = 0.5 kg"),
        (PEG.model_copy(update={"friction": 0.3}), "world.obstacles.1.friction = 0.3"),
        (PEG.model_copy(update={"restitution": 0.4}), "world.obstacles.1.restitution = 0.4"),
    ],
)
def test_obstacles_other_than_fixed_smooth_discs_are_refused_by_name(obstacle: Obstacle, words: str) -> None:
    world = World(name="w", obstacles=(PEG, obstacle))
    assert not world.is_basic
    message = f"{PLANAR} supports fixed smooth inelastic discs only: {words}; use plant 'planar_stepping'"
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$"):
        build(BLOCK, world)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"friction_backward": 0.5}, "world.ground.friction_backward = 0.5"),
        ({"viscous": 2.0}, "world.ground.viscous = 2.0 N s/m"),
        ({"viscous_across": 2.0}, "world.ground.viscous_across = 2.0 N s/m"),
        ({"torque": True}, "world.ground.torque = True"),
        ({"patches": [{"x_min": 0, "x_max": 1, "y_min": 0, "y_max": 1}]}, "world.ground.patches.0 is a patch"),
    ],
)
def test_other_grounds_are_refused_by_name(fields: dict[str, object], words: str) -> None:
    world = World(name="w", ground=Ground.parse(fields))
    assert not world.is_basic
    message = f"{PLANAR} supports dry friction and other friction across the links only: {words}"
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}.*; use plant 'planar_stepping'$"):
        build(BLOCK, world)


@pytest.mark.parametrize(
    ("fields", "unit"),
    [
        ({"actuated": False}, ""), ({"stiffness": 1.0}, " N m/rad"), ({"angle": 0.5}, " rad"),
        ({"lower": -1.0}, " rad"), ({"upper": 1.0}, " rad"), ({"armature": 0.1}, " kg m2"),
    ],
)  # fmt: skip
def test_joints_with_more_than_a_servo_and_a_damper_are_refused_by_name(fields: dict[str, object], unit: str) -> None:
    robot = Robot(name="three", links=BLOCK.links * 3, joints=(Joint(), Joint.parse(fields)))
    assert not robot.has_basic_joints
    ((field, value),) = fields.items()
    words = re.escape(
        f"supports joints with servos and dampers only: robot.joints.1.{field} = {value}{unit}; use plant"
    )
    with pytest.raises(InvalidInput, match=words):
        build(robot, FREE)


def test_what_is_basic_is_built_however_it_is_written() -> None:
    ground = Ground(friction=0.2, friction_backward=0.2, friction_across=0.5)
    robot = Robot(name="three", links=BLOCK.links * 3, joints=(Joint(), Joint()))
    assert build(robot, World(name="w", ground=ground, obstacles=(PEG,))).dt == 1e-3


def test_state_that_is_not_finite_is_a_failure(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reported, and neither printed nor written to MuJoCo's log file."""
    monkeypatch.chdir(tmp_path)
    plant = build(robots["aiko"](), worlds["plane"]())
    state = plant.initial_state(planar_pose(robots["aiko"](), np.zeros(10), 0.0, (0.0, 0.0)))
    torque = np.zeros(10)
    torque[3] = 1e200
    failure = advance(plant, state, Command(np.zeros(10), np.zeros(10), torque), 10)
    assert failure is not None
    assert failure.status == Status.NOT_FINITE
    assert failure.time == pytest.approx(plant.dt)
    assert "plant.dt" in failure.advice
    assert capfd.readouterr().out == ""
    assert not list(tmp_path.iterdir())


def test_track_agrees_with_planar_stepping() -> None:
    """3 s along the track: link 5 within 1 mm at all times (measured 0.12 mm), mean push within 1 %."""
    table, robot, world = undulation(300), robots["aiko"](), worlds["track"]()
    tapes = {}
    for name in ("mujoco", "planar_stepping"):
        model = plants[name]
        plant = model.build(robot, world, robot.servo, model.Options())
        tapes[name] = run(plant, plant.initial_state(track_start(table)), table)
    ours, reference = tapes["mujoco"].link, tapes["planar_stepping"].link
    apart = np.linalg.norm(ours[:, 5, :2] - reference[:, 5, :2], axis=1)
    assert apart.max() < 1e-3
    push, expected = ours[1:, :, 6].sum(axis=1).mean(), reference[1:, :, 6].sum(axis=1).mean()
    assert push == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("limit", [math.inf, 2.0])
def test_dampers_of_joints_act_as_on_the_planar_plant(limit: float) -> None:
    """Both are implicit, of first order in dt; torques hold what dampers take, and their work is booked."""
    link = Link(length=0.3, mass=1.0, inertia=4e-3, radius=0.05)
    robot = Robot(name="damped", links=(link,) * 3, joints=(Joint(damping=0.05),) * 2, servo=Servo(torque_limit=limit))
    still = planar_pose(robot, np.array([0.3, -0.2]), 0.0, (0.0, 0.0), 0)
    begin = moving(robot, still, (0.0, 0.0), 0.0, np.array([1.0, -2.0]))
    table, ends = idle(50, 2), []
    for name, options in (("mujoco", {}), ("planar_stepping", {"extended": "all"})):
        plant = plants[name].build(robot, FREE, robot.servo, plants[name].Options(dt=1e-4, **options))
        tape = run(plant, plant.initial_state(begin), table)
        ends.append((np.diff(tape.link[1:, :, 5], axis=1), tape.link[1:, 1:, 10], tape.energy[-1]))
    (rate, torque, energy), (rate_there, torque_there, energy_there) = ends
    assert np.abs(rate - rate_there).max() < 4e-4  # [rad/s] of 2; measured 1e-4
    assert np.abs(torque - torque_there).max() < 2e-5  # [N m] of 0.1; measured 5e-6
    assert energy[1:3] == pytest.approx(energy_there[1:3], abs=4e-6)  # [J] of 0.01; measured 8e-7
    assert energy[2] < 0.0
