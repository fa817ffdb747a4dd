"""Where the trials of a search are kept: a study of Optuna, with what was asked beside it."""

from __future__ import annotations

import os
import platform
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint._user_cache import is_alive
from pushpoint._version import __version__
from pushpoint.errors import InvalidInput
from pushpoint.files import made
from pushpoint.search._optuna import optuna_package, pruner, sampler
from pushpoint.search.found import Found, Status, Trial
from pushpoint.search.search import MOST, Search
from pushpoint.user_code import loaded_files

if TYPE_CHECKING:
    import optuna

STORE = "search.db"  # in the folder of a search
NAME = "pushpoint"  # of the study in the storage
ASKED, CODE, VERSION, REASON = "search", "code", "version", "reason"  # what is kept beside the trials
OWNER = "owner"  # of a trial: machine and process
INTERRUPTED = "interrupted"  # reason of trials that are made again
STALE = 86400.0  # [s], after which a trial of another machine that has no result will never have one


def open_store(search: Search | None, folder: str | Path | None, storage: str | None, force: bool = False) -> Any:
    """The study of Optuna in a folder or storage; made if a search is given."""
    package = optuna_package()
    where = storage or (None if folder is None else f"sqlite:///{Path(folder).resolve() / STORE}")
    if folder is not None and search is not None:
        made(Path(folder))
    if search is None and storage is None and not (Path(folder or ".") / STORE).is_file():
        raise InvalidInput(f"{str(folder)!r} holds no search: there is no {STORE}")
    try:
        kept = where and package.storages.RDBStorage(where)
        if search is None:
            return package.load_study(study_name=NAME, storage=kept)
        study = package.create_study(
            storage=kept,
            study_name=NAME,
            load_if_exists=True,
            directions=["maximize" if aim.want == MOST else "minimize" for aim in search.aims],
        )
    except Exception as error:  # of any data base
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(f"the store of the search, {where!r}, cannot be used: {lines[0]}") from None
    study.sampler, study.pruner = sampler(search, len(study.trials)), pruner(search)
    _refuse_other(study, search, force)
    _end_abandoned(study)
    if not study.trials:
        for known in search.first:
            study.enqueue_trial(dict(known))
    return study


def owner() -> str:
    """This machine and process."""
    return f"{platform.node()} {os.getpid()}"


def _end_abandoned(study: optuna.Study) -> None:
    """Trials of processes that were killed: nobody will finish them."""
    state = optuna_package().trial.TrialState
    for trial in study.get_trials(deepcopy=False, states=(state.RUNNING,)):
        machine, _, process = trial.user_attrs.get(OWNER, "").rpartition(" ")
        since = (datetime.now() - trial.datetime_start).total_seconds() if trial.datetime_start else 0.0
        gone = not is_alive(int(process)) if machine == platform.node() else since > STALE
        if gone:
            study._storage.set_trial_user_attr(trial._trial_id, REASON, INTERRUPTED)
            study.tell(trial.number, state=state.FAIL)


def _refuse_other(study: optuna.Study, search: Search, force: bool) -> None:
    """What is searched has to be what was searched; the number of trials may grow."""
    now = {ASKED: search.model_copy(update={"trials": 1}).to_yaml(), CODE: [file.sha256 for file in loaded_files()]}
    before = study.user_attrs
    for name, what in ((ASKED, "another search"), (CODE, "other versions of loaded files")):
        if name in before and before[name] != now[name] and not force:
            raise InvalidInput(f"the store holds {what}; take another folder, or --force to go on with this one")
    for name, value in {**now, VERSION: __version__}.items():
        if before.get(name) != value:
            study.set_user_attr(name, value)


def stored_search(study: optuna.Study) -> Search:
    """What a store was made for."""
    text = study.user_attrs.get(ASKED)
    if text is None:
        raise InvalidInput("the store holds no search of pushpoint")
    return Search.from_yaml(text).model_copy(update={"trials": max(1, len(study.trials))})


def found_in(study: optuna.Study, search: Search, signal: int | None = None) -> Found:
    """All trials of a store."""
    trials = study.get_trials(deepcopy=False)
    return Found(search, tuple(_trial(frozen) for frozen in trials if frozen.state.name != "WAITING"), signal)


def _trial(frozen: optuna.trial.FrozenTrial) -> Trial:
    kinds: dict[str, Status] = {"COMPLETE": "ok", "FAIL": "failed", "PRUNED": "pruned"}
    status = kinds.get(frozen.state.name, "running")
    aims = tuple(frozen.values) if status == "ok" and frozen.values else ()
    return Trial(frozen.number, dict(frozen.params), aims, status, frozen.user_attrs.get(REASON, ""))
