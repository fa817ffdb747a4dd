"""The viewer without a browser: shapes, poses, forces, colours, the offline page, and options as controls."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
import re
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.geometry.parts import Block, Column, Pillar, Rod, Sheet
from pushpoint.scenarios import scenarios
from pushpoint.viewer import meshes
from pushpoint.viewer.options import Control, bounds_of, control_of, controls_of, plants_for
from pushpoint.viewer.page import frames_of, html_page, quantised
from pushpoint.viewer.push_points import Margins, grade
from pushpoint.viewer.stage import stage_of
from pushpoint.viewer.strip import strip_of
from pushpoint.viewer.track import Track, round_force, tracks_of

LARGEST_PAGE = 10_000_000  # bytes, for 15 s
CIRCLE = 0.02  # share of the volume that circles of 24 corners lose, and balls twice that


@pytest.fixture(scope="module")
def planar() -> pp.Recording:
    return pp.simulate("transeth2008a/track", duration=0.6)


@pytest.fixture(scope="module")
def spatial() -> pp.Recording:
    return pp.simulate("transeth2008b/sidewinding", duration=0.3)


def with_events(run: pp.Recording, *events: tuple[float, str, str]) -> pp.Recording:
    time, name, detail = zip(*events, strict=True)
    made = type(run.events)(
        {"time": ("event", np.array(time)), "name": ("event", np.array(name)), "detail": ("event", np.array(detail))}
    )
    return dataclasses.replace(run, events=made)


# --- shapes ---


def volume(mesh: meshes.Mesh) -> float:
    """By the divergence theorem: positive only if the faces look outwards."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def test_links_have_the_volume_of_capsules_and_bars() -> None:
    half, radius = 0.06, 0.05
    capsule = np.pi * radius**2 * 2 * half + 4 / 3 * np.pi * radius**3
    assert volume(meshes.rounded_bar(half, 0.0, radius)) == pytest.approx(capsule, rel=2 * CIRCLE)
    assert volume(meshes.rounded_bar(half, radius, 1e-9)) == pytest.approx(2 * half * 4 * radius**2, rel=1e-6)


@pytest.mark.parametrize(
    ("part", "size"),
    [
        (Pillar(0.3, -0.2, 0.1, 0.5), np.pi * 0.01 * 0.5),
        (Pillar(0.3, -0.2, 0.1), np.pi * 0.01 * 2.0),  # without a height: cut at the top
        (Column(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), 0.5), 0.25),
        (Column(((0.0, 0.0), (0.0, 1.0), (1.0, 0.0)), 0.5), 0.25),  # clockwise
        (Rod((0.0, 0.0, 0.2), (1.0, 0.5, 0.7), 0.1), np.pi * 0.01 * math.sqrt(1.5)),
        (Block((1.0, 2.0, 1.0), (0.2, 0.3, 0.4), np.eye(3)), 0.024),
        (Sheet(((0.0, 0.0), (2.0, 0.0)), 0.5), 2.0 * meshes.SHEET * 0.5),
    ],
)
def test_parts_of_obstacles_have_their_volume(part: Any, size: float) -> None:
    made = meshes.joined(meshes.part_meshes(part, 2.0))
    assert volume(made) == pytest.approx(size, rel=CIRCLE)
    assert volume(made.flat) == pytest.approx(volume(made))


def test_the_stage_shows_robot_obstacles_and_ground(planar: pp.Recording, spatial: pp.Recording) -> None:
    stage, world = stage_of(planar), planar.scenario.built_world()
    assert {solid.name for solid in stage.solids} == {"ground", "obstacles"}
    obstacles = next(solid for solid in stage.solids if solid.name == "obstacles").mesh
    expected = sum(np.pi * disc.radius**2 * stage.top for disc in world.discs)
    assert volume(obstacles) == pytest.approx(expected, rel=CIRCLE)
    assert sorted(k for body in stage.bodies for k in body.links) == list(range(11))
    place = Track(planar).position.reshape(-1, 3)
    for axis, (low, high) in enumerate(((stage.box.left, stage.box.right), (stage.box.bottom, stage.box.top))):
        assert low < place[:, axis].min()
        assert place[:, axis].max() < high
    assert stage_of(spatial).top > Track(spatial).position[..., 2].max()


def test_terrain_is_shown() -> None:
    stairs = pp.simulate("lab/stairs-rest", duration=0.03)
    ground = stage_of(stairs).solids[0].mesh
    heights = {round(z, 6) for _, z in stairs.scenario.built_world().terrain.points}  # type: ignore[union-attr]
    assert heights <= {round(float(z), 6) for z in ground.vertices[:, 2]}
    field = pp.worlds.Heightfield(x=0.0, y=0.0, spacing=0.5, heights=((0, 0, 0, 0), (0, 0.2, 0.1, 0), (0, 0, 0, 0)))
    mesh = meshes.field_mesh(field)
    assert mesh.vertices[5] == pytest.approx((0.5, 0.5, 0.2))
    up = np.cross(*(mesh.vertices[mesh.faces[:, k]] - mesh.vertices[mesh.faces[:, 0]] for k in (1, 2)))
    assert np.all(up[:, 2] > 0)


# --- poses ---


def test_times_give_the_nearest_recorded_row(planar: pp.Recording) -> None:
    track = Track(planar)
    period = float(track.time[1])
    assert [track.row_at(t) for t in (-1.0, 0.0, 0.4 * period, 0.6 * period, 10 * period, 99.0)] == [0, 0, 0, 1, 10, 60]


def test_planar_poses_are_those_of_the_recording(planar: pp.Recording) -> None:
    track = Track(planar)
    assert np.array_equal(track.position[..., :2], planar.data["link_position"].values)
    assert np.allclose(2 * np.arctan2(track.turn[..., 3], track.turn[..., 0]), planar.data["link_angle"].values)
    radius = planar.scenario.built_robot().links[0].radius
    assert np.all(track.position[..., 2] == radius)


def test_poses_in_space_are_those_of_the_recording(spatial: pp.Recording) -> None:
    track = Track(spatial)
    assert np.array_equal(track.position, spatial.data["link_position"].values)
    assert np.array_equal(track.turn, spatial.data["link_orientation"].values)


def test_the_reference_of_a_robot_that_follows_it_is_its_own_shape(planar: pp.Recording, spatial: pp.Recording) -> None:
    for run in (planar, spatial):
        followed = dataclasses.replace(run, data=run.data.assign(joint_reference=run.data["joint_angle"]))
        track = Track(followed)
        row = track.rows - 1
        ends = track.reference(row)
        assert (ends[:-1] + ends[1:]) / 2 == pytest.approx(track.position[row], abs=2e-3 if track.in_space else 1e-9)
    torques = dataclasses.replace(planar, data=planar.data.assign(joint_reference=planar.data["joint_angle"] * np.nan))
    assert Track(torques).reference(0).size == 0


def test_arrows_share_a_scale_and_are_cut_where_impacts_are(planar: pp.Recording) -> None:
    one, other = tracks_of([planar, dataclasses.replace(planar)])
    assert one.full == other.full > 0
    row = planar.data.sizes["time"] - 1
    arrows = one.contact_arrows(row)
    assert len(arrows.start) > 0
    lengths = np.linalg.norm(one.vectors(arrows._replace(force=1e6 * arrows.force)), axis=1)
    assert lengths.max() <= 1.3 * one.arrow_length * (1 + 1e-9)
    half = arrows._replace(force=0.5 * one.full * np.eye(3)[:1], start=arrows.start[:1])
    assert one.vectors(half) == pytest.approx(0.5 * one.arrow_length * np.eye(3)[:1])
    assert [round_force(x) for x in (0.9, 1.0, 7.3, 26.0)] == [0.5, 1.0, 5.0, 20.0]


def test_jams_and_resolutions_have_colours(planar: pp.Recording) -> None:
    run = with_events(
        planar,
        (0.1, "jam", "joints 2, 3"),
        (0.2, "resolution", "..."),
        (0.3, "resolution-ended", ""),
        (0.4, "jam-ended", ""),
    )
    track = Track(run)
    assert [(phase.name, phase.begin, phase.end) for phase in track.phases] == [
        ("jam", 0.1, 0.4),
        ("resolution", 0.2, 0.3),
    ]
    at = [track.colour_index(track.row_at(t)).tolist() for t in (0.05, 0.15, 0.25, 0.5)]
    assert at[0] == at[3] == [0] * 10 + [1]
    assert at[1] == [0, 0, 4, 4, 4, *[0] * 5, 1]
    assert at[2] == [5] * 10 + [1]
    assert "resolution" in track.status(track.row_at(0.25))


def test_margins_are_asked_of_planar_runs_among_round_pegs(planar: pp.Recording, spatial: pp.Recording) -> None:
    assert not Margins(spatial).applies
    assert math.isnan(Margins(spatial).at(0))
    pytest.importorskip("scipy")
    assert Margins(planar).at(30) >= 0
    assert [grade(x) for x in (math.nan, 0.5, 1.2, 9.0)] == ["unknown", "short", "small", "ample"]


def test_a_margin_is_the_one_of_the_planner() -> None:
    pytest.importorskip("scipy")
    run = pp.simulate("lab/hoal-sine-coulomb", duration=0.1)
    margin = Margins(run).at(run.data.sizes["time"] - 1)
    assert 0.5 < margin < 20  # the controller's own, along its path, is 1.3 to 2.4 there


def test_the_strip_knows_where_its_time_runs(planar: pp.Recording) -> None:
    strip = strip_of([with_events(planar, (0.1, "jam", "joints 2"))], until=1.2)
    assert strip.png.startswith(b"\x89PNG")
    assert (strip.begin, strip.end) == (0.0, 1.2)
    assert [strip.share(t) for t in (0.0, 0.6, 1.2, 9.0)] == pytest.approx([strip.left, (strip.left + strip.right) / 2,
                                                                            strip.right, strip.right])  # fmt: skip


# --- the offline page ---


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_a_page_holds_the_poses_of_the_recording(planar: pp.Recording, spatial: pp.Recording) -> None:
    for run in (planar, spatial):
        track, data = Track(run), data_of(html_page([run]))["runs"][0]
        rows, shape = data["rows"], (len(data["rows"]), 11)
        packed = data["position"]
        whole = np.frombuffer(base64.b64decode(packed["values"]), "<u2").reshape(*shape, 3)
        shown = np.array(packed["low"]) + np.array(packed["step"]) * whole
        assert np.abs(shown - track.position[rows]).max() <= max(packed["step"]) / 2 * (1 + 1e-6) < 5e-5
        turn = np.frombuffer(base64.b64decode(data["turn"]), "<i2").reshape(*shape, 4) / 32767
        assert np.abs(np.abs((turn * track.turn[rows]).sum(axis=-1)) - 1).max() < 1e-4
        assert np.frombuffer(base64.b64decode(data["time"]), "<f4") == pytest.approx(track.time[rows])


def test_quantised_places_are_the_nearest_of_the_grid() -> None:
    places = np.random.default_rng(0).normal(size=(50, 4, 3))
    found = quantised(places)
    assert np.abs(found.places - places).max() <= found.step.max() / 2 * (1 + 1e-9)
    assert quantised(np.zeros((0, 3))).places.shape == (0, 3)


def long_run(run: pp.Recording, duration: float) -> pp.Recording:
    """The rows of a short run again and again."""
    rows = round(duration / float(run.data["time"].values[1])) + 1
    data = run.data.isel(time=np.arange(rows) % run.data.sizes["time"])
    return dataclasses.replace(run, data=data.assign_coords(time=np.linspace(0.0, duration, rows)))


def test_fifteen_seconds_are_less_than_ten_megabytes() -> None:
    run = long_run(pp.simulate("transeth2008a/flat", {"robot.links": 100}, duration=0.2), 15.0)
    assert len(frames_of(Track(run))) == 751
    assert len(html_page([run]).encode()) < LARGEST_PAGE


def test_pages_of_long_runs_have_fewer_frames(planar: pp.Recording) -> None:
    track = Track(long_run(planar, 15.0))
    track.time = track.time * 100
    assert 2 < len(frames_of(track)) < 0.5 * track.duration * 50


def test_a_page_asks_for_nothing_and_runs_its_own_script_alone(planar: pp.Recording) -> None:
    evil = "</script><script>alert(1)</script>"
    run = dataclasses.replace(planar, scenario=planar.scenario.model_copy(update={"title": evil, "name": evil}))
    page = html_page([run])
    assert evil not in page
    assert "alert(1)" in page
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!data:)", page)
    assert not re.search(r"https?://", page.replace("http-equiv", ""))
    policy = re.search(r'content="(default-src[^"]*)"', page)
    assert policy is not None
    assert "default-src &#x27;none&#x27;" in policy[1]
    script = page[page.rindex("<script>") + len("<script>") : page.rindex("</script>")]
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy[1]


def test_runs_of_one_row_or_one_link_have_a_page(planar: pp.Recording) -> None:
    at_once = dataclasses.replace(planar, data=planar.data.isel(time=[0]), failure={"time": 0.0})
    assert "the run failed at t = 0 s" in html_page([at_once])
    single = pp.simulate("transeth2008a/flat", {"robot.links": 1, "controller": "hold", "start.link": 0}, duration=0.05)
    assert data_of(html_page([single]))["runs"][0]["links"] == 1


# --- options as controls ---


def test_sliders_stay_within_what_is_declared() -> None:
    for name in ("transeth2008a/track", "liljeback2010/clutter", "transeth2008b/sidewinding", "lab/hoal-sine"):
        found = controls_of(scenarios[name])
        assert len({control.key for control in found}) == len(found) > 5
        for control in found:
            assert control.kind in ("number", "whole", "switch", "choice")
            assert control.accepts(control.value), control
            if control.kind in ("number", "whole"):
                assert control.low <= control.value <= control.high
                assert control.step > 0


def test_controls_are_those_of_the_present_values() -> None:
    found = {control.key: control for control in controls_of(scenarios["transeth2008a/track"])}
    assert found["world.friction"].low == 0.0
    assert found["controller.amplitude"].kind == "number"
    assert found["plant.solver"].choices == ("newton", "projection")
    assert found["plant.dt"].low > 0
    assert found["robot.links"].kind == "whole"
    assert "coefficient of friction" in found["world.friction"].hint


def test_texts_have_no_control() -> None:
    """A world from a file has a path; no page may change it."""
    assert control_of("world.path", str, "obstacles.csv") is None
    assert control_of("world.path", str | None, "obstacles.csv") is None
    assert control_of("x", float | None, None) is None


def test_values_that_no_control_offers_are_refused() -> None:
    number = Control("a", "number", 1.0, 0.0, 2.0, 0.1)
    assert [number.accepts(x) for x in (0.0, 2.0, 2.1, math.nan, "1", True, None)] == [True, True, *[False] * 5]
    whole = Control("a", "whole", 1, 0, 5, 1)
    assert [whole.accepts(x) for x in (3, 3.0, 3.5)] == [True, True, False]
    choice = Control("a", "choice", "x", choices=("x", "y"))
    assert [choice.accepts(x) for x in ("y", "z", "/etc/passwd")] == [True, False, False]


def test_bounds_are_read_off_types() -> None:
    from pushpoint import quantities as q

    assert bounds_of(q.FrictionCoefficient) == (0, 1e3, False)
    assert bounds_of(q.Length) == (0, 1e4, True)
    assert bounds_of(float) == (-math.inf, math.inf, False)


def test_plants_that_cannot_run_a_scenario_are_not_offered() -> None:
    assert plants_for(scenarios["transeth2008a/track"])[0] == "planar_stepping"
    stairs = plants_for(scenarios["liljeback2014/stairs"])
    assert stairs[0] == "spatial_stepping"
    assert "planar_stepping" not in stairs
