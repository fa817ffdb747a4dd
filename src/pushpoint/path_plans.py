"""Paths of push-points for a scenario: planned from its map, and checked by simulating them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from pushpoint.control import controllers
from pushpoint.control.push_along import ARRIVED
from pushpoint.errors import InvalidInput, SolverFailure, StartOverlap, UnknownName
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.planning.push_path.plan import STOPPED, Plan
from pushpoint.planning.push_path.planner import plans
from pushpoint.planning.push_path.request import SPEED, PlanOptions, Request, request_in
from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios import Source, find_scenario, is_file, scenarios
from pushpoint.simulation import simulate
from pushpoint.simulation._start_pose import planar_start_pose
from pushpoint.types import FloatArray, Pose
from pushpoint.worlds import worlds

StartAt = Literal["path", "scenario"]
SAID = ("off-path", "drive", "hold")  # events of `push-along`; plants have others


def plan_path(
    scenario: Source | Scenario,
    overrides: Mapping[str, Any] | None = None,
    *,
    start: StartAt = "path",
    check: bool = False,
    speed: float = SPEED,
    torque_limit: float | None = None,
    **options: Any,
) -> Plan:
    """Plan a path of bounded curvature, P4 (3.51), along which a robot can push itself by the pegs of its world.

    Parameters
    ----------
    scenario
        Name, file or `Scenario`, whose robot and world are used; or the name of a world, for the robot `ten-link`.
    overrides
        Values by dotted key.
    start
        "path": the robot lies on the path at the start; "scenario": where the scenario puts it, so that the path
        begins there.
    check
        Whether up to `plans` plans are simulated; the first one that gets to its end is returned.
    speed
        [m/s], along the path.
    torque_limit
        [N m]; default: that of the scenario's servo, or 10.
    **options
        Fields of `PlanOptions`: distance, direction, plans, reserve, contact_distance, seed, ...

    Returns
    -------
    Plan
        The best one. Where no path has push enough, its `reason` says where what is missing.

    Examples
    --------
    >>> plan = pp.plan_path("liljeback2010/random", {"world.friction": 0.1}, distance=0.3, kept=60, steps=60)
    >>> len(plan.path) > 50 and plan.distance == 0.3
    True
    """
    if start not in ("path", "scenario"):
        raise InvalidInput(f"start = {start!r}: should be 'path' or 'scenario'")
    wanted = PlanOptions.parse(options)
    base = base_scenario(scenario, overrides)
    request = request_of(base, start, speed, torque_limit)
    found = plans(request, wanted)
    return checked(found, base, start) if check else found[0]


def checked(found: list[Plan], base: Scenario, start: StartAt = "path") -> Plan:
    """The first of some plans that gets to its end in a simulation of the scenario; else the first of them.

    Parameters
    ----------
    found
        The best first.
    base
        Whose robot, world and plant are used.
    start
        As for `plan_path`.

    Returns
    -------
    Plan
        With `checked`.
    """
    first = "it has no path"
    for plan in found:
        kept = held_up(plan, base, start) if plan.s else first
        if not kept:
            return plan.model_copy(update={"checked": True})
        first = kept if plan is found[0] else first
    reason = found[0].reason or f"{STOPPED}: {first}"
    return found[0].model_copy(update={"checked": False, "reason": reason})


def held_up(plan: Plan, base: Scenario, start: StartAt = "path") -> str:
    """What kept the robot of a scenario from the end of a plan in a simulation; empty where it arrived.

    Parameters
    ----------
    plan
        With a path.
    base
        Whose robot, world and plant are used.
    start
        As for `plan_path`.

    Returns
    -------
    str
        What the controller said last, or the error of a run that failed or could not begin.
    """
    try:
        run = simulate(plan.scenario(base, start == "scenario"))
    except (SolverFailure, StartOverlap) as error:
        return str(error)
    said = [
        str(detail)
        for name, detail in zip(run.events["name"].values, run.events["detail"].values, strict=True)
        if name in SAID and detail
    ]
    if ARRIVED in said:
        return ""
    return said[-1] if said else "it was still on the path when the time was up"


def arrives(plan: Plan, base: Scenario, start: StartAt = "path") -> bool:
    """Whether the robot of a scenario gets to the end of a plan in a simulation; a run that fails, or that cannot begin
    as the robot would overlap a peg, does not."""
    return not held_up(plan, base, start)


def base_scenario(scenario: Source | Scenario, overrides: Mapping[str, Any] | None = None) -> Scenario:
    """The scenario, or that of the robot `ten-link` in the world of this name."""
    if isinstance(scenario, str) and scenario in worlds:
        base = Scenario(name=scenario, robot=Choice(name="ten-link"), world=Choice(name=scenario),
                        controller=Choice(name="hold"))  # fmt: skip
    elif isinstance(scenario, str) and not is_file(scenario) and scenario not in scenarios:
        raise UnknownName("scenario or world", scenario, [*scenarios, *worlds])
    else:
        base = find_scenario(scenario)
    return base.with_overrides(dict(overrides or {}))


def request_of(base: Scenario, start: StartAt = "path", speed: float = SPEED, limit: float | None = None) -> Request:
    """What a path is planned for, from a scenario: its map is that of the world."""
    found = request_in(base, speed, limit)
    return found if start == "path" else found._replace(start=_joints(found.chain, _start(base)))


def _start(base: Scenario) -> Pose:
    robot, world = base.built_robot(), base.built_world()
    kind = controllers[base.controller.name]
    controller = kind.build(base.options_of("controller", kind.Options), robot, base.control_period)
    return planar_start_pose(base, robot, world, controller)


def _joints(chain: TailChain, pose: Pose) -> FloatArray:
    """[m], (n + 1, 2): tail end, joints, head's end."""
    forward = np.stack([np.cos(pose.angle), np.sin(pose.angle)], axis=1)
    half = chain.length[:, np.newaxis] / 2 * forward
    centre = np.asarray(pose.position)[:, :2]
    return np.concatenate([centre[:1] - half[:1], centre + half])
