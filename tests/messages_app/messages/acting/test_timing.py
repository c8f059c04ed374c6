from datetime import timedelta

import pytest

from messages_app.messages.acting.timing import clock_time, day_and_time, picked_up, span
from tests.factories import NOON


class TestPickedUp:
    def test_rests_a_minute_and_waits_for_the_next_poll(self):
        assert picked_up(NOON) == (NOON + timedelta(seconds=60), NOON + timedelta(seconds=120))


class TestClockTime:
    def test_has_seconds_and_zone(self):
        assert clock_time(NOON) == "12:00:00 UTC"


class TestDayAndTime:
    def test_has_day_and_zone(self):
        assert day_and_time(NOON) == "2026-11-01 12:00 UTC"


class TestSpan:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [(-3, "0 s"), (14, "14 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (172_800, "2 d")],
    )
    def test_takes_the_largest_unit_that_says_enough(self, seconds, text):
        assert span(timedelta(seconds=seconds)) == text
