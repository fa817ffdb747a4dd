"""Our own runs in space: pegs, stairs, rough ground, slopes."""

from __future__ import annotations

from math import radians
from typing import Any

from pushpoint.robots import Servo
from pushpoint.scenario import Choice, Scenario, Start
from pushpoint.scenarios import scenarios
from pushpoint.scenarios.transeth2008a import AMONG_PIPES, GAIT

LIMP = Servo(stiffness=0.0, damping=0.02)  # joints that are loose, with a little friction in the gears


def add(slug: str, title: str, **fields: Any) -> None:
    name = f"lab/{slug}"
    common: dict[str, Any] = {"plant": Choice(name="spatial_stepping"), "source": "ours, not published"}
    scenarios.add(name, Scenario(name=name, title=title, **(common | fields)))


add(
    "pegs-3d",
    "Aiko pushes itself along the seven pipes of P2, in space",
    robot=Choice(name="aiko"),
    world=Choice(name="track"),
    controller=Choice(name="serpenoid", options=GAIT),
    start=AMONG_PIPES,
    duration=10.0,
)

add(
    "stairs-rest",
    "A limp robot is laid on stairs and comes to rest",
    robot=Choice(name="aiko-cardan"),
    world=Choice(name="stairs", options={"steps": 4, "rise": -0.08, "run": 0.25, "start": -0.5}),
    controller=Choice(name="hold", options={"joint_angle": 0.0}),
    servo=LIMP,
    start=Start(pitch=radians(15.0), angle=radians(10.0), height=0.005),
    duration=5.0,
)

add(
    "rough-ground",
    "A limp robot is laid on rough ground and comes to rest",
    robot=Choice(name="aiko-cardan"),
    world=Choice(name="rough-ground"),
    controller=Choice(name="hold", options={"joint_angle": 0.0}),
    servo=LIMP,
    start=Start(angle=radians(20.0), height=0.005),
    duration=5.0,
)

add(
    "slope",
    "Sidewinding across a slope of ten degrees",
    robot=Choice(name="aiko-cardan"),
    world=Choice(name="slope", options={"angle": radians(10.0), "friction": 0.4}),
    controller=Choice(name="gait", options={"preset": "sidewinding"}),
    start=Start(link=5),
    duration=15.0,
)
