"""What touches and scans say about obstacles: contacts from forces, pegs from contacts and scans, pose by odometry.

Nothing here knows the true world. What is believed is plain arrays, which go into the state of a controller, and a
`Map`, from which models are made.
"""

from pushpoint.mapping.models import Model, ModelFactory, ModelSettings, Trial
from pushpoint.mapping.pegs import KnownPegs, PegMaking, fit_disc, no_pegs

__all__ = ["KnownPegs", "Model", "ModelFactory", "ModelSettings", "PegMaking", "Trial", "fit_disc", "no_pegs"]
