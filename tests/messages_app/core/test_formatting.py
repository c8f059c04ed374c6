from datetime import UTC, datetime

from messages_app.core.formatting import count_of, format_list, format_moment, format_ordinal, quote_text


class TestClock:
    def test_has_seconds_and_zone(self):
        assert format_moment(datetime(2026, 11, 21, 13, 58, 7, tzinfo=UTC)) == "2026-11-21 13:58:07 UTC"


class TestCounted:
    def test_agrees_with_the_number(self):
        assert [count_of(1, "child"), count_of(2, "child"), count_of(0, "message")] == [
            "1 child",
            "2 children",
            "0 messages",
        ]

    def test_writes_more_than(self):
        assert count_of(100, "child", more=True) == "more than 100 children"


class TestOrdinal:
    def test_writes_a_place(self):
        places = [format_ordinal(number) for number in (1, 3, 5, 6, 11, 12, 21, 102, 111)]
        assert places == ["first", "third", "fifth", "6th", "11th", "12th", "21st", "102nd", "111th"]


class TestListed:
    def test_joins_up_to_three(self):
        assert [format_list([1]), format_list([1, 2]), format_list([1, 2, 3])] == [
            "1",
            "1 and 2",
            "1, 2 and 3",
        ]

    def test_counts_the_others(self):
        assert format_list([1, 2, 3, 4]) == "1, 2, 3 and 1 other"

    def test_writes_at_least_if_there_may_be_more(self):
        assert format_list([1, 2, 3, 4, 5], more=True) == "1, 2, 3 and at least 2 others"


class TestQuoted:
    def test_is_one_line_and_cut(self):
        assert quote_text("a\n  b") == "“a b”"
        assert quote_text("abcdef", most=4) == "“abc…”"
