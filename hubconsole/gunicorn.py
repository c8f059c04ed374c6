"""
How gunicorn serves here: its own lines look as all others in the log, and slow senders lose their connection.

Its options are where it is started (`--config python:hubconsole.gunicorn`). It reads this before there are
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

# As long as it can be: a list may be narrowed to a thousand ids.
limit_request_line = 8190

worker_class = "hubconsole.gunicorn.Worker"

# From a connection's first byte to the end of the headers, and from there to the end of the body.
HEADER_SECONDS = 10
BODY_SECONDS = 10
_ROUND = 1.0


class logger_class(Logger):  # noqa: N801 (gunicorn's name)
    """Gunicorn's, but for the layout; by a dictionary, it would begin to log every request."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        for handler in (*self.error_log.handlers, *self.access_log.handlers):
            handler.setFormatter(log_lines.formatter_class()())


class Worker(ThreadWorker):
    """
    Gunicorn's worker of threads, which no longer waits forever for a request that comes byte by byte.

    A thread cannot be interrupted while it reads. So its connection is closed for reading, by a thread that
    looks after all of them: the read then ends as if the sender had hung up.
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
                    with contextlib.suppress(OSError):  # it is closed already
                        conn.sock.shutdown(socket.SHUT_RD)
