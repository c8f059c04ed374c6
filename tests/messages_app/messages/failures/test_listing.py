"""The groups of the list and their order, from counts that are written out here."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from messages_app.incidents.models import FailureCell
from messages_app.messages.failures.listing import (
    GroupLine,
    GroupQuery,
    Windows,
    failing_groups,
    find_groups,
    sum_windows,
)
from messages_app.messages.failures.models import FailureGroup, FailureMinute
from messages_app.messages.metrics.failing import FailingNow, GroupFailing
from tests.support.factories import NOON
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db


def store_group(
    summary: str, minutes: Mapping[float, int] | None = None, *, state: str = "known", **columns: object
) -> int:
    """Store a group with failures by the number of hours ago, and return its id."""
    named = {
        "service_name": "billing",
        "operation_name": "createInvoice",
        "failed_error_code": "E103",
        "last_seen": NOON,
    }
    group = FailureGroup.objects.create(
        fingerprint=summary, summary=summary, state=state, first_seen=NOON, **named | columns
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


def store_cell(group_id: int, system: str) -> None:
    FailureCell.objects.create(
        fingerprint=f"{group_id}{system}", store="messages", service_name="billing", external_system=system,
        group_id=group_id, first_seen=NOON, last_seen=NOON,
    )  # fmt: skip


class TestFindGroups:
    @pytest.fixture
    def figures(self) -> FailingNow:
        """Three groups: one of ana and known, one of no one, and one without failing messages."""
        ana = store_group("refused", {5: 3}, owner="ana", failed_error_code="E104", last_seen=NOON)
        store_group(
            "timed out", {0.5: 2}, state="new", service_name="orders", last_seen=NOON - timedelta(hours=1)
        )
        store_group("repaired", {2: 9}, state="new", ticket="OPS-7", last_seen=NOON - timedelta(hours=2))
        for system in ("bank.example", "crm.example"):
            store_cell(ana, system)
        return failing(refused=7, **{"timed out": 2})

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ({"is_failing": True}, ["timed out", "refused"]),
            ({"is_failing": False}, ["repaired"]),
            ({"presses": True}, ["timed out", "repaired"]),
            ({"presses": True, "is_failing": True}, ["timed out"]),
            ({"presses": False}, ["refused"]),
            ({"owner": "ana"}, ["refused"]),
            ({"owner": ""}, ["timed out", "repaired"]),
            ({"service_name": "orders"}, ["timed out"]),
            ({"service_name": "order"}, []),
            ({"external_system": "bank.example"}, ["refused"]),
            ({"external_system": "bank"}, []),
            ({"text": "TIMED"}, ["timed out"]),
            ({"text": "e104"}, ["refused"]),
            ({"text": "orders"}, ["timed out"]),
            ({"text": "ops-7"}, ["repaired"]),
            ({"text": "Bank."}, ["refused"]),
            ({"text": "ana"}, ["refused"]),
            ({"text": "%"}, []),
        ],
    )
    def test_finds_the_groups_of_a_query(self, figures, query, found):
        groups = find_groups(figures, GroupQuery(**query))
        assert names(groups.lines) == found
        assert (groups.matches, groups.open, groups.unreviewed, groups.groups) == (len(found), 2, 1, 3)

    @pytest.mark.parametrize(
        ("ordering", "found"),
        [
            ("-failing_now", ["refused", "timed out", "repaired"]),
            ("-hour", ["timed out", "repaired", "refused"]),
            ("-day", ["repaired", "refused", "timed out"]),
            ("-days_7", ["repaired", "refused", "timed out"]),
            ("-last_seen", ["refused", "timed out", "repaired"]),
            ("service_name", ["repaired", "refused", "timed out"]),
            ("owner", ["refused", "timed out", "repaired"]),
        ],
    )
    def test_sorts_them_and_then_by_urgency(self, figures, ordering, found):
        assert names(find_groups(figures, GroupQuery(ordering=ordering)).lines) == found

    def test_counts_every_match(self, figures):
        groups = find_groups(figures, GroupQuery(most=1))
        assert (names(groups.lines), groups.matches) == (["timed out"], 3)

    def test_names_the_systems_of_a_group(self, figures):
        lines = find_groups(figures, GroupQuery()).lines
        assert {line.group.summary: line.systems for line in lines} == {
            "refused": ["bank.example", "crm.example"],
            "timed out": [],
            "repaired": [],
        }


class TestUrgency:
    @pytest.mark.parametrize(
        ("hour", "hours_3", "is_growing"),
        [(3, 3, True), (3, 6, False), (3, 5, True), (2, 2, False), (0, 9, False), (30, 60, False)],
    )
    def test_grows_if_the_last_hour_has_clearly_more_than_the_two_before(self, hour, hours_3, is_growing):
        assert self.line(windows=self.windows(hour, hours_3)).is_growing == is_growing

    @pytest.mark.parametrize(
        ("values", "is_urgent", "words"),
        [
            ({}, True, "new"),
            ({"state": "regressed"}, True, "regressed"),
            ({"state": "regressed", "owner": "ana"}, False, "regressed"),
            ({"owner": "ana"}, False, "new"),
            ({"owner": "ana", "hour": 9}, True, "new"),
            ({"state": "known"}, False, "known"),
            ({"state": "known", "hour": 9}, True, "known"),
            ({"state": "snoozed", "hour": 9}, False, "snoozed"),
            ({"day": 0}, False, "quiet"),
            ({"failing_now": 0, "hour": 9}, False, "none failing"),
            ({"failing_now": 0, "state": "fixed"}, False, "fixed"),
        ],
    )
    def test_only_what_fails_and_is_growing_or_new_without_owner_is_urgent(self, values, is_urgent, words):
        hour, day = values.pop("hour", 1), values.pop("day", 9)
        failing_now = values.pop("failing_now", 1)
        windows = Windows(hour=min(hour, day), hours_3=max(hour, 3) if day else 0, day=day, days_7=9)
        line = self.line(windows=windows, failing_now=failing_now, **values)
        assert (line.is_urgent, line.words) == (is_urgent, words)

    def windows(self, hour: int, hours_3: int) -> Windows:
        return Windows(hour=hour, hours_3=hours_3, day=hours_3, days_7=hours_3)

    def line(
        self, *, windows: Windows, failing_now: int = 1, state: str = "new", owner: str = ""
    ) -> GroupLine:
        group = FailureGroup(state=state, owner=owner)
        return GroupLine(
            group=group, windows=windows, failing_now=failing_now, is_exact=True, error_code=None
        )


def test_windows_are_sums_of_their_minutes():
    ages = {0.9: 1, 2.9: 2, 23.9: 4, 167.9: 8, 168.1: 16}
    minutes = [(NOON - timedelta(hours=hours), failures) for hours, failures in ages.items()]
    windows = sum_windows(minutes, now=NOON)
    assert (windows.hour, windows.hours_3, windows.day, windows.days_7) == (1, 3, 7, 15)
