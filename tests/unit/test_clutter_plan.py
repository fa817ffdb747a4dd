"""The planner by simulation: what it knows, what it tries, and what it cannot know."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.control import Knowing, Planning, controllers
from pushpoint.control._clutter_candidates import Gaits, candidates
from pushpoint.control._clutter_search import Present, Search, SearchOptions, Trials
from pushpoint.control.clutter_wave import SIDE
from pushpoint.errors import InvalidInput
from pushpoint.feedback import CompiledLoop, flat_layout
from pushpoint.mapping import ModelSettings, Trial
from pushpoint.mapping.believed import Belief, Feeling
from pushpoint.mechanics.pose import planar_pose
from pushpoint.plants._map_models import MapModels, _work
from pushpoint.recording.assemble import with_known_ends
from pushpoint.robots import robots
from pushpoint.tape import STEP_COLUMNS, new_tape
from pushpoint.types import FloatArray, Map, Observation, Pose, Touches
from pushpoint.worlds import Disc, Patch, World
from tests.unit.test_mapping import NOTHING

PERIOD = 0.005
ROBOT = robots["ten-link"]()
POSE = planar_pose(ROBOT, np.full(9, 0.2), 0.0, (0.0, 0.0))
CHEAP = {"controller.candidates": 6, "controller.budget": 6, "controller.deep_budget": 4, "controller.horizon": 1.5}
EMPTY = Map(np.zeros((0, 3)), np.zeros((0, 4)))


def gaits(crawl: bool = True, count: int = 8) -> Gaits:
    return Gaits(candidates(count, crawl), ROBOT, PERIOD)


def memory(of: Gaits) -> FloatArray:
    wave = of.controllers[0]
    return wave.packed(wave.start(Observation(0.0, joint_angle=np.full(9, 0.2))))


class Fake:
    """A model in which each candidate gains what a table says per tick, in trials of `only` so many ticks if that is
    given; the state is where the robot is. A tick costs a sweep."""

    def __init__(self, of: Gaits, pace: dict[str, float], failing: str = "", only: int = 0) -> None:
        self._names, self._pace, self._failing, self._only, self.ticks = of, pace, failing, only, 0

    def begin(self, pose: Pose) -> Any:
        return 0.0

    def trial(self, begin: Any, loop: CompiledLoop, ticks: int) -> Trial:
        self.ticks += ticks
        name = next(
            one.name
            for one, controller in zip(self._names.candidates, self._names.controllers, strict=True)
            if np.array_equal(controller.parameters(), loop.parameters) and _same_side(one.other_side, loop)
        )
        loop.tick += ticks
        x = begin + ticks * self._pace.get(name, 0.0) * (not self._only or ticks == self._only)
        return Trial(POSE.position + np.array([x, 0.0]), POSE.angle, name == self._failing, ticks, x)


def _same_side(other: bool, loop: CompiledLoop) -> bool:
    return len(loop.state) == 0 or (loop.state[SIDE] > 0.0) == other


def decide(pace: dict[str, float], failing: str = "", only: int = 0, **options: Any) -> tuple[list[str], float]:
    of = gaits()
    plan = Search(of, np.full(10, 0.1), SearchOptions.parse(options), PERIOD)
    found = plan.decide(Fake(of, pace, failing, only), POSE, Present(0, 0, memory(of)))
    return [of.candidates[k].name for k in found.plan], found.gain


# --- search ---


def test_the_candidate_with_most_progress_wins() -> None:
    plan, gain = decide({"wave": 1e-4, "crawl": 4e-4, "wide wave": 2e-4})
    assert plan == ["crawl", "crawl"]
    assert gain == pytest.approx(600 * 4e-4)


def test_what_the_model_cannot_simulate_is_not_chosen() -> None:
    plan, _ = decide({"wave": 1e-4, "crawl": 4e-4}, failing="crawl", enough=0.0)
    assert "crawl" not in plan


def test_longer_plans_are_made_where_short_ones_gain_little() -> None:
    """Here only what lasts moves the robot: the last two seconds of a third part."""
    plan, gain = decide({"crawl": 4e-4}, only=400, horizon=1.5)
    assert len(plan) == 3
    assert plan[-1] == "crawl"
    assert gain == pytest.approx(400 * 4e-4)
    assert len(decide({"crawl": 4e-4}, only=400, horizon=1.5, enough=0.0)[0]) == 2
    assert len(decide({"crawl": 4e-4})[0]) == 2


def test_of_longer_plans_a_quarter_is_followed_to_the_end() -> None:
    of = gaits()
    model, search = Fake(of, {}), Search(of, np.full(10, 0.1), SearchOptions(budget=16, deep_budget=8), PERIOD)
    search.decide(model, POSE, Present(0, 0, memory(of)))
    assert model.ticks == 8 * 200 + 16 * 400 + 8 * 200 + 2 * 400


def test_the_rest_of_a_plan_is_tried_again() -> None:
    of = gaits()
    plan = Search(of, np.full(10, 0.1), SearchOptions(), PERIOD)
    crawl = [one.name for one in of.candidates].index("crawl")
    model = Fake(of, {"wave": 1e-4, "crawl": 4e-4})
    pace = plan.pace_of(model, POSE, Present(0, 0, memory(of)), [(0, 100), (crawl, 300)])
    assert pace == pytest.approx((100 * 1e-4 + 300 * 4e-4) / 400)


def test_the_budget_bounds_what_is_tried() -> None:
    of = gaits(count=8)
    for budget in (4, 16):
        model = Fake(of, {"crawl": 1e-3})
        plan = Search(of, np.full(10, 0.1), SearchOptions(budget=budget), PERIOD)
        plan.decide(model, POSE, Present(0, 0, memory(of)))
        assert model.ticks == 8 * 200 + budget * 400


@pytest.mark.parametrize(
    ("work", "ticks"),
    [
        (1, 8 * 200),  # all candidates
        (27_000, 8 * 200 + 400 + 3 * 200 + 400),  # three fifths are 16200: a sequence of two
        (40_000, 8 * 200 + 2 * 400 + 6 * 200 + 2 * 400),  # and two thirds of the rest for the begin of longer ones
    ],
)
def test_work_bounds_what_is_tried_whatever_the_machine(work: int, ticks: int) -> None:
    """Here a tick costs a sweep over each of ten links."""
    of = gaits(count=8)
    model, search = Fake(of, {}), Search(of, np.full(10, 0.1), SearchOptions(work=work), PERIOD)
    search.decide(model, POSE, Present(0, 0, memory(of)))
    assert model.ticks == ticks


def test_all_of_the_work_goes_into_two_parts_where_these_gain_enough() -> None:
    of = gaits(count=8)
    model, search = Fake(of, {"wave": 1e-3}), Search(of, np.full(10, 0.1), SearchOptions(work=40_000), PERIOD)
    search.decide(model, POSE, Present(0, 0, memory(of)))
    assert model.ticks == 1600 + 6 * 400


def test_a_trial_in_parts_is_the_same_as_a_whole_one() -> None:
    models = MapModels(ROBOT, WORLD, ROBOT.servo, PERIOD)
    disc = np.array([[0.5, 0.1, 0.05], [0.3, -0.15, 0.05], [-0.2, 0.2, 0.05]])
    of, model = gaits(), models(Map(disc, np.zeros((0, 4))), ModelSettings())
    trials = Trials(of, np.full(10, 0.1), model, POSE, Present(0, 0, memory(of)))
    whole, part = trials.one(trials.root, 1, 300), trials.lasting(trials.one(trials.root, 1, 100), 200)
    assert part.gain == whole.gain
    assert part.plan == whole.plan == (1,)
    assert trials.work > 2 * 300 * 10


def test_waves_take_over_the_memory_and_begin_anew_after_crawling() -> None:
    of = gaits()
    names = [one.name for one in of.candidates]
    state, crawl = memory(of), names.index("crawl")
    state[-3:] = 0.77
    assert of.begun(0, 0, state, np.zeros(9)).tolist() == state.tolist()
    other = of.begun(1, 0, state, np.zeros(9))
    assert other[SIDE] == -state[SIDE]
    assert other[-3:].tolist() == [0.77] * 3
    assert of.begun(1, 1, other, np.zeros(9), goes_on=True).tolist() == other.tolist()
    assert not of.begun(0, crawl, np.zeros(0), np.zeros(9))[-3:].any()


def test_pegs_only_means_no_crawl() -> None:
    assert not any(one.gait == "crawl" for one in candidates(64, crawl=False))
    assert len(candidates(5, crawl=True)) == 5


# --- models ---

WORLD = World(name="pegs", obstacles=tuple(Disc(x=0.3 * k, y=0.5, radius=0.05, friction=0.2) for k in range(9)))


def reachable(found: Any, seen: set[int]) -> list[Any]:
    """All that attributes, fields and items lead to."""
    if id(found) in seen or isinstance(found, str | int | float | type) or callable(found):
        return []
    seen.add(id(found))
    parts = list(getattr(found, "__dict__", {}).values())
    parts += list(found.values()) if isinstance(found, dict) else list(found) if isinstance(found, list | tuple) else []
    return [found, *(item for part in parts for item in reachable(part, seen))]


def test_no_obstacle_of_the_true_world_can_be_reached_from_the_factory() -> None:
    models = MapModels(ROBOT, WORLD, ROBOT.servo, PERIOD)
    assert not any(isinstance(item, Disc | World) for item in reachable(models, set()))
    assert models.ground is WORLD.ground


def test_a_model_has_the_obstacles_of_the_map_and_believed_frictions() -> None:
    models = MapModels(ROBOT, WORLD, ROBOT.servo, PERIOD)
    disc = np.array([[0.4, 0.0, 0.06]])
    built = models._world(Map(disc, np.zeros((0, 4))), ModelSettings(friction_factor=1.2, peg_friction=0.3))
    near = [one for one in built.discs if one.x < 5.0]
    assert [(one.x, one.y, one.radius, one.friction) for one in near] == [(0.4, 0.0, 0.06, pytest.approx(0.36))]
    assert built.ground.friction == pytest.approx(1.2 * WORLD.ground.friction)
    assert built.ground.friction_across is None


@pytest.mark.parametrize("period", [0.005, 0.002, 0.01, 0.012])
def test_steps_of_a_model_divide_the_control_period(period: float) -> None:
    model = MapModels(ROBOT, WORLD, ROBOT.servo, period)(EMPTY, ModelSettings())
    assert model._plant.dt * model._substeps == pytest.approx(period)
    assert model._plant.dt <= 0.005 + 1e-12


# --- runs ---


def run(scenario: str = "lab/clutter-plan-felt", **fields: Any) -> pp.Recording:
    changes = {**CHEAP, **fields.pop("changes", {})}
    return pp.simulate(scenario, changes, **{"duration": 0.05, "stop": None, **fields})


def moved_peg(recording: pp.Recording, by: float) -> World:
    """The same world with the farthest peg elsewhere."""
    world = recording.scenario.built_world()
    far = max(world.discs, key=lambda disc: disc.x)
    others = tuple(disc for disc in world.discs if disc is not far)
    return world.model_copy(update={"obstacles": (*others, far.model_copy(update={"x": far.x + by, "y": far.y - by}))})


@pytest.mark.parametrize("knowledge", ["felt", "scan"])
def test_a_peg_that_is_not_known_does_not_change_the_decision(knowledge: str) -> None:
    first = run(f"lab/clutter-plan-{knowledge}")
    other = run(f"lab/clutter-plan-{knowledge}", world=moved_peg(first, 0.2))
    assert len(first.events["time"]) >= 1
    assert first.events.equals(other.events)
    assert first.known.equals(other.known)
    xr.testing.assert_identical(first.data["link_position"], other.data["link_position"])


def test_a_peg_that_is_known_does() -> None:
    first = run("lab/clutter-plan-full")
    world = first.scenario.built_world()
    near = sorted(world.discs, key=lambda disc: np.hypot(disc.x - 0.6, disc.y))
    other = run("lab/clutter-plan-full", world=world.model_copy(update={"obstacles": tuple(near[3:])}))
    assert not first.events["detail"].equals(other.events["detail"])
    assert first.known.sizes["known"] == len(world.discs)


def test_decisions_are_reported_with_candidates_scores_and_choice() -> None:
    found = run()
    report = json.loads(str(found.events["detail"].values[0]))
    assert found.events["name"].values[0] == "decision"
    assert len(report["scores"]) == CHEAP["controller.candidates"]
    assert report["gain"] == pytest.approx(max(report["scores"].values()), abs=1e-3)
    assert set(report["plan"]) <= set(report["scores"])


def test_a_run_goes_on_from_a_checkpoint_to_the_bit() -> None:
    whole = run("lab/clutter-plan-scan", changes={"controller.period": 0.02})
    part = run("lab/clutter-plan-scan", changes={"controller.period": 0.02}, duration=0.03)
    joined = part.followed_by(pp.resume(part.checkpoint(), duration=0.05))
    assert joined.known.equals(whole.known)
    assert joined.events.equals(whole.events)
    xr.testing.assert_identical(joined.data["link_position"], whole.data["link_position"])


def test_what_is_known_is_saved_and_drawn(tmp_path: Path) -> None:
    found = run("lab/clutter-plan-scan")
    loaded = pp.load(found.save(tmp_path / "run.nc"))
    assert loaded.known.equals(found.known)
    assert found.known.sizes["known"] > 0
    axes = pp.view.scene(found, time=0.05)
    assert "obstacles that the controller knows" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert len(axes.collections) > 0


def test_known_walls_are_saved_and_drawn(tmp_path: Path) -> None:
    full = {"controller": {"name": "clutter-plan", "options": {"knowledge": "full", "candidates": 2, "budget": 2,
            "deep_budget": 1, "horizon": 1.5}}}  # fmt: skip
    found = pp.simulate("lab/clutter-walls", full, duration=0.05)
    edges = found.known["radius"].values == 0.0
    ends = np.column_stack([found.known[name].values[edges] for name in ("x", "y", "end_x", "end_y")])
    walls = found.scenario.built_world().obstacles
    assert sorted(ends.tolist()) == sorted([*a, *b] for wall in walls for a, b in [wall.points])
    loaded = pp.load(found.save(tmp_path / "run.nc"))
    assert loaded.known.equals(found.known)
    axes = pp.view.scene(found, time=0.05)
    assert "obstacles that the controller knows" in [text.get_text() for text in axes.get_legend().get_texts()]


class Believing(pp.BaseController):
    """Knows what it is made to believe."""

    what: Map

    def step(self, state: Any, obs: Observation) -> Any:
        return state, self.command(0.0), ((obs.time, "believing", ""),)

    def known(self, state: Any, obs: Observation) -> Map:
        return self.what


def believing(monkeypatch: pytest.MonkeyPatch, disc: Any, edge: Any) -> pp.Recording:
    monkeypatch.setitem(controllers._items, "believing", Believing)
    monkeypatch.setattr(Believing, "what", Map(disc, edge), raising=False)
    return pp.simulate("lab/clutter-100", {"controller": "believing"}, duration=0.005)


@pytest.mark.parametrize(
    ("disc", "edge", "words"),
    [
        (np.array([1.0, 0.0, 1.0]), EMPTY.edge, r"disc of shape \(3,\); it should be \(k, 3\): x, y, radius"),
        (EMPTY.disc, np.zeros((1, 2, 2)), r"edge of shape \(1, 2, 2\); it should be \(k, 4\)"),
        ([[0.0, 0.0, 1.0], [np.nan, 0.0, 1.0]], EMPTY.edge, "disc 1 with x = nan; numbers should be finite"),
        (np.array([[0.0, 0.0, -1.0]]), EMPTY.edge, "disc 0 with radius = -1; .* not negative"),
        (EMPTY.disc, [[0.0, 0.0, np.inf, 0.0]], "edge 0 with end x = inf"),
        ("discs", EMPTY.edge, "disc = 'discs'; it should be numbers"),
    ],
)
def test_what_no_map_can_be_is_refused(disc: Any, edge: Any, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match=f"controller 'believing' (knows|gave) {words}"):
        believing(monkeypatch, disc, edge)


def test_obstacles_that_are_believed_far_away_and_huge_are_drawn_in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    found = believing(monkeypatch, [[1e9, 0.0, 1e8], [0.0, 1e9, 0.1]], [[-1e9, 0.0, 1e9, 0.1]])
    axes = pp.view.scene(found)
    before = process_time()
    axes.figure.savefig(BytesIO())
    assert process_time() - before < 5.0  # dashes of the large rim alone would take minutes


def test_discs_that_were_known_in_older_files_have_no_ends() -> None:
    found = run("lab/clutter-plan-scan")
    older = with_known_ends(found.known.drop_vars(["end_x", "end_y"]))
    assert older.equals(found.known)


@pytest.mark.parametrize(
    "options", [{"touch": "wrench"}, {"pose": "odometry"}, {"touch": "wrench", "pose": "odometry"}]
)
def test_it_runs_without_skin_and_without_a_sensed_pose(options: dict[str, str]) -> None:
    changes = {f"controller.{name}": value for name, value in options.items()}
    found = run(changes=changes, duration=0.2)
    expected = run(duration=0.2)
    # The same decision, followed with readings that are nearly the same.
    off = found.data["link_position"].values[-1] - expected.data["link_position"].values[-1]
    assert np.abs(off).max() < 0.01


def test_the_believed_position_drifts_by_a_random_walk() -> None:
    """The root mean square over many walks after a second: 2 cm in ten seconds are 6.3 mm in one."""
    off = []
    for seed in range(40):
        feeling = Feeling(pose_drift=0.02, drift_seed=seed)
        belief, state = Belief(feeling, ROBOT, 0.05), {"drift": np.zeros(2)}
        for tick in range(20):
            state = {"drift": belief._drift(state, tick)}
        off.append(state["drift"])
    assert np.sqrt((np.array(off) ** 2).sum(axis=1).mean()) == pytest.approx(0.02 * np.sqrt(0.1), rel=0.35)


def test_it_plans_for_other_robots() -> None:
    ground, far = pp.Ground(friction=0.3, torque=True), Disc(x=30.0, y=0.0, radius=0.1, friction=0.2)
    alone = World(name="alone", ground=ground, obstacles=(far,))  # with the kernels of the other runs
    found = run(changes={"robot.links": 7, "robot.radius": 0.01}, start={"jitter": 0.0}, world=alone)
    assert np.isfinite(found.data["link_position"].values).all()


def test_without_the_loop_there_are_no_models() -> None:
    kind = controllers["clutter-plan"]
    made: Any = kind.build(kind.Options(), ROBOT, PERIOD)
    assert isinstance(made, Planning)
    assert isinstance(made, Knowing)
    seen = Observation(
        0.0, joint_angle=np.zeros(9), joint_rate=np.zeros(9), link_position=POSE.position, link_yaw=POSE.angle,
        link_velocity=POSE.velocity, link_rate=POSE.rate, contact_force=np.zeros((10, 2)), touches=NOTHING,
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="needs models"):
        made.step(made.start(seen), seen)
    link = pp.Link(length=0.1, mass=0.2, inertia=2e-4, radius=0.02)
    pitching = pp.Robot(name="pitching", links=(link, link, link), joints=(pp.Joint(axes="pitch"),) * 2)
    with pytest.raises(InvalidInput, match="yaw axes only"):
        kind.build(kind.Options(), pitching, PERIOD)


# --- what does not fit ---

FELT, SCAN = "lab/clutter-plan-felt", "lab/clutter-plan-scan"
LISTED: dict[str, Any] = {name: {} for name in ("joint-encoders", "link-poses", "contact-force", "tactile")}
WRENCH, WRENCHES = {"controller.touch": "wrench"}, LISTED | {"joint-wrench": {}}


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        (
            SCAN,
            {"sensors": LISTED | {"range-scan": {"range": 0.5, "angle": 3.0}}},
            r"scan_angle = 4.71.* equal",
        ),
        (
            SCAN,
            {"sensors": LISTED | {"range-scan": {"range": 0.2}}},
            "scan_range = 0.5 m: should be at most",
        ),
        (
            SCAN,
            {"sensors": LISTED | {"range-scan": {"range": 0.5, "latency": 0.02}}},
            "sensors.range-scan.latency = 0.02 s, sensors.link-poses.latency = 0 s: should be equal",
        ),
        (
            SCAN,
            {"sensors": LISTED | {"range-scan": {"range": 0.5, "rate": 4.0}}},
            "sensors.range-scan.rate = 4 1/s, controller.scan_period = 0.1 s: .* a multiple",
        ),
        (FELT, {"sensors": LISTED | {"tactile": {"rate": 20.0}}}, "sensors.tactile.rate = 20 1/s: .* 200 1/s"),
        (FELT, {"sensors": LISTED | {"link-poses": {"rate": 10.0}}}, "sensors.link-poses.rate = 10 1/s: .* 200 1/s"),
        (
            FELT,
            {"controller.pose": "odometry", "sensors": LISTED | {"joint-encoders": {"rate": 20.0}}},
            "sensors.joint-encoders.rate = 20 1/s: .* 200 1/s",
        ),
        (FELT, WRENCH | {"sensors": WRENCHES | {"link-poses": {"rate": 50.0}}}, "sensors.link-poses.rate = 50 1/s"),
        (
            FELT,
            WRENCH | {"controller.pose": "odometry", "sensors": WRENCHES | {"link-poses": {"latency": 0.1}}},
            "sensors.link-poses.latency = 0.1 s, sensors.joint-encoders.latency = 0 s: should be equal",
        ),
        (FELT, WRENCH | {"sensors": WRENCHES | {"link-poses": {"dropout": 0.1}}}, "sensors.link-poses.dropout = 0.1"),
        (FELT, {"controller.model": {"friction_factor": 1e6}}, "controller.model.friction_factor"),
        (
            FELT,
            {"plant": "spatial_stepping", "robot.radius": 0.02, "world": "slope"},
            "world.down = .*: models for planners stand on flat, level ground",
        ),
        (FELT, {"controller.pose": "odometry", "controller.pose_drift": 0.1}, "controller.pose_drift = 0.1 m"),
        (FELT, {"controller.radius_error": -1.0}, "controller.radius_error = -1"),
        (FELT, {"controller.first": 3.0}, "first = 3 s, horizon = 3 s: .* before the horizon"),
        (FELT, {"robot.links": 2, "start": {}}, "controller 'clutter-plan' needs at least 3 links"),
    ],
)
def test_what_does_not_fit_is_refused(name: str, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        pp.simulate(name, changes, duration=0.01)


@pytest.mark.parametrize(
    ("options", "sensors"),
    [
        ({"controller.pose": "odometry"}, LISTED | {"link-poses": {"rate": 10.0, "latency": 0.1}}),
        (WRENCH, WRENCHES | {"joint-encoders": {"rate": 50.0}}),
        (WRENCH, {name: {"latency": 0.02} for name in WRENCHES}),
        ({"controller.knowledge": "full"}, LISTED | {"map": {}, "link-poses": {"rate": 10.0}}),
    ],
)
def test_sensors_that_the_map_is_not_made_of_may_be_held(options: dict[str, Any], sensors: dict[str, Any]) -> None:
    pp.simulate(FELT, CHEAP | options | {"sensors": sensors}, duration=0.01)


def test_scanners_that_are_said_alike_fit() -> None:
    sensors = {"sensors": LISTED | {"range-scan": {"range": 0.5, "angle": 3.0}}}
    pp.simulate(SCAN, sensors | CHEAP | {"controller.scan_angle": 3.0}, duration=0.01)


def test_accelerations_are_differences_of_sensed_velocities() -> None:
    """With a ground that is believed smoother than it is, the pose by odometry is off; no peg is made of that."""
    changes = CHEAP | {
        "world.keep": 0.0,
        "controller.touch": "wrench",
        "controller.pose": "odometry",
        "controller.ground_friction": 0.2,
    }
    assert not len(pp.simulate(FELT, changes, seed=3, duration=2.05).known["radius"])


# --- what is not so simple ---


def test_links_that_touch_each_other_are_no_pegs() -> None:
    """A touch of link 0 at the middle of link 6, and one of a peg at the joint of two links."""
    belief = Belief(Feeling(), ROBOT, PERIOD)
    angle = np.array([0.0, 0.8, 1.6, 2.4, 3.2, 4.0, 4.8, 5.6, 5.6, 5.6])
    pose = planar_pose(ROBOT, np.diff(angle), angle.mean(), (0.0, 0.0))
    on_other = pose.position[6] - pose.position[0]
    cos, sin = np.cos(pose.angle[0]), np.sin(pose.angle[0])
    own = np.array([[cos * on_other[0] + sin * on_other[1], cos * on_other[1] - sin * on_other[0]], [0.07, 0.0]])
    link = np.array([0, 8])
    touches = Touches(link, np.zeros(2), np.ones(2, np.int64), own, np.tile([0.0, -1.0], (2, 1)), np.zeros((2, 2)))
    assert belief._of_others(touches, pose).link.tolist() == [8]


@pytest.mark.parametrize("knowledge", ["felt", "full"])
def test_without_crawling_and_without_pegs_the_planner_is_the_wave(knowledge: str) -> None:
    """There is nothing to push against, and nothing to choose by."""
    options = {"crawl": False, "knowledge": knowledge}
    planner = {"name": "clutter-plan", "options": options}
    found = pp.simulate("lab/clutter-empty", {"controller": planner}, seed=1100, duration=3.0)
    wave = pp.simulate("lab/clutter-empty", seed=1100, duration=3.0)
    np.testing.assert_array_equal(found.data["link_position"].values, wave.data["link_position"].values)
    assert not len(found.known["radius"])
    reports = [json.loads(str(detail)) for detail in found.events["detail"].values]
    assert [(report["plan"], report["scores"]) for report in reports if "plan" in report] == 3 * [(["wave"], {})]


@pytest.mark.parametrize("controller", ["clutter-wave", "crawl"])
def test_a_whole_turn_of_the_start_makes_no_difference(controller: str) -> None:
    ends = []
    for turns in (0, 1, -2):
        start = {"start.angle": 0.1 + turns * 2 * np.pi}
        run = pp.simulate("lab/clutter-crawl-empty", {"controller": controller, **start}, duration=1.0)
        ends.append(run.data["link_position"].values[-1])
    assert np.abs(ends[1] - ends[0]).max() < 1e-6  # round-off of the angle
    assert np.abs(ends[2] - ends[0]).max() < 1e-6


def test_the_ground_of_the_models_is_believed_where_nothing_else_is_said() -> None:
    belief = Belief(Feeling(pose="odometry"), ROBOT, PERIOD)
    belief.use_ground(pp.Ground(friction=0.6, torque=False), 1.62)
    assert belief._odometry._ground == (0.6, 1.62, False)
    said = Belief(Feeling(pose="odometry", ground_friction=0.2), ROBOT, PERIOD)
    said.use_ground(pp.Ground(friction=0.6, torque=True), 9.81)
    assert said._odometry._ground == (0.2, 9.81, True)


@pytest.mark.parametrize(
    ("ground", "words"),
    [
        (pp.Ground(viscous=3.0), "world.ground.viscous = 3.0 N s/m: .* controller.ground_friction"),
        (pp.Ground(friction=0.1, friction_across=0.5), "world.ground.friction_across = 0.5"),
        (pp.Ground(patches=(Patch(x_min=0.0, x_max=1.0, y_min=0.0, y_max=1.0),)), "world.ground.patches.0"),
    ],
)
def test_ground_with_other_laws_is_believed_only_if_it_is_said_how(ground: pp.Ground, words: str) -> None:
    for options in (Feeling(pose="odometry"), Feeling(touch="wrench")):
        with pytest.raises(InvalidInput, match=words):
            Belief(options, ROBOT, PERIOD).use_ground(ground, 9.81)
    Belief(Feeling(), ROBOT, PERIOD).use_ground(ground, 9.81)
    said = Belief(Feeling(pose="odometry", ground_friction=0.2), ROBOT, PERIOD)
    said.use_ground(ground, 9.81)
    assert said._odometry._ground.friction == 0.2


def test_all_friction_of_the_ground_is_believed_wrong_by_the_same_factor() -> None:
    patch = Patch(x_min=0.0, x_max=1.0, y_min=0.0, y_max=1.0, friction=0.5)
    world = World(name="rough", ground=pp.Ground(friction=0.3, viscous=2.0, patches=(patch,)))
    models = MapModels(ROBOT, world, ROBOT.servo, PERIOD)
    found = models._world(EMPTY, ModelSettings(friction_factor=2.0)).ground
    assert (found.friction, found.friction_across, found.viscous) == (0.6, None, 4.0)
    assert [(patch.friction, patch.x_max) for patch in found.patches] == [(1.0, 1.0)]


def test_a_pose_by_odometry_is_planar_on_spatial_plants_too() -> None:
    kind = controllers["clutter-plan"]
    made: Any = kind.build(kind.Options.parse({"pose": "odometry", "crawl": False}), ROBOT, PERIOD)
    in_space = Observation(
        0.0, joint_angle=np.full(9, 0.2), joint_rate=np.zeros(9), link_yaw=POSE.angle, touches=NOTHING,
        link_position=np.column_stack([POSE.position, np.zeros(10)]), link_velocity=np.zeros((10, 3)),
        link_rate=np.zeros((10, 3)), contact_force=np.zeros((10, 3)),
    )  # fmt: skip
    believed = made.belief.seen(made.start(in_space), in_space, 1)
    flat = made.gaits.controllers[0].flat(believed)
    assert flat.size == flat_layout(10, 9, 2).size
    assert believed.link_position == pytest.approx(POSE.position)


def test_noise_may_leave_discs_without_a_radius() -> None:
    sensors = {name: {} for name in ("joint-encoders", "link-poses", "contact-force", "tactile")}
    found = run("lab/clutter-plan-full", changes={"sensors": sensors | {"map": {"noise": 0.05}}})
    assert len(found.events["time"])


def test_what_failed_in_the_model_is_not_kept() -> None:
    of = gaits()
    crawl = [one.name for one in of.candidates].index("crawl")
    plan = Search(of, np.full(10, 0.1), SearchOptions(), PERIOD)
    model = Fake(of, {"wave": 1e-4, "crawl": 4e-4}, failing="crawl")
    assert plan.pace_of(model, POSE, Present(0, 0, memory(of)), [(crawl, 100), (0, 300)]) < -1.0


def test_parts_of_steps_are_counted_as_work() -> None:
    tape = new_tape(3, 2, 10, 10, 4)
    tape.step[:, STEP_COLUMNS.index("iterations")] = 2.0
    assert _work(tape) == 24
    tape.step[3, STEP_COLUMNS.index("parts")] = 2.0
    assert _work(tape) == 36
