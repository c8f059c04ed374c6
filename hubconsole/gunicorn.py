"""
Configures gunicorn: its lines have the log's layout, and slow senders are disconnected.

Options are on its command line (`--config python:hubconsole.gunicorn`). It loads this module before the
settings.
"""

import contextlib
import socket
import threading
from time import monotonic

from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.workers.gthread import TConn, ThreadWorker

from hubconsole import log_lines

# The maximum, because a list may be narrowed to a thousand ids.
limit_request_line = 8190

worker_class = "hubconsole.gunicorn.Worker"

# From the first byte of a connection to the end of the headers, and from there to the end of the body.
HEADER_SECONDS = 10
BODY_SECONDS = 10
_ROUND = 1.0


class logger_class(Logger):  # noqa: N801 (gunicorn's name)
    """Gunicorn's logger with the log's layout. A dictionary configuration would make it log every request."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        for handler in (*self.error_log.handlers, *self.access_log.handlers):
            handler.setFormatter(log_lines.formatter_class()())


class Worker(ThreadWorker):
    """
    Gunicorn's threaded worker, but it does not wait forever for a request that comes byte by byte.

    A thread cannot be interrupted while it reads, so one thread watches all connections and closes a slow one
    for reading. The read then ends as if the sender had disconnected.
    """

    def init_process(self) -> None:
        self._deadlines: dict[TConn, float] = {}
        threading.Thread(target=self._hang_up, name="slow-senders", daemon=True).start()
        super().init_process()

    def handle(self, conn: TConn) -> object:
        self._deadlines[conn] = monotonic() + HEADER_SECONDS
        try:
            return super().handle(conn)
        finally:
            self._deadlines.pop(conn, None)

    def handle_request(self, req: object, conn: TConn) -> object:
        self._deadlines[conn] = monotonic() + BODY_SECONDS
        return super().handle_request(req, conn)

    def _hang_up(self) -> None:
        pause = threading.Event()
        while not pause.wait(_ROUND):
            now = monotonic()
            for conn, deadline in list(self._deadlines.items()):
                if deadline < now and self._deadlines.pop(conn, 0.0):
                    with contextlib.suppress(OSError):  # It is already closed.
                        conn.sock.shutdown(socket.SHUT_RD)
