"""Train a policy on PegTrack with PPO of Stable-Baselines3, and draw its learning curve beside the tuned gait.

    pip install -e '.[learn]'
    python examples/train_peg_track.py --seeds 0 1 2

Takes two to three minutes per seed on one processor. All robots are stepped by the vector environment.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from pushpoint.view.learning import learning_curves

ENVIRONMENT = "pushpoint.gym:pushpoint/PegTrack-v0"  # the module that registers it, and its name
ROBOTS = 32
STEPS = 250_000
GAMMA = 0.98


class AsVecEnv(VecEnv):
    """A vector environment of Gymnasium as Stable-Baselines3 wants it; episodes begin anew in the same step."""

    def __init__(self, envs: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        self.render_mode = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self.envs, self.seed_of_all = envs, 0
        self.gained, self.finished = np.zeros(envs.num_envs), []  # returns of episodes: running, and ended

    def reset(self) -> np.ndarray:
        self.gained[:] = 0.0
        return self.envs.reset(seed=self.seed_of_all)[0]

    def step_async(self, actions: np.ndarray) -> None:
        self.actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        seen, reward, terminated, truncated, infos = self.envs.step(self.actions)
        self.gained += reward
        ended = terminated | truncated
        each: list[dict[str, Any]] = [{} for _ in ended]
        for k in np.flatnonzero(ended):
            each[k] = {"terminal_observation": infos["final_obs"][k], "TimeLimit.truncated": not terminated[k]}
            self.finished.append(float(self.gained[k]))
        self.gained[ended] = 0.0
        return seen, reward.astype(np.float32), ended, each

    def close(self) -> None:
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.envs, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError  # PPO sets nothing

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise NotImplementedError  # PPO calls nothing

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


class Curve(BaseCallback):
    """Mean return of the episodes that ended during each rollout."""

    def __init__(self, envs: AsVecEnv) -> None:
        super().__init__()
        self.envs, self.points = envs, []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        if self.envs.finished:
            self.points.append((self.num_timesteps, float(np.mean(self.envs.finished))))
            self.envs.finished.clear()


def train(seed: int, steps: int = STEPS, robots: int = ROBOTS) -> tuple[PPO, VecNormalize, list[tuple[int, float]]]:
    """The trained policy, what normalises its observations, and the learning curve: steps, mean return."""
    torch.set_num_threads(1)  # small networks: more threads only wait for each other
    # Starts are kept: they differ from robot to robot by a millimetre, and new ones at every reset would take time.
    made = gymnasium.make_vec(ENVIRONMENT, num_envs=robots, autoreset_mode="SameStep", redraw=False)
    inner = AsVecEnv(made)
    inner.seed_of_all = 1000 * seed
    envs = VecNormalize(inner, gamma=GAMMA)
    policy = PPO(
        "MlpPolicy",
        envs,
        seed=seed,
        n_steps=100,  # an episode
        batch_size=800,
        n_epochs=10,
        gamma=GAMMA,
        learning_rate=1e-3,
        # Exploration by noise in the weights, drawn once per rollout: robots try other waves, instead of trembling.
        use_sde=True,
        policy_kwargs={"log_std_init": -2.5, "net_arch": {"pi": [], "vf": [64, 64]}},  # a linear policy is enough
        device="cpu",
    )
    curve = Curve(inner)
    policy.learn(steps, callback=curve)
    return policy, envs, curve.points


def return_of(policy: PPO, envs: VecNormalize, seed: int) -> float:
    """Of one episode without exploration, in a single environment."""
    env = gymnasium.make(ENVIRONMENT)
    seen, _ = env.reset(seed=seed)
    gained, ended = 0.0, False
    while not ended:
        action, _ = policy.predict(envs.normalize_obs(seen), deterministic=True)
        seen, reward, terminated, truncated, _ = env.step(action)
        gained, ended = gained + float(reward), terminated or truncated
    return gained


def return_of_gait(seed: int) -> float:
    """The same of the gait that the paper's authors tuned, through the same actions."""
    env = gymnasium.make(ENVIRONMENT)
    env.reset(seed=seed)
    return sum(float(env.step(action)[1]) for action in env.unwrapped.task.gait())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path, default=Path("results/train"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    gait = return_of_gait(0)
    print(f"tuned gait: {gait:.3f}")
    curves = {}
    for seed in given.seeds:
        began = time.perf_counter()
        policy, envs, curves[seed] = train(seed, given.steps)
        gained = np.mean([return_of(policy, envs, 100 + k) for k in range(5)])
        print(
            f"seed {seed}: {gained:.3f}, {100 * gained / gait:.0f} % of it, {time.perf_counter() - began:.0f} s",
            flush=True,
        )
        policy.save(given.out / f"peg_track_{seed}.zip")
        envs.save(str(given.out / f"peg_track_{seed}.pkl"))
    (given.out / "curves.json").write_text(json.dumps({"gait": gait, "curves": curves}))
    learning_curves(given.out / "learning-curve.png", {"PPO": list(curves.values())}, gait, "tuned gait")


if __name__ == "__main__":
    main()
