"""
Gunicorn's threaded worker, but a thread gets a request only when it has arrived.

Otherwise as many connections as threads, each with half a request, would keep all others waiting. The loop of
the worker receives heads and small bodies without a thread. Larger bodies need one, but only half of the
threads read bodies that are not complete.
"""

import re
import selectors
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from time import monotonic

from gunicorn.workers.gthread import TConn, ThreadWorker

# Larger bodies are received by a thread.
BUFFER_BYTES = 64 * 1024
_LINE_BYTES = 8192  # gunicorn refuses longer request lines
_END = b"\r\n\r\n"
# The length of such a body is not known, or its sender waits for an answer first.
_OF_OPEN_LENGTH = re.compile(rb"\r\n(?:transfer-encoding|expect|upgrade)[ \t]*:", re.IGNORECASE)
_LENGTH = re.compile(rb"\r\ncontent-length[ \t]*:[ \t]*0*(\d{1,15})[ \t]*(?=\r\n)", re.IGNORECASE)
_LONG_LENGTH = re.compile(rb"\r\ncontent-length[ \t]*:[ \t]*\d{16,}[ \t]*(?=\r\n)", re.IGNORECASE)


class Progress(Enum):
    """How much of a request has arrived: not all, all, or all that is received without a thread."""

    PARTIAL = auto()
    WHOLE = auto()
    LARGE = auto()


def progress_of(received: bytes | bytearray) -> Progress:
    """Return the progress of a request. Gunicorn itself refuses invalid ones, so they count as whole."""
    head_end = received.find(_END)
    if head_end < 0:
        is_too_long = len(received) > BUFFER_BYTES or b"\r\n" not in received[:_LINE_BYTES]
        return Progress.WHOLE if len(received) >= _LINE_BYTES and is_too_long else Progress.PARTIAL
    head = bytes(received[: head_end + 2])
    if _OF_OPEN_LENGTH.search(head):
        return Progress.LARGE
    lengths = _LENGTH.findall(head)
    if not lengths and _LONG_LENGTH.search(head):
        return Progress.LARGE
    missing = int(lengths[0]) + head_end + len(_END) - len(received) if lengths else 0
    if missing <= 0:
        return Progress.WHOLE
    return Progress.PARTIAL if int(lengths[0]) <= BUFFER_BYTES else Progress.LARGE


@dataclass(eq=False)
class _Arrival:
    """The bytes of a request that have arrived, and the time when its connection is closed."""

    received: bytearray
    deadline: float
    has_head: bool = False


class ArrivingWorker(ThreadWorker):
    """
    Attributes:
        header_seconds: the time for a head.
        body_seconds: the time from there for a small body, and for a large one to get a thread.
    """

    header_seconds = 10.0
    body_seconds = 10.0

    def init_process(self) -> None:
        self._arrivals: dict[TConn, _Arrival] = {}
        self._received: dict[TConn, bytes] = {}
        self._reading: set[TConn] = set()
        self._waiting: deque[tuple[TConn, float]] = deque()
        super().init_process()

    def enqueue_req(self, conn: TConn) -> None:
        """Receive a request. Gunicorn calls this for each new one, and would give it to a thread."""
        if self.cfg.is_ssl:  # The bytes are not those of the request.
            super().enqueue_req(conn)
            return
        pipelined = conn.parser.unreader.take_buffered() if conn.initialized else b""
        conn.sock.setblocking(False)
        self._arrivals[conn] = _Arrival(bytearray(pipelined), monotonic() + self.header_seconds)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive_bytes, conn))
        if pipelined:
            self._judge_arrival(conn)
        else:
            self._receive_bytes(conn)

    def handle(self, conn: TConn) -> object:
        received = self._received.pop(conn, b"")
        if received:
            conn.data_ready = True
            conn.init()
            conn.parser.unreader.unread(received)
        return super().handle(conn)

    def finish_request(self, conn: TConn, fs: "Future[object]") -> None:
        if conn in self._reading:
            self._reading.remove(conn)
            if self._waiting:
                self._read_in_thread(self._waiting.popleft()[0])
        super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        """Close connections whose requests are late. Gunicorn calls this at least once a second."""
        super().murder_pending()
        now = monotonic() if self.alive else float("inf")
        for conn in [conn for conn, arrival in self._arrivals.items() if arrival.deadline < now]:
            self._forget_arrival(conn)
        while self._waiting and self._waiting[0][1] < now:
            conn, _ = self._waiting.popleft()
            self._received.pop(conn, None)
            self._close_connection(conn)

    def _receive_bytes(self, conn: TConn, _sock: object = None) -> None:
        try:
            data = conn.sock.recv(BUFFER_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if data:
            self._arrivals[conn].received += data
            self._judge_arrival(conn)
        elif _END in self._arrivals[conn].received:
            # The caller sends no more, so reading the rest of the body does not wait, and gives its error.
            self._hand_over(conn)
        else:
            self._forget_arrival(conn)

    def _judge_arrival(self, conn: TConn) -> None:
        arrival = self._arrivals[conn]
        progress = progress_of(arrival.received)
        if progress is Progress.PARTIAL:
            if not arrival.has_head and _END in arrival.received:
                arrival.has_head = True
                arrival.deadline = monotonic() + self.body_seconds
            return
        if progress is Progress.WHOLE:
            self._hand_over(conn)
            return
        self._take_received(conn)
        if len(self._reading) < max(1, self.cfg.threads // 2):
            self._read_in_thread(conn)
        else:
            self._waiting.append((conn, monotonic() + self.body_seconds))

    def _hand_over(self, conn: TConn) -> None:
        self._take_received(conn)
        super().enqueue_req(conn)

    def _take_received(self, conn: TConn) -> None:
        self.poller.unregister(conn.sock)
        self._received[conn] = bytes(self._arrivals.pop(conn).received)

    def _read_in_thread(self, conn: TConn) -> None:
        self._reading.add(conn)
        super().enqueue_req(conn)

    def _forget_arrival(self, conn: TConn) -> None:
        del self._arrivals[conn]
        self.poller.unregister(conn.sock)
        self._close_connection(conn)

    def _close_connection(self, conn: TConn) -> None:
        self.nr_conns -= 1
        conn.close()
