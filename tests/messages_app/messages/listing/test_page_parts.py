import pytest
from django.http import QueryDict

from messages_app.messages import selectors
from messages_app.messages.filters import message_filter
from messages_app.messages.filters.message_filter import ARCHIVED, MessageFilter
from messages_app.messages.listing.page_parts import Parts, find_excluding_filters, parts_of
from tests.support.factories import make_message, make_messages, make_user

pytestmark = pytest.mark.django_db

RANGE = "receive_timestamp_from=2026-11-01T12:00:00Z&receive_timestamp_to=2026-11-01T14:00:00Z"


def parts(query: str, ordering: str = "-msg_id", **paging) -> Parts:
    wanted = message_filter.parse_message_filter(QueryDict(query), user=None)
    page = selectors.message_page(filters=wanted, ordering=ordering, **paging)
    return parts_of(page=page, filters=wanted, ordering=ordering, user=make_user("operator"))


class TestCulprits:
    def test_are_the_filters_without_which_there_is_a_message(self):
        make_message(service_name="billing", source_system="CRM", state="OK")
        for values, names in (
            ({"service_name": "billing", "source_system": "ERP"}, ["source_system"]),
            ({"service_name": "orders", "source_system": "ERP"}, []),
            ({"service_name": "orders"}, []),
            ({"service_name": "billing", "source_system": "CRM", ARCHIVED: True}, []),
        ):
            assert find_excluding_filters(MessageFilter(values)) == names, values


class TestPartsOf:
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
        assert bool(parts(query, ordering).newer_query) == is_live

    def test_know_whether_the_page_is_all(self):
        for _ in range(3):
            make_message()
        found = parts("", page_size=5)
        assert (found.is_first, found.is_last, found.rows, found.more_query) == (True, True, 3, None)

    def test_pass_the_order_to_the_histogram_only_if_the_user_chose_it(self):
        assert parts("state=FAILED").histogram_query == "state=FAILED"

    def test_link_to_the_rest_of_a_stopped_search(self):
        make_messages(3000)
        found = parts(f"payload_contains=x&{RANGE}", "-receive_timestamp", patience=0)
        query = QueryDict(found.more_query)
        wanted = message_filter.parse_message_filter(query, user=None)
        page = selectors.message_page(
            filters=wanted, ordering=query["ordering"], cursor=query["cursor"], patience=30
        )
        assert (page.rows, page.looked_until) == ([], None)

    def test_offer_permitted_actions(self):
        assert [choice.name for choice in parts("").choices] == ["restart", "total", "cancel"]
