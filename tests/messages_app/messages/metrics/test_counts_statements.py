"""
The triggers record the differences between the rows before and after random statements on messages.

The expectation is computed here from all rows, so it holds for statements of one message, which have their
own inserts in the triggers, and for all others.
"""

import math
import random
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest
from django.db import connection, transaction

from messages_app.core.clock import database_clock
from messages_app.core.trigger_gaps import TriggerGap
from messages_app.messages.failures.models import NewFailure
from messages_app.messages.metrics.models import MessageRollup, MessageTook
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message, MessageEvent
from tests.messages_app.messages.metrics.counting import counted_one_by_one, counts
from tests.support.factories import make_messages

pytestmark = pytest.mark.django_db

STATES = ("NEW", "PROCESSING", "WAITING", "PARTLY_FAILED", "FAILED", "OK", "CANCEL")
SERVICES = ("billing", "shipping")
# Ages of messages and of their last change, in seconds: far from the steps of durations, in other minutes.
AGES = (100, 500, 900)
READ = """
SELECT msg_id, state, service_name, operation_name, source_system, coalesce(failed_error_code, ''),
       failed_desc, receive_timestamp, coalesce(last_process_timestamp, receive_timestamp)
  FROM message
"""
# The same message under a new id, with other values.
COPY = """
INSERT INTO message
SELECT (jsonb_populate_record(message, jsonb_build_object(
         'msg_id', nextval('hibernate_sequence'), 'correlation_id', 'copy' || currval('hibernate_sequence'),
         'state', %s::text))).*
  FROM message
 WHERE msg_id = ANY (%s)
"""


class Row(NamedTuple):
    """A message, with the time of its last change."""

    msg_id: int
    state: str
    service: str
    operation: str
    source: str
    code: str
    text: str | None
    received: datetime
    changed: datetime

    @property
    def failure(self) -> tuple:
        return self.msg_id, self.service, self.operation, self.code, self.text or ""


class Recorded:
    """The expected records of all statements; times of writes are called now."""

    def __init__(self) -> None:
        self.events: list[tuple] = []
        self.failures: list[tuple] = []
        self.entered: Counter[tuple] = Counter()
        self.took: Counter[tuple] = Counter()

    def add(self, before: dict[int, Row], after: dict[int, Row], *, actor: str, restoring: bool) -> None:
        for msg_id, new in after.items():
            old = before.get(msg_id)
            if old is None and not restoring:
                self._add_entry(new, _minute(new.changed))
            if old is not None and old.state != new.state:
                self.events.append((msg_id, old.state, new.state, actor or None))
                self._add_entry(new, "now")
                if new.state in ("OK", "FAILED"):
                    self.took[new.service, _step(database_clock() - new.received)] += 1

    def _add_entry(self, new: Row, minute: object) -> None:
        self.entered[minute, new.state, new.service, new.operation, new.source, new.code] += 1
        if new.state == "FAILED":
            self.failures.append(new.failure)


class Hub:
    """Random statements as a hub, an operator and an archive make them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.recorded = Recorded()

    def act(self) -> None:
        """Run one statement, which may be rolled back, and note what it should record."""
        before = _rows()
        actor = self.random.choice(("", "", "ada"))
        restoring = self.random.random() < 0.15
        statement = self.random.choice((self._update, self._update, self._update, self._insert, self._delete))
        is_kept = self.random.random() < 0.85
        with transaction.atomic():
            _set("hubconsole.actor", actor)
            _set("hubconsole.restoring", "on" if restoring else "")
            statement(sorted(before))
            after = _rows()
            transaction.set_rollback(not is_kept)
        if is_kept:
            self.recorded.add(before, after, actor=actor, restoring=restoring)

    def _some(self, ids: list[int]) -> list[int]:
        """Return one id mostly, and sometimes none or several."""
        return self.random.sample(ids, min(len(ids), self.random.choice((0, 1, 1, 1, 1, 2, 7))))

    def _update(self, ids: list[int]) -> None:
        change: Callable[[], dict[str, object]] = self.random.choice(
            (self._new_state, self._new_state, self._new_time, self._new_names, lambda: {"custom_data": "x"})
        )
        Message.objects.filter(pk__in=self._some(ids)).update(**change())

    def _new_state(self) -> dict[str, object]:
        names = self._new_names() if self.random.random() < 0.5 else {}
        return {"state": self.random.choice(STATES), **self._new_time(), **names}

    def _new_time(self) -> dict[str, object]:
        ago = timedelta(seconds=self.random.choice((0, *AGES)))
        return {"last_process_timestamp": database_clock() - ago}

    def _new_names(self) -> dict[str, object]:
        return {
            "service_name": self.random.choice(SERVICES),
            "failed_error_code": self.random.choice((None, "E103", "E105")),
            "failed_desc": self.random.choice((None, "refused")),
        }

    def _insert(self, ids: list[int]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(COPY, [self.random.choice(STATES), self._some(ids)])

    def _delete(self, ids: list[int]) -> None:
        Message.objects.filter(pk__in=self._some(ids[10:])).delete()


def _set(name: str, value: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [name, value])


def _rows() -> dict[int, Row]:
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return {row.msg_id: row for row in map(Row._make, cursor.fetchall())}


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


def _step(took: timedelta) -> int:
    return math.floor(4 * math.log2(max(took.total_seconds(), 0.01)))


def _entered(since: datetime) -> Counter[tuple]:
    """Return the entries of messages into states, with the word now for minutes since this time."""
    entered: Counter[tuple] = Counter()
    columns = ("state", "service_name", "operation_name", "source_system", "failed_error_code", "entered")
    for minute, *key, number in MessageRollup.objects.filter(entered__gt=0).values_list("minute", *columns):
        entered["now" if minute >= _minute(since) else minute, *key] += number
    return entered


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 30))], ids=str
)
def test_what_triggers_record_is_what_random_statements_did(seed: int):
    began = database_clock()
    make_messages(12, first=began - timedelta(seconds=max(AGES)))
    fold_changes()
    for model in (MessageEvent, NewFailure, MessageTook):
        model.objects.all().delete()
    MessageRollup.objects.update(entered=0)
    hub = Hub(seed)
    for _ in range(80):
        hub.act()
    fold_changes()

    assert counts() == counted_one_by_one()
    events = MessageEvent.objects.order_by("event_id").values_list(
        "msg_id", "from_state", "to_state", "actor"
    )
    assert sorted(events, key=str) == sorted(hub.recorded.events, key=str)
    failures = NewFailure.objects.values_list(
        "msg_id", "service_name", "operation_name", "failed_error_code", "text"
    )
    assert sorted(failures) == sorted(hub.recorded.failures)
    assert _entered(began) == _now_since(began, hub.recorded.entered)
    took = MessageTook.objects.values_list("service_name", "step", "messages")
    assert Counter({(service, step): number for service, step, number in took}) == hub.recorded.took
    assert not TriggerGap.objects.exists()


def _now_since(began: datetime, entered: Counter[tuple]) -> Counter[tuple]:
    """Return the same entries, with the word now for messages that were inserted with a time since then."""
    found: Counter[tuple] = Counter()
    for (minute, *key), number in entered.items():
        found[minute if minute != "now" and minute < _minute(began) else "now", *key] += number
    return found
