"""P1's hybrid controller fed with made-up observations: each jump at its tick, references, timers, history."""

from __future__ import annotations

import copy
import json
from math import radians
from typing import Any, NamedTuple

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.control import ControlEvent, Controller, ControllerState, controllers
from pushpoint.control.jam_resolution import force_across
from pushpoint.errors import InvalidInput
from pushpoint.recording.checkpoint import check_plain
from pushpoint.robots import robots
from pushpoint.types import Command, FloatArray, Observation

PERIOD = 1 / 64  # [s], exact in binary: timers add up without round-off
LINKS, JOINTS = 5, 4
EVENTS = ("resolution", "resolution-ended")
APART = 8  # ticks from joint to joint
SPEED = 0.14 / (APART * PERIOD)
QUIET = {"swing": 10.0, "speed": SPEED}  # the head never swings far enough to turn
LEFT, RIGHT = radians(50.0), radians(-50.0)
TICKS = 32  # 0.5 s, P1's times for jams and resolutions


def build(name: str = "jam-resolution", links: int = LINKS, **options: Any) -> Any:
    kind = controllers[name]
    return kind.build(kind.Options.parse(QUIET | options), robots["ten-link"](links=links), PERIOD)


def observe(
    tick: int,
    angle: FloatArray,
    yaw: FloatArray | None = None,
    force: dict[int, float] | None = None,
    velocity: float = 0.1,
) -> Observation:
    """`force`: to the left of links, besides 7 N along them; `velocity` along x."""
    n = len(angle) + 1
    yaw = np.zeros(n) if yaw is None else yaw
    axis, across = np.stack([np.cos(yaw), np.sin(yaw)], axis=1), np.stack([-np.sin(yaw), np.cos(yaw)], axis=1)
    forces = np.zeros((n, 2))
    for i, size in (force or {}).items():
        forces[i] = size * across[i] + 7.0 * axis[i]
    return Observation(
        time=tick * PERIOD,
        joint_angle=np.array(angle, dtype=float),
        joint_rate=np.zeros(n - 1),
        joint_torque=np.zeros(n - 1),
        link_position=np.zeros((n, 2)),
        link_yaw=yaw,
        link_orientation=np.zeros((n, 4)),
        link_velocity=np.tile([velocity, 0.0], (n, 1)),
        link_rate=np.zeros(n),
        contact_force=forces,
    )


def following(head: float = RIGHT) -> FloatArray:
    """Link angles with which a straight head joint is where it should be."""
    yaw = np.zeros(LINKS)
    yaw[-2:] = head
    return yaw


CALM = np.zeros(JOINTS)
JAMMED = np.array([0.5, -0.5, 0.0, 0.0])  # two joints farther off than 20 degrees


class Story(NamedTuple):
    """What a controller made of observations."""

    states: list[ControllerState]
    commands: list[Command]
    events: list[ControlEvent]

    def described(self) -> list[tuple[int, str]]:
        return [(round(event.time / PERIOD), event.name) for event in self.events]


def replay(controller: Controller, observations: list[Observation]) -> Story:
    """The start is seen at the first of the observations, which is then the first tick, too."""
    state, story = controller.start(observations[0]), Story([], [], [])
    for obs in observations:
        before = copy.deepcopy(state)
        state_after, command, events = controller.step(state, obs)
        assert same(state, before), "a step changes the state it was given"
        state = state_after
        story.states.append(state)
        story.commands.append(command)
        story.events.extend(events)
    return story


def same(a: ControllerState, b: ControllerState) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)


def angles(*parts: tuple[FloatArray, int], **more: Any) -> list[Observation]:
    """These joint angles for so many ticks each."""
    rows = [angle for angle, ticks in parts for _ in range(ticks)]
    return [observe(k, angle, following(), **more) for k, angle in enumerate(rows)]


# ------------------------------------------------------------------------------------------------ leader and followers


@pytest.mark.parametrize(("first", "head"), [("left", LEFT), ("right", RIGHT)])
def test_start(first: str, head: float) -> None:
    state = build(first=first).start(observe(0, CALM))
    assert state["head"] == head
    assert (state["jammed"], state["timer"], state["resolving"]) == (False, 0.0, False)
    assert not state["jam_force"].any()


def test_head_joint_turns_the_head_link_to_its_direction() -> None:
    """P1 (73), with our sign: theta_n,ref - theta_{n-1}; then (80)."""
    yaw = np.array([0.1, 0.2, -0.3, -0.4, 0.0])
    command = replay(build(), [observe(0, CALM, yaw)]).commands[0]
    assert command.joint_angle[-1] == pytest.approx(RIGHT + 0.4, abs=1e-15)
    yaw[-2] = 0.4
    command = replay(build(), [observe(0, CALM, yaw)]).commands[0]
    assert command.joint_angle[-1] == -radians(50.0)  # P1 (80)
    assert not command.joint_rate.any()  # P1 (81)
    assert not command.torque.any()


def test_followers_copy_the_head_joint_later() -> None:
    """P1 (74): joint i does what the head joint did (n - i - 1) 2 l / v_ref ago, 8 ticks per joint."""
    wave = 0.3 * np.sin(0.1 * np.arange(60))
    story = replay(build(), [observe(k, np.array([0, 0, 0, wave[k]]), following()) for k in range(60)])
    for k in range(JOINTS * APART, 60):
        for j in range(JOINTS - 1):
            assert story.commands[k].joint_angle[j] == pytest.approx(wave[k - APART * (JOINTS - 1 - j)], abs=1e-13)


def test_delays_between_ticks_are_interpolated() -> None:
    wave = 0.3 * np.sin(0.05 * np.arange(80))
    controller = build(speed=SPEED / 1.03)  # 8.24, 16.48, 24.72 ticks
    story = replay(controller, [observe(k, np.array([0, 0, 0, wave[k]]), following()) for k in range(80)])
    for j, delay in enumerate((24.72, 16.48, 8.24)):
        expected = np.interp(79 - delay, np.arange(80), wave)
        assert story.commands[79].joint_angle[j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("tick", [0, 1, 4, 8, 16])
def test_history_before_the_start(tick: int) -> None:
    """phi_{n-1}(-k dt) = phi_{n-1-k}(0) and linear in between: the shape at the start travels to the tail."""
    shape = np.array([0.3, -0.2, 0.25, -0.1])
    command = replay(build(), [observe(k, shape, following()) for k in range(tick + 1)]).commands[tick]
    back = np.arange(JOINTS) * APART  # ticks ago at which the head joint had the angle of joint J - 1, J - 2, ...
    for j in range(JOINTS - 1):
        ago = APART * (JOINTS - 1 - j) - tick
        expected = np.interp(ago, back, shape[::-1])
        assert command.joint_angle[j] == pytest.approx(expected, abs=1e-12)


def test_links_that_differ_have_their_own_delays() -> None:
    from tests.verification.chains import uneven

    robot = uneven(5)  # 0.10, 0.11, 0.12, 0.13, 0.14 m
    kind = controllers["jam-resolution"]
    controller = kind.build(kind.Options.parse({"swing": 10.0, "speed": 0.01 / PERIOD}), robot, PERIOD)
    wave = 0.2 * np.sin(0.1 * np.arange(60))
    story = replay(controller, [observe(k, np.array([0, 0, 0, wave[k]]), following()) for k in range(60)])
    for j, delay in enumerate((36, 25, 13)):  # from the head joint over links of 13, 12 and 11 cm, one per tick
        assert story.commands[59].joint_angle[j] == pytest.approx(wave[59 - delay], abs=1e-12)


@pytest.mark.parametrize("side", [1, -1])
def test_head_swings_back(side: int) -> None:
    """P1 (72) and (83): just beyond dy_max, once; the timer goes on, (89)."""
    robot = robots["ten-link"](links=LINKS)
    controller = build(swing=0.1, first="left" if side > 0 else "right")
    # dy of links that all point in the same direction: (n - 1) l sin(theta), half of the distance from tail to head.
    angle = np.arcsin(0.1 / ((LINKS - 1) * robot.links[0].length / 2))
    below, above = (np.full(LINKS, side * angle * (1 + off)) for off in (-1e-9, 1e-9))
    seen = [observe(0, CALM, below), observe(1, CALM, below), observe(2, CALM, above), observe(3, CALM, above)]
    story = replay(controller, seen)
    assert [event for event in story.described() if event[1].startswith("head")] == [
        (2, "head-right" if side > 0 else "head-left")
    ]
    assert [state["head"] for state in story.states] == [side * LEFT] * 2 + [side * RIGHT] * 2
    assert story.states[2]["timer"] == 3 * PERIOD
    # Conversely nothing happens at this side any more.
    again = replay(controller, [*seen[:3], observe(3, CALM, below), observe(4, CALM, above)])
    assert len([event for event in again.described() if event[1].startswith("head")]) == 1


# ------------------------------------------------------------------------------------------------------------- jams


def test_one_joint_is_no_jam_two_are() -> None:
    one, exact = np.array([0.5, 0, 0, 0]), np.array([0.5, radians(20.0), 0, 0])
    assert replay(build(), angles((CALM, 40), (one, 20))).described() == []
    # P1 (84): farther off than, not as far as.
    assert replay(build(), angles((CALM, 40), (exact, 20))).described() == []
    story = replay(build(), angles((CALM, 40), (JAMMED, 2)))
    assert story.described() == [(40, "jam")]
    assert story.events[0].detail == "joints 0, 1"
    assert (story.states[40]["jammed"], story.states[40]["timer"]) == (True, 0.0)
    assert story.states[41]["timer"] == PERIOD


def test_a_jam_that_resolves_by_itself() -> None:
    story = replay(build(), angles((CALM, 40), (JAMMED, 10), (CALM, 40), (JAMMED, 5)))
    assert story.described() == [(40, "jam"), (50, "jam-ended"), (90, "jam")]
    assert (story.states[50]["jammed"], story.states[50]["timer"]) == (False, 0.0)
    assert story.states[60]["timer"] == 10 * PERIOD


def test_long_jams_are_resolved_for_a_while() -> None:
    """P1 (86) and (89): 0.5 s jammed, then 0.5 s of resolution, then from the start again.

    In continuous time tau > 0.5 s holds as soon as 0.5 s are over: the tick at which they are is the first.
    """
    seen = angles((CALM, 40), (JAMMED, 90), force={1: 10.0, 3: -4.0})
    story = replay(build(), seen)
    begun = 40 + TICKS
    ended = begun + TICKS
    assert story.described() == [
        (40, "jam"),
        (begun, "resolution"),
        (ended, "resolution-ended"),
        (ended + 1, "jam"),
    ]
    state = story.states[begun]
    assert (state["resolving"], state["jammed"], state["timer"]) == (True, False, 0.0)
    np.testing.assert_allclose(state["jam_force"], [0, 10.0, 0, -4.0, 0], atol=1e-12)
    assert story.events[1].detail == "forces across links 1: 10.0 N, 3: -4.0 N"
    after = story.states[ended]
    assert (after["resolving"], after["jammed"], after["timer"]) == (False, False, 0.0)


def test_forces_are_kept_during_a_resolution() -> None:
    seen = angles((CALM, 40), (JAMMED, 34), force={1: 10.0})
    later = [observe(74 + k, JAMMED, following(), force={2: 99.0}) for k in range(20)]
    story = replay(build(), seen + later)
    for state in story.states[-20:]:
        assert state["resolving"]
        np.testing.assert_allclose(state["jam_force"], [0, 10.0, 0, 0, 0], atol=1e-12)


def test_nothing_jumps_during_a_resolution() -> None:
    """z = 0 in (83) and (85): the head goes far out, joints come free."""
    seen = angles((CALM, 40), (JAMMED, 34), force={1: 10.0})
    far = [observe(74 + k, CALM, np.full(LINKS, -1.0)) for k in range(TICKS - 2)]
    story = replay(build(swing=0.2), seen + far)
    assert story.described() == [(40, "jam"), (72, "resolution")]
    back = [observe(72 + TICKS + k, CALM, np.full(LINKS, -1.0)) for k in range(2)]
    described = replay(build(swing=0.2), seen + far + back).described()
    assert described[2][1] == "resolution-ended"
    assert (described[2][0] + 1, "head-left") in described


@pytest.mark.parametrize("history", ["goes-on", "stands-still"])
def test_history_during_a_resolution(history: str) -> None:
    """Where it stands still, what the head does meanwhile never travels to the tail."""
    wave = 0.1 * np.sin(0.2 * np.arange(160))
    rows = [np.array([*(JAMMED if k >= 40 else CALM)[:3], wave[k]]) for k in range(160)]
    seen = [observe(k, row, following(), force={1: 5.0}) for k, row in enumerate(rows)]
    story = replay(build(history=history), seen)
    begun, ended = (next(k for k, name in story.described() if name == event) for event in EVENTS)
    back = (ended if history == "goes-on" else begun) - APART
    assert story.commands[ended].joint_angle[2] == pytest.approx(wave[back], abs=1e-12)


@pytest.mark.parametrize("before", ["ramp", "own", "next"])
def test_what_joints_follow_before_the_head_has_led_them(before: str) -> None:
    """Joint 2 is behind the head joint, so that its next one is that."""
    shape = np.array([0.1, 0.2, 0.3, 0.4])
    story = replay(build(before_start=before), [observe(k, shape, following()) for k in range(APART)])
    share = np.arange(APART) / APART
    wanted = {"ramp": 0.3 + 0.1 * share, "own": np.full(APART, 0.3), "next": np.full(APART, 0.4)}[before]
    followed = [command.joint_angle[2] for command in story.commands]
    np.testing.assert_allclose(followed[1:], wanted[1:], atol=1e-12)


def test_without_resolution_jams_are_only_reported() -> None:
    story = replay(build(resolution=False), angles((CALM, 40), (JAMMED, 120), force={1: 10.0}))
    assert story.described() == [(40, "jam")]


@pytest.mark.parametrize(("choice", "jams"), [("printed", True), ("limited", False), ("without-head", False)])
def test_whether_the_head_joint_counts(choice: str, jams: bool) -> None:
    """At its limit of 50 degrees, wanted at 70; and one other joint off."""
    yaw = np.zeros(LINKS)
    yaw[-2] = radians(20.0)
    off = np.array([0.5, 0, 0, radians(-48.0)])
    calm = np.array([0, 0, 0, radians(-48.0)])
    options = {"jam_reference": choice, "speed": 1e-3}  # followers stay as they were
    story = replay(build(**options), [observe(k, calm if k < 3 else off, yaw) for k in range(5)])
    assert [name for _, name in story.described()] == (["jam"] if jams else [])


def test_zero_times_resolve_at_the_next_tick() -> None:
    story = replay(build(jam_time=0.0, resolution_time=0.0), angles((CALM, 40), (JAMMED, 4), force={0: 1.0}))
    assert story.described() == [(40, "jam"), (41, "resolution"), (42, "resolution-ended"), (43, "jam")]


# -------------------------------------------------------------------------------------------------------- resolution


def resolving(angle: FloatArray, yaw: FloatArray, force: FloatArray, **options: Any) -> FloatArray:
    """The references of a controller that resolves a jam with these forces."""
    controller = build(**({"joint_limit": 3.0} | options))
    state = controller.start(observe(0, angle, yaw)) | {"resolving": True, "jam_force": force}
    return controller.step(state, observe(0, angle, yaw))[1].joint_angle


def test_resolution_is_p1_79() -> None:
    """Word by word with P1's joint angles phi = -(ours), links and joints counted from 1."""
    random = np.random.default_rng(0)
    angle, yaw, force = random.uniform(-0.5, 0.5, JOINTS), random.uniform(-1, 1, LINKS), random.uniform(-9, 9, LINKS)
    phi, k = -angle, 0.05
    expected = [phi[i - 1] + k * (-force[i - 1] * np.cos(yaw[i - 1]) + force[i] * np.cos(yaw[i])) for i in (1, 2, 3)]
    np.testing.assert_allclose(-resolving(angle, yaw, force), [*expected, phi[3]], atol=1e-14)


@pytest.mark.parametrize("force", [6.0, -6.0])
@pytest.mark.parametrize("link", [1, 2])
def test_resolution_turns_the_pushed_link_so_that_it_is_pushed_forward(link: int, force: float) -> None:
    """A force to the left turns its link to the right, -f sin(theta) grows; the neighbours keep their directions."""
    random = np.random.default_rng(link)
    for _ in range(20):
        angle, yaw = random.uniform(-0.5, 0.5, JOINTS), random.uniform(-1.4, 1.4, LINKS)
        forces = np.zeros(LINKS)
        forces[link] = force
        change = resolving(angle, yaw, forces, resolution_gain=1e-3) - angle
        turned = np.concatenate([[0.0], np.cumsum(change)])  # of the links, the tail held
        assert np.flatnonzero(np.abs(turned) > 1e-12).tolist() == [link]
        assert turned[link] == pytest.approx(-1e-3 * force * np.cos(yaw[link]), abs=1e-14)
        before, after = (-force * np.sin(theta) for theta in (yaw[link], yaw[link] + turned[link]))
        assert after > before
        gain = 1e-3 * (force * np.cos(yaw[link])) ** 2  # to first order
        assert after - before == pytest.approx(gain, rel=0.05)


def test_resolution_leaves_the_head_joint_and_keeps_the_limits() -> None:
    angle = np.array([0.1, 0.2, -0.1, 0.7])
    reference = resolving(angle, np.zeros(LINKS), np.array([0, 0, 0, 50.0, 80.0]))
    assert reference[-1] == 0.7
    limited = resolving(angle, np.zeros(LINKS), np.array([0, 0, 0, 50.0, 80.0]), joint_limit=0.6)
    np.testing.assert_allclose(limited, np.clip(reference, -0.6, 0.6))
    assert np.abs(reference).max() > 0.6


def test_forces_across_links_are_signed() -> None:
    """alpha_i lambda_i: what acts along a link, friction, is left out."""
    yaw = np.array([0.3, -2.0, 1.0, 0.0, 0.5])
    flat = build().flat(observe(0, CALM, yaw, force={0: 5.0, 1: -3.0}))
    across = [force_across(flat, LINKS, i) for i in range(LINKS)]
    np.testing.assert_allclose(across, [5.0, -3.0, 0, 0, 0], atol=1e-14)


# ---------------------------------------------------------------------------------------------------------- watchdog


def test_watchdog_turns_the_head_of_a_robot_that_stalls() -> None:
    """Below 5 mm/s along x for 2 s, 128 ticks; then again."""
    seen = [observe(k, CALM, following(RIGHT if k < 128 else LEFT), velocity=4.9e-3) for k in range(260)]
    story = replay(build("jam-resolution-watchdog"), seen)
    # `stalled` is one period at the first slow tick: it reaches 2 s at the tick of number 127.
    assert story.described() == [(127, "stall"), (255, "stall")]
    assert [story.states[k]["head"] for k in (126, 127, 254, 255)] == [RIGHT, LEFT, LEFT, RIGHT]
    assert story.states[127]["stalled"] == 0.0


@pytest.mark.parametrize("velocity", [5.1e-3, -5.1e-3])
def test_watchdog_leaves_robots_that_move(velocity: float) -> None:
    seen = [observe(k, CALM, following(), velocity=velocity if k % 100 == 50 else 0.0) for k in range(260)]
    assert replay(build("jam-resolution-watchdog"), seen).described() == []  # a single fast tick starts the clock again
    plain = [observe(k, CALM, following(), velocity=0.0) for k in range(260)]
    assert replay(build(), plain).described() == []  # P1's own waits for ever


# --------------------------------------------------------------------------------------------------- state and errors


@pytest.mark.parametrize("name", ["jam-resolution", "jam-resolution-watchdog"])
def test_state_is_plain_data(name: str) -> None:
    story = replay(build(name), angles((CALM, 40), (JAMMED, 60), force={1: 10.0}))
    for state in story.states:
        check_plain(name, state)
        plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in state.items()}
        assert json.loads(json.dumps(plain)) == plain
    # A copy through plain data goes on as the original does.
    controller, middle = build(name), 70
    copied = {
        k: np.array(v) if isinstance(v, list) else v for k, v in json.loads(json.dumps(_plain(story, middle))).items()
    }
    seen = angles((CALM, 40), (JAMMED, 60), force={1: 10.0})
    for k in range(middle + 1, 100):
        copied, command, _ = controller.step(copied, seen[k])
        np.testing.assert_array_equal(command.joint_angle, story.commands[k].joint_angle)


def _plain(story: Story, k: int) -> dict[str, Any]:
    return {key: v.tolist() if isinstance(v, np.ndarray) else v for key, v in story.states[k].items()}


@pytest.mark.parametrize("name", ["jam-resolution", "jam-resolution-watchdog"])
def test_bad_input_is_named(name: str) -> None:
    with pytest.raises(InvalidInput, match=rf"{name}.*at least 3 links.*has 2"):
        build(name, links=2)
    with pytest.raises(InvalidInput, match=r"head_left = -0\.1 rad should be greater than head_right"):
        build(name, head_left=-0.1, head_right=0.1)
    with pytest.raises(InvalidInput, match="head_left"):
        build(name, head_left=0.2, head_right=0.2)
    for field in ("swing", "speed", "joint_limit", "jam_angle"):
        with pytest.raises(InvalidInput, match=field):
            build(name, **{field: 0.0})
    for field in ("jam_time", "resolution_time"):
        with pytest.raises(InvalidInput, match=field):
            build(name, **{field: -1.0})


def test_three_links_will_do() -> None:
    seen = [observe(k, np.array([0.1, 0.2]), np.zeros(3)) for k in range(50)]
    story = replay(build(links=3), seen)
    assert np.isfinite(story.commands[-1].joint_angle).all()


def test_the_controller_runs_unchanged_on_planar_stepping() -> None:
    """Links without width; planar_stepping fails on friction at joints after 4 to 8 s, so the run is short."""
    recording = pp.simulate("liljeback2010/rows", plant="planar_stepping", duration=2.5)
    assert recording.data["step_residual"].values.max() <= 1e-7
    assert "jam" in recording.events["name"].values
    hybrid = pp.simulate("liljeback2010/rows", {"plant.contact": "point"}, duration=2.5)
    progress = [float(r.data["centre_of_mass"].values[-1, 0]) for r in (recording, hybrid)]
    assert progress[0] == pytest.approx(progress[1], abs=0.03)
