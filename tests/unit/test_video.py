"""Videos: size and number of frames as ffmpeg sees them, cameras, views, and what happens without ffmpeg."""

from __future__ import annotations

import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

import pushpoint as pp
from pushpoint.cli._sizes import pixels
from pushpoint.cli.video import video as command
from pushpoint.errors import InvalidInput, MissingExtra, PushpointError, UnknownName
from pushpoint.recording import Recording
from pushpoint.view import encoding, style
from pushpoint.view.movie import frame_rows, video
from pushpoint.view.space_stage import EYE, Aslant3D, poses
from pushpoint.view.stage import FromAbove, Shown, Stage, fitted, flat_stage, following_camera, smoothed
from pushpoint.view.surroundings import Box
from pushpoint.worlds import Box as Block
from pushpoint.worlds import Cylinder, Disc, Ground, Heightfield, Patch, Profile, Wall, World

SMALL = (256, 144)


@pytest.fixture(scope="module")
def track() -> Recording:
    return pp.simulate("transeth2008a/track", duration=0.2)


@pytest.fixture(scope="module")
def sidewinding() -> Recording:
    return pp.simulate("transeth2008b/sidewinding", duration=0.2)


@pytest.fixture
def ffmpeg() -> str:
    pytest.importorskip("imageio_ffmpeg")
    return encoding.ffmpeg(Path("a.mp4"))


def within(run: Recording, **fields: object) -> Recording:
    """The same run, as if it had happened in another world."""
    world = World.model_validate({"name": "w", **fields})
    return replace(run, scenario=run.scenario.model_copy(update={"world": world}))


def decoded(ffmpeg: str, path: Path, size: tuple[int, int]) -> np.ndarray:
    """All frames of a file, (frames, height, width, 3)."""
    done = subprocess.run(
        [ffmpeg, "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
    )
    return np.frombuffer(done.stdout, np.uint8).reshape(-1, size[1], size[0], 3)


# --- files ---


def test_an_mp4_has_the_size_rate_and_frames_asked_for(track: Recording, tmp_path: Path, ffmpeg: str) -> None:
    video(track, tmp_path / "deep" / "a.mp4", size=SMALL, fps=20)
    frames = decoded(ffmpeg, tmp_path / "deep" / "a.mp4", SMALL)
    assert len(frames) == 4
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.mp4"]
    words = [ffmpeg, "-i", str(tmp_path / "deep" / "a.mp4")]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stderr  # it misses a target
    assert "yuv420p(tv, bt709" in said
    assert re.search(r"h264.* 256x144.* 20 fps", said)
    ground = 255 * np.array(to_rgb(style.GROUND))
    found = frames[0].reshape(-1, 3)
    assert np.mean(np.abs(found - ground).max(axis=1) < 4) > 0.2  # colours stay
    assert np.any(frames[0] != frames[-1])


def test_a_gif_needs_no_ffmpeg(track: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "ffmpeg", None)
    video(track, tmp_path / "a.gif", size=(161, 91), fps=20, view="3d", follow=True)
    with Image.open(tmp_path / "a.gif") as picture:
        assert picture.size == (161, 91)
        assert picture.n_frames == 4  # type: ignore[attr-defined]  # GIF files have it
        assert picture.info["duration"] == 50
        colours = {tuple(pixel) for pixel in np.asarray(picture.convert("RGB")).reshape(-1, 3).tolist()}
    assert tuple(round(255 * part) for part in to_rgb(style.BODY)) in colours
    ground = 255 * np.array(to_rgb(style.GROUND))
    assert min(np.abs(np.array(colour) - ground).max() for colour in colours) < 3


def test_without_ffmpeg_the_error_says_what_to_install(
    track: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    monkeypatch.setattr(encoding.shutil, "which", lambda name: None)
    with pytest.raises(MissingExtra, match=r"'a.mp4' .*\.gif.* pip install 'pushpoint\[video\]'"):
        video(track, tmp_path / "a.mp4", size=SMALL)
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(encoding.shutil, "which", lambda name: "/somewhere/ffmpeg")
    assert encoding.ffmpeg(Path("a.mp4")) == "/somewhere/ffmpeg"


def written(path: Path, frames: int, stop: bool = False) -> None:
    """Black frames, and then perhaps Ctrl-C."""
    with encoding.mp4(path, SMALL, 10) as write:
        for _ in range(frames):
            write(np.zeros((SMALL[1], SMALL[0], 4), np.uint8))
        if stop:
            raise KeyboardInterrupt


def test_an_interrupt_leaves_what_was_there(track: Recording, tmp_path: Path, ffmpeg: str) -> None:
    (tmp_path / "a.mp4").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path / "a.mp4", frames=1, stop=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]
    assert (tmp_path / "a.mp4").read_text() == "old"


def test_an_interrupt_waits_for_the_end_of_a_frame(
    track: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Stage.frame

    def interrupted(stage: Stage, row: int) -> encoding.Frame:
        signal.raise_signal(signal.SIGINT)  # inside of Matplotlib's compiled code it would become another error
        frames.append(row)
        return whole(stage, row)

    frames: list[int] = []
    monkeypatch.setattr(Stage, "frame", interrupted)
    with pytest.raises(KeyboardInterrupt):
        video(track, tmp_path / "a.gif", size=SMALL, fps=20)
    assert len(frames) == 1
    assert not list(tmp_path.iterdir())


def test_what_ffmpeg_complains_of_is_said(tmp_path: Path, ffmpeg: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "QUALITY", "nonsense")
    with pytest.raises(PushpointError, match="ffmpeg says: "):
        written(tmp_path / "a.mp4", frames=50)
    assert not list(tmp_path.iterdir())


def test_the_command_writes_beside_the_recording(track: Recording, tmp_path: Path, ffmpeg: str) -> None:
    track.save(tmp_path / "recording.nc")
    command(tmp_path, size="128x72", fps=10, style="dark")
    assert len(decoded(ffmpeg, tmp_path / "video.mp4", (128, 72))) == 2


# --- options ---


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("a.avi", {}, "must end in .mp4 or .gif"),
        ("a.mp4", {"size": (161, 91)}, "both have to be even for MP4; the nearest is 162x92"),
        ("a.mp4", {"size": (10, 10)}, "from 64 to 7680 pixels"),
        ("a.gif", {"fps": 60}, "from 1 to 50"),
        ("a.mp4", {"speed": 0}, "times real time"),
        ("a.mp4", {"speed": 1e-3, "fps": 240}, None),
        ("a.mp4", {"view": "4d"}, "Known: 2d, 3d"),
        ("a.mp4", {"style": "drak"}, "Did you mean 'dark'"),
    ],
)
def test_wrong_options_say_what_is_allowed(
    track: Recording, tmp_path: Path, name: str, options: dict, said: str | None
) -> None:
    if said is None:
        assert len(frame_rows(track, options["fps"], options["speed"])) == 48_000
        return
    with pytest.raises((InvalidInput, UnknownName), match=said):
        video(track, tmp_path / name, **options)


def test_frames_show_the_nearest_rows(track: Recording) -> None:
    assert frame_rows(track, 50, 1) == list(range(0, 20, 2))
    assert frame_rows(track, 50, 2) == list(range(0, 20, 4))
    shown = track.data["time"].values[frame_rows(track, 170, 0.7)]
    assert np.abs(shown - np.arange(len(shown)) * 0.7 / 170).max() < 0.005 + 1e-9
    with pytest.raises(InvalidInput, match="nothing moves"):
        frame_rows(replace(track, data=track.data.isel(time=slice(0, 1))), 30, 1)
    with pytest.raises(InvalidInput, match="raise speed"):
        frame_rows(replace(track, data=track.data.assign_coords(time=1e4 * track.data["time"])), 240, 1)


def test_sizes_on_the_command_line() -> None:
    assert pixels("1280x720") == pixels(" 1280 X 720 ") == (1280, 720)
    for text in ("1280", "12.5x10", "axb", "1e3x5"):
        with pytest.raises(InvalidInput, match="such as 1280x720"):
            pixels(text)


# --- cameras ---


def test_a_camera_has_the_shape_of_the_picture_and_hides_nothing() -> None:
    for box in (Box(0, 4, 0, 1), Box(0, 1, 0, 4)):
        wide = fitted(box, 0.5)
        assert wide.shape == pytest.approx(0.5)
        assert wide.left <= box.left < box.right <= wide.right
        assert wide.bottom <= box.bottom < box.top <= wide.top


def test_a_camera_that_follows_keeps_all_links_in_sight() -> None:
    random = np.random.default_rng(3)
    places = np.cumsum(random.normal(size=(200, 1, 2)), axis=0) + random.normal(size=(200, 5, 2))
    camera = following_camera(places, 0.01, 0.1, 0.5)
    assert camera.moves
    for row in (0, 77, 199):
        box = camera.at(row)
        assert np.all((places[row] > (box.left, box.bottom)) & (places[row] < (box.right, box.top)))
    path = np.arange(10.0)[:, np.newaxis] * (1, 2)
    assert smoothed(path, 4)[2:-2] == pytest.approx(path[2:-2])
    assert smoothed(path, 0).tolist() == path.tolist()


def test_following_shows_less_and_moves_with_the_robot(track: Recording) -> None:
    moved = track.data.copy(deep=True)
    moved["link_position"].values[..., 0] += np.linspace(0, 3, track.data.sizes["time"])[:, np.newaxis]
    run = replace(track, data=moved)
    still, follows = (FromAbove(Shown(run, SMALL, 1.0, follow), 0.5).camera for follow in (False, True))
    assert not still.moves
    assert follows.box.right - follows.box.left < still.box.right - still.box.left
    assert follows.at(20).left - follows.at(0).left > 1.0
    for row in (0, 20):
        assert np.all(moved["link_position"].values[row, :, 0] < follows.at(row).right)


# --- pictures ---


def test_what_rests_is_drawn_once_and_frames_do_not_mix(track: Recording) -> None:
    stage = flat_stage(Shown(track, SMALL, 1.0, False))
    first = stage.frame(0).copy()
    stage.frame(-1)
    assert np.array_equal(stage.frame(0), first)
    assert first.shape == (144, 256, 4)


def test_runs_in_the_plane_lie_on_the_ground_in_three_dimensions(track: Recording) -> None:
    place, turn = poses(track)
    robot = track.scenario.built_robot()
    assert place[0, :, 2] == pytest.approx([link.radius for link in robot.links])
    angle = track.data["link_angle"].values
    assert turn[..., 1, 0] == pytest.approx(np.sin(angle))
    assert np.linalg.det(turn) == pytest.approx(1.0)


def test_three_dimensions_show_all_kinds_of_surroundings(sidewinding: Recording, tmp_path: Path) -> None:
    obstacles = (
        Disc(x=0, y=0.3, radius=0.05),
        Disc(x=0.3, y=0.4, radius=0.05, height=0.2, mass=1),
        Wall(points=((-1.0, -0.4), (1.0, -0.4))),
        Block(centre=(0.5, 0.5, 0.1), size=(0.2, 0.2, 0.2)),
        Cylinder(start=(-0.5, 0.5, 0.1), end=(-0.5, 0.7, 0.1), radius=0.05),
    )
    patches = (Patch(x_min=0, x_max=1, y_min=-1, y_max=1, friction=0.9),)
    surroundings = (
        {"obstacles": obstacles, "ground": Ground(friction=0.2, patches=patches)},
        {"terrain": Profile(points=((-0.5, 0.2), (0.0, 0.2), (0.0, 0.1), (0.5, 0.1)))},
        {"terrain": Heightfield(x=-1, y=-1, spacing=1.0, heights=((0, 0, 0), (0, 0.1, 0), (0, 0, 0)))},
    )
    for fields in surroundings:
        video(within(sidewinding, **fields), tmp_path / "a.gif", size=SMALL, fps=10)
    video(within(sidewinding, **surroundings[0]), tmp_path / "a.gif", size=SMALL, fps=10, view="2d")


def test_what_is_nearer_to_the_eye_covers_what_is_behind(track: Recording) -> None:
    head = track.data["link_position"].values[0, 10, :2]
    for side, covers in ((-1, True), (1, False)):  # the eye is on the side of -y
        peg = Disc(x=float(head[0]), y=float(head[1]) + side * 0.12, radius=0.05)
        picture = Aslant3D(Shown(within(track, obstacles=(peg,)), SMALL, 1.0, False), 0.5)
        at = type("At", (), {"centre": picture._centre[0], "turn": picture._turn[0]})()
        (solid,) = picture._drawn_solids(at, 0)
        assert (solid[0] > EYE.nearness(picture._centre[0, 10])) == covers
