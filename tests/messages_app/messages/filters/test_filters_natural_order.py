import pytest
from django.http import QueryDict

from messages_app.messages.filters import filters
from messages_app.messages.filters.filters import natural_order


# The zone of an attached hub is asked for.
@pytest.mark.django_db
class TestNaturalOrder:
    @pytest.mark.parametrize(
        ("query", "order"),
        [
            ("", "-msg_id"),
            ("state=FAILED", "-msg_id"),
            ("receive_timestamp_from=2026-11-01T00:00:00Z", "-receive_timestamp"),
            ("msg_timestamp_from=2026-11-01T00:00:00Z", "-msg_id"),
        ],
    )
    def test_is_that_of_the_filters_own_index(self, query, order):
        assert natural_order(filters.parse_message_filter(QueryDict(query), user=None)) == order
