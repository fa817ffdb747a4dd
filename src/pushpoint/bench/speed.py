"""`pushpoint bench`: measure everything in one run, show it, keep it, and say whether it is good enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Literal

from pushpoint.bench.crowd import crowd
from pushpoint.bench.duel import CONVERGED, Effort, duel, has_peer
from pushpoint.bench.hybrid import hybrid
from pushpoint.bench.links import growth
from pushpoint.bench.page import as_page
from pushpoint.bench.result import FOLDER, Benchmark, as_data, as_text
from pushpoint.bench.space_result import measure_space
from pushpoint.bench.startup import startup
from pushpoint.errors import InvalidInput
from pushpoint.files import write_text
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios

SCENARIOS = ("transeth2008a/track", "transeth2008a/flat")
DURATION = 10.0  # [s]
MISSED = 1  # exit code


Part = Literal["all", "planar", "spatial"]


def main(json: bool, part: Part = "all") -> None:
    """Run the benchmark; tables, or with `json` one JSON object, on standard output, progress on standard error.

    The numbers are also kept in results/bench/bench.json, those of one part in bench-planar.json or bench-spatial.json.
    Leaves with exit code 1 if a requirement is missed.
    """
    refuse_without_compiler()
    if not has_peer():
        progress("MuJoCo is not installed, so it is left out: pip install 'pushpoint[mujoco]'")
    benchmark = measure(registered_runs(), Effort(), CONVERGED, part)
    data = as_data(benchmark)
    name = "bench" if part == "all" else f"bench-{part}"
    result_file, page_file = FOLDER / f"{name}.json", FOLDER / f"{name}.md"
    write_text(result_file, as_text(data))
    write_text(page_file, as_page(data))
    progress(f"written: {result_file}, {page_file}")
    if json:
        sys.stdout.write(as_text(data))
    else:
        from pushpoint.bench.tables import show

        show(benchmark)
    if benchmark.missed:
        sys.exit(MISSED)


def registered_runs() -> list[Scenario]:
    return [scenarios[name].with_overrides({"duration": DURATION}) for name in SCENARIOS]


def measure(runs: Sequence[Scenario], effort: Effort, converged: Effort, part: Part = "all") -> Benchmark:
    """All that belongs to the part, one after the other."""
    before, plane, space, say = load(), part != "spatial", part != "planar", progress
    return Benchmark(
        duels=tuple(duel(run, effort, say) for run in runs) if plane else (),
        converged=tuple(duel(run, converged, say) for run in runs) if plane else (),
        growth=tuple(growth(say)) if plane else (),
        crowd=crowd(say) if plane else None,
        hybrid=hybrid(say) if plane else None,
        space=measure_space(say) if space else None,
        startup=startup(say) if plane else None,
        load_before=before,
        load_after=load(),
    )


def refuse_without_compiler() -> None:
    """Times of interpreted kernels mean nothing."""
    import numba

    if numba.config.DISABLE_JIT:
        raise InvalidInput("NUMBA_DISABLE_JIT = 1: benchmarks need compiled kernels; unset it")


def load() -> float | None:
    """Processes that wanted the processor, mean of the last minute, where the system counts them."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def progress(text: str) -> None:
    print(f"pushpoint bench: {text}", file=sys.stderr, flush=True)
