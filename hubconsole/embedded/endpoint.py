"""The port and the secret of an embedded server, kept in a file of the home."""

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Endpoint:
    """The loopback port of one server, and its password or token."""

    port: int
    secret: str


# Before the first start there is no file. Nothing listens on port 1, so connecting is refused immediately.
NOWHERE = Endpoint(port=1, secret="")


def last_endpoint(home: Path, server: str) -> Endpoint:
    """Return the endpoint of the last start of `server`, or NOWHERE."""
    try:
        return Endpoint(**json.loads(_path(home, server).read_text()))
    except (FileNotFoundError, NotADirectoryError):
        return NOWHERE


def claim(home: Path, server: str) -> Endpoint:
    """Return the endpoint to start `server` on: the previous one, or a free port if that one is taken."""
    endpoint = last_endpoint(home, server)
    if endpoint != NOWHERE and _is_free(endpoint.port):
        return endpoint
    secret = secrets.token_urlsafe(32) if endpoint == NOWHERE else endpoint.secret
    endpoint = Endpoint(port=free_port(), secret=secret)
    _write(_path(home, server), endpoint)
    return endpoint


def try_to_listen(host: str, port: int) -> None:
    """
    Listen for a moment, as a server would.

    Raises:
        OSError: the port is taken or not allowed, or `host` is not an address of this machine.
    """
    family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, proto) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # Servers set this option too.
        probe.bind(address)
        probe.listen()


def answers(port: int, host: str = LOOPBACK) -> bool:
    """Return whether a program accepts connections on `port`."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def _is_free(port: int) -> bool:
    try:
        try_to_listen(LOOPBACK, port)
    except OSError:
        return False
    return True


def _path(home: Path, server: str) -> Path:
    return home / server / "endpoint.json"


def _write(path: Path, endpoint: Endpoint) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(asdict(endpoint), file)
    new.replace(path)
