from datetime import UTC, datetime

import pytest
from django.utils import timezone

from messages_app.core.filters import moments

NOW = datetime(2026, 11, 21, 7, 0, 30, tzinfo=UTC)


class TestAsAddress:
    @pytest.mark.parametrize(
        ("written", "start", "end"),
        [
            ("-2h", "-2h", "-2h"),
            ("-015min", "-15m", "-15m"),
            ("Today", "today", "today"),
            ("today-1", "yesterday", "yesterday"),
            ("today-3", "today-3", "today-3"),
            ("2026-11-20", "2026-11-20T00:00Z", "2026-11-20T23:59:59.999999Z"),
            ("2026-11-20 10:05", "2026-11-20T10:05Z", "2026-11-20T10:05Z"),
            ("2026-11-20T10:05:06.5", "2026-11-20T10:05:06.5Z", "2026-11-20T10:05:06.5Z"),
            ("2026-11-20T10:05+01:00", "2026-11-20T10:05+01:00", "2026-11-20T10:05+01:00"),
            ("06:59", "2026-11-21T06:59:00Z", "2026-11-21T06:59:00Z"),
            ("7:01", "2026-11-20T07:01:00Z", "2026-11-20T07:01:00Z"),
            ("25:00", "25:00", "25:00"),
            ("whenever", "whenever", "whenever"),
        ],
    )
    def test_writes_a_time_in_its_canonical_form(self, written, start, end):
        assert moments.as_address(written, is_end=False, now=NOW) == start
        assert moments.as_address(written, is_end=True, now=NOW) == end


class TestZoneOfThePage:
    @pytest.fixture(autouse=True)
    def prague(self):
        with timezone.override("Europe/Prague"):
            yield

    @pytest.mark.parametrize(
        ("written", "start", "end"),
        [
            ("2026-11-20", "2026-11-20T00:00+01:00", "2026-11-20T23:59:59.999999+01:00"),
            ("2026-07-20 10:05", "2026-07-20T10:05+02:00", "2026-07-20T10:05+02:00"),
            ("2026-11-20T10:05Z", "2026-11-20T10:05Z", "2026-11-20T10:05Z"),
            ("07:59", "2026-11-21T06:59:00Z", "2026-11-21T06:59:00Z"),
            ("2026-02-31", "2026-02-31T00:00Z", "2026-02-31T23:59:59.999999Z"),
        ],
    )
    def test_is_that_of_times_without_one(self, written, start, end):
        assert moments.as_address(written, is_end=False, now=NOW) == start
        assert moments.as_address(written, is_end=True, now=NOW) == end

    def test_is_left_out_where_people_read_the_time(self):
        assert moments.as_written("2026-11-20T00:00+01:00", is_end=False) == "2026-11-20"
        assert moments.as_written("2026-07-20T10:05+02:00", is_end=False) == "2026-07-20T10:05"
        assert moments.as_written("2026-11-20T10:05Z", is_end=False) == "2026-11-20T10:05Z"
        assert moments.as_written("2026-07-20T10:05+01:00", is_end=False) == "2026-07-20T10:05+01:00"

    def test_decides_when_a_day_begins(self):
        late = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
        assert moments.as_exact_time("today", is_end=False, now=late) == "2026-11-21T00:00+01:00"


class TestExact:
    @pytest.mark.parametrize(
        ("address", "start", "end"),
        [
            ("-2h", "2026-11-21T05:00:30Z", "2026-11-21T05:00:30Z"),
            ("-1w", "2026-11-14T07:00:30Z", "2026-11-14T07:00:30Z"),
            ("today", "2026-11-21T00:00Z", "2026-11-21T23:59:59.999999Z"),
            ("yesterday", "2026-11-20T00:00Z", "2026-11-20T23:59:59.999999Z"),
            ("today-2", "2026-11-19T00:00Z", "2026-11-19T23:59:59.999999Z"),
            ("2026-11-20T10:05Z", "2026-11-20T10:05Z", "2026-11-20T10:05Z"),
            ("whenever", "whenever", "whenever"),
        ],
    )
    def test_counts_from_now(self, address, start, end):
        assert moments.as_exact_time(address, is_end=False, now=NOW) == start
        assert moments.as_exact_time(address, is_end=True, now=NOW) == end

    @pytest.mark.parametrize("address", ["-2h", "yesterday"])
    def test_does_not_change_dates_outside_the_calendar(self, address):
        assert moments.as_exact_time(address, is_end=False, now=datetime(1, 1, 1, tzinfo=UTC)) == address


class TestAsWritten:
    @pytest.mark.parametrize("written", ["-2h", "today", "2026-11-20", "2026-11-20T10:05", "whenever"])
    @pytest.mark.parametrize("is_end", [False, True])
    def test_is_the_inverse(self, written, is_end):
        address = moments.as_address(written, is_end=is_end, now=NOW)
        assert moments.as_written(address, is_end=is_end) == written

    def test_keeps_a_text_that_is_not_a_time(self):
        assert moments.as_written("blitZ", is_end=False) == "blitZ"

    def test_keeps_another_zone(self):
        assert moments.as_written("2026-11-20T10:05+01:00", is_end=False) == "2026-11-20T10:05+01:00"


class TestDayBefore:
    @pytest.mark.parametrize(
        ("day", "before"), [("today", "yesterday"), ("yesterday", "today-2"), ("today-9999", "today-9999")]
    )
    def test_counts_back(self, day, before):
        assert moments.day_before(day) == before


class TestInWords:
    @pytest.mark.parametrize(
        ("start", "end", "words"),
        [
            ("-2h", "", "in the last 2 h"),
            ("", "-15m", "until 15 min ago"),
            ("-2h", "-1h", "from 2 h ago to 1 h ago"),
            ("-2h", "-2h", "from 2 h ago to 2 h ago"),
            ("2026-11-20T10:05Z", "2026-11-20T10:05Z", "from 2026-11-20 10:05 to 2026-11-20 10:05"),
            ("today", "today", "today"),
            ("yesterday", "yesterday", "yesterday"),
            ("today-3", "", "since 3 days ago"),
            ("2026-11-20T00:00Z", "2026-11-20T23:59:59.999999Z", "on 2026-11-20"),
            ("2026-11-20T00:00Z", "2026-11-21T23:59:59.999999Z", "from 2026-11-20 to 2026-11-21"),
            ("2026-11-20T10:05Z", "", "since 2026-11-20 10:05"),
        ],
    )
    def test_describes_a_range(self, start, end, words):
        assert moments.describe_range(start, end) == words
