"""`pushpoint view`: recordings or a live run in a browser, or as one offline page."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli._console import say
from pushpoint.cli._options import Load, scenario_names
from pushpoint.errors import InvalidInput

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.scenario import Scenario

SCENARIO_FILES = (".yaml", ".yml", ".json")


def view(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORDING [RECORDING] | SCENARIO",
            help="A recording.nc or the folder that holds one; two to compare; or a scenario to run live.",
            autocompletion=scenario_names,
        ),
    ],
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the scenario; repeatable.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no server, and end.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen to; the default is this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="If it is busy, the next one is taken.")] = 8080,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Take a recording that somebody changed, as it is.")
    ] = False,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    code: Load = None,
) -> None:
    """Show RECORDING, or two, or a live run of SCENARIO in a browser."""
    runs = _recordings(sources, not no_verify)
    scenario = None if runs else _scenario(sources, setting or [])
    if runs and setting:
        raise InvalidInput("--set is for scenarios: a recording is what it is")
    if page is not None:
        _write(page, runs or [_simulated(scenario)])
        return
    _serve(runs, scenario, host, port, not no_open)


def _recordings(sources: list[str], verify: bool) -> list[Recording]:
    """The recordings, if these are some: what exists as a file or folder, but for files of scenarios."""
    from pushpoint.cli.plot import refuse_wild
    from pushpoint.recording import load

    paths = [Path(source) for source in sources]
    files = [path for path in paths if path.suffix.lower() not in SCENARIO_FILES and (path.exists() or path.suffix)]
    if not files:
        return []
    if len(files) < len(paths):
        other = next(str(path) for path in paths if path not in files)
        raise InvalidInput(f"{other!r} is no recording: give one recording, two, or one scenario")
    if len(paths) > 2:
        raise InvalidInput(f"{len(paths)} recordings: one or two can be shown together")
    runs = []
    for path in (path / "recording.nc" if path.is_dir() else path for path in paths):
        runs.append(load(path, verify=verify))
        refuse_wild(runs[-1], path)
    return runs


def _scenario(sources: list[str], settings: list[str]) -> Scenario:
    from pushpoint.cli._scenario import overrides
    from pushpoint.scenarios import find_scenario

    if len(sources) > 1:
        raise InvalidInput("one scenario can be run live; two recordings can be compared")
    return find_scenario(sources[0]).with_overrides(overrides(None, settings, None, None))


def _simulated(scenario: Scenario | None) -> Recording:
    from pushpoint.simulation import simulate

    assert scenario is not None
    return simulate(scenario, progress=True)


def _write(path: Path, runs: list[Recording]) -> None:
    from pushpoint.files import write_bytes
    from pushpoint.viewer.page import html_page

    if path.suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"--html {str(path)!r}: the name must end in .html")
    text = html_page(runs).encode()
    write_bytes(path, text)
    say(f"wrote {path} ({len(text) / 1e6:.1f} MB)")


def _serve(runs: list[Recording], scenario: Scenario | None, host: str, port: int, open_it: bool) -> None:
    from pushpoint.viewer.server import address_of, needs_viser, start, stop

    needs_viser()
    server = start(host, port)
    try:
        viewer = _viewer(server, runs, scenario)
        if server.get_port() != port:
            say(f"port {port} is busy: {server.get_port()} is used")
        address = address_of(server, host)
        typer.echo(address)
        say(f"showing on {address}; Ctrl-C ends")
        if open_it:
            _open(address)
        viewer.start()
        threading.Event().wait()
    except KeyboardInterrupt:
        say("ended")
    finally:
        stop(server)


def _viewer(server: Any, runs: list[Recording], scenario: Scenario | None) -> Any:
    from pushpoint.viewer.panel import LiveViewer, Viewer

    if runs:
        return Viewer(server, runs)
    from pushpoint.viewer.live import LiveRun

    assert scenario is not None
    return LiveViewer(server, LiveRun(scenario))


def _open(address: str) -> None:
    import webbrowser

    webbrowser.open(address)
