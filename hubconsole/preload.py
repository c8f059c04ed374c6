"""
What a web process does before its first request.

It loads the pages, so that no reader waits for them, and joins the folder in which the web processes of one
server note how long requests take, so that any of them can report all.
"""

import gc
import logging
import os
import shutil
from importlib import import_module
from pathlib import Path

import psutil
from django.conf import settings

logger = logging.getLogger(__name__)

# Where the library of the metrics looks for it.
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def warm_up() -> None:
    """
    Load the pages, and have what is loaded now never checked by the garbage collector again.

    The first request would load them. A full collection of all modules takes 100 ms of a processor, and would
    come in the midst of some request.
    """
    import_module(settings.ROOT_URLCONF)
    gc.collect()
    gc.freeze()


def share_times(home: Path) -> None:
    """
    Give the processes of this server a folder of their own, and remove those of servers that are gone.

    To be called before request times are first imported. A folder that someone has named stays as it is;
    where none can be made, each process reports about itself only.
    """
    if os.environ.get(VARIABLE):
        return
    servers = home / "request_times"
    # All have the same parent, which is as long as the server.
    own = servers / str(os.getppid())
    try:
        own.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        logger.warning("Each web process reports only its own request times: %s", error)
        return
    _remove_those_of_gone(servers)
    os.environ[VARIABLE] = str(own)


def _remove_those_of_gone(servers: Path) -> None:
    for folder in servers.iterdir():
        if not (folder.name.isdecimal() and psutil.pid_exists(int(folder.name))):
            shutil.rmtree(folder, ignore_errors=True)
