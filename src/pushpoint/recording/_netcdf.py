"""NetCDF-4 files with groups: atomic writing, and reading with clear errors."""

from __future__ import annotations

import json
import os
import platform
import uuid
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import xarray as xr

from pushpoint._version import __version__
from pushpoint.errors import InvalidInput
from pushpoint.scenario import Scenario

SCHEMA = 1

Groups = dict[str, xr.Dataset]  # "" is the root


def write(path: str | os.PathLike[str], kind: str, groups: Groups, scenario: Scenario) -> Path:
    """Write all groups to a temporary neighbour and move it into place: nobody ever sees half a file."""
    target = Path(path)
    root = groups[""].assign_attrs(
        pushpoint_kind=kind, schema_version=SCHEMA, scenario=scenario_json(scenario), versions=versions_json()
    )
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
    try:
        for name, dataset in {**groups, "": root}.items():
            _write_group(temporary, name, dataset)
        os.replace(temporary, target)
    except OSError as error:
        raise InvalidInput(f"{str(target)!r} cannot be written: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return target


def _write_group(path: Path, name: str, dataset: xr.Dataset) -> None:
    # Without this, xarray would mark missing values with NaN, and readers would see an attribute nobody set.
    plain = {key: {"_FillValue": None} for key in dataset.variables}
    mode: Literal["a", "w"] = "a" if path.exists() else "w"
    dataset.to_netcdf(path, mode=mode, group=name or None, engine="h5netcdf", encoding=plain)


def read(path: str | os.PathLike[str], kind: str, *names: str) -> Groups:
    """Load the root and those of the groups `names` that are there; `kind` may be "this|that"."""
    source = Path(path)
    if not source.is_file():
        raise InvalidInput(f"there is no file {str(source)!r}; expected a {_shown(kind)} written by pushpoint")
    groups = {"": _read_group(source, "", kind)}
    _check(source, kind, groups[""].attrs)
    present = _group_names(source)
    return groups | {name: _read_group(source, name, kind) for name in names if name in present}


def _read_group(path: Path, name: str, kind: str) -> xr.Dataset:
    try:
        # As written: "s" is a unit here, not a request for dates, and nothing is packed or masked.
        return xr.load_dataset(
            path,
            group=name or None,
            engine="h5netcdf",
            decode_times=False,
            decode_timedelta=False,
            mask_and_scale=False,
        )
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInput(f"{str(path)!r} is not a {_shown(kind)} of pushpoint: {error}") from None


def _group_names(path: Path) -> frozenset[str]:
    import h5netcdf

    with h5netcdf.File(path, "r") as file:
        return frozenset(file.groups)


def _check(path: Path, kind: str, attrs: dict[str, Any]) -> None:
    found = attrs.get("pushpoint_kind")
    if found not in kind.split("|"):
        what = f"a {found}" if found else "a file of another program"
        raise InvalidInput(f"{str(path)!r} is {what}, not a {_shown(kind)} of pushpoint")
    schema = int(attrs.get("schema_version", 0))
    if schema > SCHEMA:
        raise InvalidInput(
            f"{str(path)!r} has schema version {schema}; this pushpoint {__version__} reads up to {SCHEMA}: "
            "install a newer pushpoint"
        )


def _shown(kind: str) -> str:
    return " or ".join(kind.split("|"))


def scenario_json(scenario: Scenario) -> str:
    """JSON that keeps infinity (a servo without torque limit), unlike pydantic's own."""
    return json.dumps(scenario.model_dump(), default=_plain)


def scenario_of(groups: Groups) -> Scenario:
    return Scenario.parse(json.loads(groups[""].attrs["scenario"]))


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def versions_json() -> str:
    """What computed this: for people who wonder years later why numbers differ in the last digit."""
    versions = {"pushpoint": __version__, "python": platform.python_version()}
    for package in ("numpy", "numba", "xarray"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "absent"
    return json.dumps(versions)
