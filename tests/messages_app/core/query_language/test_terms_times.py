from datetime import UTC, datetime

import pytest

from messages_app.core.query_language.terms import InvalidTime, format_range, read_times

NOW = datetime(2026, 11, 21, 7, tzinfo=UTC)
START, END = "receive_timestamp_from", "receive_timestamp_to"


def ends(text: str) -> tuple[str, str]:
    found = read_times(text, start=START, end=END, now=NOW)
    return found.get(START, ""), found.get(END, "")


class TestReadTimes:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (">-2h", ("-2h", "")),
            ("-2h", ("-2h", "")),
            ("<-1d", ("", "-1d")),
            (">=2026-11-21T10:00", ("2026-11-21T10:00Z", "")),
            (">2026-11-20", ("2026-11-20T00:00Z", "")),
            ("<2026-11-20", ("", "2026-11-20T00:00Z")),
            ("<=2026-11-20", ("", "2026-11-20T23:59:59.999999Z")),
            ("<today", ("", "yesterday")),
            ("<=today", ("", "today")),
            ("2026-11-20..2026-11-21", ("2026-11-20T00:00Z", "2026-11-21T23:59:59.999999Z")),
            ("-2h..-1h", ("-2h", "-1h")),
            ("today", ("today", "today")),
            ("2026-11-20", ("2026-11-20T00:00Z", "2026-11-20T23:59:59.999999Z")),
        ],
    )
    def test_reads_both_ends(self, text, expected):
        assert ends(text) == expected

    @pytest.mark.parametrize(
        "text",
        [
            "whenever",
            "2026-02-30",
            ">",
            "=today",
            "..",
            "..today",
            "2026-11-20T10:00",
            "2h",
            ">10:61",
            "0000-01-01",
        ],
    )
    def test_refuses_an_invalid_range(self, text):
        with pytest.raises(InvalidTime):
            ends(text)


class TestWritten:
    @pytest.mark.parametrize(
        "text",
        [
            ">-2h",
            "<-1d",
            "-2h..-1h",
            "today",
            "today..today-1",
            ">=yesterday",
            "<=yesterday",
            "2026-11-20",
            "2026-11-20..2026-11-21",
            "2026-11-20T10:00..2026-11-20T11:00",
            ">=2026-11-20T10:00+01:00",
            "2026-11-20..2026-11-21T00:00",
        ],
    )
    def test_is_the_inverse(self, text):
        assert ends(format_range(*ends(text))) == ends(text)
