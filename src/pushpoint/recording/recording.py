"""What happened in a run."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from pushpoint.errors import InvalidInput
from pushpoint.recording import _netcdf
from pushpoint.recording.checkpoint import Checkpoint
from pushpoint.scenario import Scenario
from pushpoint.types import LEDGER, Status

METRICS = (
    "duration",
    "distance",
    "path_length",
    "mean_speed_x",
    "mean_speed_y",
    "middle_link_displacement",
    "middle_link_displacement_x",
    "middle_link_displacement_y",
    "max_residual",
    "mean_iterations",
    "repeated_steps",
    "fallback_steps",
    "accepted_steps",
    "guard_work",
    "energy_closure_error",
    "peak_contact_force",
    "peak_joint_torque",
    "contacts",
    "real_time_factor",
)


@dataclass(frozen=True)
class Recording:
    """Labelled arrays, the contact table, events, and the scenario they came from."""

    data: xr.Dataset  # dims time, link, joint, axis, step; units in the attributes
    contacts: xr.Dataset  # dim contact
    events: xr.Dataset  # dim event
    scenario: Scenario
    failure: dict[str, Any] | None = None  # status, time [s], link, residual, advice
    wall_time_s: float = 0.0
    _checkpoint: Checkpoint | None = field(default=None, repr=False)

    def metrics(self) -> dict[str, float]:
        """The run in a dozen plain numbers, SI units; METRICS lists their names."""
        time = self.data["time"].values
        duration = float(time[-1] - time[0])
        centre = self.data["centre_of_mass"].values
        moved = centre[-1] - centre[0]
        middle = self.data["link_position"].values[:, self.data.sizes["link"] // 2]
        middle_moved = middle[-1] - middle[0]
        contact_force = np.linalg.norm(self.contacts["force"].values, axis=1)
        return {
            "duration": duration,
            "distance": math.hypot(*moved),
            "path_length": float(np.linalg.norm(np.diff(centre, axis=0), axis=1).sum()),
            "mean_speed_x": float(moved[0] / duration) if duration else 0.0,
            "mean_speed_y": float(moved[1] / duration) if duration else 0.0,
            "middle_link_displacement": math.hypot(*middle_moved),
            "middle_link_displacement_x": float(middle_moved[0]),
            "middle_link_displacement_y": float(middle_moved[1]),
            **self._solver_metrics(),
            "energy_closure_error": self._energy_closure_error(),
            "peak_contact_force": float(contact_force.max(initial=0.0)),
            "peak_joint_torque": float(np.abs(self.data["joint_torque"].values).max(initial=0.0)),
            "contacts": float(self.contacts.sizes["contact"]),
            "real_time_factor": duration / self.wall_time_s if self.wall_time_s else 0.0,
        }

    def _solver_metrics(self) -> dict[str, float]:
        """`repeated_steps` were made in parts, `fallback_steps` needed a slower solver, `accepted_steps` were not
        solved to the tolerance; zero in files that do not say."""
        residual, iterations = self.data["step_residual"].values, self.data["step_iterations"].values
        zero = np.zeros_like(iterations)
        parts, fallbacks, status, guard = (
            self.data[name].values if name in self.data else zero
            for name in ("step_parts", "step_fallbacks", "step_status", "step_guard_work")
        )
        return {
            "max_residual": float(residual.max(initial=0.0)),
            "mean_iterations": float(iterations.mean()) if iterations.size else 0.0,
            "repeated_steps": float((parts > 1).sum()),
            "fallback_steps": float((fallbacks > 0).sum()),
            "accepted_steps": float((status == Status.ACCEPTED).sum()),
            "guard_work": float(guard.sum()),
        }

    def _energy_closure_error(self) -> float:
        """Largest gap between kinetic energy and the works that changed it, relative to their size."""
        works = [*LEDGER, "gravity_work"]  # the latter only in space
        ledger = np.stack([self.data[name].values for name in works if name in self.data])
        ledger_change = ledger - ledger[:, :1]
        kinetic, done = ledger_change[0], ledger_change[1:]
        scale = ledger[0].max() + np.abs(done).max(axis=1).sum()
        return float(np.abs(kinetic - done.sum(axis=0)).max() / scale) if scale > 0 else 0.0

    def checkpoint(self) -> Checkpoint:
        """The end of the run, to go on from with `resume`."""
        if self._checkpoint is None:
            at = f" at t = {self.failure['time']:g} s" if self.failure else ""
            raise InvalidInput(f"the run failed{at}: there is no checkpoint to continue from")
        return self._checkpoint

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a NetCDF file that `load` reads; returns its path."""
        root = self.data.assign_attrs(
            seed=self.scenario.seed,
            wall_time_s=self.wall_time_s,
            failure=json.dumps(self.failure),
            **self._solver_metrics(),
        )
        groups = {"": root, "contacts": self.contacts, "events": self.events}
        if self._checkpoint is not None:
            groups["checkpoint"] = self._checkpoint.to_dataset()
        return _netcdf.write(path, "recording", groups, self.scenario)


def load(path: str | os.PathLike[str]) -> Recording:
    """Read a recording that `Recording.save` wrote."""
    groups = _netcdf.read(path, "recording", "contacts", "events", "checkpoint")
    scenario, dump = _netcdf.scenario_of(groups), groups.get("checkpoint")
    attrs, groups[""].attrs = groups[""].attrs, {}  # provenance of the file, not of the data
    return Recording(
        data=_texts(groups[""]),
        contacts=_texts(groups["contacts"]),
        events=_texts(groups["events"]),
        scenario=scenario,
        failure=json.loads(attrs["failure"]),
        wall_time_s=float(attrs["wall_time_s"]),
        _checkpoint=None if dump is None else Checkpoint.from_dataset(dump, scenario),
    )


def _texts(dataset: xr.Dataset) -> xr.Dataset:
    """Text variables as NumPy text again, whatever the file library made of them."""
    texts = {k: v.astype(str) for k, v in dataset.variables.items() if v.dtype.kind in "OT"}
    return dataset.assign(texts) if texts else dataset
