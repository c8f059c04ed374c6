"""
Prepares a web process before its first request.

It loads the pages, so that no user waits for that, and joins the folder in which the web processes of one
server record request times, so that any of them can report all.
"""

import gc
import logging
import os
import shutil
from importlib import import_module
from pathlib import Path

import psutil
from django.conf import settings
from django.db import DatabaseError, connection

logger = logging.getLogger(__name__)

# The metrics library looks here.
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def warm_up() -> None:
    """
    Load the pages, describe the API, and exempt the loaded objects from garbage collection.

    Otherwise the first request would load them. A full collection of all modules takes 100 ms of CPU time and
    would interrupt some request.
    """
    import_module(settings.ROOT_URLCONF)
    # On a machine under load, the first request that needs one of these would reach its limit.
    import_module("messages_app.core.api_docs").describe_api()
    import_module("messages_app.manual.library").read_manual()
    try:
        _warm_up_stores()
    except DatabaseError:  # It is loaded when a schema needs it.
        logger.warning("The database did not answer while the pages were loaded.")
    finally:
        connection.close()
    gc.collect()
    gc.freeze()


def _warm_up_stores() -> None:
    # Imported here, because models can be imported only when Django is ready.
    from messages_app.core.store_functions import functions_of_stores

    for functions in functions_of_stores():
        if functions.warm_up:
            functions.warm_up()


def share_times(home: Path) -> None:
    """
    Give the processes of this server a folder of their own, and remove those of ended servers.

    Call it before request times are first imported. A folder set by the operator is left unchanged. If none
    can be created, each process reports only its own times.
    """
    if os.environ.get(VARIABLE):
        return
    servers = home / "request_times"
    # The parent is the same for all and runs as long as the server.
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
