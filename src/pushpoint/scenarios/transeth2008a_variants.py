"""Runs for statements of P2 that its figures do not show: another ground, another gait, another start.

Signs and numbers are those of `transeth2008a`. Frictions, amplitude, frequency and the error of the start are ours:
P2 names what changes, and gives no numbers.
"""

from __future__ import annotations

from math import radians

from pushpoint.scenario import Start
from pushpoint.scenarios import chosen
from pushpoint.scenarios.transeth2008a import AMONG_PIPES, GAIT, MIDDLE, add, pegs
from pushpoint.worlds.gait_pegs import Body, Wave, mean_heading, peg_centres

for name, friction in (("slippery", 0.05), ("grippy", 0.5)):
    track, flat = chosen("track", friction=friction), chosen("plane", friction=friction)
    where = f"ground with a friction of {friction:g}"
    add(f"track-{name}", f"The track on {where}", "VIII-D2; the friction is ours", world=track)
    add(f"flat-{name}", f"Flat {where}", "VIII-D1; the friction is ours", world=flat, start=Start(link=MIDDLE))
add(
    "track-misplaced",
    "The track, the robot put down 5 mm behind and 5 mm to the right of its place",
    "VIII-E; the distance is ours",
    start=AMONG_PIPES.model_copy(update={"position": (0.515, 0.155)}),
)
FAST = {"controller": chosen("serpenoid", **GAIT | {"frequency": radians(120.0)}), "duration": 5.0}
add("track-frequency-high", "The track with a frequency of 120 deg/s", "VIII-B; the frequency is ours", **FAST)

LINK, RADIUS, PEG, CLEARANCE = 0.122, 0.0525, 0.02, 0.002  # [m]: P2 VIII-A, VIII-B; the last is ours


def add_placed(slug: str, title: str, section: str, **gait: float) -> None:
    """Register a run of a gait among pegs that P2's rule places for it."""
    options = GAIT | gait
    wave = Wave(**options)
    angle = mean_heading(wave, 11)
    body = Body((LINK,) * 11, RADIUS, MIDDLE, (0.0, 0.0), angle)
    centres = [(round(x, 3), round(y, 3)) for x, y in peg_centres(wave, body, PEG, CLEARANCE, ahead=3)]
    fields = {"world": pegs(slug, *centres), "start": Start(link=MIDDLE, angle=angle), "duration": 5.0}
    add(slug, title, section, controller=chosen("serpenoid", **options), **fields)


add_placed("placed", "P2's gait among thin pegs placed by its rule", "VII-D")
FLATTER = "Amplitude of 30 deg: links that push are flatter"
add_placed("amplitude-low", FLATTER, "VIII-B; the amplitude is ours", amplitude=radians(30.0))
