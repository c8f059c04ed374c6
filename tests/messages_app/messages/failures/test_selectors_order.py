"""The groups of the list and their order, from counts that are written out here."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from messages_app.messages.failures.models import FailureGroup, FailureMinute
from messages_app.messages.failures.selectors import GroupLine, failing_groups
from messages_app.messages.metrics.failing import FailingNow, GroupFailing
from tests.support.factories import NOON
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db


def store_group(
    summary: str, minutes: Mapping[float, int] | None = None, *, state: str = "known", **columns: object
) -> int:
    """Store a group with failures by the number of hours ago, and return its id."""
    named = {"service_name": "billing", "operation_name": "createInvoice", "failed_error_code": "E103"}
    group = FailureGroup.objects.create(
        fingerprint=summary, summary=summary, state=state, first_seen=NOON, last_seen=NOON, **named | columns
    )
    now = transaction_time()
    for hours, failures in (minutes or {}).items():
        FailureMinute.objects.create(
            group_id=group.pk, minute=now - timedelta(hours=hours), failures=failures
        )
    return group.pk


def failing(**messages: int) -> FailingNow:
    """Return the figures by group, from the number of each group by its summary."""
    ids = dict(FailureGroup.objects.values_list("summary", "pk"))
    groups = {ids[name]: GroupFailing(messages=count, newest=1) for name, count in messages.items()}
    return FailingNow(count=sum(messages.values()), groups=groups)


def names(lines: list[GroupLine]) -> list[str]:
    return [line.group.summary for line in lines]


def test_groups_to_review_come_first_then_the_most_urgent():
    store_group("last_hour", {0.5: 10})  # 10 + 10/3 + 10/24 + 10/168 = 13.8
    store_group("few", {0.5: 4})  # 5.5
    store_group("three_hours", {2: 10})  # 10/3 + 10/24 + 10/168 = 3.8
    store_group("day", {5: 10})  # 10/24 + 10/168 = 0.48
    store_group("almost_repaired", {0.5: 10})  # 13.8 times the square of 1/10 = 0.14
    store_group("week", {72: 10})  # 10/168 = 0.06
    for name in ("less", "tied", "more", "tied_later"):
        store_group(name)
    store_group("new", {100: 1}, state="new")
    store_group("new_repaired", {0.5: 1}, state="new")  # 1.38 times the square of 0.1
    store_group("regressed", {100: 2}, state="regressed")
    store_group("snoozed_repaired", {0.5: 90}, state="snoozed")  # 124.1 times the square of 0.1/90
    lines = failing_groups(
        failing(
            last_hour=10, few=4, three_hours=10, day=10, almost_repaired=1, week=10, less=2, tied=3, more=4,
            tied_later=3, new=1, regressed=2,
        )
    )  # fmt: skip
    assert names(lines) == [
        "regressed", "new", "new_repaired", "last_hour", "few", "three_hours", "day", "almost_repaired",
        "week", "snoozed_repaired", "more", "tied_later", "tied", "less",
    ]  # fmt: skip


def test_a_list_has_at_most_the_requested_number_of_groups():
    for name in ("first", "second", "third"):
        store_group(name, {0.5: 1})
    lines = failing_groups(failing(first=1, second=1, third=1), most=2)
    assert names(lines) == ["third", "second"]


def test_failures_are_counted_to_the_end_of_each_window():
    edges = {1: 1, 1.001: 2, 3: 4, 3.001: 8, 24: 16, 24.001: 32, 168: 64, 168.001: 128}
    store_group("busy", edges)
    (line,) = failing_groups(failing())
    windows = line.windows
    assert (windows.hour, windows.hours_3, windows.day, windows.days_7) == (1, 7, 31, 127)


def test_groups_without_failures_of_a_week_and_without_failing_messages_are_left_out():
    store_group("joined", {1: 3, 2: -3})
    store_group("old", {169: 5}, state="new")
    store_group("failing_only", {169: 5})
    assert names(failing_groups(failing(failing_only=1))) == ["failing_only"]


def test_a_group_that_is_not_stored_is_left_out():
    figures = FailingNow(count=1, groups={77: GroupFailing(messages=1, newest=1)})
    assert failing_groups(figures) == []


def test_estimates_are_by_service_operation_and_code_and_at_most_the_failures_of_the_group():
    store_group("match", {1: 1}, failures=9)
    store_group("fewer", {1: 1}, failures=3)
    store_group("service", {1: 1}, failures=9, service_name="orders")
    store_group("operation", {1: 1}, failures=9, operation_name="getInvoice")
    store_group("code", {1: 1}, failures=9, failed_error_code="E104")
    kinds = {("billing", "createInvoice", "E103"): 5}
    lines = failing_groups(FailingNow(count=5, kinds=kinds, is_by_group=False))
    estimates = {line.group.summary: (line.failing_now, line.is_exact) for line in lines}
    assert estimates == {
        "match": (5, False),
        "fewer": (3, False),
        "service": (0, True),
        "operation": (0, True),
        "code": (0, True),
    }
