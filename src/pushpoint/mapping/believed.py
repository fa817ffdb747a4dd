"""What a robot believes of its surroundings: touches and scans, taken in tick by tick, make a map for a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from math import radians, sqrt
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from pushpoint.errors import InvalidInput
from pushpoint.fields import Frozen
from pushpoint.mapping.odometry import Odometry
from pushpoint.mapping.pegs import KnownPegs, PegMaking, PegMap, clearances, moved_off, no_pegs, row_of_discs
from pushpoint.mapping.scan import rays_of, scanned
from pushpoint.mapping.wrenches import GroundBelief, LinkMotion, PushEstimator
from pushpoint.quantities import Force, FrictionCoefficient, Length, Period, PositiveAngle, Seed, Width
from pushpoint.robots import Robot
from pushpoint.types import FloatArray, Map, Observation, Pose, Touches
from pushpoint.worlds import Ground

RadiusError = Annotated[float, Field(ge=-0.9, le=10.0, allow_inf_nan=False)]
Knowledge = Literal["felt", "scan", "full"]
SMALLEST = 1e-3  # [m], radius of a disc in a model
OWN = 2e-3  # [m]: a touch nearer than this to another link is one of this link
GAP = 1e-4  # [m], between the robot and obstacles at the start of a model
EDGE_RADIUS = 0.01  # [m], of discs in place of a wall
SAME_ANGLE = 1e-3  # [rad], of a scanner: a millimetre at a metre
DRIFT_TIME = 10.0  # [s], see `pose_drift`
DRIFT_STREAM = 0xD21F7  # keeps its draws apart from others with the same seed
ROUNDING = 1e-9  # [s]
EARTH = 9.81  # [m/s2]
POSE = ("position", "angle", "velocity", "rate")
NO_LINKS, NO_VECTORS = np.zeros(0, np.int64), np.zeros((0, 2))
NO_TOUCHES = Touches(NO_LINKS, np.zeros(0), NO_LINKS, NO_VECTORS, NO_VECTORS, NO_VECTORS)
NO_EDGES = np.zeros((0, 4))


class Feeling(Frozen):
    """What is known and from which sensors."""

    knowledge: Knowledge = "felt"  # pegs of the model: felt ones, felt and seen ones, or all of the sensor `map`
    touch: Literal["skin", "wrench"] = "skin"  # contacts of the sensor `tactile`, or from joint wrenches
    pose: Literal["sensed", "odometry"] = "sensed"  # of the links: as sensed, or from joint angles and touches
    # Coefficient that is believed, for `wrench` and `odometry`; default: as the ground of the models.
    ground_friction: FrictionCoefficient | None = None
    ground_torque: bool | None = None  # whether links that turn on the spot are held, P1 (14); default: the same
    push_threshold: Force = 6.0  # [N]: weaker pushes are not believed, with `wrench`
    scan_range: Length = 0.5  # [m]: what is farther is not seen
    scan_angle: PositiveAngle = radians(270.0)  # [rad], of the sensor `range-scan`
    scan_period: Period = 0.1  # [s], between scans
    radius_error: RadiusError = 0.0  # relative: by how much radii in the model are wrong; 0.2 is 20 % too much
    pose_drift: Width = 0.0  # [m], root mean square of a random walk of the believed position, after 10 s
    drift_seed: Seed = 0  # of that walk
    pegs: PegMaking = PegMaking()  # how they are made of touches and scans


SENSORS = {"felt": (), "scan": ("range-scan",), "full": ("map",)}
TOUCH = {"skin": "tactile", "wrench": "joint-wrench"}


class Belief:
    """Touches and scans to a map. What it remembers is in the state that it hands out.

    Parameters
    ----------
    options
        What is known and from which sensors.
    robot
        That feels.
    period
        From tick to tick [s].
    """

    def __init__(self, options: Feeling, robot: Robot, period: float) -> None:
        if options.pose == "odometry" and options.pose_drift > 0.0:
            raise InvalidInput(
                f"controller.pose_drift = {options.pose_drift:g} m: goes with controller.pose = 'sensed'; odometry "
                "drifts by itself"
            )
        self.options, self.uses = options, frozenset((*SENSORS[options.knowledge], TOUCH[options.touch]))
        self._robot, self._period = robot, period
        self.use_ground(Ground(), EARTH)
        self._pegs = PegMap(options.pegs)
        self._half = np.array([link.half_core for link in robot.links])
        self._radius = np.array([link.radius for link in robot.links])
        self._feels = options.knowledge != "full" or options.pose == "odometry"
        self._is_thin = bool(self._radius.min() == 0.0)  # such links have no side of a wall
        self._between = max(1, round(options.scan_period / period))

    def use_ground(self, ground: Ground, gravity: float) -> None:
        """What the options do not say of the ground is as here; `gravity` [m/s2]."""
        own = self.options
        if own.ground_friction is None and (own.touch, own.pose) != ("skin", "sensed"):
            _refuse_other_laws(ground)
        friction = ground.friction if own.ground_friction is None else own.ground_friction
        torque = ground.torque if own.ground_torque is None else own.ground_torque
        believed = GroundBelief(friction, gravity, torque)
        self._pushes = PushEstimator(self._robot, believed, own.push_threshold)
        self._odometry = Odometry(self._robot, believed, self._period)

    def check_sensors(self, sensors: Mapping[str, Any]) -> None:
        """Refuse sensors, given by their options, with which the map would be wrong."""
        pose = "link-poses" if self.options.pose == "sensed" else "joint-encoders"
        together = self.uses - {"map"}
        if self.options.touch == "wrench":
            together |= {"link-poses"}  # accelerations are differences of its velocities
            self._check_dropout(sensors)
        for name in sorted((together - {pose}) & sensors.keys()):
            if abs(sensors[name].latency - sensors[pose].latency) > ROUNDING:
                raise InvalidInput(
                    f"sensors.{name}.latency = {sensors[name].latency:g} s, sensors.{pose}.latency = "
                    f"{sensors[pose].latency:g} s: should be equal, as what is felt or seen is put where the robot is "
                    "believed to be then"
                )
        for name in sorted((together | ({pose} if self._feels else set())) & sensors.keys()):
            self._check_rate(name, sensors[name].rate)
        if "range-scan" in self.uses & sensors.keys():
            self._check_scan(sensors["range-scan"].angle, sensors["range-scan"].range)

    def _check_dropout(self, sensors: Mapping[str, Any]) -> None:
        """A velocity that is held is an acceleration of zero, and then one of two ticks at once."""
        for name in ("joint-wrench", "link-poses"):
            if name in sensors and sensors[name].dropout > 0.0:
                raise InvalidInput(
                    f"sensors.{name}.dropout = {sensors[name].dropout:g}: should be 0 with controller.touch = "
                    "'wrench', which takes what is missing in the balance of a tick for a push"
                )

    def _check_rate(self, name: str, rate: float | None) -> None:
        """Readings that are held are put where the robot is no longer."""
        every = 1 if rate is None else round(1.0 / (rate * self._period))
        if name == "range-scan" and self._between % every:
            raise InvalidInput(
                f"sensors.range-scan.rate = {rate:g} 1/s, controller.scan_period = {self.options.scan_period:g} s: the "
                "period should be a multiple of that of the readings"
            )
        if name != "range-scan" and every > 1:
            control = 1.0 / self._period
            raise InvalidInput(f"sensors.{name}.rate = {rate:g} 1/s: should be that of control, {control:g} 1/s")

    def _check_scan(self, angle: float, reach: float) -> None:
        """A scanner [rad], [m] of which the options say something else."""
        own = self.options
        if abs(angle - own.scan_angle) > SAME_ANGLE:
            raise InvalidInput(
                f"controller.scan_angle = {own.scan_angle:g} rad, sensors.range-scan.angle = {angle:g} rad: should be "
                "equal"
            )
        if reach < own.scan_range:
            raise InvalidInput(
                f"controller.scan_range = {own.scan_range:g} m: should be at most sensors.range-scan.range, {reach:g} m"
            )

    def start(self, obs: Observation) -> dict[str, Any]:
        """Nothing is known but the pose."""
        pose = pose_of(obs)
        return {**_stored(no_pegs()), "edge": NO_EDGES.copy(), "drift": np.zeros(2), **_moved(pose), **_sensed(pose)}

    def seen(self, state: dict[str, Any], obs: Observation, tick: int) -> Observation:
        """The observation with touches and link poses as they are believed to be."""
        believed = Observation(obs.time, **{name: value for name, value in vars(obs).items() if name != "time"})
        if self.options.pose_drift > 0.0:
            believed.link_position = obs.link_position.copy()
            believed.link_position[:, :2] += self._drift(state, tick)
        before = pose_of(believed)
        if self.options.touch == "wrench":
            believed.touches = NO_TOUCHES if tick == 0 else self._felt(state, obs)
        if self.options.pose == "odometry" and tick > 0:
            before = Pose(*(state[f"last_{name}"] for name in POSE))
        if self._feels:
            believed.touches = self._of_others(believed.touches, before)
        if tick == 0:
            return believed
        if self.options.pose == "odometry":
            pose = self._odometry.step(before, obs.joint_angle, obs.joint_rate, believed.touches)
            believed.link_position, believed.link_yaw = pose.position, pose.angle
            believed.link_velocity, believed.link_rate = pose.velocity, pose.rate
            believed.contact_force = obs.contact_force[:, :2]
        return believed

    def _of_others(self, touches: Touches, pose: Pose) -> Touches:
        """Without those of links that touch each other."""
        if not len(touches.link):
            return touches
        along = self._half[:, np.newaxis] * np.stack([np.cos(pose.angle), np.sin(pose.angle)], axis=1)
        point = pose.position[touches.link] + turned(touches.point, pose.angle[touches.link])
        room = clearances(point, pose.position - along, pose.position + along, self._radius)
        beside = np.abs(np.arange(len(self._half)) - touches.link[:, np.newaxis]) < 2  # a peg may touch both
        kept = np.where(beside, np.inf, room).min(axis=1) > OWN
        return touches if kept.all() else Touches(*(getattr(touches, one.name)[kept] for one in fields(touches)))

    def _drift(self, state: dict[str, Any], tick: int) -> FloatArray:
        """How far the believed position is off after a tick [m], (2,)."""
        own = self.options
        step = own.pose_drift * sqrt(0.5 * self._period / DRIFT_TIME)
        draw = np.random.default_rng([own.drift_seed, DRIFT_STREAM, tick])
        return np.asarray(state["drift"] + step * draw.standard_normal(2))

    def _felt(self, state: dict[str, Any], obs: Observation) -> Touches:
        """From forces, torques and accelerations; those of the links are differences of velocities, both as sensed:
        a believed velocity is off, and a small error of it is a large one of the acceleration."""
        now = pose_of(obs)
        gained = (now.velocity - state["sensed_velocity"]) / self._period
        turning = (now.rate - state["sensed_rate"]) / self._period
        motion = LinkMotion(now.angle, now.velocity, now.rate, gained, turning)
        return self._pushes.touches(obs.joint_force[:, :2], obs.joint_torque, motion)

    def step(self, state: dict[str, Any], obs: Observation, sensed: Observation, tick: int) -> dict[str, Any]:
        """What changes in the state by a tick; `obs` of `seen`, which made it of `sensed`."""
        changed: dict[str, Any] = _sensed(pose_of(sensed)) if self.options.touch == "wrench" else {}
        if self.options.pose_drift > 0.0:
            changed["drift"] = self._drift(state, tick)
        if (self.options.touch, self.options.pose) != ("skin", "sensed"):
            changed |= _moved(pose_of(obs))
        if self.options.knowledge == "full":
            return changed
        known = before = self.known(state)
        if len(obs.touches.link):
            known = self._pegs.met(known, *touched(obs.touches, obs), obs.time)
        if self.options.knowledge == "scan" and tick % self._between == 0:
            own = self.options
            rays = rays_of(
                obs.range_scan, obs.link_position[-1, :2], float(obs.link_yaw[-1]), own.scan_angle, own.scan_range
            )
            known, changed["edge"] = scanned(self._pegs, known, rays, obs.time)
        known = self._pegs.swept(known, *self.axes(obs), self._radius)
        return changed if known is before else changed | _stored(known)

    def known(self, state: dict[str, Any]) -> KnownPegs:
        """What is known of pegs."""
        return KnownPegs(*(state[f"peg_{name}"] for name in KnownPegs._fields))

    def axes(self, obs: Observation) -> tuple[FloatArray, FloatArray]:
        """Both ends of the links' axes [m], (n, 2) each."""
        along = self._half[:, np.newaxis] * np.stack([np.cos(obs.link_yaw), np.sin(obs.link_yaw)], axis=1)
        return obs.link_position[:, :2] - along, obs.link_position[:, :2] + along

    def believed(self, state: dict[str, Any], obs: Observation) -> Map:
        """All obstacles that the robot knows of."""
        if self.options.knowledge == "full":
            return Map(np.maximum(obs.map.disc, [-np.inf, -np.inf, SMALLEST]), obs.map.edge)  # noise may leave less
        return Map(self.known(state).disc, state["edge"])

    def for_model(self, state: dict[str, Any], obs: Observation) -> Map:
        """The same with radii that are wrong on purpose, and discs beside the robot where they would overlap it."""
        known = self.believed(state, obs)
        disc, edge = known.disc * np.array([1.0, 1.0, 1.0 + self.options.radius_error]), known.edge
        disc[:, 2] = np.maximum(disc[:, 2], SMALLEST)
        if self._is_thin:
            disc, edge = np.concatenate([disc, *(row_of_discs(one, EDGE_RADIUS) for one in edge)]), NO_EDGES
        return Map(moved_off(disc, *self.axes(obs), self._radius, GAP), edge)


def _refuse_other_laws(ground: Ground) -> None:
    """With more than dry friction, what is believed would have to be chosen."""
    found = [said for feature, said in ground.features() if feature != "torque"]
    if ground.patches:
        found.append("patches.0 is a patch with a law of its own")
    if found:
        raise InvalidInput(
            f"world.ground.{found[0]}: controller.touch = 'wrench' and controller.pose = 'odometry' believe in dry "
            "friction that is the same in all directions and places; give controller.ground_friction to say in which"
        )


def pose_of(obs: Observation) -> Pose:
    """In the plane."""
    rate = obs.link_rate if obs.link_rate.ndim == 1 else obs.link_rate[:, 2]
    return Pose(obs.link_position[:, :2], obs.link_yaw, obs.link_velocity[:, :2], rate)


def _moved(pose: Pose) -> dict[str, Any]:
    return {f"last_{name}": getattr(pose, name) for name in POSE}


def _sensed(pose: Pose) -> dict[str, Any]:
    return {"sensed_velocity": pose.velocity, "sensed_rate": pose.rate}


def touched(touches: Touches, obs: Observation) -> tuple[FloatArray, FloatArray]:
    """Contact points [m] and normals into the links, (k, 2) each, in the world."""
    yaw = obs.link_yaw[touches.link]
    return obs.link_position[touches.link, :2] + turned(touches.point, yaw), turned(touches.normal, yaw)


def turned(v: FloatArray, angle: FloatArray) -> FloatArray:
    """Vectors (k, 2) or (k, 3) by angles (k,) [rad], in the plane."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([cos * v[:, 0] - sin * v[:, 1], sin * v[:, 0] + cos * v[:, 1]], axis=1)


def _stored(known: KnownPegs) -> dict[str, Any]:
    return {f"peg_{name}": part for name, part in known._asdict().items()}
