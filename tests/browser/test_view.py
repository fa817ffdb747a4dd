"""`pushpoint view` in headless Chromium: the offline page, the viewer of recordings, and a live run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pushpoint as pp
from pushpoint.scenarios import scenarios
from pushpoint.viewer.page import html_page
from tests.browser.chromium import Browser, Page

SOFTWARE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
PATIENCE = 600.0  # [s]: ends a wait for what never comes; pictures are made by the processor, which others use too
GRID = 5e-5  # [m], of places in a page
LONG = 120.0  # [s], of a live run that is stopped by hand


@pytest.fixture(scope="module")
def drawing() -> Iterator[Browser]:
    with Browser(SOFTWARE) as opened:
        yield opened


@pytest.fixture(scope="module")
def run() -> pp.Recording:
    return pp.simulate("transeth2008a/track", duration=8.0)


@pytest.fixture(scope="module")
def slippery() -> pp.Recording:
    return pp.simulate("transeth2008a/track", {"world.friction": 0.05}, duration=8.0)


def until(page: Page, holds: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < end, "it did not happen"
        page.settle(0.3)
    return found


# --- the offline page ---


def test_the_page_plays_from_disk(drawing: Browser, run: pp.Recording, slippery: pp.Recording, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    path.write_text(html_page([run, slippery]))
    page = drawing.open(path)
    assert page.requests == [path.resolve().as_uri()]
    for k, shown in enumerate((run, slippery)):
        for moment in (0.0, 0.5, 1.237, 2.0):
            page.run(f"pushpoint.show({moment})")
            row = page.run(f"pushpoint.row({k})")
            assert abs(float(shown.data["time"].values[row]) - moment) <= 0.0101
            place = np.array(page.run(f"pushpoint.pose({k}).position")).reshape(-1, 3)[:, :2]
            assert np.abs(place - shown.data["link_position"].values[row]).max() < GRID
    page.run("pushpoint.show(0)")
    before = page.screenshot()
    page.click("#play")
    until(page, lambda: page.run("pushpoint.now") > 0.2)
    page.click("#play")
    stopped = page.run("pushpoint.now")
    assert page.screenshot() != before
    page.settle(0.5)
    assert page.run("pushpoint.now") == stopped
    page.run("document.getElementById('time').focus()")
    page.press("Home")
    until(page, lambda: page.run("pushpoint.now") == 0)
    overlaid = page.screenshot()
    page.run("{const s = document.getElementById('layout'); s.value = '1'; s.dispatchEvent(new Event('change')); 1}")
    assert page.screenshot() != overlaid
    assert page.complaints == []


# --- the viewer ---


@pytest.fixture
def opened(drawing: Browser) -> Iterator[Callable[[Any], tuple[Page, Any]]]:
    pytest.importorskip("viser")
    from pushpoint.viewer.panel import LiveViewer, Viewer
    from pushpoint.viewer.server import start, stop

    made: list[tuple[Any, Any, Page]] = []

    def show(what: Any) -> tuple[Page, Any]:
        server = start(port=8400)
        viewer = Viewer(server, what) if isinstance(what, list) else LiveViewer(server, what)
        viewer.start()
        page = drawing.open("about:blank")
        made.append((server, viewer, page))
        page.send("Page.bringToFront")
        page.send(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        page.go(f"http://127.0.0.1:{server.get_port()}")
        until(page, lambda: len(server.get_clients()) == 1 and "head" in text(page))
        return page, viewer

    yield show
    for server, viewer, page in made:
        page.go("about:blank")  # it would connect again to the next server at this port
        viewer.stop()
        stop(server)


def text(page: Page) -> str:
    return str(page.run("document.body.innerText"))


def press(page: Page, label: str) -> None:
    """A button by its text, once it is there."""
    found = f"[...document.querySelectorAll('button')].find(b => b.innerText.trim() === {json.dumps(label)})"
    until(page, lambda: page.run(f"!!{found}"))
    page.run(f"{found}.click()")


def entered(page: Page, label: str, value: float) -> bool:
    """A number in the field beside a slider, as people type it; true. While the time runs, or where the page is slow,
    what is typed may be replaced by what the server says: whoever asks looks whether it arrived, and asks again."""
    page.run(
        f"""(() => {{
          const words = [...document.querySelectorAll('label')].find(e => e.innerText.trim() === {json.dumps(label)});
          let box = words; while (!box.querySelector('input[inputmode]')) box = box.parentElement;
          const field = box.querySelector('input[inputmode]');
          field.focus(); field.select();
        }})()"""
    )
    page.send("Input.insertText", text=f"{value:g}")
    page.press("Enter")
    page.run("document.activeElement.blur()")
    page.settle(2.0)
    return True


def head_colour_place(page: Page, name: str) -> tuple[float, float]:
    """Centre [pixels] of what has the colour of the head: orange is nowhere else in the scene."""
    import io

    from PIL import Image

    picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)
    red, green, blue = np.moveaxis(picture, -1, 0)
    head = (red > 150) & (green > 40) & (green < 0.62 * red) & (blue < 0.35 * red)
    head[:, int(0.72 * picture.shape[1]) :] = False  # the controls
    head[int(0.62 * picture.shape[0]) :] = False  # the strip
    head[:220, :340] = False  # what viser says of drawing by software
    assert head.sum() > 100, f"{name}: no head is seen"
    y, x = np.nonzero(head)
    return float(x.mean()), float(y.mean())


def test_recordings_are_shown_played_and_scrubbed(opened: Any, run: pp.Recording) -> None:
    page, viewer = opened([run])
    track = viewer.actors[0].track
    press(page, "Play")
    until(page, lambda: viewer.now > 0.3)
    press(page, "Pause")
    until(page, lambda: not viewer.playing)
    for moment in (1.5, 0.4):
        row = track.row_at(moment)
        until(page, lambda at=moment, wanted=row: entered(page, "time [s]", at) and track.row_at(viewer.now) == wanted)
        x, y = run.data["link_position"].values[row, -1]
        until(page, lambda here=f"head {x:.4f}, {y:.4f}": here in text(page))
        shown = viewer.actors[0]._bodies[0].batched_positions[:, :2]
        assert shown == pytest.approx(run.data["link_position"].values[row], abs=1e-6)
        page.settle(3.0)
        place = head_colour_place(page, f"t = {moment} s")
        (client,) = viewer.server.get_clients().values()
        wanted = seen_at(client.camera, track.position[row, -1])
        assert place == pytest.approx(wanted, abs=20), moment  # pixels: the head is 60 long
    foreign = [address for address in page.requests if "127.0.0.1" not in address and address != "about:blank"]
    assert foreign == []


def seen_at(camera: Any, place: Any) -> tuple[float, float]:
    """Where the camera of a page has a place [m] in its picture [pixels]."""
    w, x, y, z = camera.wxyz
    turn = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    right, down, ahead = turn.T @ (np.asarray(place) - camera.position)
    size = camera.image_height / 2 / np.tan(camera.fov / 2)
    return float(camera.image_width / 2 + size * right / ahead), float(camera.image_height / 2 + size * down / ahead)


def test_two_recordings_are_overlaid_or_side_by_side(opened: Any, run: pp.Recording, slippery: pp.Recording) -> None:
    page, viewer = opened([run, slippery])
    first, second = viewer.actors
    viewer.do(lambda: viewer.scrub(1.0))
    until(page, lambda: text(page).count("head ") == 2 and "t = 1.000 s" in text(page))
    row = first.track.row_at(1.0)
    for actor, shown in ((first, run), (second, slippery)):
        until(
            page,
            lambda a=actor, s=shown: np.allclose(
                a._bodies[0].batched_positions[:, :2], s.data["link_position"].values[row]
            ),
        )
    assert second.ghost
    assert not first.ghost
    page.settle(3.0)
    overlaid = page.screenshot()
    viewer.do(lambda: viewer._set_layout("side by side"))
    until(page, lambda: not second.ghost)
    page.settle(3.0)
    assert page.screenshot() != overlaid


def test_sliders_change_a_live_run(opened: Any) -> None:
    from pushpoint.viewer.live import LiveRun

    # Long enough for a busy machine, on which the page may show the button seconds late.
    live = LiveRun(scenarios["transeth2008a/track"].with_overrides({"duration": LONG}))
    page, viewer = opened(live)
    press(page, "Run")
    until(page, lambda: live.time > 0.3)
    until(
        page,
        lambda: entered(page, "friction", 0.05) and live.scenario.built_world().ground.friction == pytest.approx(0.05),
    )
    until(page, lambda: live.time > 0.3)
    press(page, "Stop")
    until(page, lambda: not viewer.running)
    made = live.recording()
    expected = pp.simulate(
        "transeth2008a/track", {"world.friction": live.scenario.world.options["friction"]}, duration=LONG
    )
    rows = made.data.sizes["time"]
    assert np.array_equal(made.data["link_position"].values, expected.data["link_position"].values[:rows])
    press(page, "Reset")
    until(page, lambda: live.time == 0.0)
