"""The choice between sorting and scanning, also for a hub's tables behind views."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.core.lists.branches import is_few
from messages_app.core.pagination.keyset import Order
from messages_app.messages.models import Message
from tests.support.factories import make_messages
from tests.support.views import put_behind_views

pytestmark = pytest.mark.django_db

BY_ID = Order(column="msg_id", key="msg_id", descending=True)


def test_compares_with_the_rows_of_the_table_behind_a_view():
    make_messages(20_000)
    few = Message.objects.filter(object_id="one of a few")
    assert is_few(few, BY_ID, ())
    put_behind_views("message")
    assert is_few(few, BY_ID, ())


def test_looks_up_how_many_rows_a_table_has_without_reading_all_of_pg_class():
    make_messages(1_000)
    with CaptureQueriesContext(connection) as sent:
        is_few(Message.objects.filter(object_id="one of a few"), BY_ID, ())
    (looked_up,) = (query["sql"] for query in sent if "table_behind" in query["sql"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {looked_up}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Scan using pg_class_oid_index" in plan
    assert "Seq Scan" not in plan
