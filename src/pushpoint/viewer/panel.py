"""Controls, and the one thread that draws. What people do on the page is put into a queue and done by that thread."""

from __future__ import annotations

import base64
import html
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from pushpoint.errors import PushpointError
from pushpoint.viewer.options import Control, controls_of, plants_for
from pushpoint.viewer.push_points import grade
from pushpoint.viewer.scene import Actor, Shown, set_lights
from pushpoint.viewer.stage import Stage, stage_of
from pushpoint.viewer.strip import Strip, strip_of
from pushpoint.viewer.track import OTHER, PALETTE, Track, tracks_of

if TYPE_CHECKING:
    from pushpoint.recording.recording import Recording
    from pushpoint.viewer.live import LiveRun

RATE = 30.0  # [1/s], frames that are sent at most
SLIDER_EVERY = 0.1  # [s], how often the time slider follows
STRIP_EVERY = 3.0  # [s], how often the strip of a live run is drawn anew
SPEEDS = ("0.1 ×", "0.25 ×", "0.5 ×", "1 ×", "2 ×", "4 ×")
OVERLAID, BESIDE = "overlaid", "side by side"
HALF_VIEW = 0.35  # [rad], half of the camera's angle of view upwards
RATIO = 1.25  # width over height of the part of a window that is free of controls
LEAVING = 0.05  # of the size of the stage: a live robot nearer to its edge makes it larger
LOWER = 0.1  # of the size of the stage: the camera looks so much lower, as the strip lies over the lower part
ROOM = 0.5  # robot lengths of ground around a live robot at first


class Viewer:
    """Recordings on a viser server: one, or two to compare."""

    def __init__(self, server: Any, runs: Sequence[Recording]) -> None:
        self.server, self.shown = server, Shown()
        self.now, self.playing, self.speed, self.beside = 0.0, False, 1.0, False
        self.frames = 0  # drawn until now
        self.problem = ""
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._dirty, self._ended, self._slider_at = True, threading.Event(), 0.0
        tracks = tracks_of(runs)
        self.shown.ground = not runs[0].scenario.built_world().obstacles  # else those of the obstacles matter more
        set_lights(server)
        self.actors = [
            Actor(server, f"run-{k}", self._stage(track.run), track, palette)
            for k, (track, palette) in enumerate(zip(tracks, (PALETTE, OTHER), strict=False))
        ]
        self._strip = strip_of(runs, self.end)
        self._place_camera()
        self._arrange()
        self._build()
        self._thread = threading.Thread(target=self._loop, name="pushpoint-view", daemon=True)

    def _stage(self, run: Recording) -> Stage:
        return stage_of(run)

    # --- life ---

    def start(self) -> None:
        """Draw from now on."""
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=5.0)

    @property
    def end(self) -> float:
        """The latest time that can be shown [s]."""
        return max(actor.track.duration for actor in self.actors)

    def do(self, task: Callable[[], None]) -> None:
        """Let the drawing thread do something before the next frame."""
        self._tasks.put(task)

    def _loop(self) -> None:
        last = time.perf_counter()
        while not self._ended.is_set():
            begin = time.perf_counter()
            self._work()
            passed, last = begin - last, begin
            self._advance(passed)
            if self._dirty:
                self._dirty = False
                self.draw()
            self._ended.wait(max(0.001, 1 / RATE - (time.perf_counter() - begin)))

    def _work(self) -> None:
        with suppress(queue.Empty):
            while True:
                try:
                    self._tasks.get_nowait()()
                except queue.Empty:
                    raise
                except Exception as error:  # code of users may run here; the page has to go on, and say it
                    self.problem = (
                        str(error) if isinstance(error, PushpointError) else f"{type(error).__name__}: {error}"
                    )
                self._dirty = True

    def _advance(self, passed: float) -> None:
        if not self.playing:
            return
        self.now, self._dirty = min(self.now + self.speed * passed, self.end), True
        if self.now >= self.end:
            self.set_playing(False)

    # --- what is wanted ---

    def set_playing(self, playing: bool) -> None:
        """Play or pause; at the end it begins again."""
        if playing and self.now >= self.end:
            self.now = 0.0
        self.playing, self._dirty = playing, True
        self._play.label = "Pause" if playing else "Play"

    def scrub(self, time_: float) -> None:
        """Show a time [s], and stay there."""
        self.set_playing(False)
        self.now, self._dirty = min(max(time_, 0.0), self.end), True

    def _arrange(self) -> None:
        """Two recordings: over each other, the second one see-through, or beside each other."""
        if len(self.actors) < 2:
            return
        first, second = self.actors
        box = first.stage.box
        second.move(np.array([0.0, -1.05 * (box.top - box.bottom), 0.0]) if self.beside else np.zeros(3))
        second.fade(not self.beside)
        same = first.track.run.scenario.built_world() == second.track.run.scenario.built_world()
        second.hide_world(not self.beside and (same or len(second.stage.solids) <= 1))
        self._dirty = True

    def _place_camera(self) -> None:
        stage, camera = self.actors[0].stage, self.server.initial_camera
        camera.fov = 2 * HALF_VIEW
        eye, lower = stage.eye(HALF_VIEW, RATIO), np.array([0.0, 0.0, -LOWER * stage.size])
        camera.look_at, camera.position = stage.middle + lower, eye + lower
        camera.near, camera.far = 0.01, 1000.0

    # --- the page ---

    def _build(self) -> None:
        gui = self.server.gui
        gui.set_panel_label("pushpoint view")
        gui.main_panel.dock_right()
        self._about = gui.add_markdown(self._about_text())
        self._status = gui.add_markdown("")
        self._build_run()
        self._play = gui.add_button("Play")
        self._play.on_click(lambda _: self.do(lambda: self.set_playing(not self.playing)))
        step = max(self.end / 1000, 1e-3)
        self._time = gui.add_slider("time [s]", 0.0, max(self.end, 1e-3), step, 0.0)
        self._time.on_update(self._scrubbed)
        speed = gui.add_dropdown("speed", SPEEDS, initial_value="1 ×")
        speed.on_update(lambda _: self.do(lambda: self._set_speed(speed.value)))
        if len(self.actors) > 1:
            layout = gui.add_dropdown("two runs", (OVERLAID, BESIDE), initial_value=OVERLAID)
            layout.on_update(lambda _: self.do(lambda: self._set_layout(layout.value)))
        with gui.add_folder("Show"):
            for name, label in LABELS.items():
                self._add_switch(name, label)
            scale = gui.add_slider("length of arrows", 0.2, 5.0, 0.1, 1.0)
            scale.on_update(lambda _: self.do(lambda: self._set_scale(scale.value)))
        gui.add_html(legend(self.actors))
        self._build_options()
        self._build_strip()

    def _build_run(self) -> None:
        """Buttons that only live runs have."""

    def _build_options(self) -> None:
        """Options that only live runs have."""

    def _build_strip(self) -> None:
        gui = self.server.gui
        panel = gui.add_panel()
        with panel.add_tab("over time"):
            self._picture = gui.add_html(picture(self._strip))
            self._mark = gui.add_html(mark(self._strip, 0.0))
        panel.float(x=12, y=-12, width=560)

    def _add_switch(self, name: str, label: str) -> None:
        box = self.server.gui.add_checkbox(label, getattr(self.shown, name))
        box.on_update(lambda _: self.do(lambda: setattr(self.shown, name, bool(box.value))))

    def _scrubbed(self, event: Any) -> None:
        """The slider was moved by somebody, not by the time."""
        wanted = float(self._time.value)
        if event.client is not None:
            self.do(lambda: self.scrub(wanted))

    def _set_speed(self, value: str) -> None:
        if value in SPEEDS:
            self.speed = float(value.split(maxsplit=1)[0])

    def _set_layout(self, value: str) -> None:
        self.beside = value == BESIDE
        self._arrange()

    def _set_scale(self, value: float) -> None:
        self.shown.scale = min(max(float(value), 0.2), 5.0)

    def _about_text(self) -> str:
        lines = []
        for actor in self.actors:
            run = actor.track.run
            failed = f" It failed at t = {run.failure['time']:g} s." if run.failure else ""
            name, plant, title = (plain(x) for x in (run.scenario.name, run.scenario.plant.name, run.scenario.title))
            lines.append(f"**{name}** ({plant}) {title}.{failed}")
        return "\n\n".join(lines)

    # --- one frame ---

    def draw(self) -> None:
        """The present time of all recordings."""
        rows = [actor.track.row_at(self.now) for actor in self.actors]
        with self.server.atomic():
            for actor, row in zip(self.actors, rows, strict=True):
                actor.show(row, self.shown)
        self._say(rows)
        self.frames += 1

    def _say(self, rows: Sequence[int]) -> None:
        """The slider, the mark on the strip and the lines of text follow, less often than the scene."""
        at = time.perf_counter()
        if self.playing and at - self._slider_at < SLIDER_EVERY:
            return
        self._slider_at = at
        self._time.value = round(min(self.now, float(self._time.max)), 4)
        self._mark.content = mark(self._strip, self.now)
        lines = [self._line(actor, row) for actor, row in zip(self.actors, rows, strict=True)]
        if self.problem:
            lines.append(f"**{plain(self.problem)}**")
        self._status.content = "\n\n".join(lines)

    def _line(self, actor: Actor, row: int) -> str:
        said = plain(actor.track.status(row))
        pushing = len(actor.track.contact_arrows(row).start)
        if pushing and self.shown.points and actor.margins.applies:
            alpha = actor.margins.at(row)
            much = "" if grade(alpha) == "unknown" else f", margin {'not limited' if alpha > 1e6 else f'{alpha:.2f}'}"
            said += f" · {pushing} push-points{much}"
        return said


class LiveViewer(Viewer):
    """A live run, with controls for its options."""

    def __init__(self, server: Any, live: LiveRun) -> None:
        self.live = live
        self._room = ROOM * float(sum(link.length for link in live.scenario.built_robot().links))
        self._strip_at = 0.0
        self._folders: list[Any] = []
        super().__init__(server, [live.recording()])

    def _stage(self, run: Recording) -> Stage:
        return stage_of(run, self._room)

    @property
    def end(self) -> float:
        return max(self.live.scenario.duration, 1e-3)

    def _build_run(self) -> None:
        gui = self.server.gui
        self._run_button = gui.add_button("Run")
        self._run_button.on_click(lambda _: self.do(lambda: self.set_running(not self.running)))
        gui.add_button("Reset").on_click(lambda _: self.do(self._reset))
        gui.add_button("Download the recording").on_click(self._download)
        names = tuple(plants_for(self.live.scenario))
        plant = gui.add_dropdown("plant", names, initial_value=self.live.scenario.plant.name)
        plant.on_update(lambda event: self._asked(event, Control("plant", "choice", "", choices=names)))

    def _build_options(self) -> None:
        self._options = self.server.gui.add_folder("Options: a change begins the run anew")
        self._fill_options()

    def _fill_options(self) -> None:
        """A folder for each part of the scenario; those of the plant are closed, as they are about numerics."""
        for folder in self._folders:
            folder.remove()
        parts: dict[str, list[Control]] = {}
        for control in controls_of(self.live.scenario):
            parts.setdefault(control.key.partition(".")[0] if "." in control.key else "run", []).append(control)
        with self._options:
            self._folders = [self._add_part(part, controls) for part, controls in parts.items()]

    def _add_part(self, part: str, controls: Sequence[Control]) -> Any:
        folder = self.server.gui.add_folder(part, expand_by_default=part != "plant")
        with folder:
            for control in controls:
                self._add_control(control)
        return folder

    def _add_control(self, control: Control) -> None:
        gui, label = self.server.gui, control.key.rpartition(".")[2]
        made: Any
        if control.kind == "choice":
            made = gui.add_dropdown(label, control.choices, initial_value=control.value, hint=control.hint)
        elif control.kind == "switch":
            made = gui.add_checkbox(label, control.value, hint=control.hint)
        else:
            kind = int if control.kind == "whole" else float
            low, high, step, value = (kind(x) for x in (control.low, control.high, control.step, control.value))
            made = gui.add_slider(label, low, high, step, value, hint=control.hint)
        made.on_update(lambda event: self._asked(event, control))

    def _asked(self, event: Any, control: Control) -> None:
        """Another value of an option came from a page."""
        value = event.target.value
        if event.client is not None and control.accepts(value):
            self.do(lambda: self._change(control.key, value))

    def _change(self, key: str, value: Any) -> None:
        running = self.running
        self.live.change(key, value)
        self._restart()
        if key == "plant" and not self.live.problem:
            self._fill_options()
        self.set_running(running and not self.live.problem)

    def _reset(self) -> None:
        self.live.reset()
        self.set_running(False)
        self._restart()

    def _restart(self) -> None:
        """The world or the robot may be another one."""
        for actor in self.actors:
            actor.remove()
        run, self.problem = self.live.recording(), ""
        self.now, self._strip_at = 0.0, 0.0
        self.actors = [Actor(self.server, "run-0", self._stage(run), Track(run))]
        self._time.max = self.end
        self._about.content = self._about_text()
        self._dirty = True

    running = False  # whether the simulation goes on

    def set_running(self, running: bool) -> None:
        self.running = running and not self.live.done
        self._run_button.label = "Stop" if self.running else "Run"
        if not self.running:
            self._strip_at = 0.0
            self._refresh_strip()
        self._dirty = True

    def set_playing(self, playing: bool) -> None:
        """Play what is recorded so far."""
        if playing:
            self.set_running(False)
        super().set_playing(playing)

    def _download(self, event: Any) -> None:
        client = event.client

        def send() -> None:
            name = "".join(c if c.isalnum() else "-" for c in self.live.scenario.name)
            client.send_file_download(f"{name}.nc", self.live.saved(), save_immediately=True)

        self.do(send)

    def _advance(self, passed: float) -> None:
        if not self.running:
            recorded = self.actors[0].track.duration
            super()._advance(passed)
            if self.playing and self.now >= recorded:
                self.now = recorded
                self.set_playing(False)
            return
        self.live.advance(self.speed * min(passed, 0.2))
        track = Track(self.live.recording())
        self.actors[0].set_track(track)
        self.now, self._dirty = self.live.time, True
        self._make_room(track)
        self._refresh_strip()
        if self.live.done:
            self.set_running(False)

    def _make_room(self, track: Track) -> None:
        """More ground, if the robot comes near the edge of what is shown."""
        stage = self.actors[0].stage
        box, edge = stage.box, LEAVING * stage.size
        x, y = track.position[-1, :, 0], track.position[-1, :, 1]
        low, high = (x.min() - box.left, y.min() - box.bottom), (box.right - x.max(), box.top - y.max())
        if min(*low, *high) < edge:
            self.actors[0].remove()
            self.actors = [Actor(self.server, "run-0", self._stage(track.run), track)]

    def _refresh_strip(self) -> None:
        at = time.perf_counter()
        if at - self._strip_at > STRIP_EVERY:
            self._strip, self._strip_at = strip_of([self.live.recording()], self.end), at
            self._picture.content = picture(self._strip)

    def draw(self) -> None:
        self.problem = self.live.problem or self.problem
        super().draw()


LABELS = {
    "forces": "forces of obstacles",
    "ground": "forces of the ground",
    "path": "path of the head",
    "reference": "reference shape",
    "points": "push-points and their margin",
}


def plain(text: str) -> str:
    """A text in Markdown or HTML as it is: nothing in it is taken for a tag or a mark."""
    escaped = html.escape(str(text))
    return "".join(f"\\{c}" if c in "\\`*_{}[]()#+!|~" else c for c in escaped)


def picture(strip: Strip) -> str:
    """The strip as an image in HTML."""
    coded = base64.b64encode(strip.png).decode()
    return (
        f'<img id="pushpoint-strip" alt="strip" style="display:block;width:100%" src="data:image/png;base64,{coded}">'
    )


def mark(strip: Strip, now: float) -> str:
    """A line over the strip, at a time [s]: an element that lies back over the one before it."""
    up = 100 * strip.aspect
    return (
        f'<div style="position:relative;pointer-events:none;margin-top:-{up:.2f}%;padding-top:{up:.2f}%">'
        f'<div id="pushpoint-mark" style="position:absolute;top:-8px;bottom:0;left:{100 * strip.share(now):.3f}%;'
        'width:2px;background:#d55e00"></div></div>'
    )


def legend(actors: Sequence[Actor]) -> str:
    """What colours mean."""
    from pushpoint.view import style
    from pushpoint.viewer.push_points import AMPLE, COLOURS
    from pushpoint.viewer.track import JAM, RESOLUTION

    rows = [
        (palette[0], actor.track.run.scenario.name) for actor, palette in zip(actors, (PALETTE, OTHER), strict=False)
    ]
    rows.append((style.FORCE, "force of obstacles; the arrow in the corner is the scale"))
    rows.append((style.SKY, "force of the ground"))
    if any(actor.track.phases or "jam" in actor.track.run.scenario.controller.name for actor in actors):
        rows += [(JAM, "jam"), (RESOLUTION, "resolution of a jam")]
    if any(actor.margins.applies for actor in actors):
        rows += [
            (COLOURS["ample"], f"push-points carry {AMPLE:g} times the friction or more"),
            (COLOURS["small"], f"1 to {AMPLE:g} times"),
            (COLOURS["short"], "less: the robot slows down"),
        ]
    lines = (
        f'<div style="display:flex;gap:6px;align-items:center"><span style="flex:none;width:14px;height:10px;'
        f'background:{colour}"></span>{html.escape(text)}</div>'
        for colour, text in rows
    )
    return f'<div style="font-size:12px;line-height:1.4;padding:0.4em 0.8em">{"".join(lines)}</div>'
