import pytest
from django.db import connection

from messages_app.core.statements import Statements
from messages_app.messages.filters import vocabulary
from tests.support.factories import make_message, message_columns, store_messages

statements = Statements("messages_app.messages")


pytestmark = pytest.mark.django_db


class TestKnownValues:
    def test_returns_each_value_once_and_values_with_this_beginning_first(self):
        for service in ("billing", "crm", "billing", "rebill", "Bill"):
            make_message(service_name=service)
        found = vocabulary.known_values("service_name", containing="bill", limit=12)
        assert sorted(found[:2]) == ["Bill", "billing"]
        assert found[2:] == ["rebill"]

    def test_returns_no_more_than_requested_and_no_null(self):
        for number in range(5):
            make_message(failed_error_code=f"E{number}" if number else None)
        assert vocabulary.known_values("failed_error_code", containing="", limit=3) == ["E1", "E2", "E3"]

    def test_finds_a_beginning_among_very_many(self):
        numbers = range(vocabulary._MAX_VALUES + 5)
        store_messages(_columns(number, operation_name=f"a{number:04}") for number in numbers)
        make_message(operation_name="zulu")
        assert vocabulary.known_values("operation_name", containing="zu", limit=3) == ["zulu"]

    def test_reads_each_column_by_its_index(self):
        values = dict.fromkeys(vocabulary.COLUMNS, "v{}")
        store_messages(
            _columns(number, **{column: text.format(number % 3) for column, text in values.items()})
            for number in range(3000)
        )
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")
            for column in vocabulary.COLUMNS:
                jump = statements.read_text("distinct_values").format(table="message", column=column)
                cursor.execute(f"EXPLAIN {jump}", {"start": "", "count": 200})
                assert "Seq Scan on message" not in str(cursor.fetchall())


def _columns(number: int, **columns: object) -> dict[str, object]:
    return message_columns(1_000_000 + number, **columns)
