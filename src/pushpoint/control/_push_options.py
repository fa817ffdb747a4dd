"""Options of `push-along`, and the path that they describe."""

from __future__ import annotations

import numpy as np

from pushpoint import quantities as q
from pushpoint.control._sensing import Sensing
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen, NonNegative
from pushpoint.planning.paths import Path, sine_path
from pushpoint.planning.push_points import LEANING, NEAR


class Sine(Frozen):
    """y = amplitude sin(2 pi x / wavelength) from x = begin to x = end."""

    amplitude: q.Width = 0.28  # [m]
    wavelength: q.Length = 2.0  # [m]
    begin: q.Coordinate = -4.0  # [m]
    end: q.Coordinate = 5.0  # [m]


class PushAlongOptions(Frozen):
    """Path, map of the pegs, and what the controller believes of ground, pegs and masses."""

    path: Sine | q.PlanePoints = Sine()  # or points [m]
    pegs: q.PegMap = ()  # x, y, radius [m], in the order of the world's obstacles
    head: q.Coordinate | None = None  # [m], arc length of the head's end at the start; default: half of the path
    speed: q.Speed = 0.15  # [m/s], along the path
    torque_limit: q.TorqueLimit = 5.0  # [N m]
    ground_friction: q.FrictionCoefficient = 0.0
    viscous: q.Gain = 0.0  # [N s/m], per link
    peg_friction: q.FrictionCoefficient = 0.0
    gravity: q.Gravity = 9.81  # [m/s2]
    mass_scale: q.Ratio = 1.0  # masses in the controller's model over those of the robot
    stiffness: q.PositiveGain = 900.0  # [1/s2], of errors of the shape
    damping: q.PositiveGain = 60.0  # [1/s]
    curvature_limit: q.Ratio | None = None  # of the path, times the longest link; 1 in P4 (3.51), None: no limit
    margin: NonNegative = 1.0  # by which loads that can be carried are divided before they predict a stall; 0: it tries
    margin_distance: q.Width = LEANING  # [m]: the robot leans over to nearer pegs: they count in the prediction
    contact_distance: q.Width = NEAR  # [m]: nearer pegs are pushed at
    map_error: q.Width = 0.0  # [m], of normal distribution in x and y of each peg: by this the map is wrong
    map_seed: q.Seed = 0  # of that error
    map_correction: bool = True  # touches correct the places of pegs, and the path yields to them
    approach: q.Delay = (
        0.0  # [s], in which a robot that lies beside its path takes the shape that it has there; 0: none
    )
    hold_stiffness: q.Gain = 400.0  # [1/s2], of the joints where it stops
    hold_damping: q.Gain = 40.0  # [1/s]
    sensing: Sensing = Sensing()


def path_of(options: PushAlongOptions) -> Path:
    """The path that the options describe."""
    try:
        if isinstance(options.path, Sine):
            return sine_path(options.path.amplitude, options.path.wavelength, options.path.begin, options.path.end)
        return Path(np.array(options.path, dtype=float).reshape(-1, 2))
    except InvalidInput as error:
        raise InvalidInput(f"controller.path: {error}") from None
