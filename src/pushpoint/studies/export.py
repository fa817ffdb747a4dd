"""The runs of a study for other programs: as a table (CSV, Parquet), or as arrays over its sweep (xarray, NetCDF)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.analysis import unit_of
from pushpoint.errors import MissingExtra, UnknownName
from pushpoint.files import made, replacing, write_bytes, writing_text
from pushpoint.studies.results import EVENTS, OWN_COLUMNS, Results, plain_cells

if TYPE_CHECKING:
    import xarray as xr

ENDINGS = {"csv": "csv", "parquet": "parquet", "netcdf": "nc"}
CHUNK = 2_000  # rows of a group of Parquet


def exported(results: Results, to: str, path: Path | None = None, folder: Path | None = None) -> Path:
    """Write the runs of a study; the file is complete or absent.

    Parameters
    ----------
    results
        Of the study.
    to
        "csv", "parquet" or "netcdf".
    path
        Of the file; default: runs.csv and so on in `folder`.
    folder
        Where that is; default: the present one.
    """
    if to not in ENDINGS:
        raise UnknownName("format", to, ENDINGS)
    target = path or (folder or Path()) / f"runs.{ENDINGS[to]}"
    made(target.parent)
    {"csv": _to_csv, "parquet": _to_parquet, "netcdf": _to_netcdf}[to](results, target)
    return target


def _to_csv(results: Results, path: Path) -> None:
    with writing_text(path) as file:
        writer = csv.DictWriter(file, columns_of(results), lineterminator="\n")
        writer.writeheader()
        writer.writerows(plain_cells(record) for record in results.records())


def _to_parquet(results: Results, path: Path) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("export to Parquet", "studies") from None
    schema = _schema(results, pa)
    with replacing(path) as temporary, parquet.ParquetWriter(temporary, schema) as writer:
        for group in _groups(results):
            columns = {
                name: [_cell(record[name], schema.field(name).type, pa) for record in group] for name in schema.names
            }
            writer.write_table(pa.table(columns, schema=schema))


def _groups(results: Results) -> Iterator[list[dict[str, Any]]]:
    records = results.records()
    while group := list(islice(records, CHUNK)):
        yield group


def _schema(results: Results, pa: Any) -> Any:
    """Types by column, with units; the study itself is in the file's own data."""
    own = {"variant": pa.string(), "seed": pa.int64(), "status": pa.string(), "message": pa.string(),
           "wall_time_s": pa.float64(), "accepted": pa.int64(), "recording": pa.string()}  # fmt: skip
    fields = []
    for name in columns_of(results):
        kind = own.get(name) or _kind(results, name, pa)
        unit = units(results).get(name, "")
        fields.append(pa.field(name, kind, metadata={"unit": unit} if unit else None))
    return pa.schema(fields, metadata={"pushpoint_study": results.study.to_yaml()})


def _kind(results: Results, name: str, pa: Any) -> Any:
    if name.startswith(EVENTS):
        return pa.int64()
    if name in results.study.sweep:
        return pa.float64() if _is_numeric(results, name) else pa.string()
    return pa.float64()


def _is_numeric(results: Results, key: str) -> bool:
    axis = results.study.sweep[key]
    return axis.is_sampled or all(isinstance(v, int | float) and not isinstance(v, bool) for v in axis.listed)


def _cell(value: Any, kind: Any, pa: Any) -> Any:
    return json.dumps(value) if kind == pa.string() and not isinstance(value, str) else value


def columns_of(results: Results) -> list[str]:
    """Names of all columns of the table."""
    first = next(results.records(), None)
    return list(first or OWN_COLUMNS)


def units(results: Results) -> dict[str, str]:
    """Of the columns that have one."""
    found = {wanted.column: unit_of(wanted.name) for wanted in results.study.measurements}
    return {"wall_time_s": "s", **{column: unit for column, unit in found.items() if unit}}


# --- arrays ---


def to_xarray(results: Results) -> xr.Dataset:
    """Every measure as an array: variants, swept fields, seeds. Sampled points have one common dimension `point`.

    NaN where there is no number; `status` is 0 for a run that is missing, 1 for one that ended, 2 for one that failed.

    Parameters
    ----------
    results
        Of a study, finished or not.
    """
    import xarray as xr

    study = results.study
    sampled = bool(study.points.drawn)
    sizes = {} if sampled else {key: len(values) for key, values in study.points.crossed.items()}
    if sampled:
        sizes = {"point": len(study.points)}
    dims, shape = ("variant", *sizes, "seed"), (len(study.variants), *sizes.values(), len(study.seeds))
    flat = _arrays(results)
    names = units(results)
    data: dict[str, Any] = {
        name: (dims, values.reshape(shape), {"units": names.get(name, "1")}) for name, values in flat.items()
    }
    data["status"] = (
        dims,
        flat["status"].reshape(shape),
        {"flag_values": [0, 1, 2], "flag_meanings": "missing ok failed"},
    )
    coordinates: dict[str, Any] = {"variant": list(study.variants), "seed": list(study.seeds)}
    for key in study.sweep:
        values = [point[key] for point in study.points] if sampled else list(study.points.crossed[key])
        plain = values if _is_numeric(results, key) else [v if isinstance(v, str) else json.dumps(v) for v in values]
        coordinates[key] = ("point" if sampled else key, plain)
    return xr.Dataset(data, coordinates, {"scenario": study.base_scenario.name, "study": study.to_yaml()})


def _arrays(results: Results) -> dict[str, np.ndarray[Any, Any]]:
    study = results.study
    seeds, variants = (
        {seed: k for k, seed in enumerate(study.seeds)},
        {label: k for k, label in enumerate(study.variants)},
    )
    events = sorted({name for row in results.rows for name in row.events})
    found: dict[str, np.ndarray[Any, Any]] = {
        name: np.full(study.runs, np.nan) for name in (*study.columns, "wall_time_s")
    }
    found |= {
        name: np.zeros(study.runs, np.int64) for name in ("status", "accepted", *(EVENTS + name for name in events))
    }
    for row in results.rows:
        place = (variants[row.variant] * len(study.points) + row.point) * len(seeds) + seeds[row.seed]
        for name, value in row.values.items():
            found[name][place] = value
        for name, count in row.events.items():
            found[EVENTS + name][place] = count
        found["wall_time_s"][place], found["accepted"][place] = row.wall_time_s, row.accepted
        found["status"][place] = 2 if row.failed else 1
    return found


def _to_netcdf(results: Results, path: Path) -> None:
    """In memory first, as HDF5 does not survive a full disk."""
    write_bytes(path, bytes(to_xarray(results).to_netcdf(engine="h5netcdf", invalid_netcdf=False)))
