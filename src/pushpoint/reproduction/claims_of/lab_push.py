"""Checks of our runs along a path of pegs (scenarios/lab_push.py). Data only.

What is expected is what the controller is asked for; P4 left the task open. Speeds and errors are those of the head's
front end, from the start at rest to the end of the run.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction._adding import MM, adder, measured
from pushpoint.reproduction._statement import Statement, check
from pushpoint.scenarios.lab_push import AMPLITUDE, WAVELENGTH

add = adder("lab", figure="ours")
SINE: dict[str, Any] = {"amplitude": AMPLITUDE, "wavelength": WAVELENGTH}


def asked_for(expected: str, low: float | None, high: float | None) -> Statement:
    return check(expected, low, high, "What the controller is asked for.")


def add_run(scenario: str, ground: str, farthest: float, speed: str, off: str) -> None:
    """Speed and error of a run that should get along; the note gives what was measured."""
    add(
        f"{scenario}-speed",
        measured(scenario, "speed_along_sine", **SINE),
        statement=f"The robot gets along the path at its reference speed {ground}",
        published=asked_for("0.150", 0.1455, 0.1545),  # 3 %
        unit="m/s",
        note=speed,
    )
    add(
        f"{scenario}-path",
        measured(scenario, "head_off_sine", **SINE),
        statement=f"The head keeps to the path {ground}",
        published=asked_for(f"<= {farthest:g}", None, farthest),
        **MM,
        note=off,
    )


add_run("hoal-sine", "on viscous ground, 0.5 N s/m per link", 5.0, "0.1505 m/s.", "1.01 mm.")
add_run("hoal-sine-viscous", "on viscous ground, 2 N s/m per link", 5.0, "0.1500 m/s.", "0.78 mm.")
add_run("hoal-sine-coulomb", "on dry ground, 0.1, with pegs of friction 0.1", 5.0, "0.1497 m/s.", "0.75 mm.")
add_run("hoal-sine-noise", "with noisy sensors, latency and wrong masses", 10.0, "0.1504 m/s.", "0.90 mm.")
add(
    "hoal-sine-stall-holds",
    measured("hoal-sine-stall", "event_count", name="hold"),
    statement="Motors too weak for the path are noticed: the robot stops and says so, once",
    published=asked_for("1", 1.0, 1.0),
)
add(
    "hoal-sine-stall-still",
    measured("hoal-sine-stall", "speed_along_sine", **SINE, start=2.0),
    statement="and it holds its shape where it stopped",
    published=asked_for("0", -0.1, 0.1),
    unit="mm/s",
    scale=1e3,
    note="0.000 mm/s.",
)
