"""Bursts are found against the background of their own series."""

import random

import pytest

from messages_app.incidents.gathering.bursts import Burst, add_minutes, count_within, find_bursts, join_bursts
from messages_app.incidents.gathering.records import Window
from messages_app.incidents.gathering.traffic import Exposure

DAY = Window(1, 1440)
EVEN = Exposure(DAY, [1.0] * 48)


def find_ranges(minutes, exposure=EVEN):
    return [(burst.first, burst.last, burst.count) for burst in find_bursts(minutes, exposure)]


class TestBursts:
    def test_are_not_found_among_a_few_failures_of_a_day(self):
        assert find_ranges({100: 1, 300: 1, 650: 1, 900: 1, 1300: 1}) == []

    def test_are_not_found_in_a_steady_background(self):
        assert find_ranges(dict.fromkeys(range(1, 1441, 4), 1)) == []

    def test_are_rare_in_random_backgrounds(self):
        source = random.Random(1)  # noqa: S311 - repeatable
        backgrounds = [add_minutes({source.randint(1, 1440): 1} for _ in range(60)) for _ in range(100)]
        assert sum(bool(find_ranges(minutes)) for minutes in backgrounds) <= 10

    def test_begin_and_end_with_an_abrupt_outage(self):
        background = dict.fromkeys(range(10, 1441, 90), 1)
        outage = dict.fromkeys(range(601, 661), 3)
        assert find_ranges(add_minutes([background, outage])) == [(601, 660, 181)]

    def test_of_three_failures_in_a_minute_count(self):
        assert find_ranges({700: 3}) == [(700, 700, 3)]

    def test_of_two_failures_do_not_count(self):
        assert find_ranges({700: 2}) == []

    @pytest.mark.parametrize(("more", "ranges"), [(4, []), (8, [(601, 660, 600)])])
    def test_have_four_times_the_failures_of_a_dense_background(self, more, ranges):
        background = dict.fromkeys(range(1, 1441), 2)
        assert find_ranges(add_minutes([background, dict.fromkeys(range(601, 661), more)])) == ranges

    def test_include_most_of_a_ramp(self):
        ramp = {600 + minute: minute // 5 for minute in range(5, 60)}
        ((first, last, count),) = find_ranges(ramp)
        assert count >= 0.95 * sum(ramp.values())
        assert (first <= 610, last) == (True, 659)

    def test_that_follow_each_other_hours_later_are_two(self):
        minutes = dict.fromkeys([*range(300, 320), *range(900, 920)], 2)
        assert find_ranges(minutes) == [(300, 319, 40), (900, 919, 40)]

    def test_that_follow_each_other_hours_later_are_two_without_a_background(self):
        minutes = dict.fromkeys([*range(300, 304), *range(480, 484)], 1)
        assert find_ranges(minutes) == [(300, 303, 4), (480, 483, 4)]

    def test_expect_what_comes_outside_of_them(self):
        minutes = dict.fromkeys(range(1, 721, 30), 1) | dict.fromkeys(range(721, 1441), 2)
        (burst,) = find_bursts(minutes, EVEN)
        assert (burst.first, burst.count, burst.expected) == (721, 1440, pytest.approx(24.5))

    def test_of_a_slow_series_may_have_long_gaps(self):
        minutes = dict.fromkeys(range(600, 901, 30), 1)
        assert find_ranges(minutes) == [(600, 900, 11)]

    def test_are_found_in_an_outage_of_most_of_the_day(self):
        minutes = dict.fromkeys(range(400, 1441), 2)
        assert find_ranges(minutes) == [(400, 1440, 2082)]

    def test_are_not_found_where_the_traffic_explains_them(self):
        busy = Exposure(DAY, [1.0] * 20 + [40.0] * 4 + [1.0] * 24)
        minutes = dict.fromkeys(range(601, 721, 10), 1) | {100: 1, 1000: 1, 1300: 1}
        assert find_ranges(minutes, busy) == []
        assert find_ranges(minutes) == [(601, 711, 12)]


class TestSeries:
    def test_are_added_by_minute(self):
        assert add_minutes([{1: 2, 3: 1}, {3: 4}]) == {1: 2, 3: 5}
        assert add_minutes([]) == {}

    def test_are_counted_with_both_ends(self):
        assert count_within({1: 1, 5: 2, 9: 4, 10: 8}, 5, 9) == 6


class TestJoinBursts:
    def test_joins_bursts_that_overlap_or_are_near(self):
        bursts = [Burst(50, 60, 4, 0.1), Burst(1, 20, 3, 0.2), Burst(95, 99, 5, 0.5)]
        assert join_bursts(bursts, pause=30) == [Burst(1, 60, 7, pytest.approx(0.3)), Burst(95, 99, 5, 0.5)]


class TestChangingBackground:
    def test_a_background_that_doubles_in_the_afternoon_has_no_burst(self):
        minutes = dict.fromkeys(range(1, 721, 8), 1) | dict.fromkeys(range(721, 1441, 3), 1)
        assert find_ranges(minutes) == []

    def test_a_peak_of_a_dense_afternoon_is_compared_with_the_afternoon(self):
        day = dict.fromkeys(range(1, 721), 2) | dict.fromkeys(range(721, 1441), 4)
        assert find_ranges(day | dict.fromkeys(range(1001, 1061), 12)) == []
        assert find_ranges(day | dict.fromkeys(range(1001, 1061), 17)) == [(1001, 1060, 1020)]

    def test_new_texts_have_no_burst_because_they_lack_the_first_hour(self):
        assert find_ranges(dict.fromkeys(range(85, 1441, 10), 1)) == []
