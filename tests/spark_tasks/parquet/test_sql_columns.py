"""The columns that the Parquet archive reads and writes."""

import pytest
from django.db import connection

from messages_app.messages.models import Message
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.shared.sql_files import SqlFiles
from tests.spark_tasks.parquet.test_sql_rows import run
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


class TestColumns:
    def test_are_those_of_the_tables_that_can_be_written(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE TABLE b_table (z bigint, gone text, a text,"
                " twice bigint GENERATED ALWAYS AS (z * 2) STORED)"
            )
            cursor.execute("ALTER TABLE b_table DROP COLUMN gone")
            cursor.execute("CREATE VIEW a_view AS SELECT z, 1 AS hub_last_update FROM b_table")
            cursor.execute("CREATE TABLE c_table (n int)")
        assert run("columns", tables=["b_table", "a_view", "missing"]) == [
            ("a_view", "z", "bigint"),
            ("b_table", "z", "bigint"),
            ("b_table", "a", "text"),
        ]

    def test_of_messages_are_stored_in_the_manifest_with_the_first_line_of_the_error(self):
        names = ("msg_id", "correlation_id", "state", "service_name", "receive_timestamp")
        for msg_id, text in ((1, "first\nsecond"), (2, "x" * 201), (3, "other"), (4, None)):
            make_message(msg_id=msg_id, failed_desc=text, service_name=f"s{msg_id}", state="FAILED")
        columns = [field.column for field in ColdMessage._meta.concrete_fields]
        shared = ", ".join(name for name in columns if name not in {"failed_summary", "part_id"})
        text = SqlFiles("spark_tasks.parquet").read_text("write_messages").format(columns=shared)
        with connection.cursor() as cursor:
            cursor.execute(text, {"ids": [1, 2, 4], "part_id": 7})
            assert cursor.rowcount == 3
        stored = ColdMessage.objects.order_by("pk")
        assert list(stored.values_list("pk", "failed_summary", "part_id")) == [
            (1, "first", 7),
            (2, "x" * 200, 7),
            (4, None, 7),
        ]
        assert list(stored.values_list(*names)) == list(
            Message.objects.exclude(pk=3).order_by("pk").values_list(*names)
        )
