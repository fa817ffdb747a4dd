"""P5's own algorithm: absolute coordinates, joints as bilateral constraints, the iteration (84)-(93).

Equation numbers are those of P5. The default scheme of the plant uses nothing of this package.
"""
