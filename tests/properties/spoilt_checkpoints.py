"""Resume from checkpoints with random faults, in a process of its own: `spoilt_checkpoints.py PLANTS SEED COUNT`.

Plants are separated by commas. Prints a line for each: how the attempts ended. A fault that reaches a kernel as a wrong
index may kill the process: whoever started it sees that.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

import pushpoint as pp
from pushpoint.errors import InvalidInput, PushpointError, SolverFailure
from pushpoint.recording.checkpoint import LastRow

# Short runs with contacts, so that all parts of the states are in use.
RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "planar_stepping": ("transeth2008a/track", {}),
    "extended": ("lab/movable-pegs", {}),
    "adaptive": ("transeth2008a/track", {"plant.step_error": 1e-5}),
    "planar_hybrid": ("liljeback2010/rows", {}),
    "spatial_stepping": ("lab/pegs-3d", {}),
    "mujoco": ("transeth2008a/track", {"plant": "mujoco"}),
    "mujoco in space": ("lab/pegs-3d", {"plant": "mujoco"}),
    "controller": ("liljeback2014/sidewinding", {}),
}
INTEGERS = (-1, -2, 1, 2, 3, 11, 10**3, 10**6, 2**31, 2**40, -(2**63), 2**63 - 1)
FLOATS = (-1.0, 0.5, 1e3, 1e9, -1e15, 1e15, 1e16, 1e300, 1e308, np.inf, -np.inf, np.nan)


def spoilt(array: np.ndarray, random: np.random.Generator) -> Any:
    """An array with other entries, of another shape or of another type."""
    kind = random.integers(10)
    if kind < 6 and array.size and array.dtype.kind in "if":
        found, values = array.copy(), INTEGERS if array.dtype.kind == "i" else FLOATS
        for _ in range(random.integers(1, 4)):
            found.flat[random.integers(found.size)] = values[random.integers(len(values))]
        return found
    others: tuple[Any, ...] = (
        array[:-1] if array.ndim else np.zeros(3),
        np.concatenate([array, array]) if array.ndim else np.array("text"),
        array[..., np.newaxis],
        array.reshape(-1)[:0],
        np.zeros(array.shape, np.float32),
        np.zeros(array.shape, np.int32),
        np.full(array.shape, "text"),
        np.full(array.shape, True),
        1.0,
        "text",
    )
    return others[random.integers(len(others))]


def with_fault(checkpoint: pp.Checkpoint, random: np.random.Generator) -> pp.Checkpoint:
    """The checkpoint with one fault anywhere, most of them in the plant's state."""
    part = random.choice(["plant", "plant", "plant", "plant", "controller", "row", "reference", "clock"])
    if part == "clock":
        value = INTEGERS[random.integers(len(INTEGERS))]
        return replace(checkpoint, **{random.choice(["tick", "ticks_since_row"]): value})  # type: ignore[arg-type]  # bad on purpose
    if part == "reference":
        return replace(checkpoint, reference=spoilt(checkpoint.reference, random))
    if part == "row" and checkpoint.last_row is not None:
        name = random.choice(["link", "energy", "contact", "extra"])
        row = {n: getattr(checkpoint.last_row, n) for n in ("link", "energy", "contact", "extra")}
        return replace(checkpoint, last_row=LastRow(**row | {name: spoilt(row[name], random)}))
    arrays = dict(checkpoint.controller if part == "controller" else checkpoint.plant)
    if arrays and random.random() < 0.9:
        name = random.choice(list(arrays))
        arrays[name] = spoilt(np.asarray(arrays[name]), random)
        if random.random() < 0.1:
            del arrays[name]
    else:
        arrays["foreign"] = np.zeros(3)
    return replace(checkpoint, **{"controller" if part == "controller" else "plant": arrays})  # type: ignore[arg-type]  # bad on purpose


def main(plant: str, seed: int, count: int) -> None:
    warnings.simplefilter("ignore")
    scenario, overrides = RUNS[plant]
    first, last = (0.39, 0.45) if plant == "controller" else (0.4, 0.44)  # [s], multiples of the control period
    random, ends = np.random.default_rng(seed), Counter[str]()
    checkpoint = pp.simulate(scenario, overrides, duration=first).checkpoint()
    for _ in range(count):
        bad = with_fault(checkpoint, random)
        try:
            pp.resume(bad, duration=last)
            ends["ran"] += 1
        except SolverFailure:
            ends["stopped"] += 1
        except InvalidInput as error:
            ends["refused" if "\n" not in str(error) else "more than one line"] += 1
        except PushpointError:
            ends["other"] += 1
        except Exception as error:
            ends[f"foreign: {type(error).__name__}: {error}"] += 1
    print(json.dumps(ends))


if __name__ == "__main__":
    for each in sys.argv[1].split(","):
        main(each, int(sys.argv[2]), int(sys.argv[3]))
