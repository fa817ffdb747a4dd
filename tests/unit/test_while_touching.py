"""What holds while contacts last, and which set-points can be held: measures on P4's robot."""

from __future__ import annotations

from typing import Any

import pytest

from pushpoint.analysis import measures
from pushpoint.errors import InvalidInput
from pushpoint.recording import Recording
from pushpoint.scenarios import scenarios
from pushpoint.simulation import simulate

P4 = "koushan2020"
PAIRS = [(1, 0), (2, 1), (4, 2)]
SET_POINTS: dict[str, Any] = {"angles": [0.1], "forces": [1.0]}


@pytest.fixture(scope="module")
def lost() -> Recording:
    """P4's forces of 5.4 with regular chains: contacts are lost within 0.1 s."""
    return simulate(scenarios[f"{P4}/force-regular"], {"duration": 0.4})


@pytest.fixture(scope="module")
def resting() -> Recording:
    return simulate(scenarios[f"{P4}/force-regular"], {"duration": 0.4, "controller": "hold"})


def test_angles_and_forces_count_while_contacts_last(lost: Recording, resting: Recording) -> None:
    angle: dict[str, Any] = {"link": 4, "pairs": PAIRS}
    assert measures["link_angle_while"](resting, window=0.3, **angle) == pytest.approx(0.0, abs=1e-9)
    end = measures["first_loss"](lost, pairs=PAIRS)
    assert end < 0.2
    assert measures["link_angle_while"](lost, window=end, **angle) != 0.0
    assert measures["link_angle_while"](lost, window=end + 0.1, **angle) == 0.0
    force: dict[str, Any] = {"peg": 2, "pairs": PAIRS}
    assert measures["peg_force_while"](lost, window=end, **force) > 0.1
    assert measures["peg_force_while"](lost, window=end + 0.1, **force) == 0.0
    assert measures["peg_force_peak_while"](lost, **force) >= measures["peg_force_while"](lost, window=end, **force)


def test_without_a_window_nothing_is_compared(lost: Recording) -> None:
    options: dict[str, Any] = {"pairs": PAIRS, "window": 0.3}
    assert measures["torque_roughness_ratio"](lost, lost, **options) == 1.0
    assert measures["joint_angle_ratio_while"](lost, joint=4, other=3, **options) == 1.0
    assert measures["peg_force_error_ratio"](lost, peg=2, other=1, force=2.0, **options) == 1.0
    with pytest.raises(InvalidInput, match="joint = 9"):
        measures["joint_angle_ratio_while"](lost, joint=9, other=3, **options)


def test_two_joints_between_contacts_hold_what_one_cannot() -> None:
    one, two = (simulate(scenarios[f"{P4}/joints-between-{k}"], {"duration": 0.02}) for k in (1, 2))
    assert measures["held_share"](one, links=(1, 2, 3), **SET_POINTS) == 0.0
    gain = measures["held_share_gain"](two, one, links=(1, 3, 5), reference_links=(1, 2, 3), **SET_POINTS)
    assert gain == 1.0
    with pytest.raises(InvalidInput, match="one link of the robot for each of 3 discs"):
        measures["held_share"](one, links=(1, 2), **SET_POINTS)
