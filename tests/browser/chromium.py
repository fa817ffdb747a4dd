"""Headless Chromium over its DevTools protocol, by two pipes: no driver, no port, no package.

Pages are those of a person who is offline: every request that leaves the disk is refused, and noted.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
ABSENT = f"tests/browser deselected: no {', '.join(NAMES)} in PATH; on Debian: apt-get install chromium"
PATIENCE = 600.0  # [s], for one answer: machines may be busy, but one that never comes should not hold up the others
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--force-color-profile=srgb",
)  # fmt: skip
_LOWEST = 10  # file descriptor: Chromium wants its pipes at 3 and 4


def found() -> str | None:
    """The program, if it is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One Chromium with a profile of its own."""

    def __init__(self, flags: Sequence[str] = ()) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="pushpoint-chromium-", ignore_cleanup_errors=True)
        (theirs_in, self._out), (self._in, theirs_out) = _pipe(), _pipe()
        program = found()
        assert program is not None
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        command = [program, *FLAGS, *root, *flags, f"--user-data-dir={self._profile.name}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}', *command],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._number, self._rest = 0, b""
        self.events: list[dict[str, Any]] = []  # that nobody has taken yet

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.send("Browser.close")
            self._process.wait(PATIENCE)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._profile.cleanup()

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """What the method of the protocol returns."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        os.write(self._out, json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0")
        while (answer := self._received(time.monotonic() + PATIENCE)).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def listen(self, seconds: float) -> None:
        """Take in the events of that time."""
        end = time.monotonic() + seconds
        while b"\0" in self._rest or select.select([self._in], [], [], max(0.0, end - time.monotonic()))[0]:
            self.events.append(self._received(end + PATIENCE))

    def _received(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._in], [], [], max(0.0, end - time.monotonic()))[0], "Chromium does not answer"
            data = os.read(self._in, 1 << 20)
            assert data, "Chromium has ended"
            self._rest += data
        line, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def open(self, address: str | Path, *, width: int = 1280, height: int = 900, scheme: str = "light") -> Page:
        """A page in a tab of its own, loaded; `scheme` is what the system prefers, light or dark."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        page = Page(self, self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(f"{domain}.enable")
        page.send("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        page.resize(width, height)
        page.prefer(scheme)
        page.go(address.resolve().as_uri() if isinstance(address, Path) else address)
        return page


class Page:
    """One tab. `complaints` and `requests` are of all its time."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session
        self._seen: list[dict[str, Any]] = []

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.send(method, self._session, **params)

    def go(self, address: str) -> None:
        """Load an address, and wait for the end of it."""
        self.send("Page.navigate", url=address)
        end = time.monotonic() + PATIENCE
        while not any(event["method"] == "Page.loadEventFired" for event in self._events()):
            assert time.monotonic() < end, f"{address} is not loaded"
            self._browser.listen(0.05)
        self.settle()

    def settle(self, seconds: float = 0.2) -> None:
        """Give scripts the time to go on."""
        self._browser.listen(seconds)

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript, as JSON has it; promises are awaited."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element."""
        box = self.run(
            f"(() => {{const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
            "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]})()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)
        self.settle()

    def press(self, key: str, code: str = "", text: str = "") -> None:
        """A key, such as Tab, Enter or ArrowRight."""
        params = {"key": key, "code": code or key, "windowsVirtualKeyCode": KEYS.get(key, 0)}
        self.send("Input.dispatchKeyEvent", type="keyDown", **params, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **params)
        self.settle(0.05)

    def prefer(self, scheme: str) -> None:
        """What the system prefers from now on, light or dark."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def resize(self, width: int, height: int) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self, path: Path | None = None, *, whole: bool = False) -> bytes:
        """A PNG of what is seen, or of the whole page."""
        options: dict[str, Any] = {"captureBeyondViewport": True} if whole else {}
        if whole:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        image = base64.b64decode(self.send("Page.captureScreenshot", format="png", **options)["data"])
        if path is not None:
            path.write_bytes(image)
        return image

    @property
    def complaints(self) -> list[str]:
        """Errors and warnings on the console, and exceptions."""
        found = []
        for event in self._events():
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(arg.get("value", arg.get("description"))) for arg in params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    @property
    def requests(self) -> list[str]:
        """Addresses that were asked for, but for data: inside of the page."""
        asked = [event["params"]["request"]["url"] for event in self._events("Network.requestWillBeSent")]
        return [address for address in asked if not address.startswith("data:")]

    def _events(self, method: str = "") -> list[dict[str, Any]]:
        """Those of this page so far."""
        mine = [event for event in self._browser.events if event.get("sessionId") == self._session]
        self._browser.events = [event for event in self._browser.events if event.get("sessionId") != self._session]
        self._seen += mine
        return [event for event in self._seen if event["method"] == method or not method]


KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}


def _pipe() -> tuple[int, int]:
    """Both ends of a pipe, above the descriptors that Chromium wants."""
    import fcntl  # here, as Windows has none

    low = os.pipe()
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _LOWEST) for fd in low]
    for fd in low:
        os.close(fd)
    return high[0], high[1]
