"""The one loop: robot, world, plant and controller of a scenario, from the start pose to the recording."""

from pushpoint.simulation.run import Run, begin, failure_message, next_chunk
from pushpoint.simulation.setup import Setup, enough_memory, whole_multiple
from pushpoint.simulation.stepping import Simulation, resume, simulate

__all__ = [
    "Run",
    "Setup",
    "Simulation",
    "begin",
    "enough_memory",
    "failure_message",
    "next_chunk",
    "resume",
    "simulate",
    "whole_multiple",
]
