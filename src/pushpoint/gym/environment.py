"""One robot as an environment of Gymnasium, over `pp.Simulation`."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from pushpoint.errors import InvalidInput, SolverFailure
from pushpoint.gym.observing import Float32Array, Seen
from pushpoint.gym.task import SENSORS, Task
from pushpoint.simulation import Simulation
from pushpoint.types import Command, FloatArray
from pushpoint.view.live import LivePicture

RENDER_MODES = ("rgb_array",)
SEEDS = 2**31  # of scenarios, drawn by the environment's generator


def made_task(task: type[Task] | str, options: dict[str, Any]) -> Task:
    """The task with its options; a text says where its class is: ``"module:Class"``."""
    if isinstance(task, str):
        module, _, name = task.partition(":")
        task = getattr(importlib.import_module(module), name)
    if not (isinstance(task, type) and issubclass(task, Task)):
        raise InvalidInput(f"task = {task!r}: should be a subclass of pushpoint.gym.Task")
    return task(**options)


def spaces(task: Task) -> tuple[Any, Any]:
    """Of observations and of actions."""
    return Box(-task.most, task.most), Box(-1.0, 1.0, (task.body.freedoms,))


def command(task: Task, before: FloatArray, target: FloatArray) -> Command:
    """From the old references to the new ones at a constant rate."""
    return Command(before, (target - before) / task.body.period, np.zeros_like(target))


class SnakeEnv(gymnasium.Env[Float32Array, Float32Array]):
    """A robot that does a task.

    Parameters
    ----------
    task
        A subclass of `Task`, or where it is: ``"module:Class"``.
    render_mode
        None, or ``"rgb_array"``: then `render` returns pictures.
    **options
        Of the task, see `TaskOptions`.
    """

    # Gymnasium declares it as an attribute of instances, and reads it off the class.
    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 20}  # type: ignore[misc]

    def __init__(self, task: type[Task] | str = Task, render_mode: str | None = None, **options: Any) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise InvalidInput(f"render_mode = {render_mode!r}: should be None or {RENDER_MODES[0]!r}")
        self.task, self.render_mode = made_task(task, options), render_mode
        fps = round(1.0 / self.task.body.period)
        self.metadata = {**type(self).metadata, "render_fps": fps}  # type: ignore[misc]  # as above
        self.observation_space, self.action_space = spaces(self.task)
        self._sim: Simulation | None = None
        self._picture: LivePicture | None = None

    @property
    def simulation(self) -> Simulation:
        """The run as it is now: its observation, its recording, copies."""
        if self._sim is None:
            raise InvalidInput("call reset() first")
        return self._sim

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32Array, dict[str, Any]]:
        """Begin an episode.

        Parameters
        ----------
        seed
            Of the generator that draws the seeds of the scenario, this one's and those of later episodes.
        options
            There are none.
        """
        super().reset(seed=seed)
        if self._sim is None:
            first = self.task.scenario.with_overrides({"seed": self._drawn()})
            self._sim = Simulation(first, sensors=SENSORS)
        else:
            self._sim.reset(self._drawn() if self.task.options.redraw or seed is not None else None)
        if self._picture is not None:
            self._picture.forget()
        about = self.task.about(self._sim.scenario.built_world())
        truth = self._truth()
        self._memory = self.task.begin(truth, about[np.newaxis])
        info = {"time": 0.0, "seed": self._sim.scenario.seed, "failure": "", "outcome": ""}
        self._last = self.task.observe(self._seen(truth), self._memory)[0]
        return self._last, info

    def _drawn(self) -> int:
        return int(self.np_random.integers(SEEDS))

    def step(self, action: Any) -> tuple[Float32Array, float, bool, bool, dict[str, Any]]:
        """One control period.

        Parameters
        ----------
        action
            Joint references at its end, as shares of the amplitude.
        """
        sim, before = self.simulation, self._memory
        asked = np.asarray(action, dtype=float)
        if asked.shape != self.action_space.shape or not np.isfinite(asked).all():
            raise InvalidInput(f"action = {action!r}: should be {self.task.body.freedoms} finite numbers from -1 to 1")
        target = self.task.targets(before, asked[np.newaxis])
        memory = before._replace(target=target)
        try:
            sim.step(command(self.task, before.target[0], target[0]))
        except SolverFailure as failure:
            info = {"time": sim.time, "failure": str(failure), "outcome": "failure"}
            return self._last.copy(), 0.0, True, False, info
        truth = self._truth()
        judgement, self._memory = self.task.judge(truth, memory)
        self._last = self.task.observe(self._seen(truth), self._memory)[0]
        reached, outside = bool(judgement.reached[0]), bool(judgement.outside[0])
        terminated, truncated = reached or outside, sim.done
        outcome = "goal" if reached else "out of bounds" if outside else "time" if truncated else ""
        info = {"time": sim.time, "failure": "", "outcome": outcome}
        info |= {name: float(value[0]) for name, value in judgement.terms.items()}
        return self._last, float(judgement.reward[0]), terminated, truncated, info

    def _truth(self) -> Seen:
        sim = self.simulation
        return Seen.of_snapshot(sim.snapshot, sim.time, self.task.body.period)

    def _seen(self, truth: Seen) -> Seen:
        """What observations show: the truth, or what imperfect sensors make of it."""
        return truth if self.task.scenario.sensors is None else truth.sensed(self.simulation.observation)

    def render(self) -> Any:
        """The robot among its obstacles from above, (height, width, 3) of uint8; None without a render mode."""
        if self.render_mode is None:
            return None
        sim = self.simulation
        if self._picture is None:
            self._picture = LivePicture(self.task.body.robot, self.task.options.direction, self.task.course())
        seen = self._truth().rows(0)
        return self._picture.draw(
            sim.scenario.built_world(), seen.position, seen.attitude, seen.contact_force, sim.time
        )

    def close(self) -> None:
        """Forget picture and run."""
        self._picture = self._sim = None
