"""`pushpoint plot`: a figure of a recording, or an animation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pushpoint.cli._console import say
from pushpoint.cli._options import Load, NoVerify, RecordingSource, Style
from pushpoint.cli._sizes import parsed_size
from pushpoint.errors import InvalidInput, PushpointError

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

FARTHEST = 1e9  # [m], from the origin
PICTURES = (".png", ".pdf", ".svg")


def plot(
    recording: RecordingSource,
    out: Annotated[Path | None, typer.Option(help="File to write; default beside the recording.")] = None,
    panels: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Panels, e.g. scene,energy; default: those of a run.")
    ] = None,
    size: Annotated[str | None, typer.Option(metavar="WxH", help="Inches, e.g. 12x6.")] = None,
    style: Style = "light",
    gif: Annotated[bool, typer.Option("--gif", help="An animation instead of a figure; see video too.")] = False,
    no_verify: NoVerify = False,
    code: Load = None,
) -> None:
    """Draw RECORDING: world, path, contact forces, energy, or the panels that are named; or animate it."""
    if gif and (panels is not None or size is not None):
        raise InvalidInput("--panels and --size are for figures; pushpoint video --out x.gif takes a size")
    source = source_of(recording)
    target = out or source.with_name("animation.gif" if gif else "figure.png")
    allowed = (".gif",) if gif else PICTURES
    if target.suffix.lower() not in allowed:
        raise InvalidInput(f"--out {str(target)!r}: the name must end in {' or '.join(allowed)}")
    names = [name.strip() for name in panels.split(",") if name.strip()] if panels is not None else None
    inches = None if size is None else parsed_size(size, "inches", "12x6")
    with drawable(source, no_verify) as loaded:
        if gif:
            from pushpoint.view.animation import animation

            animation(loaded, target, style)
        else:
            draw(loaded, target, names, inches, style)
    say(f"wrote {target}")


def source_of(recording: Path) -> Path:
    """The file of a recording, in its folder or by itself."""
    return recording / "recording.nc" if recording.is_dir() else recording


@contextmanager
def drawable(source: Path, no_verify: bool) -> Iterator[Recording]:
    """A loaded recording; what cannot be drawn of one that was changed is an error that says so."""
    from pushpoint.recording import load

    loaded = load(source, verify=not no_verify)
    refuse_wild(loaded, source)
    try:
        yield loaded
    except (ArithmeticError, LookupError, MemoryError, TypeError, ValueError) as error:
        if isinstance(error, PushpointError) or not no_verify:
            raise
        raise InvalidInput(f"{str(source)!r} cannot be drawn as it is: {error}") from error


def refuse_wild(recording: Recording, source: Path) -> None:
    """Files without a checksum may hold anything; no picture has room for it."""
    import numpy as np

    positions = recording.data["link_position"].values
    wild = ~(np.abs(positions) <= FARTHEST)
    if wild.any():
        raise InvalidInput(f"{str(source)!r}: link_position holds {positions[wild][0]}: that cannot be drawn")


def draw(
    recording: Recording,
    path: Path,
    panels: Sequence[str] | None = None,
    size: tuple[float, float] | None = None,
    style: str = "light",
) -> None:
    """The figure of a run, with the published curves if the scenario has some."""
    from pushpoint.reproduction.published import curves_of
    from pushpoint.view.figures import figure, save_figure

    curves = curves_of(recording.scenario.name)
    save_figure(figure(recording, panels, size=size, style=style, published=curves), path)
