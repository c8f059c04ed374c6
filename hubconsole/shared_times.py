"""Where the web processes of one server note how long requests take, so that any of them can tell of all."""

import os
import shutil
from pathlib import Path

import psutil


def share_times(home: Path) -> None:
    """
    Give the processes of this server a folder of their own, and remove those of servers that are gone.

    To be called before the first request times are noted. A folder that somebody has named stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        return
    servers = home / "request_times"
    # All have the same parent, which lives as long as the server.
    own = servers / str(os.getppid())
    own.mkdir(parents=True, exist_ok=True)
    for other in servers.iterdir():
        if not (other.name.isdecimal() and psutil.pid_exists(int(other.name))):
            shutil.rmtree(other, ignore_errors=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(own)
