"""Which candidate comes next: sequences of two are tried in a model, and the one with most progress wins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pushpoint.control._clutter_candidates import Gaits
from pushpoint.mapping import Model, Trial
from pushpoint.types import FloatArray, Observation, Pose

WORST = -1e3  # [m], score of what the model could not simulate


class Present(NamedTuple):
    """Where a search begins."""

    tick: int  # from t = 0
    joint_angle: FloatArray  # [rad]
    choice: int  # the gait in use
    memory: FloatArray  # its state


class Decision(NamedTuple):
    """What came out."""

    first: int  # candidate for the first part
    then: int  # and for the rest
    score: FloatArray  # [m], (candidates,): the most progress that begins with each
    ahead: float  # [m], progress of the choice by the end of its first part


class Search:
    """Sequences of two candidates: each of all, then itself or one of a few."""

    def __init__(self, gaits: Gaits, mass_share: FloatArray, first: int, rest: int) -> None:
        self._gaits, self._mass, self._first, self._rest = gaits, mass_share, first, rest

    def decide(self, model: Model, pose: Pose, now: Present) -> Decision:
        """Try all sequences; equal scores leave the earlier candidate."""
        count, begin, here = len(self._gaits.candidates), model.begin(pose), self._progress(pose.position)
        states = [self._gaits.begun(k, now.choice, now.memory, now.joint_angle) for k in range(count)]
        loops = [self._gaits.loop_of(k, state, now.tick) for k, state in enumerate(states)]
        opened = model.trials([begin] * count, loops, self._first)
        score = np.array([WORST if trial.failed else self._progress(trial.position) - here for trial in opened])
        near, then = score.copy(), np.arange(count)
        if self._rest > 0:
            for k, second, reached in self._continued(model, opened, loops):
                if k == second:
                    score[k] = WORST
                if reached - here > score[k]:
                    score[k], then[k] = reached - here, second
        best = int(np.argmax(score))
        return Decision(best, int(then[best]), score, float(near[best]))

    def _continued(self, model: Model, opened: list[Trial], loops: list[Any]) -> list[tuple[int, int, float]]:
        """First and second candidate of each sequence, itself first, and where it ends along x [m]."""
        pairs, begin, following = list[tuple[int, int]](), [], []
        for k, trial in enumerate(opened):
            for second in (k, *(s for s in self._gaits.second if s != k)):
                if trial.failed:
                    continue
                state = self._gaits.begun(second, k, loops[k].state, np.diff(trial.angle), goes_on=second == k)
                pairs.append((k, second))
                begin.append(trial.end)
                following.append(self._gaits.loop_of(second, state, loops[k].tick))
        if not pairs:
            return []
        ended = model.trials(begin, following, self._rest)
        place = [WORST if trial.failed else self._progress(trial.position) for trial in ended]
        return [(k, second, x) for (k, second), x in zip(pairs, place, strict=True)]

    def _progress(self, position: FloatArray) -> float:
        return float(self._mass @ position[:, 0])
