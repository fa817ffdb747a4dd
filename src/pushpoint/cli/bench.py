"""`pushpoint bench`: how fast is it here?"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer


class Part(Enum):
    ALL = "all"
    PLANAR = "planar"
    SPATIAL = "spatial"


def bench(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    part: Annotated[Part, typer.Option(help="Only the planar or the spatial plants.")] = Part.ALL,
) -> None:
    """Time the plants on this machine."""
    from pushpoint.bench.speed import main

    main(json=as_json, part=part.value)
