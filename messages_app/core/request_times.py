"""
The durations of requests, by view, method and class of status, over all web processes.

Processes record them in files of one folder (hubconsole/preload.py); a single process in memory.
"""

import os
import threading
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Histogram, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from messages_app.core.metric_families import Metric

REQUEST_TIMES = Metric(
    name="hubconsole_http_request_duration_seconds",
    labels=("view", "method", "status"),
    kind="histogram",
    meaning="How long requests took until their answer began.",
    see="howto/monitor_with_prometheus#request-times",
)
# They include the budgets: 200 ms of /metrics, 300 ms of lists and 500 ms of the first page
# (docs/contributing/spec/design.md, "Budgets").
_BOUNDS = (0.02, 0.1, 0.2, 0.3, 0.5, 1, 5)
# All other methods that a caller may invent have one label.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Each view, method and class of status adds eleven lines to every scrape. A process has this many labels at
# most. Later ones count as "other", and requests that were turned away as "refused", so that no stranger can
# fill the table.
MAX_APART = 300
_TURNED_AWAY = frozenset({401, 403, 405, 429})
# The library reads the name of its folder only once, when it is imported.
_FOLDER = os.environ.get("PROMETHEUS_MULTIPROC_DIR")

disable_created_metrics()
_OWN = CollectorRegistry()
_SECONDS = Histogram(
    REQUEST_TIMES.name,
    REQUEST_TIMES.meaning,
    REQUEST_TIMES.labels,
    buckets=_BOUNDS,
    registry=_OWN,
)


class RequestTimesMiddleware:
    """Records the duration of each request, except for static files, which never get here."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        _SECONDS.labels(*_apart.labels_of(request, response)).observe(time.perf_counter() - began)
        return response


class _Apart:
    """The labels that this process counts separately, at most MAX_APART."""

    def __init__(self) -> None:
        self._labels: set[tuple[str, str, str]] = set()
        self._lock = threading.Lock()

    def labels_of(self, request: HttpRequest, response: HttpResponse) -> tuple[str, str, str]:
        """Return view, method and class of status, or the labels for further requests."""
        method = request.method if request.method in _METHODS else "other"
        status = f"{response.status_code // 100}xx"
        if _is_turned_away(response):
            return "refused", method, status
        labels = (_view_of(request), method, status)
        with self._lock:
            if labels in self._labels or len(self._labels) < MAX_APART:
                self._labels.add(labels)
                return labels
        return "other", method, status


def _is_turned_away(response: HttpResponse) -> bool:
    to = response.headers.get("Location", "")
    return response.status_code in _TURNED_AWAY or to.startswith(("/login/", "/admin/login/"))


_apart = _Apart()


def _view_of(request: HttpRequest) -> str:
    """Return the name of the view, or the pattern of its address, but never a text from the caller."""
    match = request.resolver_match
    if match is None:
        return "none"
    return match.view_name if match.url_name else match.route


def request_times() -> str:
    """Return the times of all processes in the text format of Prometheus."""
    return generate_latest(_all_processes() if _FOLDER else _OWN).decode()


def _all_processes() -> CollectorRegistry:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=_FOLDER)
    return registry
