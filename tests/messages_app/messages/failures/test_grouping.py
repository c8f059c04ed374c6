import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import psycopg
import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.messages.failures.grouping import coarsen_minutes, group_new_failures
from messages_app.messages.failures.models import (
    FailureGroup,
    FailureMember,
    FailureMinute,
    GroupState,
    NewFailure,
)
from messages_app.messages.failures.services import mark_group
from messages_app.messages.models import Message
from tests.support.factories import NOON, make_message, make_messages
from tests.support.jobs import WHY
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db


def fail(*msg_ids: int, text: str = "E103: order 7 timed out") -> None:
    """Let the hub fail these messages permanently."""
    columns = {"state": "FAILED", "failed_error_code": "E103", "failed_desc": text}
    Message.objects.filter(pk__in=msg_ids).update(**columns)


def at(*, minutes: int) -> datetime:
    return database_clock().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(minutes=minutes)


def wait(msg_id: int, *, minutes: int, text: str) -> None:
    """Store a failure of this minute that waits for its group, as the hub's late transactions do."""
    NewFailure.objects.create(
        msg_id=msg_id,
        at=at(minutes=minutes),
        service_name="billing",
        operation_name="createInvoice",
        failed_error_code="E103",
        text=text,
    )


# The hub's statement waits for the function, which reads long texts.
_COUNT_EXCERPTS = """
CREATE SEQUENCE excerpt_count;
ALTER FUNCTION failure_excerpt(text) RENAME TO failure_excerpt_as_it_is;
CREATE FUNCTION failure_excerpt(error text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM nextval('excerpt_count');
  RETURN failure_excerpt_as_it_is(error);
END $$
"""


@pytest.fixture
def excerpts() -> Callable[[], int]:
    """Count the excerpts of error texts that the triggers make; give a function that reads the number."""

    def count() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM excerpt_count")
            return cursor.fetchone()[0]

    with connection.cursor() as cursor:
        cursor.execute(_COUNT_EXCERPTS)
    return count


class TestGroupNewFailures:
    def test_puts_similar_failures_into_one_group(self):
        one, two, three = (make_message() for _ in range(3))
        fail(one.pk, text="E103: order 1 timed out\n\tat a.B")
        fail(two.pk, text="E103: order 22 timed out\n\tat c.D")
        fail(three.pk, text="E103: refused")
        assert (group_new_failures(), group_new_failures()) == (3, 0)
        timed_out, refused = FailureGroup.objects.order_by("-failures")
        assert (timed_out.summary, timed_out.failures) == ("E103: order … timed out", 2)
        assert (timed_out.state, timed_out.example) == (GroupState.NEW, "E103: order 22 timed out")
        assert (refused.failures, refused.service_name, refused.operation_name) == (
            1,
            "billing",
            "createInvoice",
        )
        members = FailureMember.objects.filter(group_id=timed_out.pk).values_list("msg_id", flat=True)
        assert set(members) == {one.pk, two.pk}
        assert sum(FailureMinute.objects.values_list("failures", flat=True)) == 3

    def test_counts_each_failure_of_a_message(self):
        message = make_message()
        for _ in range(2):
            fail(message.pk)
            Message.objects.update(state="PARTLY_FAILED")
        group_new_failures()
        assert FailureGroup.objects.get().failures == 2
        assert FailureMember.objects.count() == 1

    def test_uses_the_time_of_a_message_that_was_stored_as_failed(self):
        make_message(state="FAILED", failed_desc="E101", last_process_timestamp=NOON)
        group_new_failures()
        assert FailureMinute.objects.get().minute == NOON.replace(
            hour=0
        )  # old failures are counted by the day
        assert FailureGroup.objects.get().first_seen == NOON

    def test_reads_the_error_text_only_of_messages_that_fail_in_the_statement(self, excerpts):
        one, two, three = (make_message(failed_desc="E103: refused") for _ in range(3))
        fail(one.pk)
        assert excerpts() == 1
        Message.objects.filter(pk=one.pk).update(failed_desc="E103: order 8 timed out")
        Message.objects.filter(pk=two.pk).update(failed_desc="E103: order 9 timed out")
        Message.objects.update(entity_type="order")
        assert excerpts() == 1
        fail(one.pk, two.pk, three.pk)
        assert excerpts() == 3
        Message.objects.update(state="PARTLY_FAILED")
        assert excerpts() == 3

    def test_reads_the_error_text_only_of_messages_that_are_stored_as_failed(self, excerpts):
        make_message(failed_desc="E103: refused")
        make_message(state="FAILED", failed_desc="E103: refused")
        assert excerpts() == 1
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('hubconsole.restoring', 'on', true)")
        make_message(state="FAILED", failed_desc="E103: refused")
        assert excerpts() == 1

    def test_ignores_messages_restored_from_the_archive(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('hubconsole.restoring', 'on', true)")
        make_message(state="FAILED")
        assert group_new_failures() == 0

    def test_marks_a_fixed_group_as_regressed_when_it_fails_again(self):
        message = make_message()
        fail(message.pk)
        group_new_failures()
        group = FailureGroup.objects.get()
        mark_group(group_id=group.pk, state=GroupState.FIXED, **WHY)
        Message.objects.update(state="PARTLY_FAILED")
        fail(message.pk)
        group_new_failures()
        group.refresh_from_db()
        assert (group.state, group.failures) == (GroupState.REGRESSED, 2)
        entry = AuditEntry.objects.get(action="regress_group")
        assert (entry.actor, entry.subject, entry.before_state) == ("system", str(group.pk), "fixed")

    def test_keeps_a_group_fixed_after_an_earlier_failure(self):
        message = make_message()
        fail(message.pk)
        group_new_failures()
        Message.objects.update(state="PARTLY_FAILED")
        fail(message.pk)
        mark_group(group_id=FailureGroup.objects.get().pk, state=GroupState.FIXED, **WHY)
        group_new_failures()
        assert FailureGroup.objects.get().state == GroupState.FIXED

    @pytest.mark.parametrize("batch", [1, 5_000])
    def test_keeps_the_example_and_the_times_of_failures_that_arrive_in_any_order(self, batch):
        for minutes, number in ((5, 2), (9, 3), (1, 1)):
            wait(make_message().pk, minutes=minutes, text=f"E103: order {number} timed out")
        assert group_new_failures(batch=batch) == 3
        group = FailureGroup.objects.get()
        assert (group.example, group.failures) == ("E103: order 3 timed out", 3)
        assert (group.first_seen, group.last_seen) == (at(minutes=1), at(minutes=9))

    @pytest.mark.parametrize("batch", [1, 5_000])
    def test_leaves_a_message_in_the_group_of_its_newest_failure(self, batch):
        message = make_message()
        for minutes, text in ((5, "E103: refused"), (9, "E103: no route"), (1, "E103: timed out")):
            wait(message.pk, minutes=minutes, text=text)
        group_new_failures(batch=batch)
        newest = FailureGroup.objects.get(summary="E103: no route")
        member = FailureMember.objects.get()
        assert (member.msg_id, member.group_id, member.at) == (message.pk, newest.pk, at(minutes=9))

    @pytest.mark.parametrize("batch", [1, 5_000])
    def test_moves_a_message_that_failed_twice_at_a_time_to_the_group_that_was_recorded_last(self, batch):
        message = make_message()
        for text in ("E103: refused", "E103: no route"):
            wait(message.pk, minutes=5, text=text)
            group_new_failures(batch=batch)
        assert FailureMember.objects.get().group_id == FailureGroup.objects.get(summary="E103: no route").pk

    def test_does_not_change_a_group_that_is_not_snoozed_although_it_has_a_time(self):
        fail(make_message().pk)
        group_new_failures()
        FailureGroup.objects.update(state=GroupState.FIXED, snoozed_until=NOON, state_at=database_clock())
        group_new_failures()
        assert FailureGroup.objects.get().state == GroupState.FIXED

    def test_ends_the_snooze_of_a_group_after_its_time(self):
        message = make_message()
        fail(message.pk)
        group_new_failures()
        until = database_clock() + timedelta(hours=1)
        mark_group(
            group_id=FailureGroup.objects.get().pk, state=GroupState.SNOOZED, snoozed_until=until, **WHY
        )
        group_new_failures()
        assert FailureGroup.objects.get().state == GroupState.SNOOZED
        FailureGroup.objects.update(snoozed_until=database_clock() - timedelta(seconds=1))
        group_new_failures()
        assert FailureGroup.objects.get().state == GroupState.KNOWN


class TestCoarsenMinutes:
    def test_sums_old_minutes_up_to_days(self):
        make_message(state="FAILED", failed_desc="E101", receive_timestamp=database_clock())
        group_new_failures()
        group_id = FailureGroup.objects.get().pk
        for minutes in (0, 1, 5):  # as they were counted when they were new
            at = NOON + timedelta(minutes=minutes)
            FailureMinute.objects.create(group_id=group_id, minute=at, failures=1)
        assert (coarsen_minutes(), coarsen_minutes()) == (3, 0)
        day = NOON.replace(hour=0)
        assert FailureMinute.objects.get(minute=day).failures == 3
        assert FailureMinute.objects.count() == 2

    def test_adds_minutes_that_are_counted_late_to_their_day(self):
        make_message(state="FAILED", failed_desc="E101", receive_timestamp=database_clock())
        group_new_failures()
        group_id = FailureGroup.objects.get().pk
        day = NOON.replace(hour=0)
        for minutes, failures, kept in ((0, 2, 2), (1, 3, 5), (5, 7, 12)):
            minute = NOON + timedelta(minutes=minutes)
            FailureMinute.objects.create(group_id=group_id, minute=minute, failures=failures)
            assert coarsen_minutes() == 1
            assert FailureMinute.objects.get(minute=day).failures == kept


@pytest.mark.django_db(transaction=True)
class TestGroupNewFailuresWhileTheHubWrites:
    def test_counts_each_failure_once(self):
        make_messages(120)
        ids = list(Message.objects.values_list("pk", flat=True))
        done = threading.Event()

        def fail_in_turn(part: list[int]) -> None:
            with psycopg.connect(database_of_tests()["DATABASE_URL"]) as hub:
                for place, msg_id in enumerate(part):
                    text = f"E103: order {msg_id} timed out"
                    hub.execute(
                        "UPDATE message SET state = 'FAILED', failed_desc = %s WHERE msg_id = %s",
                        [text, msg_id],
                    )
                    (hub.rollback if place % 10 == 9 else hub.commit)()

        def fail_all() -> None:
            try:
                fail_in_turn(ids)
            finally:
                done.set()

        def keep_joining() -> None:
            while not done.wait(0.01):
                group_new_failures(batch=7)

        assert in_threads(fail_all, keep_joining, keep_joining) == [None, None, None]
        group_new_failures()
        assert FailureGroup.objects.get().failures == 108
        assert sum(FailureMinute.objects.values_list("failures", flat=True)) == 108
        assert FailureMember.objects.count() == 108
        assert not NewFailure.objects.exists()
