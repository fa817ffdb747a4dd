"""The controllers of P4 chapter 5: PI loops about dynamic hybrid position/force control, and what P4 adds to it."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from pushpoint import limits
from pushpoint.control import ControlEvent, ControllerState, controllers
from pushpoint.control._base import refuse_pitch
from pushpoint.control._sensing import Observer, Sensing, restored, stored
from pushpoint.control.hybrid_position_force import dynamic, passive, projections
from pushpoint.control.hybrid_position_force.redundancy import Arbitrary, singularity, without_units
from pushpoint.control.hybrid_position_force.task import BoolArray, Chains, Task, chains_of, task_of
from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen, NonNegative
from pushpoint.mechanics.peg_contacts import PegContacts, peg_contacts
from pushpoint.mechanics.tail_chain import TailChain, TailState
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.quantities import Angle, Delay, Force, Gain, Index, PegMap, TorqueLimit
from pushpoint.robots import Robot
from pushpoint.types import Command, FloatArray, Observation

LOST = 5e-3  # [m]: a contact with a larger gap is lost; P4's model holds no more
TURN = np.array([[0.0], [0.0], [1.0]])  # E_p of a contact: the angle of its link
ACROSS = np.array([[0.0], [1.0], [0.0]])  # E_f
Few = Field(fail_fast=True, max_length=2 * limits.LINKS)


class Loop(Frozen):
    """Gains of one kind of loop. P4 has PI only, which is unstable about a double integrator (erratum P4-7)."""

    proportional: Gain = 0.0
    integral: Gain = 0.0  # [1/s]
    derivative: Gain = 0.0  # [s]; not in P4


class HybridPositionForceOptions(Frozen):
    """Contacts, set-points and which of P4's methods to use."""

    pegs: PegMap = ()  # x, y, radius [m], in the order of the world's obstacles
    # (link, peg) from the tail; taken to last
    contacts: Annotated[tuple[tuple[Index, Index], ...], Few] = ()
    angle: Annotated[tuple[Angle | None, ...], Few] = ()  # [rad], of each contact's link; None: not essential
    force: Annotated[tuple[Force | None, ...], Few] = ()  # [N], on each contact's peg; None: not controlled
    chains: Chains = "regular"  # P4 3.5.3, 6.1.4; minimal, largest: angles are relative to where the chain begins
    filtered: bool = False  # (3.49): only essential variables
    passive: Literal["ignored", "eliminated"] = "ignored"  # virtual coordinates' torques; eliminated: 3.2
    # phi of (3.44); None: the passive coordinates; auto: chosen at every tick, P4 8.1
    free: Annotated[tuple[Index, ...], Few] | Literal["auto"] | None = None
    arbitrary: Arbitrary = Arbitrary()  # k of (3.41)
    singular_below: NonNegative = 0.0  # smallest singular value of the task, below which `near-singular` is reported
    others: Literal["hold", "free"] = "free"  # position variables without set-point: kept as at the start, or let go
    form: projections.Form = "corrected"  # of E_F, (3.12), (3.46)-(3.49)
    position_loop: Loop = Loop()  # [1/s2] per rad or m
    force_loop: Loop = Loop()
    feed_forward: bool = True  # whether the force set-point itself is commanded
    force_lag: Delay = 0.0  # [s], of a low-pass filter of measured forces
    torque_limit: TorqueLimit = 2.0  # [N m]
    sensing: Sensing = Sensing()

    @model_validator(mode="after")
    def _one_per_contact(self) -> HybridPositionForceOptions:
        for name, given in (("angle", self.angle), ("force", self.force)):
            if given and len(given) != len(self.contacts):
                raise ValueError(f"{name} has {len(given)} values for {len(self.contacts)} contacts")
        links = [link for link, _ in self.contacts]
        if any(here >= ahead for here, ahead in pairwise(links)):
            raise ValueError(f"contacts should be in the order from the tail, one per link; links are {links}")
        for _, peg in self.contacts:
            if peg >= len(self.pegs):
                raise ValueError(f"contacts name peg {peg}; there are {len(self.pegs)} pegs")
        return self


@controllers.register("hybrid-position-force")
class HybridPositionForce:
    """Torques by P4's dynamic hybrid position/force control. Servo gains should be zero.

    Modes: `control`, and `hold` (no torque) without contacts. Where a contact of the list opens by more than LOST this
    is an event, `contact-lost`; P4's method goes on as if it lasted. The state: `mode`, `place` (2 k,) and `begin` (N,)
    at the start, `position` (2 k,) and `force` (k,) integrals of errors, `felt` (k,) filtered forces [N], `lost` (k,),
    `singular`: near a singularity, `free`: phi, and the observer's memory.
    """

    Options: ClassVar[type[Frozen]] = HybridPositionForceOptions
    uses: ClassVar[frozenset[str]] = frozenset({"joint-encoders", "head-pose", "contacts"})

    def __init__(self, options: HybridPositionForceOptions, robot: Robot, control_period: float) -> None:
        self._options, self._period = options, control_period
        self.chain = TailChain.of(robot)
        self._observer = Observer(self.chain, options.sensing, control_period)
        pegs, listed = Pegs.of(options.pegs), np.array(options.contacts, dtype=np.int64).reshape(-1, 2)
        self._link, self._peg = listed[:, 0], listed[:, 1]
        self._centre, self._radius = pegs.centre[self._peg], pegs.radius[self._peg]
        self._angle = _or_nan(options.angle, len(listed))
        self._force = _or_nan(options.force, len(listed))
        self._controlled = ~np.isnan(self._angle) | ~np.isnan(self._force)
        self._free = passive.free_coordinates(self.chain, None if options.free == "auto" else options.free)

    @classmethod
    def build(cls, options: Any, robot: Robot, control_period: float) -> HybridPositionForce:
        refuse_pitch("hybrid-position-force", robot)
        for link, _ in options.contacts:
            if link >= len(robot.links):
                raise InvalidInput(
                    f"controller 'hybrid-position-force', option contacts names link {link}; robot {robot.name!r} has "
                    f"links 0 (tail) to {len(robot.links) - 1}"
                )
        controller = cls(options, robot, control_period)
        controller._refuse_missing_motors()
        return controller

    def _refuse_missing_motors(self) -> None:
        """What cannot be done without a motor at every joint that it takes into account."""
        idle, options = np.flatnonzero(self.chain.motors == 0.0), self._options
        if not len(idle):
            return
        whose = f"controller 'hybrid-position-force', joint {idle[0]} is not actuated"
        if not np.isnan(self._angle).all():
            if options.passive == "ignored":
                raise InvalidInput(f"{whose}: option passive = 'ignored' drops its torque; use 'eliminated'")
            if options.filtered and options.form == "printed":
                raise InvalidInput(f"{whose}: option form = 'printed' with filtered drives it; use form = 'corrected'")
        chains = chains_of(self._link, self.chain.links, options.chains, self._controlled)
        for contact in np.flatnonzero(~np.isnan(self._force)):
            needed = [j for j in idle if chains[contact].moved[j + 1]]
            if needed:
                raise InvalidInput(
                    f"controller 'hybrid-position-force', option force.{contact}: joint {needed[0]} of its closed "
                    f"kinematic chain is not actuated; chains = {options.chains!r}, allowed are chains without it"
                )

    def initial_shape(self) -> FloatArray | None:
        return None

    def start(self, obs: Observation) -> ControllerState:
        memory = self._observer.begin(obs)
        body = self.chain.at(memory.q, memory.rate)
        k = len(self._link)
        return {
            "mode": "control" if k else "hold",
            "place": self._task(body).place,
            "begin": body.q,
            "position": np.zeros(2 * k),
            "force": np.zeros(k),
            "felt": np.zeros(k),
            "lost": np.zeros(k, dtype=bool),
            "singular": False,
            "free": np.array(self._free),
            **stored(memory),
        }

    def step(
        self, state: ControllerState, obs: Observation
    ) -> tuple[ControllerState, Command, tuple[ControlEvent, ...]]:
        state = dict(state)
        memory, body = self._observer.step(restored(state), obs, np.zeros(self.chain.coordinates))
        state |= stored(memory)
        if state["mode"] == "hold":
            return state, _command(np.zeros(len(obs.joint_angle))), ()
        contacts, task = self.contacts_of(body), self._task(body)
        events = _note_losses(state, obs.time, contacts) + self._note_singularity(state, obs.time, body)
        torque = self._position(state, body, contacts, task) + self._push(state, obs, contacts, task)
        limit = self._options.torque_limit
        return state, _command(self.chain.motors * np.clip(torque[1:-2], -limit, limit)), events

    def contacts_of(self, body: TailState) -> PegContacts:
        """The listed contacts, whether they touch or not: P4 takes them to last."""
        return peg_contacts(body, self._link, self._centre, self._radius)

    def _task(self, body: TailState) -> Task:
        frame: Literal["printed", "contact"] = "printed" if self._options.form == "printed" else "contact"
        return task_of(body, self.contacts_of(body), self._options.chains, frame, self._controlled)

    def controlled_rows(self, body: TailState) -> FloatArray:
        """The rows of J_t that have set-points or are held, (t, N), without units: a task that can be singular."""
        task, pushed, held = self._task(body), ~np.isnan(self._force), self._held()
        rows = np.vstack([(task.position_axes @ task.jacobian)[held], task.normal_rows[pushed]])
        along = np.tile([True, False], len(self._link))  # places are lengths, angles are not
        return without_units(body, rows, np.concatenate([along[held], np.ones(int(pushed.sum()), dtype=bool)]))

    def _held(self) -> BoolArray:
        """Which of the places and angles (2 k,) are controlled."""
        angles = ~np.isnan(self._angle)
        counts = np.full(2 * len(angles), self._options.others == "hold" and bool(angles.any()))
        counts[1::2] |= angles
        return counts

    def _note_singularity(self, state: ControllerState, time: float, body: TailState) -> tuple[ControlEvent, ...]:
        """P4 3.5.3: an event where the task comes near a singularity."""
        if self._options.singular_below == 0.0:
            return ()
        smallest = singularity(self.controlled_rows(body)).smallest
        before, state["singular"] = state["singular"], smallest < self._options.singular_below
        if before or not state["singular"]:
            return ()
        return (ControlEvent(time, "near-singular", f"the smallest singular value of the task is {smallest:.3g}"),)

    def _position(self, state: ControllerState, body: TailState, contacts: PegContacts, task: Task) -> FloatArray:
        """tau_P with its filter, (N,); zero without set-points of angles."""
        if np.isnan(self._angle).all():
            return np.zeros(self.chain.coordinates)
        arbitrary = self._options.arbitrary
        k = arbitrary.motion(body, state["begin"], self.controlled_rows) if arbitrary.used else None
        acceleration = dynamic.wanted_acceleration(task, self._position_wish(state, task), k)
        self._choose_free(state, body, contacts, task)
        if self._options.form == "printed":
            # (3.49): a projector of velocities applied to torques (erratum P4-5)
            torque = self._drive(state, body, contacts, acceleration)
            return self._motion_filter(contacts, task) @ torque if self._options.filtered else torque
        if self._options.filtered:
            acceleration = self._motion_filter(contacts, task) @ acceleration
        return self._drive(state, body, contacts, acceleration)

    def _choose_free(self, state: ControllerState, body: TailState, contacts: PegContacts, task: Task) -> None:
        """phi of this tick, if it is to be chosen."""
        if self._options.free == "auto" and self._options.passive == "eliminated":
            rows = (task.position_axes @ task.jacobian)[self._held()]
            pegs = None if self._options.form == "printed" else contacts
            state["free"] = np.array(passive.choose_free(body, rows, [int(c) for c in state["free"]], pegs))

    def _position_wish(self, state: ControllerState, task: Task) -> FloatArray:
        """Wanted r_P'', (2 k,), from the PI loops."""
        wanted = state["place"].copy()
        essential = ~np.isnan(self._angle)
        wanted[1::2][essential] = self._angle[essential]
        counts = self._held()
        error = np.where(counts, wanted - task.place, 0.0)
        state["position"] = state["position"] + self._period * error
        loop = self._options.position_loop
        damped = np.where(counts, loop.derivative * task.place_rate, 0.0)
        return np.asarray(loop.proportional * error + loop.integral * state["position"] - damped)

    def _drive(
        self, state: ControllerState, body: TailState, contacts: PegContacts, acceleration: FloatArray
    ) -> FloatArray:
        """Generalised forces (N,) for q''; those of passive coordinates are ignored or eliminated."""
        if self._options.passive == "ignored":
            return dynamic.position_torque(body, acceleration)
        free = [int(c) for c in state["free"]]
        if self._options.form == "printed":
            driven = passive.without_reactions(body, acceleration, free)
        else:
            driven = passive.with_reactions(body, contacts, acceleration, free)
        return np.asarray(self.chain.actuation @ driven.torque)

    def _motion_filter(self, contacts: PegContacts, task: Task) -> FloatArray:
        """F_p, (3.13)."""
        chosen = np.flatnonzero(~np.isnan(self._angle)).tolist()
        essential = projections.essential_motion([TURN] * len(chosen), [task.block(i) for i in chosen])
        return projections.task_filter(projections.allowable_motion(contacts.normal_jacobian), essential)

    def _force_filter(self, contacts: PegContacts, task: Task) -> FloatArray:
        """F_f, (3.14)."""
        chosen = np.flatnonzero(~np.isnan(self._force)).tolist()
        blocks = [task.block(i) for i in chosen]
        essential = projections.essential_force([ACROSS] * len(chosen), blocks, self._options.form)
        rows, active = contacts.normal_jacobian, np.ones(self.chain.coordinates)
        active[1:-2] = self.chain.motors
        given = projections.allowable_force(rows) if active.all() else projections.actuated_force(rows, active)
        return projections.task_filter(given, essential)

    def _push(self, state: ControllerState, obs: Observation, contacts: PegContacts, task: Task) -> FloatArray:
        """tau_F with its filter, (N,); zero without set-points of forces."""
        counts = ~np.isnan(self._force)
        if not counts.any():
            return np.zeros(self.chain.coordinates)
        rise = self._period / (self._period + self._options.force_lag)
        state["felt"] = state["felt"] + rise * (self._measured(obs) - state["felt"])
        wanted = np.where(counts, self._force, 0.0)
        error = np.where(counts, wanted - state["felt"], 0.0)
        state["force"] = state["force"] + self._period * error
        loop = self._options.force_loop
        size = self._options.feed_forward * wanted + loop.proportional * error + loop.integral * state["force"]
        torque = dynamic.force_torque(task, contacts.side * size)  # -gamma |f|
        return self._force_filter(contacts, task) @ torque if self._options.filtered else torque

    def _measured(self, obs: Observation) -> FloatArray:
        """Normal forces [N], (k,), of the last tick; zero where nothing touched."""
        seen = obs.contacts
        push = (seen.force * seen.normal).sum(axis=1)
        pairs = zip(self._link, self._peg, strict=True)
        return np.array([push[(seen.link == link) & (seen.obstacle == peg)].sum() for link, peg in pairs])


def _note_losses(state: ControllerState, time: float, contacts: PegContacts) -> tuple[ControlEvent, ...]:
    lost = contacts.gap > LOST
    new = np.flatnonzero(lost & ~state["lost"])
    state["lost"] = lost
    return tuple(ControlEvent(time, "contact-lost", f"contact {i} at link {contacts.link[i]}") for i in new)


def _or_nan(given: tuple[float | None, ...], size: int) -> FloatArray:
    return np.array([np.nan if value is None else value for value in given or [None] * size], dtype=float)


def _command(torque: FloatArray) -> Command:
    return Command(np.zeros_like(torque), np.zeros_like(torque), torque)
