"""A proxy to the database that can lose the answer to a COMMIT: the change is stored, but not confirmed."""

import socket
import threading
from contextlib import suppress

_LOOPBACK = "127.0.0.1"
# With its end: READ COMMITTED also holds the word.
_COMMIT = b"COMMIT\x00"


class Proxy:
    """Listens on a port of its own and passes everything on to `port`."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server((_LOOPBACK, 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self.lost = 0
        self._to_lose = 0
        self._lock = threading.Lock()
        self._begin(self._accept)

    def lose_commits(self, count: int) -> None:
        """Pass on the given number of COMMITs, and cut each connection before its answer."""
        with self._lock:
            self._to_lose = count

    def stop(self) -> None:
        self._listener.close()

    def _begin(self, work, *arguments: object) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # closed at the end
            while True:
                client, _ = self._listener.accept()
                try:
                    server = socket.create_connection((_LOOPBACK, self._target))
                except OSError:
                    client.close()  # the database is away
                    continue
                is_cut = threading.Event()
                self._begin(self._pass_questions, client, server, is_cut)
                self._begin(self._pass_answers, server, client, is_cut)

    def _pass_questions(self, client: socket.socket, server: socket.socket, is_cut: threading.Event) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                if _COMMIT in data and self._is_to_be_lost():
                    is_cut.set()
                server.sendall(data)
        _close(client, server)

    def _pass_answers(self, server: socket.socket, client: socket.socket, is_cut: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if is_cut.is_set():
                    break
                client.sendall(data)
        _close(client, server)

    def _is_to_be_lost(self) -> bool:
        with self._lock:
            if not self._to_lose:
                return False
            self._to_lose -= 1
            self.lost += 1
            return True


def _close(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
