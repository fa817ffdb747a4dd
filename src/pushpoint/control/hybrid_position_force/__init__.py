"""P4's hybrid position/force control of snake robots, as a documented baseline.

| module | P4 | errata applied |
|---|---|---|
| `projections` | (3.6)-(3.14): allowable and essential motions and forces, filters | P4-1: (3.12) |
| `task` | (3.15)-(3.30), 3.5.3, 6.1.4: task coordinates, closed kinematic chains | P4-1, -2, -3 |
| `dynamic` | (3.31)-(3.43): joint driving forces | P4-1, -4 |
| `redundancy` | 3.5.3, (3.41): distance to singularity, motions k besides the task | |
| `passive` | (3.44)-(3.48), 8.1: active joints only, choice of psi | P4-5 |
| `spaces` | 3.6.2: propulsion, shape and constraint spaces | |
| `controller` | (3.49) and the loops of chapter 5 | P4-5, -7 |
"""

from pushpoint.control.hybrid_position_force.controller import HybridPositionForce, HybridPositionForceOptions

__all__ = ["HybridPositionForce", "HybridPositionForceOptions"]
