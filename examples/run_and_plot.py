"""Run a published scenario, plot it, save it and read it again."""

from __future__ import annotations

from pathlib import Path

import pushpoint as pp

FOLDER = Path("results/examples")


def main() -> None:
    recording = pp.simulate("transeth2008a/track", duration=10.0)

    middle = recording.data["link_position"].sel(link=5)  # xarray, dims (time, axis), metres
    end = middle.sel(time=10.0)
    print(f"link 5 after 10 s: x = {float(end.sel(axis='x')):.4f} m, y = {float(end.sel(axis='y')):.4f} m")

    metrics = recording.metrics()
    print(f"largest residual of any step: {metrics['max_residual']:.1e}")
    print(f"{recording.contacts.sizes['contact']} rows in the contact table")

    FOLDER.mkdir(parents=True, exist_ok=True)
    recording.save(FOLDER / "track.nc")
    again = pp.load(FOLDER / "track.nc")
    print(f"read again: {again.scenario.name}, {again.data.sizes['time']} rows")


if __name__ == "__main__":
    main()
