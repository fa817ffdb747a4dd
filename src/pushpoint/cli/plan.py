"""`pushpoint plan`: a path along which the robot of a scenario can push itself, or what is missing for one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pushpoint.cli import _scenario
from pushpoint.cli._console import print_json, print_pairs, say
from pushpoint.cli._options import AsJson, Load, ScenarioSource, plant_names

if TYPE_CHECKING:
    from pushpoint.planning.push_path.plan import Plan

NOT_FOUND = 1  # exit code: there is no path with push enough


def plan(
    scenario: ScenarioSource,
    distance: Annotated[float, typer.Option(help="Metres of path for the head.")] = 2.0,
    speed: Annotated[float, typer.Option(help="Along the path, in m/s.")] = 0.15,
    torque_limit: Annotated[
        float | None, typer.Option(help="In N m; default: that of the scenario's servo, or 10.")
    ] = None,
    from_start: Annotated[
        bool, typer.Option("--from-start", help="Begin where the scenario puts the robot, not on the path.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Simulate up to --plans plans; take the first that arrives.")
    ] = False,
    plans: Annotated[int, typer.Option(min=1, max=20, help="Plans through different pegs.")] = 3,
    plant: Annotated[
        str | None, typer.Option(help="Another plant, with its default options.", autocompletion=plant_names)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change one value, e.g. world.friction=0.1."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of random worlds.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder; default results/plan-<scenario>.")] = None,
    code: Load = None,
    as_json: AsJson = False,
) -> None:
    """Plan a path through the pegs of SCENARIO, or of a world of that name; write plan.yaml, plan.png and
    scenario.yaml, which `pushpoint run` follows. The exit code is 1 where no path has push enough."""
    from pushpoint.files import made, write_bytes
    from pushpoint.path_plans import base_scenario, plan_path
    from pushpoint.view.figures import save_figure
    from pushpoint.view.plan_sheet import plan_sheet

    base = base_scenario(scenario, _scenario.overrides(plant, settings or [], None, seed))
    folder = made(out or Path("results") / f"plan-{_scenario.slug(base.name)}")  # before anything takes time
    found = plan_path(
        base, start="scenario" if from_start else "path", check=check, speed=speed, torque_limit=torque_limit,
        distance=distance, plans=plans,
    )  # fmt: skip
    files = {"plan": folder / "plan.yaml", "figure": folder / "plan.png"}
    found.save(files["plan"])
    save_figure(plan_sheet(found, base.built_robot(), f"Push-points: {base.title or base.name}"), files["figure"])
    followed = folder / "scenario.yaml"
    followed.unlink(missing_ok=True)  # of another plan
    if found.s:
        files["scenario"] = followed
        write_bytes(followed, found.scenario(base, from_start).pinned().to_yaml().encode())
    if as_json:
        print_json(summary(found, base.name) | {"files": {name: str(path) for name, path in files.items()}})
    else:
        print_pairs(base.name, described(found))
    for path in files.values():
        say(f"wrote {path}")
    if not found.is_good:
        raise typer.Exit(NOT_FOUND)


def summary(found: Plan, name: str) -> dict[str, Any]:
    """What --json prints, but for files: SI units."""
    return {
        "scenario": name,
        "good": found.is_good,
        "reason": found.reason or None,
        "checked": found.checked,
        "distance_m": found.distance,
        "head_m": found.head,
        "lacking": found.lacking,
        "stall_m": found.stall,
        "torque_needed_nm": found.largest_torque(),
        "torque_limit_nm": found.torque_limit,
        "least_alpha": min(found.alpha, default=None),
        "push_points": sorted({peg for pegs in found.push_points for peg in pegs}),
    }


def described(found: Plan) -> dict[str, str]:
    """The rows of the table."""
    rows = {"path": f"{found.distance:g} m at {found.speed:g} m/s"}
    if found.reason:
        rows["not passable" if not found.checked else "by prediction"] = found.reason
    if found.s:
        rows["lacks push"] = f"{100 * found.lacking:.1f} % of the path"
        peak = found.largest_torque()
        rows["largest torque needed"] = "-" if peak is None else f"{peak:.1f} N m of {found.torque_limit:g} N m"
        rows["push-points"] = ", ".join(map(str, sorted({peg for pegs in found.push_points for peg in pegs})))
    if found.checked is not None:
        rows["in a simulation"] = "arrives" if found.checked else "does not arrive"
    return rows
