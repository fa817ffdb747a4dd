"""A run that can be continued: running on from a checkpoint is equal to the bit to never having stopped."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.errors import InvalidInput
from pushpoint.recording import _netcdf
from pushpoint.scenario import Scenario
from pushpoint.types import FloatArray


@dataclass(frozen=True, slots=True)
class LastRow:
    """The row of the trace at the checkpoint: the first row of the recording that continues."""

    link: FloatArray  # (n, 11): LINK_COLUMNS
    energy: FloatArray  # (6,): time and LEDGER
    contact: FloatArray  # (contacts, 12): CONTACT_COLUMNS
    extra: FloatArray = field(default_factory=lambda: np.zeros(0))  # what only its plant knows


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Everything that a run needs to go on."""

    scenario: Scenario
    tick: int  # control ticks done
    ticks_since_row: int  # of these, since the last recorded row
    plant: dict[str, Any]  # the plant's state, arrays by name
    controller: dict[str, Any]  # the controller's state: numbers, strings, arrays
    reference: FloatArray  # [rad], (n - 1,): joint reference in force
    last_row: LastRow | None  # None if the checkpoint is between two rows

    @property
    def time(self) -> float:
        """[s]"""
        return self.tick * self.scenario.control_period

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a NetCDF file; returns its path."""
        groups = {"": xr.Dataset(), "checkpoint": self.to_dataset()}
        return _netcdf.write(path, "checkpoint", groups, self.scenario)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Checkpoint:
        """Read what `save` wrote; a recording's file does as well, if its run can be continued."""
        groups = _netcdf.read(path, "checkpoint|recording", "checkpoint")
        if "checkpoint" not in groups:
            raise InvalidInput(f"the run in {str(path)!r} failed: there is no checkpoint to continue from")
        return cls.from_dataset(groups["checkpoint"], _netcdf.scenario_of(groups))

    def to_dataset(self) -> xr.Dataset:
        values = {
            **{f"plant.{name}": value for name, value in self.plant.items()},
            **{f"controller.{name}": value for name, value in self.controller.items()},
            "run.reference": self.reference,
        }
        if self.last_row is not None:
            values |= {f"row.{f.name}": getattr(self.last_row, f.name) for f in fields(LastRow)}
        variables = {name: _variable(name, value) for name, value in values.items()}
        return xr.Dataset(variables, attrs={"tick": self.tick, "ticks_since_row": self.ticks_since_row})

    @classmethod
    def from_dataset(cls, dataset: xr.Dataset, scenario: Scenario) -> Checkpoint:
        parts: dict[str, dict[str, Any]] = {"plant": {}, "controller": {}, "run": {}, "row": {}}
        for name, variable in dataset.variables.items():
            part, key = str(name).split(".", 1)
            parts[part][key] = _value(variable)
        return cls(
            scenario=scenario,
            tick=int(dataset.attrs["tick"]),
            ticks_since_row=int(dataset.attrs["ticks_since_row"]),
            plant=parts["plant"],
            controller=parts["controller"],
            reference=parts["run"]["reference"],
            last_row=LastRow(**parts["row"]) if parts["row"] else None,
        )


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
    return array.item() if variable.attrs["scalar"] else array
