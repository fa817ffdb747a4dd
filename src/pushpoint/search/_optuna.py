"""The parts of Optuna that a search uses, imported when they are first needed."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pushpoint.errors import MissingExtra
from pushpoint.search.search import Range, Search

FIRST_TRIALS = 10  # before the sampler and the pruner judge


def optuna_package() -> Any:
    try:
        import optuna
    except ImportError:
        raise MissingExtra("a search", "search") from None
    return optuna


@contextmanager
def quiet() -> Iterator[None]:
    """Without Optuna's line per trial, and its remarks on features that may change."""
    optuna = optuna_package()
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(level)


def distribution(values: Range) -> Any:
    kinds = optuna_package().distributions
    if values.choices:
        return kinds.CategoricalDistribution(values.choices)
    low, high = values.ends()
    if values.whole:
        return kinds.IntDistribution(low, high, log=values.log)
    return kinds.FloatDistribution(low, high, log=values.log)


def sampler(search: Search, trials: int) -> Any:
    """The seed moves on with the trials that there are: whoever goes on does not propose the same again."""
    samplers, seed = optuna_package().samplers, search.seed + trials
    if search.sampler == "random":
        return samplers.RandomSampler(seed=seed)
    if search.sampler == "sobol":
        return samplers.QMCSampler(seed=search.seed, scramble=True)
    if search.sampler == "cma-es":
        return samplers.CmaEsSampler(seed=seed, n_startup_trials=FIRST_TRIALS)
    if search.sampler == "nsga2":
        return samplers.NSGAIISampler(seed=seed)
    return samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True, n_startup_trials=FIRST_TRIALS)


def pruner(search: Search) -> Any:
    pruners = optuna_package().pruners
    return pruners.MedianPruner(n_startup_trials=FIRST_TRIALS) if search.prune else pruners.NopPruner()
