"""The loop of a search: ask Optuna for values, run them, tell it what came of them; in a store from which others go on.

    propose    some trials at once                        Optuna: ask
    run        one seed after the other, all trials together: one compiled call where that is possible
    conclude   aims of the trials, or why they failed     Optuna: tell

Several processes, also on several machines, may work on one search if they share its storage.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint._interrupts import noted, number_of
from pushpoint.errors import Interrupted, InvalidInput, PushpointError
from pushpoint.many import simulate_many
from pushpoint.search._optuna import distribution, optuna_package, quiet
from pushpoint.search.found import Found
from pushpoint.search.search import Aim, Search, Value
from pushpoint.search.store import INTERRUPTED, OWNER, REASON, found_in, open_store, owner
from pushpoint.simulation import Setup
from pushpoint.studies.jobs import RUN, Question, answer
from pushpoint.user_code import described

if TYPE_CHECKING:
    import optuna

    from pushpoint.recording import Recording

PER_PROCESSOR = 4  # trials that are proposed at once: the sampler learns from those before

Watch = Callable[[Found], None]


def run_search(
    search: Search | str | Path | Mapping[str, Any],
    folder: str | Path | None = None,
    *,
    storage: str | None = None,
    at_once: int | None = None,
    watch: Watch | None = None,
    force: bool = False,
) -> Found:
    """Search until there are as many trials as wanted; what an earlier call left is gone on with.

    Parameters
    ----------
    search
        A `Search`, its fields as a mapping, or the path of its .yaml file.
    folder
        Where trials are kept, in a file of SQLite; None: in memory alone.
    storage
        Of Optuna instead, such as ``postgresql://...``, which several machines may share.
    at_once
        Trials that are proposed together; default: four per processor. More run faster, fewer learn more.
    watch
        Is called with what there is after every round.
    force
        Whether to go on with a store that belongs to another search, or to other versions of loaded files.

    Returns
    -------
    Found
        All trials of the store.

    Raises
    ------
    InvalidInput
        If a field is not there or cannot have such values, or the store belongs to another search.
    MissingExtra
        Without Optuna.

    Examples
    --------
    >>> asked = {"scenario": "transeth2008a/flat", "vary": {"controller.amplitude": [0.2, 0.9]}, "trials": 4}
    >>> found = pp.run_search(asked | {"aims": [{"measure": "distance"}], "overrides": {"duration": 0.1}})
    >>> len(found.done), sorted(found.best.values)
    (4, ['controller.amplitude'])
    """
    asked = as_search(search)
    _check(asked)
    with quiet():
        loop = _Loop(asked, open_store(asked, folder, storage, force), at_once or PER_PROCESSOR * (os.cpu_count() or 1))
        return loop.run(watch)


def as_search(search: Search | str | Path | Mapping[str, Any]) -> Search:
    """A Search as it is, from plain data, or from a file."""
    if isinstance(search, Search):
        return search
    return Search.parse(search) if isinstance(search, Mapping) else Search.from_yaml(Path(search))


def _check(search: Search) -> None:
    """Raise InvalidInput on fields that are not there, and on values at the ends of a range that cannot be."""
    first = {key: values.ends()[0] for key, values in search.vary.items()}
    for key, values in search.vary.items():
        for value in values.ends():
            try:
                Setup.of(search.scenario_of(first | {key: value}, search.seeds[0]))
            except PushpointError as error:
                raise InvalidInput(f"vary.{key} = {value!r}: {error}") from None


class _Loop:
    def __init__(self, search: Search, study: optuna.Study, at_once: int) -> None:
        self._search, self._study, self._at_once = search, study, at_once
        self._ranges = {key: distribution(values) for key, values in search.vary.items()}

    def run(self, watch: Watch | None) -> Found:
        signal = None
        with noted() as stop:
            while stop.signal is None and (missing := self._search.trials - self._counted()) > 0:
                proposed = [self._proposed() for _ in range(min(self._at_once, missing))]
                try:
                    self._try(proposed)
                except KeyboardInterrupt as error:
                    signal = error.signal if isinstance(error, Interrupted) else number_of(error)
                    break
                finally:
                    self._fail_open(proposed)
                if watch is not None:
                    watch(found_in(self._study, self._search))
            signal = signal or stop.signal
        return found_in(self._study, self._search, signal)

    def _proposed(self) -> optuna.Trial:
        trial = self._study.ask(self._ranges)
        trial.set_user_attr(OWNER, owner())
        return trial

    def _counted(self) -> int:
        """Trials that need not be made again: those that were interrupted do."""
        return sum(trial.reason != INTERRUPTED for trial in found_in(self._study, self._search).trials)

    def _try(self, proposed: Sequence[optuna.Trial]) -> None:
        """All seeds of some trials, one seed after the other."""
        numbers: dict[int, list[list[float]]] = {trial.number: [[] for _ in self._search.aims] for trial in proposed}
        open_trials = self._without_known(proposed)
        for seed in self._search.seeds:
            open_trials = self._run_seed(open_trials, seed, numbers)
        for trial in open_trials:
            pairs = zip(self._search.aims, numbers[trial.number], strict=True)
            self._study.tell(trial, [aim.value(column) for aim, column in pairs])

    def _without_known(self, proposed: Sequence[optuna.Trial]) -> list[optuna.Trial]:
        """Trials that have to be run: some samplers propose the same again, and a run repeats to the bit."""
        known = {tuple(trial.values.items()): trial.aims for trial in found_in(self._study, self._search).done}
        new = []
        for trial in proposed:
            aims = known.get(tuple(trial.params.items()))
            if aims is None:
                new.append(trial)
            else:
                self._study.tell(trial, list(aims))
        return new

    def _run_seed(
        self, trials: Sequence[optuna.Trial], seed: int, numbers: Mapping[int, list[list[float]]]
    ) -> list[optuna.Trial]:
        """Run and measure trials with a seed; returns those that go on."""
        going: list[optuna.Trial] = []
        for trial, outcome in zip(trials, self._recorded([trial.params for trial in trials], seed), strict=True):
            found = outcome if isinstance(outcome, str) else measured(self._search.aims, outcome)
            if isinstance(found, str):
                self._end(trial, "FAIL", f"seed {seed}: {found}")
                continue
            for column, value in zip(numbers[trial.number], found, strict=True):
                column.append(value)
            if self._is_worse(trial, numbers[trial.number]):
                self._end(trial, "PRUNED", f"worse than others after {len(numbers[trial.number][0])} runs")
                continue
            going.append(trial)
        return going

    def _recorded(self, values: Sequence[Mapping[str, Value]], seed: int) -> list[Recording | str]:
        """A recording of each, or why there is none."""
        found: list[Recording | str] = []
        scenarios = []
        for each in values:
            try:
                scenario = self._search.scenario_of(each, seed).pinned()
                Setup.of(scenario).start_pose()  # one that overlaps would end all runs
                scenarios.append(scenario)
                found.append("")
            except Exception as error:  # combinations that cannot be; code of users may raise anything
                found.append(described(error))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            recordings = iter(simulate_many(scenarios, on_failure="keep") if scenarios else ())
        for k, reason in enumerate(found):
            if reason == "":
                recording = next(recordings)
                found[k] = recording if recording.failure is None else f"{recording.failure['status']}"
        return found

    def _is_worse(self, trial: optuna.Trial, columns: list[list[float]]) -> bool:
        if not self._search.prune or len(columns[0]) == len(self._search.seeds):
            return False
        trial.report(self._search.aims[0].value(columns[0]), len(columns[0]))
        return bool(trial.should_prune())

    def _end(self, trial: optuna.Trial, state: str, reason: str) -> None:
        trial.set_user_attr(REASON, reason)
        self._study.tell(trial, state=optuna_package().trial.TrialState[state])

    def _fail_open(self, proposed: Sequence[optuna.Trial]) -> None:
        """Trials that were interrupted are not left open: nobody would finish them."""
        states = {trial.number: trial.state for trial in self._study.get_trials(deepcopy=False)}
        for trial in proposed:
            if not states[trial.number].is_finished():
                self._end(trial, "FAIL", INTERRUPTED)


def measured(aims: Sequence[Aim], run: Recording) -> list[float] | str:
    """A number per aim, or why there is none."""
    numbers = []
    for aim in aims:
        try:
            number = answer(Question(aim.measure, aim.options, (RUN,)), {RUN: run})
        except Exception as error:  # measures may be anybody's
            return described(error)
        if math.isnan(number):
            return f"{aim.name} is not a number"
        numbers.append(number)
    return numbers
