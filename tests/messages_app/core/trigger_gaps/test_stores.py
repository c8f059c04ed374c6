"""The triggers on the other two stores: a hub that writes there hears of no error, the console does."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import DatabaseError, connection

from messages_app.core.statements import Statements
from messages_app.core.trigger_gaps import TriggerGap
from messages_app.document_history.models import DocumentOpen
from messages_app.document_history.services.sweep import mend_open
from messages_app.message_store.models import MessageLine, MessageStore
from messages_app.message_store.services.line_repair import mend_lines
from tests.support.workers import database_of_tests

statements = Statements("messages_app.message_store")


pytestmark = pytest.mark.django_db(transaction=True)

BEGUN = "INSERT INTO document_history VALUES ('t', %s, 'processing', now())"
ENDED = "INSERT INTO document_history VALUES ('t', %s, 'completed', now())"
STORED = (
    "INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp)"
    " VALUES (%s, 'CRM', 'order', now())"
)
TAKEN = "INSERT INTO message_process (message_identifier, status) VALUES (%s, 1)"
DONE = "UPDATE message_process SET status = 26 WHERE message_identifier = %s"
GONE = "DELETE FROM message_store WHERE message_identifier = %s"


@pytest.fixture
def hub() -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_of_tests()["DATABASE_URL"], autocommit=True) as hub:
        yield hub


@pytest.fixture
def break_table() -> Iterator:
    """Give a function that lets nothing be added to or changed in a table, and one that lets it again."""
    broken: set[str] = set()

    def break_it(table: str) -> None:
        broken.add(table)
        executed(f"ALTER TABLE {table} ADD CONSTRAINT never CHECK (false) NOT VALID")

    def mend() -> None:
        while broken:
            executed(f"ALTER TABLE {broken.pop()} DROP CONSTRAINT never")

    break_it.mend = mend
    yield break_it
    mend()


def executed(statement: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def areas() -> set[tuple[str, str]]:
    return set(TriggerGap.objects.values_list("area", "sqlstate"))


def lines() -> dict[str, tuple]:
    found = MessageLine.objects.values_list("message_identifier", "status", "has_store", "has_process")
    return {identifier: rest for identifier, *rest in found}


def counts() -> dict[int, int]:
    statements.count("fold_counts", {"limit": 1000})
    return {status: messages for _, _, status, messages in statements.fetch_rows("counts", {})}


class TestDocuments:
    def test_that_a_hub_writes_are_stored_and_a_gap_is_counted(self, hub, break_table):
        hub.execute(BEGUN, ["both"])
        break_table("document_open")
        hub.execute(BEGUN, ["open"])
        assert areas() == {("documents", "23514")}
        break_table.mend()
        hub.execute("ALTER TABLE document_history DISABLE TRIGGER document_history_closes")
        hub.execute(ENDED, ["both"])
        hub.execute("ALTER TABLE document_history ENABLE TRIGGER document_history_closes")
        assert mend_open() == 2
        assert list(DocumentOpen.objects.values_list("document_uuid", flat=True)) == ["open"]
        assert mend_open() == 0

    def test_that_the_console_writes_are_refused(self, break_table):
        break_table("document_open")
        with pytest.raises(DatabaseError, match="never"):
            executed(BEGUN, "open")
        assert areas() == set()


class TestStore:
    def test_that_a_hub_writes_is_stored_and_a_gap_is_counted(self, hub, break_table):
        for identifier in ("right", "done", "gone"):
            hub.execute(STORED, [identifier])
        hub.execute(TAKEN, ["done"])
        break_table("message_line")
        hub.execute(STORED, ["new"])
        hub.execute(DONE, ["done"])
        hub.execute(GONE, ["gone"])
        assert areas() == {("store", "23514")}
        assert MessageStore.objects.count() == 3
        break_table.mend()

        assert mend_lines() == 4  # the one that is gone: first as one without rows, then removed

        assert lines() == {"right": [0, True, False], "new": [0, True, False], "done": [26, True, True]}
        assert counts() == {0: 2, 26: 1}
        assert mend_lines() == 0

    @pytest.mark.slow
    def test_costs_little_for_many_rows_after_one(self, hub):
        hub.execute(TAKEN, ["one"])
        for status in (2, 1) * 4:
            hub.execute("UPDATE message_process SET status = %s", [status])
        hub.execute(
            "INSERT INTO message_process (message_identifier, status)"
            " SELECT n::text, 2 FROM generate_series(1, 20000) AS n"
        )
        hub.execute("SET statement_timeout = 30000")  # compared row by row it would take minutes
        assert hub.execute("UPDATE message_process SET status = 0").rowcount == 20_001
        assert MessageLine.objects.filter(status=0).count() == 20_001
        assert areas() == set()

    def test_counts_that_were_not_noted_are_a_gap_too(self, hub, break_table):
        break_table("message_count_change")
        hub.execute(STORED, ["new"])
        assert areas() == {("store", "23514")}
        break_table.mend()
        assert lines() == {"new": [0, True, False]}
        mend_lines()
        assert counts() == {0: 1}

    def test_that_the_console_writes_is_refused(self, break_table):
        break_table("message_line")
        with pytest.raises(DatabaseError, match="never"):
            executed(STORED, "new")
        assert not MessageStore.objects.exists()
