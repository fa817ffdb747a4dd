"""Markdown tables from the JSON file of a run, and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pushpoint.errors import InvalidInput
from pushpoint.files import read_text, write_text

Data = Mapping[str, Any]

SCHEMA = 7  # of the files that can be read
HEAD = """# Benchmark tables

Written by `python -m benchmarks tables`; what is measured and why: [Benchmarks](benchmarks.md).
"""
MET = {True: "yes", False: "**no**", None: "not measured"}
# Per kind of comparison the columns of a ladder; errors are relative, or in metres.
COLUMNS = {"path": ("rms [mm]",), "distance": ("moved x, y [m]", "error [%]")}


def write_page(source: Path, target: Path) -> None:
    """The tables of an earlier run."""
    text = read_text(source, "benchmark")
    try:
        data = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"benchmark {str(source)!r} is no JSON: {error}") from None
    found = data.get("schema_version") if isinstance(data, dict) else None
    if found != SCHEMA:
        raise InvalidInput(f"benchmark {str(source)!r}: schema_version is {found}; should be {SCHEMA}")
    write_text(target, as_page(data))


def as_page(data: Data) -> str:
    """All tables of a run."""
    contests, growth, hybrid, startup = (data[key] for key in ("contests", "growth", "hybrid", "startup"))
    many = data["many"]
    parts = [
        HEAD,
        requirements(data["requirements"]),
        "Aims, which do not count as missed yet:\n\n" + requirements(data["aims"]) if data["aims"] else "",
        machine(data["machine"]),
        "## Each at its best\n\n" + winners(contests) if contests else "",
        "## Work and precision\n\n" + "\n\n".join(map(ladder, contests)) if contests else "",
        "## Cost per link\n\n" + "\n\n".join(map(long_robots, growth)) if growth else "",
        "## Many at once\n\n" + many_at_once(many) if many else "",
        "## Event tracking\n\n" + event_tracking(hybrid) if hybrid else "",
        "## Start-up\n\n" + start_up(startup) if startup else "",
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns are padded, so that the text is a table on a terminal too."""
    cells = [tuple(head), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}g}"


def thousandths(value: float | None) -> str:
    """Seconds as milliseconds, metres as millimetres."""
    return number(None if value is None else 1e3 * value)


def requirements(rows: Sequence[Data]) -> str:
    cells = [(r["what"].replace("**", "^"), number(r["value"]), r["allowed"], MET[r["met"]]) for r in rows]
    return table(("required", "measured", "allowed", "met"), cells)


def machine(found: Data) -> str:
    names = {"numpy": "NumPy", "numba": "Numba", "mujoco": "MuJoCo"}
    packages = ", ".join(f"{name} {found[key]}" for key, name in names.items() if found[key])
    return (
        f"One run on {found['cpu_count']} processors ({found['system']}, {found['architecture']}), "
        f"Python {found['python']}, {packages}; load {number(found['load_before'], 2)} before and "
        f"{number(found['load_after'], 2)} after, of which about one is the benchmark's own."
    )


def winners(contests: Sequence[Data]) -> str:
    rows = [
        (c["scenario"], c["what"], *(winner(c[side], c["compared"]) for side in ("ours", "peer")), *ratios(c))
        for c in contests
    ]
    return table(("run", "class", "ours", "MuJoCo", "ratio", "run by run in turns"), rows)


def ratios(contest: Data) -> tuple[str, str]:
    return number(contest["ratio"]), number(contest["ratio_alternating"])


def winner(side: Data | None, compared: str) -> str:
    if side is None:
        return "not installed"
    if side["entry"] is None:
        return "nothing accurate"
    rung, settings = side["entry"]["rung"], side["entry"]["settings"]
    words = [f"dt = {1e3 * rung['dt']:g} ms", *(f"{key} {value}" for key, value in settings.items())]
    error = f"; error {error_text(rung, compared)} %" if compared == "distance" else ""
    return f"{thousandths(rung['wall_time_s'])} ms: {', '.join(words)}{error}"


def ladder(contest: Data) -> str:
    compared, duration = contest["compared"], contest["duration"]
    peer = contest["peer"] or {"limit": None, "ladder": ()}
    theirs = {rung["dt"]: rung for rung in peer["ladder"]}
    columns = (*COLUMNS[compared], "time [ms]", "us/step")
    head = ("dt [ms]", f"ours: {columns[0]}", *columns[1:], f"MuJoCo: {columns[0]}", *columns[1:])
    rows = []
    for rung in contest["ours"]["ladder"]:
        both = (rung_cells(each, compared, duration) for each in (rung, theirs.get(rung["dt"])))
        rows.append((thousandths(rung["dt"]), *next(both), *next(both)))
    return f"{contest['scenario']}, {contest['what']}{limits(contest, peer)}:\n\n" + table(head, rows)


def limits(contest: Data, peer: Data) -> str:
    if contest["compared"] == "distance":
        return f"; limits {number(contest['ours']['limit'], 5)} and {number(peer['limit'], 5)} m"
    apart = contest["limits_apart"]
    return "" if apart is None else f"; the two limits are {thousandths(apart)} mm apart"


def rung_cells(rung: Data | None, compared: str, duration: float) -> tuple[str, ...]:
    """Where the link ends, if distances are compared; error, time, time of a step."""
    where = len(COLUMNS[compared]) - 1
    if rung is None or rung["end"] is None:
        return *(["-" if rung is None else "failed"] * where), "-", "-", "-"
    wall, (x, y) = rung["wall_time_s"], rung["end"]
    times = thousandths(wall), number(1e6 * wall * rung["dt"] / duration)
    return *([f"{x:.3f}, {y:.3f}"] * where), error_text(rung, compared), *times


def error_text(rung: Data, compared: str) -> str:
    if rung["error"] is None:
        return "a start failed"
    return f"{100 * rung['error']:.2f}" if compared == "distance" else thousandths(rung["error"])


def long_robots(world: Data) -> str:
    keys = ("us_per_step", "us_per_link", "iterations", "contacts")
    rows = [(str(c["links"]), *(number(c[key]) for key in keys)) for c in world["costs"]]
    rows += [(str(links), "failed", "-", "-", "-") for links in world["failed"]]
    head = ("links", "us/step", "us/step/link", "iterations", "contacts")
    return f"{world['world']}; exponent {number(world['exponent'], 4)}:\n\n" + table(head, rows)


def many_at_once(found: Data) -> str:
    rows = [
        (c["what"], number(c["ours"]), number(c["peer"]), number(c["ours"] / c["peer"] if c["peer"] else None))
        for c in found["contests"]
    ]
    return (
        f"{found['robots']} robots on the track, {found['threads']} threads: they gain {number(found['gain'])} times, "
        f"a loop that does nothing {number(found['spin_gain'])} times. A step of one robot takes "
        f"{number(found['us_per_step'])} us on one thread. A tick of all robots by `Batch.step` takes "
        f"{number(found['tick_ms'])} ms, {number(found['tick_python_ms'])} ms of it in Python. Among random obstacles, "
        f"with `jam-resolution`: {number(found['clutter_per_cpu'])} robot-seconds per CPU second. Robot-seconds of the "
        "track per second:\n\n" + table(("settings", "ours", "MuJoCo", "ratio"), rows)
    )


def event_tracking(found: Data) -> str:
    rows = [(str(c["links"]), number(c["us"]), number(c["contacts"])) for c in found["costs"]]
    return (
        f"`planar_hybrid`, ten links among rows of obstacles, control at 200 Hz: {number(found['real_time_factor'])} "
        f"times real time, {number(found['evaluations_per_s'])} evaluations per simulated second. An evaluation with "
        f"few contacts; exponent {number(found['exponent'], 4)}:\n\n" + table(("links", "us", "contacts"), rows)
    )


def start_up(found: Data) -> str:
    names = {
        "import_s": "`import pushpoint`",
        "compile_cpu_s": "compilation, CPU seconds",
        "cold_first_step_s": "first step, nothing compiled",
        "warm_first_step_s": "first step, kernels in the cache",
    }
    return table(("what", "seconds"), [(name, number(found[key])) for key, name in names.items()])
