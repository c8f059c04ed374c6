from datetime import timedelta

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from messages_app.messages.listing.neighbours import LATE, find_neighbours
from tests.support.factories import NOON, make_archived_message, make_message, make_user

pytestmark = pytest.mark.django_db


def beside(message, query: str = "") -> tuple[int | None, int | None]:
    """Return the newer and the older neighbour in the list that a query string means."""
    user = make_user("support", username=f"u{query}"[:150])
    found = find_neighbours(QueryDict(query), user=user, message=message, patience=LATE)
    return found.newer, found.older


class TestNeighbours:
    def test_are_among_all_messages_without_a_query(self):
        first, second, third = (make_message() for _ in range(3))
        assert beside(second) == (third.pk, first.pk)
        assert beside(first, "ordering=msg_id") == (second.pk, None)

    def test_are_among_the_messages_of_the_filter(self):
        first = make_message(state="FAILED", service_name="billing")
        make_message(state="OK")
        middle = make_message(state="FAILED", service_name="billing")
        make_message(state="FAILED", service_name="orders")
        last = make_message(state="FAILED", service_name="billing")
        assert beside(middle, "state=FAILED&service_name=billing") == (last.pk, first.pk)

    def test_are_read_only_by_their_place(self):
        message = make_message()
        make_message()
        with CaptureQueriesContext(connection) as queries:
            beside(message, "ordering=receive_timestamp")
        read = [query["sql"] for query in queries if 'FROM "message"' in query["sql"]]
        assert len(read) == 2
        assert not any("correlation_id" in sql for sql in read)

    def test_are_there_when_the_message_has_left_the_list(self):
        first, moved, last = make_message(state="FAILED"), make_message(), make_message(state="FAILED")
        assert beside(moved, "state=FAILED") == (last.pk, first.pk)

    def test_follow_the_order_of_the_list(self):
        late = make_message(receive_timestamp=NOON + timedelta(hours=2))
        early = make_message(receive_timestamp=NOON)
        middle = make_message(receive_timestamp=NOON + timedelta(hours=1))
        for ordering in ("receive_timestamp", "-receive_timestamp"):
            assert beside(middle, f"ordering={ordering}") == (late.pk, early.pk)
        assert beside(middle) == (None, early.pk)

    def test_distinguish_equal_times_by_the_id(self):
        first, second, third = (make_message(receive_timestamp=NOON) for _ in range(3))
        assert beside(second, "ordering=-receive_timestamp") == (third.pk, first.pk)

    def test_are_read_from_the_archive_and_from_both(self):
        older, live = make_archived_message(), make_message()
        newer = make_archived_message()
        assert beside(older, "archived=true") == (newer.pk, None)
        assert beside(live, "archived=any") == (newer.pk, older.pk)
        assert beside(live) == (None, None)

    def test_ignore_the_parameters_of_the_page_itself(self):
        first, second = make_message(), make_message()
        assert beside(second, "entries=failures&cursor=abc") == (None, first.pk)

    @pytest.mark.parametrize("query", ["state=NOPE", "ordering=payload", "parent_msg_id=x", "at=never"])
    def test_are_empty_if_the_address_is_not_a_list(self, query):
        make_message()
        assert beside(make_message(), query) == (None, None)

    def test_are_empty_for_a_search_of_payloads(self):
        make_message()
        reader = make_user("support", "view_payload")
        query = (
            "payload_contains=Ada&receive_timestamp_from=2026-11-01T00:00:00Z"
            "&receive_timestamp_to=2026-11-02T00:00:00Z"
        )
        found = find_neighbours(QueryDict(query), user=reader, message=make_message(), patience=LATE)
        assert (found.newer, found.older) == (None, None)
        assert "payload_contains=Ada" in found.query

    def test_carry_the_query_of_the_list_along(self):
        message = make_message()
        user = make_user("support")
        params = QueryDict("state=FAILED,OK&x=1&ordering=msg_id")
        found = find_neighbours(params, user=user, message=message, patience=LATE)
        assert found.query == "?state=FAILED,OK&ordering=msg_id"
        found = find_neighbours(QueryDict(""), user=user, message=message, patience=LATE)
        assert found.query == ""
