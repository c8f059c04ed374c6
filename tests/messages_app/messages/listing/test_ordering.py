import pytest
from django.http import QueryDict

from messages_app.messages.listing.form import FilterForm
from messages_app.messages.listing.ordering import orders_offered
from messages_app.messages.queries import ORDERS


class TestOrdersOffered:
    def test_offers_what_an_index_serves_and_nothing_else(self):
        offered = orders_offered("-msg_id", FilterForm(QueryDict("state=OK&cursor=c"), allowed=()))
        assert [link.query for link in offered.links] == [
            f"?state=OK&ordering={order.name}" for order in ORDERS
        ]
        assert [link.is_on for link in offered.links] == [True, False, False, False]

    @pytest.mark.parametrize(
        ("ordering", "aria", "turned"),
        [
            ("-msg_id", "none", "-receive_timestamp"),
            ("-receive_timestamp", "descending", "receive_timestamp"),
            ("receive_timestamp", "ascending", "-receive_timestamp"),
        ],
    )
    def test_turns_the_order_of_receipt(self, ordering, aria, turned):
        offered = orders_offered(ordering, FilterForm(QueryDict(""), allowed=()))
        assert (offered.received, offered.turned) == (aria, f"?ordering={turned}")
