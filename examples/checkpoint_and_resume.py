"""Stop a run, save it, go on later: equal to the bit to a run that never stopped."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import pushpoint as pp

FOLDER = Path("results/examples")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    first = pp.simulate("transeth2008a/track", duration=2.0)
    first.checkpoint().save(FOLDER / "after-2s.nc")

    checkpoint = pp.Checkpoint.load(FOLDER / "after-2s.nc")
    second = pp.resume(checkpoint, duration=4.0)  # seconds after t = 0, not after the checkpoint

    whole = pp.simulate("transeth2008a/track", duration=4.0)
    later = whole.data["link_position"].sel(time=slice(2.0, None))
    print(f"resumed at {checkpoint.time:g} s, rows from {float(second.data['time'][0]):g} s on")
    print(f"equal to the bit: {np.array_equal(second.data['link_position'], later)}")


if __name__ == "__main__":
    main()
