"""An oracle that checks while a job runs: nothing forbidden at its end may exist in between."""

import threading

from django.db import Error, connection

from tests.support.oracle import Oracle, Verdict

_EVERY = 0.1  # seconds. Source: docs/contributing/spec/promises.md, I-14


class Watch:
    """Asks an oracle from a thread of its own, from now on; while the database is away it asks again."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.looks = 0
        self.broken: list[Verdict] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._is_over.set()
        self._thread.join()

    def check(self) -> None:
        """End it; fail if it, or a last check, found a fault."""
        self.end()
        assert self.looks > 0
        assert not self.broken, f"while it ran: {self.broken[0]}"
        last = self.oracle.verdict()
        assert last.is_clean, f"at the end: {last}"

    def _look_on(self) -> None:
        try:
            while not self._is_over.wait(_EVERY):
                self._look()
        finally:
            connection.close()

    def _look(self) -> None:
        try:
            verdict = self.oracle.verdict()
        except (Error, OSError):  # or a file was removed that this snapshot still knew
            connection.close()
            return
        self.looks += 1
        if not verdict.is_clean:
            self.broken.append(verdict)
