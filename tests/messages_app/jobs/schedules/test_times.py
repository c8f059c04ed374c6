from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from messages_app.jobs.schedules.times import cron_fault, next_run, zone_fault

NOON = datetime(2026, 11, 21, 12, 0, 30, tzinfo=UTC)


class TestCronFault:
    @pytest.mark.parametrize(
        "cron",
        [
            "0 3 * * *",
            "*/5 * * * *",
            "  30   2 1 * *  ",
            "0 0 29 2 *",
            "0 1-5/2 1,15 1-6 mon-fri",
            "0,59 3 * * *",
            "15 22 * * sun",
        ],
    )
    def test_takes_a_line(self, cron):
        assert cron_fault(cron) is None

    @pytest.mark.parametrize(
        ("cron", "column"),
        [
            ("61 * * * *", "minute"),
            ("mon 3 * * *", "minute"),
            ("*/0 3 * * *", "minute"),
            ("1,,2 3 * * *", "minute"),
            ("-1 3 * * *", "minute"),
            ("\u0663 3 * * *", "minute"),
            ("0 24 * * *", "hour"),
            ("0 3h * * *", "hour"),
            ("0 3 0 * *", "day of month"),
            ("0 3 32 * *", "day of month"),
            ("0 3 L * *", "day of month"),
            ("0 3 * 13 *", "month"),
            ("0 3 * jan *", "month"),
            ("0 3 * * 7", "day of week"),
            ("0 3 * * someday", "day of week"),
        ],
    )
    def test_names_the_column_at_fault(self, cron, column):  # J39
        fault = cron_fault(cron)
        assert (fault.field, fault.code) == ("cron", "invalid_value")
        assert fault.message.startswith(f"{column}: ")

    @pytest.mark.parametrize("cron", ["", "* * * *", "@never", "@daily", "0 3 * * * *", "0\x003 * * *"])
    def test_requires_five_columns(self, cron):
        assert cron_fault(cron).message.startswith("Enter five columns: minute, hour, day of month")

    @pytest.mark.parametrize("cron", ["0 2 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2 *"])
    def test_refuses_a_line_that_never_runs(self, cron):  # J41
        assert "would never run" in cron_fault(cron).message

    @pytest.mark.parametrize(
        "cron",
        [
            "* * * * *",
            "*/4 * * * *",
            "1,3 5 * * *",
            "20,24 5 * * *",
            "0,59 * * * *",
            "0,58 23,0 * * *",
            "2,58 7,8 * * *",
        ],
    )
    def test_refuses_a_line_that_runs_too_often(self, cron):  # J40
        assert cron_fault(cron).code == "out_of_range"

    def test_refuses_a_line_of_any_length(self):
        assert cron_fault("0 " * 100_000).code == "too_long"


class TestZoneFault:
    @pytest.mark.parametrize("zone", ["UTC", "Europe/Prague"])
    def test_takes_a_zone(self, zone):
        assert zone_fault(zone) is None

    @pytest.mark.parametrize("zone", ["", "Mars/Base", "../etc/passwd", "europe/prague", "UTC\0", "+02:00"])
    def test_refuses_an_unknown_zone(self, zone):  # J43
        assert zone_fault(zone).field == "zone"


class TestNextRun:
    @pytest.mark.parametrize(
        ("cron", "zone", "expected"),
        [
            ("0 3 * * *", "UTC", "2026-11-22T03:00:00+00:00"),
            ("0 3 * * *", "Europe/Prague", "2026-11-22T02:00:00+00:00"),
            ("*/5 * * * *", "UTC", "2026-11-21T12:05:00+00:00"),
            ("0 0 29 2 *", "UTC", "2028-02-29T00:00:00+00:00"),
            ("30 1 * * mon", "UTC", "2026-11-23T01:30:00+00:00"),
        ],
    )
    def test_is_the_first_that_fits(self, cron, zone, expected):
        assert next_run(cron, zone, now=NOON) == datetime.fromisoformat(expected)

    def test_is_an_hour_later_if_the_clocks_skip_it(self):  # J42
        before = datetime(2026, 3, 29, 0, 0, tzinfo=UTC)
        found = next_run("30 2 * * *", "Europe/Prague", now=before)
        assert found.astimezone(ZoneInfo("Europe/Prague")).isoformat() == "2026-03-29T03:30:00+02:00"

    def test_occurs_once_if_the_clocks_repeat_it(self):
        first = next_run("30 2 * * *", "Europe/Prague", now=datetime(2026, 10, 24, 12, tzinfo=UTC))
        second = next_run("30 2 * * *", "Europe/Prague", now=first)
        assert second - first == timedelta(hours=25)
