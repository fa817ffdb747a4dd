"""Runs for statements of P2 that its figures do not show: another ground, another gait, another start.

Signs and numbers are those of `transeth2008a`. Frictions, amplitude, frequency and the error of the start are ours:
P2 names what changes, and gives no numbers.
"""

from __future__ import annotations

import math
from itertools import pairwise
from math import radians
from typing import Any

from pushpoint.scenario import Start
from pushpoint.scenarios import chosen
from pushpoint.scenarios.transeth2008a import AMONG_PIPES, GAIT, MIDDLE, add, pegs

for name, friction in (("slippery", 0.05), ("grippy", 0.5)):
    add(
        f"track-{name}",
        f"The track on ground with a friction of {friction:g}",
        "VIII-D2; the friction is ours",
        world=chosen("track", friction=friction),
    )
    add(
        f"flat-{name}",
        f"Flat ground with a friction of {friction:g}",
        "VIII-D1; the friction is ours",
        world=chosen("plane", friction=friction),
        start=Start(link=MIDDLE),
    )

add(
    "track-misplaced",
    "The track, the robot put down 5 mm behind and 5 mm to the right of its place",
    "VIII-E; the distance is ours",
    start=AMONG_PIPES.model_copy(update={"position": (0.515, 0.155)}),
)
add(
    "track-frequency-high",
    "The track with a frequency of 120 deg/s",
    "VIII-B; the frequency is ours",
    controller=chosen("serpenoid", **GAIT | {"frequency": radians(120.0)}),
    duration=5.0,
)

LINK, RADIUS, PEG, CLEARANCE = 0.122, 0.0525, 0.02, 0.002  # [m]: P2 VIII-A, VIII-B; the last is ours


def placed(amplitude: float, phase_shift: float) -> tuple[list[tuple[float, float]], float]:
    """Where P2's rule (VII-D) puts pegs for a gait [rad], and the mean angle [rad] that lays the wave along x.

    Joint k from the head has the angle -A sin(k d). Link angles that differ by these, drawn on ahead of the head, make
    the wave; pegs stand off its inflections, where the links are steepest, on the side that pushes forward.
    """
    step = abs(phase_shift)
    from_head = [9.5 - k for k in range(24)]  # links, negative ahead of the head
    angle = [amplitude / (2 * math.sin(step / 2)) * math.cos(k * step) for k in from_head]
    x, y = [0.0], [0.0]
    for a, b in pairwise(angle):
        x.append(x[-1] + LINK / 2 * (math.cos(a) + math.cos(b)))
        y.append(y[-1] + LINK / 2 * (math.sin(a) + math.sin(b)))
    centres: list[tuple[float, float]] = []
    for half_wave in range(3, -9, -1):
        place = 9.5 - half_wave * math.pi / step  # in links from the tail
        k = math.floor(place + 0.5)
        if 0 <= k < len(angle):
            side = math.copysign(PEG + RADIUS + CLEARANCE, angle[k])
            along = (place - k) * LINK
            px = x[k] + along * math.cos(angle[k]) - side * math.sin(angle[k])
            py = y[k] + along * math.sin(angle[k]) + side * math.cos(angle[k])
            centres.append((round(px - x[MIDDLE], 3), round(py - y[MIDDLE], 3)))
    return centres, sum(angle[:11]) / 11


def add_placed(slug: str, title: str, section: str, **gait: float) -> None:
    """Register a run of a gait among pegs that P2's rule places for it."""
    options: dict[str, Any] = GAIT | gait
    centres, angle = placed(options["amplitude"], options["phase_shift"])
    fields = {"world": pegs(slug, *centres), "start": Start(link=MIDDLE, angle=angle), "duration": 5.0}
    add(slug, title, section, controller=chosen("serpenoid", **options), **fields)


add_placed("placed", "P2's gait among thin pegs placed by its rule", "VII-D")
add_placed(
    "amplitude-low",
    "Amplitude of 30 deg: links that push are flatter",
    "VIII-B; the amplitude is ours",
    amplitude=radians(30.0),
)
