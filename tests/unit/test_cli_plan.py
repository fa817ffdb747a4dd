"""`pushpoint plan`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pushpoint import Plan, Scenario
from tests.unit.conftest import Shell

pytest.importorskip("daqp")
pytest.importorskip("scipy")

ENOUGH = ("--set", "world.friction=0.1", "--set", "robot.links=4", "--distance", "0.1", "--plans", "1")


def test_plan_writes_what_run_can_follow(shell: Shell, tmp_path: Path) -> None:
    code, out, err = shell("plan", "random-field", *ENOUGH, "--seed", "3", "--json", "--out", "planned")
    assert code in (0, 1), err
    said = json.loads(out)
    assert said["good"] == (code == 0)
    assert (said["reason"] is None) == said["good"]
    files = {name: tmp_path / path for name, path in said["files"].items()}
    assert files["figure"].read_bytes()[:4] == b"\x89PNG"
    plan = Plan.load(files["plan"])
    assert plan.distance == 0.1
    scenario = Scenario.from_yaml(files["scenario"])
    assert scenario.controller.name == "push-along"
    assert scenario.controller.options["head"] == plan.head


def test_plan_says_what_is_missing(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "planned").mkdir()
    (tmp_path / "planned" / "scenario.yaml").write_text("of another plan")
    code, out, _ = shell("plan", "plane", "--distance", "0.5", "--out", "planned")
    assert code == 1
    assert "in reach there are 0 pegs on the map" in out
    assert not (tmp_path / "planned" / "scenario.yaml").exists()


@pytest.mark.parametrize(("words", "said"), [
    (("no-such-scenario",), "no-such-scenario"),
    (("random-feld",), "unknown scenario or world 'random-feld'. Did you mean 'random-field'"),
    (("lab/slope", "--plans", "0"), "--plans"),
    (("random-field", "--distance", "-1"), "distance"),
    (("random-field", "--distance", "0.3", "--speed", "1e-9"), "speed = 1e-09 m/s: 0.3 m of path would take more than"),
])  # fmt: skip
def test_plan_refuses_bad_input(shell: Shell, words: tuple[str, ...], said: str) -> None:
    code, _, err = shell("plan", *words)
    assert code == 2
    assert said in err
    assert not list(Path().rglob("plan.yaml"))
