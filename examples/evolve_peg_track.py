"""Train a small policy on PegTrack by an evolution strategy: no more than NumPy, all candidates at once.

    pip install -e '.[gym]'
    python examples/evolve_peg_track.py --seeds 0 1 2

The policy is a wave along the body with six numbers: its amplitude, the phase from joint to joint, the phase at the
head, an offset, and how much the offset answers to the robot's heading and to its place beside the track. The strategy
is CMA-ES (Hansen, The CMA Evolution Strategy: A Tutorial, 2016), one robot per candidate. Takes less than a minute per
seed.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import gymnasium
import numpy as np

import pushpoint.gym
from pushpoint.view.learning import learning_curves

ENVIRONMENT = "pushpoint.gym:pushpoint/PegTrack-v0"  # the module that registers it, and its name
ROBOTS = 32
GENERATIONS = 30
FIRST_SPREAD = 0.5  # of all parameters


class Policy:
    """Actions of many robots, each with its own parameters."""

    size = 6

    def __init__(self, task: pushpoint.gym.Task) -> None:
        names, sizes = [part.name for part in task.parts], [part.size for part in task.parts]
        begin = dict(zip(names, np.cumsum([0, *sizes[:-1]]), strict=True))
        self.clock, self.sine, self.aside = begin["clock"], begin["heading"] + 1, begin["place"] + 1
        self.from_head = np.arange(task.body.freedoms - 1, -1, -1)

    def actions(self, parameters: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """(N, joints), of parameters (N, size) and observations (N, ...)."""
        amplitude, shift, start, offset, by_heading, by_place = parameters.T[..., np.newaxis]
        time = np.arctan2(seen[:, self.clock + 1], seen[:, self.clock])[:, np.newaxis]
        bend = offset + by_heading * seen[:, [self.sine]] + by_place * seen[:, [self.aside]]
        return np.clip(bend + amplitude * np.sin(time + np.pi * start + shift * self.from_head), -1.0, 1.0)


class CMA:
    """Covariance matrix adaptation, (3.) to (47) of the tutorial, for a function to be made large."""

    def __init__(self, size: int, count: int, spread: float, seed: int) -> None:
        self.random, self.count, self.size = np.random.default_rng(seed), count, size
        self.mean, self.sigma, self.C = np.zeros(size), spread, np.eye(size)
        weights = np.log(count / 2 + 0.5) - np.log(np.arange(1, count // 2 + 1))
        self.weights = weights / weights.sum()
        self.mu = 1.0 / (self.weights**2).sum()
        n, mu = size, self.mu
        self.cc, self.cs = (4 + mu / n) / (n + 4 + 2 * mu / n), (mu + 2) / (n + mu + 5)
        self.c1 = 2 / ((n + 1.3) ** 2 + mu)
        self.cmu = min(1 - self.c1, 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu))
        self.damping = 1 + 2 * max(0.0, np.sqrt((mu - 1) / (n + 1)) - 1) + self.cs
        self.expected = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.pc, self.ps, self.generation = np.zeros(n), np.zeros(n), 0

    def ask(self) -> np.ndarray:
        """Candidates, (count, size)."""
        values, self.B = np.linalg.eigh(self.C)
        self.D = np.sqrt(np.maximum(values, 1e-20))
        self.steps = self.random.standard_normal((self.count, self.size)) * self.D @ self.B.T
        return self.mean + self.sigma * self.steps

    def tell(self, gained: np.ndarray) -> None:
        """What the candidates were worth."""
        self.generation += 1
        best = self.steps[np.argsort(-gained)[: len(self.weights)]]
        step = self.weights @ best
        self.mean = self.mean + self.sigma * step
        whitened = self.B @ ((self.B.T @ step) / self.D)
        self.ps = (1 - self.cs) * self.ps + np.sqrt(self.cs * (2 - self.cs) * self.mu) * whitened
        length = np.linalg.norm(self.ps)
        steady = (
            length / np.sqrt(1 - (1 - self.cs) ** (2 * self.generation)) < (1.4 + 2 / (self.size + 1)) * self.expected
        )
        self.pc = (1 - self.cc) * self.pc + steady * np.sqrt(self.cc * (2 - self.cc) * self.mu) * step
        kept = 1 - self.c1 - self.cmu + (1 - steady) * self.c1 * self.cc * (2 - self.cc)
        self.C = kept * self.C + self.c1 * np.outer(self.pc, self.pc) + self.cmu * (self.weights * best.T) @ best
        self.sigma *= np.exp(self.cs / self.damping * (length / self.expected - 1))


def returns_of(envs: gymnasium.vector.VectorEnv, policy: Policy, parameters: np.ndarray) -> np.ndarray:
    """Of one episode of each robot; the environments begin new ones by themselves, which do not count."""
    seen, _ = envs.reset()
    gained, running = np.zeros(envs.num_envs), np.ones(envs.num_envs, dtype=bool)
    while running.any():
        seen, reward, terminated, truncated, _ = envs.step(policy.actions(parameters, seen))
        gained += np.where(running, reward, 0.0)
        running &= ~(terminated | truncated)
    return gained


def train(
    seed: int, generations: int = GENERATIONS, robots: int = ROBOTS
) -> tuple[np.ndarray, list[tuple[int, float]]]:
    """The parameters in the middle of the last generation, and the learning curve: steps, mean return."""
    envs = gymnasium.make_vec(ENVIRONMENT, num_envs=robots, redraw=False)
    envs.reset(seed=1000 * seed)
    policy, curve = Policy(envs.task), []
    search = CMA(policy.size, robots, FIRST_SPREAD, seed)
    episode = envs.task.setup.ticks
    for generation in range(1, generations + 1):
        candidates = search.ask()
        gained = returns_of(envs, policy, candidates)
        search.tell(gained)
        curve.append((generation * robots * episode, float(gained.mean())))
    envs.close()
    return search.mean, curve


def return_of(parameters: np.ndarray, seeds: list[int]) -> float:
    """Mean over starts that the search has not seen."""
    envs = gymnasium.make_vec(ENVIRONMENT, num_envs=len(seeds), redraw=False)
    envs.reset(seed=seeds)
    gained = returns_of(envs, Policy(envs.task), np.tile(parameters, (len(seeds), 1)))
    envs.close()
    return float(gained.mean())


def return_of_gait(seed: int) -> float:
    """The same of the gait that the paper's authors tuned, through the same actions."""
    env = gymnasium.make(ENVIRONMENT)
    env.reset(seed=seed)
    return sum(float(env.step(action)[1]) for action in env.unwrapped.task.gait())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--generations", type=int, default=GENERATIONS)
    parser.add_argument("--out", type=Path, default=Path("results/evolve"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    gait = return_of_gait(0)
    print(f"tuned gait: {gait:.3f}")
    curves = {}
    for seed in given.seeds:
        began = time.perf_counter()
        parameters, curves[seed] = train(seed, given.generations)
        gained = return_of(parameters, [100, 101, 102, 103, 104])
        took = time.perf_counter() - began
        print(f"seed {seed}: {gained:.3f}, {100 * gained / gait:.0f} % of it, {took:.0f} s", flush=True)
        np.save(given.out / f"peg_track_{seed}.npy", parameters)
    (given.out / "curves.json").write_text(json.dumps({"gait": gait, "curves": curves}))
    learning_curves(given.out / "learning-curve.png", {"evolution strategy": list(curves.values())}, gait, "tuned gait")


if __name__ == "__main__":
    main()
