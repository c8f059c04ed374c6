from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.failures import selectors
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.listing import failing_groups
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.failures.selectors import (
    affected_objects,
    failures_by_minute,
    newest_messages,
    pressing_since,
)
from messages_app.messages.failures.services import mark_group
from messages_app.messages.metrics import failing
from messages_app.messages.metrics.failing import GroupFailing, failing_now
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.support.factories import make_archived_message, make_message
from tests.support.jobs import WHY

pytestmark = pytest.mark.django_db


def fail(text: str, *, minutes_ago: int = 1) -> int:
    at = database_clock() - timedelta(minutes=minutes_ago)
    return make_message(state="FAILED", failed_desc=text, receive_timestamp=at).pk


class TestFailingGroups:
    def test_counts_by_window_and_lists_new_groups_first(self):
        for minutes in (1, 2, 100, 10 * 60, 3 * 24 * 60, 9 * 24 * 60):
            fail("busy", minutes_ago=minutes)
        group_new_failures()
        mark_group(group_id=FailureGroup.objects.get().pk, state="known", **WHY)
        fail("rare")
        group_new_failures()
        rare, busy = failing_groups(failing_now())
        assert (rare.group.summary, rare.windows.days_7) == ("rare", 1)
        windows = busy.windows
        assert (windows.hour, windows.hours_3, windows.day, windows.days_7) == (2, 3, 4, 5)

    def test_lists_the_most_urgent_group_first_until_it_is_repaired(self):
        hit = [fail("outage", minutes_ago=90) for _ in range(20)]
        fail("single")
        fold_changes(), group_new_failures()
        outage, single = failing_groups(failing_now())
        assert (outage.group.summary, outage.failing_now) == ("outage", 20)
        assert failing_now().groups[outage.group.pk] == GroupFailing(messages=20, newest=hit[-1])
        Message.objects.filter(pk__in=hit).update(state="OK")
        fold_changes()
        assert [line.group for line in failing_groups(failing_now())] == [single.group, outage.group]
        assert outage.group.pk not in failing_now().groups

    def test_distinguishes_a_repaired_group_from_another_of_the_same_service_and_code(self):
        repaired = [fail("first") for _ in range(3)]
        for _ in range(2):
            fail("second")
        Message.objects.filter(pk__in=repaired).update(state="OK")
        fold_changes(), group_new_failures()
        second, first = failing_groups(failing_now())
        assert (second.group.summary, second.failing_now, second.is_settled) == ("second", 2, False)
        assert (first.group.summary, first.failing_now, first.is_settled) == ("first", 0, True)

    def test_estimates_the_groups_by_service_and_code_while_too_many_messages_are_failing(self, monkeypatch):
        repaired = [fail("first") for _ in range(3)]
        for _ in range(2):
            fail("second")
        Message.objects.filter(pk__in=repaired).update(state="OK")
        group_new_failures()
        monkeypatch.setattr(failing, "FENCE", 1)
        lines = failing_groups(failing_now())
        assert {line.group.summary: (line.failing_now, line.is_exact) for line in lines} == {
            "first": (2, False),
            "second": (2, False),
        }

    def test_leaves_out_groups_without_a_failure_for_a_week_unless_a_message_is_failing(self):
        msg_id = fail("old", minutes_ago=9 * 24 * 60)
        group_new_failures()
        (line,) = failing_groups(failing_now())
        assert (line.failing_now, line.windows.days_7) == (1, 0)
        Message.objects.filter(pk=msg_id).update(state="OK")
        assert failing_groups(failing_now()) == []


class TestPressingSince:
    def test_returns_groups_that_no_one_has_marked(self):
        fail("one")
        group_new_failures()
        since = database_clock() - timedelta(hours=1)
        assert [group.summary for group in pressing_since(since)] == ["one"]
        mark_group(group_id=FailureGroup.objects.get().pk, state="known", **WHY)
        assert pressing_since(since) == []


class TestNewestMessages:
    def test_returns_the_newest_messages_of_a_group(self):
        ids = [fail("one") for _ in range(7)]
        group_new_failures()
        assert newest_messages(FailureGroup.objects.get().pk) == ids[:1:-1]


class TestAffectedObjects:
    def test_counts_the_messages_of_each_object_and_the_ones_that_still_fail(self):
        make = {"state": "FAILED", "failed_desc": "one", "entity_type": "ACCOUNT"}
        ids = [make_message(object_id=name, **make).pk for name in ("a", "b", "b", None)]
        group_new_failures()
        make_archived_message(msg_id=ids[1], object_id="b", entity_type="ACCOUNT")
        Message.objects.filter(pk=ids[1]).delete()
        found = affected_objects(FailureGroup.objects.get().pk)
        assert [(one.object_id, one.messages, one.failed, one.msg_id) for one in found] == [
            ("b", 2, 1, ids[2]),
            ("a", 1, 1, ids[0]),
        ]
        Message.objects.filter(pk=ids[2]).update(state="OK")
        found = affected_objects(FailureGroup.objects.get().pk)
        assert [(one.object_id, one.failed) for one in found] == [("a", 1), ("b", 0)]

    def test_reads_the_newest_messages_of_the_group_only(self, monkeypatch):
        make = {"state": "FAILED", "entity_type": "ACCOUNT"}
        for name in ("old", "old", "old", "new", "newer"):
            make_message(object_id=name, failed_desc="one", **make)
        make_message(object_id="other", failed_desc="two", **make)
        group_new_failures()
        monkeypatch.setattr(selectors, "CHECKED_MESSAGES", 2)
        objects = affected_objects(FailureGroup.objects.get(summary="one").pk)
        assert [(one.object_id, one.messages) for one in objects] == [("newer", 1), ("new", 1)]

    def test_sorts_by_failed_messages_then_all_messages_then_the_newest(self, monkeypatch):
        monkeypatch.setattr(selectors, "MAX_OBJECTS", 4)
        make = {"state": "FAILED", "failed_desc": "one"}
        names = ("older", "newer", "many", "many", "many", "repaired", "repaired", "both", "both", "left out")
        ids = [make_message(object_id=name, entity_type=name[:1], **make).pk for name in names]
        group_new_failures()
        Message.objects.filter(pk__in=[*ids[2:4], *ids[5:7], ids[9]]).update(state="OK")
        objects = affected_objects(FailureGroup.objects.get().pk)
        assert [
            (one.entity_type, one.object_id, one.messages, one.failed, one.msg_id) for one in objects
        ] == [
            ("b", "both", 2, 2, ids[8]),
            ("m", "many", 3, 1, ids[4]),
            ("n", "newer", 1, 1, ids[1]),
            ("o", "older", 1, 1, ids[0]),
        ]


class TestFailuresByMinute:
    def test_are_sorted_by_time(self):
        fail("one", minutes_ago=1), fail("one", minutes_ago=9)
        group_new_failures()
        group_id = FailureGroup.objects.get().pk
        found = failures_by_minute([group_id], database_clock() - timedelta(hours=1))
        assert [count for _, _, count in found] == [1, 1]
        assert found == sorted(found)
