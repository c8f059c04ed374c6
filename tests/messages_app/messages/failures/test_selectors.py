from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.failures import selectors
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.failures.selectors import (
    affected_objects,
    failing_groups,
    failures_by_minute,
    newest_messages,
    pressing_since,
    still_failing,
)
from messages_app.messages.failures.services import group_new_failures, mark_group
from messages_app.messages.metrics.counts import fold
from messages_app.messages.models import Message
from tests.support.factories import make_archived_message, make_message
from tests.support.jobs import WHY

pytestmark = pytest.mark.django_db


def fail(text: str, *, minutes_ago: int = 1) -> int:
    at = database_clock() - timedelta(minutes=minutes_ago)
    return make_message(state="FAILED", failed_desc=text, receive_timestamp=at).pk


class TestFailingGroups:
    def test_counts_by_window_and_has_new_ones_first(self):
        for minutes in (1, 2, 100, 10 * 60, 3 * 24 * 60, 9 * 24 * 60):
            fail("busy", minutes_ago=minutes)
        group_new_failures()
        mark_group(group_id=FailureGroup.objects.get().pk, state="known", **WHY)
        fail("rare")
        group_new_failures()
        rare, busy = failing_groups()
        assert (rare.group.summary, rare.windows.days_7) == ("rare", 1)
        windows = busy.windows
        assert (windows.hour, windows.hours_3, windows.day, windows.days_7) == (2, 3, 4, 5)

    def test_has_the_one_first_that_presses_most_until_it_is_repaired(self):
        hit = [fail("outage", minutes_ago=90) for _ in range(20)]
        fail("single")
        fold(), group_new_failures()
        outage, single = failing_groups()
        assert (outage.group.summary, outage.failing_now) == ("outage", 20)
        assert still_failing(outage.group.pk) == (20, hit[-1])
        Message.objects.filter(pk__in=hit).update(state="OK")
        fold()
        assert [line.group for line in failing_groups()] == [single.group, outage.group]
        assert still_failing(outage.group.pk) == (0, None)

    def test_distinguishes_a_repaired_group_from_another_of_the_same_service_and_code(self):
        repaired = [fail("first") for _ in range(3)]
        for _ in range(2):
            fail("second")
        Message.objects.filter(pk__in=repaired).update(state="OK")
        fold(), group_new_failures()
        second, first = failing_groups()
        assert (second.group.summary, second.failing_now, second.is_quiet) == ("second", 2, False)
        assert (first.group.summary, first.failing_now, first.is_quiet) == ("first", 0, True)

    def test_takes_the_counts_for_groups_that_are_too_large_to_look_up(self, monkeypatch):
        repaired = [fail("first") for _ in range(3)]
        for _ in range(2):
            fail("second")
        Message.objects.filter(pk__in=repaired).update(state="OK")
        fold(), group_new_failures()
        monkeypatch.setattr(selectors, "CHECKED_FAILURES", 2)
        assert {line.group.summary: line.failing_now for line in failing_groups()} == {
            "first": 2,
            "second": 2,
        }

    def test_leaves_out_what_has_not_failed_for_a_week(self):
        fail("old", minutes_ago=9 * 24 * 60)
        group_new_failures()
        assert failing_groups() == []


class TestPressingSince:
    def test_is_what_no_one_has_marked(self):
        fail("one")
        group_new_failures()
        since = database_clock() - timedelta(hours=1)
        assert [group.summary for group in pressing_since(since)] == ["one"]
        mark_group(group_id=FailureGroup.objects.get().pk, state="known", **WHY)
        assert pressing_since(since) == []


class TestSamples:
    def test_are_the_newest(self):
        ids = [fail("one") for _ in range(7)]
        group_new_failures()
        assert newest_messages(FailureGroup.objects.get().pk) == ids[:1:-1]


class TestAffected:
    def test_are_objects_of_live_and_archived_messages_with_what_is_left_of_each(self):
        make = {"state": "FAILED", "failed_desc": "one", "entity_type": "ACCOUNT"}
        ids = [make_message(object_id=name, **make).pk for name in ("a", "b", "b", None)]
        group_new_failures()
        make_archived_message(msg_id=ids[1], object_id="b", entity_type="ACCOUNT")
        Message.objects.filter(pk=ids[1]).delete()
        found = affected_objects(FailureGroup.objects.get().pk)
        assert [(one.object_id, one.messages, one.failing_now, one.msg_id) for one in found] == [
            ("b", 2, 1, ids[2]),
            ("a", 1, 1, ids[0]),
        ]
        Message.objects.filter(pk=ids[2]).update(state="OK")
        found = affected_objects(FailureGroup.objects.get().pk)
        assert [(one.object_id, one.failing_now) for one in found] == [("a", 1), ("b", 0)]


class TestMinutesOf:
    def test_are_in_the_order_of_time(self):
        fail("one", minutes_ago=1), fail("one", minutes_ago=9)
        group_new_failures()
        group_id = FailureGroup.objects.get().pk
        found = failures_by_minute([group_id], database_clock() - timedelta(hours=1))
        assert [count for _, _, count in found] == [1, 1]
        assert found == sorted(found)
