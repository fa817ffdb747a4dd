"""Chosen link angles and chosen contact forces at once, at rest on pegs: the tasks of P4 chapter 5 by one program."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from pushpoint import limits
from pushpoint import quantities as q
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.control._push_qp import Keeping, PushProgram, Weights, Wish
from pushpoint.control._reachable import Aim, reachable
from pushpoint.control._sensing import Observer, Sensing, restored, stored
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.mechanics.peg_contacts import PegContacts
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning.equilibrium import HELD, Held, Rows, Touches, held_pair, link_angle_row
from pushpoint.planning.feasibility import base_rows
from pushpoint.planning.push_points import PushPoints, push_points
from pushpoint.robots import Robot
from pushpoint.types import Command, FloatArray, Observation

FORCE_WEIGHT = 1e-2  # [1/kg]: set-points of forces count, errors of the shape count more
LOST_TIME = 0.25  # [s]: a contact that is lost for this long is reported; with a set-point it ends the task
OFF_TIME = 1.0  # [s] after the ramp: set-points that are missed for this long are reported
ANGLE_OFF, FORCE_OFF = 0.02, 0.1  # [rad], part of the force: more is missed
LEAST_OFF = 0.05  # [N]: less is touching

ROUNDING = 1e-6  # of the torque limit: set-points may be chosen right at it


class LinkAngle(Frozen):
    """A set-point of a link's angle in the world, or relative to another link's."""

    link: q.Index
    angle: q.Angle  # [rad]
    relative_to: q.Index | None = None


class PegForce(Frozen):
    """A set-point of the normal force at a peg."""

    peg: q.Index  # index into `pegs`
    force: q.Force  # [N]


class PushShapeOptions(Frozen):
    """Set-points, map of the pegs, gains."""

    angles: Annotated[tuple[LinkAngle, ...], Field(fail_fast=True, max_length=limits.LINKS)] = ()
    forces: Annotated[tuple[PegForce, ...], Field(fail_fast=True, max_length=limits.POINTS)] = ()
    pegs: q.PegMap = ()  # x, y, radius [m], in the order of the world's obstacles
    ramp: q.Period = 2.0  # [s], from the start to the set-points
    torque_limit: q.TorqueLimit = 2.0  # [N m]
    peg_friction: q.FrictionCoefficient = 0.0  # at rest contacts stick: tangential forces within the cone are free
    mass_scale: q.Ratio = 1.0  # masses in the controller's model over those of the robot
    stiffness: q.PositiveGain = 100.0  # [1/s2], of errors of the shape
    damping: q.PositiveGain = 20.0  # [1/s]
    hold_stiffness: q.Gain = 10.0  # [N m/rad], where it gives up
    hold_damping: q.Gain = 1.0  # [N m s/rad]
    sensing: Sensing = Sensing()


@controllers.register("push-shape")
class PushShape:
    """Goes to a shape with forces that it can hold, `planning.equilibrium`, and holds it. Servo gains should be zero.

    The goal is found at the start: the nearest shape in which all pegs that are touched then are still touched, with
    the set-points met and the robot in balance. The state: `mode` (`drive`, or `hold` after giving up), `begin` and
    `goal` (N,), `force` (m,) at each peg, `began`, `lost` (m,) for how long a peg of the goal has not been touched,
    `off` for how long a set-point has been missed after the ramp, `touched` (m,) whether a peg is part of the goal,
    `held`, `expected`, and the observer's memory.

    Events: `hold` with the reason for giving up; `contact-lost` for a peg of the goal without a force to keep: the
    angles are sought without it; `set-points-missed` where the ramp is over and errors stay: it goes on trying.
    """

    Options: ClassVar[type[Frozen]] = PushShapeOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "head-pose", "contacts"})

    def __init__(self, options: PushShapeOptions, robot: Robot, control_period: float) -> None:
        self._options, self._period = options, control_period
        self.chain = TailChain.of(robot, options.mass_scale)
        self._pegs = Pegs.of(options.pegs)
        weights = Weights(force=FORCE_WEIGHT) if options.forces else Weights()
        self._program = PushProgram(options.torque_limit, options.peg_friction, weights, Keeping(), sticking=True)
        self._observer = Observer(self.chain, options.sensing, control_period)
        joints = [robot.joint(j) for j in range(self.chain.links - 1)]
        self._joint_damping, self._spring, self._spring_rest = (
            np.array([getattr(joint, name) for joint in joints]) for name in ("damping", "stiffness", "angle")
        )

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> PushShape:
        refuse_pitch("push-shape", robot)
        links = len(robot.links)
        if links < 2:
            raise InvalidInput(f"controller 'push-shape' needs at least 2 links; robot {robot.name!r} has one")
        for k, wish in enumerate(options.angles):
            for name, link in (("link", wish.link), ("relative_to", wish.relative_to)):
                if link is not None and link >= links:
                    raise InvalidInput(
                        f"controller 'push-shape', option angles.{k}.{name} = {link}: robot {robot.name!r} has links 0 "
                        f"to {links - 1}"
                    )
        for k, wish in enumerate(options.forces):
            if wish.peg >= len(options.pegs):
                raise InvalidInput(
                    f"controller 'push-shape', option forces.{k}.peg = {wish.peg}: there are {len(options.pegs)} pegs"
                )
        return cls(options, robot, control_period)

    def initial_shape(self) -> FloatArray | None:
        return None

    def start(self, obs: Observation) -> ControllerState:
        memory = self._observer.begin(obs)
        body = self.chain.at(memory.q, memory.rate)
        points = push_points(body, self._pegs)
        goal = self._goal(body, points)
        force, touched = np.zeros(len(self._options.pegs)), np.zeros(len(self._options.pegs), dtype=bool)
        np.add.at(force, points.peg, goal.force)  # two links may share a peg
        touched[points.peg] = True
        return {
            "mode": "drive",
            "begin": body.q,
            "goal": goal.q,
            "force": force,
            "touched": touched,
            "began": obs.time,
            "lost": np.zeros(len(touched)),
            "off": 0.0,
            "held": obs.joint_angle.copy(),
            "expected": np.zeros(self.chain.coordinates),
            **stored(memory),
        }

    def _goal(self, body: TailState, points: PushPoints) -> Held:
        """The pair of shape and forces to go to; refuses set-points that cannot be held."""
        chain, contacts = self.chain, points.contacts
        task = Rows.none(chain.coordinates)
        if self._options.angles:
            rows = [_angle_row(chain, wish) for wish in self._options.angles]
            task = Rows(np.array(rows), np.array([wish.angle for wish in self._options.angles]))
        touches = Touches(contacts.link, self._pegs.centre[points.peg], self._pegs.radius[points.peg])
        forces = Rows(np.zeros((len(self._options.forces), len(points.peg))), np.zeros(len(self._options.forces)))
        for k, wish in enumerate(self._options.forces):
            at = np.flatnonzero(points.peg == wish.peg)
            if len(at) == 0:
                raise InvalidInput(
                    f"controller 'push-shape', option forces.{k}.peg = {wish.peg}: no link touches it at the start"
                )
            forces.rows[k, at[0]], forces.value[k] = 1.0, wish.force
        goal = held_pair(chain, body.q, touches, task, forces, balanced=bool(self._options.forces))
        self._refuse_weak_motors(goal)
        return goal

    def _refuse_weak_motors(self, goal: Held) -> None:
        """Motors hold what contacts and springs of joints ask for, within their limit; no motor holds nothing."""
        torque = goal.torque + self._spring * (goal.q[1 : self.chain.links] - self._spring_rest)
        limit = self._options.torque_limit
        without = np.abs(torque) * (1.0 - self.chain.motors)
        if without.max(initial=0.0) > limit * ROUNDING:
            joint = int(np.argmax(without))
            raise InvalidInput(
                f"controller 'push-shape': to hold its set-points, joint {joint}, which is not actuated, would need "
                f"{torque[joint]:.3g} N m; should be a shape or forces that need none there"
            )
        joint = int(np.argmax(np.abs(torque)))
        if abs(torque[joint]) > limit * (1.0 + ROUNDING):
            raise InvalidInput(
                f"controller 'push-shape', option torque_limit = {limit:g} N m: to hold the set-points of `forces`, "
                f"joint {joint} would need {torque[joint]:.3g} N m"
            )

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        state = dict(state)
        memory, body = self._observer.step(restored(state), obs, state["expected"])
        state |= stored(memory)
        if state["mode"] == "hold":
            return state, self._hold(state, obs), ()
        # Pegs of the goal count as touched: their contacts are sought again if they open a little.
        near_goal = np.broadcast_to(state["touched"], (self.chain.links, len(state["touched"])))
        points = push_points(body, self._pegs, near_goal)
        why, events = self._watch_contacts(state, obs.time, points)
        push = None if why else self._program.solve(body, points.contacts, self._wish(state, obs.time, body, points))
        if push is not None:
            state["expected"] = push.acceleration
            shape = state["goal"][1 : self.chain.links]
            events += self._watch_set_points(state, obs, body)
            return state, Command(shape, np.zeros_like(shape), self.chain.motors * push.torque), tuple(events)
        state |= {"mode": "hold", "held": obs.joint_angle.copy(), "expected": np.zeros(self.chain.coordinates)}
        events.append(ControlEvent(obs.time, "hold", why or "the quadratic program has no solution"))
        return state, self._hold(state, obs), tuple(events)

    def _watch_contacts(
        self, state: ControllerState, time: float, points: PushPoints
    ) -> tuple[str, list[ControlEvent]]:
        """Which contact with a set-point is lost for more than a moment, empty: none; and news of the others."""
        gone = state["touched"].copy()
        gone[points.peg] = False
        before, state["lost"] = state["lost"], np.where(gone, state["lost"] + self._period, 0.0)
        lost = np.flatnonzero((before <= LOST_TIME) & (state["lost"] > LOST_TIME))
        pushed = lost[state["force"][lost] > HELD]
        if len(pushed):
            force = state["force"][pushed[0]]
            return f"no link touches peg {pushed[0]}, which should be pushed with {force:.3g} N", []
        return "", [ControlEvent(time, "contact-lost", f"no link touches peg {peg} any more") for peg in lost]

    def _watch_set_points(self, state: ControllerState, obs: Observation, body: TailState) -> list[ControlEvent]:
        """Reports what is missed once that has lasted for a while after the ramp."""
        if obs.time < state["began"] + self._options.ramp:
            return []
        missed = self._missed(state, obs, body)
        before, state["off"] = state["off"], state["off"] + self._period if missed else 0.0
        if before <= OFF_TIME < state["off"]:
            return [ControlEvent(obs.time, "set-points-missed", "; ".join(missed))]
        return []

    def _missed(self, state: ControllerState, obs: Observation, body: TailState) -> list[str]:
        """Set-points that are not met now, in words."""
        missed = []
        for wish in self._options.angles:
            angle = float(_angle_row(self.chain, wish) @ body.q)
            if abs(angle - wish.angle) > ANGLE_OFF:
                to = "" if wish.relative_to is None else f" relative to link {wish.relative_to}"
                missed.append(f"link {wish.link}{to} is at {angle:z.3f} rad, not at {wish.angle:g} rad")
        along_normals = (obs.contacts.force * obs.contacts.normal).sum(axis=1)
        for peg in sorted({wish.peg for wish in self._options.forces}):
            force, wanted = float(along_normals[obs.contacts.obstacle == peg].sum()), float(state["force"][peg])
            if abs(force - wanted) > max(FORCE_OFF * wanted, LEAST_OFF):
                missed.append(f"peg {peg} is pushed with {force:.3g} N, not with {wanted:.3g} N")
        return missed

    def _wish(self, state: ControllerState, time: float, body: TailState, points: PushPoints) -> Wish:
        """Feedback to a shape that goes smoothly from the start to the goal, as far as motors and pegs can follow.

        With set-points of forces the joints have a shape to go to, the one that can hold them. Without, only the chosen
        angles have, and all else comes to rest where it is: the robot may have slid along its pegs meanwhile.
        """
        contacts, k = points.contacts, len(points.peg)
        part = smooth_step((time - state["began"]) / self._options.ramp)
        drag = np.zeros(self.chain.coordinates)
        joints = slice(1, self.chain.links)
        drag[joints] = -self._joint_damping * body.rate[joints] - self._spring * (body.q[joints] - self._spring_rest)
        keeping = Keeping()
        gap = -keeping.damping * contacts.gap_rate - keeping.stiffness * contacts.gap
        if self._options.forces:
            toward = self._toward(part, np.eye(self.chain.coordinates), state["begin"], state["goal"], body)
            aim = Aim.of(toward, k)._replace(gap=gap, arbitrary=base_rows(self.chain.links), load=drag)
            force = part[0] * _of_first_contact(state["force"], points.peg, contacts)
            return Wish(reachable(body, contacts, aim)[0], drag, force)
        rows = np.array([_angle_row(self.chain, wish) for wish in self._options.angles])
        rows = rows.reshape(-1, self.chain.coordinates)
        value = self._toward(part, rows, state["begin"], state["goal"], body)
        aim = Aim.of(-self._options.damping * body.rate, k)._replace(gap=gap, rows=rows, value=value, load=drag)
        return Wish(reachable(body, contacts, aim)[0], drag)

    def _toward(
        self, part: tuple[float, float, float], rows: FloatArray, begin: FloatArray, goal: FloatArray, body: TailState
    ) -> FloatArray:
        """Accelerations of rows @ q that move from begin to goal, with feedback."""
        to_go, ramp, (share, rate, change) = rows @ (goal - begin), self._options.ramp, part
        off = rows @ (begin - body.q) + share * to_go
        late = rate / ramp * to_go - rows @ body.rate
        return np.asarray(change / ramp**2 * to_go + self._options.stiffness * off + self._options.damping * late)

    def _hold(self, state: ControllerState, obs: Observation) -> Command:
        """A spring and a damper at every joint, within the limit."""
        held: FloatArray = state["held"]
        torque = self._options.hold_stiffness * (held - obs.joint_angle) - self._options.hold_damping * obs.joint_rate
        limit = self._options.torque_limit
        return Command(held, np.zeros_like(held), self.chain.motors * np.clip(torque, -limit, limit))


def _angle_row(chain: TailChain, wish: LinkAngle) -> FloatArray:
    row = link_angle_row(chain, wish.link)
    return row if wish.relative_to is None else row - link_angle_row(chain, wish.relative_to)


def _of_first_contact(force: FloatArray, peg: Any, contacts: PegContacts) -> FloatArray:
    """Set-points (k,) [N] of contacts: where two links touch a peg, the nearer one has it."""
    out = np.zeros(len(peg))
    for each in np.unique(peg):
        rows = np.flatnonzero(peg == each)
        out[rows[np.argmin(contacts.gap[rows])]] = force[each]
    return out


def smooth_step(part: float) -> tuple[float, float, float]:
    """From zero to one with its first two derivatives, which vanish at both ends."""
    x = min(max(part, 0.0), 1.0)
    return x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)
