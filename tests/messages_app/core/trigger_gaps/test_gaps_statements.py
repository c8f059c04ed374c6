"""Tests of the statements about gaps of triggers, on every row of a table."""

from datetime import UTC, datetime

import pytest

from messages_app.core import trigger_gaps
from messages_app.core.trigger_gaps import TriggerGap, statements

pytestmark = pytest.mark.django_db


def at(minute: int) -> datetime:
    return datetime(2026, 11, 21, 10, minute, tzinfo=UTC)


def add(area: str, sqlstate: str, reason: str, first: int, last: int, number: int) -> TriggerGap:
    return TriggerGap.objects.create(
        area=area, sqlstate=sqlstate, reason=reason, first_at=at(first), last_at=at(last), statements=number
    )


def rows() -> list[tuple[object, ...]]:
    columns = ("area", "sqlstate", "reason", "first_at", "last_at", "statements")
    return sorted(TriggerGap.objects.values_list(*columns))


class TestMerge:
    def test_adds_the_gaps_of_one_area_and_code_and_leaves_all_others(self):
        merged = [
            add("messages", "23514", "older", 5, 20, 3),
            add("messages", "23514", "newest", 7, 40, 4),
            add("messages", "23514", "oldest", 2, 10, 5),
        ]
        alone = [
            add("messages", "53100", "a full disk", 1, 50, 6),
            add("message_store", "23514", "another", 3, 30, 7),
        ]
        trigger_gaps.merge_gaps()
        assert rows() == [
            ("message_store", "23514", "another", at(3), at(30), 7),
            ("messages", "23514", "newest", at(2), at(40), 12),
            ("messages", "53100", "a full disk", at(1), at(50), 6),
        ]
        ids = set(TriggerGap.objects.values_list("gap_id", flat=True))
        assert {gap.pk for gap in alone} < ids
        assert not {gap.pk for gap in merged} & ids

    def test_adds_a_second_time(self):
        for number in (1, 2):
            add("messages", "23514", "first", number, number, 10)
        trigger_gaps.merge_gaps()
        add("messages", "23514", "later", 30, 31, 3)
        trigger_gaps.merge_gaps()
        assert rows() == [("messages", "23514", "later", at(1), at(31), 23)]


class TestSummary:
    def test_has_a_line_for_each_area_with_its_newest_reason(self):
        add("messages", "23514", "older", 5, 20, 3)
        add("messages", "53100", "newest", 7, 40, 4)
        add("messages", "23505", "between", 6, 30, 5)
        add("message_store", "40001", "another", 2, 10, 7)
        assert statements.fetch_rows("summary", {}) == [
            ("message_store", 7, at(2), at(10), "40001", "another"),
            ("messages", 12, at(5), at(40), "53100", "newest"),
        ]


class TestClose:
    def test_removes_only_the_named_gaps(self):
        gaps = [add("messages", f"2350{number}", "r", number, number, 1) for number in range(3)]
        assert statements.count("close", {"ids": [gaps[0].pk, gaps[2].pk]}) == 2
        assert TriggerGap.objects.get() == gaps[1]

    def test_keeps_the_largest_number_of_lost_gaps(self):
        for lost, kept in ((5, 5), (3, 5), (8, 8)):
            statements.count("close_lost", {"lost": lost})
            assert statements.only_row("lost", {})[1] == kept
