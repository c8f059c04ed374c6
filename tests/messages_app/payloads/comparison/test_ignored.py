from datetime import UTC, datetime

import pytest

from messages_app.payloads.comparison.canonical_form import Placeholders
from messages_app.payloads.comparison.ignored import (
    Apart,
    Ignored,
    Span,
    line_end_words,
    span_of,
)

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
SPAN = Span(NOON, datetime(2026, 11, 1, 18, tzinfo=UTC))


class TestSpan:
    @pytest.mark.parametrize(
        "text",
        [
            "2026-11-01T12:00:00Z",
            "2026-11-01 11:00 Z",
            "2026-11-01T19:00:00,5+01:00",
            "2026-11-01T20:00:00.123456789+0200",
            "2026-11-02T08:00:00",
        ],
    )
    def test_has_times_shortly_before_and_after_the_processing(self, text):
        assert SPAN.has_moment(text)

    @pytest.mark.parametrize(
        "text",
        [
            "2026-11-01T10:59:59Z",
            "2026-11-01T19:00:01Z",
            "2026-11-02T08:00:01",
            "2026-12-01T10:00:00Z",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59-14:00",
            "2026-13-45T99:99:99Z",
        ],
    )
    def test_has_no_other_times(self, text):
        assert not SPAN.has_moment(text)


class TestSpanOf:
    def test_is_from_the_first_to_the_last_known_time(self):
        assert span_of([SPAN.last, None, NOON, "infinity"]) == SPAN
        assert span_of([None, "infinity"]) is None


class TestPlaceholders:
    def test_replace_only_times_of_the_processing(self):
        value = "from 2026-11-01T12:30:00Z to 2026-12-01T10:00:00Z"
        assert Placeholders({}, SPAN).put(value) == "from [time] to 2026-12-01T10:00:00Z"
        assert Placeholders().put(value) == value


class TestApart:
    def test_names_everything_in_words(self):
        lines = [Ignored(1, "", "", 2, 0), Ignored(2, "", "", 0, 1)]
        assert Apart(lines, ["line ends"]).words == "2 times, 1 message id and line ends"
        assert Apart(lines[1:]).words == "1 message id"
        assert Apart().words == ""

    def test_lists_the_first_lines_and_counts_the_rest(self):
        apart = Apart([Ignored(n, "", "", 1, 0) for n in range(25)])
        assert (len(apart.listed_lines), apart.more) == (20, 5)


class TestLineEndWords:
    @pytest.mark.parametrize(
        ("left", "right", "words"),
        [
            ("a\r\nb", "a\nb", "line ends (CR LF against LF)"),
            ("a\rb", "ab", "line ends (CR against none)"),
            ("a\r\nb\nc", "a\nb\r\nc", "line ends"),
            ("a\nb", "c\nd", ""),
        ],
    )
    def test_names_the_kinds_of_both(self, left, right, words):
        assert line_end_words(left, right) == words
