"""`pushpoint draw`."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.unit.conftest import Shell

EXAMPLES = "liljeback2014/examples"
GAIT = """
name: my/gait
robot: square-17
world: plane
plant: spatial_stepping
controller:
  name: shape-follower
  options:
    segment: {points: [[0, 0], [0.25, 0.2], [0.5, 0], [0.75, -0.2], [1.0, 0]]}
    speed: 0.4
duration: 5.0
control_period: 0.02
"""


def test_draw_prints_a_table_and_writes_a_picture(shell: Shell, tmp_path: Path) -> None:
    code, out, err = shell("draw", EXAMPLES)
    assert code == 0, err
    assert "19.0 mm" in out
    assert "20.3 deg" in out  # Example 4, the largest
    assert "per mm" not in out  # nothing moves
    picture = tmp_path / "results" / "liljeback2014-examples" / "shape.png"
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert f"wrote {picture.relative_to(tmp_path)}" in err


def test_draw_reads_files_and_tells_json(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "gait.yaml").write_text(GAIT, encoding="utf-8")
    code, out, err = shell("draw", "gait.yaml", "--out", "here", "--set", "robot.joints.15.upper=0.1", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["scenario"] == "my/gait"
    assert found["curve_per_cycle_m"] == pytest.approx(0.4 * found["cycle_time_s"])
    assert found["largest_change_rad_per_m"] == pytest.approx(found["largest_rate_rad_s"] / 0.4, rel=1e-6)
    assert 0 < found["largest_angle_rad"] < math.pi
    assert found["joints_at_limits"] == [15]
    assert Path(found["files"]["figure"]).is_file()


def test_draw_says_that_it_shows_less_than_a_cycle(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "gait.yaml").write_text(GAIT, encoding="utf-8")
    code, out, err = shell("draw", "gait.yaml")
    assert code == 0, err
    assert "duration of a cycle " in out
    code, out, err = shell("draw", "gait.yaml", "--set", "duration=1.0")
    assert code == 0, err
    assert "time shown, less than a cycle " in out
    assert "1.000 s" in out
    assert "length of curve in that time " in out
    assert "of a cycle" not in out
    code, out, err = shell("draw", "gait.yaml", "--set", "duration=1.0", "--json")
    found = json.loads(out)
    assert (found["whole_cycle"], found["cycle_time_s"], found["curve_per_cycle_m"]) == (False, None, None)
    assert (found["shown_time_s"], found["shown_curve_m"]) == pytest.approx((1.0, 0.4))


def test_draw_refuses_what_it_cannot_draw(shell: Shell) -> None:
    for words, message in (
        (("transeth2008a/track",), "controller = 'serpenoid' draws no shape curve; should be 'shape-follower'"),
        ((EXAMPLES, "--set", "controller.look_ahead=0.01"), "look_ahead"),
        (("liljeback2014/exampels",), "Did you mean"),
    ):
        code, out, err = shell("draw", *words)
        assert (code, out) == (2, "")
        assert message in err
