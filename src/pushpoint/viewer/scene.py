"""A stage and its track in a scene of viser: few nodes, each updated by one message per frame, however many links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.view import style
from pushpoint.viewer.push_points import COLOURS, Margins, grade
from pushpoint.viewer.track import PALETTE, Arrows, Track, round_force

if TYPE_CHECKING:
    from pushpoint.types import FloatArray
    from pushpoint.viewer.stage import Stage

GHOST = 0.5  # opacity of a recording that is laid over another one
INSIDE = 0.985  # size of a second recording: where both are at one place, the first one is seen
SHORTEST = 0.03  # length of an arrow that is shown over that of the full force
PATH_POINTS = 300  # at most
GROUND_FORCE = style.SKY
EYES = (255, 255, 255)


@dataclass
class Shown:
    """What people want to see."""

    forces: bool = True
    ground: bool = False  # forces of the ground
    path: bool = True
    reference: bool = False
    points: bool = True
    scale: float = 1.0  # of arrows


def rgb(colour: str) -> tuple[int, int, int]:
    """Of #rrggbb."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def linear(colour: str) -> tuple[int, int, int]:
    """The same for nodes of many instances: viser takes their colours as shares of light, not as sRGB."""
    share = np.array(rgb(colour)) / 255
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    red, green, blue = (255 * light).round().astype(int).tolist()
    return red, green, blue


def set_lights(server: Any) -> None:
    """Even light from above; no map of surroundings, so that colours are those of the legend."""
    scene = server.scene
    scene.set_up_direction("+z")
    scene.world_axes.visible = False
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere("/lights/sky", sky_color=(255, 255, 255), ground_color=(185, 178, 165), intensity=2.2)
    scene.add_light_directional("/lights/sun", intensity=1.4, position=(-2.0, -3.0, 6.0), cast_shadow=False)


class Actor:
    """One recording in the scene, below a node of its own."""

    def __init__(self, server: Any, name: str, stage: Stage, track: Track, palette: Sequence[str] = PALETTE) -> None:
        self._server, self.root, self.stage = server, f"/{name}", stage
        self._palette = np.array([linear(colour) for colour in palette], dtype=np.uint8)
        self._is_first = palette is PALETTE
        self._path_colour = rgb(style.PATH if self._is_first else palette[1])
        self._frame = server.scene.add_frame(self.root, show_axes=False)
        self.ghost = False
        self.set_track(track)
        self._add_world()
        self._add_robot()
        self._add_marks()

    def set_track(self, track: Track) -> None:
        """Another recording of the same robot and world, such as the same one a moment later."""
        self.track, self.margins = track, Margins(track.run)

    def remove(self) -> None:
        self._frame.remove()

    def move(self, shift: FloatArray) -> None:
        """The whole of it, world included [m]."""
        self._frame.position = shift

    def hide_world(self, hidden: bool) -> None:
        for node in self._world:
            node.visible = not hidden

    def fade(self, ghost: bool) -> None:
        """Make the robot see-through, for one that is laid over another."""
        self.ghost = ghost
        for node in (*self._bodies, self._eyes, *self._discs):
            node.opacity = GHOST if ghost else None

    # --- nodes ---

    def _add_world(self) -> None:
        scene, self._world = self._server.scene, list[Any]()
        for solid in self.stage.solids:
            node = scene.add_mesh_simple(
                f"{self.root}/world/{solid.name}", solid.mesh.vertices, solid.mesh.faces, color=rgb(solid.colour),
                flat_shading=True, side="double", cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
            self._world.append(node)
        for lines in self.stage.lines:
            if len(lines.pieces):
                name, colour = f"{self.root}/world/{lines.name}", rgb(lines.colour)
                self._world.append(
                    scene.add_line_segments(name, lines.pieces, colour, thickness=1.2, thickness_units="screen")
                )
        if abs(self.stage.down[2]) < 1 - 1e-9:
            self._add_gravity()

    def _add_gravity(self) -> None:
        """An arrow where gravity leans: then x and y run along the slope."""
        box, size = self.stage.box, 0.15 * self.stage.size
        start = np.array([box.left, box.top, 1.5 * size])
        ends = np.array([[start, start + size * self.stage.down]])
        self._world.append(self._add_arrows("gravity", ends, style.INK))
        self._world.append(self._server.scene.add_label(f"{self.root}/gravity-label", "gravity", position=start))

    def _add_robot(self) -> None:
        scene, row = self._server.scene, 0
        still = {"cast_shadow": False, "receive_shadow": False}
        size = 1.0 if self._is_first else INSIDE
        self._bodies = [
            scene.add_batched_meshes_simple(
                f"{self.root}/links-{k}", size * body.mesh.vertices, body.mesh.faces, self.track.turn[row, body.links],
                self.track.position[row, body.links], batched_colors=self._colours(row)[body.links], lod="off", **still,
            )
            for k, body in enumerate(self.stage.bodies)
        ]  # fmt: skip
        eyes = self.stage.eyes
        self._eyes = scene.add_mesh_simple(f"{self.root}/eyes", eyes.vertices, eyes.faces, color=EYES, **still)
        loose = rgb(style.MOVABLE)
        self._discs = [
            scene.add_mesh_simple(
                f"{self.root}/disc-{k}",
                size * disc.vertices,
                disc.faces,
                color=loose,
                flat_shading=True,
                **still,
            )
            for k, disc in enumerate(self.stage.discs)
        ]

    def _add_arrows(self, name: str, ends: FloatArray, colour: str) -> Any:
        size = self.track.mark
        return self._server.scene.add_arrows(
            f"{self.root}/{name}", ends, linear(colour),
            shaft_radius=0.16 * size, head_radius=0.42 * size, head_length=0.8 * size,
        )  # fmt: skip

    def _add_marks(self) -> None:
        scene, size = self._server.scene, self.track.mark
        nothing = np.zeros((1, 2, 3))
        self._forces = self._add_arrows("forces", nothing, style.FORCE)
        self._ground = self._add_arrows("ground-forces", nothing, GROUND_FORCE)
        wide = {"thickness": 0.16 * size}
        self._path = scene.add_line_segments(f"{self.root}/path", nothing, self._path_colour, **wide)
        self._reference = scene.add_line_segments(f"{self.root}/reference", nothing, rgb(style.GREEN), **wide)
        self._points = scene.add_point_cloud(
            f"{self.root}/push-points", np.zeros((1, 3)), rgb(style.GREEN), point_size=0.5 * size, point_shape="circle",
            precision="float32",
        )  # fmt: skip
        self._add_scale()

    def _add_scale(self) -> None:
        """An arrow of a round force in the corner, with its number."""
        corner = np.array([self.stage.box.left, self.stage.box.top, self.track.mark])
        self._corner = corner
        self._scale = self._add_arrows("scale", np.zeros((1, 2, 3)), style.FORCE)
        self._scale_label = self._server.scene.add_label(f"{self.root}/scale-label", "", position=corner)

    # --- one row ---

    def _colours(self, row: int) -> Any:
        return self._palette[self.track.colour_index(row)]

    def show(self, row: int, shown: Shown) -> None:
        """What was at a row of the recording."""
        track = self.track
        colours = self._colours(row)
        for node, body in zip(self._bodies, self.stage.bodies, strict=True):
            node.batched_positions = track.position[row, body.links]
            node.batched_wxyzs = track.turn[row, body.links]
            node.batched_colors = colours[body.links]
        self._eyes.position, self._eyes.wxyz = track.position[row, -1], track.turn[row, -1]
        for k, node in enumerate(self._discs):
            node.position = track.discs[row, k]
        self._show_forces(row, shown)
        _set(self._path, shown.path and row > 0, lambda: pieces(track.head_path[: row + 1]))
        reference = track.reference(row) if shown.reference else np.empty((0, 3))
        _set(self._reference, len(reference) > 1, lambda: pieces(reference))

    def _show_forces(self, row: int, shown: Shown) -> None:
        track = self.track
        contacts = track.contact_arrows(row)
        forces = _ends(track, contacts, shown.scale)
        _set(self._forces, shown.forces and len(forces) > 0, lambda: forces)
        ground = _ends(track, track.ground_arrows(row), shown.scale) if shown.ground else forces[:0]
        _set(self._ground, len(ground) > 0, lambda: ground)
        _set(self._points, shown.points and len(contacts.start) > 0, lambda: contacts.start)
        if shown.points and len(contacts.start):
            colour = np.array(rgb(COLOURS[grade(self.margins.at(row))]), dtype=np.uint8)
            self._points.colors = np.tile(colour, (len(contacts.start), 1))
        force = round_force(track.full)
        length = shown.scale * force / track.full * track.arrow_length
        any_force = (shown.forces or shown.ground) and self._is_first
        end = self._corner + np.array([length, 0.0, 0.0])
        _set(self._scale, any_force, lambda: np.array([[self._corner, end]]))
        self._scale_label.visible = any_force
        if self._scale_label.text != f"{force:g} N":
            self._scale_label.text = f"{force:g} N"


def _set(node: Any, wanted: bool, points: Any) -> None:
    """Points of a node, if it is to be seen."""
    if wanted:
        node.points = np.asarray(points(), dtype=np.float32)
    if node.visible != wanted:
        node.visible = wanted


def _ends(track: Track, arrows: Arrows, scale: float) -> FloatArray:
    """Start and end of arrows [m], (arrows, 2, 3); of those too short to be seen, viser would show the head alone."""
    vectors = track.vectors(arrows, scale)
    seen = np.linalg.norm(vectors, axis=1) > SHORTEST * track.arrow_length
    return np.asarray(np.stack([arrows.start, arrows.start + vectors], axis=1)[seen])


def pieces(points: FloatArray) -> FloatArray:
    """Of a line through points (points, 3): (pieces, 2, 3), at most PATH_POINTS of them; both ends are kept."""
    rows = np.unique(np.linspace(0, len(points) - 1, min(len(points), PATH_POINTS)).round().astype(int))
    kept = points[rows]
    return np.stack([kept[:-1], kept[1:]], axis=1)
