"""Robots: geometry, masses, joints, default servo gains; one file per robot, each number with its source."""

from pushpoint.registry import Registry
from pushpoint.robots._model import AXES, JOINT_TYPES, Axis, Joint, Link, Robot, RobotFactory, Servo

robots: Registry[RobotFactory] = Registry("robot", __name__)

__all__ = ["AXES", "JOINT_TYPES", "Axis", "Joint", "Link", "Robot", "RobotFactory", "Servo", "robots"]
