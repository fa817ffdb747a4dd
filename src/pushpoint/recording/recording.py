"""What happened in a run."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import xarray as xr

from pushpoint.analysis import measures
from pushpoint.analysis.metrics import METRICS, SOLVER_METRICS
from pushpoint.errors import InvalidInput
from pushpoint.recording import _netcdf
from pushpoint.recording.assemble import with_step_columns
from pushpoint.recording.checkpoint import Checkpoint
from pushpoint.scenario import Scenario
from pushpoint.user_code import CodeFile


@dataclass(frozen=True)
class Recording:
    """Labelled arrays, the contact table, events, and the scenario they came from.

    Examples
    --------
    >>> run = pp.simulate("transeth2008a/flat", duration=0.1)
    >>> run.data["link_position"].dims
    ('time', 'link', 'axis')
    >>> round(run.metrics()["duration"], 6)
    0.1
    """

    data: xr.Dataset  # dims time, link, joint, axis, step; units in the attributes
    contacts: xr.Dataset  # dim contact: one line per contact and row
    events: xr.Dataset  # dim event
    scenario: Scenario  # what was run
    failure: dict[str, Any] | None = None  # status, time [s], link, residual, advice; None: the run reached its end
    wall_time_s: float = 0.0  # [s], that the simulation took
    code: tuple[CodeFile, ...] = ()  # Python files that were loaded, see `load_code`
    _checkpoint: Checkpoint | None = field(default=None, repr=False)

    def metrics(self) -> dict[str, float]:
        """The run in twenty plain numbers, SI units: the measures that METRICS lists, by name."""
        return {name: measures[name](self) for name in METRICS}

    def checkpoint(self) -> Checkpoint:
        """The end of the run, to go on from with `resume`.

        Raises
        ------
        InvalidInput
            If the run failed.
        """
        if self._checkpoint is None:
            at = f" at t = {self.failure['time']:g} s" if self.failure else ""
            raise InvalidInput(f"the run failed{at}: there is no checkpoint to continue from")
        return self._checkpoint

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a NetCDF file that `load` reads.

        Parameters
        ----------
        path
            Of the file; folders that are missing are made.

        Returns
        -------
        Path
            The same.
        """
        root = self.data.assign_attrs(
            seed=self.scenario.seed,
            wall_time_s=self.wall_time_s,
            failure=json.dumps(self.failure),
            **{name: measures[name](self) for name in SOLVER_METRICS},
        )
        groups = {"": root, "contacts": self.contacts, "events": self.events}
        if self._checkpoint is not None:
            groups["checkpoint"] = self._checkpoint.to_dataset()
        return _netcdf.write(path, "recording", groups, self.scenario, self.code)


def load(path: str | os.PathLike[str], *, verify: bool = True) -> Recording:
    """Read a recording that `Recording.save` wrote.

    Parameters
    ----------
    path
        Of the file.
    verify
        Whether to refuse a file whose bytes have changed since; False takes it as it is, as one that somebody edited.

    Raises
    ------
    InvalidInput
        If there is no such file, or it is no recording.
    """
    from pushpoint.recording._expected import refuse_unexpected  # here, as runs that are made are as expected

    groups, unsealed = _netcdf.read(path, "recording", "contacts", "events", "checkpoint", verify=verify)
    scenario, dump, where = _netcdf.scenario_of(groups, path), groups.get("checkpoint"), repr(str(path))
    code = _netcdf.code_of(groups[""].attrs, path)
    attrs, groups[""].attrs = groups[""].attrs, {}  # provenance of the file, not of the data
    groups |= {name: _texts(dataset) for name, dataset in groups.items() if name != "checkpoint"}
    refuse_unexpected(groups, scenario, _netcdf.whole_number(attrs, "schema_version", where), where)
    failure = _netcdf.json_of(attrs, "failure", where)
    if not (failure is None or (isinstance(failure, dict) and isinstance(failure.get("time"), float | int))):
        raise InvalidInput(f"{where}: attribute failure = {failure!r}; expected null, or an object with a time")
    checkpoint = None if dump is None else Checkpoint.from_dataset(dump, scenario, where, code)
    if unsealed:
        _netcdf.warn_unsealed(path)
    return Recording(
        data=with_step_columns(groups[""]),
        contacts=groups["contacts"],
        events=groups["events"],
        scenario=scenario,
        failure=failure,
        wall_time_s=_netcdf.number(attrs, "wall_time_s", where),
        code=code,
        _checkpoint=checkpoint,
    )


def _texts(dataset: xr.Dataset) -> xr.Dataset:
    """Text variables as NumPy text again, whatever the file library made of them."""
    texts = {k: v.astype(str) for k, v in dataset.variables.items() if v.dtype.kind in "OTS"}
    return dataset.assign(texts) if texts else dataset
