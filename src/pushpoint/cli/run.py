"""`pushpoint run`: simulate one scenario, save the recording and a picture of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint._interrupts import noted
from pushpoint.cli import _scenario
from pushpoint.cli._commands import exit_code, held_back
from pushpoint.cli._console import complain, messages, print_json, print_pairs, results, say
from pushpoint.cli._options import AsJson, CheckpointEvery, Force, Load, Out, ScenarioSource, plant_names
from pushpoint.errors import Interrupted, SolverFailure

if TYPE_CHECKING:
    from collections.abc import Callable

    from pushpoint.cli._folders import Folder
    from pushpoint.recording.recording import Recording
    from pushpoint.scenario import Scenario

SHOWN_EVENTS = 6
SHOWN_DETAIL = 200  # [characters], of an event


def run(
    scenario: ScenarioSource,
    plant: Annotated[
        str | None, typer.Option(help="Another plant, with its default options.", autocompletion=plant_names)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change one value, e.g. controller.amplitude=0.6."),
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time in seconds.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of random worlds.")] = None,
    checkpoint_every: CheckpointEvery = None,
    out: Out = None,
    force: Force = False,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Simulate SCENARIO; write recording.nc and figure.png."""
    from pushpoint.cli._folders import Folder
    from pushpoint.cli._parts import ends_of_parts, in_parts
    from pushpoint.scenarios import find_scenario
    from pushpoint.simulation import resume, simulate

    changes = _scenario.overrides(plant, settings or [], duration, seed)
    chosen = find_scenario(scenario).with_overrides(changes)
    folder, bar = Folder(out, chosen.name, force), messages().is_terminal
    ends = ends_of_parts(0.0, chosen.duration, checkpoint_every)
    if len(ends) > 1:  # parts are recorded as often as the whole would be
        chosen = chosen.with_overrides({"record_period": chosen.recorded_every})

    def begin(end: float) -> Recording:
        return simulate(chosen, progress=bar) if len(ends) == 1 else simulate(chosen, duration=end, progress=bar)

    def go_on(whole: Recording, end: float) -> Recording:
        return resume(whole.checkpoint(), end, progress=bar)

    finish(lambda: in_parts(None, begin, go_on, ends, lambda part: save_part(part, folder)), folder, code, as_json)


def finish(simulated: Callable[[], Recording], folder: Folder, code: list[Path] | None, as_json: bool) -> None:
    """Make a run; save and print what came out of it, also of one that failed or was interrupted."""
    import h5netcdf  # noqa: F401  (before the run: who interrupts it does not want to wait)

    try:
        recording = simulated()
    except SolverFailure as failure:
        if failure.recording is not None:
            _finish(failure.recording, folder, as_json, error=str(failure))
        raise
    except Interrupted as stop:
        if stop.recording is None:
            raise
        with held_back():
            _save_interrupted(stop.recording, folder, code, as_json)
        raise typer.Exit(exit_code(stop)) from None
    _finish(recording, folder, as_json)


def _finish(recording: Recording, folder: Folder, as_json: bool, error: str | None = None) -> None:
    files = save(recording, folder.path)
    if as_json:
        print_json(summary(recording.scenario, recording, files, error))
    else:
        _print_metrics(recording)


def _save_interrupted(recording: Recording, folder: Folder, code: list[Path] | None, as_json: bool) -> None:
    """Only what cannot be made again: whoever interrupts a run does not want to wait for pictures."""
    path, time = save_part(recording, folder), float(recording.data["time"].values[-1])
    words = ["pushpoint resume", str(path.parent), *(f"--load {file}" for file in code or [])]
    can_go_on = recording._checkpoint is not None and recording._checkpoint.time < recording.scenario.duration
    if as_json:
        known = {"scenario": recording.scenario.name, "plant": recording.scenario.plant.name, "status": "interrupted"}
        go_on = {"resume": " ".join(words) if can_go_on else None}
        print_json({**known, "recorded_until_s": time, **go_on, "files": {"recording": str(path)}})
    complain(f"interrupted at t = {time:g} s of {recording.scenario.duration:g} s")
    say(f"wrote {path}")
    if can_go_on:
        say(f"go on with: {' '.join(words)}")


def save_part(recording: Recording, folder: Folder) -> Path:
    """The recording of a run that is not over."""
    from pushpoint.cli._folders import RECORDING

    return recording.save(folder.path / RECORDING)


def save(recording: Recording, folder: Path) -> dict[str, str]:
    """Recording and figure; returns their paths. What took long to make is saved first, whatever comes meanwhile."""
    from pushpoint.cli._folders import FIGURE, RECORDING
    from pushpoint.cli.plot import draw
    from pushpoint.files import made

    made(folder)
    with noted() as stop:
        recording.save(folder / RECORDING)
    say(f"wrote {folder / RECORDING}")
    stop.raise_if_asked()
    draw(recording, folder / FIGURE)
    say(f"wrote {folder / FIGURE}")
    return {"recording": str(folder / RECORDING), "figure": str(folder / FIGURE)}


def summary(
    scenario: Scenario, recording: Recording, files: dict[str, str], error: str | None = None
) -> dict[str, Any]:
    """What --json prints."""
    from pushpoint.analysis.quality import deepest
    from pushpoint.analysis.remarks import advice

    residual = recording.data["step_residual"]
    metrics = recording.metrics()
    simulated = float(recording.data["time"][-1] - recording.data["time"][0])
    found: dict[str, Any] = {
        "scenario": scenario.name,
        "plant": scenario.plant.name,
        "status": "ok" if error is None else "failed",
        "stopped": recording.stopped or None,
        "metrics": metrics,
        "wall_time_s": recording.wall_time_s,
        "real_time_factor": simulated / recording.wall_time_s if recording.wall_time_s else None,
        "residuals": {
            "max": float(residual.max()) if residual.size else 0.0,
            "mean": float(residual.mean()) if residual.size else 0.0,
        },
        "penetration": deepest(recording)._asdict(),
        "advice": advice(recording),
        "files": files,
    }
    return found if error is None else found | {"error": error}


def _print_metrics(recording: Recording) -> None:
    from rich.text import Text

    from pushpoint.analysis import unit_of
    from pushpoint.analysis.remarks import remarks

    metrics = recording.metrics()
    print_pairs(recording.scenario.name, {name: f"{value:.6g} {unit_of(name)}" for name, value in metrics.items()})
    ended = [f"stopped: {recording.stopped}"] if recording.stopped else []
    for line in (*_first_events(recording), *remarks(recording), *ended):
        results().print(Text(line))


def _cut(detail: str) -> str:
    """The whole of it is in the recording."""
    return detail if len(detail) <= SHOWN_DETAIL else detail[: SHOWN_DETAIL - 4] + " ..."


def _first_events(recording: Recording) -> list[str]:
    """The first events of a run, and how many more there are."""
    events = recording.events
    rows = zip(events["time"].values, events["name"].values, events["detail"].values, strict=True)
    lines = [f"{time:.3f} s  {name}" + (f": {_cut(str(detail))}" if detail else "") for time, name, detail in rows]
    more = len(lines) - SHOWN_EVENTS
    return lines if more <= 0 else [*lines[:SHOWN_EVENTS], f"... and {more} more events, in the recording"]
