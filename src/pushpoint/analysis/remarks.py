"""What people should know of a run before they believe its numbers: a few plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.analysis.quality import deepest, suggested_time_step
from pushpoint.mechanics.self_contact import SelfClearance

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording

WORTH_SAYING = 1e-4  # [m], of penetrations
OVERLAP = 1e-3  # [m], of links with each other at the start
CROSSING = "links-cross"  # event of plants that let links cross


def remarks(run: Recording) -> list[str]:
    """One sentence per matter; none if there is nothing to say."""
    said = (on_steps(run), on_time_step(run), on_penetration(run), on_overlap(run), on_crossings(run))
    return [sentence for sentence in said if sentence]


def advice(run: Recording) -> dict[str, Any]:
    """The same for programs: a time step that fits better, or None, and the sentences."""
    return {"time_step": suggested_time_step(run), "remarks": remarks(run)}


def on_steps(run: Recording) -> str:
    """Steps that were not made at once."""
    metrics, steps = run.metrics(), int(run.data.sizes["step"])
    counts = [
        (metrics["repeated_steps"], "repeated in parts"),
        (metrics["fallback_steps"], "needed a slower solver"),
        (metrics["accepted_steps"], "not solved to the tolerance, but accepted"),
    ]
    said = [f"{count:.0f} {what}" for count, what in counts if count]
    if metrics["guard_work"]:
        said.append(f"the energy guard took {metrics['guard_work']:.3g} J")
    return f"of {steps} steps: {', '.join(said)}" if said else ""


def on_time_step(run: Recording) -> str:
    step = suggested_time_step(run)
    return f"many steps were repeated in parts: plant.dt={step:g} would fit" if step is not None else ""


def on_penetration(run: Recording) -> str:
    """How deep links lie inside obstacles: plants with contacts at the centre of a link let them turn into these."""
    depth, time, link, obstacle = deepest(run)
    if depth < WORTH_SAYING:
        return ""
    where, plant = "the ground", run.scenario.plant
    if obstacle >= 0:
        radius = getattr(run.scenario.built_world().obstacles[obstacle], "radius", None)
        where = f"obstacle {obstacle} (radius {1e3 * radius:.3g} mm)" if radius else f"obstacle {obstacle}"
    said = f"link {link} lies up to {1e3 * depth:.3g} mm inside {where}, at {time:.6g} s"
    if plant.name == "planar_hybrid" and plant.options.get("contact", "centre") == "centre":
        said += "; contacts act at the centre of links (plant.contact=centre), which may turn into obstacles"
    return said


def on_overlap(run: Recording) -> str:
    """Links that overlap at the start, where links touch each other."""
    plant, data = run.scenario.plant, run.data
    if plant.name != "planar_stepping" or plant.options.get("self_contact", "auto") is False:
        return ""
    place, angle = data["link_position"].values[0], data["link_angle"].values[0]
    tail, head, gap = SelfClearance.of(run.scenario.built_robot()).gaps(place, angle, 0.0)
    over = np.flatnonzero(gap < -OVERLAP)
    if not len(over):
        return ""
    first = f"links {tail[over[0]]} and {head[over[0]]}"
    pairs = f"{first} overlap" if len(over) == 1 else f"{len(over)} pairs of links overlap, among them {first},"
    return f"at the start {pairs} by more than 1 mm: they pass through each other until they part"


def on_crossings(run: Recording) -> str:
    names = run.events["name"].values
    found = np.flatnonzero(names == CROSSING)
    if not len(found):
        return ""
    first = int(found[0])
    time, detail = float(run.events["time"].values[first]), str(run.events["detail"].values[first])
    return (
        f"links cross each other {len(found)} times, first {detail} at {time:.6g} s; "
        f"{run.scenario.plant.name} has no contact between links"
    )
