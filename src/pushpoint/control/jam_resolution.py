"""The hybrid controller of P1 VII: the body follows the head; jams are resolved by the forces that they make."""

from __future__ import annotations

from math import ceil, radians
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from pushpoint import limits
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.quantities import Angle, Bend, Delay, Length, PositiveAngle, Speed
from pushpoint.robots import Robot
from pushpoint.types import Command, Contacts, FloatArray, Observation

ROUNDING = 1e-9  # [s]: sums of periods are off by less; in continuous time a jump follows as soon as its time is over


class JamResolutionOptions(Frozen):
    """Design parameters with P1's values (VIII-B1), and what its text leaves open.

    `history`: whether what the head did goes on travelling to the tail while a jam is resolved, or stands still as the
    leader-follower motion does. `before_start`: what joints follow that the head's bends have not reached yet: a ramp
    to the angle of the next joint, each its own angle, or at once that of the next. `jam_reference`: which deviations
    count in (84): from references as printed, from references within the limits of joints, or not those of the head.
    """

    head_left: Bend = radians(50.0)  # [rad], theta_left
    head_right: Bend = radians(-50.0)  # [rad], theta_right
    first: Literal["left", "right"] = "right"  # where the head turns at t = 0
    swing: Length = 0.14  # [m], dy_max: how far the head swings to either side of the centre of mass
    speed: Speed = 0.2  # [m/s], v_ref: at which the head's bends travel to the tail
    joint_limit: PositiveAngle = radians(50.0)  # [rad], phi_max
    jam_angle: PositiveAngle = radians(20.0)  # [rad], dphi_max: a joint farther off than this is jammed
    jam_time: Delay = 0.5  # [s], t_jam,max: jams that last longer are resolved
    resolution_time: Delay = 0.5  # [s], t_resolution,max
    resolution_gain: Angle = 0.05  # [rad/N], k_theta
    resolution: bool = True  # False: jams are detected and left alone
    jam_reference: Literal["printed", "limited", "without-head"] = "limited"
    history: Literal["goes-on", "stands-still"] = "stands-still"
    before_start: Literal["ramp", "own", "next"] = "ramp"


class Jump(NamedTuple):
    """A change of the automaton: what is new in its state, and what its event reports."""

    name: str
    detail: str
    change: dict[str, Any]


@controllers.register("jam-resolution")
class JamResolution:
    """Leader and followers, P1 (74), until two joints are jammed for long, P1 (84)-(86); then resolution, P1 (79).

    The state is P1's (82): `head` theta_n,ref, `jam_force` f_jam, `jammed` jam, `timer` tau, `resolving` z; and what
    (82) leaves out: `history`, the head joint's angles of the past, a ring whose newest entry is at `newest`, the
    number of entries made, `age`, and the joint angles at the start, `first_angle`. Here joint angles have the other
    sign than P1's and joints count from 0 at the tail.
    """

    Options: ClassVar[type[Frozen]] = JamResolutionOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "link-poses", "contacts"})

    def __init__(self, options: Any, robot: Robot, control_period: float) -> None:
        self._options, self._period = options, control_period
        self._joints = len(robot.links) - 1
        self._head_offset = head_offset_weights(robot)
        lengths = np.array([link.length for link in robot.links])
        # The distance from the head joint to each joint, at the speed of the bends, as a number of ticks.
        distance = np.concatenate([np.cumsum(lengths[1:-1][::-1])[::-1], [0.0]])
        self._delay = distance / options.speed / control_period

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> JamResolution:
        refuse_pitch(cls.name(), robot)
        if len(robot.links) < 3:
            raise InvalidInput(
                f"controller {cls.name()!r} needs at least 3 links; robot {robot.name!r} has {len(robot.links)}"
            )
        if options.head_left <= options.head_right:
            raise InvalidInput(
                f"controller {cls.name()!r}: head_left = {options.head_left:.4g} rad should be greater than "
                f"head_right = {options.head_right:.4g} rad"
            )
        length = sum(link.length for link in robot.links)
        if length / options.speed / control_period > limits.REMEMBERED_TICKS:
            raise InvalidInput(
                f"controller {cls.name()!r}: speed = {options.speed:.4g} m/s: the bends of the head would take "
                f"{length / options.speed:.3g} s to the tail; at most {limits.REMEMBERED_TICKS} ticks of "
                f"{control_period:g} s are remembered"
            )
        return cls(options, robot, control_period)

    @classmethod
    def name(cls) -> str:
        return "jam-resolution"

    def initial_shape(self) -> FloatArray | None:
        return None

    def start(self, obs: Observation) -> ControllerState:
        left = self._options.first == "left"
        return {
            "head": self._options.head_left if left else self._options.head_right,
            "jam_force": np.zeros(self._joints + 1),
            "jammed": False,
            "timer": 0.0,
            "resolving": False,
            "history": self._history_before(obs.joint_angle),
            "newest": 0,
            "age": 0,
            "first_angle": obs.joint_angle.copy(),
        }

    def _history_before(self, angle: FloatArray) -> FloatArray:
        """As if the head had led the body into its shape: joint k has what the head joint had a delay ago."""
        ticks = np.arange(ceil(self._delay[0]) + 2, dtype=float) + 1.0
        past = np.interp(ticks, self._delay[::-1], angle[::-1])  # from one tick before t = 0 backwards
        if self._options.before_start == "next":
            reached = np.searchsorted(self._delay[::-1], ticks - ROUNDING / self._period, side="right") - 1
            past = angle[::-1][np.clip(reached, 0, self._joints - 1)]
        return np.concatenate([past[:1], past[:0:-1]])  # as a ring whose newest entry is at 0

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        state = dict(state)
        state["timer"] += self._period  # P1 (91)
        if self._options.history == "goes-on" or not state["resolving"]:
            self._remember(state, obs.joint_angle[-1])
        events = []
        for jump in self._jumps(state, obs):
            state |= jump.change
            events.append(ControlEvent(obs.time, jump.name, jump.detail))
        reference = self._resolving(state, obs) if state["resolving"] else self._following(state, obs)
        limit, still = self._options.joint_limit, np.zeros(self._joints)
        return state, Command(np.clip(reference, -limit, limit), still, still), tuple(events)  # P1 (80)

    def _remember(self, state: ControllerState, head_joint: float) -> None:
        history = state["history"] = state["history"].copy()
        state["newest"] = (state["newest"] + 1) % len(history)
        history[state["newest"]] = head_joint
        state["age"] += 1

    def _jumps(self, state: ControllerState, obs: Observation) -> list[Jump]:
        """What the automaton goes through at this tick, P1 (83)-(89), in this order."""
        found: list[Jump] = []
        if state["resolving"]:
            if state["timer"] >= self._options.resolution_time - ROUNDING:
                ended = {"resolving": False, "jammed": False, "timer": 0.0}
                found.append(Jump("resolution-ended", f"after {state['timer']:.3g} s", ended))
            return found
        found.extend(self._turns(state, obs))
        after = state | (found[-1].change if found else {})
        jammed = self._jammed_joints(after, obs)
        if len(jammed) >= 2 and not after["jammed"]:
            found.append(Jump("jam", "joints " + ", ".join(map(str, jammed)), {"jammed": True, "timer": 0.0}))
        elif len(jammed) < 2 and after["jammed"]:
            found.append(Jump("jam-ended", "", {"jammed": False, "timer": 0.0}))
        elif after["jammed"] and after["timer"] >= self._options.jam_time - ROUNDING and self._options.resolution:
            force = across_forces(obs.contacts, obs.link_yaw)
            pushed = ", ".join(f"{i}: {force[i]:.1f} N" for i in np.flatnonzero(force))
            begun = {"resolving": True, "jammed": False, "timer": 0.0, "jam_force": force}
            found.append(Jump("resolution", f"forces across links {pushed}", begun))
        return found

    def _turns(self, state: ControllerState, obs: Observation) -> list[Jump]:
        """The head swings back, P1 (72) and (83)."""
        offset = float(self._head_offset @ np.sin(obs.link_yaw))
        left, right, swing = self._options.head_left, self._options.head_right, self._options.swing
        if state["head"] == left and offset > swing:
            return [Jump("head-right", f"head {offset:.3f} m left", {"head": right})]
        if state["head"] == right and offset < -swing:
            return [Jump("head-left", f"head {-offset:.3f} m right", {"head": left})]
        return []

    def _jammed_joints(self, state: ControllerState, obs: Observation) -> list[int]:
        """P1 (84): as printed, with references that may lie beyond the limit of the joints."""
        reference = self._following(state, obs)
        if self._options.jam_reference == "limited":
            reference = np.clip(reference, -self._options.joint_limit, self._options.joint_limit)
        off = np.abs(obs.joint_angle - reference) > self._options.jam_angle
        if self._options.jam_reference == "without-head":
            off[-1] = False
        return [int(j) for j in np.flatnonzero(off)]

    def _following(self, state: ControllerState, obs: Observation) -> FloatArray:
        """P1 (74): the head link keeps its direction, the other joints do what the head joint did."""
        history, delay = state["history"], self._delay
        whole = delay.astype(np.int64)
        part = delay - whole
        newer = history[(state["newest"] - whole) % len(history)]
        older = history[(state["newest"] - whole - 1) % len(history)]
        reference: FloatArray = newer + part * (older - newer)
        if self._options.before_start == "own":
            reference = np.where(state["age"] > delay, reference, state["first_angle"])
        reference[-1] = state["head"] - obs.link_yaw[-2]
        return reference

    def _resolving(self, state: ControllerState, obs: Observation) -> FloatArray:
        """P1 (79): turn links so that what pushes them pushes forward more; the head joint stays as it is."""
        turn = self._options.resolution_gain * state["jam_force"] * np.cos(obs.link_yaw)
        reference: FloatArray = obs.joint_angle + turn[:-1] - turn[1:]
        reference[-1] = obs.joint_angle[-1]
        return reference


def head_offset_weights(robot: Robot) -> FloatArray:
    """What sin(link angle) of each link adds to the head's distance from the centre of mass along y, P1 (71)."""
    half = np.array([link.length / 2 for link in robot.links])
    mass = np.array([link.mass for link in robot.links])
    n = len(half)
    # Centre of link i over that of link 0: half of link 0, all lengths between, half of link i.
    centre = 2.0 * np.tril(np.ones((n, n)), -1) + np.eye(n)
    centre[:, 0] -= 1.0
    centre[0, 0] = 0.0
    centre *= half
    return np.asarray(centre[-1] - mass @ centre / mass.sum())


def across_forces(contacts: Contacts, link_yaw: FloatArray) -> FloatArray:
    """Contact force [N] on each link to its left, with its sign: P1's alpha_i lambda_i, the mean of the last tick."""
    force = np.zeros(len(link_yaw))
    for link, (fx, fy) in zip(contacts.link, contacts.force, strict=True):
        force[link] += fy * np.cos(link_yaw[link]) - fx * np.sin(link_yaw[link])
    return force
