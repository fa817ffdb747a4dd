"""Frames into files: MP4 (H.264) by ffmpeg, GIF by Pillow. Files are complete or absent."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.colors import to_rgb
from PIL import Image

from pushpoint.errors import MissingExtra, PushpointError
from pushpoint.files import made, replacing, write_bytes

Frame = npt.NDArray[np.uint8]  # (height, width, 4): red, green, blue, opacity
Write = Callable[[Frame], None]

QUALITY = 20  # of H.264: 0 is lossless, 51 the worst
COLOURS = 64  # of the one palette that all frames of a GIF share; flat colours need no more


def ffmpeg(path: Path) -> str:
    """The program, of the package imageio-ffmpeg or of the system; `path` is what somebody wants to write."""
    with suppress(ImportError, RuntimeError):  # not installed; installed without the program
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    found = shutil.which("ffmpeg")
    if found is None:
        raise MissingExtra(f"video {path.name!r} (there is no ffmpeg on the PATH, and a .gif needs none)", "video")
    return found


@contextmanager
def mp4(path: Path, size: tuple[int, int], fps: float) -> Iterator[Write]:
    """What takes frames of a size [pixels] and makes a film of them; both sides have to be even."""
    program, place = ffmpeg(path), made(path.parent) / path.name
    with replacing(place) as temporary, tempfile.TemporaryFile() as log:
        command = [program, *_options(size, fps), str(temporary)]
        # A process group of its own: Ctrl-C is for this process, which then ends the other one.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True
        )
        try:
            yield _writer(process)
            _close(process)
            process.wait()
        except BrokenPipeError:
            process.wait()  # it says itself what is wrong
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode:
            log.seek(0)
            said = log.read().decode(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"]
            raise PushpointError(f"video {path.name!r} cannot be made; ffmpeg says: {said[-1]}")


def _options(size: tuple[int, int], fps: float) -> Sequence[str]:
    """Raw frames in, H.264 out, as all players know it: colours of high definition television, half resolution."""
    given = ["-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:.6g}", "-i", "-"]
    colours = ["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_primaries", "bt709"]
    colours += ["-color_trc", "bt709", "-color_range", "tv", "-pix_fmt", "yuv420p"]
    coded = ["-c:v", "libx264", "-preset", "veryfast", "-crf", str(QUALITY), "-movflags", "+faststart", "-f", "mp4"]
    return ["-loglevel", "error", "-nostdin", "-y", *given, "-an", *colours, *coded]


def _writer(process: subprocess.Popen[bytes]) -> Write:
    def write(frame: Frame) -> None:
        assert process.stdin is not None
        process.stdin.write(frame.data.cast("B"))

    return write


def _close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


@contextmanager
def gif(path: Path, fps: float, exact: Sequence[str]) -> Iterator[Write]:
    """The same as a GIF that starts again and again; `exact` are colours that stay as they are, however few pixels."""
    frames: list[Image.Image] = []
    palette: list[Image.Image] = []

    def write(frame: Frame) -> None:
        picture = Image.fromarray(frame[..., :3].copy())
        if not palette:
            palette.append(palette_of(picture, exact))
        frames.append(picture.quantize(palette=palette[0], dither=Image.Dither.NONE))

    yield write
    save_gif(path, frames, [max(20, round(1000 / fps))] * len(frames))


def save_gif(path: Path, frames: Sequence[Image.Image], pauses: Sequence[int]) -> None:
    """Write frames that have a palette; pauses are [ms], and players take those below 20 for 100."""
    image = io.BytesIO()
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:], "loop": 0, "optimize": False}
    frames[0].save(image, "GIF", duration=list(pauses), **options)
    write_bytes(Path(path), image.getbuffer())


def palette_of(frame: Image.Image, wanted: Sequence[str]) -> Image.Image:
    """Colours of a frame, and those that must be exact however few pixels have them: thin robots, arrows."""
    found = frame.quantize(COLOURS - len(wanted), dither=Image.Dither.NONE).getpalette() or []
    exact = [round(255 * part) for colour in wanted for part in to_rgb(colour)]
    palette = Image.new("P", (1, 1))
    palette.putpalette(exact + found[: 3 * COLOURS - len(exact)])
    return palette
