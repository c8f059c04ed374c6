from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.metrics import failing
from messages_app.messages.metrics.failing import failing_now
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.support.factories import make_archived_message, make_message
from tests.support.plans import faults_in, reads_of

pytestmark = pytest.mark.django_db

# Of these messages, every 60th is FAILED; every third has failed once and is in a group.
MESSAGES, FAILED = 150_000, 2_500
FILL = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name, source_system,
                     state, operation_name, payload)
SELECT n, 'c' || n, now(), now(), 'billing', 'S',
       CASE WHEN n %% 60 = 0 THEN 'FAILED' ELSE 'OK' END, 'createInvoice', '<a/>'
  FROM generate_series(1, %s) AS n
"""
MEMBERS = """
INSERT INTO failure_member (msg_id, group_id, at)
SELECT n, 1 + n %% 7, now() FROM generate_series(3, %s, 3) AS n
"""


@pytest.fixture(autouse=True)
def fresh_number() -> Iterator[None]:
    """Forget a large number that another test has read."""
    cache.clear()
    yield
    cache.clear()


def fail(text: str = "timed out", **columns: object) -> int:
    return make_message(state="FAILED", failed_desc=text, **columns).pk


def fill() -> None:
    with connection.cursor() as cursor:
        cursor.execute(FILL, [MESSAGES])
        cursor.execute(MEMBERS, [MESSAGES])
        cursor.execute("ANALYZE message, failure_member")


class TestFailingNow:
    def test_counts_failed_messages_whatever_their_age_and_no_others(self):
        for days in (0, 9, 400):
            fail(receive_timestamp=database_clock() - timedelta(days=days))
        for state in ("PARTLY_FAILED", "OK", "CANCEL", "PROCESSING", "WAITING"):
            make_message(state=state)
        make_archived_message(state="FAILED")
        assert failing_now().count == 3

    def test_counts_a_message_in_no_group_until_its_failure_is_grouped(self):
        msg_id = fail()
        assert (failing_now().count, failing_now().ungrouped, failing_now().groups) == (1, 1, {})
        group_new_failures()
        group = FailureGroup.objects.get()
        found = failing_now()
        assert (found.ungrouped, found.of_group(group), found.groups[group.pk].newest) == (0, 1, msg_id)

    def test_follows_a_repair_before_any_worker_has_counted_it(self):
        repaired = [fail("first") for _ in range(3)]
        fail("second")
        group_new_failures()
        first = FailureGroup.objects.get(summary="first")
        Message.objects.filter(pk__in=repaired[1:]).update(state="PARTLY_FAILED")
        assert (failing_now().count, failing_now().of_group(first)) == (2, 1)
        Message.objects.filter(pk=repaired[0]).delete()
        assert (failing_now().count, failing_now().of_group(first)) == (1, 0)

    def test_has_groups_and_a_remainder_that_make_up_the_total(self):
        for text in ("first", "first", "second"):
            fail(text)
        group_new_failures()
        fail("later")
        found = failing_now()
        assert sorted(group.messages for group in found.groups.values()) == [1, 2]
        assert (found.ungrouped, found.count) == (1, 4)

    @pytest.mark.usefixtures("above_fence")
    def test_adds_up_counts_and_their_changes_above_the_fence(self):
        counted = [fail() for _ in range(3)]
        fold_changes()
        pending = fail()
        Message.objects.filter(pk=counted[0]).update(state="OK")
        assert (failing_now().count, failing_now().is_by_group) == (3, False)
        Message.objects.filter(pk__in=[*counted, pending]).update(state="OK")
        assert failing_now().count == 0

    @pytest.mark.usefixtures("above_fence")
    def test_estimates_a_group_above_the_fence_by_its_service_operation_and_code(self):
        for _ in range(3):
            fail("first")
        fail("second"), fail("third", service_name="order")
        group_new_failures()
        found = failing_now()
        estimates = {group.summary: found.of_group(group) for group in FailureGroup.objects.all()}
        assert (found.count, estimates) == (5, {"first": 3, "second": 1, "third": 1})

    @pytest.fixture
    def above_fence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(failing, "FENCE", 0)

    def test_reads_only_indexes_and_no_more_messages_than_the_fence(self, monkeypatch):
        fill()
        found = failing_now()
        assert (found.count, sum(group.messages for group in found.groups.values())) == (FAILED, FAILED)
        cache.clear()
        sent: list = []
        with connection.execute_wrapper(reads_of(sent)):
            failing_now()
            monkeypatch.setattr(failing, "FENCE", 1_000)
            cache.clear()
            assert failing_now().is_by_group is False
        assert len(sent) == 3
        assert faults_in(sent[:1], most_rows=FAILED) == []
        assert faults_in(sent[1:2], most_rows=1_001) == []
        assert faults_in(sent[2:]) == []

    def test_reads_a_large_number_once_a_second(self):
        fill()
        sent: list = []
        with connection.execute_wrapper(reads_of(sent)):
            assert failing_now().count == failing_now().count == FAILED
        assert len(sent) == 1
