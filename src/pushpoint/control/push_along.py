"""Along a path by pushing at chosen pegs: P4's open problem, by a quadratic program with contacts."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pushpoint.control import ControlEvent, ControllerState, Drawing, controllers
from pushpoint.control._base import refuse_idle_joints, refuse_pitch, warn_of_servo
from pushpoint.control._push_options import PushAlongOptions, path_of
from pushpoint.control._push_qp import Push, PushProgram, Wish
from pushpoint.control._sensing import Observer, restored, stored
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.planning.believed_pegs import FARTHEST, Beliefs, Correction, corrected, first_beliefs
from pushpoint.planning.feasibility import Course, Drag, WeakStretch, described, missing_wrench
from pushpoint.planning.follow import Following, Reference
from pushpoint.planning.paths import refuse_sharp_bends
from pushpoint.planning.push_points import KEPT, BoolArray, PushPoints, clear_of, points_to_lean_on, push_points
from pushpoint.planning.yielding_path import YieldingPath
from pushpoint.robots import Robot, Servo
from pushpoint.types import Command, FloatArray, Observation

TOUCH_TIME = 0.05  # [s]: how long a touch counts
FELT = 0.1  # [m]: a touched peg is believed farther away than this only if it is another one
NEVER = -1e9  # [s]: when a pair touched that has not
CATCH_UP = 0.03  # [m]: the most that the reference runs ahead or behind
CATCH_UP_RATE, SLOW_DOWN_RATE = 0.5, 2.0  # [1/s]: at which that is made up for: gently behind, firmly ahead
FEWEST = 3  # push-points: the robot as a whole has three freedoms
FEW_TIME = 0.25  # [s]: with fewer for this long it stops
SEARCH_TIME = 1.0  # [s]: the same where enough are near, and touches correct the map: they are found in half a second
PATIENCE = 0.25  # [s], for progress that takes 0.2 s at full speed; then it leans over to pegs, fully in as much again
STALL_TIME, STALL_PART = 2.0, 0.1  # [s], and part of the distance wanted in it: less is a stall
AHEAD = 0.04  # [m]: how far before a stretch too weak for it the robot stops
PREVIEW = 0.5  # [m]: how far ahead it then checks once more, with the map as touches have corrected it
GRACE = 3.0  # [s], after an approach, in which the push-points are found
ARRIVED = "the end of the path"  # why it holds there
ON_PATH = 5e-3  # [m]: a start nearer than this lies on the path, as far as noisy sensors know


@controllers.register("push-along")
class PushAlong:
    """All joints follow the path behind the head; a quadratic program finds the torques. Servo gains should be zero.

    Modes: `drive`, and `hold` where it stopped for a reason, which is an event: the shape of that moment is held;
    before, `approach` of a robot that lies beside its path. The state: `mode`, `begun` when it started, `s` arc length
    of the head's end, `wanted` the arc length at the reference speed, `touched` (n, m) when each link touched each peg
    last, `believed` and `anchor` (m, 2) of the pegs, `check_from` the arc length from which weak stretches count,
    `off_at_start` until it is said, `few` and `slow_since`, `slow_from` of the watchdogs, `held` the shape held, or
    that of the start, `expected` the acceleration that the program expects, and the observer's memory.
    """

    Options: ClassVar[type[Frozen]] = PushAlongOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "head-pose", "contacts"})

    def __init__(self, options: PushAlongOptions, robot: Robot, control_period: float) -> None:
        self._options, self._period = options, control_period
        self.chain = TailChain.of(robot, options.mass_scale)
        self.path = path_of(options)
        self.head = self.path.length / 2 if options.head is None else options.head
        self.following = Following(self.chain, self.path, self.head - 0.05, max(self.path.length, self.head + 0.05))
        pegs = Pegs.of(options.pegs)
        self._radius, self._first = pegs.radius, first_beliefs(pegs, options.map_error, options.map_seed)
        self.course = Course(
            following=self.following,
            pegs=Pegs(self._first.centre, pegs.radius),
            drag=Drag(options.ground_friction, options.viscous, options.gravity),
            peg_friction=options.peg_friction,
            torque_limit=options.torque_limit,
            speed=options.speed,
            near=options.margin_distance,
        )
        # alpha(s) from the start to the end of the path, if anybody asks for it
        asked = options.margin > 0.0 and self.course.drag.holds_back
        self.margin = self.course.margin(self.head, float(self.following.s[-1])) if asked else None
        self.weak = None if self.margin is None else self.margin.weak_stretch(options.speed, 0.0, options.margin)
        self._correction = Correction.during(control_period)
        self._yielding = YieldingPath(
            self.following, self.course.pegs, options.margin_distance, options.margin_distance + FARTHEST
        )
        self._laid = clear_of(self.chain.at(self.following.at(self.head).q, np.zeros(self.chain.coordinates)), pegs)
        self._program = PushProgram(options.torque_limit, options.peg_friction)
        self._observer = Observer(self.chain, options.sensing, control_period)

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> PushAlong:
        refuse_pitch("push-along", robot)
        if len(robot.links) < 2:
            raise InvalidInput(f"controller 'push-along' needs at least 2 links; robot {robot.name!r} has one")
        refuse_idle_joints("push-along", robot)
        controller = cls(options, robot, control_period)
        if options.curvature_limit is not None:
            refuse_sharp_bends(controller.path, controller.head, controller.chain.length, options.curvature_limit)
        return controller

    def check_servo(self, servo: Servo) -> None:
        warn_of_servo("push-along", servo, self._options.torque_limit)

    def initial_shape(self) -> FloatArray | None:
        return np.asarray(self._laid.q[1 : self.chain.links])

    def initial_place(self) -> Drawing:
        """On the path, its head's end at `head`; beside pegs of the map that it would overlap a little."""
        cos, sin = self._laid.cos[0], self._laid.sin[0]
        turn = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
        return Drawing(turn, np.append(self._laid.centres[0], 0.0))

    def start(self, obs: Observation) -> ControllerState:
        memory = self._observer.begin(obs)
        state = self.chain.at(memory.q, memory.rate)
        s = self.path.nearest(state.joints[-1], self.head)
        off = min(state.off_by(self._laid), state.off_by(self.course.moving_at(s)))
        approaches = self._options.approach > 0.0 and off > ON_PATH
        return {
            "mode": "approach" if approaches else "drive",
            "begun": obs.time,
            "s": s,
            "wanted": s,
            "touched": np.full((self.chain.links, len(self._options.pegs)), NEVER),
            "check_from": math.inf if self.weak is None else self.weak.begin - AHEAD,
            "few": 0.0,
            "slow_since": obs.time,
            "slow_from": s,
            "held": obs.joint_angle.copy(),
            "expected": np.zeros(self.chain.coordinates),
            "believed": self._first.centre.copy(),
            "anchor": self._first.anchor.copy(),
            "off_at_start": off,
            **stored(memory),
        }

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        state = dict(state)
        memory, body = self._observer.step(restored(state), obs, state["expected"])
        state |= stored(memory)
        self._note_touches(state, obs)
        events = self._off_at_start(state, obs.time)
        if state["mode"] == "approach":
            if obs.time < state["begun"] + self._options.approach:
                return state, self._approach(state, obs.time, body), tuple(events)
            events.append(self._begin_to_drive(state, obs.time, body))
        if state["mode"] == "drive":
            push, reference, why = self._drive(state, obs.time, body)
            if push is not None:
                state["expected"] = push.acceleration
                shape, rate = reference.q[1 : self.chain.links], self._options.speed * reference.slope
                return state, Command(shape, rate[1 : self.chain.links], push.torque), tuple(events)
            state |= {
                "mode": "hold",
                "held": body.q[1 : self.chain.links],
                "expected": np.zeros(self.chain.coordinates),
            }
            events.append(ControlEvent(obs.time, "hold", why))
        return state, self._hold(state["held"], body), tuple(events)

    def _approach(self, state: ControllerState, time: float, body: TailState) -> Command:
        """From the shape at the start to the one on the path, at rest at both ends."""
        part = (time - state["begun"]) / self._options.approach
        change = self._laid.q[1 : self.chain.links] - state["held"]
        shape = state["held"] + part**2 * (3.0 - 2.0 * part) * change
        rate = 6.0 * part * (1.0 - part) / self._options.approach * change
        return self._hold(shape, body, rate)

    def _begin_to_drive(self, state: ControllerState, time: float, body: TailState) -> ControlEvent:
        s = self.path.nearest(body.joints[-1], self.head)
        s = min(max(s, self.head - CATCH_UP), self.head + CATCH_UP)
        state |= {"mode": "drive", "s": s, "wanted": s, "few": -GRACE, "slow_since": time + GRACE, "slow_from": s}
        off = body.off_by(self.course.moving_at(s))
        return ControlEvent(time, "drive", f"the robot is {1e3 * off:.3g} mm off the path")

    def _off_at_start(self, state: ControllerState, time: float) -> list[ControlEvent]:
        """Said once, where the scenario does not leave the start to the controller."""
        off, state["off_at_start"] = state["off_at_start"], 0.0
        if off < ON_PATH:
            return []
        return [ControlEvent(time, "off-path", f"the start is {1e3 * off:.4g} mm off the path")]

    def _note_touches(self, state: ControllerState, obs: Observation) -> None:
        """Touches count from when they are known."""
        link, peg = obs.contacts.link, obs.contacts.obstacle
        mapped = (peg >= 0) & (peg < len(self._options.pegs))
        touched: FloatArray = state["touched"].copy()
        touched[link[mapped], peg[mapped]] = obs.time
        state["touched"] = touched

    def _drive(self, state: ControllerState, time: float, body: TailState) -> tuple[Push | None, Reference, str]:
        """One tick along the path: the push, or None and the reason why there is none."""
        reference = self._locate(state, body)
        recent = np.asarray(state["touched"] > time - TOUCH_TIME)  # (n, m): which links felt which pegs a moment ago
        points = self._points(state, time, recent, body)
        if self._options.map_correction:
            self._correct_map(state, time, points, recent)
        why = self._reason_to_stop(state, time, body, points)
        if why:
            return None, reference, why
        push = self._program.solve(body, points.contacts, self._wish(state, body, reference))
        return push, reference, "the quadratic program has no solution" if push is None else ""

    def _locate(self, state: ControllerState, body: TailState) -> Reference:
        """The place on the path whose shape is nearest in the metric M: one step of Newton's method per tick."""
        before = state["s"]
        weights = self._yielding.weights(state["believed"]) if self._options.map_correction else np.zeros(0)
        change = self._yielding.change(before, weights)  # how the path yields here
        reference = self.following.at(before, change)
        heavy = body.mass_matrix @ reference.slope
        moved = float(heavy @ (body.q - reference.q) / (heavy @ reference.slope))
        state["s"] = before + min(max(moved, -CATCH_UP), CATCH_UP)  # a robot far off its path is nowhere near on it
        ahead = state["wanted"] + self._period * self._options.speed
        state["wanted"] = min(max(ahead, state["s"] - CATCH_UP), state["s"] + CATCH_UP)
        return self.following.at(state["s"], change, state["s"] - before)

    def _points(self, state: ControllerState, time: float, recent: BoolArray, body: TailState) -> PushPoints:
        pegs = Pegs(state["believed"], self._radius)
        kept = FELT if self._options.map_correction else KEPT
        # A robot that came from beside its path is off it: what it touches is not what the path counts on.
        alone = self._options.approach == 0.0
        return push_points(body, pegs, recent, self._options.contact_distance, kept, self._leaning(state, time), alone)

    def _leaning(self, state: ControllerState, time: float) -> float:
        """[m]: how far it leans over to pegs. The prediction counts pegs that the robot does not touch on its path;
        if it gets stuck it reaches for them, farther and farther."""
        near, far = self._options.contact_distance, self._options.margin_distance
        if state["few"] < 0.0:  # it has just come beside its path
            return far
        stuck = (time - float(state["slow_since"]) - PATIENCE) / PATIENCE
        return near + (far - near) * min(max(0.0, stuck), 1.0)

    def _correct_map(self, state: ControllerState, time: float, points: PushPoints, recent: BoolArray) -> None:
        """What the touches of this tick say about the places of pegs, for the next one."""
        just = time - 0.5 * self._period
        felt = state["touched"][points.contacts.link, points.peg] > just
        missed = ~np.asarray(recent.any(axis=0))[points.peg] & (points.contacts.gap < self._options.contact_distance)
        beliefs = Beliefs(state["believed"], state["anchor"])
        state["believed"], state["anchor"] = corrected(beliefs, points, felt, missed, self._correction)

    def _wish(self, state: ControllerState, body: TailState, reference: Reference) -> Wish:
        """Feedback to the moving shape; drag at the reference velocity, not at the measured one."""
        behind = state["wanted"] - state["s"]
        speed = self._options.speed + (CATCH_UP_RATE if behind > 0.0 else SLOW_DOWN_RATE) * behind
        feedback = self._options.stiffness * (reference.q - body.q)
        feedback += self._options.damping * (speed * reference.slope - body.rate)
        velocities = body.velocities_at(self._options.speed * reference.slope)
        drag = body.generalised(self.course.drag.on(self.chain, velocities))
        return Wish(speed**2 * reference.curvature + feedback, drag, along=reference.slope)

    def _reason_to_stop(self, state: ControllerState, time: float, body: TailState, points: PushPoints) -> str:
        """Why the robot should stop here; empty: it should not."""
        if state["s"] >= self.following.s[-1] - 1e-3:
            return ARRIVED
        state["few"] = state["few"] + self._period if len(points.peg) < FEWEST else 0.0
        if (len(points.peg) == 0 and state["few"] >= 0.0) or (
            state["few"] > FEW_TIME and not self._searches(state, body)
        ):
            missing = self._missing(state["s"], body, points)
            return f"{len(points.peg)} push-points, at least {FEWEST} are needed: {missing}"
        if state["s"] > state["check_from"]:
            too_weak = self._too_weak(state, body)
            if too_weak:
                return too_weak
        if state["s"] - state["slow_from"] > STALL_PART * self._options.speed * STALL_TIME:
            state["slow_since"], state["slow_from"] = time, state["s"]
        if time - state["slow_since"] > STALL_TIME:
            return f"no progress for {STALL_TIME:g} s at {state['s']:.2f} m of the path"
        return ""

    def _searches(self, state: ControllerState, body: TailState) -> bool:
        """Whether it may still find pegs enough that the map has near it."""
        if not self._options.map_correction or state["few"] > SEARCH_TIME:
            return False
        near = points_to_lean_on(body, Pegs(state["believed"], self._radius), self._options.margin_distance)
        return len(near.peg) >= FEWEST

    def _too_weak(self, state: ControllerState, body: TailState) -> str:
        """Why it should stop before the stretch ahead; empty: it should not. Where touches correct the map, the first
        prediction does not count any more: a peg that was believed too far away may have been felt since."""
        course, weak = self.course, self.weak
        if self._options.map_correction:
            course = course._replace(pegs=Pegs(state["believed"], self._radius))
            end = min(state["s"] + PREVIEW, float(self.following.s[-1]))
            margin, begin = course.margin(state["s"], end), self._speed_along(state["s"], body)
            weak = margin.weak_stretch(self._options.speed, begin, self._options.margin)
            state["check_from"] = (end if weak is None else weak.begin) - AHEAD
        return "" if weak is None or state["s"] <= state["check_from"] else _weakness(course, weak)

    def _speed_along(self, s: float, body: TailState) -> float:
        """[m/s]: how fast the robot is along the path, by its momentum."""
        along = self.following.at(s).slope
        heavy = body.mass_matrix @ along
        return max(0.0, float(heavy @ body.rate / (heavy @ along)))

    def _missing(self, s: float, body: TailState, points: PushPoints) -> str:
        """The direction in which the present push-points do not push, with the head at s [m] of the path."""
        velocities = body.velocities_at(self._options.speed * self.following.at(s).slope)
        friction = max(self._options.ground_friction, 0.1)  # a direction, also without friction
        drag = Drag(friction, self._options.viscous, self._options.gravity)
        load = -body.generalised(drag.on(self.chain, velocities))
        contacts = points.contacts
        rows = contacts.normal_jacobian - self._options.peg_friction * contacts.tangent_jacobian
        wrench = missing_wrench(rows, load, float(self.chain.length.sum()))
        return "they could push along, but do not last" if wrench is None else described(wrench)

    def _hold(self, held: FloatArray, body: TailState, rate: FloatArray | float = 0.0) -> Command:
        """A spring and a damper at every joint, within the limit; by the inertia that torques find, so that none is
        stiffer than the control rate allows."""
        joints = slice(1, self.chain.links)
        wanted = self._options.hold_stiffness * (held - body.q[joints])
        wanted += self._options.hold_damping * (rate - body.rate[joints])
        mobility = np.linalg.inv(body.mass_matrix)[joints, joints]
        limit = self._options.torque_limit
        return Command(held, rate + np.zeros_like(held), np.clip(np.linalg.solve(mobility, wanted), -limit, limit))


def _weakness(course: Course, weak: WeakStretch) -> str:
    """Where a robot would stall, and what limits the load there, in words."""
    found, contacts = course.propulsion(weak.worst)
    if found.missing is not None:
        limit = f"{contacts} push-points: {described(found.missing)}"
    else:
        joint = int(np.argmax(np.abs(found.torque)))
        limit = f"{contacts} push-points, joint {joint} at its limit of {course.torque_limit:g} N m"
    return (
        f"at {weak.worst:.2f} m of the path the push-points carry {weak.alpha:z.2f} times the drag, and it would "
        f"stall at {weak.stall:.2f} m; {limit}"
    )
