from datetime import UTC, datetime, time

import pytest

from messages_app.jobs.schedules.presets import Every, cron_of, describe_times, read_preset
from messages_app.jobs.schedules.times import next_runs

PRESETS = [
    ("0 * * * *", {"every": Every.HOUR, "minute": 0}, "Every hour"),
    ("15 * * * *", {"every": Every.HOUR, "minute": 15}, "Every hour at minute 15"),
    ("30 2 * * *", {"every": Every.DAY, "at": time(2, 30)}, "Every day at 02:30"),
    ("5 23 * * 0", {"every": Every.WEEK, "at": time(23, 5), "weekday": "0"}, "Every Sunday at 23:05"),
    ("0 0 31 * *", {"every": Every.MONTH, "at": time(0, 0), "day": 31}, "Day 31 of every month at 00:00"),
]
OWN = [
    ("*/15 * * * *", "Every 15 minutes"),
    ("30 2 1 1 *", "At 02:30, on day 1 of the month, only in January"),
    ("0 6 * * mon-fri", "At 06:00, Monday through Friday"),
    ("0 6,18 * * *", "At 06:00 and 18:00"),
    ("30 2 1 * 1", "At 02:30, on day 1 of the month, only on Monday"),
    ("30 * 1 * *", "At 30 minutes past the hour, on day 1 of the month"),
]


class TestPresets:
    @pytest.mark.parametrize(("cron", "values", "words"), PRESETS)
    def test_are_a_cron_line_and_back(self, cron, values, words):
        assert read_preset(cron) == values
        assert cron_of(**values) == cron
        assert describe_times(cron) == words

    @pytest.mark.parametrize(("cron", "words"), OWN)
    def test_leave_every_other_line_as_it_is(self, cron, words):
        assert read_preset(cron) == {"every": Every.OWN, "cron": cron}
        assert cron_of(Every.OWN, cron=cron) == cron
        assert describe_times(cron) == words

    def test_read_the_name_of_a_day(self):
        assert read_preset("0 6 * * fri") == {"every": Every.WEEK, "weekday": "5", "at": time(6, 0)}


class TestNextRuns:
    def test_follow_each_other(self):
        runs = next_runs("30 2 31 * *", "UTC", now=datetime(2026, 11, 29, tzinfo=UTC), count=3)
        assert [run.date().isoformat() for run in runs] == ["2026-12-31", "2027-01-31", "2027-03-31"]
        assert {(run.hour, run.minute) for run in runs} == {(2, 30)}
