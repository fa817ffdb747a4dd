"""What people call: studies by the name of a scenario, by a file, or by the Scenario itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pushpoint.errors import UnknownName
from pushpoint.plain_data import read_yaml
from pushpoint.scenario import AS_WRITTEN, Scenario
from pushpoint.scenarios import Source, find_scenario, is_file, with_its_files
from pushpoint.user_code import load_code

if TYPE_CHECKING:
    from pushpoint.studies import Results, Study
    from pushpoint.studies.cluster import Cluster


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
        A scenario as for `simulate`, a `Study`, the name of one, or the path of a study's file.
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
    if "variants" in data and isinstance(fields.get("variants"), Mapping):
        fields["variants"] = _chosen(data["variants"], fields["variants"], _is_named(study))
    return Study.parse(data | fields | {"overrides": _merged(data.get("overrides"), overrides)}, AS_WRITTEN)


def _is_named(source: Source | Scenario | Study) -> bool:
    from pushpoint.studies.named import studies

    return isinstance(source, str) and "/" not in source and source in studies


def _study_data(source: Source | Scenario) -> dict[str, Any]:
    """Fields of a study: of a named one, those in a file, or only the scenario. A study names a scenario, scenarios do
    not."""
    if _is_named(source):
        from pushpoint.studies.named import studies

        return dict(studies[str(source)].study)
    if not is_file(source):
        return {"scenario": source if isinstance(source, str) else find_scenario(source)}
    data = read_yaml(Path(source), "scenario or study")
    folder = Path(source).parent
    if not (isinstance(data, dict) and "scenario" in data):
        return {"scenario": with_its_files(Scenario.parse(data, AS_WRITTEN).beside(folder))}
    scenario = data["scenario"]
    if is_file(scenario):  # beside the file of the study
        return data | {"scenario": find_scenario(folder / scenario)}
    if isinstance(scenario, Mapping):
        return data | {"scenario": with_its_files(Scenario.parse(scenario).beside(folder))}
    return data


def _chosen(own: Any, asked: Mapping[str, Any], is_named: bool) -> Any:
    """Variants in place of those that a study has: a label without changes may be that of one of its own, and has to be
    where the study goes by its name."""
    if not isinstance(own, Mapping):
        return asked
    for label, changes in asked.items():
        if is_named and not changes and label not in own:
            raise UnknownName("variant of this study", label, own)
    return {label: changes or own.get(label, changes) for label, changes in asked.items()}


def _merged(first: Any, then: Mapping[str, Any] | None) -> Any:
    """Both overrides; what is no mapping is left for the study to refuse."""
    return {**(first or {}), **(then or {})} if isinstance(first or {}, Mapping) else first
