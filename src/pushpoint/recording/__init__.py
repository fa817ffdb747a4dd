"""Recordings: what happened in a run, as labelled arrays, and checkpoints to go on from."""

from pushpoint.analysis.metrics import METRICS
from pushpoint.recording.checkpoint import Checkpoint
from pushpoint.recording.recording import Recording, load

__all__ = ["METRICS", "Checkpoint", "Recording", "load"]
