"""Checks of our runs along a path of pegs (scenarios/lab_push.py). Data only.

What is expected is what the controller is asked for; P4 left the task open. Speeds and errors are those of the head's
front end, from the start at rest to the end of the run.
"""

from __future__ import annotations

from typing import Any

from pushpoint.reproduction import Claim, claims
from pushpoint.reproduction._statement import check
from pushpoint.scenario import Choice
from pushpoint.scenarios.lab_push import AMPLITUDE, WAVELENGTH

SINE: dict[str, Any] = {"amplitude": AMPLITUDE, "wavelength": WAVELENGTH}


def add(slug: str, scenario: str, measure: str, options: dict[str, Any], **fields: Any) -> None:
    low, high = fields.pop("accepted")
    claim = Claim(
        id=f"lab/{slug}",
        figure="ours",
        scenarios=(f"lab/{scenario}",),
        measure=Choice(name=measure, options=options),
        published=check(fields.pop("expected"), low, high, "What the controller is asked for."),
        **fields,
    )
    claims.add(claim.id, claim)


def add_run(scenario: str, ground: str, farthest: float, speed: str, off: str) -> None:
    """Speed and error of a run that should get along; the note gives what was measured."""
    add(
        f"{scenario}-speed",
        scenario,
        "speed_along_sine",
        SINE,
        statement=f"The robot gets along the path at its reference speed {ground}",
        expected="0.150",
        unit="m/s",
        accepted=(0.1455, 0.1545),  # 3 %
        note=speed,
    )
    add(
        f"{scenario}-path",
        scenario,
        "head_off_sine",
        SINE,
        statement=f"The head keeps to the path {ground}",
        expected=f"<= {farthest:g}",
        unit="mm",
        scale=1e3,
        accepted=(None, farthest),
        note=off,
    )


add_run("hoal-sine", "on viscous ground, 0.5 N s/m per link", 5.0, "0.1505 m/s.", "1.01 mm.")
add_run("hoal-sine-viscous", "on viscous ground, 2 N s/m per link", 5.0, "0.1500 m/s.", "0.78 mm.")
add_run("hoal-sine-coulomb", "on dry ground, 0.1, with pegs of friction 0.1", 5.0, "0.1497 m/s.", "0.75 mm.")
add_run("hoal-sine-noise", "with noisy sensors, latency and wrong masses", 10.0, "0.1504 m/s.", "0.90 mm.")
add(
    "hoal-sine-stall-holds",
    "hoal-sine-stall",
    "event_count",
    {"name": "hold"},
    statement="Motors too weak for the path are noticed: the robot stops and says so, once",
    expected="1",
    accepted=(1.0, 1.0),
)
add(
    "hoal-sine-stall-still",
    "hoal-sine-stall",
    "speed_along_sine",
    SINE | {"start": 2.0},
    statement="and it holds its shape where it stopped",
    expected="0",
    unit="mm/s",
    scale=1e3,
    accepted=(-0.1, 0.1),
    note="0.000 mm/s.",
)
