"""The tables of counts after each pass, and what is read from them: in rows that differ in one column."""

from datetime import datetime, timedelta

import pytest
from django.db.models import Model

from messages_app.core.clock import database_clock
from messages_app.messages.metrics.counts import (
    InState,
    Slice,
    ends_by_service,
    entered_over_time,
    now_by_state,
    read_freshness,
    then_by_state,
)
from messages_app.messages.metrics.models import (
    MessageChange,
    MessageGauge,
    MessageRollup,
    MessageTook,
    Polling,
    RollupPass,
)
from messages_app.messages.metrics.passes import coarsen_counts, fold_changes
from tests.support.factories import NOON
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
# A count, and others that each differ from it in one column.
KEY = {
    "state": "OK",
    "service_name": "orders",
    "operation_name": "create",
    "source_system": "CRM",
    "failed_error_code": "",
}
OTHER_KEYS = (
    KEY | {"state": "FAILED"},
    KEY | {"service_name": "billing"},
    KEY | {"operation_name": "pay"},
    KEY | {"source_system": "ERP"},
    KEY | {"failed_error_code": "E7"},
)


def change(present: int, entered: int, *, minute: datetime = NOON, **columns: object) -> None:
    MessageChange.objects.create(**{"minute": minute, "present": present, "entered": entered} | KEY | columns)


def count(present: int, entered: int, *, minute: datetime = NOON, **columns: object) -> None:
    MessageRollup.objects.create(**{"minute": minute, "present": present, "entered": entered} | KEY | columns)


def took(messages: int, *, minute: datetime = NOON, service_name: str = "orders", step: int = 3) -> None:
    MessageTook.objects.create(minute=minute, service_name=service_name, step=step, messages=messages)


def rows(model: type[Model]) -> set[tuple]:
    """Return all rows: the key columns in the order of the model, then the numbers."""
    return set(model.objects.values_list(*(field.name for field in model._meta.fields if field.name != "pk")))


def counts() -> dict[tuple, tuple[int, int]]:
    """Return (present, entered) by minute and key."""
    columns = ("minute", *KEY)
    found = MessageRollup.objects.values_list(*columns, "present", "entered")
    return {tuple(row[:6]): (row[6], row[7]) for row in found}


def times() -> dict[tuple, int]:
    return {row[:3]: row[3] for row in rows(MessageTook)}


class TestFold:
    def test_adds_the_changes_of_each_pass_to_those_of_earlier_ones(self):
        for offset in (0, 30, 59):
            change(1, 2, minute=NOON + timedelta(seconds=offset), took=[3, 5])
        change(4, 8, minute=NOON + MINUTE, took=[3])
        for number, key in enumerate(OTHER_KEYS, start=10):
            change(number, 2 * number, **key, took=[number])
        fold_changes()
        key = tuple(KEY.values())
        first = {(NOON, *key): (3, 6), (NOON + MINUTE, *key): (4, 8)}
        first |= {(NOON, *other.values()): (n, 2 * n) for n, other in enumerate(OTHER_KEYS, start=10)}
        assert counts() == first
        first_times = {(NOON, "orders", 3): 4, (NOON, "orders", 5): 3, (NOON, "billing", 11): 1}
        first_times |= {(NOON, "orders", step): 1 for step in (10, 12, 13, 14)}
        assert times() == first_times

        change(100, -1, took=[5, 5, 6])
        change(-20, 50, minute=NOON + 5 * MINUTE, took=[3])
        for number, other in enumerate(OTHER_KEYS, start=1):
            change(-number, 100, **other, took=[number + 9])
        fold_changes()
        assert counts() == first | {
            (NOON, *key): (103, 5),
            (NOON + 5 * MINUTE, *key): (-20, 50),
        } | {(NOON, *other.values()): (9, 2 * n + 100) for n, other in enumerate(OTHER_KEYS, start=10)}
        assert times() == first_times | {
            (NOON, "orders", 5): 5,
            (NOON, "orders", 6): 1,
            (NOON + 5 * MINUTE, "orders", 3): 1,
            (NOON, "billing", 11): 2,
        } | {(NOON, "orders", step): 2 for step in (10, 12, 13, 14)}
        assert not MessageChange.objects.exists()

    def test_stores_no_count_of_changes_that_cancel_each_other_out(self):
        change(5, 0), change(-5, 0)
        change(2, 1, state="FAILED"), change(-2, 1, state="FAILED")
        change(3, 1, state="NEW"), change(3, -1, state="NEW")
        fold_changes()
        found = {minute_and_key[1]: numbers for minute_and_key, numbers in counts().items()}
        assert found == {"FAILED": (0, 2), "NEW": (6, 0)}

    def test_counts_a_single_change_where_it_left_and_where_it_came(self):
        change(
            1,
            1,
            minute=NOON + timedelta(seconds=70),
            state="FAILED",
            failed_error_code="E7",
            received_at=NOON,
            at=NOON + timedelta(seconds=360),
            old_minute=NOON - MINUTE,
            old_state="WAITING",
            old_service_name="billing",
            old_operation_name="pay",
            old_source_system="ERP",
            old_failed_error_code="E1",
        )
        fold_changes()
        key = ("FAILED", "orders", "create", "CRM", "E7")
        assert counts() == {
            (NOON + MINUTE, *key): (1, 0),
            (NOON + 6 * MINUTE, *key): (0, 1),
            (NOON - MINUTE, "WAITING", "billing", "pay", "ERP", "E1"): (-1, 0),
        }
        # 2 ** (33 / 4) = 304 and 2 ** (34 / 4) = 362 seconds.
        assert times() == {(NOON + 5 * MINUTE, "orders", 33): 1}

    def test_records_the_rows_and_the_time_of_its_last_part(self):
        for _ in range(3):
            change(1, 0)
        assert fold_changes(most=2) == 3
        first = RollupPass.objects.get()
        assert (first.name, first.rows) == ("fold", 1)
        change(1, 0), change(1, 0)
        assert fold_changes(most=5) == 2
        last = RollupPass.objects.get()
        assert (last.rows, last.done_at > first.done_at) == (2, True)
        assert counts() == {(NOON, *KEY.values()): (5, 0)}


class TestCoarsen:
    def test_adds_minutes_to_the_hour_and_hours_to_the_day(self):
        now = transaction_time()
        hour = (now - 30 * HOUR).replace(minute=0, second=0, microsecond=0)
        day = (now - 10 * DAY).replace(hour=0, minute=0, second=0, microsecond=0)
        count(1, 100, minute=hour)
        count(2, 200, minute=hour + 7 * MINUTE)
        count(4, 400, minute=hour + 59 * MINUTE)
        count(8, 800, minute=hour + HOUR + MINUTE)
        count(16, 1600, minute=day)
        count(32, 3200, minute=day + 5 * HOUR)
        count(64, 6400, minute=day + 23 * HOUR + 59 * MINUTE)
        for number, key in enumerate(OTHER_KEYS, start=1):
            count(number, -number, minute=hour + MINUTE, **key)
        assert coarsen_counts() == 10
        key = tuple(KEY.values())
        merged = {(hour, *key): (7, 700), (hour + HOUR, *key): (8, 800), (day, *key): (112, 11200)}
        merged |= {(hour, *other.values()): (n, -n) for n, other in enumerate(OTHER_KEYS, start=1)}
        assert counts() == merged
        assert RollupPass.objects.get(pk="coarsen").rows == 10

    def test_deletes_old_counts_of_nothing(self):
        now = transaction_time()
        hour = (now - 30 * HOUR).replace(minute=0, second=0, microsecond=0)
        count(0, 0, minute=hour)
        count(0, 7, minute=hour, state="FAILED")
        count(3, 0, minute=hour, state="NEW")
        for numbers in ((5, 2), (-5, -2)):
            count(*numbers, minute=hour + numbers[0] % 9 * MINUTE, state="WAITING")
        (
            count(-1, 0, minute=hour + MINUTE, state="CANCEL"),
            count(1, 1, minute=hour + 2 * MINUTE, state="CANCEL"),
        )
        count(0, 0, minute=now - 25 * HOUR, state="NEW")
        coarsen_counts()
        found = {(key[0], key[1]): numbers for key, numbers in counts().items()}
        assert found == {
            (hour, "FAILED"): (0, 7),
            (hour, "NEW"): (3, 0),
            (hour, "CANCEL"): (0, 1),
            (now - 25 * HOUR, "NEW"): (0, 0),
        }

    def test_takes_no_count_that_is_recent(self):
        now = transaction_time()
        edge = now - 25 * HOUR
        count(1, 2, minute=edge), count(3, 4, minute=edge - timedelta(microseconds=1), state="NEW")
        assert coarsen_counts() == 1
        hour = edge.replace(minute=0, second=0, microsecond=0)
        assert {(key[0], key[1]) for key in counts()} == {(edge, "OK"), (hour, "NEW")}

    def test_adds_times_of_processing_to_those_of_the_hour(self):
        hour = (transaction_time() - 30 * HOUR).replace(minute=0, second=0, microsecond=0)
        took(1, minute=hour), took(2, minute=hour + 5 * MINUTE)
        coarsen_counts()
        took(4, minute=hour + 55 * MINUTE), took(8, minute=hour + 10 * MINUTE, step=4)
        coarsen_counts()
        assert times() == {(hour, "orders", 3): 7, (hour, "orders", 4): 8}

    def test_keeps_the_gauges_of_eight_days(self):
        edge = transaction_time() - 8 * DAY
        for number, minute in enumerate((edge - timedelta(microseconds=1), edge)):
            MessageGauge.objects.create(minute=minute, state="", messages=number, long=0)
        coarsen_counts()
        assert [gauge.messages for gauge in MessageGauge.objects.all()] == [1]


class TestNowByState:
    def test_adds_up_the_messages_of_each_state_except_ok(self):
        for minute, present, state in (
            (0, 1, "NEW"), (-2, 2, "NEW"), (-1, 4, "NEW"), (-9, 0, "NEW"),
            (0, 8, "FAILED"), (3, 16, "FAILED"), (-5, -3, "FAILED"),
            (0, 32, "OK"), (0, 5, "WAITING"), (-1, -5, "WAITING"),
        ):  # fmt: skip
            count(present, 64, minute=NOON + minute * MINUTE, state=state)
        assert now_by_state(before=NOON) == {
            "NEW": InState(state="NEW", count=7, long=6, since=NOON - 2 * MINUTE),
            "FAILED": InState(state="FAILED", count=21, long=-3, since=NOON - 5 * MINUTE),
        }


class TestGauges:
    def test_record_the_counts_once_a_minute(self):
        now = database_clock().replace(second=0, microsecond=0)
        long = transaction_time() - 15 * MINUTE
        for minute, present, state in (
            (long, 1, "NEW"), (long - timedelta(microseconds=1), 2, "NEW"), (long - HOUR, 4, "NEW"),
            (long - DAY, 0, "NEW"), (now, 8, "FAILED"), (now, 3, "OK"), (now, -1, "CANCEL"),
        ):  # fmt: skip
            count(present, 16, minute=minute, state=state)
        fold_changes()
        found = {gauge.state: gauge for gauge in MessageGauge.objects.all()}
        read = {state: (one.messages, one.long, one.since) for state, one in found.items()}
        assert read == {"": (0, 0, None), "NEW": (7, 6, long - HOUR), "FAILED": (8, 0, now)}
        assert {gauge.minute - now for gauge in found.values()} <= {0 * MINUTE, MINUTE}

    def test_read_the_last_ones_of_ten_minutes(self):
        long_ago = NOON - 3 * DAY
        for minutes, state, messages, long in (
            (-9, "NEW", 1, 2), (-9, "", 0, 0),
            (-4, "NEW", 3, 4), (-4, "FAILED", 5, 6), (-4, "", 0, 0),
            (7, "WAITING", 7, 8), (7, "", 0, 0),
        ):  # fmt: skip
            MessageGauge.objects.create(
                minute=NOON + minutes * MINUTE, state=state, messages=messages, long=long, since=long_ago
            )
        recorded = {
            "NEW": InState(state="NEW", count=3, long=4, since=long_ago),
            "FAILED": InState(state="FAILED", count=5, long=6, since=long_ago),
        }
        assert then_by_state(NOON) == recorded
        assert then_by_state(NOON - 4 * MINUTE) == recorded
        assert then_by_state(NOON + 6 * MINUTE - timedelta(microseconds=1)) == recorded
        assert then_by_state(NOON + 6 * MINUTE) is None
        assert set(then_by_state(NOON + 7 * MINUTE)) == {"WAITING"}
        assert set(then_by_state(NOON - 5 * MINUTE)) == {"NEW"}
        assert then_by_state(NOON - 10 * MINUTE) is None


class TestEnteredOverTime:
    def test_adds_up_each_state_of_each_slice(self):
        for minute, state, entered, service in (
            (-1, "OK", 1, "a"), (0, "OK", 2, "a"), (0, "OK", 4, "b"), (4, "OK", 8, "a"),
            (4, "FAILED", 16, "a"), (5, "FAILED", 32, "a"), (9, "NEW", 0, "a"), (9, "OK", 64, "a"),
            (10, "OK", 128, "a"),
        ):  # fmt: skip
            count(1, entered, minute=NOON + minute * MINUTE, state=state, service_name=service)
        found = entered_over_time(start=NOON, end=NOON + 10 * MINUTE, width=5 * MINUTE)
        assert found == [
            Slice(at=NOON, state="FAILED", count=16),
            Slice(at=NOON, state="OK", count=14),
            Slice(at=NOON + 5 * MINUTE, state="FAILED", count=32),
            Slice(at=NOON + 5 * MINUTE, state="OK", count=64),
        ]

    def test_has_up_to_five_hundred_slices_of_a_minute_or_more(self):
        end = NOON + 500 * MINUTE
        assert entered_over_time(start=NOON, end=end, width=MINUTE) == []
        for late, width in ((MINUTE, MINUTE), (-DAY, MINUTE - timedelta(microseconds=1))):
            with pytest.raises(ValueError, match="At most 500 slices, each one minute or longer"):
                entered_over_time(start=NOON, end=end + late, width=width)


class TestEndsByService:
    def test_has_the_ends_and_the_times_since_the_beginning(self):
        since = NOON + 7 * MINUTE
        for minute, state, entered, service in (
            (6, "OK", 1, "a"), (7, "OK", 2, "a"), (9, "OK", 4, "a"), (7, "FAILED", 8, "a"),
            (8, "CANCEL", 16, "a"), (8, "FAILED", 3, "b"),
        ):  # fmt: skip
            count(1, entered, minute=NOON + minute * MINUTE, state=state, service_name=service)
        for minute, service, step, messages in (
            (0, "a", 40, 1_000), (5, "a", 4, 190), (10, "a", 8, 9), (10, "a", 12, 1), (5, "b", 20, 1),
        ):  # fmt: skip
            took(messages, minute=NOON + minute * MINUTE, service_name=service, step=step)
        found = [
            (one.service_name, one.through, one.failed, one.p95_seconds)
            for one in ends_by_service(since=since)
        ]
        # The 95th percentile of 200 messages is the 190th, in the middle of its step.
        assert found == [
            ("a", 6, 8, pytest.approx(2 ** (4.5 / 4))),
            ("b", 0, 3, pytest.approx(2 ** (20.5 / 4))),
        ]


class TestFreshness:
    def test_is_that_of_the_earlier_of_the_last_pass_and_the_last_poll(self):
        now = database_clock()
        for name, minutes in (("fold", 3), ("coarsen", 9)):
            RollupPass.objects.create(name=name, done_at=now - minutes * MINUTE)
        at, seconds = read_freshness()
        assert (at, seconds) == (now - 3 * MINUTE, pytest.approx(180, abs=20))
        Polling.objects.create(
            front=1, safe=1, mark=1, mark_xid=1, changed_at=now, changed_safe=now, changed_mark=now,
            polled_at=now - 5 * MINUTE,
        )  # fmt: skip
        at, seconds = read_freshness()
        assert (at, seconds) == (now - 5 * MINUTE, pytest.approx(300, abs=20))
        RollupPass.objects.filter(name="fold").update(done_at=now - 6 * MINUTE)
        assert read_freshness()[0] == now - 6 * MINUTE
