from datetime import timedelta

import pytest

from messages_app.core import formatting


def spans(*seconds: float) -> list[timedelta]:
    return [timedelta(seconds=each) for each in seconds]


class TestNumber:
    def test_is_in_groups_of_three(self):
        assert [formatting.format_number(count) for count in (0, 999, 1000, 1_234_567)] == [
            "0",
            "999",
            "1\u202f000",
            "1\u202f234\u202f567",
        ]


class TestAbout:
    @pytest.mark.parametrize(
        ("count", "text"),
        [(7, "7"), (1234, "1\u202f200"), (49_873, "50\u202f000"), (1_234_567, "1.2 million")],
    )
    def test_is_not_more_precise_than_its_estimate(self, count, text):
        assert formatting.format_estimate(count) == text


class TestDecimal:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (0, "0"),
            (0.0, "0"),
            (0.052, "0.052"),
            (0.25, "0.25"),
            (5.0, "5"),
            (8.24, "8.2"),
            (-3.5, "-3.5"),
            (1240.4, "1\u202f240"),
        ],
    )
    def test_has_no_more_digits_than_it_deserves(self, value, text):
        assert formatting.format_decimal(value) == text


class TestPercent:
    @pytest.mark.parametrize(
        ("share", "text"),
        [
            (0, "0 %"),
            (0.00001, "0.1 %"),
            (0.004, "0.4 %"),
            (0.36, "36 %"),
            (0.5, "50 %"),
            (0.9999, "99.9 %"),
            (1, "100 %"),
        ],
    )
    def test_has_a_blank_and_distinguishes_a_little_from_nothing(self, share, text):
        assert formatting.format_percent(share) == text


class TestDuration:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (-5, "0 s"),
            (0, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (41 * 60 + 59, "41 min"),
            (2 * 3600 - 1, "119 min"),
            (2 * 3600, "2 h"),
            (2 * 3600 + 300, "2 h 5 min"),
            (48 * 3600 - 1, "47 h 59 min"),
            (48 * 3600, "2 d"),
            (76 * 3600, "3 d 4 h"),
            (600 * 86400 + 21 * 3600 + 24 * 60, "600 d 21 h"),
        ],
    )
    def test_uses_the_largest_units(self, seconds, text):
        assert formatting.format_duration(timedelta(seconds=seconds)) == text


class TestMeasured:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (0, "0 ms"),
            (0.08, "80 ms"),
            (0.9999, "999 ms"),
            (1, "1 s"),
            (1.5, "1.5 s"),
            (9.99, "9.9 s"),
            (104.2, "104 s"),
            (600, "10 min"),
            (9000, "2 h 30 min"),
            (-1, "0 ms"),
        ],
    )
    def test_has_a_fraction_if_it_was_short(self, seconds, text):
        assert formatting.format_measured_duration(timedelta(seconds=seconds)) == text


class TestAge:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [(-3, "0 s"), (14, "14 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (172_800, "2 d")],
    )
    def test_uses_the_largest_unit_that_is_precise_enough(self, seconds, text):
        assert formatting.format_age(timedelta(seconds=seconds)) == text


class TestAgo:
    def test_is_before_or_after_now(self):
        assert [formatting.format_time_since(span) for span in spans(600 * 86400, 0.5, -300)] == [
            "600 d ago",
            "now",
            "in 5 min",
        ]


class TestSize:
    @pytest.mark.parametrize(
        ("count", "text"),
        [
            (0, "0 B"),
            (999, "999 B"),
            (1300, "1.3 kB"),
            (20_000_000, "20 MB"),
            (150_000_000, "150 MB"),
        ],
    )
    def test_uses_the_unit_that_fits(self, count, text):
        assert formatting.format_size(count) == text


class TestEmpty:
    @pytest.mark.parametrize(
        "write",
        [
            formatting.format_number,
            formatting.format_decimal,
            formatting.format_percent,
            formatting.format_size,
        ],
    )
    def test_is_a_dash_everywhere(self, write):
        assert write(None) == formatting.format_measured_duration(None) == "–"
