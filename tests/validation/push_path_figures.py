"""Planned paths through random fields, and robots that follow them: shares over seeds.

    python tests/validation/push_path_figures.py ROW FIRST COUNT

ROW is a key of ROWS. Fields are those of `liljeback2010/random` with ground and pegs of friction 0.1, 10 N m, links
without width unless a row says otherwise, 2 m of path at 0.15 m/s.
"""

from __future__ import annotations

import sys
import time
from typing import Any, NamedTuple

import numpy as np

from pushpoint.control.push_along import ARRIVED
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.path_plans import StartAt, arrives, request_of
from pushpoint.planning.believed_pegs import first_beliefs
from pushpoint.planning.push_path.plan import Plan
from pushpoint.planning.push_path.planner import plans
from pushpoint.planning.push_path.request import PlanOptions
from pushpoint.robots import Servo
from pushpoint.scenario import Choice, Scenario
from pushpoint.scenarios import find_scenario
from pushpoint.simulation import simulate
from pushpoint.worlds import World

THINNING = 0xC1077E5  # of the draw that says which pegs stay
MOST_LACKING = 0.01


class Row(NamedTuple):
    """One set of runs."""

    links: int = 10
    keep: float = 1.0
    radius: float = 0.0  # [m]
    start: StartAt = "path"
    map_error: float = 0.0  # [m]


ROWS = {
    "dense": Row(),
    "sparse": Row(links=14, keep=0.5),
    "sparse-ten": Row(keep=0.5),
    "wide": Row(radius=0.02),
    "given-start": Row(start="scenario"),
    "map-2mm": Row(map_error=2e-3),
    "map-5mm": Row(map_error=5e-3),
}


class Outcome(NamedTuple):
    """Of one field."""

    lacking: float  # of the first plan
    is_good: bool  # no stall is predicted along it
    arrived: list[bool]  # of the plans that were simulated, up to the first that arrives
    cpu: float  # [s], of planning
    reason: str


def field(seed: int, row: Row) -> Scenario:
    """The scenario of one seed."""
    found = find_scenario("liljeback2010/random").with_overrides(
        {
            "plant": "planar_stepping",
            "seed": seed,
            "world.friction": 0.1,
            "world.obstacle_friction": 0.1,
            "robot.links": row.links,
            "robot.radius": row.radius,
        }
    )
    if row.links != 10:  # the start of the paper is one of ten links
        found = found.with_overrides({"start": {}})
    return (
        found if row.keep == 1.0 else found.model_copy(update={"world": thinned(found.built_world(), seed, row.keep)})
    )


def thinned(world: World, seed: int, keep: float) -> World:
    """Each obstacle stays with this probability."""
    stays = np.random.default_rng([seed, THINNING]).random(len(world.obstacles)) < keep
    return world.model_copy(update={"obstacles": tuple(o for o, s in zip(world.obstacles, stays, strict=True) if s)})


def outcome(seed: int, row: Row, simulations: int = 3, **options: Any) -> Outcome:
    """Plan for one field, and try the plans."""
    return _replanning(seed, row) if row.start == "scenario" else _planned(seed, row, simulations, options)


def _replanning(seed: int, row: Row) -> Outcome:
    """From where the scenario puts the robot, with the controller that plans again where it gets stuck."""
    begin = time.process_time()
    run = simulate(
        field(seed, row).model_copy(
            update={
                "controller": Choice(name="push-plan", options={"plan": {"plans": 1}}),
                "servo": Servo(torque_limit=10.0),
                "duration": 90.0,
            }
        )
    )
    names, details = (run.events[key].values.tolist() for key in ("name", "detail"))
    cpu = (time.process_time() - begin) / (1 + names.count("replan"))
    return Outcome(0.0, True, [ARRIVED in details], cpu, f"{names.count('replan')} times planned again")


def _planned(seed: int, row: Row, simulations: int, options: dict[str, Any]) -> Outcome:
    base = field(seed, row)
    request = request_of(base, row.start, limit=10.0)
    true = request.pegs
    if row.map_error:
        request = request._replace(pegs=Pegs(first_beliefs(true, row.map_error, seed).centre, true.radius))
    begin = time.process_time()
    found = plans(request, PlanOptions.parse(options))
    cpu = time.process_time() - begin
    arrived: list[bool] = []
    for plan in found[:simulations]:
        arrived.append(bool(plan.s) and arrives(wrong(plan, true, row.map_error, seed), base, row.start))
        if arrived[-1]:
            break
    return Outcome(found[0].lacking, not found[0].reason, arrived, cpu, found[0].reason)


class WrongMap(Plan):
    """A plan whose map is wrong by a known error."""

    map_error: float = 0.0
    map_seed: int = 0

    def controller_options(self, approach: float = 0.0) -> dict[str, Any]:
        return super().controller_options(approach) | {"map_error": self.map_error, "map_seed": self.map_seed}


def wrong(plan: Plan, true: Pegs, error: float, seed: int) -> Plan:
    """The plan with the true pegs, of which the controller believes what the plan was made for."""
    rows = np.column_stack([true.centre, true.radius])
    data = dict(plan) | {"pegs": tuple(map(tuple, rows.tolist())), "map_error": error, "map_seed": seed}
    return plan if error == 0.0 else WrongMap(**data)


def main(name: str, first: int, count: int) -> None:
    row, rows = ROWS[name], []
    plans(request_of(field(first, row), row.start, limit=10.0), PlanOptions(steps=1))  # compiles
    for seed in range(first, first + count):
        rows.append(outcome(seed, row))
        last = rows[-1]
        print(seed, f"lacking {last.lacking:.3f}", last.arrived, f"{last.cpu:.1f} CPU s", last.reason[:90], flush=True)
    cpu = [r.cpu for r in rows]
    print(
        f"{name}: planned {sum(r.lacking <= MOST_LACKING for r in rows)}, no stall predicted "
        f"{sum(r.is_good for r in rows)}, first plan {sum(r.arrived[:1] == [True] for r in rows)}, up to three "
        f"{sum(any(r.arrived) for r in rows)} of {count}; planning {np.mean(cpu):.1f} CPU s, {np.max(cpu):.1f} at most"
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
