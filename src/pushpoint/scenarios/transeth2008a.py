"""Runs of P2: Transeth, Leine, Glocker, Pettersen, Liljebäck, Snake Robot Obstacle Aided Locomotion, 2008.

Here P2's signs and numbers are translated, and nowhere else:

- P2 counts links from the head (1) to the tail (11), this package from the tail (0) to the head (10). P2's
  link i is link 11 - i; its link 6, the one tracked by cameras, is link 5.
- The phase shift of -50 deg printed with P2 (71) moves the robot along +x only if the body axes point to the
  tail, so that P2's mean link angle is 180 + 8 deg where ours is 8 deg. Seen from the other end a joint angle
  changes sign: P2's A sin(w t + (i - 1) d) is our A sin(w t + (9 - j) d + pi) at joint j = 10 - i. Hence
  `start_phase` is pi, and amplitude, frequency and phase shift are the printed numbers.
- Obstacles are counted from 1 along the track, as in P2.
"""

from __future__ import annotations

import math
from math import radians
from typing import Any

from pushpoint.robots import Servo
from pushpoint.scenario import Choice, Start
from pushpoint.scenarios import chosen, family
from pushpoint.worlds import Disc, Ground, World
from pushpoint.worlds.track import LINK_DIAMETER

MIDDLE = 5  # P2's link 6
FRICTION = 0.2  # P2 VIII-A: mu_T

# P2 VIII-D: A_h = 40 deg, w_h = 80 deg/s, d_h = -50 deg in P2 (71).
GAIT: dict[str, float] = {
    "amplitude": radians(40.0),
    "frequency": radians(80.0),
    "phase_shift": radians(-50.0),
    "start_phase": math.pi,
}

# P2 Fig. 15 shows the robot among the pipes at t = 0 without numbers. This pose was fitted to the first point
# of Fig. 14; the clearance is a few millimetres. The motion forgets it: all starts without overlap end alike.
AMONG_PIPES = Start(link=MIDDLE, position=(0.520, 0.160), angle=radians(8.0))
ALONG_TRACK: dict[str, Any] = {  # the run of VIII-D2: what runs of Aiko have unless they say otherwise
    "robot": Choice(name="aiko"),
    "world": Choice(name="track"),
    "controller": chosen("serpenoid", **GAIT),
    "start": AMONG_PIPES,
    "duration": 10.0,
}
add = family("transeth2008a", "Transeth et al. 2008, Snake Robot Obstacle Aided Locomotion, {}", **ALONG_TRACK)


def turned(phase_shift: float) -> Choice:
    """The gait with another phase shift [deg]."""
    return chosen("serpenoid", **GAIT | {"phase_shift": radians(phase_shift)})


def pegs(name: str, *centres: tuple[float, float]) -> World:
    """Thin pegs at `centres` [m]; 0.02 m is the middle of the radii that P2 VIII-B lists."""
    discs = tuple(Disc(x=x, y=y, radius=0.02) for x, y in centres)
    return World(name=name, ground=Ground(friction=FRICTION), obstacles=discs, source="placed by the rule of P2 VII-D")


POSTURE_LOW = pegs("posture-low", (-0.139, 0.148), (0.296, 0.187), (0.731, 0.148), (1.166, 0.187), (1.601, 0.148))
POSTURE_HIGH = pegs(
    "posture-high", (-0.395, -0.097), (-0.109, 0.029), (0.174, -0.097), (0.466, 0.030), (0.744, -0.098),
    (1.034, 0.026), (1.315, -0.099),
)  # fmt: skip
PLACED_PEGS = chosen("gait-pegs", start_phase=math.pi, friction=FRICTION, ahead=8)

# Slug, title, section, fields that differ from those of the run along the track.
RUNS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("flat", "Aiko on flat ground: without push-points the gait creeps backwards", "VIII-D1 and Fig. 13",
     {"world": chosen("plane", friction=FRICTION), "start": Start(link=MIDDLE)}),
    ("track", "Aiko pushes itself along seven pipes", "VIII-D2 and Fig. 14", {}),
    ("track-small-pegs", "The track with thin pegs that touch the robot where the pipes do", "VIII-B and Fig. 9",
     {"world": Choice(name="track-small-pegs")}),
    ("track-peg3-moved", "The track with the third pipe moved to the left by one link diameter", "VIII-B1",
     {"world": chosen("track", peg3_left=LINK_DIAMETER), "duration": 11.5}),
    ("track-peg3-removed", "The track without the third pipe", "VIII-B1",
     {"world": chosen("track", without=[3]), "duration": 11.0}),
    # P2 VIII-E names what the robot has and the model leaves out: references that arrive at 10 Hz (VIII-C), a
    # start 50 to 150 ms late, 2 to 3 deg of play in the gears, and motors that saturate. Mid values are taken.
    # The torque limit is not published; each joint axis has a 6 W motor (VIII-C), which at the gait's highest
    # joint rate, 40 deg * 80 deg/s = 0.97 rad/s, cannot give more than 6.2 N m.
    ("track-as-built", "The track with the play, delay, sampling and torque limit of the real robot",
     "VIII-C and VIII-E",
     {"controller": chosen("serpenoid", **GAIT, start_delay=0.1, hold_period=0.1),
      "servo": Servo(stiffness=800.0, damping=2.0, torque_limit=6.2, play=radians(2.5))}),
    # P2 Fig. 12 shows the postures of two other phase shifts among obstacles whose places are not given. P2
    # VII-D has the rule: curve the robot to the gait's first shape and put obstacles along it, close to the
    # centre line (VII-B), on the side that pushes the robot forward. So each peg here stands a few millimetres
    # off an inflection of the shape at t = 0, where the links are steepest, and of the same wave drawn on ahead
    # of the head. The start angle lays the wave's centre line along x. Like those of VIII-B, to which Fig. 12
    # belongs, the pegs are thin. That matters to the lower shift: it gets nowhere with every radius that P2
    # lists (0.01 to 0.03 m), but does get along pipes of 0.08 m radius and more.
    ("posture-low", "Phase shift -30 deg: too few bends to reach three pegs at once", "VIII-B and Fig. 12a",
     {"world": POSTURE_LOW, "controller": turned(-30.0), "start": Start(link=MIDDLE, angle=radians(-4.967)),
      "duration": 5.0}),
    ("posture-high", "Phase shift -70 deg: many flat bends that push sideways more than forward",
     "VIII-B and Fig. 12b",
     {"world": POSTURE_HIGH, "controller": turned(-70.0), "start": Start(link=MIDDLE, angle=radians(1.652)),
      "duration": 5.0}),
    # The same rule as a world of its own, for any gait: P2's own gait among pegs that the rule places. What P2 VIII-B
    # says of amplitude, phase shift and frequency is the study examples/gait_guidelines.yaml.
    ("placed-pegs", "Aiko among thin pegs placed for its gait by the rule of P2", "VII-B, VII-D and VIII-B",
     {"world": PLACED_PEGS, "start": Start(link=MIDDLE)}),
)  # fmt: skip
for slug, title, section, fields in RUNS:
    add(slug, title, section, **fields)
