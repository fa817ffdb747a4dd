"""The pushing controller: its program, its observer, its modes. Physics is in tests/validation/test_push_along.py."""

from __future__ import annotations

import builtins
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control._push_qp import Keeping, Push, PushProgram, Weights, Wish
from pushpoint.control._sensing import Observer, Sensing
from pushpoint.control.push_along import PushAlong
from pushpoint.errors import InvalidInput, MissingExtra
from pushpoint.mechanics.peg_contacts import PegContacts, peg_contacts
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning.feasibility import described
from pushpoint.planning.push_points import push_points
from pushpoint.robots import Link, Robot
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.scenarios.lab_push import HEAD, Circumstances, hoal_sine
from pushpoint.simulation import Setup
from pushpoint.tape import new_tape
from pushpoint.types import CommandTable, Contacts, FloatArray, Observation

pytest.importorskip("daqp", reason="the solver is an extra: pip install 'pushpoint[qp]'")

LIMIT = 0.8  # [N m]
HOW_TO = Path(__file__).parents[2] / "docs" / "howto" / "push-along-a-path.md"


def rods(links: int) -> TailChain:
    return TailChain.of(Robot(name="rods", links=(Link(length=0.3, mass=1.0, inertia=0.0075, radius=0.05),) * links))


def on_pegs() -> tuple[TailState, PegContacts]:
    """A bent robot of six links in motion, pegs beside three of them."""
    chain, random = rods(6), np.random.default_rng(2)
    state = chain.at(random.uniform(-0.3, 0.3, 8), random.uniform(-0.2, 0.2, 8))
    link, side = np.array([1, 2, 4]), np.array([-1.0, 1.0, -1.0])
    centre = state.centres[link] + 0.151 * side[:, np.newaxis] * state.left[link]
    return state, peg_contacts(state, link, centre, np.full(3, 0.1))


def solved(wish: Wish, mu: float = 0.1, sticking: bool = False, limit: float = LIMIT) -> tuple[Push, FloatArray]:
    """The solution, and the friction forces along the tangents that go with it."""
    state, contacts = on_pegs()
    found = PushProgram(limit, mu, sticking=sticking).solve(state, contacts, wish)
    assert found is not None
    rest = state.mass_matrix @ found.acceleration + state.coriolis_force - wish.drag
    friction = np.linalg.lstsq(
        contacts.tangent_jacobian.T,
        rest - state.chain.actuation @ found.torque - contacts.normal_jacobian.T @ found.force,
        rcond=None,
    )[0]
    return found, friction


def wish(seed: int = 0, scale: float = 3.0) -> Wish:
    random = np.random.default_rng(seed)
    return Wish(scale * random.normal(size=8), random.normal(size=8))


# --- the program ---


@pytest.mark.parametrize("sticking", [False, True])
def test_solution_obeys_dynamics_limits_and_cones(sticking: bool) -> None:
    for seed in range(20):
        found, friction = solved(wish(seed), sticking=sticking)
        assert np.abs(found.torque).max() <= LIMIT + 1e-9
        assert found.force.min() >= -1e-9
        if sticking:
            assert (np.abs(friction) <= 0.1 * found.force + 1e-6).all()
        else:
            assert friction == pytest.approx(-0.1 * found.force, abs=1e-6)  # against motion headwards


def test_no_other_torques_and_forces_come_nearer() -> None:
    """Random feasible changes never lower the cost that the module's docstring states."""
    state, contacts = on_pegs()
    want, random = wish(4), np.random.default_rng(8)
    found, _ = solved(want)
    weights, keeping = Weights(), Keeping()
    rows = contacts.normal_jacobian - 0.1 * contacts.tangent_jacobian

    def cost(torque: FloatArray, force: FloatArray) -> float:
        push = state.chain.actuation @ torque + rows.T @ force + want.drag - state.coriolis_force
        acceleration = np.linalg.solve(state.mass_matrix, push)
        off = acceleration - want.acceleration
        gap = contacts.normal_jacobian @ acceleration + contacts.bias
        gap += keeping.damping * contacts.gap_rate + keeping.stiffness * contacts.gap
        small = weights.torque * torque @ torque + weights.force * force @ force
        return float(off @ state.mass_matrix @ off + weights.keeping * gap @ gap + small)

    best = cost(found.torque, found.force)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(50):
            torque = np.clip(found.torque + size * random.normal(size=5), -LIMIT, LIMIT)
            assert cost(torque, np.maximum(0.0, found.force + size * random.normal(size=3))) >= best - 1e-9


def test_what_is_possible_is_done_without_error() -> None:
    """An acceleration that torques and forces within limits give, and that keeps contacts, comes out."""
    state, contacts = on_pegs()
    keeping = Keeping()
    target = -keeping.damping * contacts.gap_rate - keeping.stiffness * contacts.gap - contacts.bias
    rows = contacts.normal_jacobian
    torque = np.random.default_rng(3).normal(size=5)
    M_rows = np.linalg.solve(state.mass_matrix, np.column_stack([rows.T, state.chain.actuation @ torque]))
    drag = state.coriolis_force
    force = np.linalg.solve(rows @ M_rows[:, :3], target - rows @ M_rows[:, 3])
    force_up = np.maximum(force, 0.0) + 5.0  # contacts press: the drag takes what is too much
    drag = drag - rows.T @ (force_up - force)
    acceleration = M_rows[:, :3] @ force + M_rows[:, 3]
    found = PushProgram(10.0, 0.0).solve(state, contacts, Wish(acceleration, drag))
    assert found is not None
    regular = 1e-4 * np.abs(acceleration).max()  # torques and forces have a weight, too: measured 1e-5
    assert found.acceleration == pytest.approx(acceleration, abs=regular)


def test_force_set_points_are_met_where_balance_allows() -> None:
    """Three pegs beside a straight robot at rest: (2, 3, 1) is in balance, erratum P4-6."""
    chain = rods(6)
    state = chain.at(np.zeros(8), np.zeros(8))
    link, side = np.array([1, 2, 4]), np.array([-1.0, 1.0, -1.0])
    centre = np.stack([0.3 * link + 0.15, 0.15 * side], axis=1)
    contacts = peg_contacts(state, link, centre, np.full(3, 0.1))
    still = Wish(np.zeros(8), np.zeros(8), np.array([1.6, 2.4, 0.8]))
    found = PushProgram(2.0, 0.0, Weights(force=1e-2)).solve(state, contacts, still)
    assert found is not None
    assert found.force == pytest.approx([1.6, 2.4, 0.8], rel=2e-3)  # weight of torques: measured 5e-4
    assert found.torque == pytest.approx([0.0, -0.24, -0.36, -0.12, 0.0], abs=1e-3)


def test_speed_yields_before_the_shape() -> None:
    """Without torque enough, the less an error along the path costs, the less is wrong with shape and contacts."""
    state, contacts = on_pegs()
    along, keeping = np.random.default_rng(5).normal(size=8), Keeping()
    want = Wish(20.0 * along, np.zeros(8), along=along)

    def wrong_with_shape(weight: float) -> float:
        found = PushProgram(LIMIT, 0.0, Weights(along=weight)).solve(state, contacts, want)
        assert found is not None
        root, rows = np.linalg.cholesky(state.mass_matrix).T, np.sqrt(300.0) * contacts.normal_jacobian
        short = contacts.bias + keeping.damping * contacts.gap_rate + keeping.stiffness * contacts.gap
        off = np.concatenate(
            [root @ (found.acceleration - want.acceleration), rows @ found.acceleration + np.sqrt(300.0) * short]
        )
        u = np.concatenate([root @ along, rows @ along])
        off -= u * (u @ off) / (u @ u)  # the best beta
        return float(off @ off)

    costs = [wrong_with_shape(weight) for weight in (0.01, 0.1, 1.0, 1e3)]
    assert costs == sorted(costs)
    assert costs[0] < 0.9 * costs[-1]  # measured 0.84


def test_missing_solver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "daqp":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pushpoint\[qp\]"):
        PushProgram(1.0, 0.0)


# --- sensing ---


def test_observer_follows_a_steady_motion_through_latency() -> None:
    chain, period = rods(4), 0.004
    observer = Observer(chain, Sensing(latency=0.008, bandwidth=60.0), period)
    q, rate = np.array([0.1, 0.2, -0.1, 0.3, 1.0, 2.0]), np.array([0.1, 0.3, 0.2, -0.4, 0.1, -0.2])
    memory = observer.begin(seen(chain, q, 0.0))
    for k in range(1, 300):
        body: TailState
        late = max(0, k - 2) * period  # as sensors with this latency would show it
        memory, body = observer.step(memory, seen(chain, q + late * rate, k * period), np.zeros(6))
    assert body.q == pytest.approx(q + 299 * period * rate, abs=1e-5)
    assert body.rate == pytest.approx(rate, abs=1e-3)


def seen(chain: TailChain, q: FloatArray, at: float) -> Observation:
    """What a plant would show of a chain; only joint angles and the head's pose count."""
    pose, n = chain.at(q, np.zeros_like(q)).pose(), chain.links
    nothing, whole = np.zeros(0), np.zeros(0, dtype=np.int64)
    return Observation(
        time=at,
        joint_angle=q[1:-2],
        joint_rate=np.zeros(n - 1),
        joint_torque=np.zeros(n - 1),
        head_position=pose.position[-1],
        head_yaw=pose.angle[-1],
        contacts=Contacts(whole, whole, nothing, whole, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2))),
    )


def test_latency_that_is_no_multiple_of_the_period_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"sensing.latency = 0.005 s is not a multiple .* nearest 0.004 s"):
        Observer(rods(3), Sensing(latency=0.005), 0.004)


# --- modes ---


def events(recording: pp.Recording) -> list[tuple[str, str]]:
    table = recording.events
    return [(str(n), str(d)) for n, d in zip(table["name"].values, table["detail"].values, strict=True)]


def run(around: Circumstances, duration: float = 0.4, **options: Any) -> pp.Recording:
    return pp.simulate(hoal_sine("lab/x", "test", around, **options), duration=duration)


def test_without_pegs_it_holds_and_names_the_missing_direction() -> None:
    recording = run(Circumstances(friction=0.1), pegs=[])
    [(name, detail)] = events(recording)
    assert name == "hold"
    assert detail.startswith("0 push-points, at least 3 are needed: no contact pushes along (+0.9")
    still = recording.data["joint_angle"].values
    assert np.abs(still - still[0]).max() < 0.02  # [rad]: it settles among the pegs that it does not know of


@pytest.mark.parametrize("distance", [0.0, 0.66, 1.32])  # [m], of 2.64 m in a wave
def test_missing_direction_is_that_of_the_present_place(distance: float) -> None:
    """Without contacts, what is missing is a push along the motion of the robot as a whole."""
    controller = Setup.of(hoal_sine("lab/x", "test", Circumstances(friction=0.1), pegs=[])).controller
    assert isinstance(controller, PushAlong)
    reference = controller.following.at(controller.head + distance)
    body = controller.chain.at(reference.q, 0.15 * reference.slope)
    drag = controller.course.drag.on(controller.chain, body.velocities_at(0.15 * reference.slope))
    onward = -body.generalised(drag)[-2:]  # [N], against the drag; the map of x_0 and y_0 is the identity
    state = {"s": controller.head + distance, "few": 0.0}
    why = controller._reason_to_stop(state, 0.0, body, push_points(body, Pegs.of(())))
    found = re.search(r"no contact pushes along \((.*), (.*)\) and", why)
    assert found is not None
    said = np.array([float(each) for each in found.groups()])
    assert said @ onward / np.linalg.norm(said) / np.linalg.norm(onward) > 0.9999  # two digits are described


def test_two_pegs_are_too_few() -> None:
    known = scenarios["lab/hoal-sine"].controller.options["pegs"][2:4]
    [(name, detail)] = events(run(Circumstances(friction=0.1), pegs=known, margin=0.0))
    assert name == "hold"
    assert "push-points, at least 3 are needed: no contact pushes" in detail


def test_weak_motors_are_reported_with_place_and_joint() -> None:
    [(name, detail)] = events(run(Circumstances(torque_limit=1.0, friction=0.1)))
    assert name == "hold"
    assert "m of the path the push-points carry 0." in detail
    assert "at its limit of 1 N m" in detail


def test_program_without_solution_is_a_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PushProgram, "solve", lambda *_: None)
    assert events(run(Circumstances(viscous=0.5))) == [("hold", "the quadratic program has no solution")]


def test_end_of_the_path_is_a_hold() -> None:
    recording = run(Circumstances(viscous=2.0), duration=1.2, path={"end": 0.6})
    assert events(recording) == [("hold", "the end of the path")]


def test_run_in_two_parts_is_the_same_to_the_bit() -> None:
    scenario = scenarios["lab/hoal-sine-noise"]
    whole = pp.simulate(scenario, duration=0.4)
    rest = pp.resume(pp.simulate(scenario, duration=0.2).checkpoint(), 0.4)
    assert np.array_equal(rest.data["link_position"].values[-1], whole.data["link_position"].values[-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": [[0.0, 0.0]]}, "a path needs at least two points"),
        ({"speed": 0.0}, "speed"),
        ({"pegs": [[0.0, 0.0, -0.1]]}, "pegs"),
        ({"sensing": {"latency": 0.001}}, "latency"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Setup.of(hoal_sine("lab/x", "test", Circumstances(viscous=1.0), **options))


def test_start_of_the_scenario_lies_on_the_path() -> None:
    setup = Setup.of(scenarios["lab/hoal-sine"])
    assert isinstance(setup.controller, PushAlong)
    pose = setup.start_pose()
    found = setup.controller.chain.q_of(pose.angle, 0, pose.position[0])  # type: ignore[union-attr]  # a planar plant
    assert found == pytest.approx(setup.controller.following.at(HEAD).q, abs=1e-6)


def test_points_may_describe_the_path() -> None:
    x = np.arange(-4.0, 5.0, 0.02)
    points = np.stack([x, 0.28 * np.sin(np.pi * x)], axis=1).tolist()
    scenario = hoal_sine("lab/x", "test", Circumstances(viscous=2.0), path=points)
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario
    assert events(pp.simulate(scenario, duration=0.2)) == []


def test_scenario_of_the_how_to_moves() -> None:
    found = re.search(r"```yaml\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    recording = pp.simulate(Scenario.from_yaml(found[1]), duration=1.0)
    assert events(recording) == []
    head = recording.data["link_position"].values[:, -1]
    assert np.linalg.norm(head[-1] - head[0]) > 0.10  # [m], of 0.15 m/s times 1 s from rest; measured 0.128


def test_nothing_is_reported_as_minus_zero() -> None:
    assert "along (+1.00, +0.00)" in described(np.array([0.0, 1.0, -1e-9]))
    known = scenarios["lab/hoal-sine"].controller.options["pegs"][:2]  # far behind
    [(_, detail)] = events(run(Circumstances(friction=0.1, peg_friction=0.2), duration=0.02, pegs=known))
    assert "carry 0.00 times the drag" in detail


def test_tick_takes_less_than_a_millisecond() -> None:
    """CPU time of 14 links in drive mode, the program included; measured 0.42 to 0.49 ms. Minimum of many."""
    setup = Setup.of(scenarios["lab/hoal-sine-coulomb"])
    state = setup.plant.initial_state(setup.start_pose())
    memory = setup.controller.start(setup.observe(state, {}, 0))
    tape, shortest = new_tape(14, 100, 400, 1), np.inf
    for tick in range(60):
        obs = setup.observe(state, {}, tick)
        for _ in range(3):
            began = time.thread_time()
            after, command, _ = setup.controller.step(memory, obs)
            shortest = min(shortest, time.thread_time() - began)
        memory = after
        row = CommandTable(command.joint_angle[None], command.joint_rate[None], command.torque[None])
        tape, failure = setup.plant.rollout(state, row, setup.substeps, tape)
        assert failure is None
    assert memory["mode"] == "drive"
    assert shortest < 1e-3
