"""viser's server, for this machine alone: who may connect, and on which port.

viser binds to all addresses by default, accepts any Origin and any Host, takes the next port without a word if one is
busy, and lets every client open a tunnel to the public. Here all of that is closed, in one place: `start`.
"""

from __future__ import annotations

import errno
import io
import ipaddress
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any
from urllib.parse import urlsplit

from pushpoint.errors import InvalidInput, MissingExtra

HOST, PORT = "127.0.0.1", 8080
TRIES = 100  # ports
LOCAL_NAMES = ("localhost",)
FORBIDDEN = 403
HEADERS = {"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
_starting = threading.Lock()


def needs_viser() -> Any:
    """The package viser."""
    try:
        import viser
    except ImportError:
        raise MissingExtra("pushpoint view", "view") from None
    return viser


def free_port(host: str, port: int) -> int:
    """The port, or the next one that is free."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise InvalidInput(f"--host {host!r}: there is no such address; 127.0.0.1 is this machine alone") from None
    for number in range(port, min(port + TRIES, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address[0], number, *address[2:]))
                probe.listen()
            except OSError as error:
                if error.errno in (errno.EADDRINUSE, errno.EACCES):
                    continue
                raise InvalidInput(f"--host {host!r} --port {number}: {error.strerror or error}") from None
            return number
    raise InvalidInput(f"--port {port}: this one and those behind it, up to {number}, are busy")


def refusal(headers: Mapping[str, str], host: str) -> str:
    """Why a request is refused; empty if it is not.

    Host: a page of somebody else whose name was made to point here (DNS rebinding) has its own name there. Origin: a
    page of somebody else that connects has its own address there; programs that are no browsers have none.
    """
    named = headers.get("Host") or ""
    name = urlsplit(f"//{named}").hostname or ""
    if not _is_ours(name, host):
        return f"Host {named!r} is not the address of this viewer"
    origin = headers.get("Origin")
    if origin is not None and origin.lower() not in (f"http://{named}".lower(), f"https://{named}".lower()):
        return f"Origin {origin!r} is another page than this viewer"
    return ""


def _is_ours(name: str, host: str) -> bool:
    """Names of this machine, and the host that the server binds to. Numbers cannot be rebound: if it binds
    to all addresses, any number will do."""
    if name in LOCAL_NAMES or name == host:
        return True
    try:
        number = ipaddress.ip_address(name)
    except ValueError:
        return False
    return number.is_loopback or host in ("0.0.0.0", "::") or name == host


@contextmanager
def _guarded(host: str) -> Iterator[None]:
    """While viser starts its server, put our check before its handling of requests. viser has no hook for that: it
    hands a function of its own to `websockets` as `process_request`, for pages and for handshakes alike."""
    import websockets.asyncio.server as library
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    original = library.serve

    def serve(*args: Any, process_request: Any = None, **options: Any) -> Any:
        def checked(connection: Any, request: Any) -> Any:
            why = refusal(request.headers, host)
            if why:
                body = f"refused: {why}\n".encode()
                return Response(FORBIDDEN, "Forbidden", Headers({"Content-Length": str(len(body))}), body)
            answer = process_request(connection, request)
            if answer is not None:
                for name, value in HEADERS.items():
                    answer.headers[name] = value
            return answer

        return original(*args, process_request=checked, **options)

    with _starting:
        library.serve = serve
        try:
            yield
        finally:
            library.serve = original


def start(host: str = HOST, port: int = PORT) -> Any:
    """A viser server that listens to this machine alone, unless `host` says otherwise."""
    viser = needs_viser()
    chosen = free_port(host, port)
    with _guarded(host), _silent():
        server = viser.ViserServer(host=host, port=chosen, verbose=False)
    # Nobody shall make the viewer public from its page: viser's tunnel for that is taken out.
    handlers = server._websock_server._incoming_handlers
    for message in ("ShareUrlRequest", "ShareUrlDisconnect"):
        handlers.pop(getattr(viser._messages, message), None)
    server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium")
    return server


def stop(server: Any) -> None:
    """End it, and all its connections."""
    with _silent():
        server.stop()


@contextmanager
def _silent() -> Iterator[None]:
    """Without viser's own words on standard output: what is said there is for scripts."""
    with redirect_stdout(io.StringIO()):
        yield


def address_of(server: Any, host: str) -> str:
    """For people."""
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{server.get_port()}"
