"""What is measured in space: `spatial_stepping` against MuJoCo, long robots, memory."""

from __future__ import annotations

from dataclasses import replace
from math import pi

from benchmarks.case import Case, Settings, Timing
from benchmarks.growth import DT, SETTLING_STEPS, STEPS, LongRobots
from benchmarks.judge import DistanceJudge
from benchmarks.processes import LongRun
from benchmarks.timing import interleaved_best
from pushpoint.scenario import Choice, Scenario, Start
from pushpoint.scenarios import scenarios

OURS = "spatial_stepping"
LADDER = (1e-2, 5e-3, 2.5e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4)  # [s]; parts of the control period of 10 ms

OUR_SETTINGS: tuple[Settings, ...] = ({"tolerance": 1e-6}, {"tolerance": 1e-4})  # the default, and a looser one
PEER_SETTINGS: tuple[Settings, ...] = tuple(
    {"solver": solver, "tolerance": tolerance, "max_iterations": iterations}
    for solver in ("newton", "cg")
    for tolerance, iterations in ((1e-8, 100), (1e-4, 100), (1e-3, 100), (1e-4, 5), (1e-4, 3))
)


def contests() -> list[Case]:
    return [sidewinding(), square_links(), undulation()]


def timing(rounds: int) -> Timing:
    """Run by run in turns; ladders get fewer rounds, and below 1 ms only the run that is judged."""
    return Timing(interleaved_best, screening=2, final=rounds, ladder=lambda dt: 3 if dt >= 1e-3 else 0)


def sidewinding() -> Case:
    """P5's, 15 s."""
    return Case(
        scenario=scenarios["transeth2008b/sidewinding"],
        ours=OURS,
        link=5,
        what="fastest settings that keep the distance accurate",
        judge=DistanceJudge(),
        ladder=LADDER,
        our_settings=OUR_SETTINGS,
        peer_settings=PEER_SETTINGS,
        timing=timing(rounds=7),
        starts=3,
        required_ratio=8.0,
        required_real_time=60.0,
    )


def square_links() -> Case:
    """Sidewinding of P3's robot with a wave of its length; gait and friction are ours. For information."""
    gait = {"yaw_amplitude": 0.6, "yaw_frequency": pi, "yaw_phase_shift": -pi / 8}  # [rad], [rad/s], [rad]
    pitch = {"pitch_amplitude": 0.15, "pitch_start_phase": pi / 2}  # [rad]
    scenario = Scenario(
        name="bench/square-links",
        robot=Choice(name="square-17"),
        world=Choice(name="plane", options={"friction": 0.5}),
        plant=Choice(name=OURS),
        controller=Choice(name="gait", options=gait | pitch),
        start=Start(link=8),
        duration=10.0,
    )
    return replace(
        sidewinding(),
        scenario=scenario,
        link=8,
        ladder=LADDER[:-1],
        peer_settings=tuple(PEER_SETTINGS[k] for k in (0, 1, 4, 5, 6)),
        timing=timing(rounds=5),
        required_ratio=None,
        required_real_time=None,
    )


def undulation() -> Case:
    """P5's on ground that resists all motion alike: every link touches it all the time. Three periods, 13.5 s."""
    first = PEER_SETTINGS[0]
    return Case(
        scenario=scenarios["transeth2008b/undulation-isotropic"].with_overrides({"duration": 13.5}),
        ours=OURS,
        link=5,
        what="at the smallest error of MuJoCo",
        judge=DistanceJudge(),
        ladder=(1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4),
        our_settings=OUR_SETTINGS[:1],
        peer_settings=(first, *({**first, "solver": solver, "tolerance": 1e-4} for solver in ("newton", "cg"))),
        timing=timing(rounds=2),  # a run of MuJoCo takes some seconds
        creeps=True,
        required_ratio=10.0,
    )


def sidewinder(links: int) -> Scenario:
    """A long Aiko with cardan joints, already bent as P5's sidewinding bends it; eleven links per wave."""
    gait = {"preset": "sidewinding", "soft_start": 0.0, "yaw_phase_shift": -2 * pi / 11}  # [rad]
    return Scenario(
        name="bench/sidewinder",
        robot=Choice(name="aiko-cardan", options={"links": links}),
        world=Choice(name="plane", options={"friction": 0.2}),
        plant=Choice(name=OURS, options={"dt": DT}),
        controller=Choice(name="gait", options=gait),
        duration=(SETTLING_STEPS + STEPS) * DT,
    )


GROWTH_ROUNDS = 40  # of some hundred milliseconds each: slow moments of a shared machine last longer than ten
GROWTH = (
    LongRobots(
        "in space", sidewinder, OURS, (20, 50, 100, 200), settling=SETTLING_STEPS, fit_from=20, largest_exponent=1.2
    ),
)
MEMORY = LongRun(" in space", sidewinder, links=50, duration=60.0, most_mb=200.0, above_start=True)
