"""The viewer's server: who may connect, which port, what is said of files that cannot be shown; and live runs."""

from __future__ import annotations

import base64
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import pushpoint as pp
from pushpoint.cli.main import application
from pushpoint.errors import InvalidInput, MissingExtra
from pushpoint.scenarios import scenarios
from pushpoint.viewer.live import LiveRun
from pushpoint.viewer.server import free_port, refusal

PATIENCE = 600.0  # [s], so that a server that never answers does not hold up the others; no measure of speed


# --- who may connect ---


@pytest.mark.parametrize(
    ("host", "origin", "bound", "allowed"),
    [
        ("127.0.0.1:8080", None, "127.0.0.1", True),
        ("127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1", True),
        ("localhost:8080", "http://localhost:8080", "127.0.0.1", True),
        ("[::1]:8080", "http://[::1]:8080", "::1", True),
        ("127.0.0.1:8080", "http://evil.example", "127.0.0.1", False),
        ("127.0.0.1:8080", "http://127.0.0.1:9999", "127.0.0.1", False),
        ("127.0.0.1:8080", "null", "127.0.0.1", False),
        ("evil.example:8080", "http://evil.example:8080", "127.0.0.1", False),  # DNS rebinding
        ("evil.example", None, "0.0.0.0", False),
        ("192.0.2.7:8080", "http://192.0.2.7:8080", "0.0.0.0", True),
        ("192.0.2.7:8080", "http://192.0.2.7:8080", "127.0.0.1", False),
        ("robot.local:8080", "http://robot.local:8080", "robot.local", True),
        ("", None, "127.0.0.1", False),
    ],
)
def test_foreign_hosts_and_origins_are_refused(host: str, origin: str | None, bound: str, allowed: bool) -> None:
    headers = {"Host": host} | ({} if origin is None else {"Origin": origin})
    assert (refusal(headers, bound) == "") is allowed


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    pytest.importorskip("viser")
    from pushpoint.viewer.server import start, stop

    made = start(port=8300)
    yield made
    stop(made)


def handshake(port: int, **headers: str) -> bytes:
    """The first line of the answer to a websocket handshake."""
    fields = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
    }
    fields |= {"Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()} | headers
    text = "GET / HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as link:
        link.sendall(text.encode())
        return link.recv(4096).split(b"\r\n")[0]


def test_handshakes_of_foreign_pages_are_refused(server: Any) -> None:
    port = server.get_port()
    assert b"101" in handshake(port, Origin=f"http://127.0.0.1:{port}")
    assert b"403" in handshake(port, Origin="http://evil.example")
    assert b"403" in handshake(port, Host=f"evil.example:{port}", Origin=f"http://evil.example:{port}")


def test_pages_are_given_to_this_host_alone_and_in_no_frame(server: Any) -> None:
    link = http.client.HTTPConnection("127.0.0.1", server.get_port(), timeout=PATIENCE)
    link.request("GET", "/")
    answer = link.getresponse()
    assert (answer.status, answer.getheader("X-Frame-Options")) == (200, "DENY")
    answer.read()
    other = http.client.HTTPConnection("127.0.0.1", server.get_port(), timeout=PATIENCE)
    other.request("GET", "/", headers={"Host": "evil.example"})
    assert other.getresponse().status == 403


def test_the_default_is_this_machine_alone(server: Any) -> None:
    """viser's own default is all addresses."""
    assert server.get_host() == "127.0.0.1"
    bound = [
        line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == server.get_port()
    ]  # fmt: skip
    assert bound
    assert all(address.startswith("0100007F:") for address in bound)


def test_nobody_can_open_a_tunnel_to_the_public(server: Any) -> None:
    import viser

    assert viser._messages.ShareUrlRequest not in server._websock_server._incoming_handlers


def test_of_busy_ports_the_next_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        assert port < free_port("127.0.0.1", port) < port + 100


def test_addresses_that_do_not_exist_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no such address"):
        free_port("no.such.host.invalid", 8080)
    with pytest.raises(InvalidInput, match=r"--host '192\.0\.2\.1'"):
        free_port("192.0.2.1", 8080)


# --- the command ---


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pp.simulate("transeth2008a/track", duration=0.2).save(tmp_path_factory.mktemp("view") / "recording.nc")


def invoked(*words: str) -> Any:
    return CliRunner().invoke(application(["view"]), ["view", *words])


def test_recordings_become_a_page(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    assert invoked(str(saved), str(saved.parent), "--html", str(page)).exit_code == 0
    assert page.read_text().startswith("<!doctype html>")


def test_what_cannot_be_shown_is_said(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, c = tmp_path / "a.nc", tmp_path / "b.nc", tmp_path / "c.nc"
    a.write_bytes(saved.read_bytes()[: saved.stat().st_size // 2])
    b.write_bytes(b"CDF\x01 not ours" * 50)
    with monkeypatch.context() as later:
        later.setattr("pushpoint.recording._netcdf.SCHEMA", 99)
        pp.load(saved).save(c)
    for words, reason in {
        (str(a),): "has changed since pushpoint wrote it: it h",
        (str(b),): "not a recording",
        (str(c),): "install a newer pushpoint",
        (str(tmp_path / "none.nc"),): "there is no file",
        ("transeth2008a/trak",): "Did you mean",
        (str(saved), str(saved), str(saved)): "one or two",
        (str(saved), "transeth2008a/track"): "is no recording",
        (str(saved), "--set", "duration=1"): "is for scenarios",
        (str(saved), "--html", "x.pdf"): "must end in .html",
    }.items():
        failed = invoked(*words)
        assert isinstance(failed.exception, InvalidInput), (words, failed.exception)
        assert reason in str(failed.exception)


def test_without_viser_the_command_says_what_to_install(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    failed = invoked(str(saved), "--no-open")
    assert isinstance(failed.exception, MissingExtra)
    assert "pip install 'pushpoint[view]'" in str(failed.exception)


def test_the_command_says_its_address_and_ends_by_an_interrupt(saved: Path) -> None:
    pytest.importorskip("viser")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        command = [sys.executable, "-m", "pushpoint", "view", str(saved), "--no-open", "--port", str(port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        assert not address.endswith(f":{port}")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 130)
    assert f"port {port} is busy" in said
    assert "Traceback" not in said


# --- live runs ---


def test_a_live_run_is_the_run_of_its_scenario() -> None:
    live = LiveRun(scenarios["transeth2008a/track"].with_overrides({"duration": 0.3}))
    for _ in range(100):
        live.advance(0.013)
    assert live.done
    expected = pp.simulate("transeth2008a/track", duration=0.3)
    assert np.array_equal(live.recording().data["link_position"].values, expected.data["link_position"].values)


def test_changes_begin_a_live_run_anew() -> None:
    live = LiveRun(scenarios["transeth2008a/track"].with_overrides({"duration": 0.3}))
    live.advance(0.05)
    before = live.time
    live.change("world.friction", 0.05)
    assert live.time == 0.0 < before
    assert live.recording().scenario.built_world().ground.friction == 0.05
    live.change("world.friction", -1.0)
    assert "friction" in live.problem
    assert live.scenario.built_world().ground.friction == 0.05


def test_a_live_recording_can_be_loaded(tmp_path: Path) -> None:
    live = LiveRun(scenarios["transeth2008a/track"].with_overrides({"duration": 0.3}))
    live.advance(0.05)
    (tmp_path / "live.nc").write_bytes(live.saved())
    assert pp.load(tmp_path / "live.nc").data.sizes["time"] == round(live.time / 0.01) + 1
