"""
Configures gunicorn: its first check, its log lines, a limit for slow senders, and problems as its errors.

Options are on its command line (`--config python:hubconsole.gunicorn_config`). It loads this module before
the settings.
"""

import contextlib
import json
import multiprocessing
import os
import socket
import sys
import threading
import uuid
from time import monotonic

from gunicorn import util
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.workers.gthread import TConn

from hubconsole import log_lines
from hubconsole.arrivals import ArrivingWorker

# Not on the command line, where a second address would be added to it.
bind = "127.0.0.1:8000"
# The maximum, because a list may be narrowed to a thousand ids.
limit_request_line = 8190

# By status; gunicorn's own sentences explain the others.
_CODES = {414: "address_too_long", 431: "headers_too_large", 500: "internal_error", 501: "not_implemented"}
_DETAILS = {
    414: f"The request line can have at most {limit_request_line} bytes. Send a shorter filter.",
    431: "The headers are too large, or there are too many.",
    500: "An internal error occurred.",
}

worker_class = "hubconsole.gunicorn_config.Worker"

# From the first byte of a connection to the end of the headers, and from there to the end of the body.
HEADER_SECONDS = 10
BODY_SECONDS = 10
# Bytes of a refused body that are read and dropped, so that its sender reads the answer.
DROPPED_BYTES = 64 * 1024 * 1024
_ROUND = 1.0


def on_starting(_server: object) -> None:
    """
    End before the first web process, with one line, behind a pooler that does not keep sessions.

    If the web processes did this, several would end at the same moment, and gunicorn would print a traceback.
    """
    # A process of its own, so that gunicorn's main process never holds settings that a reload should renew.
    check = multiprocessing.get_context("fork").Process(target=_check_pooler)
    check.start()
    check.join()
    if check.exitcode:
        sys.exit(check.exitcode)


def _check_pooler() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")
    os.environ.setdefault("HUBCONSOLE_PROCESS", "web")
    from hubconsole.pooler import end_behind_pooler  # It needs the settings.

    end_behind_pooler()


class logger_class(Logger):  # noqa: N801 (gunicorn's name)
    """Gunicorn's logger with the log's layout. A dictionary configuration would make it log every request."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        for handler in (*self.error_log.handlers, *self.access_log.handlers):
            handler.setFormatter(log_lines.formatter_class()())


class Worker(ArrivingWorker):
    """
    The worker that receives heads and small bodies without a thread, and closes slow connections.

    If a body is refused unread, its rest is read and dropped up to a limit. Otherwise a sender that is still
    writing when the connection closes would get an error instead of the answer.

    A thread cannot be interrupted while it reads a large body, so one thread watches all connections and
    closes a slow one for reading. The read then ends as if the sender had disconnected.
    """

    def init_process(self) -> None:
        self._deadlines: dict[TConn, float] = {}
        self.header_seconds, self.body_seconds = HEADER_SECONDS, BODY_SECONDS
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

    def _keepalive_after(self, conn: TConn, keepalive: bool) -> bool:
        self._deadlines[conn] = deadline = monotonic() + BODY_SECONDS
        is_read = bool(conn.parser.finish_body(deadline=deadline, max_bytes=DROPPED_BYTES))
        return keepalive and is_read

    def _hang_up(self) -> None:
        pause = threading.Event()
        while not pause.wait(_ROUND):
            now = monotonic()
            for conn, deadline in list(self._deadlines.items()):
                if deadline < now and self._deadlines.pop(conn, 0.0):
                    with contextlib.suppress(OSError):  # It is already closed.
                        conn.sock.shutdown(socket.SHUT_RD)


def _write_problem(sock: socket.socket, status: int, title: str, text: str) -> None:
    """Answer a request that gunicorn cannot pass on. Its own function answers with a page without a code."""
    request_id = str(uuid.uuid4())
    body = json.dumps(
        {
            "type": "about:blank",
            "title": title,
            "status": status,
            "code": _CODES.get(status, "bad_request"),
            "detail": _DETAILS.get(status, text),
            "request_id": request_id,
        }
    )
    head = (
        f"HTTP/1.1 {status} {title}",
        "Connection: close",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        f"X-Request-ID: {request_id}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
    )
    util.write_nonblock(sock, "\r\n".join([*head, "", body]).encode("ascii"))


# The worker has no hook for this answer.
util.write_error = _write_problem
