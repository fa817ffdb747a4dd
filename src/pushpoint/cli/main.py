"""The command `pushpoint`: collects its subcommands; turns errors into one line and an exit code."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from pushpoint._version import __version__
from pushpoint.cli._commands import INTERRUPTED, Command, Group, exit_code, sigterm_interrupts
from pushpoint.cli._console import complain, say
from pushpoint.errors import PushpointError, SolverFailure

BAD_INPUT = 2
SOLVER_FAILED = 3
COMMANDS = {  # by name: module and function, or module and group of commands
    "list": ("listing", "list_names"),
    "show": ("show", "show"),
    "run": ("run", "run"),
    "resume": ("resume", "resume"),
    "plot": ("plot", "plot"),
    "video": ("video", "video"),
    "view": ("view", "view"),
    "draw": ("draw", "draw"),
    "plan": ("plan", "plan"),
    "reproduce": ("reproduce", "reproduce"),
    "study": ("study", "app"),
    "search": ("search", "app"),
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pushpoint {__version__}")
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def application(words: Sequence[str]) -> typer.Typer:
    """The commands that a command line needs: the one that it names, or all. Modules of others are not imported."""
    app = typer.Typer(
        name="pushpoint",
        help="Simulate, plan and control snake robots that propel themselves by pushing against obstacles.",
        no_args_is_help=True,
        cls=Group,
        pretty_exceptions_enable=False,  # a bug shows Python's own traceback
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_common)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        home, member = COMMANDS[name]
        command = getattr(importlib.import_module(f"pushpoint.cli.{home}"), member)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, cls=Command)(command)
    return app


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """A warning as one line: users need no line of the code."""
    say(f"warning: {message}")


def command() -> None:
    """The program: `main`. After a signal it ends without taking Python and its libraries apart, which takes longer
    than people wait, and of which compiled libraries have a poor record when they are stopped in the middle."""
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, int) and end.code > INTERRUPTED:
            leave(end.code)
        raise


def leave(code: int) -> None:
    """End now: what is to be done at the end, and what is to be written, is; the rest is left to the system."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # closed, or nobody reads it
            stream.flush()
    os._exit(code)


def main() -> None:
    """Run the command line and leave with its exit code."""
    warnings.showwarning = _show_warning
    try:
        with sigterm_interrupts():
            application(sys.argv[1:])()
    except SolverFailure as error:
        complain(str(error))
        sys.exit(SOLVER_FAILED)
    except PushpointError as error:
        complain(_with_its_place(error))
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt as stop:  # before a command began
        complain("interrupted")
        sys.exit(exit_code(stop))
    except MemoryError:
        complain("there is not enough memory for this")
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # The reader (`head`, `less`) has seen enough. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        text = _with_its_place(error)
        if not text:
            raise  # a bug of ours shows Python's own traceback
        complain(text)
        sys.exit(BAD_INPUT)


def _with_its_place(error: Exception) -> str:
    """What is said of an error, with the line if it came from a loaded file; empty if it is none of these, nor ours."""
    if "pushpoint.user_code" not in sys.modules:
        return str(error) if isinstance(error, PushpointError) else ""
    from pushpoint.user_code import described, place_of

    return described(error) if isinstance(error, PushpointError) or place_of(error) else ""
