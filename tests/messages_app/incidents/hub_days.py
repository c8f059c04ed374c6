"""Writes a generated day into the hub's tables, and scores the incidents that the real pass made of it."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.incidents.models import Incident
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.passes import fold_changes
from tests.messages_app.incidents import days, outages, variant_outages
from tests.messages_app.incidents.days import Day, Score


class Event(NamedTuple):
    """A failure of a day, as the hub has it."""

    minute: int
    truth: str
    service: str
    operation: str
    sender: str
    system: str
    code: str
    text: str


class EventDay(Day):
    """A day that also keeps its failures one by one."""

    def add_failure(self, minute: int, truth: str, **columns: str) -> None:
        super().add_failure(minute, truth, **columns)
        if minute <= self.window.now:
            self.__dict__.setdefault("events", []).append(Event(minute, truth, **columns))


def make_event_day(seed: int, shape: str) -> EventDay:
    """Return the day of a seed with its failures one by one."""
    with _keep_events():
        return outages.make_day(seed, shape, known_system=outages.BY_CALL)


def make_mixed_event_day(seed: int) -> EventDay:
    """Return the day of a seed with several changes, and its failures one by one."""
    with _keep_events():
        return variant_outages.make_day(seed)


@contextmanager
def _keep_events() -> Iterator[None]:
    outages.Day = EventDay
    try:
        yield
    finally:
        outages.Day = days.Day


_MESSAGES = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp,
                     service_name, source_system, state, operation_name, payload, failed_error_code,
                     failed_desc)
SELECT id, 'day-' || id, at, at, at, service, sender, state, operation, '<a/>', nullif(code, ''),
       nullif(text, '')
  FROM unnest(%s::bigint[], %s::timestamptz[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[],
              %s::text[]) AS row (id, at, service, sender, operation, state, code, text)
"""
_REQUESTS = """
INSERT INTO request (req_id, msg_id, res_join_id, uri, req_envelope, req_timestamp)
SELECT id, id, 'join-' || id, uri, '<a/>', at
  FROM unnest(%s::bigint[], %s::text[], %s::timestamptz[]) AS row (id, uri, at)
"""


def write_day(day: EventDay) -> dict[int, str]:
    """Store the messages of a day, and return the outage of each failed one; '' is the background."""
    now = database_clock().astimezone(UTC).replace(second=0, microsecond=0)
    rows, requests, truths = [], [], {}
    failed = Counter((one.service, one.sender, one.minute) for one in day.events)
    for one in day.events:
        msg_id = 1_000_000 + len(rows)
        at = time_of(now, day, one.minute)
        rows.append((msg_id, at, one.service, one.sender, one.operation, "FAILED", one.code[:5], one.text))
        truths[msg_id] = one.truth
        if one.system:
            port = "" if ":" in one.system else f":{8440 + msg_id % 4}"
            requests.append((msg_id, f"https://{one.system}{port}/api/{one.operation}", at))
    for (service, sender, minute), count in day.messages.items():
        for _ in range(count - failed[service, sender, minute]):
            at = time_of(now, day, minute)
            rows.append((1_000_000 + len(rows), at, service, sender, "any", "OK", "", ""))
    with connection.cursor() as cursor:
        cursor.execute(_MESSAGES, [list(column) for column in zip(*rows, strict=True)])
        if requests:
            cursor.execute(_REQUESTS, [list(column) for column in zip(*requests, strict=True)])
    return truths


def time_of(now: datetime, day: Day, minute: int) -> datetime:
    return now - timedelta(minutes=day.window.now - minute)


def gather_day() -> None:
    """Count and gather what the hub has, as the workers do."""
    fold_changes()
    group_new_failures()


_PLACES = """
SELECT member.msg_id, range.incident_id
  FROM failure_member AS member
  JOIN incident_cell AS range USING (cell_id)
 WHERE member.at >= range.first
   AND member.at < range.last + interval '1 minute'
"""


def find_incidents() -> dict[int, int]:
    """Return the incident of each failed message; none is in two."""
    with connection.cursor() as cursor:
        cursor.execute(_PLACES)
        rows = cursor.fetchall()
    places = dict(rows)
    if len(places) != len(rows):
        raise AssertionError("A message is in two incidents.")
    return places


def score_incidents(day: EventDay, truths: dict[int, str]) -> list[Score]:
    """Return how well each outage is one incident."""
    places = find_incidents()
    totals = Counter(places.values())
    parts: dict[str, Counter[int]] = defaultdict(Counter)
    for msg_id, incident_id in places.items():
        parts[truths[msg_id]][incident_id] += 1
    sizes = Counter(truths.values())
    stored = set(Incident.objects.values_list("pk", flat=True))
    scores = []
    for outage in day.outages:
        incident_id, inside = parts[outage].most_common(1)[0] if parts[outage] else (-1, 0)
        assert incident_id in stored or inside == 0
        scores.append(Score(outage, sizes[outage], inside, totals[incident_id] - inside))
    return scores
