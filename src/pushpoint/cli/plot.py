"""`pushpoint plot`: a picture or an animation of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pushpoint.cli._console import say
from pushpoint.cli._options import Load
from pushpoint.errors import InvalidInput, PushpointError

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

FARTHEST = 1e9  # [m], from the origin
PICTURES = (".png", ".pdf", ".svg")


def plot(
    recording: Annotated[Path, typer.Argument(help="A recording.nc, or the folder that holds one.")],
    out: Annotated[Path | None, typer.Option(help="File to write; default beside the recording.")] = None,
    gif: Annotated[bool, typer.Option("--gif", help="An animation instead of a figure.")] = False,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Take a recording that somebody changed, as it is.")
    ] = False,
    code: Load = None,
) -> None:
    """Draw RECORDING: world, path, contact forces, energy; or animate it."""
    from pushpoint.recording import load

    source = recording / "recording.nc" if recording.is_dir() else recording
    target = out or source.with_name("animation.gif" if gif else "figure.png")
    allowed = (".gif",) if gif else PICTURES
    if target.suffix.lower() not in allowed:
        raise InvalidInput(f"--out {str(target)!r}: the name must end in {' or '.join(allowed)}")
    loaded = load(source, verify=not no_verify)
    refuse_wild(loaded, source)
    try:
        if gif:
            from pushpoint.view.animation import animation

            animation(loaded, target)
        else:
            draw(loaded, target)
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        if isinstance(error, PushpointError) or not no_verify:
            raise
        raise InvalidInput(f"{str(source)!r} cannot be drawn as it is: {error}") from error
    say(f"wrote {target}")


def refuse_wild(recording: Recording, source: Path) -> None:
    """Files without a checksum may hold anything; no picture has room for it."""
    import numpy as np

    positions = recording.data["link_position"].values
    wild = ~(np.abs(positions) <= FARTHEST)
    if wild.any():
        raise InvalidInput(f"{str(source)!r}: link_position holds {positions[wild][0]}: that cannot be drawn")


def draw(recording: Recording, path: Path) -> None:
    """The figure of a run, with the published curves if the scenario has some."""
    from pushpoint.reproduction.published import curves_of
    from pushpoint.view.figures import run_figure, save_figure

    save_figure(run_figure(recording, curves_of(recording.scenario.name)), path)
