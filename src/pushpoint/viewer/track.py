"""What moves: where links, discs, forces and the reference shape are at a row of a recording, and in which colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from pushpoint.analysis._series import recorded
from pushpoint.mechanics.spatial_pose import bent
from pushpoint.view import bodies, style
from pushpoint.view.space import GROUND, is_spatial, pressing
from pushpoint.view.surroundings import movable
from pushpoint.viewer.meshes import THIN

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray

ByteArray = npt.NDArray[np.uint8]

JAM, RESOLUTION = style.ORANGE, style.GREEN
PHASES = {"jam": "jam-ended", "resolution": "resolution-ended"}  # by event that begins it: the one that ends it
PALETTE = (style.BODY, style.HEAD, style.BODY_DOWN, style.HEAD_DOWN, JAM, RESOLUTION)
OTHER = ("#6b4c9a", "#a0529c", "#3d2b5c", "#5e2f5c", JAM, RESOLUTION)  # the same of a second recording
ARROW_SHARE = 0.16  # length of an arrow of the full force over that of the robot
MARK_SHARE = 0.02  # least size of marks over the length of the robot
LONGEST = 1.3  # of such arrows: impacts are not shown longer


class Phase(NamedTuple):
    """A stretch of time with a name, such as a jam."""

    name: str
    begin: float  # [s]
    end: float  # [s]
    links: frozenset[int]  # that it is about; empty: all


class Arrows(NamedTuple):
    """Forces at one row."""

    start: FloatArray  # [m], (arrows, 3)
    force: FloatArray  # [N], (arrows, 3)


class Track:
    """A recording as poses in space; planar robots lie on the ground."""

    def __init__(self, run: Recording) -> None:
        self.run, self.robot = run, run.scenario.built_robot()
        self.time: FloatArray = recorded(run, "time")
        self.in_space = is_spatial(run)
        self._radius = np.array([max(link.radius, THIN) for link in self.robot.links])

    @property
    def rows(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """Time of the last row [s]."""
        return float(self.time[-1])

    def row_at(self, time: float) -> int:
        """The row nearest to a time [s]: nothing is shown that was not recorded."""
        after = int(np.searchsorted(self.time, time))
        if after == 0 or (after < self.rows and self.time[after] - time < time - self.time[after - 1]):
            return min(after, self.rows - 1)
        return after - 1

    # --- poses ---

    @cached_property
    def position(self) -> FloatArray:
        """Centres of links [m], (rows, links, 3)."""
        return self._lifted(recorded(self.run, "link_position"))

    def _lifted(self, place: FloatArray) -> FloatArray:
        """Places of links [m], (rows, links, axes), in space: a planar robot lies on the ground."""
        if place.shape[-1] == 3:
            return place
        height = np.broadcast_to(self._radius[:, np.newaxis], (*place.shape[:-1], 1))
        return np.concatenate([place, height], axis=-1)

    @cached_property
    def turn(self) -> FloatArray:
        """Orientation of links as quaternions wxyz, (rows, links, 4)."""
        if self.in_space:
            return recorded(self.run, "link_orientation")
        half = recorded(self.run, "link_angle") / 2
        zero = np.zeros_like(half)
        return np.stack([np.cos(half), zero, zero, np.sin(half)], axis=-1)

    @cached_property
    def discs(self) -> FloatArray:
        """Movable discs on the ground [m], (rows, discs, 3)."""
        place = movable(self.run).place
        return np.concatenate([place, np.zeros((*place.shape[:-1], 1))], axis=-1)

    @cached_property
    def head_path(self) -> FloatArray:
        """Straight above where the head's centre was [m], (rows, 3), as high as its top: the body does not hide it."""
        return np.asarray(self.position[:, -1] + (0.0, 0.0, 1.05 * self._radius[-1]))

    @property
    def thickness(self) -> float:
        """Radius of the thickest link [m], as it is shown."""
        return float(self._radius.max())

    @property
    def mark(self) -> float:
        """Size of marks and arrows [m]: they are seen beside thin robots too."""
        return max(self.thickness, MARK_SHARE * float(sum(link.length for link in self.robot.links)))

    # --- the reference shape ---

    @cached_property
    def _reference(self) -> FloatArray:
        return recorded(self.run, "joint_reference")

    def reference(self, row: int) -> FloatArray:
        """Joints of the shape that the servos aim at [m], (links + 1, 3): laid where its centres are nearest to those
        of the robot. Empty if there is none."""
        angle = self._reference[row]
        if not np.all(np.isfinite(angle)):
            return np.empty((0, 3))
        centre, ends = self._shape(angle)
        target = self.position[row]
        axes = 3 if self.in_space else 2
        turn = np.eye(3)
        turn[:axes, :axes] = _nearest_turn(
            (centre - centre.mean(axis=0))[:, :axes], (target - target.mean(axis=0))[:, :axes]
        )
        return np.asarray((ends - centre.mean(axis=0)) @ turn.T + target.mean(axis=0))

    def _shape(self, angle: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Centres of links (links, 3) and ends (links + 1, 3) [m] of the robot bent by joint angles, anywhere."""
        half = np.array([[link.length / 2] for link in self.robot.links])
        if self.in_space:
            chain = bent(self.robot, angle)
            centre, forward = chain.centre, chain.rotation[:, :, 0]
        else:
            heading = np.concatenate([[0.0], np.cumsum(angle)])
            forward = np.stack([np.cos(heading), np.sin(heading), np.zeros_like(heading)], axis=1)
            centre = np.cumsum(2 * half * forward, axis=0) - half * forward
        return centre, np.concatenate([centre[:1] - half[:1] * forward[:1], centre + half * forward])

    # --- forces ---

    @cached_property
    def has_contacts(self) -> bool:
        """Whether an obstacle was ever touched."""
        return bool(np.any(self.run.data["contact_force"].values))

    @cached_property
    def full(self) -> float:
        """The force [N] whose arrow has its full length."""
        return bodies.full_force(self.run, "contact_force" if self.has_contacts else "ground_force")

    @cached_property
    def arrow_length(self) -> float:
        """Of the full force [m]."""
        return ARROW_SHARE * float(sum(link.length for link in self.robot.links))

    def contact_arrows(self, row: int) -> Arrows:
        """Forces of obstacles and other links on links; in the plane they are shown above the robot."""
        found = bodies.pushes_at(self.run, row, 3 if self.in_space else 2)
        if self.in_space:
            above = found.obstacle != GROUND
            return Arrows(found.point[above], found.force[above])
        above = np.full((len(found.link), 1), 2.2 * self.thickness)  # obstacles do not hide them there
        return Arrows(np.hstack([found.point, above]), np.hstack([found.force, np.zeros_like(above)]))

    def ground_arrows(self, row: int) -> Arrows:
        """Forces of the ground on links, below their centres; in the plane its friction alone."""
        start = self.position[row].copy()
        start[:, 2] -= self._radius if self.in_space else 0.9 * self._radius
        force = self._ground_force[row]
        return Arrows(start, force if self.in_space else np.hstack([force, np.zeros((len(force), 1))]))

    @cached_property
    def _ground_force(self) -> FloatArray:
        return recorded(self.run, "ground_force")

    def vectors(self, arrows: Arrows, scale: float = 1.0) -> FloatArray:
        """Arrows [m] (arrows, 3) of forces; `scale` makes them longer."""
        size = np.linalg.norm(arrows.force, axis=1, keepdims=True)
        length = np.minimum(
            size * (scale * self.arrow_length / self.full), LONGEST * max(scale, 1.0) * self.arrow_length
        )
        return np.asarray(length * np.divide(arrows.force, size, out=np.zeros_like(arrows.force), where=size > 0))

    # --- colours ---

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """Jams and resolutions, from the events of the controller."""
        found, open_since = [], dict[str, tuple[float, frozenset[int]]]()
        events = self.run.events
        endings = {end: begin for begin, end in PHASES.items()}
        for time, name, detail in zip(
            events["time"].values, events["name"].values, events["detail"].values, strict=True
        ):
            if name in PHASES:
                open_since[str(name)] = float(time), _links_in(str(detail)) if name == "jam" else frozenset()
            elif name in endings and endings[name] in open_since:
                begin, links = open_since.pop(endings[name])
                found.append(Phase(endings[name], begin, float(time), links))
        found += [Phase(name, begin, self.duration, links) for name, (begin, links) in open_since.items()]
        return tuple(sorted(found, key=lambda phase: phase.begin))

    def phase_at(self, row: int) -> Phase | None:
        """A resolution, or else a jam, that lasts at a row."""
        now = float(self.time[row])
        present = [phase for phase in self.phases if phase.begin <= now <= phase.end]
        return max(present, key=lambda phase: phase.name == "resolution", default=None)

    def colour_index(self, row: int) -> ByteArray:
        """Places in PALETTE, (links,): what presses on the ground is darker, what is jammed has another colour."""
        index = np.zeros(len(self.robot.links), dtype=np.uint8)
        index[-1] = 1
        if self.in_space:
            index[pressing(self.run, row)] += 2
        phase = self.phase_at(row)
        if phase is not None:
            links = [*phase.links] if phase.links else list(range(len(index) - 1))
            index[[k for k in links if k < len(index)]] = 4 if phase.name == "jam" else 5
        return index

    def status(self, row: int) -> str:
        """One line: time, head, phase."""
        x, y, z = self.position[row, -1]
        phase = self.phase_at(row)
        said = f"t = {self.time[row]:.3f} s · head {x:.4f}, {y:.4f}, {z:.4f} m"
        return f"{said} · {phase.name}" if phase else said


def _links_in(detail: str) -> frozenset[int]:
    """Links beside the joints that an event names."""
    joints = [int(number) for number in re.findall(r"\d+", detail)]
    return frozenset(k for joint in joints for k in (joint, joint + 1))


def _nearest_turn(points: FloatArray, target: FloatArray) -> FloatArray:
    """The rotation that brings points about the origin nearest to others, Kabsch."""
    u, _, v = np.linalg.svd(target.T @ points)
    sign = np.ones(len(u))
    sign[-1] = np.sign(np.linalg.det(u @ v)) or 1.0
    return np.asarray((u * sign) @ v)


def tracks_of(runs: Sequence[Recording]) -> list[Track]:
    """Of all recordings; arrows of all have the scale of the first."""
    tracks = [Track(run) for run in runs]
    for track in tracks[1:]:
        track.full, track.arrow_length = tracks[0].full, tracks[0].arrow_length
    return tracks


def round_force(full: float) -> float:
    """1, 2 or 5 times a power of ten [N], nearest below a force: for the scale of arrows."""
    power = 10.0 ** np.floor(np.log10(max(full, 1e-12)))
    return float(max(step * power for step in (1, 2, 5) if step * power <= full * (1 + 1e-9)))
