"""The search for ids by how they begin, read by the indexes of the columns."""

import pytest
from django.db import connection

from messages_app.core.search_results import Kind
from messages_app.core.statements import Statements
from messages_app.messages.id_prefixes import find_ids_from
from tests.support.factories import make_archived_message, make_message, message_columns, store_messages

pytestmark = pytest.mark.django_db


def kinds_from(text: str) -> dict[str, Kind]:
    return {kind.name: kind for kind in find_ids_from(text)}


class TestFindIdsFrom:
    def test_finds_each_id_once_with_the_list_of_its_messages(self):
        for number, process in enumerate(["AX1", "AX1", "AX2", "AW9", "AY1"]):
            make_message(correlation_id=f"c-{number}", process_id=f"{process}-order", object_id="o")
        kind = kinds_from("AX")  # too short
        assert kind == {}
        kind = kinds_from("AX1")["process_id"]
        assert [(hit.name, hit.url, hit.archived) for hit in kind.hits] == [
            ("AX1-order", "/messages/?process_id=AX1-order", False)
        ]
        assert kind.title == "Process ids that begin with it"
        assert not kind.more

    def test_finds_every_kind_of_id_and_marks_archived_ones(self):
        make_message(correlation_id="ERP-1", object_id="ERP-object")
        make_archived_message(correlation_id="ERP-2", process_id="ERP-process")
        results = kinds_from("ERP")
        assert [hit.name for hit in results["correlation_id"].hits] == ["ERP-1", "ERP-2"]
        assert [hit.archived for hit in results["correlation_id"].hits] == [False, True]
        assert results["correlation_id"].hits[1].url == "/messages/?correlation_id=ERP-2&archived=any"
        assert [hit.name for hit in results["object_id"].hits] == ["ERP-object"]
        assert [hit.archived for hit in results["process_id"].hits] == [True]

    def test_leaves_out_the_id_itself_and_says_that_there_are_more(self):
        for number in range(7):
            make_message(correlation_id=f"order{number}" if number else "order")
        kind = kinds_from("order")["correlation_id"]
        assert [hit.name for hit in kind.hits] == [f"order{number}" for number in range(1, 6)]
        assert kind.more
        assert kind.order == "first"

    @pytest.mark.parametrize("text", ["", "or", "ord\0", "o" * 150, "%%%", "ord_"])
    def test_finds_nothing_for_texts_that_begin_no_id(self, text):
        make_message(correlation_id="order-1")
        assert kinds_from(text) == {}

    @pytest.mark.parametrize("column", ["correlation_id", "process_id", "object_id"])
    @pytest.mark.parametrize("table", ["message", "archive_message"])
    def test_reads_an_index(self, column, table):
        store_messages(
            message_columns(1_000_000 + number, **{column: f"id-{number:06}"}) for number in range(3_000)
        )
        statement = Statements("messages_app.messages").read_text("distinct_values")
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")
            # The archive is too small for an index to pay.
            cursor.execute("SET LOCAL enable_seqscan = off")
            text = statement.format(table=table, column=column)
            cursor.execute(f"EXPLAIN {text}", {"start": "id-0029", "count": 30})
            plan = str(cursor.fetchall())
        assert "Index" in plan
        assert "Seq Scan" not in plan
