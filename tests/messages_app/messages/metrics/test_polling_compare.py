"""The records of one comparison of polled messages, for messages that each differ in one way."""

from datetime import datetime, timedelta

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.messages.failures.models import FailureMember, NewFailure
from messages_app.messages.metrics import polling
from messages_app.messages.metrics.models import MessageChange, PolledMessage
from messages_app.messages.models import Message, MessageEvent
from tests.support.factories import make_message
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
NAMES = {"service_name": "orders", "operation_name": "create", "source_system": "CRM"}
COPIED = (
    "msg_id",
    "receive_timestamp",
    "last_process_timestamp",
    "state",
    "service_name",
    "operation_name",
    "source_system",
    "failed_error_code",
)


@pytest.fixture
def now() -> datetime:
    return transaction_time()


@pytest.fixture
def start(now) -> datetime:
    """Return a minute about an hour and a half ago, in which all messages have changed last."""
    return now.replace(second=0, microsecond=0) - 90 * MINUTE


def store(msg_id: int, at: datetime, **columns: object) -> None:
    make_message(
        msg_id=msg_id, **NAMES | {"receive_timestamp": at - HOUR, "last_process_timestamp": at} | columns
    )


def know(msg_id: int, at: datetime, **columns: object) -> None:
    """Store a message as the last poll found it."""
    defaults = {"receive_timestamp": at - HOUR, "last_process_timestamp": at, "failed_error_code": ""}
    PolledMessage.objects.create(msg_id=msg_id, **NAMES | defaults | columns)


def compare(*msg_ids: int, safe: int = 100) -> int:
    """Forget what triggers have recorded, and compare messages."""
    for model in (MessageEvent, MessageChange, NewFailure):
        model.objects.all().delete()
    return polling.statements.only_row("compare_polled", {"msg_ids": list(msg_ids), "safe": safe})[0]


def events() -> list[tuple]:
    found = MessageEvent.objects.order_by("event_id")
    return list(found.values_list("msg_id", "from_state", "to_state", "actor", "at"))


def changes() -> set[tuple]:
    columns = ("minute", "state", "service_name", "failed_error_code", "present", "entered", "took")
    return {
        (*row[:6], tuple(row[6]) if row[6] else None) for row in MessageChange.objects.values_list(*columns)
    }


class TestComparePolled:
    def test_records_differences_once_and_replaces_the_copies(self, now, start):
        late = now - MINUTE
        minute = late.replace(second=0, microsecond=0)
        store(1, start, state="OK"), know(1, start, state="OK")
        store(2, late, state="OK", receive_timestamp=late - 100 * timedelta(seconds=1))
        know(2, start, state="PROCESSING")
        store(3, start, state="FAILED", failed_error_code="E2")
        know(3, start, state="FAILED", failed_error_code="E1")
        know(4, start, state="NEW")
        store(5, start, state="NEW"), know(5, start, state="NEW")
        assert compare(1, 2, 2, 3, 4) == 3
        assert events() == [(2, "PROCESSING", "OK", None, late)]
        assert changes() == {
            (start, "PROCESSING", "orders", "", -1, 0, None),
            # 2 ** (26 / 4) = 91 seconds
            (minute, "OK", "orders", "", 1, 1, (26,)),
            (start, "FAILED", "orders", "E1", -1, 0, None),
            (start, "FAILED", "orders", "E2", 1, 0, None),
            (start, "NEW", "orders", "", -1, 0, None),
        }
        expected = {
            (*row[:7], row[7] or "")
            for row in Message.objects.filter(pk__in=[1, 2, 3, 5]).values_list(*COPIED)
        }
        assert set(PolledMessage.objects.values_list(*COPIED)) == expected
        assert not NewFailure.objects.exists()
        assert (compare(1, 2, 3, 4), changes(), events()) == (0, set(), [])

    @pytest.mark.parametrize("column", [name for name in COPIED if name != "msg_id"])
    def test_copies_each_column_that_has_changed(self, now, start, column):
        other = {
            "receive_timestamp": start - 2 * HOUR,
            "last_process_timestamp": start + MINUTE,
            "state": "WAITING",
            "service_name": "billing",
            "operation_name": "pay",
            "source_system": "ERP",
            "failed_error_code": "E9",
        }
        store(7, start, state="NEW"), know(7, start, state="NEW")
        Message.objects.filter(pk=7).update(**{column: other[column]})
        assert compare(7) == 1
        assert PolledMessage.objects.values_list(column, flat=True).get() == other[column]
        assert len(events()) == (column == "state")
        kept = {"receive_timestamp"}  # counts have the last change only
        sums = sorted(MessageChange.objects.exclude(present=0).values_list("present", flat=True))
        assert sums == ([] if column in kept else [-1, 1])

    def test_new_messages_have_entered_their_state_unless_they_are_old(self, now, start):
        recent = now - 59 * MINUTE
        for msg_id, received in ((100, start), (101, start), (99, recent), (98, now - 61 * MINUTE)):
            store(msg_id, start, state="NEW", receive_timestamp=received)
        assert compare(98, 99, 100, 101) == 4
        assert changes() == {(start, "NEW", "orders", "", 4, 2, None)}
        assert (events(), PolledMessage.objects.count()) == ([], 4)

    def test_changes_without_a_time_have_that_of_the_poll(self, now, start):
        store(1, start, state="CANCEL"), know(1, start, state="NEW")
        store(2, now + HOUR, state="OK"), know(2, start, state="NEW")
        store(3, start, state="OK"), know(3, start, state="NEW", last_process_timestamp=None)
        compare(1, 2, 3)
        times = {msg_id: at for msg_id, *_, at in events()}
        assert times[3] == start
        assert all(now <= times[msg_id] < now + MINUTE for msg_id in (1, 2))

    def test_events_are_in_the_order_of_their_times(self, now, start):
        for msg_id, minutes in ((1, 3), (2, 1), (3, 2), (4, 1)):
            store(msg_id, start + minutes * MINUTE, state="OK"), know(msg_id, start, state="NEW")
        compare(1, 2, 3, 4)
        assert [event[0] for event in events()] == [2, 4, 3, 1]

    def test_new_failures_are_queued_unless_they_are_grouped(self, now, start):
        at = start.replace(microsecond=500) + MINUTE
        for msg_id in (1, 2, 3):
            store(msg_id, at, state="FAILED", failed_error_code="E7", failed_desc="no customer\nat line 7")
            know(msg_id, start, state="NEW")
        store(4, at, state="OK"), know(4, start, state="FAILED")
        FailureMember.objects.create(msg_id=2, group_id=1, at=at.replace(microsecond=0))
        FailureMember.objects.create(msg_id=3, group_id=1, at=at - MINUTE)
        compare(1, 2, 3, 4)
        columns = ("msg_id", "at", "service_name", "operation_name", "failed_error_code")
        assert set(NewFailure.objects.values_list(*columns)) == {
            (msg_id, at, "orders", "create", "E7") for msg_id in (1, 3)
        }
        assert all(
            text.startswith("no customer") for text in NewFailure.objects.values_list("text", flat=True)
        )


class TestActors:
    def entry(self, msg_id: int, actor: str, at: datetime, **columns: object) -> None:
        defaults = {"action": "cancel", "outcome": "done", "after_state": "CANCEL"}
        entry = AuditEntry.objects.create(msg_id=msg_id, actor=actor, **defaults | columns)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")  # entries cannot be changed
            cursor.execute("UPDATE audit_entry SET at = %s WHERE entry_id = %s", [at, entry.pk])
            cursor.execute("SET LOCAL session_replication_role TO DEFAULT")

    def test_are_those_of_the_last_action_that_led_to_the_state(self, now, start):
        for msg_id in range(1, 8):
            store(msg_id, start, state="CANCEL"), know(msg_id, start, state="NEW")
        self.entry(1, "ada", start + MINUTE), self.entry(1, "bob", start + 2 * MINUTE)
        self.entry(2, "ada", start + MINUTE, outcome="refused")
        self.entry(3, "ada", start + MINUTE, after_state="OK")
        self.entry(4, "ada", start)
        self.entry(5, "ada", start + timedelta(microseconds=1))
        for model in (MessageEvent, MessageChange, NewFailure):
            model.objects.all().delete()
        for msg_id, minutes in ((6, 2), (7, 2), (1, 0)):
            self.entry(msg_id, "eve", start + minutes * MINUTE)
        MessageEvent.objects.create(msg_id=6, from_state="OK", to_state="NEW", at=start + 2 * MINUTE)
        MessageEvent.objects.create(msg_id=7, from_state="OK", to_state="NEW", at=start + MINUTE)
        MessageEvent.objects.create(msg_id=9, from_state="OK", to_state="NEW", at=now)
        known = set(MessageEvent.objects.values_list("pk", flat=True))
        polling.statements.only_row("compare_polled", {"msg_ids": list(range(1, 8)), "safe": 100})
        found = MessageEvent.objects.exclude(pk__in=known).values_list("msg_id", "actor", "at")
        actors = {msg_id: (actor, at if actor else None) for msg_id, actor, at in found}
        assert actors == {
            1: ("bob", start + 2 * MINUTE),
            2: (None, None),
            3: (None, None),
            4: (None, None),
            5: ("ada", start + timedelta(microseconds=1)),
            6: (None, None),
            7: ("eve", start + 2 * MINUTE),
        }

    def test_are_those_of_jobs_that_changed_the_state(self, now, start):
        for number, (old, new, committed) in enumerate(
            (
                ("NEW", "CANCEL", start + MINUTE),
                ("NEW", "CANCEL", start - MINUTE),
                ("OK", "CANCEL", start + MINUTE),
                ("NEW", "OK", start + MINUTE),
                ("NEW", None, start + MINUTE),
            ),
            start=1,
        ):
            store(number, start, state="CANCEL"), know(number, start, state="NEW")
            job = Job.objects.create(kind="cancel", state="done", reason="r", created_by=f"user {number}")
            JobChunk.objects.create(
                job_id=job.pk,
                chunk_no=0,
                content="messages",
                planned=1,
                outcomes={"done": 1},
                new_state=new,
                committed_at=committed,
            )
            item = {"job_id": job.pk, "msg_id": number, "root_msg_id": number, "old_state": old}
            JobItem.objects.create(chunk_no=0, **item)
        compare(1, 2, 3, 4, 5)
        actors = {msg_id: (actor, at) for msg_id, _, _, actor, at in events() if actor}
        assert actors == {1: ("user 1", start + MINUTE)}
