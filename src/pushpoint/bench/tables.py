"""The numbers of a benchmark for people."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pushpoint.bench.duel import Duel, Entry
from pushpoint.bench.hybrid import Hybrid
from pushpoint.bench.ladder import Rung
from pushpoint.bench.links import Growth
from pushpoint.bench.result import Benchmark
from pushpoint.bench.space_tables import show_space
from pushpoint.bench.startup import Startup

PIPE_WIDTH = 120  # [characters], in files and pipes
WORDS = {True: "yes", False: "NO", None: "not measured"}


def show(benchmark: Benchmark) -> None:
    """All tables on standard output."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PIPE_WIDTH)
    for duel in benchmark.duels + benchmark.converged:
        console.print(ladder_table(duel))
        console.print(Text(duel_line(duel)), soft_wrap=True)
    for growth in benchmark.growth:
        console.print(growth_table(growth))
    if benchmark.hybrid is not None:
        console.print(hybrid_table(benchmark.hybrid))
    if benchmark.space is not None:
        show_space(console, benchmark.space)
    if benchmark.startup is not None:
        console.print(startup_table(benchmark.startup))
    console.print(requirement_table(benchmark))


def _table(title: str, *columns: str) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for k, column in enumerate(columns):
        table.add_column(Text(column), justify="left" if k == 0 else "right")  # as text: "[ms]" is no markup
    return table


def ladder_table(duel: Duel) -> Table:
    """Work and precision; the two chosen rungs are marked."""
    title = f"{duel.scenario}, {duel.duration:g} s, {duel.what}; limits at dt = {1e3 * duel.limit_dt:g} ms"
    columns = "plant", "dt [ms]", "rms to own limit [mm]", "to our limit [mm]", "wall [ms]", "us/step", "chosen"
    table = _table(title, *columns)
    for name, rungs, entry in (
        ("planar_stepping", duel.our_ladder, duel.ours),
        ("mujoco", duel.peer_ladder, duel.peer),
    ):
        for rung in rungs:
            chosen = entry is not None and rung.dt == entry.rung.dt
            table.add_row(name, *_rung_cells(rung, duel.duration), "yes" if chosen else "")
        table.add_section()
    return table


def _rung_cells(rung: Rung, duration: float) -> tuple[str, ...]:
    return (
        f"{1e3 * rung.dt:g}",
        f"{1e3 * rung.rms_to_own_limit:.3f}",
        f"{1e3 * rung.rms_to_our_limit:.3f}",
        f"{1e3 * rung.wall_time_s:.2f}",
        f"{1e6 * rung.wall_time_s * rung.dt / duration:.2f}",
    )


def duel_line(duel: Duel) -> str:
    ratio = "no ratio" if duel.ratio is None else f"{duel.ratio:.1f} times faster"
    other = "" if duel.ratio_alternating is None else f" ({duel.ratio_alternating:.1f} run by run in turns)"
    return f"best of all runs: {_entry_text(duel.ours)}; {_entry_text(duel.peer)}: {ratio}{other}\n"


def _entry_text(entry: Entry | None) -> str:
    if entry is None:
        return "nothing to compare"
    settings = ", ".join(f"{key} {value}" for key, value in entry.settings.items())
    wall, dt = 1e3 * entry.rung.wall_time_s, 1e3 * entry.rung.dt
    return f"{entry.plant}{f' ({settings})' if settings else ''} {wall:.2f} ms at dt = {dt:g} ms"


def growth_table(growth: Growth) -> Table:
    table = _table(f"cost of a step, {growth.world}", "links", "us/step", "us/step/link", "contacts", "iterations")
    for c in growth.costs:
        cells = f"{c.us_per_step:.2f}", f"{c.us_per_link:.3f}", f"{c.contacts:.1f}", f"{c.iterations:.2f}"
        table.add_row(str(c.links), *cells)
    return table


def hybrid_table(hybrid: Hybrid) -> Table:
    table = _table("planar_hybrid: cost of an evaluation", "links", "us", "contacts")
    for c in hybrid.costs:
        table.add_row(str(c.links), f"{c.us:.2f}", f"{c.contacts:.1f}")
    return table


def startup_table(startup: Startup) -> Table:
    table = _table("start-up", "what", "seconds")
    table.add_row("import pushpoint", f"{startup.import_s:.3f}")
    table.add_row("compilation, CPU seconds", f"{startup.compile_cpu_s:.2f}")
    table.add_row("first step, nothing compiled", f"{startup.cold_first_step_s:.2f}")
    table.add_row("first step, kernels in the cache", f"{startup.warm_first_step_s:.3f}")
    return table


def requirement_table(benchmark: Benchmark) -> Table:
    table = _table("required", "what", "measured", "allowed", "met")
    for r in benchmark.requirements:
        table.add_row(r.what, "-" if r.value is None else f"{r.value:.3f}", r.allowed, WORDS[r.met])
    for r in benchmark.aims:
        table.add_row(f"aim, {r.what}", "-" if r.value is None else f"{r.value:.3f}", r.allowed, WORDS[r.met])
    return table
