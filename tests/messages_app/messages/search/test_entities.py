import pytest
from django.db import connection

from messages_app.core.statements import Statements
from messages_app.messages.search import calls_of_entity
from tests.support.factories import make_external_call, make_message

statements = Statements("messages_app.messages")


pytestmark = pytest.mark.django_db


class TestCallsOfEntity:
    def test_finds_the_calls_of_every_operation_newest_first(self):
        message = make_message()
        calls = [
            make_external_call(message, operation_name=f"direct:{name}", entity_id="e-1") for name in "abc"
        ]
        make_external_call(message, operation_name="direct:a", entity_id="e-2")
        assert calls_of_entity("e-1", limit=6) == [call.pk for call in reversed(calls)]
        assert len(calls_of_entity("e-1", limit=2)) == 2
        assert calls_of_entity("nobody", limit=6) == []

    def test_reads_by_the_hubs_own_key(self):
        arguments = {"entity_id": "e-1", "limit": 6, "most_operations": 500}
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {statements.text('calls_of_entity')}", arguments)
            plan = "\n".join(line for (line,) in cursor)
        assert "uq_ext_call_operation_entity_id" in plan
        assert "Seq Scan on external_call" not in plan
