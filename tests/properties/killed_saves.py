"""Save again and again in processes that are killed at random instants: `python killed_saves.py FOLDER SEED COUNT`.

Prints a line for each kill: what was in the place of the file then, and how many temporary files were left.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pushpoint as pp
from pushpoint.files import replace_file
from pushpoint.recording import Recording
from pushpoint.recording._seal import is_sealed


def save_for_ever(recording: Recording, path: Path, images: tuple[bytes, bytes]) -> None:
    """Half of the time is spent in making files, half in writing them: kills come in both."""
    while True:
        recording.save(path)
        for _ in range(20):
            for image in images:
                replace_file(path, image)


def killed(recording: Recording, path: Path, images: tuple[bytes, bytes], after: float) -> None:
    """A process that is killed `after` so many seconds of saving."""
    pid = os.fork()
    if pid == 0:
        save_for_ever(recording, path, images)
    time.sleep(after)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def found_at(path: Path) -> str:
    if not path.exists():
        return "absent"
    return "whole" if is_sealed(path, "recording") else "without a checksum"


def main(folder: Path, seed: int, count: int) -> None:
    draw, path = random.Random(seed), folder / "run.nc"
    recording = pp.simulate("transeth2008a/track", duration=0.1)
    images = [recording.save(folder / f"{k}.nc").read_bytes() for k in (1, 2)]
    for _ in range(count):
        killed(recording, path, (images[0], images[1]), draw.uniform(0.0, 0.2))
        left = len(list(folder.glob(".pushpoint-*.tmp")))
        print(found_at(path), left)
    pp.load(recording.save(path))
    print("at last", len(list(folder.iterdir())))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
