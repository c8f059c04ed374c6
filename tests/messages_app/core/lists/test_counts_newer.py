import pytest
from django.http import QueryDict

from messages_app.core.lists.counts import MAX_COUNTED, Newer, count_newer
from messages_app.core.problems import Problem
from messages_app.messages import selectors
from messages_app.messages.filters import message_filter
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


def cursor_of(query: str, ordering: str = "-msg_id") -> tuple:
    wanted = message_filter.parse_message_filter(QueryDict(query), user=None)
    return wanted, selectors.message_page(filters=wanted, ordering=ordering, page_size=2).newer_cursor


def new_since(wanted: message_filter.MessageFilter, cursor: str, ordering: str = "-msg_id") -> Newer:
    asked = {"filters": wanted, "ordering": ordering, "cursor": cursor}
    return count_newer(lambda **limits: selectors.message_page(**asked, **limits))


class TestNewer:
    @pytest.mark.parametrize("ordering", ["-msg_id", "-receive_timestamp"])
    def test_counts_those_before_the_first_row_that_pass_the_filter(self, ordering):
        for _ in range(3):
            make_message(state="FAILED")
        wanted, cursor = cursor_of("state=FAILED", ordering)
        assert new_since(wanted, cursor, ordering) == Newer()
        make_message(state="FAILED")
        make_message(state="OK")
        make_message(state="FAILED")
        assert new_since(wanted, cursor, ordering) == Newer(number=2)

    def test_counts_the_first_ones_of_an_empty_list(self):
        wanted, cursor = cursor_of("state=FAILED")
        make_message(state="FAILED")
        assert new_since(wanted, cursor) == Newer(number=1)

    def test_counts_no_further_than_it_says(self):
        make_message()
        wanted, cursor = cursor_of("")
        for _ in range(MAX_COUNTED + 1):
            make_message()
        found = new_since(wanted, cursor)
        assert found == Newer(number=MAX_COUNTED, are_more=True)

    def test_refuses_a_cursor_of_another_list(self):
        make_message()
        wanted, _ = cursor_of("")
        _, other = cursor_of("state=OK")
        with pytest.raises(Problem, match="not valid for this list"):
            new_since(wanted, other)
