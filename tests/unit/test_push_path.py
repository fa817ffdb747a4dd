"""Paths from peg to peg: forces in closed form, bounds of arcs, invariance, plans as data, bad input."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pushpoint import InvalidInput, Plan, plan_path
from pushpoint.mechanics.body_push import body_moment
from pushpoint.mechanics.push_balance import three_forces
from pushpoint.mechanics.tail_chain import TailChain
from pushpoint.mechanics.tail_kernels import Pegs
from pushpoint.path_plans import base_scenario, held_up
from pushpoint.planning.feasibility import Drag
from pushpoint.planning.follow import Following
from pushpoint.planning.paths import Path as Curve
from pushpoint.planning.paths import largest_curvature
from pushpoint.planning.push_path.network import CLEAR, TOUCHING, Nodes, network
from pushpoint.planning.push_path.plan import STOPPED
from pushpoint.planning.push_path.planner import has_path, plans
from pushpoint.planning.push_path.refining import Fitter
from pushpoint.planning.push_path.request import PlanOptions, Request, bend_of, peg_rows, refuse_unfit
from pushpoint.planning.push_path.search import Sequence, body_room, drawn, search
from pushpoint.robots import Joint, robots
from pushpoint.view.figures import save_figure
from pushpoint.view.plan_sheet import plan_sheet
from pushpoint.worlds import Ground, Wall, World
from pushpoint.worlds.random_field import random_field

pytest.importorskip("daqp")
pytest.importorskip("scipy")

ROUNDING = 1e-9  # sums of some hundred terms of order one
CHORDS = 3e-3  # [m]: arcs are compared with pegs as twelve chords, which lie inside of bends
SMALL = PlanOptions(distance=0.4, kept=60, refined=2, steps=60, plans=2)  # a tenth of a second


def request(seed: int = 3, turn: float = 0.0, mirror: float = 1.0, links: int = 5) -> Request:
    """A robot in a small random field, which may be turned about the origin or mirrored at the x axis."""
    world = random_field(seed=seed, pegs=40, x_min=0.0, x_max=2.2, y_min=-0.5, y_max=0.5)
    rows = np.array(peg_rows(world))
    cos, sin = math.cos(turn), math.sin(turn)
    centre = (rows[:, :2] * [1.0, mirror]) @ np.array([[cos, sin], [-sin, cos]])
    pegs = Pegs(np.ascontiguousarray(centre), np.ascontiguousarray(rows[:, 2]))
    return Request(TailChain.of(robots["ten-link"](links=links)), pegs, Drag(0.1, 0.0), 0.1, 10.0, 0.15)


def test_three_forces_in_closed_form() -> None:
    """Two contacts at (0, +-h) push forwards at a slope, one at (d, 0) sideways:

    s (l1 + l2) = W,  c (l2 - l1) + l3 = 0,  h s (l2 - l1) + d l3 = M
    """
    slope, h, d, load, moment = 0.6, 0.3, -0.2, 5.0, -0.4
    s, c = math.sin(slope), math.cos(slope)
    columns = np.array([[s, -c, -h * s], [s, c, h * s], [0.0, 1.0, d]])
    force = np.empty(3)
    assert three_forces(columns, np.array([load, 0.0, moment]), force)
    difference = moment / (h * s - d * c)
    expected = [load / s / 2 - difference / 2, load / s / 2 + difference / 2, -c * difference]
    assert force == pytest.approx(expected, abs=ROUNDING)
    assert not three_forces(columns, np.array([load, 0.0, -moment]), force)  # the third would have to pull
    assert not three_forces(columns[[0, 0, 1]], np.array([load, 0.0, moment]), force)


def zigzag() -> tuple[np.ndarray, np.ndarray]:
    """A body as an arc of a sine, and three contacts on it that push forwards."""
    x = np.linspace(0.0, 1.0, 41)
    y = 0.12 * np.sin(2 * np.pi * x)
    arc = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    area = np.concatenate([[0.0], np.cumsum(x[:-1] * y[1:] - y[:-1] * x[1:])])
    contacts = []
    for k, side in ((2, 1.0), (20, -1.0), (38, 1.0)):  # the body climbs, falls, climbs: pegs above, below, above
        tangent = np.array([x[k + 1] - x[k - 1], y[k + 1] - y[k - 1]])
        tangent /= np.hypot(*tangent)
        contacts.append([arc[k], x[k], y[k], side * tangent[1], -side * tangent[0]])
    return np.column_stack([arc, x, y, area]), np.array(contacts)


def moment_of(place: np.ndarray, contact: np.ndarray, rho: float) -> float:
    rules = np.array([place[-1, 0], rho, 1.0, 0.0, 0.0, 0.0])
    return float(body_moment(np.ascontiguousarray(place), np.ascontiguousarray(contact), rules, body_room()))


def test_bending_moments_are_proportional_to_the_drag_and_do_not_depend_on_the_frame() -> None:
    place, contact = zigzag()
    needed = moment_of(place, contact, 10.0)
    assert 0.1 < needed < 10.0
    assert moment_of(place, contact, 25.0) == pytest.approx(2.5 * needed)
    cos, sin = math.cos(2.1), math.sin(2.1)
    turn, shift = np.array([[cos, sin], [-sin, cos]]), np.array([3.0, -2.0])
    moved, touched = place.copy(), contact.copy()
    moved[:, 1:3] = place[:, 1:3] @ turn + shift
    x, y = moved[:, 1], moved[:, 2]
    moved[:, 3] = np.concatenate([[0.0], np.cumsum(x[:-1] * y[1:] - y[:-1] * x[1:])])
    touched[:, 1:3], touched[:, 3:] = contact[:, 1:3] @ turn + shift, contact[:, 3:] @ turn
    assert moment_of(moved, touched, 10.0) == pytest.approx(needed, rel=1e-6)
    assert moment_of(place, contact[:2], 10.0) == math.inf
    backward = contact.copy()
    backward[:, 3:] *= -1.0  # they would have to pull
    assert moment_of(place, backward, 10.0) == math.inf


def test_arcs_are_bounded_in_curvature_and_clear_of_pegs() -> None:
    """P4 (3.51)"""
    asked = request()
    nodes, net = network(asked, SMALL)
    assert len(net.end) > 200
    centre, radius = asked.pegs
    for e in range(0, len(net.end), 37):
        points = net.table[e, :, 1:3]
        bend, _ = largest_curvature(Curve(points), 0.0, float(net.table[e, -1, 0]))
        assert bend * asked.link < 1.03  # a spline through twelve points is off by some per cent
        gap = np.linalg.norm(points[:, np.newaxis] - centre, axis=2) - radius
        own = nodes.peg[net.end[e]]
        assert gap.min(axis=0)[own].min() > TOUCHING * asked.link - CHORDS
        assert np.delete(gap.min(axis=0), own).min() > CLEAR - CHORDS
        assert (np.diff(net.table[e, :, 0]) > 0.0).all()


@pytest.mark.parametrize(("turn", "mirror"), [(0.7, 1.0), (0.0, -1.0)])
def test_a_map_that_is_turned_or_mirrored_has_the_same_paths(turn: float, mirror: float) -> None:
    """All paths are kept, as of those that cost the same the first ones would be."""
    lengths, whole = [], SMALL.model_copy(update={"kept": 10_000})
    for asked, options in (
        (request(), whole),
        (request(turn=turn, mirror=mirror), whole.model_copy(update={"direction": turn})),
    ):
        nodes, net = network(asked, options)
        found = search(asked, options, nodes, net, 0.65)
        lengths.append((len(net.end), found.paths[0].length, found.paths[0].cost))
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-6)


def test_plans_repeat_to_the_bit_and_depend_on_the_seed() -> None:
    first, second = (plans(request(), SMALL) for _ in range(2))
    assert first == second
    other = plans(request(), SMALL.model_copy(update={"seed": 1}))
    assert other[0].path != first[0].path


def test_the_order_of_pegs_and_those_out_of_reach_make_no_difference() -> None:
    asked = request()
    count = len(asked.pegs.radius)
    order = np.random.default_rng(4).permutation(count)
    centre = np.concatenate([[[40.0, 0.0]], asked.pegs.centre[order]])
    other = asked._replace(pegs=Pegs(centre, np.concatenate([[0.1], asked.pegs.radius[order]])))
    first, second = plans(asked, SMALL)[0], plans(other, SMALL)[0]
    assert second.path == first.path
    assert second.alpha == first.alpha
    number = {int(old): new + 1 for new, old in enumerate(order)}
    assert [set(pegs) for pegs in second.push_points] == [{number[peg] for peg in pegs} for pegs in first.push_points]
    assert np.array_equal(np.array(second.pegs)[:, :2], centre)


def test_a_map_far_from_the_origin_has_the_same_plans() -> None:
    asked, shift = request(), np.array([2e5, -3e5])
    moved = asked._replace(pegs=Pegs(asked.pegs.centre + shift, asked.pegs.radius))
    first, second = plans(asked, SMALL)[0], plans(moved, SMALL)[0]
    assert np.array(second.path) - shift == pytest.approx(np.array(first.path), abs=1e-9)
    assert second.alpha == pytest.approx(first.alpha, rel=1e-6)
    path = Curve(np.array(second.path))  # which controllers follow where it is
    assert Following(asked.chain, path, second.head, second.head + 0.3).at(second.head).q[1:5] == pytest.approx(
        Following(asked.chain, Curve(np.array(first.path)), first.head, first.head + 0.3).at(first.head).q[1:5],
        abs=1e-7,
    )
    weak = [plans(far._replace(torque_limit=1e-3), SMALL)[0].reason for far in (asked, moved)]
    assert re.search(r"with the head at \(20000\d.\d\d, -(300000|299999).\d\d\) m", weak[1]), weak


@pytest.mark.parametrize("place", [(0.0, 500.0), (-500.0, 0.0), (500.0, 500.0)])
def test_a_rough_peg_out_of_reach_makes_no_difference(place: tuple[float, float]) -> None:
    asked = request()
    count = len(asked.pegs.radius)
    pegs = Pegs(np.concatenate([[place], asked.pegs.centre]), np.append(0.1, asked.pegs.radius))
    other = asked._replace(pegs=pegs, peg_friction=3.0, frictions=np.append(3.0, np.full(count, asked.peg_friction)))
    first, second = plans(asked, SMALL)[0], plans(other, SMALL)[0]
    assert (second.path, second.alpha, second.peg_friction) == (first.path, first.alpha, first.peg_friction)
    rough = asked._replace(frictions=np.append(2.0, np.zeros(count - 1)))
    assert plans(rough, SMALL)[0].peg_friction == 2.0


def test_discs_inside_of_others_make_no_difference() -> None:
    """Neither equal ones nor smaller ones; push-points have the number of the first of equal ones."""
    asked = request()
    count = len(asked.pegs.radius)
    centre = np.concatenate([asked.pegs.centre, asked.pegs.centre, asked.pegs.centre[:3] + 1e-3])
    radius = np.concatenate([asked.pegs.radius, asked.pegs.radius, asked.pegs.radius[:3] / 2.0])
    first, second = plans(asked, SMALL)[0], plans(asked._replace(pegs=Pegs(centre, radius)), SMALL)[0]
    assert (second.path, second.alpha, second.push_points) == (first.path, first.alpha, first.push_points)
    assert len(second.pegs) == 2 * count + 3


def test_joints_stay_within_their_stops() -> None:
    """Or the plan says where they would not."""
    free, stopped = request(), request()._replace(bend=0.45)
    for asked in (free, stopped):
        plan = plans(asked, SMALL)[0]
        following = Following(asked.chain, Curve(np.array(plan.path)), plan.head - 0.04, plan.head + plan.distance)
        bend = max(float(np.abs(following.at(s).q[1:-2]).max()) for s in plan.s)
        assert bend <= asked.bend or "stops allow 0.45 rad" in plan.reason
    assert bend < 0.45 + math.radians(5.0)  # they are sought within, though few steps are made here
    bounded = stopped.bounded(SMALL)
    assert bounded.largest_angle < 0.45
    assert bounded.curvature_limit == pytest.approx(2.0 * math.sin(bounded.largest_angle / 2.0))
    assert free.bounded(SMALL) == SMALL


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        ({"axes": "yaw-pitch"}, r"robot.joints.1.axes = 'yaw-pitch': .* joints that turn sideways; should be 'yaw'"),
        ({"actuated": False}, r"robot.joints.1.actuated = false: .* a motor at every joint"),
        ({"stiffness": 5.0}, r"robot.joints.1.stiffness = 5 N m/rad: .* should be 0"),
        ({"lower": 0.05}, r"robot.joints.1: stops from 0.05 to inf rad; .* by 0.1 rad at least"),
    ],
)
def test_joints_that_plans_know_nothing_of_are_refused(joint: dict[str, float], words: str) -> None:
    robot = robots["ten-link"](links=4)
    robot = robot.model_copy(update={"joints": (Joint(), Joint(**joint), Joint())})
    with pytest.raises(InvalidInput, match=words):
        refuse_unfit(robot)
    assert bend_of(robots["ten-link"](links=4)) == math.inf


def test_links_of_several_widths_are_refused() -> None:
    robot = robots["ten-link"](links=4)
    links = (robot.links[0].model_copy(update={"radius": 0.02}), *robot.links[1:])
    with pytest.raises(InvalidInput, match=r"robot.links: radii from 0 to 0.02 m; .* by 0.001 m at most"):
        refuse_unfit(robot.model_copy(update={"links": links}))


def test_motors_without_limit_are_drawn(tmp_path: Path) -> None:
    plan = plans(request()._replace(torque_limit=math.inf), SMALL)[0]
    assert plan.largest_torque() is None
    save_figure(plan_sheet(plan, robots["ten-link"](links=5), "no limit"), tmp_path / "plan.png")
    assert (tmp_path / "plan.png").stat().st_size > 1000


def texts_and_axes(plan: Plan) -> tuple[list[str], Any]:
    sheet = plan_sheet(plan, robots["ten-link"](links=5), "a title")
    return [text.get_text() for text in sheet.texts], sheet.axes[0]


def test_figures_show_path_and_pegs_alone() -> None:
    """Wherever they are; pegs far from the path are not shown."""
    shift = np.array([100.0, -40.0])
    asked = request()
    centre = np.concatenate([asked.pegs.centre + shift, [[700.0, 0.0]]])
    plan = plans(asked._replace(pegs=Pegs(centre, np.append(asked.pegs.radius, 0.1))), SMALL)[0]
    _, axes = texts_and_axes(plan)
    assert 98.0 < axes.get_xlim()[0] < axes.get_xlim()[1] < 104.0
    assert -42.0 < axes.get_ylim()[0] < axes.get_ylim()[1] < -38.0
    row = plan.model_copy(
        update={"path": (), "s": (), "push_points": (), "pegs": ((100.0, 0.0, 0.05), (109.0, 0.0, 0.05))}
    )
    assert np.ptp(texts_and_axes(row)[1].get_ylim()) > 1.0
    nothing = plans(asked._replace(pegs=Pegs(np.zeros((0, 2)), np.zeros(0))), SMALL)[0]
    assert [text.get_text() for text in texts_and_axes(nothing)[1].texts] == ["no pegs on the map"]


def test_figures_say_once_that_a_robot_does_not_arrive() -> None:
    plan = plans(request(), SMALL)[0].model_copy(update={"checked": False})
    predicted = plan.model_copy(update={"reason": "nothing pushes " + 30 * "anywhere "})
    (_, said), _ = texts_and_axes(predicted)
    assert said.startswith("In simulations it does not arrive. Not passable by prediction: nothing pushes")
    assert max(map(len, said.splitlines())) <= 145
    (_, said), _ = texts_and_axes(plan.model_copy(update={"reason": f"{STOPPED}: no progress"}))
    assert said == "In a simulation it did not get to its end: no progress"


def test_a_plan_is_data(tmp_path: Path) -> None:
    plan = plans(request(), SMALL)[0]
    plan.save(tmp_path / "plan.yaml")
    assert Plan.load(tmp_path / "plan.yaml") == plan
    base = base_scenario("random-field", {"robot.links": 5, "world.seed": 3})
    scenario = plan.scenario(base)
    assert scenario.controller.name == "push-along"
    assert scenario.duration >= plan.distance / plan.speed
    assert type(scenario).from_yaml(scenario.to_yaml()).controller == scenario.controller
    path = Curve(np.array(plan.path))
    assert plan.head + plan.distance == pytest.approx(
        path.length, abs=0.02
    )  # no shorter path is taken for a better one
    assert len(plan.s) == len(plan.alpha) == len(plan.push_points)
    assert plan.s[-1] - plan.s[0] == pytest.approx(plan.distance)
    bend, _ = largest_curvature(path, 0.0, path.length)
    assert bend * 0.14 < 1.05


def test_what_is_missing_is_said() -> None:
    nothing = request()._replace(pegs=Pegs(np.zeros((0, 2)), np.zeros(0)))
    plan = plans(nothing, SMALL)[0]
    assert plan.reason == "in reach there are 0 pegs on the map; a robot pushes itself along by 3 at least"
    assert not plan.is_good
    assert not has_path(nothing, SMALL)
    few = request()._replace(pegs=Pegs(np.array([[0.0, 0.1], [0.4, -0.1], [0.8, 0.1]]), np.full(3, 0.05)))
    longest = plans(few, SMALL)[0]
    assert "for the 0.40 m asked" in longest.reason
    assert "no arc of bounded curvature leads to another peg" in longest.reason
    away = np.linalg.norm(np.array(longest.path)[:, np.newaxis] - few.pegs.centre, axis=2) - few.pegs.radius
    assert away.min() > -ROUNDING  # what is drawn is the path, which passes the pegs


def test_work_is_bounded_and_counted_in_links_laid() -> None:
    """Where no path is good, others are tried, in as much work as is allowed; plans do not depend on the clock."""
    weak = request()._replace(torque_limit=0.05)
    paths = [drawn(nodes.table[path.node]) for nodes, path in _found(weak)]
    whole, short = (Fitter(weak, SMALL.model_copy(update={"most_laid": most})) for most in (10**9, 0))
    assert [path.cost for path in whole.fit(paths)] == [path.cost for path in short.fit(paths)]
    assert whole.can_fit_others()
    assert whole.can_fit_again()
    assert not short.can_fit_others()
    assert not short.can_fit_again()
    assert short.fit_others(paths) == []
    assert plans(weak, SMALL) == plans(weak, SMALL)


def _found(asked: Request) -> list[tuple[Nodes, Sequence]]:
    nodes, net = network(asked, SMALL)
    return [(nodes, path) for path in search(asked, SMALL, nodes, net, 1.2).paths]


def test_too_little_torque_is_said() -> None:
    weak = plans(request()._replace(torque_limit=1e-3), SMALL)[0]
    assert "lack push" in weak.reason


def test_a_plan_from_where_the_robot_lies_begins_there() -> None:
    asked = request(links=5)
    x = np.linspace(0.2, 0.9, 6)
    lying = asked._replace(start=np.column_stack([x, np.zeros(6)]), pegs=_clear_of_axis(asked.pegs))
    plan = plans(lying, SMALL)[0]
    if plan.s:
        first = np.array(plan.path)[0]
        assert np.abs(first[1]) < 0.6
        assert plan.head < 1.05 * asked.reach


def _clear_of_axis(pegs: Pegs) -> Pegs:
    clear = np.abs(pegs.centre[:, 1]) > pegs.radius + 0.005
    return Pegs(np.ascontiguousarray(pegs.centre[clear]), np.ascontiguousarray(pegs.radius[clear]))


def test_links_find_their_places_where_newtons_method_leads_astray() -> None:
    """Bends of little more than half a link."""
    x = np.linspace(0.0, 3.0, 900)
    path = Curve(np.column_stack([x, 0.1 * np.sin(2 * np.pi * x / 0.55)]))
    chain = TailChain.of(robots["ten-link"]())
    following = Following(chain, path, 2.0, 2.5)
    joints = chain.at(following.at(2.2).q, np.zeros(chain.coordinates)).joints
    near = [np.linalg.norm(path(np.array([path.nearest(joint)]))[0] - joint) for joint in joints]
    assert max(near) < 1e-4  # [m], of the table's linear interpolation
    with pytest.raises(InvalidInput, match=r"finds no place on the path behind .* bends too sharply"):
        Following(chain, Curve(np.array([[0.0, 0.0], [0.05, 0.0], [0.05, 0.02], [0.0, 0.02], [0.0, 0.1]])), 0.1, 0.2)


def test_a_plan_follows_in_a_scenario_with_sensors_of_another_controller() -> None:
    base = base_scenario("random-field", {"robot.links": 5, "world.seed": 3, "sensors": {"map": {}}})
    scenario = plans(request(), SMALL)[0].scenario(base)
    assert scenario.sensors is not None
    assert scenario.sensors.keys() == {"map", "contacts", "head-pose", "joint-encoders"}


def test_on_the_plant_of_p1_pegs_push_where_they_touch() -> None:
    """Its default is contact at the centres of links, with which no plan holds. What P1's plant says is no reason why a
    robot did not arrive."""
    slippery = {"world.friction": 0.1, "world.obstacle_friction": 0.1}
    base = base_scenario("liljeback2010/random", slippery)
    plan = plan_path("liljeback2010/random", slippery, distance=0.3, kept=60, steps=60)
    found = plan.scenario(base)
    assert found.plant.name == "planar_hybrid"
    assert found.plant.options["contact"] == "point"
    assert base.plant.options.get("contact") != "point"
    short = plan.model_copy(update={"distance": 1e-3})
    assert "obstacle" not in held_up(short, base)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"start = 'there': should be 'path' or 'scenario'"):
        plan_path("random-field", start="there")  # type: ignore[arg-type]  # what is not allowed
    with pytest.raises(InvalidInput, match="has 2 links"):
        plans(request(links=2), SMALL)
    with pytest.raises(InvalidInput, match="torque_limit = 0 N m"):
        plans(request()._replace(torque_limit=0.0), SMALL)
    with pytest.raises(InvalidInput, match=r"torque_limit = 1e\+10 N m: should be from 1e-09 to 1e\+09 N m, or inf"):
        plans(request()._replace(torque_limit=1e10), SMALL)
    with pytest.raises(InvalidInput, match=r"speed = 1e-06 m/s: 0.4 m of path .* at least 4.7e-06 m/s, or the"):
        plan_path("random-field", speed=1e-6, distance=0.4, check=True)
    for speed in (0.0, -0.1, math.nan, 1e5):
        with pytest.raises(InvalidInput, match=f"speed = {speed:g} m/s: should be from"):
            plans(request()._replace(speed=speed), SMALL)
    crowd = np.random.default_rng(0).uniform(0.0, 2.0, (1200, 2))
    with pytest.raises(InvalidInput, match="1200 pegs are within reach of the path; should be at most 1000"):
        plans(request()._replace(pegs=Pegs(crowd, np.full(1200, 0.01))), SMALL)
    with pytest.raises(InvalidInput, match="kept"):
        plan_path("random-field", kept=0)
    for angle in (-1.0, 0.0):
        with pytest.raises(InvalidInput, match=r"largest_angle = .*: should be greater than 0"):
            plan_path("random-field", largest_angle=angle)
    with pytest.raises(InvalidInput, match=r"world.obstacles.0: is 'wall'"):
        peg_rows(World(name="x", obstacles=(Wall(points=((0.0, 0.0), (1.0, 0.0))),)))
    with pytest.raises(InvalidInput, match=r"world.ground.friction_across"):
        peg_rows(World(name="x", ground=Ground(friction_across=0.4)))


def test_slopes_and_terrain_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"world.down = \[-0.5, 0.0, -0.85\]: .* should be left out"):
        plan_path("plane", {"world": {"name": "x", "down": [-0.5, 0.0, -0.85]}})
    for name in ("slope", "stairs"):
        with pytest.raises(InvalidInput, match=r"^world.(down|terrain).*: paths of push-points know flat, level"):
            plan_path(name)


@pytest.mark.filterwarnings("error")
def test_without_gravity_nothing_holds_the_robot_back() -> None:
    asked = request()
    light, smooth = (
        plans(asked._replace(drag=drag), SMALL)[0] for drag in (Drag(0.1, 0.0, gravity=0.0), Drag(0.0, 0.0))
    )
    assert (light.path, light.alpha, light.reason) == (smooth.path, smooth.alpha, smooth.reason)
    assert light.stall is None
