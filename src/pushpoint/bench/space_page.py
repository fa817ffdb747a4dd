"""The numbers of the spatial part as Markdown tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pushpoint.bench.markdown import number, table

Data = Mapping[str, Any]


def space_page(space: Data) -> str:
    """All tables, from the data of space_result.space_data."""
    found = [*space["runs"], space["creep"]]
    parts = [
        "## In space: each at its best\n\n" + _winners(found),
        "## In space: work and precision\n\n" + "\n\n".join(_ladder(run) for run in found),
        "## In space: cost per link and memory\n\n" + _growth(space["links"]) + "\n\n" + _memory(space["memory_mb"]),
    ]
    if space.get("alignment") is not None:
        parts.append("## Shape curves\n\n" + _alignment(space["alignment"]))
    return "\n\n".join(parts)


def _winners(runs: Sequence[Data]) -> str:
    rows = [(r["scenario"], _entry(r["ours"]), _entry(r["peer"]), number(r["ratio"])) for r in runs]
    return table(("run", "ours", "MuJoCo", "ratio"), rows)


def _entry(entry: Data | None) -> str:
    if entry is None:
        return "nothing to compare"
    settings = ", ".join(f"{key} {value}" for key, value in entry["settings"].items())
    rung = entry["rung"]
    wall, dt, error = 1e3 * rung["wall_time_s"], 1e3 * rung["dt"], 100 * rung["error"]
    return f"{wall:.3g} ms: dt = {dt:g} ms, {settings}; error {error:.2f} %"


def _ladder(run: Data) -> str:
    theirs = {rung["dt"]: rung for rung in run["peer_ladder"]}
    rows = [
        [number(1e3 * rung["dt"]), *_rung(rung, run["duration"]), *_rung(theirs.get(rung["dt"]), run["duration"])]
        for rung in run["our_ladder"]
    ]
    columns = ("moved x, y [m]", "error [%]", "time [ms]", "us/step")
    head = ("dt [ms]", f"ours: {columns[0]}", *columns[1:], f"MuJoCo: {columns[0]}", *columns[1:])
    limits = f"limits {number(run['our_limit'], 5)} and {number(run['peer_limit'], 5)} m"
    return f"{run['scenario']}, {run['duration']:g} s, link {run['link']}; {limits}:\n\n" + table(head, rows)


def _rung(rung: Data | None, duration: float) -> tuple[str, str, str, str]:
    """Displacement, error, time, time of a step."""
    if rung is None:
        return "-", "-", "-", "-"
    if rung["moved"] is None:
        return "failed", "-", "-", "-"
    wall, (x, y) = rung["wall_time_s"], rung["moved"]
    error = "a start failed" if rung["error"] is None else f"{100 * rung['error']:.2f}"
    return f"{x:.3f}, {y:.3f}", error, number(1e3 * wall), number(1e6 * wall * rung["dt"] / duration)


def _growth(links: Data) -> str:
    keys = ("us_per_step", "us_per_link", "iterations")
    rows = [(str(c["links"]), *(number(c[key]) for key in keys)) for c in links["costs"]]
    rows += [(str(n), "failed", "-", "-") for n in links["failed"]]
    head = ("links", "us/step", "us/step/link", "iterations")
    return f"Sidewinding, settled; exponent {number(links['exponent'], 4)}:\n\n" + table(head, rows)


def _memory(megabytes: float | None) -> str:
    return f"Memory of a minute with 50 links: {number(megabytes)} MB above what the process held before."


def _alignment(found: Data) -> str:
    call, loop = number(found["call_us"]), number(found["calibration_us"])
    return f"One alignment of {found['joints']} joints takes {call} us, a loop of fixed work beside it {loop} us."
