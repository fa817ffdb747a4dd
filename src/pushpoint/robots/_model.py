"""What a robot is. State, worlds and friction coefficients are not part of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from pushpoint.fields import Frozen, LowerLimit, Name, NonNegative, Number, Positive, PositiveOrInf, UpperLimit

MAX_CORE_LENGTHS = 5  # beyond, somebody mistook the unit


class Servo(Frozen):
    """Joint servo: stiffness (reference - angle) + damping (rate reference - rate), then play and limit.

    `play` is the full dead band of the gears: torques that would close less than half of it are not
    transmitted. Gains of zero leave the feed-forward torque alone.
    """

    stiffness: NonNegative = 0.0  # [N m/rad]
    damping: NonNegative = 0.0  # [N m s/rad]
    torque_limit: PositiveOrInf = math.inf  # [N m]
    play: NonNegative = 0.0  # [rad]


class Link(Frozen):
    """A rigid link with the outline of a capsule; its centre of mass is midway between its joints."""

    length: Positive  # [m], from joint to joint
    mass: Positive  # [kg]
    inertia: Positive  # [kg m2], about the vertical axis through the centre
    radius: NonNegative  # [m], half width of the capsule; zero: infinitely thin
    core: NonNegative | None = None  # [m], half length of the capsule's axis; default: half the length

    @field_validator("core")
    @classmethod
    def _core_within_reason(cls, core: float | None, info: ValidationInfo) -> float | None:
        length = info.data.get("length", math.inf)  # a bad length is reported by itself
        if core is not None and core > MAX_CORE_LENGTHS * length:
            raise ValueError(f"should be at most {MAX_CORE_LENGTHS} times the length of {length} m")
        return core

    @property
    def half_core(self) -> float:
        return self.length / 2 if self.core is None else self.core


class Joint(Frozen):
    """What a joint has besides its servo: a spring and a damper, stops, and the inertia of its motor.

    `angle` is the joint angle at which the spring rests. Stops are unilateral and inelastic. `armature` is the
    inertia of rotor and gears as felt at the joint: it resists changes of the joint rate. A joint that is not
    `actuated` has no servo and takes no torque.
    """

    actuated: bool = True
    stiffness: NonNegative = 0.0  # [N m/rad]
    angle: Number = 0.0  # [rad]
    damping: NonNegative = 0.0  # [N m s/rad]
    lower: LowerLimit = -math.inf  # [rad]
    upper: UpperLimit = math.inf  # [rad]
    armature: NonNegative = 0.0  # [kg m2]

    @field_validator("upper")
    @classmethod
    def _above_lower(cls, upper: float, info: ValidationInfo) -> float:
        lower = info.data.get("lower", -math.inf)  # a bad one is reported by itself
        if upper < lower:
            raise ValueError(f"should be at least lower = {lower} rad")
        return upper


class Robot(Frozen):
    """A chain of links, numbered from the tail, with the gains its servos have by default.

    `joints` are numbered from the tail too; without them all joints are plain.
    """

    name: Name
    links: Annotated[tuple[Link, ...], Field(min_length=1)]
    servo: Servo = Servo()
    joints: tuple[Joint, ...] = ()
    source: str = ""

    @field_validator("joints")
    @classmethod
    def _one_less_than_links(cls, joints: tuple[Joint, ...], info: ValidationInfo) -> tuple[Joint, ...]:
        links = info.data.get("links")  # bad links are reported by themselves
        if joints and links is not None and len(joints) != len(links) - 1:
            raise ValueError(f"should be {len(links) - 1} joints for {len(links)} links, or none")
        return joints

    @property
    def has_plain_joints(self) -> bool:
        return all(joint == Joint() for joint in self.joints)

    @property
    def mass(self) -> float:
        return sum(link.mass for link in self.links)


RobotFactory = Callable[..., Robot]
