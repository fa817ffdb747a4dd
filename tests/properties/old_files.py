"""Files as earlier versions wrote them, kept here so that they can be read for ever."""

from __future__ import annotations

import json
from pathlib import Path

import xarray as xr

from pushpoint.recording import Recording
from pushpoint.recording._netcdf import scenario_json, versions_json

# What recordings of schema version 1 held, of all plants together.
VERSION_1 = {
    "": (
        "time", "step_time", "link", "joint", "axis", "quaternion", "joint_number", "joint_axis", "movable",
        "link_position", "link_angle", "link_orientation", "link_velocity", "link_rate",
        "contact_force", "ground_force", "centre_of_mass",
        "joint_angle", "joint_rate", "joint_torque", "joint_reference",
        "kinetic_energy", "servo_work", "friction_work", "contact_work", "numerical_work", "gravity_work",
        "step_residual", "step_iterations", "step_status", "friction_bound", "links_in_contact",
        "obstacle_position", "obstacle_velocity", "obstacle_rate", "obstacle_ground_force",
    ),
    "contacts": (
        "axis", "time", "link", "obstacle", "place", "side", "point", "normal", "force", "normal_force",
        "tangential_force", "slip", "impact",
    ),
    "events": ("time", "name", "detail"),
}  # fmt: skip


def write_version_1(recording: Recording, path: Path) -> Path:
    """The recording in schema version 1: no checksum, no variables that came later, a checkpoint of arrays alone."""
    root = recording.data.assign_attrs(
        seed=recording.scenario.seed,
        wall_time_s=recording.wall_time_s,
        failure=json.dumps(recording.failure),
        pushpoint_kind="recording",
        schema_version=1,
        scenario=scenario_json(recording.scenario),
        versions=versions_json(),
    )
    groups = {"": root, "contacts": recording.contacts, "events": recording.events}
    groups = {name: _only(dataset, VERSION_1[name]) for name, dataset in groups.items()}
    if recording._checkpoint is not None:
        dump = recording._checkpoint.to_dataset().drop_vars("plant.layout", errors="ignore")
        del dump.attrs["made_for"]
        groups["checkpoint"] = dump
    for name, dataset in groups.items():
        plain = {key: {"_FillValue": None} for key in dataset.variables}
        mode = "a" if name else "w"
        dataset.to_netcdf(path, mode=mode, group=name or None, engine="h5netcdf", encoding=plain)  # type: ignore[call-overload]  # mode is text
    return path


def _only(dataset: xr.Dataset, names: tuple[str, ...]) -> xr.Dataset:
    return dataset.drop_vars([name for name in dataset.variables if name not in names])
