"""When a rule would have fired. Counts are stored directly, because a pass counts only what happens now."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.messages.alerts import past
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.past import Firing, PastIsUnknown, read_past
from messages_app.messages.metrics.models import MessageGauge, MessageRollup
from tests.support.plans import faults_in, reads_of

pytestmark = pytest.mark.django_db

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture
def now() -> datetime:
    return database_clock().replace(second=0, microsecond=0)


def count(at: datetime, entered: int, state: str = "FAILED", **columns: str) -> None:
    values = {
        "service_name": "billing",
        "operation_name": "createInvoice",
        "source_system": "CRM",
        "failed_error_code": "E103" if state == "FAILED" else "",
    }
    MessageRollup.objects.create(minute=at, state=state, present=0, entered=entered, **values | columns)


def record(at: datetime, **gauges: tuple[int, int, datetime]) -> None:
    """Record the gauges of a minute: (messages, unchanged for long, last change of the oldest) by state."""
    MessageGauge.objects.create(minute=at, state="", messages=0, long=0)
    for state, (messages, long, since) in gauges.items():
        MessageGauge.objects.create(minute=at, state=state, messages=messages, long=long, since=since)


def firings(rule: WatchRule, now: datetime) -> list[Firing]:
    return read_past(rule, since=now - timedelta(days=7)).firings


def rule(measure: str, **columns: object) -> WatchRule:
    return WatchRule(**{"measure": measure, "state": "FAILED", "limit": 0, "window_minutes": 10} | columns)


class TestReadPast:
    def test_of_changes_counts_each_minute_with_its_window(self, now):
        start = now - 3 * HOUR
        count(start, 2)
        count(start + 5 * MINUTE, 2)
        count(start, 9, service_name="orders")
        count(start, 9, state="OK")
        rules = rule("entered", service_name="billing", limit=3)
        # Four within ten minutes from the fifth on, until the first two leave the window.
        assert firings(rules, now) == [Firing(start=start + 5 * MINUTE, end=start + 10 * MINUTE)]
        assert firings(rule("entered", service_name="billing", limit=4), now) == []
        assert len(firings(rule("entered", limit=8), now)) == 1

    def test_of_a_share_requires_the_minimum_of_ended_messages(self, now):
        start = now - 3 * HOUR
        count(start, 2)
        count(start, 6, state="OK", failed_error_code="")
        rate = {"limit": 0.2, "at_least": 8}
        assert firings(rule("failure_rate", **rate), now) == [Firing(start=start, end=start + 10 * MINUTE)]
        assert firings(rule("failure_rate", **rate | {"limit": 0.25}), now) == []
        assert firings(rule("failure_rate", **rate | {"at_least": 9}), now) == []

    def test_says_that_it_has_not_ended(self, now):
        count(now - MINUTE, 1)
        (firing,) = firings(rule("entered"), now)
        assert (firing.start, firing.is_open) == (now - MINUTE, True)

    def test_of_days_before_yesterday_is_by_the_hour(self, now):
        hour = now.replace(minute=0) - timedelta(days=3)
        count(hour, 5)
        assert firings(rule("entered", limit=4), now) == [
            Firing(start=hour, end=hour + HOUR, is_by_hour=True)
        ]
        assert firings(rule("entered", limit=5), now) == []
        # A window of three hours.
        (firing,) = firings(rule("entered", limit=4, window_minutes=180), now)
        assert (firing.start, firing.end) == (hour, hour + 3 * HOUR)

    def test_joins_hours_with_the_minutes_after_them(self, now):
        middle = (now - timedelta(hours=23)).replace(minute=0)
        count(middle - HOUR, 5)
        count(middle + 2 * MINUTE, 5)
        count(middle, 5)
        assert firings(rule("entered", limit=4), now) == [
            Firing(start=middle - HOUR, end=middle + 12 * MINUTE, is_by_hour=True)
        ]

    def test_of_messages_in_a_state_reads_the_recorded_numbers(self, now):
        since = now - timedelta(days=9)
        for ago, messages, long in ((50, 1, 0), (49, 4, 1), (48, 5, 3), (47, 2, 0)):
            record(now - ago * MINUTE, FAILED=(messages, long, since), WAITING=(99, 99, since))
        record(now - 46 * MINUTE)
        expected = [Firing(start=now - 49 * MINUTE, end=now - 47 * MINUTE)]
        assert firings(rule("present", limit=3), now) == expected
        expected = [Firing(start=now - 48 * MINUTE, end=now - 47 * MINUTE)]
        assert firings(rule("present", limit=2, older_than_seconds=900), now) == expected

    @pytest.mark.parametrize(
        "columns", [{"measure": "age", "limit": 3600}, {"measure": "present", "older_than_seconds": 3600}]
    )
    def test_of_an_age_reads_the_last_change_of_the_oldest(self, now, columns):
        since = now - 2 * HOUR
        for ago in (61, 60, 59, 58):
            record(now - ago * MINUTE, FAILED=(1, 1, since))
        record(now - 57 * MINUTE, FAILED=(1, 1, datetime.max.replace(tzinfo=UTC, microsecond=0)))
        assert firings(rule(**columns), now) == [Firing(start=now - 59 * MINUTE, end=now - 57 * MINUTE)]

    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            ({"measure": "saved_view"}, "The past number of messages in a view is not stored."),
            ({"measure": "present", "service_name": "billing"}, "for all services together only"),
            ({"measure": "age", "failed_error_code": "E103"}, "for all services together only"),
            (
                {"measure": "present", "older_than_seconds": 60, "limit": 1},
                "for 15 min only, or for a limit of 0",
            ),
        ],
    )
    def test_says_what_is_not_stored(self, now, columns, words):
        record(now)
        with pytest.raises(PastIsUnknown, match=words):
            firings(rule(**columns), now)

    def test_says_that_nothing_was_recorded(self, now):
        with pytest.raises(PastIsUnknown, match=r"Nothing was recorded in the last week\."):
            firings(rule("present"), now)

    def test_ends_when_it_takes_too_long(self, now, monkeypatch):
        monkeypatch.setattr(past, "_MAX_MS", 1)
        with connection.cursor() as cursor:
            cursor.execute(_MANY)
        with pytest.raises(PastIsUnknown, match="could not be read in time"):
            firings(rule("failure_rate"), now)


class TestPlans:
    """A day by the minute with 15 rows each, before more than a year by the hour."""

    def test_read_by_an_index(self, now):
        with connection.cursor() as cursor:
            cursor.execute(_MANY)
        for columns, most in (
            ({"measure": "entered"}, 45_000),
            ({"measure": "failure_rate"}, 45_000),
            ({"measure": "failure_rate", "service_name": "s7"}, 45_000),
            # The gauges of eight days are read completely, whose table has no others.
            ({"measure": "present"}, 60_000),
            ({"measure": "age", "limit": 60}, 60_000),
        ):
            sent: list = []
            with connection.execute_wrapper(reads_of(sent)):
                firings(rule(**columns), now)
            assert faults_in(sent, most_rows=most) == [], columns


_MANY = """
INSERT INTO message_rollup
      (minute, state, service_name, operation_name, source_system, failed_error_code, present, entered)
SELECT minute, state, 's' || n, '', '', '', 0, 1
  FROM (SELECT generate_series(date_trunc('minute', now()) - interval '1 day', now(), interval '1 minute')
         UNION
        SELECT generate_series(date_trunc('day', now()) - interval '400 days', now() - interval '1 day',
                               '1 hour'))
       AS times (minute),
       unnest(ARRAY['OK', 'FAILED', 'PARTLY_FAILED']) AS state, generate_series(1, 5) AS n;
INSERT INTO message_gauge (minute, state, messages, long, since)
SELECT minute, state, 1, 0, minute
  FROM generate_series(date_trunc('minute', now()) - interval '8 days', now(), interval '1 minute') AS minute,
       unnest(ARRAY['', 'FAILED', 'WAITING', 'POSTPONED']) AS state;
ANALYZE message_rollup, message_gauge;
"""
