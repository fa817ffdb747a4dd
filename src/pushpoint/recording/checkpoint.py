"""A run that can be continued: running on from a checkpoint is equal to the bit to never having stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.errors import InvalidInput
from pushpoint.recording import _netcdf
from pushpoint.scenario import Scenario
from pushpoint.types import FloatArray
from pushpoint.user_code import CodeFile


@dataclass(frozen=True, slots=True)
class LastRow:
    """The row of the tape at the checkpoint: the first row of the recording that continues."""

    link: FloatArray  # (n, 11): LINK_COLUMNS
    energy: FloatArray  # (6,): time and LEDGER
    contact: FloatArray  # (contacts, 12): CONTACT_COLUMNS
    extra: FloatArray = field(default_factory=lambda: np.zeros(0))  # what only its plant knows


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything that a run needs to go on."""

    scenario: Scenario  # what is run
    tick: int  # control ticks done
    ticks_since_row: int  # of these, since the last recorded row
    plant: dict[str, Any]  # the plant's state, arrays by name
    controller: dict[str, Any]  # the controller's state: numbers, strings, arrays
    reference: FloatArray  # [rad], (n - 1,): joint reference in force
    last_row: LastRow | None  # None if the checkpoint is between two rows
    sensors: dict[str, Any] = field(default_factory=dict)  # what sensors remember, arrays by name
    made_for: dict[str, str] = field(default_factory=dict)  # plant, robot and world, see _resuming
    code: tuple[CodeFile, ...] = ()  # Python files that were loaded, see `load_code`

    @property
    def time(self) -> float:
        """When it is [s]."""
        return self.tick * self.scenario.control_period

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
        groups = {"": xr.Dataset(), "checkpoint": self.to_dataset()}
        return _netcdf.write(path, "checkpoint", groups, self.scenario, self.code)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, verify: bool = True) -> Checkpoint:
        """Read what `save` wrote; a recording's file does as well, if its run can be continued.

        Parameters
        ----------
        path
            Of the file.
        verify
            Whether to refuse a file whose bytes have changed since.
        """
        groups, unsealed = _netcdf.read(path, "checkpoint|recording", "checkpoint", verify=verify)
        if "checkpoint" not in groups:
            raise InvalidInput(f"the run in {str(path)!r} failed: there is no checkpoint to continue from")
        scenario, code = _netcdf.scenario_of(groups, path), _netcdf.code_of(groups[""].attrs, path)
        checkpoint = cls.from_dataset(groups["checkpoint"], scenario, repr(str(path)), code)
        if unsealed:
            _netcdf.warn_unsealed(path)
        return checkpoint

    def to_dataset(self) -> xr.Dataset:
        """All of it as arrays, for files."""
        values = {
            **{f"plant.{name}": value for name, value in self.plant.items()},
            **{f"controller.{name}": value for name, value in self.controller.items()},
            **{f"sensors.{name.replace('/', ':')}": value for name, value in self.sensors.items()},
            "run.reference": self.reference,
        }
        if self.last_row is not None:
            values |= {f"row.{f.name}": getattr(self.last_row, f.name) for f in fields(LastRow)}
        variables = {name: _variable(name, value) for name, value in values.items()}
        attrs = {"tick": self.tick, "ticks_since_row": self.ticks_since_row, "made_for": json.dumps(self.made_for)}
        return xr.Dataset(variables, attrs=attrs)

    @classmethod
    def from_dataset(
        cls, dataset: xr.Dataset, scenario: Scenario, where: str = "the checkpoint", code: tuple[CodeFile, ...] = ()
    ) -> Checkpoint:
        """The inverse of `to_dataset`; whether plant and controller can use it is seen by `resume`.

        Parameters
        ----------
        dataset
            Of `to_dataset`.
        scenario
            What is run.
        where
            What messages call the dataset.
        code
            Python files that were loaded.
        """
        parts: dict[str, dict[str, Any]] = {"plant": {}, "controller": {}, "sensors": {}, "run": {}, "row": {}}
        for name, variable in dataset.variables.items():
            part, _, key = str(name).partition(".")
            if part not in parts or not key:
                raise InvalidInput(f"{where}: variable {str(name)!r} belongs to no part of a checkpoint")
            parts[part][key] = _value(variable)
        _refuse_names(where, "run", parts["run"], {"reference"})
        _refuse_names(where, "row", parts["row"], {f.name for f in fields(LastRow)} if parts["row"] else set())
        return cls(
            scenario=scenario,
            tick=_netcdf.whole_number(dataset.attrs, "tick", where),
            ticks_since_row=_netcdf.whole_number(dataset.attrs, "ticks_since_row", where),
            plant=parts["plant"],
            controller=parts["controller"],
            sensors={name.replace(":", "/"): value for name, value in parts["sensors"].items()},
            reference=parts["run"]["reference"],
            last_row=LastRow(**parts["row"]) if parts["row"] else None,
            made_for=_made_for(dataset.attrs, where),
            code=code,
        )


def _refuse_names(where: str, part: str, found: Mapping[str, Any], wanted: set[str]) -> None:
    for name in sorted(wanted ^ found.keys()):
        what = "is missing" if name in wanted else "belongs to no checkpoint"
        raise InvalidInput(f"{where}: variable {f'{part}.{name}'!r} {what}")


def _made_for(attrs: Mapping[Any, Any], where: str) -> dict[str, str]:
    """Files of schema version 1 do not say what they are made for."""
    found = _netcdf.json_of(attrs, "made_for", where) if "made_for" in attrs else {}
    if not (isinstance(found, dict) and all(isinstance(value, str) for value in found.values())):
        raise InvalidInput(f"{where}: attribute made_for = {found!r}; expected an object of texts")
    return found


def check_plain(controller: str, state: dict[str, Any]) -> None:
    """Refuse a controller state that no file can hold, before a long run rather than after it."""
    for name, value in state.items():
        array = np.asarray(value)
        if array.dtype.kind not in "biufU" or (array.ndim and not isinstance(value, np.ndarray)):
            raise InvalidInput(
                f"controller {controller!r}: state {name!r} is a {type(value).__name__}; "
                "allowed are numbers, strings and NumPy arrays of them"
            )


def _variable(name: str, value: Any) -> xr.Variable:
    array = np.asarray(value)
    dims = [f"{name}_{axis}" for axis in range(array.ndim)]
    return xr.Variable(dims, array, attrs={"scalar": int(not isinstance(value, np.ndarray))})


def _value(variable: xr.Variable) -> Any:
    array = np.ascontiguousarray(variable.values) if variable.ndim else np.asarray(variable.values)
    if array.dtype.kind in "OT":
        array = array.astype(str)
    return array.item() if variable.attrs.get("scalar") == 1 and array.size == 1 else array
