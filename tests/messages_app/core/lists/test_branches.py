"""The choice between sorting and scanning, also for a hub's tables behind views."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.core.lists.branches import is_few, statements
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


class TestRowsOfTable:
    """The number of rows that the planner knows, with different numbers in each part of a table."""

    def count(self, name: str) -> float:
        (count,) = statements.only_row("rows_of_table", {"table": name})
        return count

    @pytest.fixture
    def parted(self) -> None:
        """Store 100 rows in a first part, and 20 and 3 in the two parts of the second; analyse nothing."""
        with connection.cursor() as cursor:
            cursor.execute("""
                CREATE TABLE parted (number int) PARTITION BY RANGE (number);
                CREATE TABLE first_part PARTITION OF parted FOR VALUES FROM (0) TO (100);
                CREATE TABLE second_part PARTITION OF parted FOR VALUES FROM (100) TO (200)
                    PARTITION BY RANGE (number);
                CREATE TABLE third_part PARTITION OF second_part FOR VALUES FROM (100) TO (120);
                CREATE TABLE fourth_part PARTITION OF second_part FOR VALUES FROM (120) TO (200);
                CREATE TABLE beside (number int);
                INSERT INTO parted SELECT generate_series(0, 122);
                INSERT INTO beside SELECT generate_series(1, 7);
            """)

    def analyze(self, *names: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("; ".join(f"ANALYZE {name}" for name in names))

    def test_counts_each_row_of_a_partitioned_table_once(self, parted):
        self.analyze("parted", "beside")
        assert {name: self.count(name) for name in ("parted", "second_part", "third_part", "beside")} == {
            "parted": 123,
            "second_part": 23,
            "third_part": 20,
            "beside": 7,
        }

    def test_adds_up_the_parts_that_were_analysed(self, parted):
        assert self.count("parted") == -1
        self.analyze("first_part", "fourth_part")
        assert (self.count("parted"), self.count("second_part"), self.count("third_part")) == (103, 3, -1)

    def test_is_of_the_table_behind_a_view(self, parted):
        with connection.cursor() as cursor:
            cursor.execute("CREATE VIEW shown AS SELECT number FROM parted; CREATE TABLE empty (number int)")
        self.analyze("parted", "empty")
        assert (self.count("shown"), self.count("no_such_table"), self.count("empty")) == (123, -1, 0)
