"""Linear complementarity problems: w = a + A z, w >= 0, z >= 0, w z = 0. One method, one file."""

from pushpoint.numerics.lcp.friction import friction_bound
from pushpoint.numerics.lcp.p_matrix import is_p_matrix
from pushpoint.numerics.lcp.problem import Solution, Status, solve

__all__ = ["Solution", "Status", "friction_bound", "is_p_matrix", "solve"]
