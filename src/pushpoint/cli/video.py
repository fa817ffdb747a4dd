"""`pushpoint video`: a recording as an MP4 or a GIF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pushpoint.cli._console import say
from pushpoint.cli._options import Load, NoVerify, RecordingSource, Style
from pushpoint.cli._sizes import pixels
from pushpoint.cli.plot import drawable, source_of


def video(
    recording: RecordingSource,
    out: Annotated[
        Path | None, typer.Option(help="File that ends in .mp4 or .gif; default video.mp4 beside the recording.")
    ] = None,
    size: Annotated[str, typer.Option(metavar="WxH", help="Pixels; even numbers for MP4.")] = "1280x720",
    fps: Annotated[float, typer.Option(help="Frames a second.")] = 30.0,
    speed: Annotated[float, typer.Option(help="Times real time; 0.5 is slow motion.")] = 1.0,
    follow: Annotated[bool, typer.Option("--follow", help="The camera follows the robot.")] = False,
    view: Annotated[
        str | None, typer.Option(help="2d (from above) or 3d; default: 3d for runs in space, else 2d.")
    ] = None,
    style: Style = "light",
    no_verify: NoVerify = False,
    code: Load = None,
) -> None:
    """Film RECORDING from above or in three dimensions, with contact forces, their scale and the time."""
    from pushpoint.view.movie import video as write_video

    source, wanted = source_of(recording), pixels(size)
    target = out or source.with_name("video.mp4")
    with drawable(source, no_verify) as loaded:
        write_video(
            loaded,
            target,
            size=wanted,
            fps=fps,
            speed=speed,
            follow=follow,
            view=view,
            style=style,
            progress=True,
        )
    say(f"wrote {target}")
