"""Other people's robots, worlds and controllers: found by entry points of their packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROBOT = """
from pushpoint.robots import Link, Robot, robots

@robots.register("stick")
def stick() -> Robot:
    return Robot(name="stick", links=(Link(length=0.2, mass=1.0, inertia=0.01, radius=0.03),))
"""


def test_a_package_that_is_installed_brings_its_robot(tmp_path: Path) -> None:
    (tmp_path / "sticks.py").write_text(ROBOT)
    info = tmp_path / "sticks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sticks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pushpoint.robots]\nstick = sticks\n")
    code = "from pushpoint.robots import robots; print('stick' in robots, 'aiko' in robots)"
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
