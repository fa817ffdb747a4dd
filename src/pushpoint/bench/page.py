"""The results of a benchmark as Markdown tables: what docs/reference/benchmark-tables.md is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pushpoint.bench.markdown import number, table
from pushpoint.bench.space_page import space_page

Data = Mapping[str, Any]
RATIOS = ("ratio", "ratio_alternating")


def as_page(data: Data) -> str:
    """All tables, from the data of result.as_data."""
    parts = [
        _requirements(data["requirements"]),
        "Aims, which do not count as missed yet:\n\n" + _requirements(data["aims"]) if data["aims"] else "",
        _machine(data["machine"]),
        _plane(data) if data["accuracy"]["runs"] else "",
        "" if data["space"] is None else space_page(data["space"]),
        "" if data["startup"] is None else "## Start-up\n\n" + _startup(data["startup"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _plane(data: Data) -> str:
    runs = data["accuracy"]["runs"]
    parts = [
        "## Each at its best\n\n" + _winners(runs),
        "## Work and precision\n\n" + "\n\n".join(_ladder(run) for run in runs),
        "## Cost per link\n\n" + "\n\n".join(_growth(world) for world in data["links"]["worlds"]),
        "" if data["hybrid"] is None else "## Event tracking\n\n" + _hybrid(data["hybrid"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _requirements(rows: Sequence[Data]) -> str:
    met = {True: "yes", False: "**no**", None: "not measured"}
    return table(
        ("required", "measured", "allowed", "met"),
        [(r["what"].replace("**", "^"), number(r["value"]), r["allowed"], met[r["met"]]) for r in rows],
    )


def _machine(machine: Data) -> str:
    names = {"numpy": "NumPy", "numba": "Numba", "mujoco": "MuJoCo"}
    packages = ", ".join(f"{name} {machine[key]}" for key, name in names.items() if machine[key])
    return (
        f"One run on {machine['cpu_count']} processors ({machine['system']}, {machine['architecture']}), "
        f"Python {machine['python']}, {packages}; load {number(machine['load_before'], 2)} before and "
        f"{number(machine['load_after'], 2)} after, of which about one is the benchmark's own."
    )


def _winners(runs: Sequence[Data]) -> str:
    rows = [
        (r["scenario"], r["what"], *(_entry(r[k]) for k in ("ours", "peer")), *(number(r[k]) for k in RATIOS))
        for r in runs
    ]
    return table(("run", "class", "ours", "MuJoCo", "ratio", "run by run in turns"), rows)


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
    return f"{run['scenario']}, {run['what']}{apart}:\n\n" + table(head, rows)


def _rung(rung: Data | None) -> tuple[str, str, str]:
    """Rms to the own limit, time of 10 s, time of a step."""
    if rung is None or rung["rms_to_own_limit"] is None:
        return "-", "-", "-"
    wall = rung["wall_time_s"]
    return _ms(rung["rms_to_own_limit"]), _ms(wall), number(1e6 * wall * rung["dt"] / 10.0)


def _ms(value: float) -> str:
    return number(1e3 * value)


def _growth(world: Data) -> str:
    head = ("links", "us/step", "us/step/link", "iterations", "contacts")
    rows = [
        (str(c["links"]), *(number(c[key]) for key in ("us_per_step", "us_per_link", "iterations", "contacts")))
        for c in world["costs"]
    ]
    return f"{world['world']}; exponent {number(world['exponent'], 4)}:\n\n" + table(head, rows)


def _hybrid(found: Data) -> str:
    rows = [(str(c["links"]), number(c["us"]), number(c["contacts"])) for c in found["costs"]]
    return (
        f"`planar_hybrid`, ten links among rows of obstacles, control at 200 Hz: {number(found['real_time_factor'])} "
        f"times real time, {number(found['evaluations_per_s'])} evaluations per simulated second. An evaluation with "
        f"few contacts; exponent {number(found['exponent'], 4)}:\n\n" + table(("links", "us", "contacts"), rows)
    )


def _startup(startup: Data) -> str:
    names = {
        "import_s": "`import pushpoint`",
        "compile_cpu_s": "compilation, CPU seconds",
        "cold_first_step_s": "first step, nothing compiled",
        "warm_first_step_s": "first step, kernels in the cache",
    }
    return table(("what", "seconds"), [(name, number(startup[key])) for key, name in names.items()])
