"""`pushpoint resume`: go on with a run that was interrupted, or make one longer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pushpoint.cli._console import messages
from pushpoint.cli._options import AsJson, CheckpointEvery, Force, Load, Out

if TYPE_CHECKING:
    from pushpoint.recording import Checkpoint, Recording


def resume(
    recording: Annotated[
        Path, typer.Argument(help="A recording.nc, the folder that holds one, or the file of a checkpoint.")
    ],
    duration: Annotated[
        float | None, typer.Option(help="When to stop, in seconds from t = 0; default: the scenario's.")
    ] = None,
    checkpoint_every: CheckpointEvery = None,
    out: Out = None,
    force: Force = False,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Take a recording that somebody changed, as it is.")
    ] = False,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Go on from the end of RECORDING; write the whole run, equal to the bit to one that never stopped."""
    from pushpoint.cli._folders import RECORDING, Folder
    from pushpoint.cli._parts import ends_of_parts, in_parts
    from pushpoint.cli.run import finish, save_part
    from pushpoint.simulation import resume as go_on_from

    source = recording / RECORDING if recording.is_dir() else recording
    begun, checkpoint = _read(source, verify=not no_verify)
    folder = Folder(out, checkpoint.scenario.name, force)
    total, bar = checkpoint.scenario.duration if duration is None else duration, messages().is_terminal

    def from_checkpoint(end: float) -> Recording:
        return go_on_from(checkpoint, end, progress=bar, force=force)

    def go_on(whole: Recording, end: float) -> Recording:
        return go_on_from(whole.checkpoint(), end, progress=bar, force=force)

    ends = ends_of_parts(checkpoint.time, total, checkpoint_every)
    finish(
        lambda: in_parts(begun, from_checkpoint, go_on, ends, lambda part: save_part(part, folder)),
        folder,
        code,
        as_json,
    )


def _read(source: Path, verify: bool) -> tuple[Recording | None, Checkpoint]:
    """The recording, if it is one, and where it ends. Of a checkpoint alone the rows before it are not known."""
    from pushpoint.recording import Checkpoint, load
    from pushpoint.recording.recording import is_recording

    if not is_recording(source, verify):
        return None, Checkpoint.load(source, verify=verify)
    begun = load(source, verify=verify)
    return begun, begun.checkpoint()
