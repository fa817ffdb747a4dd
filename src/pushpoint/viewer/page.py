"""Recordings as one HTML file: scene, time and arrows, and the strip as an image. It needs no server and no network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pushpoint._version import __version__
from pushpoint.viewer.meshes import arrow_mesh
from pushpoint.viewer.push_points import COLOURS, Margins, grade
from pushpoint.viewer.stage import Stage, stage_of
from pushpoint.viewer.strip import strip_of
from pushpoint.viewer.track import OTHER, PALETTE, Track, round_force, tracks_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from pushpoint.recording.recording import Recording
    from pushpoint.types import FloatArray
    from pushpoint.viewer.meshes import Mesh

FASTEST = 50.0  # [1/s], frames of a page
LARGEST = 5_000_000  # bytes of poses in a page, before they are written as text: longer runs have fewer frames
STEPS = 65535  # of a quantised number
TURNS = 32767  # the same of a part of a quaternion, which may be negative
MOST_MARGINS = 400  # frames for which the margin is computed


class Quantised(NamedTuple):
    """Places as whole numbers of a fine grid."""

    values: npt.NDArray[np.uint16]
    low: FloatArray  # [m], (3,)
    step: FloatArray  # [m], (3,)

    @property
    def places(self) -> FloatArray:
        """[m], as the page shows them."""
        return self.low + self.step * self.values


def quantised(places: FloatArray) -> Quantised:
    """The nearest points of a grid of 65536 steps along each axis, from the lowest to the highest place."""
    flat = places.reshape(-1, 3)
    low = flat.min(axis=0) if len(flat) else np.zeros(3)
    step = np.maximum((flat.max(axis=0) - low) if len(flat) else np.zeros(3), 1e-9) / STEPS
    return Quantised(np.round((places - low) / step).astype(np.uint16), low, step)


def html_page(runs: Sequence[Recording]) -> str:
    """One page for one recording, or for two that are laid over each other."""
    tracks = tracks_of(runs)
    strip = strip_of(runs)
    data = {
        "runs": [_run_data(track, palette) for track, palette in zip(tracks, (PALETTE, OTHER), strict=False)],
        "stages": [_stage_data(stage_of(run)) for run in runs],
        "arrow": _mesh_data(arrow_mesh()),
        "strip": {"begin": strip.begin, "end": strip.end, "left": strip.left, "right": strip.right},
        "grades": list(COLOURS.values()),
    }
    name = " and ".join(run.scenario.name for run in runs)
    script, styling = (files("pushpoint.viewer").joinpath(f"page.{end}").read_text("utf-8") for end in ("js", "css"))
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; style-src 'sha256-{_digest(styling)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "POLICY": html.escape(policy),
        "TITLE": html.escape(name),
        "ABOUT": html.escape("; ".join(run.scenario.title for run in runs if run.scenario.title)),
        "VERSION": html.escape(__version__),
        "STRIP": base64.b64encode(strip.png).decode(),
        "DATA": json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "STYLE": styling,
        "SCRIPT": script,
    }
    page = files("pushpoint.viewer").joinpath("page.html").read_text("utf-8")
    pieces = page.split("@@")  # text, name, text, name, ..., text
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _coded(values: npt.NDArray[Any]) -> str:
    """Little-endian bytes as base64."""
    return base64.b64encode(np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()).decode()


def _places(places: FloatArray) -> dict[str, Any]:
    found = quantised(places)
    return {"low": found.low.tolist(), "step": found.step.tolist(), "values": _coded(found.values)}


def frames_of(track: Track) -> list[int]:
    """Rows that a page shows: fifty a second at most, and fewer of runs that would make a page too large."""
    per_row = len(track.robot.links) * (6 + 8 + 1 + 6 + 6) + 200
    most = max(2, min(track.rows, math.ceil(track.duration * FASTEST) + 1, LARGEST // per_row))
    return sorted({round(row) for row in np.linspace(0, track.rows - 1, most)})


def _run_data(track: Track, palette: Sequence[str]) -> dict[str, Any]:
    rows = frames_of(track)
    references = [track.reference(row) for row in rows]
    complete = all(len(reference) for reference in references)
    contacts = [track.contact_arrows(row) for row in rows]
    ground = np.array([track.vectors(track.ground_arrows(row)) for row in rows])
    starts = np.concatenate([arrows.start for arrows in contacts])
    vectors = np.concatenate([track.vectors(arrows) for arrows in contacts])
    scale = round_force(track.full)
    run = track.run
    return {
        "name": run.scenario.name,
        "plant": run.scenario.plant.name,
        "failure": "" if run.failure is None else f"the run failed at t = {run.failure['time']:g} s",
        "rows": rows,
        "links": len(track.robot.links),
        "radius": track.thickness,
        "mark": track.mark,
        "time": _coded(track.time[rows].astype(np.float32)),
        "position": _places(track.position[rows]),
        "turn": _coded(np.round(TURNS * _continuous(track.turn[rows])).astype(np.int16)),
        "colour": _coded(np.array([track.colour_index(row) for row in rows])),
        "palette": list(palette),
        "phase": [phase.name if (phase := track.phase_at(row)) else "" for row in rows],
        "reference": _places(np.array(references)) if complete else None,
        "discs": _places(track.discs[rows]) if track.discs.shape[1] else None,
        "contacts": {
            "count": _coded(np.array([len(arrows.start) for arrows in contacts], dtype=np.uint16)),
            "start": _coded(starts.astype(np.float32)),
            "vector": _coded(vectors.astype(np.float32)),
        },
        "ground": _places(ground),
        "grade": _coded(_grades(track, rows)),
        "scale": {"force": scale, "length": scale / track.full * track.arrow_length},
        "groundFirst": not track.has_contacts,
    }


def _continuous(turn: FloatArray) -> FloatArray:
    """The same orientations with signs that do not jump, so that the page can go from one to the next."""
    flips = np.cumprod(np.where((turn[1:] * turn[:-1]).sum(axis=-1) < 0, -1.0, 1.0), axis=0)
    return np.concatenate([turn[:1], turn[1:] * flips[..., np.newaxis]])


def _grades(track: Track, rows: Sequence[int]) -> npt.NDArray[np.uint8]:
    """Index into COLOURS for each frame; frames between those that are computed have the grade of the one before."""
    margins, keys = Margins(track.run), list(COLOURS)
    every = max(1, math.ceil(len(rows) / MOST_MARGINS))
    known = [keys.index(grade(margins.at(row))) for row in rows[::every]]
    return np.repeat(np.array(known, dtype=np.uint8), every)[: len(rows)]


def _mesh_data(mesh: Mesh) -> dict[str, Any]:
    return {"vertices": _coded(mesh.vertices.astype(np.float32)), "faces": _coded(mesh.faces.astype(np.uint32))}


def _stage_data(stage: Stage) -> dict[str, Any]:
    return {
        "box": list(stage.box),
        "top": stage.top,
        "middle": stage.middle.tolist(),
        "sight": list(stage.sight),
        "down": stage.down.tolist(),
        "solids": [{"name": s.name, "colour": s.colour} | _mesh_data(s.mesh) for s in stage.solids],
        "lines": [{"colour": line.colour, "pieces": _coded(line.pieces.astype(np.float32))} for line in stage.lines],
        "bodies": [{"links": body.links.tolist()} | _mesh_data(body.mesh) for body in stage.bodies],
        "eyes": _mesh_data(stage.eyes),
        "discs": [_mesh_data(disc) for disc in stage.discs],
    }
