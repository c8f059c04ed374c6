import pytest
from django.http import QueryDict

from messages_app.core.filters.table import filters_by_name
from messages_app.core.lists.filter_form import ListForm
from messages_app.core.lists.table import Offered, orders_offered

WORDS = {
    "-id": "Newest first",
    "id": "Oldest first",
    "-sent_at": "Newest sent first",
    "sent_at": "Oldest sent first",
}


class Form(ListForm):
    filters = filters_by_name()
    labels = {}
    field_names = ()


def offered(ordering: str, query: str = "") -> Offered:
    return orders_offered(ordering, Form(QueryDict(query), allowed=()), words=WORDS, column="sent_at")


class TestOrdersOffered:
    def test_offers_every_order_from_the_first_page(self):
        found = offered("-id", "state=OK&cursor=c")
        assert [link.query for link in found.links] == [f"?state=OK&ordering={name}" for name in WORDS]
        assert [link.is_on for link in found.links] == [True, False, False, False]
        assert found.words == "Newest first"

    @pytest.mark.parametrize(
        ("ordering", "aria", "turned"),
        [
            ("-id", "none", "-sent_at"),
            ("-sent_at", "descending", "sent_at"),
            ("sent_at", "ascending", "-sent_at"),
        ],
    )
    def test_turns_the_order_of_one_column(self, ordering, aria, turned):
        found = offered(ordering)
        assert (found.direction, found.turned) == (aria, f"?ordering={turned}")
