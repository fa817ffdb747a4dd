"""Videos of recordings: MP4 or GIF, from above or in three dimensions, with a camera at rest or one that follows."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pushpoint._interrupts import noted
from pushpoint.analysis._series import times
from pushpoint.errors import InvalidInput, UnknownName
from pushpoint.view import style as styles
from pushpoint.view.encoding import Write, gif, mp4
from pushpoint.view.space import is_spatial
from pushpoint.view.stage import Shown, Stage, flat_stage

if TYPE_CHECKING:
    from pushpoint._progress import FramesBar
    from pushpoint.recording.recording import Recording

ENDINGS = (".mp4", ".gif")
VIEWS = ("2d", "3d")
SMALLEST, LARGEST = 64, 7680  # [pixels]
SLOWEST, FASTEST = 1e-3, 1e3  # times real time
MOST_FPS, MOST_GIF_FPS = 240.0, 50.0  # frames a second; players of GIF know no more
MOST_FRAMES = 200_000
EXACT = ("paper", "ground", "peg", "movable", "body", "head", "force", "path", "body_down", "head_down", "fault")


def video(
    recording: Recording,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = (1280, 720),
    fps: float = 30.0,
    speed: float = 1.0,
    follow: bool = False,
    view: str | None = None,
    style: str = "light",
    progress: bool = False,
) -> None:
    """Write a video of a run, with time, contact forces and their scale.

    MP4 needs ffmpeg: `pip install 'pushpoint[video]'`, or one on the PATH. A frame shows the recorded row that is
    nearest in time. The file is complete or absent, also after Ctrl-C.

    Parameters
    ----------
    recording
        What is shown.
    path
        Of the file; it ends in .mp4 or .gif.
    size
        Width and height [pixels]; even numbers for MP4.
    fps
        Frames a second of the video.
    speed
        Times real time: 0.5 is slow motion.
    follow
        Whether the camera follows the robot; else it shows all places where the robot was.
    view
        "2d": from above; "3d": aslant. None: "3d" for runs in space, "2d" for others.
    style
        "light", "dark" or "print".
    progress
        Whether to show a bar on standard error, if that is a terminal.

    Raises
    ------
    InvalidInput
        If an option cannot be used; the message says what is allowed.
    MissingExtra
        If there is no ffmpeg.
    """
    target = Path(path)
    _check(target, size, fps, speed)
    chosen = view if view is not None else "3d" if is_spatial(recording) else "2d"
    if chosen not in VIEWS:
        raise UnknownName("view", chosen, VIEWS)
    rows = frame_rows(recording, fps, speed)
    with styles.styled(style):
        bar, writer = _bar(target, len(rows), progress), _writer(target, size, fps)  # no ffmpeg: say so at once
        with noted() as stop, writer as write, bar as shown:  # Matplotlib takes an interrupt for an error of its own
            stage = _stage(Shown(recording, size, speed, follow), chosen)
            for count, row in enumerate(rows, start=1):
                stop.raise_if_asked()
                write(stage.frame(row))
                if shown is not None:
                    shown.update(count)


def _check(target: Path, size: tuple[int, int], fps: float, speed: float) -> None:
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise InvalidInput(f"video {target.name!r}: the name must end in {' or '.join(ENDINGS)}")
    if len(size) != 2 or not all(SMALLEST <= side <= LARGEST and side == int(side) for side in size):
        raise InvalidInput(f"size = {size!r}: should be two whole numbers from {SMALLEST} to {LARGEST} pixels")
    if ending == ".mp4" and any(side % 2 for side in size):
        even = "x".join(str(side + side % 2) for side in size)
        raise InvalidInput(f"size = {size[0]}x{size[1]}: both have to be even for MP4; the nearest is {even}")
    most = MOST_GIF_FPS if ending == ".gif" else MOST_FPS
    if not 1.0 <= fps <= most:
        raise InvalidInput(f"fps = {fps!r}: should be from 1 to {most:g} for {ending} files")
    if not SLOWEST <= speed <= FASTEST:
        raise InvalidInput(f"speed = {speed!r}: should be from {SLOWEST:g} to {FASTEST:g} times real time")


def frame_rows(run: Recording, fps: float, speed: float) -> list[int]:
    """The row that each frame shows: frame k that nearest to k speed / fps [s] after the start."""
    time = times(run)
    if len(time) < 2:
        raise InvalidInput("the recording has one row only: nothing moves")
    count = max(2, round(float(time[-1] - time[0]) * fps / speed))
    if count > MOST_FRAMES:
        raise InvalidInput(f"the video would have {count} frames, should be {MOST_FRAMES} at most; raise speed")
    wanted = np.minimum(time[0] + np.arange(count) * speed / fps, time[-1])
    after = np.clip(np.searchsorted(time, wanted), 1, len(time) - 1)
    nearer = wanted - time[after - 1] < time[after] - wanted
    return [int(row) for row in after - nearer]


def _writer(target: Path, size: tuple[int, int], fps: float) -> AbstractContextManager[Write]:
    if target.suffix.lower() == ".mp4":
        return mp4(target, size, fps)
    return gif(target, fps, [getattr(styles, name.upper()) for name in EXACT])


def _bar(target: Path, frames: int, progress: bool) -> AbstractContextManager[FramesBar | None]:
    if not progress or not sys.stderr.isatty():
        return nullcontext()
    from pushpoint._progress import FramesBar

    return FramesBar(target.name, frames)


def _stage(shown: Shown, view: str) -> Stage:
    if view == "2d":
        return flat_stage(shown)
    from pushpoint.view.space_stage import space_stage

    return space_stage(shown)
