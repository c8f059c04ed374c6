"""
/metrics in the text format of Prometheus: counts that are stored anyway, and request times.

`published_metrics.py` declares the names.
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import redis
from django.conf import settings
from django.http import HttpResponse
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.audit.stream.sending import read_stream_state
from messages_app.audit.verification import count_unsealed
from messages_app.core.clock import database_clock
from messages_app.core.metric_families import Metric
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.request_times import request_times
from messages_app.core.statements import Statements
from messages_app.dashboard import published_metrics as published
from messages_app.dashboard.published_metrics import MAX_STATES, MAX_TARGETS
from messages_app.messages.metrics.counts import InState, now_by_state, read_freshness
from messages_app.messages.metrics.failing import failing_now
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.dashboard")


logger = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
QUEUES = ("short", "spark")
_BROKER_SECONDS = 0.05
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})

Samples = Iterable[tuple[dict[str, str], float]]


@dataclass(frozen=True)
class Family:
    """The samples of a metric."""

    metric: Metric
    samples: Samples

    def write_lines(self) -> Iterator[str]:
        name = self.metric.name
        yield f"# HELP {name} {self.metric.meaning}"
        yield f"# TYPE {name} {self.metric.kind}"
        for labels, value in self.samples:
            pairs = ",".join(f'{label}="{text.translate(_ESCAPED)}"' for label, text in labels.items())
            yield f"{name}{{{pairs}}} {_write_number(value)}" if pairs else f"{name} {_write_number(value)}"


def _write_number(value: float) -> str:
    """Write a number with all its digits, and a whole number without a point."""
    return str(int(value)) if value == int(value) else str(float(value))


class MetricsView(ApiView):
    """For a scraper with the token of a user who may view messages. Not part of the API description."""

    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    schema = None

    def get(self, request: Request) -> HttpResponse:
        lines = (line for family in read_families() for line in family.write_lines())
        return HttpResponse("\n".join(lines) + "\n" + request_times(), content_type=CONTENT_TYPE)


def read_families() -> Iterator[Family]:
    """Yield the metrics; each family is a few rows of small tables."""
    yield from _measure_messages()
    yield from _measure_console()
    yield from _measure_audit()
    yield from _measure_stream()
    yield Family(
        published.TARGETS_MISSED,
        [
            ({"kind": kind, "name": name}, missed)
            for kind, name, missed in statements.fetch_rows("targets_missed", {"most": MAX_TARGETS})
        ],
    )
    yield Family(published.QUEUE_LENGTH, _queue_lengths())


def _measure_messages() -> Iterator[Family]:
    now = database_clock()
    failing = failing_now().count
    states = now_by_state(before=now)
    of_failed = states.get(MessageState.FAILED) or InState(
        state=MessageState.FAILED, count=failing, long=0, since=now
    )
    states[MessageState.FAILED] = replace(of_failed, count=failing)
    largest = _most_of(states.values())
    yield Family(published.FAILING, [({}, failing)])
    yield Family(published.MESSAGES, [({"state": one.state}, one.count) for one in largest])
    ages = [({"state": one.state}, (now - one.since).total_seconds()) for one in largest]
    yield Family(published.OLDEST, ages)
    _, seconds = read_freshness()
    yield Family(published.ROLLUP_AGE, [] if seconds is None else [({}, seconds)])


def _most_of(states: Iterable[InState]) -> list[InState]:
    """Return the states with the most messages, and all others together, because a hub may write any text as
    a state."""
    ordered = sorted(states, key=lambda one: one.count, reverse=True)
    others = ordered[MAX_STATES:]
    if not others:
        return ordered
    return [
        *ordered[:MAX_STATES],
        InState(
            state="other",
            count=sum(one.count for one in others),
            long=sum(one.long for one in others),
            since=min(one.since for one in others),
        ),
    ]


def _measure_console() -> Iterator[Family]:
    rows: list[tuple[str, str, float]] = statements.fetch_rows("metrics", {})
    for metric in _OF_CONSOLE:
        own = [(key, float(value)) for kind, key, value in rows if published.PREFIX + kind == metric.name]
        yield Family(metric, [(dict.fromkeys(metric.labels, key), value) for key, value in own])


def _measure_audit() -> Iterator[Family]:
    waiting = count_unsealed()
    yield Family(published.UNSEALED, [({}, waiting.entries)])
    yield Family(published.UNSEALED_AGE, [({}, waiting.seconds)])


def _measure_stream() -> Iterator[Family]:
    state, waiting = read_stream_state()
    since = state.failing_since if state else None
    failing = (database_clock() - since).total_seconds() if since else 0.0
    yield Family(published.STREAM_WAITING, [({}, waiting)] if state else [])
    yield Family(published.STREAM_FAILING, [({}, failing)] if state else [])


# Each has its samples from one statement, and at most one label.
_OF_CONSOLE = (
    published.JOBS,
    published.LEASE_OVERDUE,
    published.ALERTS_OPEN,
    published.FAILURE_GROUPS,
    published.NOTICES_DUE,
)


def _queue_lengths() -> Samples:
    """Return how many tasks wait, if the broker can count them cheaply."""
    if not settings.CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
        return []
    waits = {"socket_timeout": _BROKER_SECONDS, "socket_connect_timeout": _BROKER_SECONDS}
    try:
        with redis.Redis.from_url(settings.CELERY_BROKER_URL, **waits) as client:
            return [({"queue": name}, client.llen(name)) for name in QUEUES]
    except redis.RedisError:
        logger.warning("metrics: the broker did not answer.")
        return []


show_metrics = checks_parameters(MetricsView.as_view())
