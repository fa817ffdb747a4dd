"""Pushing along the sine of pegs: speed and path on all grounds, stalls, noise, MuJoCo; loads predicted and found.

Speed and distance are those of the head's front end, 30 s from rest. What was measured stands beside each bound.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

import pushpoint as pp
from pushpoint.analysis.paths import arc_length, head_off_sine, head_tip, nearest_on_sine, speed_along_sine
from pushpoint.control.push_along import PushAlong
from pushpoint.errors import SolverFailure
from pushpoint.mechanics.overlap import overlaps
from pushpoint.planning.feasibility import Margin
from pushpoint.planning.paths import sine_path
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.scenarios.lab_push import (
    AMPLITUDE,
    FIRST,
    HEAD,
    NOISE_KNOWN,
    NOISY,
    OFFSET,
    PEGS,
    RADIUS,
    WAVELENGTH,
    Circumstances,
    hoal_sine,
)
from pushpoint.simulation import Setup
from pushpoint.types import FloatArray, Pose
from pushpoint.worlds import Disc, Ground, World
from pushpoint.worlds.sine_pegs import inflection_pegs

pytest.importorskip("daqp", reason="the solver is an extra: pip install 'pushpoint[qp]'")

SPEED = 0.150  # [m/s]
SPEED_ERROR = 0.03 * SPEED  # asked for; measured 0.5 % at most
OFF_PATH = 5e-3  # [m], asked for; measured 1.6 mm at most
OFF_PATH_NOISY = 10e-3  # [m], asked for; measured 0.9 mm
WAVE = 2.64  # [m], arc length of one wave of the path

# Peak torques [N m] by ground friction and peg friction that an independent prototype of the controller needed.
PEAKS = {
    0.05: {0.0: 2.2, 0.1: 2.6, 0.2: 3.2, 0.3: 4.0},
    0.1: {0.0: 4.4, 0.1: 5.2, 0.2: 6.4, 0.3: 8.0},
    0.2: {0.0: 8.8, 0.1: 10.5, 0.2: 12.7, 0.3: 16.0},
}
CASES = [(mu, rough, peak) for mu, row in PEAKS.items() for rough, peak in row.items()]


def scenario(around: Circumstances, **more: object) -> Scenario:
    return hoal_sine("lab/push-test", "test", around, **more)  # type: ignore[arg-type]  # options by keyword


def controller_of(run: Scenario) -> PushAlong:
    controller = Setup.of(run).controller
    assert isinstance(controller, PushAlong)
    return controller


def predicted(run: Scenario, spacing: float) -> Margin:
    """alpha along one wave."""
    return controller_of(run).course.margin(HEAD, HEAD + WAVE, spacing)


def place(run: pp.Recording) -> float:
    """Arc length [m] of the head's front end when the recording ends."""
    first, last = nearest_on_sine(head_tip(run)[[0, -1]], AMPLITUDE, WAVELENGTH)
    return HEAD + arc_length(float(first), float(last), AMPLITUDE, WAVELENGTH)


def assert_gets_along(run: pp.Recording, off_path: float = OFF_PATH) -> None:
    sine = {"amplitude": AMPLITUDE, "wavelength": WAVELENGTH}
    assert run.events.sizes["event"] == 0
    assert speed_along_sine(run, **sine) == pytest.approx(SPEED, abs=SPEED_ERROR)
    assert head_off_sine(run, **sine) <= off_path


@pytest.mark.parametrize(("mu", "rough", "peak"), CASES)
def test_peak_torques_are_those_of_the_prototype(mu: float, rough: float, peak: float) -> None:
    """The linear program's torque, without what feedback takes: measured 0.93 to 0.96 of the prototype's peak."""
    course = controller_of(scenario(Circumstances(1.0, mu, 0.0, rough), margin=0.0)).course
    least = min(course.propulsion(float(s))[0].alpha for s in np.linspace(HEAD, HEAD + WAVE, 45))
    assert 0.9 * peak < 1.0 / least < peak


@pytest.mark.slow
@pytest.mark.parametrize(("mu", "rough", "peak"), CASES)
def test_dry_ground_at_a_quarter_more_than_the_peak_torque(mu: float, rough: float, peak: float) -> None:
    assert_gets_along(pp.simulate(scenario(Circumstances(1.25 * peak, mu, 0.0, rough))))


@pytest.mark.slow
@pytest.mark.parametrize("viscous", [0.5, 2.0])
def test_viscous_ground(viscous: float) -> None:
    assert_gets_along(pp.simulate(scenario(Circumstances(5.0, 0.0, viscous, 0.0))))


@pytest.mark.slow
@pytest.mark.parametrize("mu", list(PEAKS))
def test_mujoco_confirms_runs_on_dry_ground(mu: float) -> None:
    """Its planar model has smooth pegs only."""
    pytest.importorskip("mujoco")
    run = scenario(Circumstances(1.25 * PEAKS[mu][0.0], mu, 0.0, 0.0))
    assert_gets_along(pp.simulate(run, plant="mujoco"))


@pytest.mark.slow
@pytest.mark.parametrize("mass_scale", [1.15, 1 / 1.15])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_noise_latency_and_wrong_masses(mass_scale: float, seed: int) -> None:
    around = Circumstances(6.5, 0.1, 0.0, 0.1)
    run = scenario(around, mass_scale=mass_scale, margin=0.0, sensing=NOISE_KNOWN)
    assert_gets_along(pp.simulate(run, sensors=NOISY, seed=seed), OFF_PATH_NOISY)


@pytest.mark.slow
@pytest.mark.parametrize(("mu", "rough", "peak"), CASES)
def test_below_the_peak_it_stops_says_so_and_holds(mu: float, rough: float, peak: float) -> None:
    """With a reserve of 15 %: momentum would carry it over the weakest places, which are short."""
    run = pp.simulate(scenario(Circumstances(0.9 * peak, mu, 0.0, rough), margin=1.15), duration=6.0)
    assert run.events["name"].values.tolist() == ["hold"]
    later = run.data["time"].values > float(run.events["time"].values[0]) + 1.0
    shape, held = run.data["joint_angle"].values[later], run.data["joint_reference"].values[-1]
    assert np.abs(shape - shape[-1]).max() < 1e-4  # [rad]: it is at rest
    assert np.abs(shape - held).max() < 0.04  # [rad]: ground friction keeps what is left; measured 0.006 to 0.024


def drawn(count: int) -> list[Circumstances]:
    """Grounds, pegs and torque limits from 0.7 to 1.35 times what the linear program asks for."""
    random, found = np.random.default_rng(11), []
    peaks = ([0.0, 0.1, 0.2, 0.3], [41.3, 49.5, 60.3, 75.1])  # [N m] per unit of ground friction
    for _ in range(count):
        mu, rough, part = random.uniform(0.04, 0.2), random.uniform(0.0, 0.3), random.uniform(0.7, 1.35)
        found.append(Circumstances(round(part * mu * float(np.interp(rough, *peaks)), 3), mu, 0.0, rough))
    return found


def stalled_at(run: Scenario) -> float | None:
    """Where the robot stops within 20 s [m]; None: it gets along. Where friction locks it, the plant may give up."""
    try:
        recording = pp.simulate(run, duration=20.0)
    except SolverFailure as failure:
        recording = failure.recording or pytest.fail("a failure without a recording")
    return place(recording) if place(recording) - HEAD < 0.6 * SPEED * 20.0 else None


@pytest.mark.slow
def test_predicted_loads_separate_moving_from_stalled() -> None:
    """The controller runs without its margin, so that it tries. Measured: 50 of 50, and places to
    2.1 cm."""
    right, off = 0, []
    for around in drawn(50):
        run = scenario(around, margin=0.0)
        expected, found = predicted(run, 0.01).stall(SPEED), stalled_at(run)
        right += (expected is None) == (found is None)
        if expected is not None and found is not None:
            off.append(abs(found - expected))
    assert right >= 45
    assert max(off) <= 0.05


# --- layouts at random ---

LAYOUTS = 40


def scattered(seed: int) -> Scenario:
    """Pegs up to half a metre along the path from where they push best, on the same side; no overlap at the start."""
    draw = np.random.default_rng([seed, 77])
    spread, limit = draw.uniform(0.0, 0.5), draw.uniform(4.5, 6.5)
    base = scenario(Circumstances(float(limit), 0.1, 0.0, 0.1), margin=0.0)
    setup, path = Setup.of(base), sine_path(AMPLITUDE, WAVELENGTH, -4.0, 5.0)
    pose, pegs = setup.start_pose(), []
    for x, y in inflection_pegs(AMPLITUDE, WAVELENGTH, OFFSET, FIRST, PEGS):
        s = path.nearest(np.array([x, y]))
        forward, off = path.tangent(np.array([s]))[0], np.array([x, y]) - path(np.array([s]))[0]
        side = np.sign(forward[0] * off[1] - forward[1] * off[0])
        at = np.array([s + draw.uniform(-spread, spread)])
        left = np.array([-path.tangent(at)[0, 1], path.tangent(at)[0, 0]])
        pegs.append(beside(path(at)[0], side * left, setup.robot, pose))
    discs = tuple(Disc(x=x, y=y, radius=RADIUS, friction=0.1) for x, y in pegs)
    world = World(name="scattered", ground=Ground(friction=0.1), obstacles=discs)
    given = [[x, y, RADIUS] for x, y in pegs]
    return base.model_copy(update={"world": world}).with_overrides({"controller.pegs": given, "duration": 20.0})


def beside(place: FloatArray, across: FloatArray, robot: Robot, pose: Pose) -> tuple[float, float]:
    """The centre of a peg beside a place of the path, as near as the robot lets it at the start."""
    for away in np.arange(OFFSET, OFFSET + 0.05, 5e-4):
        x, y = place + away * across
        alone = World(name="peg", ground=Ground(), obstacles=(Disc(x=float(x), y=float(y), radius=RADIUS),))
        if all(depth < 1e-9 for _, _, depth in overlaps(robot, alone, pose)):
            return float(x), float(y)
    raise AssertionError("no room for a peg")


def reached(run: Scenario) -> float:
    """How far the head comes in 20 s [m]."""
    try:
        return place(pp.simulate(run)) - HEAD
    except SolverFailure as failure:
        return place(failure.recording or pytest.fail("a failure without a recording")) - HEAD


@pytest.mark.slow
def test_predicted_loads_rank_layouts_at_random() -> None:
    """Rank correlation of the least alpha along the path with the distance reached. In forty such layouts, with other
    draws, it was 0.78; 0.53 if only pegs within 3 mm of the path count."""
    least, distance = [], []
    for seed in range(LAYOUTS):
        run = scattered(seed)
        margin = controller_of(run).course.margin(HEAD, HEAD + 20.0 * SPEED, 0.03)
        least.append(float(margin.alpha.min()))
        distance.append(reached(run))
    assert spearmanr(least, distance).statistic > 0.5
