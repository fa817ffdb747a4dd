"""What a newcomer waits for: import, compilation, the first step. Each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pushpoint.errors import PushpointError

WARM_STARTS = 5

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


@dataclass(frozen=True)
class Startup:
    """Times in seconds. First steps: from after the imports of NumPy, Numba, xarray and pydantic to the end of a
    run of 0.01 s, `import pushpoint` included."""

    import_s: float
    cold_first_step_s: float  # wall time, kernels not compiled yet
    cold_first_step_cpu_s: float
    warm_first_step_s: float  # wall time, kernels in the cache
    compile_cpu_s: float  # cold minus warm, CPU seconds


def startup(say: Callable[[str], None], warm_starts: int = WARM_STARTS) -> Startup:
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


def in_new_process(code: str, env: Mapping[str, str]) -> dict[str, Any]:
    """Run Python code that prints one JSON object."""
    done = subprocess.run([sys.executable, "-c", code], env=dict(env), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise PushpointError(f"a process that measures start-up failed: {last}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result
