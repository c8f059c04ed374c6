"""A real PgBouncer, Debian's package, in front of the database that Django uses."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from messages_app.core.embedded_servers import find_free_port, is_listening
from tests.support import stock
from tests.support.eventually import eventually

PACKAGE = "pgbouncer"
PROGRAM = Path("/usr/sbin/pgbouncer")


@contextmanager
def pgbouncer(mode: str, **settings: object) -> Iterator[str]:
    """
    Run PgBouncer in a pool mode, and give the address of the database through it.

    Args:
        settings: more of its settings.
    """
    stock.install_package(PACKAGE, PROGRAM)
    folder = Path(tempfile.mkdtemp(prefix="pgbouncer-"))
    port = find_free_port()
    database = connection.settings_dict
    behind = {
        "host": database["HOST"],
        "port": database["PORT"],
        "dbname": database["NAME"],
        "user": database["USER"],
        "password": database["PASSWORD"],
    }
    all_settings = {
        "listen_addr": "127.0.0.1",
        "listen_port": port,
        "unix_socket_dir": "",
        "auth_type": "any",
        "pool_mode": mode,
        **settings,
    }
    lines = [
        "[databases]",
        f"{database['NAME']} = {' '.join(f'{name}={value}' for name, value in behind.items())}",
        "[pgbouncer]",
        *(f"{name} = {value}" for name, value in all_settings.items()),
    ]
    file = folder / "pgbouncer.ini"
    file.write_text("\n".join(lines) + "\n")
    user = stock.account()
    if user:
        os.chown(folder, user.uid, user.gid)
        os.chown(file, user.uid, user.gid)
    process = subprocess.Popen([PROGRAM, "--quiet", file], cwd="/", **(user.options() if user else {}))
    try:
        eventually(lambda: is_listening(port))
        yield f"postgresql://{database['USER']}:x@127.0.0.1:{port}/{database['NAME']}"
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)
