"""What people call: runs and studies by the name of a scenario, by a file, or by the Scenario itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from pushpoint.errors import InvalidInput
from pushpoint.plain_data import read_yaml
from pushpoint.recording import Recording
from pushpoint.scenario import AS_WRITTEN, Scenario
from pushpoint.scenarios import scenarios
from pushpoint.simulation import simulate as _simulate
from pushpoint.user_code import load_code, refuse_unloaded

if TYPE_CHECKING:
    from pushpoint.studies import Results, Study
    from pushpoint.studies.cluster import Cluster

FILE_ENDINGS = (".yaml", ".yml", ".json")


Source = str | os.PathLike[str]


def find_scenario(scenario: Source | Scenario) -> Scenario:
    """A Scenario as it is, the one in a .yaml file, or the registered one of that name."""
    if isinstance(scenario, Scenario):
        return _with_its_files(scenario)
    if _is_file(scenario):
        return _with_its_files(Scenario.from_yaml(Path(scenario)))
    if isinstance(scenario, str):
        return scenarios[scenario]
    raise InvalidInput(f"scenario = {scenario!r}: give a name, a path to a .yaml file or a Scenario")


def _with_its_files(scenario: Scenario) -> Scenario:
    """The same, if the files that it goes with are loaded; data run no code, so the error says how."""
    if scenario.files:
        refuse_unloaded(scenario.files, f"scenario {scenario.name!r}")
    return scenario


def _is_file(source: object) -> TypeGuard[Source]:
    return isinstance(source, os.PathLike) or (isinstance(source, str) and source.endswith(FILE_ENDINGS))


def simulate(
    scenario: Source | Scenario,
    overrides: Mapping[str, Any] | None = None,
    *,
    progress: bool = False,
    **fields: Any,
) -> Recording:
    """Run a scenario and record it.

    Whole fields are replaced before overrides, so another plant and its options can be given together.

    Parameters
    ----------
    scenario
        A registered name, a path to a .yaml or .json file, or a `Scenario`.
    overrides
        Values by dotted key, such as ``{"controller.amplitude": 0.6}``.
    progress
        Whether to show a bar on standard error, if that is a terminal.
    **fields
        Fields of the scenario to replace, such as ``duration=5.0`` [s] or ``plant="mujoco"``.

    Returns
    -------
    Recording
        What happened, from t = 0 to the end.

    Raises
    ------
    InvalidInput
        If something cannot be used; the message names it.
    SolverFailure
        If the plant cannot go on; it holds the recording until then.

    Examples
    --------
    >>> run = pp.simulate("transeth2008a/flat", {"controller.amplitude": 0.6}, duration=0.1)
    >>> run.data.sizes["time"]
    11
    >>> run.scenario.controller.options["amplitude"]
    0.6
    """
    return _simulate(find_scenario(scenario), overrides, progress=progress, **fields)


def run_study(
    study: Source | Scenario | Study,
    overrides: Mapping[str, Any] | None = None,
    *,
    processes: int | None = None,
    progress: bool = False,
    code: Iterable[Source] = (),
    out: Source | None = None,
    cluster: Cluster | str | None = None,
    **fields: Any,
) -> Results:
    """Run a scenario with many seeds, in one or several variants, at all points of a sweep.

    A run that fails is a row of the results; bad input is an error before the first run; an interrupt keeps the
    finished rows. With `out`, what is finished is on the disk at once, and runs that are there are not made again.

    Parameters
    ----------
    study
        A scenario as for `simulate`, a `Study`, or the path of a study's file.
    overrides
        Values by dotted key, for all runs.
    processes
        How many at once; default: as many as there are processors. 1 keeps all runs in this process.
    progress
        Whether to show a bar on standard error, if that is a terminal.
    code
        Paths of Python files to load first, as by `load_code`. The processes get these and all that were loaded before.
    out
        Folder of the store; default: rows are kept in memory.
    cluster
        Address of a Dask cluster, or a `Cluster` with its TLS files; default: local processes.
    **fields
        Fields of the `Study` to set: seeds, variants, sweep, samples, measures, beyond, recordings.

    Returns
    -------
    Results
        A row per run.

    Examples
    --------
    >>> results = pp.run_study("transeth2008a/flat", {"duration": 0.05}, seeds=2, measures=["distance"], processes=1)
    >>> [row.status for row in results.rows]
    ['ok', 'ok']
    """
    from pushpoint.studies import run  # here, as plain runs need no processes

    for path in code:
        load_code(path)
    if isinstance(cluster, str):
        from pushpoint.studies.cluster import Cluster

        cluster = Cluster(cluster)
    folder = None if out is None else Path(out)
    return run(find_study(study, overrides, **fields), processes, progress=progress, folder=folder, cluster=cluster)


def find_study(study: Source | Scenario | Study, overrides: Mapping[str, Any] | None = None, /, **fields: Any) -> Study:
    """The study that is given, in a file or around a scenario, with more overrides and other fields."""
    from pushpoint.studies import Study

    data = dict(study) if isinstance(study, Study) else _study_data(study)
    if "repeats" in fields or "seeds" in fields:  # two words for the same
        data = {key: value for key, value in data.items() if key not in ("repeats", "seeds")}
    return Study.parse(data | fields | {"overrides": _merged(data.get("overrides"), overrides)}, AS_WRITTEN)


def _study_data(source: Source | Scenario) -> dict[str, Any]:
    """Fields of a study: those in a file, or only the scenario. A study names a scenario, scenarios do not."""
    if not _is_file(source):
        return {"scenario": source if isinstance(source, str) else find_scenario(source)}
    data = read_yaml(Path(source), "scenario or study")
    folder = Path(source).parent
    if not (isinstance(data, dict) and "scenario" in data):
        return {"scenario": _with_its_files(Scenario.parse(data, AS_WRITTEN).beside(folder))}
    scenario = data["scenario"]
    if _is_file(scenario):  # beside the file of the study
        return data | {"scenario": find_scenario(folder / scenario)}
    if isinstance(scenario, Mapping):
        return data | {"scenario": _with_its_files(Scenario.parse(scenario).beside(folder))}
    return data


def _merged(first: Any, then: Mapping[str, Any] | None) -> Any:
    """Both overrides; what is no mapping is left for the study to refuse."""
    return {**(first or {}), **(then or {})} if isinstance(first or {}, Mapping) else first
