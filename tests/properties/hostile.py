"""Files that claim to be recordings and are not: `write_all(folder, good)` writes one of each kind, and
`python hostile.py FOLDER` gives each of them to the command line and prints how that ended and what it took."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

HUGE = 10**12
Spoil = Callable[[h5py.File], None]


def huge_array(file: h5py.File) -> None:
    del file["kinetic_energy"]
    file.create_dataset("kinetic_energy", (HUGE,), "f8", chunks=(1024,))


def huge_contiguous_array(file: h5py.File) -> None:
    del file["kinetic_energy"]
    file.create_dataset("kinetic_energy", (HUGE,), "f8")


def packed_zeros(file: h5py.File) -> None:
    """Compressed to a thousandth: 400 MB in a few hundred kilobytes."""
    del file["kinetic_energy"]
    array = file.create_dataset("kinetic_energy", (50_000_000,), "f8", chunks=(1_000_000,), compression="gzip")
    for first in range(0, 50_000_000, 1_000_000):
        array[first : first + 1_000_000] = 0.0


def no_contacts(file: h5py.File) -> None:
    del file["contacts"]


def no_scenario(file: h5py.File) -> None:
    del file.attrs["scenario"]


def scenario_of_numbers(file: h5py.File) -> None:
    file.attrs["scenario"] = np.arange(4.0)


def deep_scenario(file: h5py.File) -> None:
    file.attrs["scenario"] = "[" * 100_000 + "]" * 100_000


def schema_of_text(file: h5py.File) -> None:
    file.attrs["schema_version"] = "two"


def texts_for_numbers(file: h5py.File) -> None:
    del file["link_angle"]
    file["link_angle"] = np.array(["a", "b"], dtype="S1")


def references(file: h5py.File) -> None:
    del file["link_angle"]
    file.create_dataset("link_angle", data=[file["time"].ref] * 3, dtype=h5py.ref_dtype)


def ragged(file: h5py.File) -> None:
    del file["link_angle"]
    file.create_dataset("link_angle", (4,), dtype=h5py.vlen_dtype(np.float64))


def compound(file: h5py.File) -> None:
    file["pairs"] = np.zeros(3, dtype=[("a", "f8"), ("b", "i4")])


def external_link(file: h5py.File) -> None:
    del file["events"]
    file["events"] = h5py.ExternalLink("/etc/passwd", "/events")


def soft_link_to_itself(file: h5py.File) -> None:
    file["round"] = h5py.SoftLink("/round")


def external_numbers(file: h5py.File) -> None:
    del file["link_angle"]
    file.create_dataset("link_angle", (2,), "f8", external=[("/etc/passwd", 0, 16)])


def group_in_itself(file: h5py.File) -> None:
    file["contacts/again"] = file["contacts"]


def many_groups(file: h5py.File) -> None:
    for k in range(5000):
        file.create_group(f"g{k}")


def many_texts(file: h5py.File) -> None:
    """A great many entries."""
    del file["events/name"]
    file["events"].create_dataset("name", (HUGE,), h5py.string_dtype(), chunks=(1024,))


def attribute_of_many(file: h5py.File) -> None:
    file.attrs.create("failure", ["x" * 1000] * 3000, dtype=h5py.string_dtype())


def other_links(file: h5py.File) -> None:
    """A scenario that does not fit its numbers."""
    scenario = json.loads(file.attrs["scenario"])
    scenario["robot"] = {"name": "uniform", "options": {"links": 3}}
    file.attrs["scenario"] = json.dumps(scenario)


def link_out_of_range(file: h5py.File) -> None:
    file["contacts/link"][...] = 10**6


def no_rows(file: h5py.File) -> None:
    """Nothing of it is left but its attributes."""
    for name in list(file):
        del file[name]


SPOILT: tuple[Spoil, ...] = (
    huge_array, huge_contiguous_array, packed_zeros, no_contacts, no_scenario, scenario_of_numbers, deep_scenario,
    schema_of_text, texts_for_numbers, references, ragged, compound, external_link, soft_link_to_itself,
    external_numbers, group_in_itself, many_groups, many_texts, attribute_of_many, other_links, link_out_of_range,
    no_rows,
)  # fmt: skip
ORDINARY = {
    "empty": b"",
    "text": b"time,x,y\n1,2,3\n",
    "signature alone": b"\x89HDF\r\n\x1a\n",
    "signature and zeros": b"\x89HDF\r\n\x1a\n" + bytes(4096),
    "classic": b"CDF\x01" + bytes(200),
}


def write_all(folder: Path, good: bytes) -> None:
    """`good`: a recording without a checksum, as older versions wrote it, so that its contents are checked."""
    for spoil in SPOILT:
        path = folder / f"{spoil.__name__}.nc"
        path.write_bytes(good)
        with h5py.File(path, "r+") as file:
            spoil(file)
    for name, data in ORDINARY.items():
        (folder / f"{name}.nc").write_bytes(data)
    (folder / "folder.nc").mkdir()
    os.mkfifo(folder / "pipe.nc")


def attempt(path: str) -> tuple[int, str]:
    """Exit code of `pushpoint plot`, and what it said."""
    from pushpoint.cli.main import main

    sys.argv, said, code = ["pushpoint", "plot", path], io.StringIO(), 0
    with contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, said.getvalue()


def most_memory() -> float:
    """Of this process [MB], so far. What `getrusage` says includes the process that started it, large as it may be."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return float(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        if path.suffix == ".nc":
            began = time.process_time()
            try:
                code, said = attempt(str(path))
            except Exception as error:
                code, said = -1, repr(error)
            print(json.dumps([path.name, code, said, time.process_time() - began, most_memory()]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
