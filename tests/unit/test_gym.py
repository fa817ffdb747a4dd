"""Environments for Gymnasium: its own checker, seeds, resets, rewards, ends of episodes, pictures."""

from __future__ import annotations

import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import pushpoint as pp
import pushpoint.gym
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.gym import SnakeEnv, SnakeVectorEnv, Task
from pushpoint.gym.observing import Seen

NAMES = ("PegTrack", "Clutter", "Sidewind", "PathFollow")


def made(name: str, **more: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(f"pushpoint/{name}-v0", **{"duration": 0.5, **more})


@cache
def actions(steps: int, joints: int) -> Any:
    return np.random.default_rng(7).uniform(-1, 1, (steps, joints)).astype(np.float32)


def episode(env: gymnasium.Env[Any, Any], seed: int | None, steps: int = 4) -> list[Any]:
    """Everything that comes out of the first steps, as bytes."""
    seen, _ = env.reset(seed=seed)
    found = [seen.tobytes()]
    for action in actions(steps, env.action_space.shape[0]):  # type: ignore[index]
        seen, reward, *flags, info = env.step(action)
        assert env.observation_space.contains(seen)
        found.append((seen.tobytes(), reward, *flags, info["time"], info["progress"], info["work"]))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_of_gymnasium_has_no_complaint(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made(name, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_trajectory_to_the_bit(name: str) -> None:
    one, other = made(name), made(name)
    first = episode(one, 3)
    assert episode(other, 3) == first
    assert episode(one, 3) == first  # reset restores everything
    again = episode(one, None)
    assert again == episode(other, None)  # the next episode, too, follows from the seed
    assert again != first


def test_every_reset_draws_a_new_field_of_pegs() -> None:
    env: Any = made("Clutter").unwrapped
    seeds, fields = set(), set()
    for _ in range(3):
        _, info = env.reset(seed=5 if not seeds else None)
        seeds.add(info["seed"])
        fields.add(env.simulation.scenario.built_world().obstacles)
    assert len(seeds) == len(fields) == 3


def test_a_start_can_be_kept() -> None:
    env = made("PegTrack", redraw=False)
    first = episode(env, 3)
    assert episode(env, None) == first
    assert episode(env, 4) != first


def test_rewards_are_what_the_documentation_says() -> None:
    """progress_weight * progress - work_weight * work, from the recording of the run."""
    env: Any = made("PegTrack", progress_weight=3.0, work_weight=0.01).unwrapped
    env.reset(seed=1)
    gained, found = 0.0, []
    for action in env.task.gait():
        _, reward, _, truncated, info = env.step(action)
        gained += reward
        found.append(info["progress"])
        if truncated:
            break
    data = env.simulation.recording().data
    x = data["centre_of_mass"].values[:, 0]
    work = np.abs(data["joint_torque"].values[1:] * np.diff(data["joint_angle"].values, axis=0)).sum()
    np.testing.assert_allclose(found, np.diff(x), atol=1e-12)
    assert gained == pytest.approx(3.0 * (x[-1] - x[0]) - 0.01 * work, abs=1e-9)


def test_leaving_the_path_costs() -> None:
    env: Any = made("PathFollow", off_path_weight=5.0).unwrapped
    env.reset(seed=1)
    _, reward, *_, info = env.step(env.task.gait()[0])
    wanted = info["progress"] - 0.001 * info["work"] - 5.0 * info["off_path"]
    assert reward == pytest.approx(wanted, abs=1e-12)
    assert 0.0 < info["off_path"] < 0.05 * 0.01  # [m s]: it begins on the path


def test_observations_are_what_the_table_says() -> None:
    env: Any = made("PegTrack").unwrapped
    seen, _ = env.reset(seed=1)
    for action in env.task.gait()[:3]:
        seen, *_ = env.step(action)
    sizes = [part.size for part in env.task.parts]
    parts = dict(zip([part.name for part in env.task.parts], np.split(seen, np.cumsum(sizes)[:-1]), strict=True))
    run = env.simulation.observation
    np.testing.assert_allclose(parts["joint_angle"], run.joint_angle, atol=1e-6)
    np.testing.assert_allclose(parts["place"], run.link_position.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(parts["velocity"], run.link_velocity.mean(axis=0), atol=1e-6)
    turn = np.radians(80.0) * 0.3
    np.testing.assert_allclose(parts["clock"], [np.cos(turn), np.sin(turn)], atol=1e-6)
    weight = 7.5 * 9.81
    left = np.stack([-np.sin(run.link_yaw), np.cos(run.link_yaw)], axis=1)
    np.testing.assert_allclose(parts["push"], (run.contact_force * left).sum(axis=1) / weight, atol=1e-6)
    table = env.task.table()
    assert all(f"`{name}`" in table for name in parts)
    assert str(len(seen) - 1) in table


def test_actions_are_joint_angles_at_the_end_of_the_period() -> None:
    env: Any = gymnasium.make("pushpoint/Scenario-v0", scenario="transeth2008a/flat", rate_limit=0.5, amplitude=0.7)
    env = env.unwrapped
    env.reset(seed=1)
    before = env.simulation.observation.joint_angle.copy()
    env.step(np.ones(10, dtype=np.float32))
    moved = env.simulation.observation.joint_angle - before
    wanted = np.clip(0.7 - before, -0.5 * 0.05, 0.5 * 0.05)  # no faster than the limit
    np.testing.assert_allclose(moved, wanted, atol=8e-3)  # [rad]: what the servo leaves while it gets going


def test_goals_and_bounds_end_an_episode() -> None:
    env = made("PegTrack", goal=0.02)
    env.reset(seed=1)
    for action in env.unwrapped.task.gait():  # type: ignore[attr-defined]
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
    assert (terminated, truncated, info["outcome"]) == (True, False, "goal")
    env = made("PegTrack", most_aside=1e-6)
    env.reset(seed=1)
    _, _, terminated, _, info = env.step(env.action_space.sample())
    assert terminated
    assert info["outcome"] == "out of bounds"
    env = made("PegTrack", duration=0.2)
    env.reset(seed=1)
    flags = [env.step(env.action_space.sample())[2:4] for _ in range(2)]
    assert flags == [(False, False), (False, True)]


def test_a_plant_that_cannot_go_on_terminates(monkeypatch: pytest.MonkeyPatch) -> None:
    env = made("PegTrack")
    env.reset(seed=1)
    seen, *_ = env.step(np.zeros(10, dtype=np.float32))

    def fail(self: Any, command: Any = None) -> None:
        raise pp.SolverFailure("NOT_CONVERGED at link 3")

    monkeypatch.setattr(pp.Simulation, "step", fail)
    last, reward, terminated, truncated, info = env.step(np.zeros(10, dtype=np.float32))
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert "NOT_CONVERGED" in info["failure"]
    assert info["outcome"] == "failure"
    np.testing.assert_array_equal(last, seen)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_show_the_robot(name: str) -> None:
    env = made(name, render_mode="rgb_array")
    env.reset(seed=1)
    first: Any = env.render()
    assert first.dtype == np.uint8
    assert first.shape[2] == 3
    head = np.array([0xD5, 0x5E, 0x00])  # style.HEAD
    assert (np.abs(first.astype(int) - head).max(axis=2) < 8).sum() > 20
    for action in actions(4, env.action_space.shape[0]):  # type: ignore[index]
        env.step(action)
    later: Any = env.render()
    assert (later != first).any()
    env.reset(seed=1)
    np.testing.assert_array_equal(env.render(), first)


def test_noisy_sensors_are_in_the_observation_and_not_in_the_reward() -> None:
    noisy = made("PegTrack", sensors={"joint-encoders": {"noise": 0.1}})
    exact = made("PegTrack")
    (one, _), (other, _) = noisy.reset(seed=1), exact.reset(seed=1)
    assert np.abs(one - other)[:10].max() > 0.01
    action = np.zeros(10, dtype=np.float32)
    assert noisy.step(action)[1] == exact.step(action)[1]


def test_any_scenario_and_any_task_of_ones_own() -> None:
    class Backwards(Task):
        defaults = {"scenario": "transeth2008a/flat", "direction": (-1.0, 0.0), "duration": 0.2}  # noqa: RUF012

    env: Any = SnakeEnv(Backwards)
    env.reset(seed=0)
    x = env.simulation.observation.link_position[:, 0].mean()
    *_, info = env.step(env.task.gait()[0])
    assert info["progress"] == pytest.approx(x - env.simulation.observation.link_position[:, 0].mean(), abs=1e-12)
    whole: Any = gymnasium.make("pushpoint/Scenario-v0", scenario="transeth2008a/flat", duration=0.2).unwrapped
    assert whole.task.scenario.name == "transeth2008a/flat"
    pushpoint.gym.register("own/Backwards-v0", Backwards)
    assert isinstance(gymnasium.make("own/Backwards-v0").unwrapped.task, Backwards)  # type: ignore[attr-defined]


def test_bad_options_are_refused_with_advice() -> None:
    with pytest.raises(UnknownName, match=r"option of PegTrack: 'amplitud'. Did you mean 'amplitude' or"):
        made("PegTrack", amplitud=0.3)
    with pytest.raises(InvalidInput, match="amplitude = 90"):
        made("PegTrack", amplitude=90)
    with pytest.raises(InvalidInput, match=r"direction = \(0, 0\): it should point somewhere"):
        made("PegTrack", direction=(0.0, 0.0))
    with pytest.raises(InvalidInput, match=r"duration = 0\.52 s is not a multiple of control_period"):
        made("PegTrack", duration=0.52)
    with pytest.raises(InvalidInput, match="scenario: is required"):
        gymnasium.make("pushpoint/Scenario-v0")
    with pytest.raises(InvalidInput, match="should be None or 'rgb_array'"):
        SnakeEnv("pushpoint.gym.peg_track:PegTrack", render_mode="human")
    with pytest.raises(InvalidInput, match="should be a subclass of"):
        SnakeEnv("pushpoint.errors:InvalidInput")
    with pytest.raises(InvalidInput, match="it has no gait known ahead"):
        made("Clutter").unwrapped.task.gait()  # type: ignore[attr-defined]
    env: Any = made("PegTrack").unwrapped
    with pytest.raises(InvalidInput, match=r"call reset\(\) first"):
        env.step(np.zeros(10))
    env.reset(seed=0)
    for action in (np.zeros(3), np.full(10, np.nan)):
        with pytest.raises(InvalidInput, match="should be 10 finite numbers from -1 to 1"):
            env.step(action)


def test_parts_read_many_robots_as_each_of_them() -> None:
    """What is summed over links is so in the same order, however many robots there are."""
    env: Any = made("Sidewind").unwrapped
    rows = []
    env.reset(seed=0)
    for action in actions(3, 20):
        env.step(action)
        rows.append(env._truth())
    memory = env._memory
    together = Seen(*(np.concatenate(values) for values in zip(*rows, strict=True)))
    many = type(memory)(*(np.repeat(values, 3, axis=0) for values in memory))
    seen, (judged, _) = env.task.observe(together, many), env.task.judge(together, many)
    for k, row in enumerate(rows):
        np.testing.assert_array_equal(env.task.observe(row, memory)[0], seen[k])
        np.testing.assert_array_equal(env.task.judge(row, memory)[0].reward[0], judged.reward[k])


def many(name: str, mode: str, **more: Any) -> tuple[Any, Any]:
    """Three robots in one vector environment, and one by one in Gymnasium's own."""
    options = {"duration": 0.2 if name != "PegTrack" else 0.4, **more}
    ours = gymnasium.make_vec(f"pushpoint/{name}-v0", num_envs=3, autoreset_mode=mode, **options)
    theirs = gymnasium.make_vec(
        f"pushpoint/{name}-v0", num_envs=3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options
    )
    return ours, theirs


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("name", NAMES)
def test_many_robots_are_equal_to_each_of_them_to_the_bit(name: str, mode: str) -> None:
    ours, theirs = many(name, mode, goal=0.002)  # some reach it before the others: episodes begin at different times
    for one, other in zip(ours.reset(seed=3)[0], theirs.reset(seed=3)[0], strict=True):
        np.testing.assert_array_equal(one, other)
    ended = 0
    for action in np.random.default_rng(2).uniform(-1, 1, (8, *ours.action_space.shape)).astype(np.float32):
        *found, infos = ours.step(action)
        *wanted, other = theirs.step(action)
        for one, two in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, two)
        assert ours.observation_space.contains(found[0])
        np.testing.assert_array_equal(infos["time"], other["time"])
        ended += int((found[2] | found[3]).sum())
        for k in np.flatnonzero(other.get("_final_obs", [])):
            np.testing.assert_array_equal(infos["final_obs"][k], other["final_obs"][k])
            assert infos["final_info"]["outcome"][k] == other["final_info"]["outcome"][k]
        assert ("final_obs" in infos) == ("final_obs" in other)
    assert ended >= 3
    ours.close()


def test_resets_of_many_robots() -> None:
    ours, _ = many("PegTrack", "Disabled", redraw=False)
    first, infos = ours.reset(seed=[5, 6, 5])
    np.testing.assert_array_equal(first[0], first[2])
    assert infos["seed"][0] == infos["seed"][2] != infos["seed"][1]
    action = np.zeros(ours.action_space.shape, dtype=np.float32)
    found = [ours.step(action) for _ in range(4)]
    assert found[-1][3].all()
    assert list(found[-1][4]["outcome"]) == ["time"] * 3
    with pytest.raises(InvalidInput, match="robot 0 has ended its episode: reset it first"):
        ours.step(action)
    ours.reset(options={"reset_mask": np.array([True, True, False])})
    with pytest.raises(InvalidInput, match="robot 2 has ended"):
        ours.step(action)
    seen, _ = ours.reset(options={"reset_mask": np.array([False, False, True])})
    np.testing.assert_array_equal(seen, first)
    np.testing.assert_array_equal(ours.step(action)[0], found[0][0])


def test_one_of_many_robots_that_cannot_go_on_terminates(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, _ = many("PegTrack", "NextStep")
    ours.reset(seed=0)
    action = np.zeros(ours.action_space.shape, dtype=np.float32)
    before = ours.step(action)[0]
    step = type(ours.batch).step

    def fail(self: Any, commands: Any) -> Any:
        found = step(self, commands)
        self.failed = np.array([False, True, False])
        self.failures[1] = "NOT_CONVERGED at link 3"
        return found

    monkeypatch.setattr(type(ours.batch), "step", fail)
    seen, reward, terminated, truncated, infos = ours.step(action)
    assert terminated.tolist() == [False, True, False]
    assert not truncated.any()
    assert reward[1] == 0.0
    np.testing.assert_array_equal(seen[1], before[1])
    assert infos["outcome"][1] == "failure"
    assert "NOT_CONVERGED" in infos["failure"][1]
    monkeypatch.undo()
    seen, _, terminated, _, infos = ours.step(action)
    assert not terminated.any()
    assert infos["time"].tolist() == pytest.approx([0.3, 0.0, 0.3])


def test_a_vector_environment_refuses_what_it_cannot_do() -> None:
    with pytest.raises(InvalidInput, match="imperfect sensors are for single environments"):
        many("PegTrack", "NextStep", sensors={"joint-encoders": {"noise": 0.1}})
    with pytest.raises(InvalidInput, match="should be one of 'NextStep', 'SameStep', 'Disabled'"):
        SnakeVectorEnv(2, "pushpoint.gym.peg_track:PegTrack", autoreset_mode="Never")
    with pytest.raises(InvalidInput, match="is not compiled"):
        gymnasium.make_vec("pushpoint/PegTrack-v0", num_envs=2, plant="mujoco").reset(seed=0)
    ours, _ = many("PegTrack", "NextStep", render_mode="rgb_array")
    with pytest.raises(InvalidInput, match=r"call reset\(\) first"):
        ours.step(np.zeros(ours.action_space.shape))
    with pytest.raises(InvalidInput, match="seed has 2 values for 3 robots"):
        ours.reset(seed=[1, 2])
    ours.reset(seed=0)
    with pytest.raises(InvalidInput, match=r"actions of shape \(2, 10\)"):
        ours.step(np.zeros((2, 10)))
    for mask in (np.zeros(3, dtype=bool), np.ones(2, dtype=bool), np.ones(3)):
        with pytest.raises(InvalidInput, match="3 booleans, at least one of them true"):
            ours.reset(options={"reset_mask": mask})
    pictures = ours.render()
    assert len(pictures) == 3
    assert pictures[0].shape == (320, 640, 3)


def test_single_environments_run_on_mujoco() -> None:
    pytest.importorskip("mujoco")
    env = made("PegTrack", plant="mujoco", duration=0.2)
    env.reset(seed=1)
    exact = made("PegTrack", duration=0.2)
    exact.reset(seed=1)
    for action in env.unwrapped.task.gait():  # type: ignore[attr-defined]
        seen, *_ = env.step(action)
        wanted, *_ = exact.step(action)
    np.testing.assert_allclose(seen[:10], wanted[:10], atol=2e-3)  # [rad]: two engines, after 0.2 s


@pytest.mark.parametrize("name", NAMES)
def test_the_documentation_has_the_table_of_every_observation(name: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "howto" / "train-a-policy.md").read_text(encoding="utf-8")
    task = gymnasium.make(f"pushpoint/{name}-v0").unwrapped.task  # type: ignore[attr-defined]
    assert f"### {name}: {sum(part.size for part in task.parts)} numbers\n\n{task.table()}\n" in page


def test_pushpoint_itself_does_not_need_gymnasium() -> None:
    code = """
import sys
sys.modules["gymnasium"] = None  # as if it were not installed
import pushpoint as pp
pp.Simulation
try:
    import pushpoint.gym
except pp.MissingExtra as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'pushpoint[gym]'" in done.stdout
