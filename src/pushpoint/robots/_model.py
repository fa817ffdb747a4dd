"""What a robot is. State, worlds and friction coefficients are not part of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from pushpoint import limits
from pushpoint import quantities as q
from pushpoint.deprecation import renamed
from pushpoint.fields import Frozen, Name

MAX_CORE_LENGTHS = 5  # beyond, somebody mistook the unit


class Axis(NamedTuple):
    """What a joint turns about: an axis of the link that it is fixed to."""

    column: int  # of the link's rotation matrix: 0 forward, 1 to the left, 2 up
    sign: float  # of P3's angle of the same joint, which is that of the tail's side and about axes up or to the right


AXES = {"yaw": Axis(2, -1.0), "pitch": Axis(1, 1.0), "roll": Axis(0, -1.0)}

# All types of joints: the names of one or two different axes, from the tail, and how lists of features call them.
JOINT_TYPES = {
    "yaw": "yaw axes",
    "pitch": "pitch axes",
    "yaw-pitch": "cardan joints, yaw first",
    "pitch-yaw": "cardan joints, pitch first",
}


def _known_type(axes: str) -> str:
    if axes not in JOINT_TYPES:
        raise ValueError(f"should be one of {', '.join(map(repr, JOINT_TYPES))}")
    return axes


class Servo(Frozen):
    """Joint servo: stiffness (reference - angle) + damping (rate reference - rate), then play and limit.

    `play` is the full dead band of the gears: torques that would close less than half of it are not
    transmitted. Gains of zero leave the feed-forward torque alone. Pitch axes have the same gains unless others are
    given for them.

    Examples
    --------
    >>> pp.Servo(stiffness=10.0, damping=0.5, pitch_stiffness=20.0).gains("pitch")
    (20.0, 0.5)
    """

    stiffness: q.Gain = 0.0  # [N m/rad]
    damping: q.Gain = 0.0  # [N m s/rad]
    torque_limit: q.TorqueLimit = math.inf  # [N m], of servo and feed-forward together
    play: q.Play = 0.0  # [rad]
    pitch_stiffness: q.Gain | None = None  # [N m/rad], default: as `stiffness`
    pitch_damping: q.Gain | None = None  # [N m s/rad], default: as `damping`

    def gains(self, axis: str) -> tuple[float, float]:
        """Stiffness [N m/rad] and damping [N m s/rad] of an axis.

        Parameters
        ----------
        axis
            "yaw" or "pitch".
        """
        if axis != "pitch":
            return self.stiffness, self.damping
        return (
            self.stiffness if self.pitch_stiffness is None else self.pitch_stiffness,
            self.damping if self.pitch_damping is None else self.pitch_damping,
        )


class Link(Frozen):
    """A rigid link with the outline of a capsule; its centre of mass is midway between its joints.

    In space a `round` link is that capsule; a `square` one is as wide and as high as twice the radius, with edges
    rounded by `edge_radius`. Moments of inertia about the link's own axes that are not given follow from the others.
    """

    length: q.Length  # [m], from joint to joint
    mass: q.Mass  # [kg]
    inertia: q.Inertia  # [kg m2], about the vertical axis through the centre
    radius: q.Width  # [m], half width of the capsule; zero: infinitely thin
    core: q.Width | None = None  # [m], half length of the capsule's axis; default: half the length
    inertia_roll: q.Inertia | None = None  # [kg m2], about its long axis; default: of a solid cylinder or bar
    inertia_pitch: q.Inertia | None = None  # [kg m2], about its axis to the left; default: like `inertia`
    shape: Literal["round", "square"] = "round"  # of the cross section, in space
    edge_radius: q.Length | None = None  # [m], of a square link; default: a tenth of the radius

    @field_validator("edge_radius")
    @classmethod
    def _edge_within_square(cls, edge: float | None, info: ValidationInfo) -> float | None:
        if edge is None:
            return edge
        if info.data.get("shape") == "round":
            raise ValueError("only links of shape 'square' have edges")
        if edge > info.data.get("radius", math.inf):
            raise ValueError(f"should be at most the radius of {info.data['radius']} m")
        return edge

    @field_validator("core")
    @classmethod
    def _core_within_reason(cls, core: float | None, info: ValidationInfo) -> float | None:
        length = info.data.get("length", math.inf)  # a bad length is reported by itself
        if core is not None and core > MAX_CORE_LENGTHS * length:
            raise ValueError(f"should be at most {MAX_CORE_LENGTHS} times the length of {length} m")
        return core

    @property
    def half_core(self) -> float:
        """Half length of the capsule's axis [m]."""
        return self.length / 2 if self.core is None else self.core

    @property
    def about_roll(self) -> float:
        """Moment of inertia about the long axis [kg m2]."""
        if self.inertia_roll is not None:
            return self.inertia_roll
        return self.mass * self.radius**2 * (0.5 if self.shape == "round" else 2.0 / 3.0)

    @property
    def about_pitch(self) -> float:
        """Moment of inertia about the axis to the left [kg m2]."""
        return self.inertia if self.inertia_pitch is None else self.inertia_pitch

    @property
    def rounding(self) -> float:
        """Radius of the edges of a square link [m]."""
        return self.radius / 10 if self.edge_radius is None else self.edge_radius


class Joint(Frozen):
    """What a joint has besides its servo: a spring and a damper, stops, and the inertia of its motor.

    Stops are unilateral and inelastic. `armature` is the inertia of rotor and gears as felt at the joint: it resists
    changes of the joint rate. A joint that is not `actuated` has no servo and takes no torque.

    `axes`: yaw turns about the vertical axis of a link that lies flat, positive to the left; pitch about the axis to
    its left, positive down. A cardan joint has two, named from the tail: the first is fixed to the link on the tail's
    side, the second to that on the head's side, and what else is said of the joint holds for both. `axes_apart`: the
    second axis lies this far ahead of the first, on a piece between them that has no mass.
    """

    axes: Annotated[str, AfterValidator(_known_type)] = "yaw"  # from the tail; two: a cardan joint
    axes_apart: q.Width = 0.0  # [m], of a cardan joint
    actuated: bool = True  # whether it has a motor
    stiffness: q.Gain = 0.0  # [N m/rad], of the spring
    angle: q.Angle = 0.0  # [rad], at which the spring rests
    damping: q.Gain = 0.0  # [N m s/rad], of the damper
    lower: q.LowerStop = -math.inf  # [rad], stop
    upper: q.UpperStop = math.inf  # [rad], stop
    armature: q.Armature = 0.0  # [kg m2]

    @field_validator("axes_apart")
    @classmethod
    def _has_two_axes(cls, apart: float, info: ValidationInfo) -> float:
        if apart > 0 and "-" not in info.data.get("axes", "-"):  # bad axes are reported by themselves
            raise ValueError("only cardan joints, with two axes, have a distance between them")
        return apart

    @field_validator("upper")
    @classmethod
    def _above_lower(cls, upper: float, info: ValidationInfo) -> float:
        lower = info.data.get("lower", -math.inf)  # a bad one is reported by itself
        if upper < lower:
            raise ValueError(f"should be at least lower = {lower} rad")
        return upper

    @property
    def turns_about(self) -> tuple[str, ...]:
        """The names of its axes, from the tail."""
        return tuple(self.axes.split("-"))


DEFAULT_JOINT = Joint()  # what joints are that are not listed


class Robot(Frozen):
    """A chain of links, numbered from the tail, with the gains its servos have by default.

    Examples
    --------
    >>> link = pp.Link(length=0.1, mass=0.2, inertia=2e-4, radius=0.02)
    >>> robot = pp.Robot(name="short", links=(link, link, link), servo=pp.Servo(stiffness=5.0))
    >>> robot.freedoms
    ((0, 'yaw'), (1, 'yaw'))
    """

    name: Name  # for people
    links: Annotated[tuple[Link, ...], Field(min_length=1, fail_fast=True, max_length=limits.LINKS)]  # from the tail
    servo: Servo = Servo()  # of all joints, unless the scenario has another
    joints: Annotated[tuple[Joint, ...], Field(fail_fast=True, max_length=limits.LINKS)] = ()  # from the tail, or none
    source: str = ""  # where the numbers come from

    @field_validator("joints")
    @classmethod
    def _one_less_than_links(cls, joints: tuple[Joint, ...], info: ValidationInfo) -> tuple[Joint, ...]:
        links = info.data.get("links")  # bad links are reported by themselves
        if joints and links is not None and len(joints) != len(links) - 1:
            raise ValueError(f"should be {len(links) - 1} joints for {len(links)} links, or none")
        return joints

    @property
    def has_basic_joints(self) -> bool:
        """Whether all joints are default ones."""
        return all(joint == DEFAULT_JOINT for joint in self.joints)

    has_plain_joints = renamed("has_plain_joints", "has_basic_joints")

    def joint(self, number: int) -> Joint:
        """A joint of the chain, the default one if none are listed.

        Parameters
        ----------
        number
            Counted from the tail.
        """
        return self.joints[number] if self.joints else DEFAULT_JOINT

    @property
    def freedoms(self) -> tuple[tuple[int, str], ...]:
        """The joint and the name of the axis of every joint angle, from the tail."""
        joints = range(len(self.links) - 1)
        return tuple((j, axis) for j in joints for axis in self.joint(j).turns_about)

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The joint of every joint angle, and whether it is the first (0) or the second (1) of that joint."""
        joints = range(len(self.links) - 1)
        return tuple((j, place) for j in joints for place in range(len(self.joint(j).turns_about)))

    @property
    def is_planar(self) -> bool:
        """Whether it can do nothing but bend to the left and right."""
        return all(joint.axes == "yaw" for joint in self.joints)

    @property
    def mass(self) -> float:
        """Of all links [kg]."""
        return sum(link.mass for link in self.links)


RobotFactory = Callable[..., Robot]
