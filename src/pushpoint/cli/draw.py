"""`pushpoint draw`: what a scenario with controller `shape-follower` asks of its robot, without simulating it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import _scenario
from pushpoint.cli._console import print_json, print_pairs, say
from pushpoint.cli._options import AsJson, Load, ScenarioSource

if TYPE_CHECKING:
    from pushpoint.control.shape_rehearsal import Demands
    from pushpoint.scenario import Scenario


def draw(
    scenario: ScenarioSource,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change one value, e.g. controller.look_ahead=0.2."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder; default results/<scenario>.")] = None,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Draw the shape curve of SCENARIO, its robot along it and the joint references of one cycle, or as
    much of it as there is in the scenario's duration; write shape.png."""
    from pushpoint.control.shape_rehearsal import demands, rehearsed_cycle
    from pushpoint.files import made
    from pushpoint.scenarios import find_scenario
    from pushpoint.view.figures import save_figure
    from pushpoint.view.shape_sheet import shape_sheet

    chosen = find_scenario(scenario).with_overrides(_scenario.overrides(None, settings or [], None, None))
    motion = rehearsed_cycle(chosen)
    asked = demands(motion)
    folder = out or Path("results") / _scenario.slug(chosen.name)
    path = made(folder) / "shape.png"
    save_figure(shape_sheet(chosen, motion, asked), path)
    if as_json:
        print_json(summary(chosen, asked) | {"files": {"figure": str(path)}})
    else:
        print_pairs(chosen.name, described(asked))
    say(f"wrote {path}")


def summary(scenario: Scenario, asked: Demands) -> dict[str, Any]:
    """What --json prints, but for files: SI units and radians."""
    return {
        "scenario": scenario.name,
        "whole_cycle": asked.whole_cycle,
        "shown_time_s": asked.time,
        "shown_curve_m": asked.distance,
        "cycle_time_s": asked.time if asked.whole_cycle else None,
        "curve_per_cycle_m": asked.distance if asked.whole_cycle else None,
        "largest_deviation_m": asked.off_curve,
        "largest_angle_rad": asked.angle,
        "largest_rate_rad_s": asked.rate,
        "largest_change_rad_per_m": asked.change_per_distance,
        "joints_at_limits": list(asked.limited),
        "joints_too_slow": list(asked.slowed),
        "joints_undetermined": list(asked.undetermined),
    }


def described(asked: Demands) -> dict[str, str]:
    """The rows of the table; those that say nothing of this motion are left out."""
    from math import degrees

    time, distance = (
        ("duration of a cycle", "length of curve per cycle")
        if asked.whole_cycle
        else ("time shown, less than a cycle", "length of curve in that time")
    )
    rows = {time: f"{asked.time:.3f} s"} if asked.time > 0.0 else {}
    if asked.distance > 0.0:
        rows[distance] = f"{asked.distance:.3f} m"
    rows["largest deviation of joints from the curve"] = f"{1e3 * asked.off_curve:.1f} mm"
    rows["largest joint angle"] = f"{degrees(asked.angle):.1f} deg"
    if asked.distance > 0.0:
        rows["largest change of a joint angle"] = (
            f"{degrees(asked.change_per_distance) / 1e3:.2f} deg per mm of progress"
        )
    if asked.time > 0.0:
        rows["largest rate of a joint reference"] = f"{_rounded(degrees(asked.rate))} deg/s"
    rows["joints that hit limits"] = _names(asked.limited)
    rows["joints slowed by rate_limit"] = _names(asked.slowed)
    if asked.undetermined:
        rows["joints with the curve along their axes"] = _names(asked.undetermined)
    return rows


def _rounded(value: float) -> str:
    """Whole numbers, but of small ones two digits."""
    return f"{value:.0f}" if value >= 10.0 else f"{value:.2g}"


def _names(joints: tuple[int, ...]) -> str:
    return ", ".join(str(j) for j in joints) or "none"
