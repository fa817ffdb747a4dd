"""A run of a robot and a gait among pegs that are placed for them, by the rule of P2 VII."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.quantities import Angle, Bend, Rate
from pushpoint.robots import Robot
from pushpoint.scenario import Choice, Scenario, Start
from pushpoint.worlds.gait_pegs import AMPLITUDE, FREQUENCY, PHASE_SHIFT, Wave, mean_heading


class Gait(Frozen):
    """Options of the controller `serpenoid` that give a steady wave."""

    amplitude: Bend = AMPLITUDE  # [rad]
    frequency: Rate = FREQUENCY  # [rad/s]
    phase_shift: Angle = PHASE_SHIFT  # [rad], from joint to joint
    start_phase: Angle = 0.0  # [rad]


def gait_course(
    robot: str | Choice | Robot,
    gait: Mapping[str, float] | None = None,
    pegs: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Scenario:
    """A scenario: the robot, by name, with options, or in full, starts among pegs whose centre line is the x axis.

    `gait` has options of `serpenoid`, default P2's; `pegs` those of the world `gait-pegs` that are not the robot's
    (`radius`, `clearance`, `ahead`, `friction`, `peg_friction`); `fields` are further fields of the scenario.
    """
    wave = Gait.parse(dict(gait or {}))
    scenario = Scenario(
        name=f"gait-pegs-{robot if isinstance(robot, str) else robot.name}",
        title="A robot among pegs placed for its gait",
        robot=Choice(name=robot) if isinstance(robot, str) else robot,
        world=Choice(name="gait-pegs"),
        controller=Choice(name="serpenoid", options=wave.model_dump()),
    )
    built = scenario.built_robot()
    if wave.phase_shift == 0:
        raise InvalidInput("gait.phase_shift = 0 rad: no wave runs along the robot; should not be zero")
    links, given = len(built.links), wave.model_dump()
    start = Start(link=links // 2, angle=mean_heading(Wave(**given), links))
    own = _of_robot(built) | {"link": start.link, "position": start.position, "angle": start.angle} | given
    for name in pegs or {}:
        if name in own:
            raise InvalidInput(f"pegs.{name}: follows from the robot and the gait; should be left out")
    world = Choice(name="gait-pegs", options=own | dict(pegs or {}))
    return Scenario.model_validate(dict(scenario) | {"world": world, "start": start} | fields)


def _of_robot(robot: Robot) -> dict[str, Any]:
    """Options of the world that describe the robot; ends of links that stick out count as width."""
    lengths = [link.length for link in robot.links]
    wide = max(link.radius + max(0.0, link.half_core - link.length / 2) for link in robot.links)
    return {"links": len(lengths), "link_length": lengths[0] if len(set(lengths)) == 1 else lengths, "half_width": wide}
