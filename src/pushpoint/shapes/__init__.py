"""Motion by shape curves, P3: shape control points, the curve through them, and a virtual snake robot laid along it."""

from pushpoint.shapes.alignment import Aligner, Laid, Memory, deviation, new_memory
from pushpoint.shapes.gait_segment import Coordinate, GaitSegment, ParametricCurve, Wave
from pushpoint.shapes.shape_curve import Interpolation, ShapeCurve
from pushpoint.shapes.virtual_snake import VirtualSnake, forward_kinematics, virtual_snake

__all__ = [
    "Aligner",
    "Coordinate",
    "GaitSegment",
    "Interpolation",
    "Laid",
    "Memory",
    "ParametricCurve",
    "ShapeCurve",
    "VirtualSnake",
    "Wave",
    "deviation",
    "forward_kinematics",
    "new_memory",
    "virtual_snake",
]
