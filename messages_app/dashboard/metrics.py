"""
/metrics in the text format of Prometheus: counts that are stored anyway, and request times.

Names follow the conventions of Prometheus: a prefix, base units, and `_total` for counters.
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import redis
from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.audit.stream.sending import read_stream_state
from messages_app.audit.verification import count_unsealed
from messages_app.core.clock import database_clock
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.request_times import request_times
from messages_app.core.statements import Statements
from messages_app.messages.metrics.counts import InState, now_by_state, read_freshness
from messages_app.messages.metrics.failing import failing_now
from messages_app.shared.message_states import MessageState

statements = Statements("messages_app.dashboard")


logger = logging.getLogger(__name__)

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
QUEUES = ("short", "spark")
MAX_STATES = 50
MAX_TARGETS = 200
_BROKER_SECONDS = 0.05
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})

Samples = Iterable[tuple[dict[str, str], float]]


@dataclass(frozen=True)
class Family:
    """All samples of one name."""

    name: str
    meaning: str
    samples: Samples

    def write_lines(self) -> Iterator[str]:
        yield f"# HELP {self.name} {self.meaning}"
        yield f"# TYPE {self.name} gauge"
        for labels, value in self.samples:
            pairs = ",".join(f'{name}="{text.translate(_ESCAPED)}"' for name, text in labels.items())
            yield (
                f"{self.name}{{{pairs}}} {_write_number(value)}"
                if pairs
                else f"{self.name} {_write_number(value)}"
            )


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
        "hubconsole_targets_missed",
        "Targets of a service or system that are missed today (UTC).",
        [
            ({"kind": kind, "name": name}, missed)
            for kind, name, missed in statements.fetch_rows("targets_missed", {"most": MAX_TARGETS})
        ],
    )
    yield Family("hubconsole_queue_length", "Tasks waiting for a worker.", _queue_lengths())


def _measure_messages() -> Iterator[Family]:
    now = database_clock()
    failing = failing_now().count
    states = now_by_state(before=now)
    of_failed = states.get(MessageState.FAILED) or InState(
        state=MessageState.FAILED, count=failing, long=0, since=now
    )
    states[MessageState.FAILED] = replace(of_failed, count=failing)
    largest = _most_of(states.values())
    yield Family(
        "hubconsole_failing_messages", "Live messages that are FAILED at this moment.", [({}, failing)]
    )
    yield Family(
        "hubconsole_messages",
        "Live messages by state, without OK.",
        [({"state": one.state}, one.count) for one in largest],
    )
    yield Family(
        "hubconsole_oldest_message_age_seconds",
        "Time since the last change of the oldest message in a state.",
        [({"state": one.state}, (now - one.since).total_seconds()) for one in largest],
    )
    _, seconds = read_freshness()
    yield Family(
        "hubconsole_rollup_age_seconds",
        "Time since the counts were last updated.",
        [] if seconds is None else [({}, seconds)],
    )


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
    with connection.cursor() as cursor:
        cursor.execute(statements.read_text("metrics"))
        rows = cursor.fetchall()
    for name, (label, meaning) in _OF_CONSOLE.items():
        samples = [({label: key} if label else {}, float(value)) for kind, key, value in rows if kind == name]
        yield Family(f"hubconsole_{name}", meaning, samples)


def _measure_audit() -> Iterator[Family]:
    waiting = count_unsealed()
    yield Family(
        "hubconsole_audit_unsealed", "Audit entries that are not sealed yet.", [({}, waiting.entries)]
    )
    yield Family(
        "hubconsole_audit_unsealed_age_seconds",
        "Age of the oldest audit entry that is not sealed yet.",
        [({}, waiting.seconds)],
    )


def _measure_stream() -> Iterator[Family]:
    state, waiting = read_stream_state()
    since = state.failing_since if state else None
    failing = (database_clock() - since).total_seconds() if since else 0.0
    for name, meaning, value in (
        ("waiting_seals", "Seals of the audit log whose entries are not sent to the receiver yet.", waiting),
        ("failing_seconds", "Time for which the receiver of the audit log has taken no entries.", failing),
    ):
        yield Family(f"hubconsole_audit_stream_{name}", meaning, [({}, value)] if state else [])


_OF_CONSOLE = {
    "jobs": ("state", "Active bulk jobs by state."),
    "job_lease_overdue_seconds": ("", "Longest time that a job is past its lease."),
    "alerts_open": ("", "Open alerts."),
    "failure_groups": ("state", "Failure groups by state."),
    "alert_notices_due": ("", "Alert notifications waiting to be sent."),
}


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
