import pytest
from django.db import connection

from messages_app.core.search_results import Kind
from messages_app.core.statements import Statements
from messages_app.messages.id_lookup import (
    MAX_HITS,
    MAX_LENGTH,
    calls_of_entity,
    is_possible,
    look_up,
)
from messages_app.messages.models import ArchiveExternalCall
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
    make_response,
    next_id,
)

pytestmark = pytest.mark.django_db


def kinds(text: str) -> dict[str, Kind]:
    return {kind.title: kind for kind in look_up(text)}


class TestIsPossible:
    @pytest.mark.parametrize("text", [" a ", "\t", "\u2029", "x" * MAX_LENGTH])
    def test_accepts_what_a_column_may_have(self, text):
        assert is_possible(text)

    @pytest.mark.parametrize("text", ["", "a\0b", "x" * (MAX_LENGTH + 1)])
    def test_refuses_the_rest_instead_of_making_another_id_of_it(self, text):
        assert not is_possible(text)


class TestLookUp:
    def test_finds_a_message_by_each_of_its_ids(self):
        message = make_message(correlation_id="c-1", process_id="p-1", object_id="o-1", state="FAILED")
        for text, title in (
            (str(message.pk), "Message id"),
            ("c-1", "Correlation id"),
            ("p-1", "Process id"),
            ("o-1", "Object id"),
        ):
            [hit] = kinds(text)[title].hits
            assert (hit.url, hit.state, hit.archived) == (f"/messages/{message.pk}/", "FAILED", False), text

    def test_finds_live_and_archived_messages(self):
        live = make_message(process_id="p-1")
        old = make_archived_message(process_id="p-1", correlation_id="c-0", object_id="o-0")
        assert [hit.archived for hit in kinds("p-1")["Process id"].hits] == [False, True]
        for text, title in ((str(old.pk), "Message id"), ("c-0", "Correlation id"), ("o-0", "Object id")):
            assert [hit.archived for hit in kinds(text)[title].hits] == [True], text
        assert live.pk != old.pk

    def test_finds_the_message_of_a_call_a_request_and_a_response(self):
        message = make_message()
        call = make_external_call(message, entity_id="CRM_o-1")
        request = make_request(message)
        response = make_response(request)
        for text, title in (
            (str(call.pk), "External call id"),
            ("CRM_o-1", "Entity id of an external call"),
            (str(request.pk), "Request id"),
            (str(response.pk), "Response id"),
        ):
            [hit] = kinds(text)[title].hits
            assert hit.url == f"/messages/{message.pk}/", text

    def test_finds_archived_calls(self):
        old = make_archived_message()
        call = ArchiveExternalCall.objects.create(
            call_id=next_id(),
            msg_id=old.pk,
            operation_name="direct:a",
            state="OK",
            entity_id="e-old",
            msg_timestamp=NOON,
            creation_timestamp=NOON,
            last_update_timestamp=NOON,
        )
        assert kinds("e-old")["Entity id of an external call"].hits[0].archived
        assert kinds(str(call.pk))["External call id"].hits[0].url == f"/messages/{old.pk}/"

    def test_reports_that_a_synchronous_request_has_no_message(self):
        request = make_request(None)
        [hit] = kinds(str(request.pk))["Request id"].hits
        assert hit.url == ""
        assert "without a message" in hit.about

    def test_shows_a_few_of_many_and_the_list_of_all(self):
        ids = [make_message(process_id="p-1").pk for _ in range(MAX_HITS + 1)]
        kind = kinds("p-1")["Process id"]
        assert [hit.url for hit in kind.hits] == [f"/messages/{pk}/" for pk in ids[:0:-1]]
        assert kind.more
        assert kind.list_url == "/messages/?process_id=p-1"

    @pytest.mark.parametrize(
        ("live", "query"), [(True, "process_id=p-1&archived=any"), (False, "process_id=p-1&archived=true")]
    )
    def test_links_to_a_list_that_includes_archived_messages(self, live, query):
        make_archived_message(process_id="p-1")
        if live:
            make_message(process_id="p-1")
        assert kinds("p-1")["Process id"].list_url == f"/messages/?{query}"

    @pytest.mark.parametrize("text", ["", "nobody", "9" * 50, str(2**63), "1.5", "-1", "\u0667"])
    def test_finds_nothing_in_an_empty_database(self, text):
        make_message(msg_id=7)
        assert kinds(text) == {}


statements = Statements("messages_app.messages")


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
            cursor.execute(f"EXPLAIN {statements.read_text('calls_of_entity')}", arguments)
            plan = "\n".join(line for (line,) in cursor)
        assert "uq_ext_call_operation_entity_id" in plan
        assert "Seq Scan on external_call" not in plan
