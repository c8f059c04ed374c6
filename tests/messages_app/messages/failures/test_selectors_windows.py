"""The windows of groups and their order: each term of the order decides between two groups."""

from dataclasses import asdict
from datetime import timedelta

import pytest

from messages_app.messages.failures import selectors
from messages_app.messages.failures.listing import GroupQuery
from messages_app.messages.failures.models import FailureGroup, FailureMember, FailureMinute
from messages_app.messages.failures.selectors import GroupOutcome, outcomes_of_groups, statements
from tests.support.factories import NOON, make_message
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


def make_group(name: str, *failures: tuple[timedelta, int], **columns: object) -> int:
    """Store a group with its failures, each some time ago."""
    defaults = {
        "service_name": name,
        "operation_name": "a",
        "summary": name,
        "example": name,
        "state": "known",
    }
    times = {"first_seen": NOON, "last_seen": NOON}
    group = FailureGroup.objects.create(fingerprint=name, **defaults | times | columns)
    for ago, number in failures:
        FailureMinute.objects.create(group_id=group.pk, minute=transaction_time() - ago, failures=number)
    return group.pk


def windows(failing: dict[int, int], *, kinds: dict[str, int] | None = None, most: int = 99) -> list[tuple]:
    kinds = kinds or {}
    values = {
        "groups": list(failing),
        "messages": list(failing.values()),
        "services": list(kinds),
        "operations": ["a"] * len(kinds),
        "codes": [""] * len(kinds),
        "of_kinds": list(kinds.values()),
    }
    rows = statements.fetch_rows("group_windows", values | asdict(GroupQuery(most=most)))
    return [columns for _, _, _, found, *columns in rows if found]


def order(failing: dict[int, int], **chosen: object) -> list[int]:
    return [row[0] for row in windows(failing, **chosen)]


class TestWindows:
    def test_include_their_start(self):
        starts = (HOUR, 3 * HOUR, 24 * HOUR, 168 * HOUR)
        inside = [(ago, 10**place) for place, ago in enumerate(starts)]
        outside = [(ago + SECOND, 10 ** (place + 4)) for place, ago in enumerate(starts)]
        group = make_group("a", *inside, *outside)
        assert windows({}) == [[group, 1, 10_011, 110_111, 1_111_111, 0]]

    def test_of_a_group_that_only_has_failing_messages_are_zero(self):
        group = make_group("a")
        assert windows({group: 3}) == [[group, 0, 0, 0, 0, 3]]

    def test_leave_out_groups_whose_failures_add_up_to_nothing(self):
        make_group("a", (HOUR, 3), (2 * HOUR, -3))
        make_group("b", (169 * HOUR, 3))
        group = make_group("c", (HOUR, 1))
        assert order({}) == [group]

    def test_estimate_failing_messages_by_kind_up_to_the_failures_of_the_group(self):
        first = make_group("a", (HOUR, 1), failures=5)
        second = make_group("b", (HOUR, 1), failures=5)
        third = make_group("c", (HOUR, 1), failures=5)
        rows = windows({third: 4}, kinds={"a": 3, "b": 9, "c": 9})
        assert {row[0]: row[5] for row in rows} == {first: 3, second: 5, third: 4}


class TestOrder:
    def test_begins_with_pressing_groups_that_fail(self):
        quiet = make_group("quiet", (HOUR, 900), state="new")
        known = make_group("known", (HOUR, 900))
        new, again = (make_group(state, (HOUR, 1), state=state) for state in ("new", "regressed"))
        assert order({known: 900, new: 1, again: 1}) == [again, new, quiet, known]

    def test_is_by_failures_per_hour_with_the_same_weight_for_each_window(self):
        groups = [make_group(str(hours), (hours * HOUR, 100)) for hours in (100, 20, 2, 1)]
        assert order(dict.fromkeys(groups, 100)) == groups[::-1]

    def test_is_by_the_share_that_is_not_repaired(self):
        some, most_of_it, whole = (make_group(name, (HOUR, 100)) for name in "abc")
        assert order({some: 10, most_of_it: 90, whole: 100}) == [whole, most_of_it, some]

    def test_does_not_rise_with_more_failing_messages_than_failures(self):
        old, busy = make_group("old", (HOUR, 10)), make_group("busy", (HOUR, 20))
        assert order({old: 1_000, busy: 20}) == [busy, old]

    def test_ends_with_failing_messages_and_the_newest_group(self):
        first, second, third = (make_group(name, (HOUR, 10)) for name in "abc")
        assert order({first: 30, second: 20, third: 20}) == [first, third, second]
        assert order({first: 30, second: 20, third: 20}, most=2) == [first, third]


class TestOutcomes:
    def test_are_of_the_newest_messages_of_each_group(self, monkeypatch):
        monkeypatch.setattr(selectors, "CHECKED_MESSAGES", 2)
        groups = [make_group(name) for name in "abc"]
        for state in ("FAILED", "OK", "CANCEL"):
            for group in groups:
                FailureMember.objects.create(msg_id=make_message(state=state).pk, group_id=group, at=NOON)
        newest = GroupOutcome(ok=1, cancelled=1)
        assert outcomes_of_groups(groups[:2]) == {groups[0]: newest, groups[1]: newest}
