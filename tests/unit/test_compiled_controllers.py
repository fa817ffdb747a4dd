"""Compiled controllers: one function on flat arrays, the same inside a compiled plant, tick by tick, and as Python."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
import pytest
import xarray as xr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pushpoint as pp
from pushpoint._code_digest import code_digest
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput
from pushpoint.feedback import flat_layout
from pushpoint.simulation import Run, Setup

WAVE = {"robot": "aiko", "world": "plane", "duration": 0.2}
PLANTS = ["planar_stepping", "planar_hybrid", "spatial_stepping", "mujoco"]


@pp.compiled_tick
def wave_tick(state: Any, parameters: Any, observation: Any, reference: Any) -> None:
    """A wave that leans against what bends the joints; counts its ticks, and reports every tenth."""
    joints = (reference.size - 1) // 3
    state[0] += 1.0
    for j in range(joints):
        phase = 3.0 * observation[0] + 0.7 * j
        state[1 + j] = 0.9 * state[1 + j] + 0.1 * observation[1 + j]
        reference[j] = parameters[0] * math.sin(phase) - 0.1 * state[1 + j]
        reference[joints + j] = 3.0 * parameters[0] * math.cos(phase)
    if state[0] % 10.0 == 0.0:
        reference[3 * joints] = 1.0


class Wave(pp.CompiledController):
    tick = wave_tick

    def parameters(self) -> list[float]:
        return [0.4]

    def initial_state(self, obs: pp.Observation) -> dict[str, Any]:
        return {"ticks": 0, "mean": np.zeros(self.joints)}

    def describe(self, code: int, state: Any, observation: Any) -> list[tuple[str, str]]:
        return [("ten", f"tick {state['ticks']} at {observation[0]:.3f} s")]


class WaveInPython(Wave):
    """The same, tick by tick."""

    loop: ClassVar[Any] = property(lambda self: (_ for _ in ()).throw(AttributeError("loop")))


@pytest.fixture(autouse=True, scope="module")
def registered() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(controllers._items, "wave", Wave)
        patch.setitem(controllers._items, "wave-in-python", WaveInPython)
        yield


def run(plant: str, controller: str, **fields: Any) -> pp.Recording:
    return pp.simulate(pp.Scenario.parse({"name": "lab/x", **WAVE, "plant": plant, "controller": controller, **fields}))


@pytest.mark.parametrize("plant", PLANTS)
def test_inside_the_plant_and_tick_by_tick_are_equal(plant: str) -> None:
    if plant == "mujoco":
        pytest.importorskip("mujoco")
    inside, outside = run(plant, "wave"), run(plant, "wave-in-python")
    xr.testing.assert_identical(inside.data, outside.data)
    xr.testing.assert_identical(inside.events, outside.events)
    assert list(inside.events.detail.values) == ["tick 10 at 0.090 s", "tick 20 at 0.190 s"]


def test_many_events_are_read_in_between() -> None:
    """More than are kept inside a call."""
    once = run("planar_stepping", "wave", duration=8.0)
    assert len(once.events.time) == 80


def test_one_call_of_the_plant_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    compiled = Run._compiled
    monkeypatch.setattr(Run, "_compiled", lambda self, ticks: (calls.append(ticks), compiled(self, ticks))[1])
    run("planar_stepping", "wave")
    assert calls == [20]


def test_noise_is_seen_tick_by_tick() -> None:
    exact, noisy = {"joint-encoders": {}}, {"joint-encoders": {"noise": 0.01}}
    scenario = pp.Scenario.parse({"name": "lab/x", **WAVE, "controller": "wave", "sensors": noisy})
    assert not Setup.of(scenario).runs_compiled
    assert Setup.of(scenario.with_overrides({"sensors": exact})).runs_compiled


def test_a_controller_gets_only_what_its_sensors_show() -> None:
    layout = flat_layout(11, 10, 2)
    seen: list[np.ndarray] = []

    class Curious(Wave):
        def describe(self, code: int, state: Any, observation: Any) -> list[tuple[str, str]]:
            seen.append(observation[: layout.size].copy())
            return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(controllers._items, "curious", Curious)
        run("planar_stepping", "curious")
    known = np.isfinite(seen[0])
    assert known[: layout.bounds[3]].all()  # time and encoders
    assert not known[layout.bounds[3] :].any()


def test_python_gives_the_same_bits() -> None:
    """Without fused instructions: scalar arithmetic, loops and the C library's functions."""
    script = (
        "import sys, json, numpy as np; sys.path.insert(0, '.');"
        "from tests.unit.test_compiled_controllers import wave_tick as tick;"
        "s, p, o, r = np.zeros(5), np.array([0.4]), np.linspace(0.1, 1.3, 13), np.zeros(13);"
        "[(tick.function if __import__('numba').config.DISABLE_JIT else tick)(s, p, o, r) for _ in range(50)];"
        "print(json.dumps([s.tolist(), r.tolist()]))"
    )
    outputs = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
        )
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1]


@pp.compiled_part
def size_of(x: Any) -> float:
    return float(x.no_such)


@pp.compiled_tick
def slip_tick(state: Any, parameters: Any, observation: Any, reference: Any) -> None:
    reference[0] = size_of(state)


class Slip(Wave):
    tick = slip_tick


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_a_tick_that_cannot_be_compiled_is_named_with_its_line(noise: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside the plant, and tick by tick, as where there is noise."""
    monkeypatch.setitem(controllers._items, "slip", Slip)
    line = size_of.__code__.co_firstlineno + 2  # of the decorator
    words = rf"_controllers\.py, line {line}: slip_tick cannot be compiled: Unknown attribute 'no_such' [^\n]*$"
    with pytest.raises(InvalidInput, match=words):
        run("planar_stepping", "slip", sensors={"joint-encoders": {"noise": noise}})


def test_commands_that_are_not_finite_are_named() -> None:
    @pp.compiled_tick
    def broken(state: Any, parameters: Any, observation: Any, reference: Any) -> None:
        reference[1] = math.nan if observation[0] > 0.05 else 0.0

    class Broken(Wave):
        tick = broken

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(controllers._items, "broken", Broken)
        with pytest.raises(InvalidInput, match=r"'broken' gave joint_angle = nan at t = 0\.06 s for joint 1"):
            run("planar_stepping", "broken")


# --- edits of a user's file ---

CONTROLLER = """
import pushpoint as pp
from beside import lean
import beside

@pp.compiled_tick
def tick(state, parameters, observation, reference):
    for j in range((reference.size - 1) // 3):
        reference[j] = own(observation[0]) + lean(j) + beside.OFFSET

@pp.compiled_part
def own(time):
    return 0.1 * time

@pp.register_controller("edited")
class Edited(pp.CompiledController):
    tick = tick

    def parameters(self):
        return []
"""
BESIDE = """
import pushpoint as pp

OFFSET = 0.01

@pp.compiled_part
def lean(j):
    return 0.001 * j
"""
# Runs the file, and prints the last reference and the names of all functions that were compiled.
RUNNING = """
import json, sys, time
from numba.core import event
import pushpoint as pp

class Names(event.Listener):
    def __init__(self):
        self.found = []
    def on_start(self, event):
        self.found.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass

names = Names()
pp.load_code(sys.argv[1])
with event.install_listener("numba:compile", names):
    run = pp.simulate("transeth2008a/flat", {"controller": {"name": "edited"}}, duration=0.05)
print(json.dumps([run.data["joint_reference"].values[-1].tolist(), names.found, time.process_time()]))
"""


def in_new_process(path: Path) -> tuple[list[float], list[str]]:
    done = subprocess.run([sys.executable, "-c", RUNNING, path], capture_output=True, text=True, check=True)
    reference, compiled, _ = json.loads(done.stdout)
    return reference, compiled


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_an_edit_compiles_the_controller_alone(tmp_path: Path) -> None:
    """Of the file itself, of a function that it calls, of one in a file beside it, of a constant there."""
    path, beside = tmp_path / "mine.py", tmp_path / "beside.py"
    path.write_text(CONTROLLER)
    beside.write_text(BESIDE)
    joints = 0.001 * np.arange(10)
    own = {"tick", "own", "lean"}
    in_new_process(path)  # the plant's kernels are in the cache from here on
    np.testing.assert_allclose(in_new_process(path)[0], 0.014 + joints)
    assert in_new_process(path)[1] == []
    for file, old, new, start, slope in (
        (path, "own(observation[0])", "2.0 * own(observation[0])", 0.018, 1.0),
        (path, "0.1 * time", "0.2 * time", 0.026, 1.0),
        (beside, "0.001 * j", "0.002 * j", 0.026, 2.0),
        (beside, "OFFSET = 0.01", "OFFSET = 0.02", 0.036, 2.0),
    ):
        file.write_text(file.read_text().replace(old, new))
        reference, compiled = in_new_process(path)
        np.testing.assert_allclose(reference, start + slope * joints, err_msg=new)
        assert "tick" in compiled, new
        assert set(compiled) <= own, new


def test_the_digest_of_a_function_notices_what_it_depends_on() -> None:
    def made(text: str, **names: Any) -> Any:
        space: dict[str, Any] = {"math": math, **names}
        exec(text, space)
        return space["f"]

    calling = "def f(x):\n    return g(x) + K"
    one, two = made("def f(x):\n    return x + 1.0"), made("def f(x):\n    return x + 2.0")
    assert code_digest(one) != code_digest(two)
    assert code_digest(made(calling, g=one, K=1)) == code_digest(made(calling, g=one, K=1))
    assert code_digest(made(calling, g=one, K=1)) != code_digest(made(calling, g=two, K=1))
    assert code_digest(made(calling, g=one, K=1)) != code_digest(made(calling, g=one, K=2))
    assert code_digest(made(calling, g=pp.compiled_part(one), K=1)) != code_digest(
        made(calling, g=pp.compiled_part(two), K=1)
    )
    a, b = np.zeros(3), np.ones(3)
    assert code_digest(made(calling, g=one, K=a)) != code_digest(made(calling, g=one, K=b))
    again = made("def f(x):\n    return f(x - 1) if x > 0 else math.sin(x)")
    assert code_digest(again) == code_digest(made("def f(x):\n    return f(x - 1) if x > 0 else math.sin(x)"))


# --- the same bits as Python ---

NAMES = ("a", "b", "c", "x")
numbers = st.floats(-1e3, 1e3).map(lambda v: repr(round(v, 6)))
operands = st.one_of(st.sampled_from(NAMES), numbers)


def calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The documented subset: arithmetic of scalars, comparisons, abs, min, max, and functions of `math`."""
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} / (0.5 + abs({p[1]})))"),
        st.tuples(st.sampled_from(["abs", "math.sin", "math.cos", "math.atan", "math.tanh"]), inner).map(
            lambda p: f"{p[0]}({p[1]})"
        ),
        inner.map(lambda p: f"math.sqrt(abs({p}))"),
        inner.map(lambda p: f"math.exp(-abs({p}))"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]})"),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} if {p[1]} < {p[2]} else {p[0]} * {p[2]} + {p[1]})"),
    )


expressions = st.recursive(operands, calls, max_leaves=6)
assignments = st.tuples(st.sampled_from(NAMES[:3]), expressions).map(lambda p: f"{p[0]} = {p[1]}")


def program(before: list[str], inside: list[str]) -> str:
    """A tick with a loop over the observation."""
    lines = ["def tick(state, parameters, observation, reference):", "    a, b, c = state[0], state[1], parameters[0]"]
    lines += ["    x = observation[0]", *(f"    {line}" for line in before)]
    lines += ["    for k in range(observation.size):", "        x = observation[k]"]
    lines += [f"        {line}" for line in inside]
    lines += ["        c = c + x * a - b * b", "    state[0], state[1], reference[0] = a, b, c"]
    return "\n".join(lines)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@settings(max_examples=15, deadline=None)
@given(st.lists(assignments, max_size=2), st.lists(assignments, min_size=1, max_size=3), st.integers(0, 2**32 - 1))
def test_small_scalar_programs_give_the_same_bits_as_python(before: list[str], inside: list[str], seed: int) -> None:
    space: dict[str, Any] = {"math": math}
    exec(program(before, inside), space)
    compiled = pp.compiled_tick(space["tick"])
    draw, found = np.random.default_rng(seed), []
    given = [draw.normal(size=size) for size in (2, 1, 5, 1)]
    for function in (compiled, compiled.function):
        arrays = [array.copy() for array in given]
        try:
            with np.errstate(all="ignore"):
                for _ in range(3):
                    function(*arrays)
        except (ValueError, OverflowError):  # of sin(inf), in Python
            assume(False)
        found.append(np.concatenate(arrays))
    assume(np.isfinite(found[1]).all())  # what is too large has no bits to compare
    assert found[0].tobytes() == found[1].tobytes(), program(before, inside)
