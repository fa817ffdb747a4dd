"""What happened in a run."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import xarray as xr

from pushpoint.analysis import measures
from pushpoint.analysis.metrics import METRICS, SOLVER_METRICS
from pushpoint.errors import InvalidInput
from pushpoint.recording import _netcdf, _seal
from pushpoint.recording.assemble import known_set, with_known_ends, with_step_columns
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
    known: xr.Dataset = field(default_factory=known_set)  # dim known: obstacles in which the controller believed
    _checkpoint: Checkpoint | None = field(default=None, repr=False)

    def metrics(self) -> dict[str, float]:
        """The run in twenty plain numbers, SI units: the measures that METRICS lists, by name."""
        return {name: measures[name](self) for name in METRICS}

    @property
    def stopped(self) -> str:
        """Which condition of `scenario.stop` ended the run; empty if it went on to its duration."""
        if self.scenario.stop is None:
            return ""
        last, events = float(self.data["time"].values[-1]), self.events
        at_the_end = (events["name"].values == "stop") & (events["time"].values >= last)
        return str(events["detail"].values[at_the_end][-1]) if at_the_end.any() else ""

    def checkpoint(self) -> Checkpoint:
        """The end of the run, to go on from with `resume`.

        Raises
        ------
        InvalidInput
            If the run failed, or was stopped inside a tick.
        """
        if self._checkpoint is None:
            at = f"failed at t = {self.failure['time']:g} s" if self.failure else "failed, or was stopped inside a tick"
            raise InvalidInput(f"the run {at}: there is no checkpoint to continue from")
        return self._checkpoint

    def followed_by(self, later: Recording) -> Recording:
        """This recording and the one that went on from its checkpoint, as one: equal to the bit to a run that never
        stopped.

        Parameters
        ----------
        later
            What `resume` returned for the checkpoint of this one.

        Raises
        ------
        InvalidInput
            If the other recording does not begin where this one ends.

        Examples
        --------
        >>> first = pp.simulate("transeth2008a/flat", duration=0.05)
        >>> whole = first.followed_by(pp.resume(first.checkpoint(), duration=0.1))
        >>> whole.data.sizes["time"], round(whole.metrics()["duration"], 6)
        (11, 0.1)
        """
        from pushpoint.recording._following import joined_data, joined_table  # here, as few runs are stopped

        end, begin = self.checkpoint().time, float(later.data["time"].values[0])
        if begin != end or later.data.sizes["link"] != self.data.sizes["link"]:
            raise InvalidInput(f"the later recording begins at {begin:g} s; this one ends at {end:g} s")
        return replace(
            later,
            data=joined_data(self.data, later.data),
            contacts=joined_table(self.contacts, later.contacts, "contact", begin),
            events=joined_table(self.events, later.events, "event", -1.0),
            known=joined_table(self.known, later.known, "known", -1.0),
            wall_time_s=self.wall_time_s + later.wall_time_s,
        )

    def until(self, duration: float) -> Recording:
        """The same as a part of a run of that duration: `resume` goes on to its end.

        Parameters
        ----------
        duration
            [s], from t = 0.
        """
        scenario = self.scenario.with_overrides({"duration": duration})
        checkpoint = None if self._checkpoint is None else replace(self._checkpoint, scenario=scenario)
        return replace(self, scenario=scenario, _checkpoint=checkpoint)

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
        return _netcdf.write(path, "recording", self._groups(), self.scenario, self.code)

    def image(self) -> bytes:
        """The bytes that `save` writes."""
        image = _netcdf.made("recording", self._groups(), self.scenario, self.code)
        return image.getvalue() + _seal.seal_of(image)

    def _groups(self) -> _netcdf.Groups:
        root = self.data.assign_attrs(
            seed=self.scenario.seed,
            wall_time_s=self.wall_time_s,
            failure=json.dumps(self.failure),
            **{name: measures[name](self) for name in SOLVER_METRICS},
        )
        groups = {"": root, "contacts": self.contacts, "events": self.events, "known": self.known}
        if self._checkpoint is not None:
            groups["checkpoint"] = self._checkpoint.to_dataset()
        return groups


def is_recording(path: str | os.PathLike[str], verify: bool = True) -> bool:
    """Whether a file holds a recording; False: a checkpoint alone."""
    groups, _ = _netcdf.read(path, "recording|checkpoint", verify=verify)
    return bool(groups[""].attrs["pushpoint_kind"] == "recording")


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

    groups, unsealed = _netcdf.read(path, "recording", "contacts", "events", "known", "checkpoint", verify=verify)
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
        known=with_known_ends(groups.get("known", known_set())),
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
