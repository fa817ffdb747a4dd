"""`pushpoint run`: simulate one scenario, save the recording and a picture of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import _scenario
from pushpoint.cli._console import messages, print_json, print_pairs, results, say
from pushpoint.cli._options import AsJson, Load, ScenarioSource
from pushpoint.errors import SolverFailure

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.scenario import Scenario

SHOWN_EVENTS = 6


def run(
    scenario: ScenarioSource,
    plant: Annotated[str | None, typer.Option(help="Another plant, with its default options.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change one value, e.g. controller.amplitude=0.6."),
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Simulated time in seconds.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of random worlds.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder; default results/<scenario>.")] = None,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Simulate SCENARIO; write recording.nc and figure.png."""
    from pushpoint.api import find_scenario, simulate

    changes = _scenario.overrides(plant, settings or [], duration, seed)
    chosen = find_scenario(scenario).with_overrides(changes)
    folder = out or Path("results") / _scenario.slug(chosen.name)
    try:
        recording = simulate(chosen, progress=messages().is_terminal)
    except SolverFailure as failure:
        if failure.recording is not None:
            _finish(failure.recording, folder, as_json, error=str(failure))
        raise
    _finish(recording, folder, as_json)


def _finish(recording: Recording, folder: Path, as_json: bool, error: str | None = None) -> None:
    files = save(recording, folder)
    if as_json:
        print_json(summary(recording.scenario, recording, files, error))
    else:
        _print_metrics(recording)
    for path in files.values():
        say(f"wrote {path}")


def save(recording: Recording, folder: Path) -> dict[str, str]:
    """Recording and figure; returns their paths."""
    from pushpoint.cli.plot import draw
    from pushpoint.files import made

    made(folder)
    recording.save(folder / "recording.nc")
    draw(recording, folder / "figure.png")
    return {"recording": str(folder / "recording.nc"), "figure": str(folder / "figure.png")}


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

    from pushpoint.analysis.remarks import remarks

    print_pairs(recording.scenario.name, {name: f"{value:.6g}" for name, value in recording.metrics().items()})
    for line in (*_first_events(recording), *remarks(recording)):
        results().print(Text(line))


def _first_events(recording: Recording) -> list[str]:
    """The first events of a run, and how many more there are."""
    events = recording.events
    rows = zip(events["time"].values, events["name"].values, events["detail"].values, strict=True)
    lines = [f"{time:.3f} s  {name}" + (f": {detail}" if detail else "") for time, name, detail in rows]
    more = len(lines) - SHOWN_EVENTS
    return lines if more <= 0 else [*lines[:SHOWN_EVENTS], f"... and {more} more events, in the recording"]
