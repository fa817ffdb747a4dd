"""Reproduction: what the papers claim, and what this package measures."""

from pushpoint.registry import Registry
from pushpoint.reproduction._claim import Claim
from pushpoint.reproduction._statement import Statement

claims: Registry[Claim] = Registry("claim", f"{__name__}.claims_of")

__all__ = ["Claim", "Statement", "claims"]
