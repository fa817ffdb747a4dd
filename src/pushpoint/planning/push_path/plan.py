"""A planned path as data: where it goes, what it pushes against, what torques it needs, what is missing."""

from __future__ import annotations

import math
from pathlib import Path as FilePath
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from pushpoint import limits
from pushpoint import quantities as q
from pushpoint.fields import Fraction, Frozen, NonNegative
from pushpoint.files import write_bytes
from pushpoint.plain_data import read_yaml, yaml_text
from pushpoint.robots import Servo
from pushpoint.scenario import Choice, Scenario, Start
from pushpoint.types import FloatArray
from pushpoint.worlds import World

STOPPED = "in a simulation it did not get to its end"  # begins the reason of a plan that the prediction took for good
LONGEST_PERIOD = 0.005  # [s], of ticks: torque control needs short ones
FOLLOWER = "contacts", "head-pose", "joint-encoders"  # sensors of `push-along`: exact where a scenario has others
PATIENCE, APPROACH = 4.0, 12.0  # [s], beyond what the path takes at full speed; and with a start beside the path
Samples = Annotated[tuple[NonNegative, ...], Field(max_length=limits.PATH_SAMPLES)]
Pairs = Annotated[tuple[tuple[int, ...], ...], Field(max_length=limits.PATH_SAMPLES)]


def _with_points(plant: Choice) -> Choice:
    """A plant whose contacts act at their points, not at the centres of links as in P1."""
    if plant.name != "planar_hybrid":
        return plant
    return plant.model_copy(update={"options": {**plant.options, "contact": "point"}})


class Plan(Frozen):
    """A path of bounded curvature through a map of pegs, and how well a robot can push itself along it.

    `reason` is empty where the robot can; else it says where what is missing. A plan is data: `save` and `load` it,
    simulate what `scenario` makes of it, or hand `controller_options` to `push-along`.
    """

    path: q.PlanePoints  # [m], from the tail on
    head: q.Coordinate  # [m], arc length of the head's end at the start
    distance: q.Length  # [m], that the head should go along the path
    pegs: q.PegMap  # x, y, radius [m]: the map
    speed: q.Speed  # [m/s]
    torque_limit: q.TorqueLimit  # [N m]
    ground_friction: q.FrictionCoefficient  # coefficient, of links on the ground
    viscous: q.Gain  # [N s/m], per link
    peg_friction: q.FrictionCoefficient  # coefficient, of links on pegs
    gravity: q.Gravity = 9.81  # [m/s2]
    contact_distance: q.Width = 2e-3  # [m]: pegs count that are nearer than this
    s: Samples = ()  # [m], arc lengths of the head's end at which the rest is given
    alpha: Samples = ()  # the multiple of the drag that can be carried there: the propulsive margin is alpha - 1
    push_points: Pairs = ()  # pegs that push there
    lacking: Fraction = 1.0  # share of the path where alpha is below one
    stall: q.Coordinate | None = None  # [m], where the robot is predicted to stall; None: nowhere
    reason: str = ""  # why it will not get along; empty: it will
    checked: bool | None = None  # whether it did in a simulation; None: not tried

    @property
    def is_good(self) -> bool:
        """Whether the robot is predicted to get along, or did, where that was simulated."""
        return not self.reason if self.checked is None else self.checked

    @property
    def torque_needed(self) -> FloatArray:
        """[N m], along `s`: the limit over alpha; inf where nothing pushes."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.torque_limit / np.array(self.alpha))

    def largest_torque(self) -> float | None:
        """[N m] that is needed where there is push enough; None where there is nowhere, or motors have no limit."""
        torque = self.torque_needed[np.array(self.alpha) >= 1.0]
        return float(torque.max()) if len(torque) and math.isfinite(self.torque_limit) else None

    def controller_options(self, approach: float = 0.0) -> dict[str, Any]:
        """Options of `push-along` with which it follows the plan.

        Parameters
        ----------
        approach
            [s], in which a robot beside the path takes the shape that it has there.

        Returns
        -------
        dict
            Plain data.
        """
        return {
            "approach": approach,
            "path": [list(point) for point in self.path],
            "pegs": [list(peg) for peg in self.pegs],
            "head": self.head,
            "speed": self.speed,
            "torque_limit": self.torque_limit,
            "ground_friction": self.ground_friction,
            "viscous": self.viscous,
            "peg_friction": self.peg_friction,
            "gravity": self.gravity,
            "contact_distance": self.contact_distance,
            "margin_distance": REACHED if approach == 0.0 else REACHED_BESIDE,
            "margin": 0.0,
        }

    def scenario(self, base: Scenario, start: bool = False) -> Scenario:
        """A run along the path: the robot and the world of another scenario, controller `push-along`.

        Parameters
        ----------
        base
            Whose robot, world, plant, sensors and seed are used; on `planar_hybrid` contacts act at their points, as
            plans are made for that.
        start
            Whether the robot starts where `base` puts it; else it lies on the path.

        Returns
        -------
        Scenario
            As long as the path needs at the speed of the plan, and PATIENCE seconds.
        """
        period = min(base.control_period, LONGEST_PERIOD)
        ticks = math.ceil((self.distance / self.speed + (APPROACH if start else PATIENCE)) / period)
        return Scenario.model_validate(
            dict(base)
            | {
                "title": f"A planned path of push-points: {base.title or base.name}",
                "plant": _with_points(base.plant),
                "controller": Choice(name="push-along", options=self.controller_options(4.0 if start else 0.0)),
                "servo": Servo(torque_limit=self.torque_limit),
                "start": base.start if start else Start(),
                "sensors": None if base.sensors is None else {name: {} for name in FOLLOWER} | base.sensors,
                "control_period": period,
                "record_period": None,
                "duration": round(ticks * period, 9),
                "stop": None,
            }
        ).keeping(None, None if isinstance(base.world, World) else base.built_world())

    def save(self, path: str | FilePath) -> None:
        """Write the plan as YAML; the file is complete or absent.

        Parameters
        ----------
        path
            Of the file.
        """
        write_bytes(FilePath(path), yaml_text(self.model_dump(mode="json")).encode())

    @classmethod
    def load(cls, path: str | FilePath) -> Plan:
        """Read a plan that `save` wrote.

        Parameters
        ----------
        path
            Of the file.

        Returns
        -------
        Plan
            Equal to the one that was saved.
        """
        return cls.parse(read_yaml(FilePath(path), "plan"))


REACHED = 5e-3  # [m]: a robot on a plan that gets stuck reaches for pegs as far as this: others are not meant
REACHED_BESIDE = 30e-3  # [m]: the same of one that begins beside the path
