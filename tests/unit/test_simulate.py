"""The loop, on a plant that is no physics at all: what it shows holds for every plant behind the interface."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.errors import InvalidInput, SolverFailure, UnknownName
from pushpoint.fields import Frozen, Positive
from pushpoint.mechanics.overlap import overlaps
from pushpoint.mechanics.pose import planar_pose
from pushpoint.plants import Uneventful, plants
from pushpoint.plants._base import StateArrays
from pushpoint.recording import Recording
from pushpoint.robots import Robot, Servo, robots
from pushpoint.scenario import Scenario
from pushpoint.simulation import Setup, begin, next_chunk, resume, simulate
from pushpoint.tape import Tape, grown
from pushpoint.types import Command, CommandTable, Failure, FloatArray, Observation, Pairs, Pose, Snapshot, Status
from pushpoint.worlds import Disc, World


class ObedientOptions(Frozen):
    dt: Positive = 0.01
    fail_at: float = math.inf  # [s]


class Obedient(Uneventful):
    """Joints follow their references at once, the tail link stays where it is, one obstacle pushes always."""

    Options: ClassVar[type[Frozen]] = ObedientOptions
    dimensions = 2
    calls: ClassVar[list[int]] = []  # ticks of each rollout

    def __init__(self, options: ObedientOptions) -> None:
        self.dt, self._fail_at = options.dt, options.fail_at

    @classmethod
    def build(cls, robot: Robot, world: World, servo: Servo, options: Any) -> Obedient:
        return cls(options)

    def initial_state(self, pose: Pose) -> StateArrays:
        return {"clock": np.zeros(1, dtype=np.int64), "angle": pose.angle.copy(), "push": np.zeros(1)}

    def snapshot(self, state: StateArrays) -> Snapshot:
        angle = state["angle"]
        n, none, index = angle.size, np.zeros((0, 2)), np.zeros(0, dtype=np.int64)
        rest = np.zeros((n, 2))
        return Snapshot(
            time=float(state["clock"][0] * self.dt),
            joint_angle=np.diff(angle),
            joint_rate=np.zeros(n - 1),
            joint_impulse=np.zeros(n - 1),
            position=rest,
            attitude=angle.copy(),
            velocity=rest,
            rate=np.zeros(n),
            contact_impulse=rest,
            ground_impulse=rest,
            pairs=Pairs(index, index, np.zeros(0), none, none, none),
            obstacle_position=none,
        )

    def rollout(
        self, state: StateArrays, table: CommandTable, substeps: int, tape: Tape
    ) -> tuple[Tape, Failure | None]:
        self.calls.append(len(table.joint_angle))
        for angle, rate in zip(table.joint_angle, table.joint_rate, strict=True):
            for _ in range(substeps):
                state["clock"] += 1
                failed = state["clock"][0] * self.dt >= self._fail_at
                tape.step[tape.cursor[0].step, :3] = 1e-9, 2, int(failed)
                tape.cursor[0].step += 1
                if failed:
                    return tape, Failure(Status.NOT_CONVERGED, float(state["clock"][0] * self.dt), 1, 0.5, "rest")
            state["angle"][1:] = state["angle"][0] + np.cumsum(angle + substeps * self.dt * rate)
            state["push"] += math.sin(state["clock"][0])
            tape.cursor[0].ticks += 1
            if tape.cursor[0].ticks == tape.cursor[0].ticks_per_row:
                tape = self._write(state, tape)
        return tape, None

    def _write(self, state: StateArrays, tape: Tape) -> Tape:
        if tape.cursor[0].contact == len(tape.contact):
            tape = grown(tape, 3)
        row, at = int(tape.cursor[0].row), int(tape.cursor[0].contact)
        self._pose(state, tape, row)
        tape.link[row, 0, 6] = state["push"][0] / tape.cursor[0].ticks_per_row
        tape.contact[at] = row, 0, 0, 0.1, 0, 0, 0, 1, state["push"][0], 0, 0, 0
        state["push"][:] = 0.0
        tape.cursor[0].row, tape.cursor[0].contact, tape.cursor[0].ticks = row + 1, at + 1, 0
        return tape

    def _pose(self, state: StateArrays, tape: Tape, row: int) -> None:
        tape.link[row, :, 2] = state["angle"]
        tape.energy[row, 0] = state["clock"][0] * self.dt

    def record_start(self, state: StateArrays, tape: Tape) -> None:
        self._pose(state, tape, 0)
        tape.cursor[0].row = 1

    def dump(self, state: StateArrays) -> StateArrays:
        return {name: value.copy() for name, value in state.items()}

    def restore(self, arrays: StateArrays) -> StateArrays:
        return self.dump(arrays)


class CreepOptions(Frozen):
    bad_at: float = math.inf  # [s]
    joints: int | None = None


class Creep:
    """Feedback: adds to the joint angles it sees, and reports every tenth tick."""

    Options: ClassVar[type[Frozen]] = CreepOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders"})

    def __init__(self, options: CreepOptions) -> None:
        self._options = options

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> Creep:
        return cls(options)

    def initial_shape(self) -> FloatArray | None:
        return None

    def start(self, obs: Observation) -> ControllerState:
        return {"count": 0, "mode": "creep"}

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        count = state["count"] + 1
        wanted = obs.joint_angle + 0.01 * math.sin(count)
        if obs.time >= self._options.bad_at:
            wanted[-1] = math.nan
        if self._options.joints is not None:
            wanted = np.zeros(self._options.joints)
        events = (ControlEvent(obs.time, "tenth", f"count {count}"),) if count % 10 == 0 else ()
        return (
            {**state, "count": count},
            Command(wanted, np.zeros_like(wanted), np.zeros_like(wanted)),
            events,
        )


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    _ = list(plants), list(controllers)  # scanned before, so that nothing is lost with the patch
    monkeypatch.setitem(plants._items, "obedient", Obedient)
    monkeypatch.setitem(controllers._items, "creep", Creep)
    Obedient.calls.clear()


def scenario(controller: str = "serpenoid", **fields: Any) -> Scenario:
    defaults: dict[str, Any] = {
        "name": "lab/test",
        "robot": {"name": "uniform", "options": {"links": 4}},
        "world": "plane",
        "plant": "obedient",
        "controller": controller,
        "duration": 1.0,
        "control_period": 0.02,
    }
    return Scenario(**{**defaults, **fields})


# --- one run ---


def test_planned_commands_run_in_one_call_and_are_recorded() -> None:
    recording = simulate(scenario())
    assert Obedient.calls == [0, 50]  # the empty call lets plants compile before the clock runs
    data = recording.data
    assert data["time"].values == pytest.approx(np.arange(51) * 0.02)
    assert data.sizes["step"] == 100
    assert data["step_time"].values[[0, -1]] == pytest.approx([0.01, 1.0])
    # The plant obeys: its joints are where the references are at the end of each tick.
    assert data["joint_angle"].values == pytest.approx(data["joint_reference"].values, abs=1e-14)
    assert recording.contacts.sizes["contact"] == 50
    assert recording.failure is None


def test_the_robot_starts_in_the_shape_of_its_controller() -> None:
    recording = simulate(scenario())
    assert recording.data["joint_angle"][0].values == pytest.approx(recording.data["joint_reference"][0].values)
    given = simulate(scenario(start={"joint_angle": (0.1, 0.2, 0.3)}))
    assert given.data["joint_angle"][0].values == pytest.approx([0.1, 0.2, 0.3])


def test_feedback_sees_what_it_did_and_its_events_are_kept() -> None:
    recording = simulate(scenario("creep"))
    assert Obedient.calls == [0] + 50 * [1]
    expected = np.cumsum([0.01 * math.sin(k) for k in range(1, 51)])
    assert recording.data["joint_angle"].values[1:, 0] == pytest.approx(expected, abs=1e-14)
    assert recording.events["time"].values == pytest.approx([0.18, 0.38, 0.58, 0.78, 0.98])
    assert recording.events["detail"].values[0] == "count 10"


def test_rows_come_at_the_record_period() -> None:
    recording = simulate(scenario(record_period=0.06))
    assert recording.data["time"].values == pytest.approx(np.arange(17) * 0.06)


def test_without_a_record_period_the_nearest_whole_number_of_ticks_is_taken() -> None:
    recording = simulate(scenario(control_period=0.004, plant={"name": "obedient", "options": {"dt": 0.001}}))
    assert recording.data["time"].values[1] == pytest.approx(0.008)


def test_a_single_link_runs() -> None:
    recording = simulate(scenario(robot={"name": "uniform", "options": {"links": 1}}))
    assert recording.data["joint_angle"].shape == (51, 0)
    assert recording.metrics()["peak_joint_torque"] == 0.0


def test_fields_come_before_dotted_overrides() -> None:
    run = simulate(scenario(plant="planar_stepping"), {"plant.dt": 0.005}, plant="obedient", duration=0.1, seed=3)
    assert run.scenario.plant.name == "obedient"
    assert run.scenario.plant.options == {"dt": 0.005}
    assert (run.scenario.duration, run.scenario.seed) == (0.1, 3)


def test_a_yaml_file_is_a_scenario(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(scenario().to_yaml())
    assert simulate(path, duration=0.1).metrics()["duration"] == pytest.approx(0.1)
    assert pp.simulate(str(path), duration=0.1).scenario.name == "lab/test"


# --- going on ---


def tail(recording: Recording, time: float) -> xr.Dataset:
    """What is recorded from `time` [s] on: rows at or after, steps that end after."""
    data = recording.data
    return data.isel(time=data["time"].values > time - 1e-9, step=data["step_time"].values > time + 1e-9)


@pytest.mark.parametrize("controller", ["serpenoid", "creep", "hold"])
@pytest.mark.parametrize("stop", [0.06, 0.48])
def test_resumed_equals_never_stopped_to_the_bit(controller: str, stop: float) -> None:
    whole = simulate(scenario(controller, record_period=0.06))
    part = simulate(scenario(controller, record_period=0.06, duration=stop))
    resumed = resume(part.checkpoint(), duration=1.0)
    xr.testing.assert_identical(resumed.data, tail(whole, stop))
    later = whole.contacts.isel(contact=whole.contacts["time"].values > stop - 1e-9)
    xr.testing.assert_identical(resumed.contacts, later)
    afterwards = whole.events.isel(event=whole.events["time"].values > stop - 1e-9)
    assert resumed.events["detail"].values.tolist() == afterwards["detail"].values.tolist()


def test_a_checkpoint_between_rows_keeps_the_rhythm_of_the_rows() -> None:
    whole = simulate(scenario(record_period=0.06))
    resumed = resume(simulate(scenario(record_period=0.06, duration=0.5)).checkpoint(), duration=1.0)
    assert resumed.data["time"].values[0] == 0.5
    assert resumed.data["joint_angle"].values[0] == pytest.approx(resumed.data["joint_reference"].values[0], abs=1e-14)
    xr.testing.assert_identical(resumed.data.isel(time=slice(1, None)), tail(whole, 0.5))


def test_the_end_cannot_be_resumed() -> None:
    with pytest.raises(InvalidInput, match="at 1 s already"):
        resume(simulate(scenario()).checkpoint())


def test_a_real_plant_resumes_to_the_bit() -> None:
    real = scenario(plant="planar_stepping", world="rows", duration=0.2, start={"overlap": "allow"})
    whole = simulate(real)
    resumed = resume(simulate(real, duration=0.1).checkpoint(), duration=0.2)
    xr.testing.assert_identical(resumed.data, tail(whole, 0.1))


def test_chunks_do_not_change_the_result() -> None:
    class Silent:
        def update(self, ticks: int) -> None:
            assert 0 < ticks <= 50

    once = simulate(scenario())
    run = begin(Setup.of(scenario()))
    run.chunk = 1
    Obedient.calls.clear()
    assert run.go_on(run.ticks, Silent()) is None
    often = run.recording()
    assert len(Obedient.calls) > 1
    assert sum(Obedient.calls) >= 50
    xr.testing.assert_identical(often.data, once.data)


def test_chunks_grow_towards_the_wall_time_they_should_take() -> None:
    assert next_chunk(1, 10.0) == 1  # the first call compiled
    assert next_chunk(1, 1e-5) == 4
    assert next_chunk(100, 0.4) == 50


# --- what goes wrong ---


def test_a_failure_carries_the_recording_until_then() -> None:
    with pytest.raises(SolverFailure, match=r"obedient stopped at t = 0\.5 s: NOT_CONVERGED at link 1.*rest") as raised:
        simulate(scenario(), {"plant.fail_at": 0.5 - 1e-9})
    recording = raised.value.recording
    assert recording is not None
    assert recording.data["time"].values[-1] == pytest.approx(0.48)
    assert recording.data["step_status"].values[-1] == Status.NOT_CONVERGED
    assert recording.failure is not None
    assert recording.failure["status"] == "NOT_CONVERGED"
    with pytest.raises(InvalidInput, match="failed"):
        recording.checkpoint()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"control_period": 0.025}, ["control_period = 0.025 s", "plant.dt = 0.01 s", "nearest 0.02 s"]),
        ({"control_period": 0.001}, ["control_period = 0.001 s", "nearest 0.01 s"]),
        ({"record_period": 0.05}, ["record_period = 0.05 s", "control_period = 0.02 s", "nearest 0.04 s"]),
        ({"duration": 0.99}, ["duration = 0.99 s", "nearest"]),
        ({"start": {"joint_angle": (0.1,)}}, ["start.joint_angle", "1 values", "3 joints"]),
        ({"start": {"joint_rate": (0.1,)}}, ["start.joint_rate", "1 values", "3 joints"]),
        ({"start": {"link": 4}}, ["start.link = 4", "links 0 to 3"]),
    ],
)
def test_what_does_not_fit_is_named(fields: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InvalidInput) as refusal:
        simulate(scenario(**fields))
    assert all(word in str(refusal.value) for word in words), refusal.value


def test_durations_that_are_whole_up_to_rounding_are_accepted() -> None:
    assert simulate(scenario(duration=0.1 + 0.2, control_period=0.1)).data.sizes["time"] == 4


def test_commands_that_are_not_finite_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"'creep' gave joint_angle = nan at t = 0\.5 s for joint 2"):
        simulate(scenario("creep"), {"controller.bad_at": 0.5})


def test_commands_of_the_wrong_length_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"'creep' gave joint_angle of shape \(2,\).*3 joints"):
        simulate(scenario("creep"), {"controller.joints": 2})


@pytest.mark.parametrize("field", ["plant", "controller", "robot", "world"])
def test_unknown_names_get_suggestions(field: str) -> None:
    with pytest.raises(UnknownName, match=f"unknown {field} 'serpentoid'"):
        simulate(scenario(**{field: "serpentoid"}))


# --- overlap ---


def straight(links: int = 2) -> tuple[Robot, Pose]:
    """Links of 0.14 m with a half width of 0.03 m along the x axis, the first centre at the origin."""
    robot: Robot = robots["uniform"](links=links)
    return robot, planar_pose(robot, np.zeros(links - 1), 0.0, (0.0, 0.0), 0)


def test_overlaps_are_those_of_capsules_and_discs_deepest_first() -> None:
    robot, pose = straight()
    beside, ahead, clear = (
        Disc(x=0.0, y=0.1, radius=0.08),
        Disc(x=0.26, y=0.0, radius=0.03),
        Disc(x=5, y=5, radius=1),
    )
    found = overlaps(robot, World(name="w", obstacles=(beside, ahead, clear)), pose)
    # beside: 0.03 + 0.08 - 0.10; ahead of the last axis end at x = 0.21: 0.03 + 0.03 - 0.05.
    assert [(link, obstacle) for link, obstacle, _ in found] in ([(0, 0), (1, 1)], [(1, 1), (0, 0)])
    assert [depth for _, _, depth in found] == pytest.approx([0.01, 0.01])
    deeper = overlaps(robot, World(name="w", obstacles=(beside, Disc(x=0.25, y=0.0, radius=0.03))), pose)
    assert deeper[0][:2] == (1, 1)
    assert overlaps(robot, World(name="w"), pose) == []


def test_a_start_inside_an_obstacle_is_refused_unless_allowed() -> None:
    world = World(name="w", obstacles=(Disc(x=0.0, y=0.05, radius=0.03),))
    with pytest.raises(InvalidInput, match=r"link \d is 10 mm inside obstacle 0.*start\.overlap"):
        simulate(scenario("hold", world=world))
    assert simulate(scenario("hold", world=world, start={"overlap": "allow"})).failure is None


def test_a_start_that_touches_is_accepted() -> None:
    world = World(name="w", obstacles=(Disc(x=0.0, y=0.06, radius=0.03),))
    assert simulate(scenario("hold", world=world)).failure is None


# --- by name ---


def test_scenarios_are_found_by_name_with_suggestions() -> None:
    with pytest.raises(UnknownName, match="unknown scenario"):
        pp.simulate("transeth2008a/trakc")
    with pytest.raises(InvalidInput, match="give a name"):
        pp.simulate(3)  # type: ignore[arg-type]  # the mistake that is tested
