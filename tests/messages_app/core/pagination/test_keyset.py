"""The rows beyond a position, of an order whose column may have no value."""

from datetime import timedelta

import pytest

from messages_app.core.pagination.keyset import Branch, Order, read_rows
from messages_app.messages.models import Message
from tests.support.factories import NOON, message_columns, store_messages

pytestmark = pytest.mark.django_db

MINUTES = {1: 3, 2: None, 3: 1, 4: None, 5: 3}
ASCENDING, DESCENDING = [3, 1, 5, 2, 4], [4, 2, 5, 1, 3]


@pytest.mark.parametrize(("descending", "keys"), [(False, ASCENDING), (True, DESCENDING)])
@pytest.mark.parametrize("limit", range(1, 7))
@pytest.mark.parametrize("place", range(-1, 5))
def test_read_passes_from_rows_with_a_value_to_those_without(descending, keys, limit, place):
    times = {key: None if at is None else NOON + timedelta(minutes=at) for key, at in MINUTES.items()}
    store_messages(message_columns(key, last_process_timestamp=at) for key, at in times.items())
    order = Order(column="last_process_timestamp", key="msg_id", descending=descending, nullable=True)
    start = None if place < 0 else (times[keys[place]], keys[place])
    rows = read_rows(
        [Branch(rows=Message.objects.all())], order, start=start, descending=descending, limit=limit
    )
    assert [row.pk for row in rows] == keys[place + 1 :][:limit]
