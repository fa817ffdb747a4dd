"""Plans: search, fit to the links, predict by the loads that can be carried, best first."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from pushpoint.errors import InvalidInput
from pushpoint.mechanics.body_push import Network
from pushpoint.mechanics.push_arcs import X, Y
from pushpoint.planning.feasibility import Course, Margin, described
from pushpoint.planning.follow import Following
from pushpoint.planning.paths import Path
from pushpoint.planning.push_path.network import network
from pushpoint.planning.push_path.plan import Plan
from pushpoint.planning.push_path.reach import pegs_in_reach
from pushpoint.planning.push_path.refining import UNDER, Fitted, Fitter
from pushpoint.planning.push_path.request import FEWEST, PlanOptions, Request, refuse_senseless
from pushpoint.planning.push_path.search import drawn, search
from pushpoint.planning.push_points import ENDS
from pushpoint.types import FloatArray, IntArray

BEYOND = 0.1  # [m] of path behind the end, while it is sought
ROUGH = 0.01  # [m], between places at which loads are computed
AGAIN, SLIGHT = 3, 0.003  # times that the best two are fitted once more, while more of the path than this lacks push
ONCE_MORE = 1  # times after a second try
NEARLY = 0.025  # share that lacks push of a path that may become good by fitting it again
TURNED = 0.5  # steps, by which directions at pegs differ in a second try
SAFETY = 1.1  # by which they are divided before they predict a stall

Made = tuple[Plan, Fitted]


def plans(request: Request, options: PlanOptions) -> list[Plan]:
    """Plans through different pegs, the best first; where no path is long enough, one plan that says so. Pegs out of
    reach or inside of others, and the order of pegs, make no difference."""
    refuse_senseless(request, options)
    chosen = pegs_in_reach(request, options, _total(request, options))
    within = request.among(chosen).centred()
    rows = tuple(map(tuple, np.column_stack([request.pegs.centre, request.pegs.radius]).tolist()))
    return [_on_map(plan, within.origin, chosen.tolist(), rows) for plan in _plans(within, within.bounded(options))]


def _on_map(
    plan: Plan, origin: tuple[float, float], numbers: list[int], pegs: tuple[tuple[float, float, float], ...]
) -> Plan:
    """The plan with all pegs, in the order in which they were given, and its path among these."""
    x, y = origin
    path = tuple((x + px, y + py) for px, py in plan.path)
    points = tuple(tuple(sorted(numbers[peg] for peg in pushing)) for pushing in plan.push_points)
    return plan.model_copy(update={"path": path, "pegs": pegs, "push_points": points})


def _plans(request: Request, options: PlanOptions) -> list[Plan]:
    fitter = Fitter(request, options)
    found = _sequences(request, options, 0.0)
    made = _judged_all(request, options, fitter.fit(found.paths))
    made = _fitted_again(request, options, fitter, made, AGAIN)
    if (not made or made[0][0].reason) and fitter.can_fit_others():
        others = fitter.fit_others(_sequences(request, options, TURNED).paths)
        made = _sorted([*made, *_judged_all(request, options, others)])
        made = _fitted_again(request, options, fitter, made, ONCE_MORE)
    return [plan for plan, _ in made[: options.plans]] if made else [_nowhere(request, options, found)]


class _Sequences(NamedTuple):
    """What the search found."""

    paths: list[FloatArray]  # nodes (k, 4) of each
    longest: FloatArray  # points (k, 2) of the longest one, where there is none that is long enough
    length: float  # [m], of that one


def _sequences(request: Request, options: PlanOptions, turned: float) -> _Sequences:
    """Paths from peg to peg, with directions at pegs that are turned by a part of their step."""
    nodes, net = network(request, options, turned)
    found = search(request, options, nodes, net, _total(request, options))
    paths = [drawn(nodes.table[path.node]) for path in found.paths]
    if found.longest is None:
        return _Sequences(paths, np.zeros((0, 2)), 0.0)
    return _Sequences(paths, _line_of(found.longest.node, net), found.longest.length)


def _line_of(node: IntArray, net: Network) -> FloatArray:
    """Points (k, 2) along the arcs from node to node."""
    points = [net.node[node[:1], :2]]
    for a, b in itertools.pairwise(node.tolist()):
        arc = net.first[a] + int(np.argmax(net.end[net.first[a] : net.first[a + 1], 1] == b))
        points.append(net.table[arc, 1:, [X, Y]].T)
    return np.concatenate(points)


def _judged_all(request: Request, options: PlanOptions, paths: list[Fitted]) -> list[Made]:
    return _sorted([(_judged(request, options, path), path) for path in paths])


def _fitted_again(request: Request, options: PlanOptions, fitter: Fitter, made: list[Made], times: int) -> list[Made]:
    """The best two, fitted with other random steps while too much of the best lacks push."""
    for turn in range(times):
        if not made or not _is_worth_another(made[0][0], turn) or not fitter.can_fit_again():
            break
        k = turn % min(2, len(made))
        path = fitter.fit_again(made[k][1], turn)
        again = _judged(request, options, path), path
        made = _sorted([*made[:k], min(made[k], again, key=_rank), *made[k + 1 :]])
    return made


def _is_worth_another(plan: Plan, turn: int) -> bool:
    """Whether a path is fitted again: one that is not good enough only once, and if it is nearly so; others may be
    better then."""
    if plan.reason:
        return turn == 0 and plan.lacking <= NEARLY
    return plan.lacking > SLIGHT


def _sorted(made: list[Made]) -> list[Made]:
    return sorted(made, key=_rank)


def _rank(made: Made) -> tuple[bool, float, float]:
    """The best plan comes first."""
    plan = made[0]
    return bool(plan.reason), plan.lacking, -min(plan.alpha, default=0.0)


def has_path(request: Request, options: PlanOptions) -> bool:
    """Whether a path of positive margin was found in this map; a field where it was not is hopeless for a robot that
    only pushes."""
    return not plans(request, options)[0].reason


def _total(request: Request, options: PlanOptions) -> float:
    """[m] of path: what is under the robot at the start, and what its head should go."""
    under = request.reach if request.start is not None else UNDER * request.reach
    return under + options.distance + BEYOND


def _nowhere(request: Request, options: PlanOptions, found: _Sequences) -> Plan:
    """No path is long enough: how far the longest comes."""
    total, points, pegs = _total(request, options), np.zeros((0, 2)), len(request.pegs.radius)
    reason = "no peg can be passed"
    if pegs < FEWEST:
        count = "is 1 peg" if pegs == 1 else f"are {pegs} pegs"
        reason = f"in reach there {count} on the map; a robot pushes itself along by {FEWEST} at least"
    elif len(found.longest) > 1:
        points = found.longest
        x, y = points[-1] + request.origin
        reason = (
            f"no path goes from peg to peg for the {options.distance:.2f} m asked and the "
            f"{total - options.distance:.2f} m that the robot takes up: the longest has {found.length:.2f} m and ends "
            f"at ({x:.2f}, {y:.2f}) m, from where no arc of bounded curvature leads to another peg"
        )
    return _plan(request, options, points, min(total, UNDER * request.reach)).model_copy(update={"reason": reason})


def _plan(request: Request, options: PlanOptions, points: FloatArray, head: float) -> Plan:
    """A plan without prediction."""
    pegs = np.column_stack([request.pegs.centre, request.pegs.radius])
    return Plan(
        path=tuple(map(tuple, points.tolist())),
        head=head,
        distance=options.distance,
        pegs=tuple(map(tuple, pegs.tolist())),
        speed=request.speed,
        torque_limit=request.torque_limit,
        ground_friction=request.drag.friction,
        viscous=request.drag.viscous,
        gravity=request.drag.gravity,
        peg_friction=request.peg_friction,
        contact_distance=options.contact_distance,
    )


def _judged(request: Request, options: PlanOptions, fit: Fitted) -> Plan:
    """The plan of a path, with what a robot of links on it can carry."""
    path = Path(fit.point)
    head = fit.begin
    end = head + options.distance
    keep = int(np.searchsorted(_arcs(fit.point), end)) + 1  # nobody looked at what comes behind
    plan = _plan(request, options, fit.point[:keep], head)
    try:
        following = Following(request.chain, path, head - 0.05, max(path.length, head + 0.05))
    except InvalidInput as error:
        return plan.model_copy(update={"reason": str(error)})
    if path.length < end - ROUGH:
        return plan.model_copy(update={"reason": f"the path is {path.length - head:.2f} m long for the head"})
    course = course_of(request, options, following)
    margin = course.margin(head, end, ROUGH)
    return _with_margin(plan, request, options, course, margin)


def course_of(request: Request, options: PlanOptions, following: Following) -> Course:
    """What decides whether the robot gets along; the same pegs count as in control."""
    return Course(
        following=following,
        pegs=request.pegs,
        drag=request.drag,
        peg_friction=request.peg_friction,
        torque_limit=request.torque_limit,
        speed=request.speed,
        near=options.contact_distance,
        ends=ENDS,
    )


def _with_margin(plan: Plan, request: Request, options: PlanOptions, course: Course, margin: Margin) -> Plan:
    lacks = np.asarray(margin.alpha < 1.0)
    share = float(np.trapezoid(lacks.astype(float), margin.s) / (margin.s[-1] - margin.s[0]))
    weak = margin.weak_stretch(request.speed, safety=SAFETY) if request.drag.holds_back else None
    reason = ""
    if weak is not None or share > options.lacking:
        worst = weak.worst if weak is not None else float(margin.s[int(np.argmin(margin.alpha))])
        reason = f"{100.0 * share:.1f} % of the path lack push; {_what_is_missing(request, course, worst, plan.head)}"
    reason = _bent_too_far(request, course, margin.s) or reason
    return plan.model_copy(
        update={
            "s": tuple(margin.s.tolist()),
            "alpha": tuple(np.minimum(margin.alpha, 1e15).tolist()),
            "push_points": margin.pegs,
            "lacking": min(max(share, 0.0), 1.0),
            "stall": None if weak is None else weak.stall,
            "reason": reason,
        }
    )


def _bent_too_far(request: Request, course: Course, s: FloatArray) -> str:
    """Which joint the path bends beyond its stops, and where; empty where none is."""
    bends = np.abs([course.following.at(at).q[1:-2] for at in s.tolist()])
    place, joint = np.unravel_index(int(bends.argmax()), bends.shape)
    most = float(bends[place, joint])
    if most <= request.bend:
        return ""
    where = _place(request, course, s[place], s[0])
    return f"{where} joint {joint} bends by {most:.2f} rad; it has stops at {request.bend:g} rad"


def _place(request: Request, course: Course, s: float, begin: float) -> str:
    """Where the head's end is at s [m] of the path; `begin` [m]: where it starts."""
    x, y = course.following.path(np.array([s]))[0] + request.origin
    return f"with the head at ({x:.2f}, {y:.2f}) m, {s - begin:.2f} m from its start,"


def _what_is_missing(request: Request, course: Course, s: float, begin: float) -> str:
    """Why the robot stalls with its head's end at s [m] of the path."""
    found, contacts = course.propulsion(s)
    count = "is 1 push-point" if contacts == 1 else f"are {contacts} push-points"
    where = f"{_place(request, course, s, begin)} there {count}"
    if found.missing is not None:
        return f"{where}: {described(found.missing)}"
    return f"{where}, which carry {found.alpha:.2f} times the drag with {course.torque_limit:g} N m"


def _arcs(points: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
