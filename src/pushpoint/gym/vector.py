"""Many robots as one environment of Gymnasium, over `pp.Batch`: the same numbers as one by one, on all processors."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from pushpoint.batch import Batch
from pushpoint.errors import InvalidInput
from pushpoint.gym.environment import RENDER_MODES, SEEDS, command, made_task, spaces
from pushpoint.gym.observing import Float32Array, Seen
from pushpoint.gym.task import BoolArray, Judgement, Task
from pushpoint.types import FloatArray, IntArray
from pushpoint.view.live import LivePicture

Infos = dict[str, Any]
Step = tuple[Float32Array, FloatArray, BoolArray, BoolArray, Infos]
MODES = {mode.value: mode for mode in AutoresetMode}


class SnakeVectorEnv(VectorEnv[Float32Array, Float32Array, Any]):
    """Robots that do the same task, each with its own start and world.

    Observations and rewards are those of `SnakeEnv` with the same seeds, to the bit. Imperfect sensors and the plants
    of other engines are for single environments.

    Parameters
    ----------
    num_envs
        How many robots.
    task
        A subclass of `Task`, or where it is: ``"module:Class"``.
    render_mode
        None, or ``"rgb_array"``: then `render` returns a picture of each.
    autoreset_mode
        When an episode that has ended begins anew: ``"NextStep"``, in the next step, whose action is ignored and whose
        reward is zero; ``"SameStep"``, at once, with the last observation in ``infos["final_obs"]``; or ``"Disabled"``,
        by ``reset(options={"reset_mask": ended})``.
    threads
        How many at most; default: as many as there are processors.
    **options
        Of the task, see `TaskOptions`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        task: type[Task] | str = Task,
        render_mode: str | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise InvalidInput(f"render_mode = {render_mode!r}: should be None or {RENDER_MODES[0]!r}")
        if not isinstance(autoreset_mode, AutoresetMode) and autoreset_mode not in MODES:
            raise InvalidInput(f"autoreset_mode = {autoreset_mode!r}: should be one of {', '.join(map(repr, MODES))}")
        self.task, self.num_envs, self.render_mode, self._threads = (
            made_task(task, options),
            num_envs,
            render_mode,
            threads,
        )
        if self.task.scenario.sensors is not None:
            raise InvalidInput(
                "imperfect sensors are for single environments: make them one by one, or leave sensors out"
            )
        self._mode = AutoresetMode(autoreset_mode)
        fps = round(1.0 / self.task.body.period)
        self.metadata = {"render_modes": list(RENDER_MODES), "render_fps": fps, "autoreset_mode": self._mode}
        self.single_observation_space, self.single_action_space = spaces(self.task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._batch: Batch | None = None
        self._random = [seeding.np_random()[0] for _ in range(num_envs)]
        self._pictures: list[LivePicture] = []
        self._ended = np.zeros(num_envs, dtype=bool)

    @property
    def batch(self) -> Batch:
        """The robots as they are now."""
        if self._batch is None:
            raise InvalidInput("call reset() first")
        return self._batch

    # --- reset ---

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float32Array, Infos]:
        """Begin episodes.

        Parameters
        ----------
        seed
            Of the generators that draw the seeds of the scenarios: one for each robot, or that of the first, from which
            the others count up.
        options
            ``{"reset_mask": mask}`` resets some robots alone.
        """
        which = self._masked(options)
        given = self._seeded(seed, which)
        self._restart(which, redraw=given)
        self._ended[which] = False
        batch = self.batch
        infos: Infos = {"time": batch.time.copy(), "seed": np.array([each.seed for each in batch.scenarios])}
        mask = np.zeros(self.num_envs, dtype=bool)
        mask[which] = True
        self._last = self.task.observe(self._seen(), self._memory)
        return self._last.copy(), _with_masks(infos, mask)

    def _masked(self, options: dict[str, Any] | None) -> IntArray:
        """Numbers of the robots to reset."""
        if not options or "reset_mask" not in options:
            return np.arange(self.num_envs)
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise InvalidInput(f"options['reset_mask'] should be {self.num_envs} booleans, at least one of them true")
        if self._batch is None:
            raise InvalidInput("call reset() without a mask first")
        return np.flatnonzero(mask)

    def _seeded(self, seed: int | list[int | None] | None, which: IntArray) -> BoolArray:
        """New generators where a seed is given; for which of the robots to reset that is so."""
        seeds = [seed + k for k in range(self.num_envs)] if isinstance(seed, int | np.integer) else seed
        if seeds is None:
            return np.zeros(len(which), dtype=bool)
        if len(seeds) != self.num_envs:
            raise InvalidInput(f"seed has {len(seeds)} values for {self.num_envs} robots")
        for k in which:
            if seeds[k] is not None:
                self._random[k] = seeding.np_random(seeds[k])[0]
        return np.array([seeds[k] is not None for k in which], dtype=bool)

    def _restart(self, which: IntArray, redraw: BoolArray) -> None:
        """Begin anew, with new starts and worlds where asked for, or everywhere if the task wants it."""
        if self._batch is None:
            seeds = [self._drawn(k) for k in range(self.num_envs)]
            self._batch = Batch(self.task.scenario, seeds=seeds, threads=self._threads)
            which = np.arange(self.num_envs)
        else:
            anew = which[redraw | self.task.options.redraw]
            if len(anew):
                self._batch.reset(anew, [self._drawn(k) for k in anew])
            same = np.setdiff1d(which, anew)
            if len(same):
                self._batch.reset(same)
        for k in which if self._pictures else ():
            self._pictures[k].forget()
        seen = self._seen()
        memory = self.task.begin(seen.rows(which), self._about(which))
        if len(which) == self.num_envs:
            self._memory = memory
        else:
            self._memory.put(which, memory)

    def _drawn(self, robot: int) -> int:
        return int(self._random[robot].integers(SEEDS))

    def _about(self, which: IntArray) -> FloatArray:
        if type(self.task).about is Task.about:
            return np.zeros((len(which), 0))
        return np.array([self.task.about(self.batch.scenarios[k].built_world()) for k in which])

    # --- step ---

    def step(self, actions: Any) -> Step:
        """One control period of all robots.

        Parameters
        ----------
        actions
            (num_envs, joints), see `SnakeEnv.step`.
        """
        asked, batch = np.asarray(actions, dtype=float), self.batch
        if asked.shape != self.action_space.shape or not np.isfinite(asked).all():
            raise InvalidInput(f"actions of shape {asked.shape}: should be {self.action_space.shape}, all finite")
        if self._mode is AutoresetMode.DISABLED and self._ended.any():
            raise InvalidInput(f"robot {np.flatnonzero(self._ended)[0]} has ended its episode: reset it first")
        before, last = self._memory, self._last
        target = self.task.targets(before, asked)
        batch.step(command(self.task, before.target, target))
        judgement, self._memory = self.task.judge(self._seen(), before._replace(target=target))
        observed, failed = self.task.observe(self._seen(), self._memory), batch.failed
        observed[failed] = last[failed]
        reward = np.where(failed, 0.0, judgement.reward)
        terminated = failed | judgement.reached | judgement.outside
        truncated = batch.done & ~failed
        infos = self._infos(judgement, truncated)
        return self._renewed(observed, reward, terminated, truncated, infos)

    def _infos(self, judgement: Judgement, truncated: BoolArray) -> Infos:
        failed = self.batch.failed
        cases = [failed, judgement.reached, judgement.outside, truncated]
        outcome = np.select(cases, np.array(["failure", "goal", "out of bounds", "time"])[:, np.newaxis], "")
        infos: Infos = {"time": self.batch.time.copy(), "outcome": outcome.astype(object)}
        infos["failure"] = np.array(self.batch.failures, dtype=object)
        return infos | {name: np.where(failed, 0.0, value) for name, value in judgement.terms.items()}

    def _renewed(
        self, observed: Float32Array, reward: FloatArray, terminated: BoolArray, truncated: BoolArray, infos: Infos
    ) -> Step:
        """The same after the resets that are due."""
        everybody, waiting, finals = np.ones(self.num_envs, dtype=bool), self._ended, Infos()
        self._ended = terminated | truncated
        if self._mode is AutoresetMode.NEXT_STEP and waiting.any():
            self._begin_again(waiting, observed)
            reward[waiting], terminated[waiting], truncated[waiting] = 0.0, False, False
            self._ended &= ~waiting
            infos = {name: _blank(values, waiting) for name, values in infos.items()}
        if self._mode is AutoresetMode.SAME_STEP and self._ended.any():
            ended, final = self._ended, np.full(self.num_envs, None, dtype=object)
            for k in np.flatnonzero(ended):
                final[k] = observed[k].copy()
            finals = {"final_obs": final, "final_info": _with_masks(infos, ended)}
            self._begin_again(ended, observed)
            infos = {name: _blank(values, ended) for name, values in infos.items()}
            self._last = observed
            return (
                observed.copy(),
                reward,
                terminated,
                truncated,
                _with_masks(infos, everybody) | _with_masks(finals, ended),
            )
        self._last = observed
        return observed.copy(), reward, terminated, truncated, _with_masks(infos, everybody)

    def _begin_again(self, which: BoolArray, observed: Float32Array) -> None:
        """Reset some robots; their rows of `observed` become those of the start."""
        self._restart(np.flatnonzero(which), np.zeros(int(which.sum()), dtype=bool))
        observed[which] = self.task.observe(self._seen().rows(which), self._memory.rows(which))

    # --- what is seen ---

    def _seen(self) -> Seen:
        batch = self.batch
        flat, columns, count = batch.observation, batch.columns, self.num_envs
        plane = batch.dimensions == 2

        def part(name: str, *shape: int) -> FloatArray:
            return np.asarray(flat[:, columns[name]].reshape(count, *shape))

        n, d, f = batch.links, batch.dimensions, batch.joints
        return Seen(
            time=batch.time,
            joint_angle=part("joint_angle", f),
            joint_rate=part("joint_rate", f),
            joint_torque=part("joint_torque", f),
            position=part("link_position", n, d),
            attitude=part("link_yaw", n) if plane else part("link_orientation", n, 4),
            velocity=part("link_velocity", n, d),
            rate=part("link_rate", n) if plane else part("link_rate", n, 3),
            contact_force=part("contact_force", n, d),
            ground_force=part("ground_force", n, d),
        )

    def render(self) -> Any:
        """A picture of each robot, see `SnakeEnv.render`; None without a render mode."""
        if self.render_mode is None:
            return None
        seen, batch, task = self._seen(), self.batch, self.task
        if not self._pictures:
            course = task.course()
            self._pictures = [LivePicture(task.body.robot, task.options.direction, course) for _ in self._random]
        return tuple(
            picture.draw(
                scenario.built_world(), seen.position[k], seen.attitude[k], seen.contact_force[k], seen.time[k]
            )
            for k, (picture, scenario) in enumerate(zip(self._pictures, batch.scenarios, strict=True))
        )

    def close(self, **kwargs: Any) -> None:
        """End the threads, and forget pictures and runs.

        Parameters
        ----------
        **kwargs
            None are used.
        """
        if self._batch is not None:
            self._batch.close()
        self._batch, self._pictures, self.closed = None, [], True


def _with_masks(infos: Infos, mask: BoolArray) -> Infos:
    """Gymnasium's form: beside each array a mask of those robots that it is of."""
    return infos | {f"_{name}": mask.copy() for name in infos}


def _blank(values: Any, which: BoolArray) -> Any:
    """The same where a robot has just begun: no time has passed, and nothing has happened."""
    out = values.copy()
    out[which] = "" if values.dtype == object else 0.0
    return out
