import csv
import io
import json

import pytest
from django.http import QueryDict

from messages_app.messages.filtering import filters
from messages_app.messages.listing.exporting import COLUMNS, csv_lines, filtered_rows, json_lines
from tests.factories import make_archived_message, make_message, make_messages

pytestmark = pytest.mark.django_db


def rows(query: str = "", ordering: str = "-msg_id", **kwargs) -> list:
    return list(filtered_rows(filters.parse(QueryDict(query), user=None), ordering=ordering, **kwargs))


class TestFilteredRows:
    def test_keep_the_lists_filter_and_order(self):
        first, second = make_message(state="FAILED"), make_archived_message(state="FAILED")
        make_message(state="OK")
        assert [row.pk for row in rows("state=FAILED&archived=any", "msg_id")] == [first.pk, second.pk]

    def test_are_read_page_by_page_to_the_end(self):
        make_messages(1200)
        found = [row.pk for row in rows()]
        assert len(found) == 1200
        assert found == sorted(set(found), reverse=True)

    def test_end_at_the_limit_with_a_note(self):
        make_messages(1200)
        found = rows(most=700)
        assert len(found) == 701
        assert "first 700 messages" in found[-1]

    @pytest.mark.parametrize("most", [500, 1200])
    def test_have_no_note_when_they_are_just_so_many(self, most):
        make_messages(most)
        assert not isinstance(rows(most=most)[-1], str)


class TestCsvLines:
    def test_have_a_head_and_times_with_their_offset(self):
        message = make_message(failed_desc='no; "balance"\nat line 7')
        lines = list(csv.DictReader(io.StringIO("".join(csv_lines(iter(rows()), COLUMNS)))))
        assert lines[0]["msg_id"] == str(message.pk)
        assert lines[0]["receive_timestamp"] == message.receive_timestamp.isoformat()
        assert lines[0]["receive_timestamp"].endswith("+00:00")
        assert lines[0]["failed_summary"] == 'no; "balance"'
        assert lines[0]["archived"] == "False"
        assert not {"payload", "envelope", "failed_desc"} & set(lines[0])

    @pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
    def test_hold_no_formula(self, text):
        make_message(object_id=text)
        line = next(csv.DictReader(io.StringIO("".join(csv_lines(iter(rows()), COLUMNS)), newline="")))
        assert line["object_id"] == f"'{text}"

    def test_end_with_the_note(self):
        assert list(csv_lines(iter(["Only so many."]), COLUMNS))[-1] == "# Only so many.\r\n"


class TestJsonLines:
    def test_are_objects_by_column(self):
        message = make_message(object_id="=1+1")
        line = json.loads(next(json_lines(iter(rows()), COLUMNS)))
        assert set(line) == set(COLUMNS)
        assert (line["msg_id"], line["object_id"], line["archived"]) == (message.pk, "=1+1", False)
        assert line["receive_timestamp"] == message.receive_timestamp.isoformat()

    def test_end_with_the_note(self):
        assert json.loads(list(json_lines(iter(["Only so many."]), COLUMNS))[-1]) == {"note": "Only so many."}
