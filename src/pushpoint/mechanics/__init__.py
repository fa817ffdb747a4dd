"""Chains of rigid links: kinematics, solves in O(n), energy."""
