"""Where the web processes of one server note how long requests take, so that any of them can tell of all."""

import logging
import os
import shutil
from pathlib import Path

import psutil

logger = logging.getLogger(__name__)

# Where the library of the metrics looks for it.
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def share_times(home: Path) -> None:
    """
    Give the processes of this server a folder of their own, and remove those of servers that are gone.

    To be called before request times are first imported. A folder that somebody has named stays as it is;
    where none can be made, each process tells of itself alone.
    """
    if os.environ.get(VARIABLE):
        return
    servers = home / "request_times"
    # All have the same parent, which lives as long as the server.
    own = servers / str(os.getppid())
    try:
        own.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        logger.warning("Each web process tells its own request times alone: %s", error)
        return
    _remove_those_of_gone(servers)
    os.environ[VARIABLE] = str(own)


def _remove_those_of_gone(servers: Path) -> None:
    for folder in servers.iterdir():
        if not (folder.name.isdecimal() and psutil.pid_exists(int(folder.name))):
            shutil.rmtree(folder, ignore_errors=True)
