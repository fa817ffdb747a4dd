"""Robots: geometry, masses, joints, default servo gains; one file per robot, each number with its source."""

from pushpoint.registry import Registry
from pushpoint.robots._model import Joint, Link, Robot, RobotFactory, Servo

robots: Registry[RobotFactory] = Registry("robot", __name__)

__all__ = ["Joint", "Link", "Robot", "RobotFactory", "Servo", "robots"]
