"""The results of a benchmark as Markdown tables: what docs/reference/benchmark-tables.md is made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Data = Mapping[str, Any]


def as_page(data: Data) -> str:
    """All tables, from the data of result.as_data."""
    parts = [
        _requirements(data["requirements"]),
        "Aims, which do not count as missed yet:\n\n" + _requirements(data["aims"]),
        _machine(data["machine"]),
        "## Each at its best\n\n" + _winners(data["accuracy"]["runs"]),
        "## Work and precision\n\n" + "\n\n".join(_ladder(run) for run in data["accuracy"]["runs"]),
        "## Cost per link\n\n" + "\n\n".join(_growth(world) for world in data["links"]["worlds"]),
        "## Event tracking\n\n" + _hybrid(data["hybrid"]),
        "## Start-up\n\n" + _startup(data["startup"]),
    ]
    return "\n\n".join(parts) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines).replace("| --- ", "|---").replace("|--- |", "|---|")


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}g}"


def _requirements(rows: Sequence[Data]) -> str:
    met = {True: "yes", False: "**no**", None: "not measured"}
    return _table(
        ("required", "measured", "allowed", "met"),
        [(r["what"].replace("**", "^"), _number(r["value"]), r["allowed"], met[r["met"]]) for r in rows],
    )


def _machine(machine: Data) -> str:
    names = {"numpy": "NumPy", "numba": "Numba", "mujoco": "MuJoCo"}
    packages = ", ".join(f"{name} {machine[key]}" for key, name in names.items() if machine[key])
    return (
        f"One run on {machine['cpu_count']} processors ({machine['system']}, {machine['architecture']}), "
        f"Python {machine['python']}, {packages}; load {_number(machine['load_before'], 2)} before and "
        f"{_number(machine['load_after'], 2)} after, of which about one is the benchmark's own."
    )


def _winners(runs: Sequence[Data]) -> str:
    rows = [(r["scenario"], r["what"], _entry(r["ours"]), _entry(r["peer"]), _number(r["ratio"])) for r in runs]
    return _table(("run", "class", "ours", "MuJoCo", "ratio"), rows)


def _entry(entry: Data | None) -> str:
    if entry is None:
        return "nothing accurate"
    settings = ", ".join(f"{key} {value}" for key, value in entry["settings"].items())
    rung = entry["rung"]
    return f"{1e3 * rung['wall_time_s']:.3g} ms: dt = {1e3 * rung['dt']:g} ms, {settings}"


def _ladder(run: Data) -> str:
    theirs = {rung["dt"]: rung for rung in run["peer_ladder"]}
    rows = [[_ms(rung["dt"]), *_rung(rung), *_rung(theirs.get(rung["dt"]))] for rung in run["our_ladder"]]
    head = ("dt [ms]", "ours: rms [mm]", "time [ms]", "us/step", "MuJoCo: rms [mm]", "time [ms]", "us/step")
    apart = "" if run["limits_apart"] is None else f"; the two limits are {_ms(run['limits_apart'])} mm apart"
    return f"{run['scenario']}, {run['what']}{apart}:\n\n" + _table(head, rows)


def _rung(rung: Data | None) -> tuple[str, str, str]:
    """Rms to the own limit, time of 10 s, time of a step."""
    if rung is None or rung["rms_to_own_limit"] is None:
        return "-", "-", "-"
    wall = rung["wall_time_s"]
    return _ms(rung["rms_to_own_limit"]), _ms(wall), _number(1e6 * wall * rung["dt"] / 10.0)


def _ms(value: float) -> str:
    return _number(1e3 * value)


def _growth(world: Data) -> str:
    head = ("links", "us/step", "us/step/link", "iterations", "contacts")
    rows = [
        (str(c["links"]), *(_number(c[key]) for key in ("us_per_step", "us_per_link", "iterations", "contacts")))
        for c in world["costs"]
    ]
    return f"{world['world']}; exponent {_number(world['exponent'], 4)}:\n\n" + _table(head, rows)


def _hybrid(found: Data) -> str:
    rows = [(str(c["links"]), _number(c["us"]), _number(c["contacts"])) for c in found["costs"]]
    return (
        f"`planar_hybrid`, ten links among rows of obstacles, control at 200 Hz: {_number(found['real_time_factor'])} "
        f"times real time, {_number(found['evaluations_per_s'])} evaluations per simulated second. An evaluation with "
        f"few contacts; exponent {_number(found['exponent'], 4)}:\n\n" + _table(("links", "us", "contacts"), rows)
    )


def _startup(startup: Data) -> str:
    names = {
        "import_s": "`import pushpoint`",
        "compile_cpu_s": "compilation, CPU seconds",
        "cold_first_step_s": "first step, nothing compiled",
        "warm_first_step_s": "first step, kernels in the cache",
    }
    return _table(("what", "seconds"), [(name, _number(startup[key])) for key, name in names.items()])
