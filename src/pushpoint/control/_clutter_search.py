"""Which candidate comes next: sequences of two are tried in a model, and the one with most progress wins."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from pushpoint.control._clutter_candidates import Gaits
from pushpoint.fields import Frozen, Number
from pushpoint.mapping import Model, Trial
from pushpoint.quantities import Period
from pushpoint.types import FloatArray, Observation, Pose

WORST = -1e3  # [m], score of what the model could not simulate


class SearchOptions(Frozen):
    """Which sequences are tried."""

    candidates: Annotated[int, Field(ge=1, le=64)] = 32  # that are tried first, at most
    budget: Annotated[int, Field(ge=1, le=1024)] = 32  # sequences that are tried to the end
    first: Period = 1.0  # [s], of the first candidate of a sequence
    horizon: Period = 3.0  # [s], of both
    early: Number = 0.0  # by how much progress of the first counts again, so that no good plan is put off for ever


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
    """Sequences of two candidates: each of all is tried alone, and the most promising are followed by one of a few."""

    def __init__(self, gaits: Gaits, mass_share: FloatArray, plan: SearchOptions, period: float) -> None:
        self._gaits, self._mass, self._plan = gaits, mass_share, plan
        self.first = max(1, round(plan.first / period))
        self._rest = max(0, round(plan.horizon / period) - self.first)

    def decide(self, model: Model, pose: Pose, now: Present) -> Decision:
        """Try sequences; of equal ones the earlier wins."""
        count, begin, here = len(self._gaits.candidates), model.begin(pose), self._progress(pose.position)
        states = [self._gaits.begun(k, now.choice, now.memory, now.joint_angle) for k in range(count)]
        loops = [self._gaits.loop_of(k, state, now.tick) for k, state in enumerate(states)]
        opened = model.trials([begin] * count, loops, self.first)
        near = np.array([WORST if trial.failed else self._progress(trial.position) - here for trial in opened])
        score, then = np.full(count, WORST), np.arange(count)
        pairs = self._promising(near)
        for (k, second), reached in zip(pairs, self._continued(model, opened, loops, pairs), strict=True):
            total = reached - here + self._plan.early * near[k]
            if total > score[k]:
                score[k], then[k] = total, second
        best = int(np.argmax(score))
        return Decision(best, int(then[best]), score, float(near[best]))

    def _promising(self, near: FloatArray) -> list[tuple[int, int]]:
        """First and second candidates of the sequences that are tried to the end, within the budget."""
        own, order = self._gaits, np.argsort(-near, kind="stable").tolist()
        order = [k for k in order if own.candidates[k].opens] + [k for k in order if not own.candidates[k].opens]
        pairs = [(k, second) for k in order for second in (k, *(s for s in own.second if s != k)) if near[k] > WORST]
        return pairs[: self._plan.budget]

    def _continued(
        self, model: Model, opened: list[Trial], loops: list[Any], pairs: list[tuple[int, int]]
    ) -> list[float]:
        """Where sequences end along x [m]."""
        following = []
        for k, second in pairs:
            angle, goes_on = np.diff(opened[k].angle), second == k
            state = self._gaits.begun(second, k, loops[k].state, angle, goes_on)
            following.append(self._gaits.loop_of(second, state, loops[k].tick))
        if not pairs:
            return []
        ended = model.trials([opened[k].end for k, _ in pairs], following, self._rest)
        return [WORST if trial.failed else self._progress(trial.position) for trial in ended]

    def _progress(self, position: FloatArray) -> float:
        return float(self._mass @ position[:, 0])
