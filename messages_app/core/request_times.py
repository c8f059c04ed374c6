"""
How long requests take, by view, method and class of status: each web process notes its own, each shows all.

Processes note them in files next to each other (hubconsole/preload.py); a single one in its memory.
"""

import os
import threading
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Histogram, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

NAME = "hubconsole_http_request_duration_seconds"
# Among them 200 ms of /metrics, 300 ms of lists and 500 ms of the first page
# (docs/spec/design.md, "Budgets").
_BOUNDS = (0.02, 0.1, 0.2, 0.3, 0.5, 1, 5)
# Whatever else a caller writes there is one label.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Each view, method and class of status adds eleven lines to every scrape. A process tells so many apart;
# later ones count as "other", and requests that were turned away as "refused": no stranger fills the table.
MOST_APART = 300
_TURNED_AWAY = frozenset({401, 403, 405, 429})
# Where the library keeps its files; it looks when it is imported, and never again.
_FOLDER = os.environ.get("PROMETHEUS_MULTIPROC_DIR")

disable_created_metrics()
_OWN = CollectorRegistry()
_SECONDS = Histogram(
    NAME,
    "How long requests took until their answer began.",
    ("view", "method", "status"),
    buckets=_BOUNDS,
    registry=_OWN,
)


class RequestTimesMiddleware:
    """Notes how long each request took; files of the pages themselves never come so far."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        _SECONDS.labels(*_apart.labels(request, response)).observe(time.perf_counter() - began)
        return response


class _Apart:
    """The labels that this process counts separately, at most MOST_APART."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str, str]] = set()
        self._lock = threading.Lock()

    def labels(self, request: HttpRequest, response: HttpResponse) -> tuple[str, str, str]:
        """Return view, method and class of status."""
        method = request.method if request.method in _METHODS else "other"
        status = f"{response.status_code // 100}xx"
        if _is_turned_away(response):
            return "refused", method, status
        found = (_view_of(request), method, status)
        with self._lock:
            if found in self._known or len(self._known) < MOST_APART:
                self._known.add(found)
                return found
        return "other", method, status


def _is_turned_away(response: HttpResponse) -> bool:
    to = response.headers.get("Location", "")
    return response.status_code in _TURNED_AWAY or to.startswith(("/login/", "/admin/login/"))


_apart = _Apart()


def _view_of(request: HttpRequest) -> str:
    """Return the name of the view, or the pattern of its address: never what the caller wrote."""
    match = request.resolver_match
    if match is None:
        return "none"
    return match.view_name if match.url_name else match.route


def request_times() -> str:
    """Return the times of all processes in Prometheus' text format."""
    return generate_latest(_all_processes() if _FOLDER else _OWN).decode()


def _all_processes() -> CollectorRegistry:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=_FOLDER)
    return registry
