"""Compiled controllers: one function on flat arrays, the same inside a compiled plant, tick by tick, and as Python."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from typing import Any, ClassVar

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
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
