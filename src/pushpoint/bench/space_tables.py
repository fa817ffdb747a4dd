"""The numbers of the spatial part for people: on the terminal."""

from __future__ import annotations

from math import isfinite

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pushpoint.bench.space import SpaceDuel, SpaceEntry, SpaceRung
from pushpoint.bench.space_creep import Creep
from pushpoint.bench.space_links import SpaceGrowth
from pushpoint.bench.space_result import Space

COLUMNS = "plant", "dt [ms]", "moved x, y [m]", "error [%]", "wall [ms]", "us/step", "chosen"


def show_space(console: Console, space: Space) -> None:
    for found in (*space.duels, space.creep):
        console.print(ladder_table(found))
        console.print(Text(entry_line(found)), soft_wrap=True)
    console.print(growth_table(space.growth))


def ladder_table(found: SpaceDuel | Creep) -> Table:
    """Work and precision; the two chosen rungs are marked."""
    limits = f"limits {found.our_limit:.4f} and {found.peer_limit:.4f} m"
    title = f"{found.scenario}, {found.duration:g} s, displacement of link {found.link}; {limits}"
    table = Table(title=Text(title), title_justify="left")
    for k, column in enumerate(COLUMNS):
        table.add_column(Text(column), justify="left" if k == 0 else "right")
    both = ("spatial_stepping", found.our_ladder, found.ours), ("mujoco", found.peer_ladder, found.peer)
    for name, rungs, entry in both:
        for rung in rungs:
            mark = "yes" if entry is not None and rung.dt == entry.rung.dt else ""
            table.add_row(name, *rung_cells(rung, found.duration), mark)
        table.add_section()
    return table


def rung_cells(rung: SpaceRung, duration: float) -> tuple[str, ...]:
    """dt, displacement, error, wall time, time of a step; a run that failed has no times."""
    dt = f"{1e3 * rung.dt:g}"
    if rung.moved is None:
        return dt, "failed", "-", "-", "-"
    wall, (x, y) = rung.wall_time_s, rung.moved
    error = f"{100 * rung.error:.2f}" if isfinite(rung.error) else "a start failed"
    return (
        dt,
        f"{x:.3f}, {y:.3f}",
        error,
        f"{1e3 * wall:.1f}",
        f"{1e6 * wall * rung.dt / duration:.1f}",
    )


def entry_line(found: SpaceDuel | Creep) -> str:
    ratio = "no ratio" if found.ratio is None else f"{found.ratio:.1f} times faster"
    return f"best of all rounds: {entry_text(found.ours)}; {entry_text(found.peer)}: {ratio}\n"


def entry_text(entry: SpaceEntry | None) -> str:
    if entry is None:
        return "nothing to compare"
    settings = ", ".join(f"{key} {value}" for key, value in entry.settings.items())
    rung = entry.rung
    wall, dt = 1e3 * rung.wall_time_s, 1e3 * rung.dt
    return f"{entry.plant} ({settings}) {wall:.1f} ms at dt = {dt:g} ms, error {100 * rung.error:.2f} %"


def growth_table(growth: SpaceGrowth) -> Table:
    table = Table(title=Text("cost of a step in space, settled"), title_justify="left")
    for column in ("links", "us/step", "us/step/link", "iterations"):
        table.add_column(Text(column), justify="right")
    for c in growth.costs:
        table.add_row(str(c.links), f"{c.us_per_step:.1f}", f"{c.us_per_link:.3f}", f"{c.iterations:.2f}")
    for links in growth.failed:
        table.add_row(str(links), "failed", "-", "-")
    return table
