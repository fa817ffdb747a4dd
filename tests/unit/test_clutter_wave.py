"""The controllers for clutter, fed with made-up observations and in short runs: each jump at its tick, memory, bits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import radians
from typing import Any

import numpy as np
import pytest
import xarray as xr

import pushpoint as pp
from pushpoint.control import controllers
from pushpoint.errors import InvalidInput
from pushpoint.recording.checkpoint import check_plain
from pushpoint.robots import robots
from pushpoint.types import FloatArray, Observation
from tests.unit.test_jam_resolution import CALM, JAMMED, JOINTS, LINKS, PERIOD, following, observe, replay

HEAD = radians(84.0)
PLAIN = {"stiffness": 1.0, "least_force": 0.0}
QUIET = PLAIN | {"swing": 10.0, "stall_time": 0.0}  # neither swings nor stalls turn the head
APART = 8  # ticks from joint to joint
FULL = "lab/clutter-100"


def build(name: str = "clutter-wave", links: int = LINKS, **options: Any) -> Any:
    kind = controllers[name]
    return kind.build(kind.Options.parse(options), robots["ten-link"](links=links), PERIOD)


def seen(*parts: tuple[FloatArray, int], **more: Any) -> list[Observation]:
    """These joint angles for so many ticks each, the head where it should be."""
    rows = [angle for angle, ticks in parts for _ in range(ticks)]
    return [observe(k, angle, following(-HEAD), **more) for k, angle in enumerate(rows)]


# --- wave and memory ---


def test_bends_of_the_head_travel_to_the_tail() -> None:
    """A head joint that bends at tick 20: joint k behind it follows 8 k ticks later, within a bin of the memory."""
    step = 0.14 / APART  # [m] per tick
    bent = np.array([0.0, 0.0, 0.0, 0.3])
    controller = build(**QUIET, speed=step / PERIOD, bin=step, jam_angle=10.0)
    story = replay(controller, seen((CALM, 20), (bent, 30)))
    reference = np.array([command.joint_angle for command in story.commands])
    for k in (1, 2, 3):
        joint = reference[:, JOINTS - 1 - k]
        assert joint[20 + APART * k] == pytest.approx(0.3)
        assert not joint[: 20 + APART * k - 1].any()


def test_a_faster_wave_or_coarser_bins_change_the_delay_by_a_bin_at_most() -> None:
    bent = np.array([0.0, 0.0, 0.0, 0.3])
    for speed, width in ((0.4, 0.005), (3.0, 0.01), (0.1, 0.05)):
        controller = build(**QUIET, speed=speed, bin=width, jam_angle=10.0)
        story = replay(controller, seen((CALM, 4), (bent, 400)))
        reference = np.array([command.joint_angle[0] for command in story.commands])
        arrived = PERIOD * (np.argmax(reference > 0.15) - 4)
        assert arrived == pytest.approx(0.42 / speed, abs=2 * width / speed + PERIOD)


def test_the_body_starts_as_if_the_head_had_led_it_there() -> None:
    angle = np.array([0.4, -0.3, 0.2, -0.1])
    story = replay(build(**QUIET, speed=0.01, jam_angle=10.0), [observe(0, angle, following(-HEAD))])
    np.testing.assert_allclose(story.commands[0].joint_angle[:-1], angle[:-1], atol=0.02)


def test_the_memory_goes_on_while_a_jam_is_resolved() -> None:
    controller = build(**QUIET)
    story = replay(controller, seen((JAMMED, 60)))
    travelled = [state["travelled"] for state in story.states]
    assert {state["mode"] for state in story.states} == {0, 1, 2}
    np.testing.assert_allclose(np.diff(travelled), 0.52 * PERIOD)


# --- the automaton ---


def test_the_head_turns_when_it_has_swung_far_enough() -> None:
    up = np.full(LINKS, radians(30.0))
    views = [observe(k, CALM, up if k >= 3 else -up) for k in range(6)]
    story = replay(build(**PLAIN, stall_time=0.0, jam_angle=10.0), views)
    assert story.described() == [(0, "head-left"), (3, "head-right")]
    assert [state["side"] for state in story.states] == [1, 1, 1, -1, -1, -1]
    assert story.commands[0].joint_angle[-1] == pytest.approx(radians(50.0))  # 84 + 30 degrees, limited


def test_a_jam_is_resolved_after_its_time_and_by_the_forces_at_that_tick() -> None:
    """0.25 s are 16 ticks after that of the jam, 0.22 s are 15 ticks."""
    story = replay(build(**QUIET, force_time=0.0), seen((CALM, 5), (JAMMED, 60), force={1: 10.0}))
    assert story.described()[:4] == [(5, "jam"), (21, "resolution"), (36, "resolution-ended"), (37, "jam")]
    reference, yaw = story.commands[25].joint_angle, following(-HEAD)
    turn = 0.1 * 10.0 * np.cos(yaw[1])
    expected = np.clip([JAMMED[0] - turn, JAMMED[1] + turn], -radians(50.0), radians(50.0))
    np.testing.assert_allclose(reference[:2], expected)
    assert reference[-1] == pytest.approx(np.clip(-HEAD - yaw[-2], -radians(50.0), radians(50.0)))  # it steers


def test_forces_are_filtered_and_frozen() -> None:
    story = replay(build(**QUIET), seen((JAMMED, 60), force={1: 10.0}))
    before = next(k for k, state in enumerate(story.states) if state["mode"] == 2)
    frozen = [state["jam_force"][1] for state in story.states if state["mode"] == 2]
    assert 8.0 < frozen[0] < 10.0
    assert len(set(frozen[:10])) == 1
    assert story.states[before + 5]["force"][1] > frozen[0]


def test_a_jam_that_nothing_pushes_is_left_alone() -> None:
    """In open ground joints lag behind the wave, but there is nothing to turn against."""
    story = replay(build(swing=10.0, stall_time=0.0), seen((JAMMED, 60)))
    assert [name for _, name in story.described()] == ["jam"]
    pushed = replay(build(swing=10.0, stall_time=0.0), seen((JAMMED, 60), force={1: 10.0}))
    assert "resolution" in [name for _, name in pushed.described()]


def test_references_lead_the_joints_by_the_stiffness() -> None:
    angle = np.array([0.1, 0.1, 0.1, 0.1])
    plain, stiff = (
        replay(build(swing=10.0, stiffness=factor), [observe(0, angle, following(-HEAD))] * 3).commands[-1].joint_angle
        for factor in (1.0, 1.5)
    )
    np.testing.assert_allclose(stiff - angle, 1.5 * (plain - angle))


def test_a_jam_that_passes_is_no_jam() -> None:
    story = replay(build(**QUIET), seen((CALM, 2), (JAMMED, 10), (CALM, 10)))
    assert [name for _, name in story.described()] == ["jam", "jam-ended"]


def test_a_stall_turns_the_head_and_frees_the_robot() -> None:
    """0.5 s are 32 ticks, 0.25 s are 16. The stall ends a resolution; links turn by the forces of each tick."""
    options = PLAIN | {"swing": 10.0, "stall_time": 0.5, "free_time": 0.25, "force_time": 0.0}
    still = seen((CALM, 12), (JAMMED, 60), velocity=0.0, force={1: 10.0})
    still[40:] = [observe(k, JAMMED, following(-HEAD), force={1: 5.0}, velocity=0.0) for k in range(40, 72)]
    story = replay(build(**options), still)
    assert [(k, name) for k, name in story.described() if 31 <= k < 50] == [
        (31, "head-left"), (31, "resolution-ended"), (31, "stall"), (47, "free-ended"), (48, "jam"),
    ]  # fmt: skip
    assert {state["mode"] for state in story.states[31:47]} == {3}
    turn = np.array([0.1 * force * np.cos(following(-HEAD)[1]) for force in (10.0, 5.0)])
    found = np.array([story.commands[k].joint_angle[:2] for k in (35, 45)])
    limit = radians(50.0)
    expected = np.clip(np.stack([JAMMED[0] - turn, JAMMED[1] + turn], axis=1), -limit, limit)
    np.testing.assert_allclose(found, expected)
    moving = replay(build(swing=10.0, stall_time=0.5), seen((CALM, 100), velocity=0.2))
    assert moving.described() == []


def test_state_is_plain_data() -> None:
    for state in replay(build(), seen((CALM, 10), (JAMMED, 40), force={1: 10.0})).states:
        check_plain("clutter-wave", state)


def test_bad_input_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"clutter-wave.*at least 3 links.*has 2"):
        build(links=2)
    with pytest.raises(InvalidInput, match=r"crawl.*at least 3 links.*has 2"):
        build("crawl", links=2)
    with pytest.raises(InvalidInput, match=r"bin = 1e-06 m the memory would have"):
        build(bin=1e-6, links=20)
    for field in ("swing", "speed", "bin", "joint_limit", "jam_angle", "head_angle", "stall_distance", "jam_joints"):
        with pytest.raises(InvalidInput, match=field):
            build(**{field: 0})
    for field in ("jam_time", "resolution_time", "force_time", "stall_time"):
        with pytest.raises(InvalidInput, match=field):
            build(**{field: -1.0})


# --- bits ---


SCRIPT = """
import json, numba, numpy as np
from pushpoint.control import controllers
from pushpoint.robots import robots
from pushpoint.types import Observation
n, out = 6, []
for name in ("clutter-wave", "crawl"):
    kind = controllers[name]
    made = kind.build(kind.Options(), robots["ten-link"](links=n), 0.005)
    draw, tick = np.random.default_rng(3), kind.tick
    call = tick.function if numba.config.DISABLE_JIT else tick
    state = made.packed(made.initial_state(Observation(0.0, joint_angle=draw.normal(size=n - 1))))
    reference = np.zeros(3 * (n - 1) + 1)
    for k in range(400):
        seen = draw.normal(size=1 + 3 * (n - 1) + 10 * n)
        seen[0] = 0.005 * k
        call(state, made.parameters(), seen, reference)
        out += [reference[:n].sum().hex(), reference[-1]]
    out.append([value.hex() for value in state.tolist()])
print(json.dumps(out))
"""


def test_python_gives_the_same_bits() -> None:
    outputs = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=True
        )
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1]
    assert len(set(outputs[0][1:800:2])) > 3  # several events were met


@pytest.fixture(scope="module")
def full() -> pp.Recording:
    return pp.simulate(FULL, duration=3.0, seed=3)


def test_a_run_goes_on_from_a_checkpoint_to_the_bit(full: pp.Recording) -> None:
    first = pp.simulate(FULL, duration=1.3, seed=3)
    whole = pp.resume(first.checkpoint(), duration=3.0)
    ends = [run.data.drop_dims("step").isel(time=-1) for run in (whole, full)]
    xr.testing.assert_identical(*ends)


def test_a_short_run_reports_what_the_automaton_does(full: pp.Recording) -> None:
    names = set(full.events["name"].values.tolist())
    assert {"jam", "resolution", "resolution-ended"} <= names
    assert float(full.data["centre_of_mass"].values[-1, 0]) > 0.1
    torque = np.abs(full.data["joint_torque"].values).max()
    assert torque <= 15.0 + 1e-9  # the hard limit


def test_noisy_and_late_sensors_run_the_same_tick_outside_of_the_plant() -> None:
    noisy = pp.simulate("lab/clutter-noisy", duration=0.5)
    assert np.isfinite(noisy.data["joint_reference"].values).all()
    exact = {name: {"seed": 7} for name in ("joint-encoders", "link-poses", "contact-force")}
    inside, outside = (pp.simulate(FULL, {"sensors": sensors}, duration=0.5) for sensors in (None, exact))
    np.testing.assert_array_equal(inside.data["link_position"].values, outside.data["link_position"].values)


# --- crawl ---


def test_crawl_needs_no_pegs() -> None:
    """10 s on empty ground: 0.85 m were measured (2.76 m in 30 s), the wave moves by centimetres."""
    crawled, waved = (pp.simulate(f"lab/clutter-{name}", duration=10.0) for name in ("crawl-empty", "empty"))
    assert crawled.data["centre_of_mass"].values[-1, 0] > 0.7
    assert abs(waved.data["centre_of_mass"].values[-1, 0]) < 0.1


def test_the_crawl_keeps_to_the_x_axis() -> None:
    """A robot that points to the left bends to the right, by up to the limit; joints bend in the sense of the wave."""
    turned = [replay(build("crawl"), [observe(0, CALM, np.full(LINKS, yaw))]).commands[0] for yaw in (0.0, 0.1, 3.0)]
    bends = [command.joint_angle - turned[0].joint_angle for command in turned]
    free = np.abs(turned[0].joint_angle) < radians(50.0) * 9 / JOINTS - 0.35 * 9 / JOINTS
    assert free.any()
    np.testing.assert_allclose(bends[1][free], -0.0302 * 9 / JOINTS)
    np.testing.assert_allclose(bends[2][free], -0.35 * 9 / JOINTS)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"controller.head_angle": 84.0}, r"controller.head_angle = 84"),
        ({"controller.joint_limit": 50.0}, r"controller.joint_limit = 50"),
        ({"controller.jam_joints": 20}, r"controller.jam_joints = 20: robot .* has 9 joints"),
    ],
)
def test_options_that_make_no_sense_are_refused(changes: dict[str, float], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        pp.simulate(FULL, changes, duration=0.01)
