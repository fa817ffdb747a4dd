"""Along a path by pushing at the pegs beside it: the course of `lab/hoal-sine`."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pushpoint.control._push_options import PushAlongOptions, Sine, path_of
from pushpoint.fields import NonNegative
from pushpoint.gym.observing import Float32Array, Part, Scene
from pushpoint.gym.task import MOST_RATE, MOST_SPEED, Task, TaskOptions, _both
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.planning.follow import arcs_on, coordinates_on
from pushpoint.quantities import Coordinate, Length, PlanePoints, Speed
from pushpoint.robots import Servo
from pushpoint.scenario import Scenario, Start
from pushpoint.types import FloatArray

SPACING = 0.01  # [m], of the table of the path
REACH = 0.5  # [m], along the path: as far as the head is looked for from where it was
AHEAD = 5  # points of the path that are shown
JITTER = 1e-3  # [m], of the start
MOST_OFF = 2.0  # [m], as shown


class PathOptions(TaskOptions):
    """More of a path."""

    path: Sine | PlanePoints = Sine()  # or points [m]
    head: Coordinate = 5.28  # [m], arc length at which the head's end starts
    look_ahead: Length = 0.3  # [m], between the points of the path that are shown
    speed: Speed = 0.15  # [m/s], of the gait that follows the path
    off_path_weight: NonNegative = 0.2  # [1/(m s)]


class PathFollow(Task):
    """Progress of the head along a path, less its distance from it."""

    Options: ClassVar[type[TaskOptions]] = PathOptions
    options: PathOptions
    defaults: ClassVar[dict[str, Any]] = {
        "scenario": "lab/hoal-sine",
        "servo": Servo(stiffness=150.0, damping=6.0, torque_limit=20.0),  # [N m/rad], [N m s/rad], [N m]
        "duration": 20.0,
        "amplitude": math.radians(60.0),
        "goal": 3.0,
        "most_aside": 0.5,
    }

    def made_scenario(self) -> Scenario:
        own = self.options
        self._path = path_of(PushAlongOptions(path=own.path))
        self._arc = np.arange(0.0, self._path.length + SPACING, SPACING)
        self._points, self._tangents = self._path(self._arc), self._path.tangent(self._arc)
        base = super().made_scenario().with_overrides({"controller": "hold"})
        self._chain = TailChain.of(base.built_robot())
        if own.start is not None:
            return base
        q = self._on_path(np.array([own.head]))[0]
        tail, angles, place = (
            q[0],
            q[1:-2],
            q[-2:] + base.built_robot().links[0].length / 2 * np.array([math.cos(q[0]), math.sin(q[0])]),
        )
        mean = tail + float(np.concatenate([[0.0], np.cumsum(angles)]).mean())
        # On the path it would overlap pegs a little: plants push it off.
        start = Start(
            link=0, position=(float(place[0]), float(place[1])), angle=mean, joint_angle=tuple(angles.tolist()),
            jitter=1e-3, overlap="allow",
        )  # fmt: skip
        return base.with_overrides({"start": start.model_dump()})

    def _on_path(self, s: FloatArray) -> FloatArray:
        """Tail coordinates (len(s), N) with the head's end at arc lengths s [m]."""
        return coordinates_on(self._path(arcs_on(self._chain, self._path, s)))

    def gait(self) -> Float32Array:
        s = self.options.head + self.options.speed * self.body.period * np.arange(1.0, self.setup.ticks + 1.0)
        return self.action_for(self._on_path(s)[:, 1:-2])

    def course(self) -> FloatArray:
        return self._points

    def progress(self, scene: Scene, before: FloatArray | None) -> FloatArray:
        return self._nearest(self._head(scene), before)[0]

    def _head(self, scene: Scene) -> FloatArray:
        """Front end of the head link [m], (N, 2)."""
        return np.asarray(scene.seen.position[:, -1, :2] + self.body.robot.links[-1].length / 2 * scene.axes[:, -1])

    def _nearest(self, point: FloatArray, before: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """Arc length of the nearest place of the path, within REACH of where it was before, and how far the point is to
        the left of it [m], (N,) each."""
        off = point[:, np.newaxis] - self._points
        distance = off[..., 0] ** 2 + off[..., 1] ** 2
        if before is not None:
            distance = np.where(np.abs(self._arc - before[:, np.newaxis]) > REACH, np.inf, distance)
        k, row = np.argmin(distance, axis=1), np.arange(len(point))
        (x, y), (tx, ty) = off[row, k].T, self._tangents[k].T
        return self._arc[k] + tx * x + ty * y, tx * y - ty * x

    def off_path(self, scene: Scene) -> FloatArray:
        """[m], (N,): how far the head is to the left of the path."""
        return self._nearest(self._head(scene), None)[1]

    def aside(self, scene: Scene, start: FloatArray) -> FloatArray:
        return np.abs(self.off_path(scene))

    def costs(self, scene: Scene) -> dict[str, tuple[float, FloatArray]]:
        return {"off_path": (self.options.off_path_weight, np.abs(self.off_path(scene)) * self.body.period)}

    def made_parts(self) -> tuple[Part, ...]:
        ahead = f"of {AHEAD} points of the path ahead of the head's end, {self.options.look_ahead:g} m apart: x and y"
        return (
            *self.parts_of_body(),
            Part("off_path", 1, "m", MOST_OFF, "distance of the head's end to the left of the path",
                 lambda s: self.off_path(s)[:, np.newaxis]),
            Part("heading", 2, "1", 1.0, "cosine and sine of the angle of the head link to the path",
                 self._heading_error),
            Part("velocity", 2, "m/s", MOST_SPEED, "of the centre of mass, along the mean link axis and to its left",
                 lambda s: s.turned(s.velocity[:, :2], s.heading)),
            Part("turning", 1, "rad/s", MOST_RATE, "mean rate of the links about the vertical",
                 lambda s: s.turning[:, np.newaxis]),
            Part("ahead", 2 * AHEAD, "m", MOST_OFF, f"{ahead} in the axes of the head link", self._ahead),
            *self.clock_parts(),
        )  # fmt: skip

    def _heading_error(self, scene: Scene) -> FloatArray:
        tangent = self._path.tangent(self.progress(scene, None))
        head = scene.axes[:, -1]
        return _both(np.arctan2(head[:, 1], head[:, 0]) - np.arctan2(tangent[:, 1], tangent[:, 0]))

    def _ahead(self, scene: Scene) -> FloatArray:
        s = self.progress(scene, None)[:, np.newaxis] + self.options.look_ahead * np.arange(1, AHEAD + 1)
        head, axis = self._head(scene), scene.axes[:, -1]
        off = self._path(s) - head[:, np.newaxis]
        return scene.turned(off, np.arctan2(axis[:, 1], axis[:, 0])).reshape(len(head), -1)
