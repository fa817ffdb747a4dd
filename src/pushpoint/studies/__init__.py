"""Studies: many runs of one scenario on local processes, and what can be said about them together."""

from pushpoint.studies.results import Results, Row
from pushpoint.studies.runner import run
from pushpoint.studies.study import Measurement, Study

__all__ = ["Measurement", "Results", "Row", "Study", "run"]
