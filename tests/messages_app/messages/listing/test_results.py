from datetime import timedelta

import pytest
from django.http import QueryDict

from messages_app.core.pagination.paginator import Page
from messages_app.messages import selectors
from messages_app.messages.filters import message_filter
from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.messages.listing.results import Progress, Results, describe_results, search_progress
from messages_app.messages.models import Message
from tests.support.factories import NOON, make_message, make_messages, make_user

pytestmark = pytest.mark.django_db

RANGE = "receive_timestamp_from=2026-11-01T12:00:00Z&receive_timestamp_to=2026-11-01T14:00:00Z"


def results(query: str, ordering: str = "-msg_id", **paging) -> Results:
    wanted = message_filter.parse_message_filter(QueryDict(query), user=None)
    page = selectors.message_page(filters=wanted, ordering=ordering, **paging)
    return describe_results(page=page, filters=wanted, ordering=ordering, user=make_user("operator"))


class TestDescribeResults:
    @pytest.mark.parametrize(
        ("query", "ordering", "is_live"),
        [
            ("", "-msg_id", True),
            ("state=FAILED", "-receive_timestamp", True),
            ("archived=any", "-msg_id", True),
            ("", "msg_id", False),
            ("archived=true", "-msg_id", False),
            (f"payload_contains=x&{RANGE}", "-receive_timestamp", False),
        ],
    )
    def test_check_for_newer_messages_if_the_list_begins_with_the_newest(self, query, ordering, is_live):
        assert bool(results(query, ordering).newer_query) == is_live

    def test_know_whether_the_page_is_all(self):
        for _ in range(3):
            make_message()
        found = results("", page_size=5)
        assert (found.is_first, found.is_last, found.rows, found.more_query) == (True, True, 3, None)

    def test_pass_the_order_to_the_histogram_only_if_the_user_chose_it(self):
        assert results("state=FAILED").histogram_query == "state=FAILED"

    def test_link_to_the_rest_of_a_stopped_search(self):
        make_messages(3000)
        found = results(f"payload_contains=x&{RANGE}", "-receive_timestamp", patience=0)
        query = QueryDict(found.more_query)
        wanted = message_filter.parse_message_filter(query, user=None)
        page = selectors.message_page(
            filters=wanted, ordering=query["ordering"], cursor=query["cursor"], patience=30
        )
        assert (page.rows, page.looked_until) == ([], None)

    def test_offer_permitted_actions(self):
        assert [choice.name for choice in results("").choices] == ["restart", "total", "cancel"]


def searched(query: str, ordering: str, cursor: str | None = None) -> tuple[list[int], Progress | None]:
    """Read one step of a page; return the ids found and its position."""
    wanted = message_filter.parse_message_filter(QueryDict(query), user=None)
    page = selectors.message_page(filters=wanted, ordering=ordering, cursor=cursor, patience=0)
    return [row.pk for row in page.rows], search_progress(page, wanted, ordering=ordering)


@pytest.fixture
def needles() -> list[int]:
    """Store two hours of messages, one a second, and hide four needles in their payloads."""
    make_messages(7200)
    ids = list(Message.objects.order_by("msg_id").values_list("pk", flat=True))
    hidden = [ids[10], ids[3000], ids[3001], ids[7000]]
    Message.objects.filter(pk__in=hidden).update(payload="<a>Needle 100%</a>")
    return hidden


class TestProgress:
    @pytest.mark.parametrize("ordering", ["receive_timestamp", "-receive_timestamp"])
    def test_continues_through_the_whole_range_step_by_step(self, needles, ordering):
        found, percents, cursor = [], [], None
        while True:
            ids, done = searched(f"payload_contains=Needle 100%25&{RANGE}", ordering, cursor)
            found += ids
            if done is None:
                break
            percents.append(done.percent)
            cursor = done.cursor
        assert found == (needles[::-1] if ordering.startswith("-") else needles)
        assert percents == sorted(set(percents))
        assert len(percents) > 2

    def test_reports_the_progress_of_the_search(self, needles):
        _, done = searched(f"payload_contains=Needle&{RANGE}", "-receive_timestamp")
        assert done.in_payloads
        assert done.looked_until == NOON + timedelta(seconds=6200)
        assert done.percent == 13

    def test_is_case_sensitive_and_literal(self, needles):
        for text in ("needle", "Needle 100_"):
            found, done = searched(f"payload_contains={text}&{RANGE}", "receive_timestamp")
            while done is not None:
                more, done = searched(f"payload_contains={text}&{RANGE}", "receive_timestamp", done.cursor)
                found += more
            assert found == []

    @pytest.mark.parametrize(
        ("minutes", "ordering", "percent"),
        [
            (60, "receive_timestamp", 25),
            (60, "-receive_timestamp", 75),
            (60, "msg_id", None),
            (0, "receive_timestamp", None),
            (None, "receive_timestamp", None),
        ],
    )
    def test_is_a_share_of_the_time_range_in_the_order_of_receipt(self, minutes, ordering, percent):
        stop = {} if minutes is None else {"receive_timestamp_to": NOON + timedelta(minutes=minutes)}
        chosen = MessageFilter({"receive_timestamp_from": NOON, **stop})
        at = NOON + timedelta(minutes=15)
        page = Page(rows=[], next_cursor="c", previous_cursor=None, looked_until=(at, 7))
        assert search_progress(page, chosen, ordering=ordering) == Progress(
            looked_until=None if ordering == "msg_id" else at, percent=percent, cursor="c", in_payloads=False
        )

    def test_is_empty_for_a_list_with_an_index(self, needles):
        assert searched("service_name=billing", "-msg_id")[1] is None
