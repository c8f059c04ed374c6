from datetime import timedelta

from messages_app.messages.hub_times import clock_time, day_and_time, picked_up
from tests.support.factories import NOON


class TestPickedUp:
    def test_adds_the_minimum_wait_and_one_poll(self):
        assert picked_up(NOON) == (NOON + timedelta(seconds=60), NOON + timedelta(seconds=120))


class TestClockTime:
    def test_has_seconds_and_zone(self):
        assert clock_time(NOON) == "12:00:00 UTC"


class TestDayAndTime:
    def test_has_day_and_zone(self):
        assert day_and_time(NOON) == "2026-11-01 12:00 UTC"
