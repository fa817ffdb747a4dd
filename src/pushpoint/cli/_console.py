"""Where text goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pushpoint.files import finite

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 140  # [characters]


def messages() -> Console:
    """For progress and remarks."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def results() -> Console:
    """For what was asked for; in files and pipes lines may be long."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)


def complain(text: str) -> None:
    """One red line on standard error."""
    from rich.text import Text

    messages().print(Text(f"error: {' '.join(text.split())}", style="bold red"), soft_wrap=True)


def say(text: str) -> None:
    """One plain line on standard error."""
    from rich.text import Text

    messages().print(Text(text), soft_wrap=True)


def print_pairs(title: str, rows: Mapping[str, str]) -> None:
    """A table of two columns."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=None, show_header=False)
    for name, value in rows.items():
        table.add_row(Text(name), Text(value))
    results().print(table)


def print_json(data: dict[str, Any]) -> None:
    """Exactly one JSON object on standard output. Values that JSON has no word for become null."""
    sys.stdout.write(json.dumps(finite(data), indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()
