"""
Where the embedded servers of a home listen, and whether `up` runs there: any process with this home may ask.

Each server has the loopback port and the secret of its last start in a file of the home. Reading them starts
nothing: if a server is not running, the connection is refused.
"""

import fcntl
import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

POSTGRES, VALKEY, SPARK = "postgres", "valkey", "spark"
DATABASE_ROLE = DATABASE_NAME = "hubconsole"
LOOPBACK = "127.0.0.1"
UP_LOCK = "up.lock"


class CannotStart(Exception):
    """A server cannot be started. The message gives the reason and the remedy in one line."""


@dataclass(frozen=True)
class Endpoint:
    """The loopback port of one server, and its password or token."""

    port: int
    secret: str


# Before the first start there is no file. Nothing listens on port 1, so connecting is refused immediately.
NOWHERE = Endpoint(port=1, secret="")


def database_url(home: Path, database: str = DATABASE_NAME) -> str:
    """Return the address of one database of the embedded PostgreSQL, including the password."""
    at = last_endpoint(home, POSTGRES)
    return f"postgresql://{DATABASE_ROLE}:{at.secret}@{LOOPBACK}:{at.port}/{database}"


def broker_url(home: Path) -> str:
    """Return the address of the embedded Valkey, which uses the Redis protocol, including the password."""
    at = last_endpoint(home, VALKEY)
    return f"redis://:{at.secret}@{LOOPBACK}:{at.port}/0"


def spark_url(home: Path) -> str:
    """
    Return the address of the embedded Spark Connect server, including the token.

    Without TLS, Spark's client sends a token only to `localhost`.
    """
    at = last_endpoint(home, SPARK)
    return f"sc://localhost:{at.port}/;token={at.secret}"


def last_endpoint(home: Path, server: str) -> Endpoint:
    """Return the endpoint of the last start of `server`, or NOWHERE."""
    try:
        return Endpoint(**json.loads(_endpoint_file(home, server).read_text()))
    except (FileNotFoundError, NotADirectoryError):
        return NOWHERE


def claim_endpoint(home: Path, server: str) -> Endpoint:
    """Return the endpoint to start `server` on: the previous one, or a free port if that one is taken."""
    endpoint = last_endpoint(home, server)
    if endpoint != NOWHERE and _is_free(endpoint.port):
        return endpoint
    secret = secrets.token_urlsafe(32) if endpoint == NOWHERE else endpoint.secret
    endpoint = Endpoint(port=find_free_port(), secret=secret)
    _write_endpoint(_endpoint_file(home, server), endpoint)
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


def is_listening(port: int, host: str = LOOPBACK) -> bool:
    """Return whether a program accepts connections on `port`."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def find_free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def is_up_running(home: Path) -> bool:
    """Return whether an `up` of this home is running or starting."""
    try:
        with (home / UP_LOCK).open("r") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # no `up` has run here, or it belongs to another user
    return False


def _is_free(port: int) -> bool:
    try:
        try_to_listen(LOOPBACK, port)
    except OSError:
        return False
    return True


def _endpoint_file(home: Path, server: str) -> Path:
    return home / server / "endpoint.json"


def _write_endpoint(path: Path, endpoint: Endpoint) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(asdict(endpoint), file)
    new.replace(path)
