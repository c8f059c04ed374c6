"""
Measure jobs of fifty messages in the first minutes after `up`, from the request to the end.

They are created one after the other from the first page on, while the demo is loaded and Spark starts. Each
restarts failed messages, and the demo's hub processes them meanwhile.
"""

import http.client
import json
import statistics
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from benchmarks.lists import percentiles
from tests.hubconsole.console import Console

_SECONDS, _BETWEEN = 180.0, 2.0
_MESSAGES, _OF_A_JOB = 20_000, 50
_ENDED = {"done", "failed", "stopped"}


def measure() -> None:
    with tempfile.TemporaryDirectory(prefix="hubconsole-bench-") as folder:
        Path(folder).chmod(0o755)
        console = Console(Path(folder))
        try:
            console.start("--messages", str(_MESSAGES))
            _print(_Jobs(console).run())
        finally:
            console.remove()


def _print(found: list[tuple[float, float]]) -> None:
    print("seconds after the first page, and from the request to the end of the job:")
    print(", ".join(f"{at:.0f}: {seconds:.2f}" for at, seconds in found[:10]))
    p50, p95 = percentiles([seconds for _, seconds in found])
    print(f"{len(found)} jobs in {_SECONDS:.0f} s: p50 {p50:.2f}, p95 {p95:.2f} s")
    last = [seconds for at, seconds in found if at > _SECONDS / 2]
    print(f"in the second half: median {statistics.median(last):.2f}, at most {max(last):.2f} s")


class _Jobs:
    """The jobs that are running, and when each was requested."""

    def __init__(self, console: Console) -> None:
        self._port = console.port
        self._key = console.run("create_token", "admin").stdout.split()[-1]
        self._began = time.monotonic()
        self._running: dict[int, float] = {}

    def run(self) -> list[tuple[float, float]]:
        """Return when each job was requested, and how long it took, in seconds."""
        found = []
        due = 0.0
        while self._running or self._at() < _SECONDS:
            if due <= self._at() < _SECONDS:
                due = self._at() + _BETWEEN
                self._start()
            for job_id, at in list(self._running.items()):
                if self._ask(f"jobs/{job_id}/")["state"] in _ENDED:
                    found.append((at, self._at() - at))
                    del self._running[job_id]
            time.sleep(0.05)
        return sorted(found)

    def _start(self) -> None:
        """Restart failed messages, if there are any yet."""
        failed = self._ask(f"messages/?state=FAILED&page_size={_OF_A_JOB}")["results"]
        if failed:
            chosen = {"msg_id": [message["msg_id"] for message in failed]}
            at = self._at()
            body = {"kind": "restart", "filter": chosen, "reason": "benchmark"}
            self._running[self._ask("jobs/", body)["job_id"]] = at

    def _ask(self, path: str, body: Mapping[str, object] | None = None) -> dict:
        headers = {"Authorization": f"Token {self._key}", "Content-Type": "application/json"}
        method, text = ("GET", None) if body is None else ("POST", json.dumps(body))
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)) as server:
            server.request(method, f"/api/v1/{path}", text, headers)
            answer = server.getresponse()
            found = answer.read()
        if answer.status not in {200, 202}:
            raise SystemExit(found.decode())
        return json.loads(found)

    def _at(self) -> float:
        return time.monotonic() - self._began
