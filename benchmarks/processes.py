"""What takes a process of its own: the memory of a long run, and what a newcomer waits for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from benchmarks.case import Say
from benchmarks.requirement import Requirement, required
from pushpoint.errors import PushpointError
from pushpoint.scenario import Scenario

REPOSITORY = Path(__file__).parents[1]  # so that processes can import this package, too
STATUS = "/proc/self/status"  # of Linux; getrusage would also count the process that started this one

IMPORT = """
import json, time
wall = time.perf_counter()
import pushpoint
print(json.dumps({"wall": time.perf_counter() - wall}))
"""

# Packages that everybody waits for anyway are imported before the clock starts.
FIRST_STEP = """
import json, time
import numpy, numba, xarray, pydantic
wall, cpu = time.perf_counter(), time.process_time()
import pushpoint
pushpoint.simulate("transeth2008a/track", duration=0.01)
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
"""

PEAK = """
from {module} import {make}
from benchmarks.processes import print_peak
print_peak({make}({links}), {duration}, {above_start})
"""


def in_new_process(code: str, env: Mapping[str, str]) -> dict[str, Any]:
    """Run Python code that prints one JSON object."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=dict(env), cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise PushpointError(f"a process that was to be measured failed: {last}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@dataclass(frozen=True)
class LongRun:
    """A run whose memory is measured, everything recorded as by default."""

    where: str
    make: Callable[[int], Scenario]  # from the number of links
    links: int
    duration: float  # [s]
    most_mb: float
    above_start: bool = False  # only what is above what the process holds before it


@dataclass(frozen=True)
class Memory:
    """Peak memory of a process."""

    what: str
    megabytes: float | None  # None where the system does not say; infinite if the run failed
    above_start: bool
    most_mb: float

    @property
    def requirements(self) -> list[Requirement]:
        return [required(self.what, self.megabytes, "<", self.most_mb)]


def memory(run: LongRun, say: Say) -> Memory:
    """Of the run in a process of its own. The kernels have been compiled by a process before that one."""
    what = f"memory of {run.duration:g} s with {run.links} links{run.where} [MB]"
    say(what)
    return Memory(what, megabytes(run, say) if is_known() else None, run.above_start, run.most_mb)


def megabytes(run: LongRun, say: Say) -> float:
    names = {"module": run.make.__module__, "make": run.make.__name__}
    code = PEAK.format(**names, links=run.links, duration=run.duration, above_start=run.above_start)
    try:
        return float(in_new_process(code, os.environ)["megabytes"])
    except PushpointError as failure:
        say(str(failure))
        return inf


def print_peak(scenario: Scenario, duration: float, above_start: bool) -> None:
    """The part of `memory` that runs in the new process."""
    import pushpoint

    before = 0.0
    if above_start:
        pushpoint.simulate(scenario.model_copy(update={"duration": 0.1}))  # loads kernels and all packages
        before = held("VmRSS")
    rows = pushpoint.simulate(scenario.model_copy(update={"duration": duration})).data.sizes["time"]
    print(json.dumps({"megabytes": held("VmHWM") - before, "rows": rows}))


def is_known() -> bool:
    """Whether the system says how much memory a process holds."""
    return os.path.exists(STATUS)


def held(what: str) -> float:
    """Memory of this process [MB]: VmRSS, now, or VmHWM, at its peak."""
    with open(STATUS, encoding="utf-8") as lines:
        return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(f"{what}:"))


@dataclass(frozen=True)
class Startup:
    """Times in seconds. First steps: from after the imports of NumPy, Numba, xarray and pydantic to the end of a
    run of 0.01 s, `import pushpoint` included."""

    import_s: float
    cold_first_step_s: float  # wall time, kernels not compiled yet
    cold_first_step_cpu_s: float
    warm_first_step_s: float  # wall time, kernels in the cache
    compile_cpu_s: float  # cold minus warm, CPU seconds


def startup(say: Say, warm_starts: int = 5) -> Startup:
    """Measure in fresh processes with a cache folder that is empty at first."""
    say("start-up: fresh processes, empty cache")
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "PUSHPOINT_CACHE_DIR": cache}
        imports = [in_new_process(IMPORT, env)["wall"] for _ in range(warm_starts)]
        cold = in_new_process(FIRST_STEP, env)
        warm = [in_new_process(FIRST_STEP, env) for _ in range(warm_starts)]
    return Startup(
        import_s=min(imports),
        cold_first_step_s=cold["wall"],
        cold_first_step_cpu_s=cold["cpu"],
        warm_first_step_s=min(w["wall"] for w in warm),
        compile_cpu_s=cold["cpu"] - min(w["cpu"] for w in warm),
    )
