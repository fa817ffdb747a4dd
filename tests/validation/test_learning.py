"""Policies learn PegTrack: at least four fifths of the return of the tuned gait, from three seeds.

By PPO where Stable-Baselines3 is installed (extra `learn`), and by the evolution strategy everywhere.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
LEAST = 0.8  # of the gait's return
SEEDS = (0, 1, 2)
STARTS = [100, 101, 102, 103, 104]  # seeds of starts that training has not seen

pytestmark = pytest.mark.slow


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", SEEDS)
def test_an_evolution_strategy_learns(seed: int) -> None:
    evolve = example("evolve_peg_track")
    parameters, curve = evolve.train(seed)
    assert curve[-1][1] > curve[0][1]
    assert evolve.return_of(parameters, STARTS) > LEAST * evolve.return_of_gait(STARTS[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_ppo_learns(seed: int) -> None:
    pytest.importorskip("stable_baselines3")
    train = example("train_peg_track")
    policy, envs, _ = train.train(seed)
    gained = np.mean([train.return_of(policy, envs, start) for start in STARTS])
    assert gained > LEAST * train.return_of_gait(STARTS[0])
