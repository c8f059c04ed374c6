import pytest
from django.http import QueryDict

from messages_app.messages.filters import message_filter
from messages_app.messages.listing.part_views import EXPORT_COLUMNS, filtered_rows
from tests.support.factories import make_archived_message, make_message, make_messages

pytestmark = pytest.mark.django_db


def rows(query: str = "", ordering: str = "-msg_id", **kwargs) -> list:
    return list(
        filtered_rows(
            message_filter.parse_message_filter(QueryDict(query), user=None), ordering=ordering, **kwargs
        )
    )


class TestColumns:
    def test_leave_out_wide_columns(self):
        assert not {"payload", "envelope", "failed_desc"} & set(EXPORT_COLUMNS)
        assert {"msg_id", "failed_summary", "archived"} <= set(EXPORT_COLUMNS)


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
    def test_have_no_note_at_exactly_the_limit(self, most):
        make_messages(most)
        assert not isinstance(rows(most=most)[-1], str)
