"""`pushpoint bench`: how fast is it here?"""

from __future__ import annotations

from typing import Annotated

import typer


def bench(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Time the plants on this machine."""
    from pushpoint.bench.speed import main

    main(json=as_json)
