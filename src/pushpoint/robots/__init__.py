"""Robots: geometry, masses, joints, default servo gains; one file per robot, each number with its source."""

from pushpoint.registry import Registry
from pushpoint.robots._model import Axis, Joint, Link, Robot, RobotFactory, Servo

robots: Registry[RobotFactory] = Registry("robot", __name__)

__all__ = ["Axis", "Joint", "Link", "Robot", "RobotFactory", "Servo", "robots"]
