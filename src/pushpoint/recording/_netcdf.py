"""NetCDF-4 files with groups and a checksum: complete or absent, and read with clear errors."""

from __future__ import annotations

import io
import json
import os
import platform
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import xarray as xr

from pushpoint._version import __version__
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.files import replace_file
from pushpoint.recording import _seal
from pushpoint.robots import Robot
from pushpoint.scenario import Scenario
from pushpoint.user_code import CodeFile, hint
from pushpoint.worlds import World

SCHEMA = 6  # raised with every change of what files hold; see VERSIONS
VERSIONS = {
    1: "first",
    2: "a checksum behind the data, and the attribute `checksum`; checkpoints name their plant, robot and world",
    3: "scenarios list sensors, and checkpoints hold what these remember",
    4: "robot and world as they were built, and names and hashes of the Python files that were loaded",
    5: "a group `known`: what a controller that plans knew of obstacles",
    6: "edges in this group, by their ends",
}

SEALED_SINCE = 2  # schema version
# "s" is a unit here, not a request for dates, and nothing is packed or masked.
AS_WRITTEN: Any = {"decode_times": False, "decode_timedelta": False, "mask_and_scale": False}
MOST_SAID = 200  # [characters], of what other libraries say about a file

Groups = dict[str, xr.Dataset]  # "" is the root


def write(
    path: str | os.PathLike[str], kind: str, groups: Groups, scenario: Scenario, code: Sequence[CodeFile] = ()
) -> Path:
    """Make the whole file in memory, then write it: a full disk is met by plain writing, never inside of HDF5."""
    target, image = Path(path), made(kind, groups, scenario, code)
    with image.getbuffer() as data:
        replace_file(target, data, _seal.seal_of(image))
    return target


def made(kind: str, groups: Groups, scenario: Scenario, code: Sequence[CodeFile] = ()) -> io.BytesIO:
    """The bytes of a file but for its checksum, which follows."""
    root = groups[""].assign_attrs(
        pushpoint_kind=kind,
        schema_version=SCHEMA,
        scenario=scenario_json(scenario),
        **_built_json(scenario),
        code=json.dumps([asdict(file) for file in code]),
        versions=versions_json(),
        checksum=_seal.ATTRIBUTE,
    )
    return _image({**groups, "": root})


def _image(groups: Groups) -> io.BytesIO:
    """The bytes of a NetCDF-4 file with these groups."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    image = io.BytesIO()
    with h5netcdf.File(image, "w") as file:
        for name, dataset in groups.items():
            place = file.create_group(name) if name else file
            # Without this, xarray would mark missing values with NaN, and readers would see an attribute nobody set.
            plain = {key: {"_FillValue": None} for key in dataset.variables}
            dataset.dump_to_store(H5NetCDFStore(place), encoding=plain)
    return image


def read(path: str | os.PathLike[str], kind: str, *names: str, verify: bool = True) -> tuple[Groups, bool]:
    """Load the root and those of the groups `names` that are there; `kind` may be "this|that". Also returns whether a
    checksum is wanted and there is none, see `warn_unsealed`.

    Whatever is in the file: this returns arrays that are what they claim to be, or raises InvalidInput.
    """
    source, what = Path(path), _shown(kind)
    _seal.refuse_no_file(source, what)
    sealed = verify and _seal.is_sealed(source, what)
    groups = _read_groups(source, what, names)
    schema = _schema(source, kind, groups[""].attrs)
    unsealed = verify and not sealed
    if unsealed and schema >= SEALED_SINCE:
        _seal.refuse_altered(source, "its checksum is gone")
    return groups, unsealed


def warn_unsealed(path: str | os.PathLike[str]) -> None:
    """To be called by what users call, when everything else is in order."""
    warnings.warn(
        f"{str(path)!r} has no checksum, as it is of an older version: whether it is as it was written is not known; "
        "load and save it to add one",
        stacklevel=3,
    )


def _read_groups(path: Path, what: str, names: tuple[str, ...]) -> Groups:
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    from pushpoint.recording._guard import refuse_hostile

    try:
        refuse_hostile(path)
        with h5netcdf.File(path, "r", decode_vlen_strings=True) as file:
            present = ("", *(name for name in names if name in file.groups))
            stores = {name: H5NetCDFStore(file[name] if name else file) for name in present}
            return {name: xr.open_dataset(store, **AS_WRITTEN).load() for name, store in stores.items()}
    except InvalidInput:
        raise
    except Exception as error:  # the libraries below raise anything on broken files
        words = "".join(c for c in " ".join(str(error).split()) if c.isprintable())
        why = words[:MOST_SAID] or type(error).__name__
        raise InvalidInput(f"{str(path)!r} is not a {what} of pushpoint, or it is damaged: {why}") from None


def _schema(path: Path, kind: str, attrs: dict[str, Any]) -> int:
    """The schema version of a file of the right kind."""
    found = attrs.get("pushpoint_kind")
    if not isinstance(found, str):
        found = None
    if found not in kind.split("|"):
        what = f"a {found}" if found in ("recording", "checkpoint") else "a file of another program"
        raise InvalidInput(f"{str(path)!r} is {what}, not a {_shown(kind)} of pushpoint")
    schema = whole_number(attrs, "schema_version", repr(str(path)))
    if schema > SCHEMA:
        raise InvalidInput(
            f"{str(path)!r} has schema version {schema}; this pushpoint {__version__} reads up to {SCHEMA}: "
            "install a newer pushpoint"
        )
    if schema < 1:
        raise InvalidInput(f"{str(path)!r}: schema_version = {schema}; it is 1 to {SCHEMA}")
    return schema


def whole_number(attrs: Mapping[Any, Any], name: str, where: str) -> int:
    """An attribute that has to be a whole number."""
    value = attrs.get(name)
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise InvalidInput(f"{where}: attribute {name} = {_brief(value)}; a whole number is expected")
    return int(value)


def number(attrs: Mapping[Any, Any], name: str, where: str) -> float:
    """An attribute that has to be a number."""
    value = attrs.get(name)
    if not isinstance(value, float | int | np.floating | np.integer):
        raise InvalidInput(f"{where}: attribute {name} = {_brief(value)}; a number is expected")
    return float(value)


def json_of(attrs: Mapping[Any, Any], name: str, where: str) -> Any:
    """An attribute that has to be JSON."""
    text = attrs.get(name)
    try:
        return json.loads(text)  # type: ignore[arg-type]  # TypeError is among those caught
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(f"{where}: attribute {name} = {_brief(text)}; JSON is expected") from None


def _brief(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}..."


def _shown(kind: str) -> str:
    return " or ".join(kind.split("|"))


def scenario_json(scenario: Scenario) -> str:
    """JSON that keeps infinity (a servo without torque limit), unlike pydantic's own."""
    return json.dumps(scenario.model_dump(), default=_plain)


def _built_json(scenario: Scenario) -> dict[str, str]:
    """Robot and world as they were built, if the scenario has only their names."""
    found: dict[str, str] = {}
    for name, build in (("robot", scenario.built_robot), ("world", scenario.built_world)):
        if not isinstance(getattr(scenario, name), Robot | World):
            with suppress(InvalidInput):  # of an older file, registered by a package that is not installed here
                found[name] = json.dumps(build().model_dump(), default=_plain)
    return found


def scenario_of(groups: Groups, path: str | os.PathLike[str]) -> Scenario:
    """The scenario, with robot and world as they were built at the time; older files hold only their names."""
    attrs, code = groups[""].attrs, code_of(groups[""].attrs, path)
    scenario = _parsed(Scenario, attrs, "scenario", path, code)
    robot = _parsed(Robot, attrs, "robot", path, code) if "robot" in attrs else None
    world = _parsed(World, attrs, "world", path, code) if "world" in attrs else None
    return scenario.keeping(robot, world)


Model = TypeVar("Model", bound=Frozen)


def _parsed(
    model: type[Model], attrs: Mapping[Any, Any], name: str, path: str | os.PathLike[str], code: Sequence[CodeFile]
) -> Model:
    data = json_of(attrs, name, repr(str(path)))
    try:
        return model.parse(data)
    except InvalidInput as error:
        raise InvalidInput(f"{str(path)!r}, attribute {name}: {error}{hint(code)}") from None
    except RecursionError:
        raise InvalidInput(f"{str(path)!r}, attribute {name}: too many levels of lists in lists") from None


def code_of(attrs: Mapping[Any, Any], path: str | os.PathLike[str]) -> tuple[CodeFile, ...]:
    """The files that were loaded; older files do not say."""
    found = json_of(attrs, "code", repr(str(path))) if "code" in attrs else []
    try:
        files = tuple(CodeFile(**entry) for entry in found)
    except TypeError:
        files = None
    if files is None or not all(isinstance(text, str) for file in files for text in (file.name, file.sha256)):
        raise InvalidInput(f"{str(path)!r}: attribute code = {_brief(found)}; expected a list of names and hashes")
    return files


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
