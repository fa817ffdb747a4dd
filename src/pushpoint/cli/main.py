"""The command `pushpoint`: collects its subcommands; turns errors into one line and an exit code."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, Any

import typer

from pushpoint._version import __version__
from pushpoint.cli import draw, listing, plot, reproduce, run, study
from pushpoint.cli._console import complain, say
from pushpoint.errors import PushpointError, SolverFailure

BAD_INPUT = 2
SOLVER_FAILED = 3

app = typer.Typer(
    name="pushpoint",
    help="Simulate, plan and control snake robots that push themselves along by the obstacles around them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a bug shows Python's own traceback
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pushpoint {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


app.command("list")(listing.list_names)
app.command("run")(run.run)
app.command("plot")(plot.plot)
app.command("draw")(draw.draw)
app.command("reproduce")(reproduce.reproduce)
app.add_typer(study.app, name="study")


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """A warning as one line: users need not know where in the code it arose."""
    say(f"warning: {message}")


def main() -> None:
    """Run the command line and leave with its exit code."""
    warnings.showwarning = _show_warning
    try:
        app()
    except SolverFailure as error:
        complain(str(error))
        sys.exit(SOLVER_FAILED)
    except PushpointError as error:
        complain(str(error))
        sys.exit(BAD_INPUT)
    except MemoryError:
        complain("there is not enough memory for this")
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # The reader (`head`, `less`) has seen enough. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
