"""Steps of adapting length: their error follows what is asked, and they save work where little happens."""

from __future__ import annotations

import numpy as np
import pytest

from pushpoint import resume, simulate
from pushpoint.recording.recording import Recording
from pushpoint.scenario import Scenario
from pushpoint.scenarios import scenarios
from pushpoint.types import FloatArray

DURATION = 2.0  # [s]


def run(name: str, **options: float) -> Recording:
    changes = {f"plant.{key}": value for key, value in options.items()}
    return simulate(scenarios[name].with_overrides({"duration": DURATION, **changes}))


def middle(recording: Recording) -> FloatArray:
    return np.asarray(recording.data["link_position"].values[:, 5], dtype=float)


def rms(a: FloatArray, b: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.sum((a - b) ** 2, axis=1))))


@pytest.mark.parametrize("name", ["transeth2008a/track", "transeth2008a/flat"])
def test_the_path_converges_with_the_error_allowed(name: str) -> None:
    limit = middle(run(name, dt=1e-4))
    coarse, fine = (rms(middle(run(name, dt=1e-2, step_error=e)), limit) for e in (1e-3, 1e-6))
    assert fine < 0.5 * coarse
    assert fine < 5e-5  # [m]; a fixed step needs 1 to 2 ms for that


def test_loose_errors_leave_the_steps_whole() -> None:
    fixed, loose = run("transeth2008a/track", dt=1e-2), run("transeth2008a/track", dt=1e-2, step_error=0.1)
    assert np.array_equal(middle(fixed), middle(loose))
    assert np.array_equal(fixed.data["step_iterations"], loose.data["step_iterations"])


def test_rest_costs_one_solve_per_step() -> None:
    """The robot holds its shape and lies still: nothing is cut, however small the error allowed."""
    held = scenarios["transeth2008a/flat"].with_overrides(
        {"controller": {"name": "hold", "options": {}}, "duration": 0.5, "plant.dt": 1e-2, "plant.step_error": 1e-9}
    )
    recording = simulate(held)
    assert float(recording.data["step_iterations"][-10:].max()) <= 2


def test_a_run_that_is_continued_is_equal_to_the_bit() -> None:
    scenario: Scenario = scenarios["transeth2008a/track"].with_overrides(
        {"duration": 0.6, "plant.dt": 1e-2, "plant.step_error": 1e-5}
    )
    whole = simulate(scenario)
    half = simulate(scenario.with_overrides({"duration": 0.3}))
    rest = resume(half.checkpoint(), duration=0.6)
    assert np.array_equal(rest.data["link_position"].values[-1], whole.data["link_position"].values[-1])


def test_energy_ledger_closes_over_cut_steps() -> None:
    data = run("transeth2008a/track", dt=1e-2, step_error=1e-5).data
    works = sum(data[name].values for name in ("servo_work", "friction_work", "contact_work", "numerical_work"))
    assert np.allclose(data["kinetic_energy"].values, works, atol=1e-9)
