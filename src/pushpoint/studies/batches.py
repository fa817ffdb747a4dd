"""A batch: a few runs of a study, made and measured in one process. It arrives and leaves as JSON, with recordings as
bytes behind it, so that any process on any machine can do it."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pushpoint._interrupts import noted, number_of
from pushpoint._many_runs import ManyRuns
from pushpoint.errors import InvalidInput
from pushpoint.plants._many import Threads
from pushpoint.robots import Robot
from pushpoint.scenario import KEPT, Scenario
from pushpoint.studies.jobs import RUN, Outcome, Question, answered, recorded
from pushpoint.studies.keys import fingerprint
from pushpoint.studies.study import Study
from pushpoint.user_code import Source, described, keep_only, sources, take_over
from pushpoint.worlds import World

if TYPE_CHECKING:
    from pushpoint.recording import Recording

FIRST, TOGETHER = 2, 8  # runs in one compiled call, at the beginning and later: more gain nothing
SENT = "send"  # recordings come back as bytes, instead of being written into a folder
_alone = threading.Lock()  # a process does one batch at a time, whatever threads it has

Asked = tuple[int, str, dict[str, Any]]  # number in the study, key, changes by dotted key
Reply = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What all batches of a study share."""

    scenario: Scenario
    questions: Mapping[str, Question]
    recordings: str  # "drop", "send", or a folder
    seconds: float  # after so many no further runs of a batch are begun


def plan_text(study: Study, recordings: str, seconds: float) -> str:
    """The same as text, with names and hashes of the files that are loaded."""
    scenario = study.base_scenario
    kept = {
        part: scenario.__dict__[name].model_dump(mode="json")
        for part, name in KEPT.items()
        if name in scenario.__dict__
    }
    return json.dumps({
        "scenario": scenario.plain(),
        "kept": kept,
        "measures": [[wanted.column, wanted.name, wanted.options] for wanted in study.measurements],
        "recordings": recordings,
        "seconds": seconds,
        "code": [[source.path, source.file.sha256] for source in sources()],
        "versions": fingerprint(),
    })  # fmt: skip


def batch_text(plan: str, runs: Sequence[Asked], code: bool = False) -> str:
    """A batch; with the text of the loaded files, if whoever does it has not got them yet."""
    texts = [list(source) for source in sources()] if code else []
    return json.dumps({"plan": plan, "runs": runs, "code": texts})


def do_text(text: str) -> tuple[str, list[bytes]]:
    """Do a batch; returns its reply and the recordings that are sent along. Nothing is raised but interrupts."""
    with _alone:
        rows: list[Reply] = []
        files: list[bytes] = []
        reply = do(text, rows.append, files.append)
        return json.dumps({**reply, "rows": rows}), files


def do(text: str, finished: Callable[[Reply], None], sent: Callable[[bytes], None]) -> Reply:
    """Do a batch, and give out every row when it is there; returns what else is to be said.

    `missing`: files that have to be sent along. `refused`: why this process cannot work for that master. `full`: why a
    recording cannot be written. `left`: numbers of the runs that were not begun, as the time was over.
    """
    began, data = time.perf_counter(), json.loads(text)
    head = json.loads(data["plan"])
    try:
        missing = _taken_code([(path, digest) for path, digest in head["code"]], data["code"])
    except InvalidInput as error:
        return {"refused": f"it cannot load a file: {error}"}
    if missing:
        return {"missing": missing}
    if refusal := _other_versions(head["versions"]):
        return {"refused": refusal}
    plan, left = _plan(data["plan"]), [(number, key, changes) for number, key, changes in data["runs"]]
    reply: Reply = {"seconds": 0.0}
    together = FIRST  # few at first: they may take longer than those of other batches did
    while left and reply["seconds"] < plan.seconds:
        (some, left), together = (left[:together], left[together:]), min(TOGETHER, 2 * together)
        try:
            _Part(plan, some, finished, sent).run()
        except _NotWritten as error:
            return {"full": str(error)}
        reply["seconds"] = time.perf_counter() - began
    return {**reply, "left": [number for number, *_ in left]}


def _taken_code(wanted: Sequence[tuple[str, str]], texts: Sequence[Sequence[str]]) -> list[str]:
    """Load what was sent along, forget what another master had sent; returns the paths of what is missing still."""
    keep_only(wanted)
    for path, text in texts:
        take_over([Source(path, text)])
    loaded = {(source.path, source.file.sha256) for source in sources()}
    return [path for path, digest in wanted if (path, digest) not in loaded]


def _other_versions(asked: Mapping[str, Any]) -> str:
    """What of the versions differs here. Another processor alone is no reason: numbers may differ by round-off."""
    own = fingerprint()
    different = [name for name in own if name != "system" and own[name] != asked.get(name)]
    if not different:
        return ""
    name = different[0]
    return f"it has other {name}: {own[name]} instead of {asked.get(name)}; all have to have the same"


@lru_cache(maxsize=4)
def _plan(text: str) -> Plan:
    data = json.loads(text)
    scenario = Scenario.parse(data["scenario"])
    if data["kept"]:
        robot, world = data["kept"].get("robot"), data["kept"].get("world")
        scenario = scenario.keeping(robot and Robot.parse(robot), world and World.parse(world))
    questions = {column: Question(name, options, (RUN,)) for column, name, options in data["measures"]}
    return Plan(scenario, questions, data["recordings"], data["seconds"])


class _NotWritten(Exception):
    """A recording could not be written: that is no fault of the run."""


class _Part:
    """Some runs at once: those that can be are one compiled call."""

    def __init__(
        self,
        plan: Plan,
        runs: Sequence[Asked],
        finished: Callable[[Reply], None],
        sent: Callable[[bytes], None],
    ) -> None:
        self.plan, self.runs, self._finished, self._sent = plan, list(runs), finished, sent
        self._open = dict(enumerate(self.runs))

    def run(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the run made in advance has shown them
            self._run()

    def _run(self) -> None:
        places, scenarios = [], []
        for k, (_, _, changes) in enumerate(self.runs):
            try:
                scenarios.append(self.plan.scenario.with_overrides(changes).pinned())
                places.append(k)
            except Exception as error:  # a world may be impossible for a seed
                self._fail(k, error)
        many = ManyRuns(scenarios, Threads(1), lambda place, error: self._fail(places[place], error))
        with noted() as many.stop:
            try:
                many.run()
            except KeyboardInterrupt as stop:  # in code of users
                many.stop.signal = number_of(stop)
            except Exception:  # each alone, below, to see whose it is
                pass
            finally:
                many.threads.close()
        for place, recording in enumerate(many.recordings):
            if recording is not None and many.complete[place]:
                self._measure(places[place], recording, many.messages[place])
        many.stop.raise_if_asked()
        for place, scenario in enumerate(scenarios):
            if places[place] in self._open:
                self._do_alone(places[place], scenario)

    def _do_alone(self, k: int, scenario: Scenario) -> None:
        outcome = Outcome()
        recording = recorded(RUN, scenario, outcome, [])
        self._give(k, outcome, recording)

    def _fail(self, k: int, error: Exception) -> None:
        self._give(k, Outcome(problems={RUN: described(error)}), None)

    def _measure(self, k: int, recording: Recording, message: str) -> None:
        outcome = Outcome(problems={RUN: message} if message else {})
        outcome.note(recording)
        self._give(k, outcome, recording)

    def _give(self, k: int, outcome: Outcome, recording: Recording | None) -> None:
        if not outcome.problems and recording is not None:
            answered(self.plan.questions, {RUN: recording}, outcome)
        number, key, _ = self._open.pop(k)
        failed = bool(outcome.problems)
        row: Reply = {
            "number": number,
            "status": "failed" if failed else "ok",
            "message": "; ".join(outcome.problems.values()),
            "wall_time_s": outcome.wall_time_s,
            "accepted": outcome.accepted_steps,
            "values": {} if failed else {name: _number(value) for name, value in outcome.answers.items()},
            "events": dict(sorted(outcome.events.items())),
            "recording": self._keep(key, recording),
        }
        self._finished(row)

    def _keep(self, key: str, recording: Recording | None) -> Literal["", "sent"] | str:
        """Write or send a recording; the row comes after the file."""
        if recording is None or self.plan.recordings == "drop":
            return ""
        if self.plan.recordings != SENT:
            path = Path(self.plan.recordings) / f"{key}.nc"
            try:
                recording.save(path)
            except InvalidInput as error:
                raise _NotWritten(str(error)) from None
            return path.name
        self._sent(recording.image())
        return SENT


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def digest_of(text: str) -> str:
    """Short, for names of tasks."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
