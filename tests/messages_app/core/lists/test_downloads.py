import csv
import io
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from messages_app.core.lists.downloads import csv_lines, file_of, json_lines, listed_rows
from messages_app.core.pagination.paginator import Page
from messages_app.shared.text_safety import CSV_MARK

COLUMNS = ("id", "at", "text")
MOMENT = datetime(2026, 11, 21, 7, tzinfo=UTC)


def row(text: str = "a") -> SimpleNamespace:
    return SimpleNamespace(id=7, at=MOMENT, text=text)


def read(lines: Iterable[str]) -> list[dict[str, str]]:
    text = "".join(lines).removeprefix(CSV_MARK)
    return list(csv.DictReader(io.StringIO(text, newline="")))


def list_up_to(most: int, *pages: str) -> list[object]:
    """Return the rows of a list with these pages, each a row per letter, in a download of at most `most`."""

    def fetch(cursor: str | None) -> Page:
        number = int(cursor or 0)
        following = str(number + 1) if number + 1 < len(pages) else None
        return Page(rows=list(pages[number]), next_cursor=following, previous_cursor=None)

    return list(listed_rows(fetch, things="things", most=most))


class TestListedRows:
    def test_are_all_without_a_note_if_they_are_exactly_the_most(self):
        assert list_up_to(5, "abc", "de") == ["a", "b", "c", "d", "e"]

    @pytest.mark.parametrize("pages", [("abc", "def"), ("abc", "de", "f"), ("abcdef",)])
    def test_end_with_a_note_if_there_is_one_more(self, pages):
        note = "Only the first 5 things are included. Narrow the filter, or use a bulk export."
        assert list_up_to(5, *pages) == ["a", "b", "c", "d", "e", note]


class TestCsvLines:
    def test_have_a_head_and_times_with_their_offset(self):
        assert read(csv_lines(iter([row('no; "balance"')]), COLUMNS)) == [
            {"id": "7", "at": "2026-11-21T07:00:00+00:00", "text": 'no; "balance"'}
        ]

    def test_begin_with_the_mark_of_utf_8(self):
        assert next(csv_lines(iter([]), COLUMNS)).encode() == b"\xef\xbb\xbfid,at,text\r\n"

    @pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
    def test_hold_no_formula(self, text):
        assert read(csv_lines(iter([row(text)]), COLUMNS))[0]["text"] == f"'{text}"

    def test_end_with_the_note(self):
        assert list(csv_lines(iter(["Only the first rows."]), COLUMNS))[-1] == "# Only the first rows.\r\n"


class TestJsonLines:
    def test_are_objects_by_column(self):
        line = json.loads(next(json_lines(iter([row("=1+1")]), COLUMNS)))
        assert line == {"id": 7, "at": MOMENT.isoformat(), "text": "=1+1"}

    def test_end_with_the_note(self):
        assert json.loads(list(json_lines(iter(["Only the first rows."]), COLUMNS))[-1]) == {
            "note": "Only the first rows."
        }


class TestFileOf:
    def test_is_named_for_its_kind(self):
        answer = file_of(iter([row()]), COLUMNS, name="things", kind="jsonl")
        assert answer.headers["Content-Disposition"] == 'attachment; filename="things.jsonl"'
        assert json.loads(b"".join(answer.streaming_content))["id"] == 7
