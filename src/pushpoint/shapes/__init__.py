"""Motion by shape curves, P3: shape control points, the curve through them, and a virtual snake robot laid along it."""

from pushpoint.shapes.alignment import Aligner, deviation
from pushpoint.shapes.alignments import Alignment, Laid, Memory, alignments, new_memory
from pushpoint.shapes.gait_segment import Coordinate, GaitSegment, ParametricCurve, Wave
from pushpoint.shapes.interpolations import Interpolation, interpolations
from pushpoint.shapes.shape_curve import ShapeCurve
from pushpoint.shapes.virtual_snake import VirtualSnake, forward_kinematics, virtual_snake

__all__ = [
    "Aligner", "Alignment", "Coordinate", "GaitSegment", "Interpolation", "Laid", "Memory", "ParametricCurve",
    "ShapeCurve", "VirtualSnake", "Wave", "alignments", "deviation", "forward_kinematics", "interpolations",
    "new_memory", "virtual_snake",
]  # fmt: skip
