"""A time step that fits is suggested where many steps had to be repeated."""

from __future__ import annotations

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.analysis.quality import suggested_time_step
from pushpoint.analysis.remarks import advice, on_steps, on_time_step
from pushpoint.types import Status


@pytest.fixture(scope="module")
def run() -> pp.Recording:
    """Ten ticks of 10 ms with steps of 1 ms."""
    return pp.simulate("transeth2008a/track", {"control_period": 0.01, "plant.dt": 1e-3}, duration=0.1)


def repeated(run: pp.Recording, parts: list[int], period: float | None = None) -> pp.Recording:
    """The same as if its last steps had been made of so many parts."""
    data = run.data.copy(deep=True)
    data["step_parts"][-len(parts) :] = parts
    data["step_reasons"][-len(parts) :] = np.array(parts) > 1
    scenario = run.scenario if period is None else run.scenario.model_copy(update={"control_period": period})
    return pp.Recording(data, run.contacts, run.events, scenario)


@pytest.mark.parametrize(
    ("parts", "period", "expected"),
    [
        ([2] * 5, None, None),  # not more than five in a hundred
        ([2] * 6, None, 5e-4),
        ([4] * 6, None, 2e-4),  # 2.5e-4 is not one of 1, 2, 5
        ([64] * 4 + [2] * 10, None, 5e-4),  # the worst four of a hundred are not covered
        ([64] * 10, None, 1e-5),
        ([3] * 50, 7e-3, 2e-4),  # 3.3e-4; 2e-4 divides 7 ms
        ([2] * 50, 0.0123, 1e-4),  # neither 5e-4 nor 2e-4 divides it
        ([2] * 50, 1.0 / 128.0, 1.0 / 128.0 / 16.0),  # nothing round does: a sixteenth
    ],
)
def test_suggestion(run: pp.Recording, parts: list[int], period: float | None, expected: float | None) -> None:
    found = suggested_time_step(repeated(run, parts, period))
    assert found == expected if expected is None else found == pytest.approx(expected, rel=1e-12)


def test_what_is_said(run: pp.Recording) -> None:
    assert on_steps(run) == on_time_step(run) == ""
    many = repeated(run, [2] * 20)
    assert on_steps(many) == "of 100 steps: 20 repeated in parts"
    assert "plant.dt=0.0005" in on_time_step(many)
    assert advice(many)["time_step"] == pytest.approx(5e-4)
    many.data["step_status"][:3] = Status.ACCEPTED
    many.data["step_fallbacks"][:5] = 1
    many.data["step_guard_work"][:] = 0.01
    expected = "20 repeated in parts, 5 needed a slower solver, 3 not solved to the tolerance, but accepted"
    assert on_steps(many) == f"of 100 steps: {expected}, the energy guard took 1 J"


def test_files_that_do_not_say(run: pp.Recording) -> None:
    old = pp.Recording(run.data.drop_vars("step_parts"), run.contacts, run.events, run.scenario)
    assert suggested_time_step(old) is None
    one = pp.Recording(run.data.isel(step=np.arange(1)), run.contacts, run.events, run.scenario)
    assert suggested_time_step(one) is None
