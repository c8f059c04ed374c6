import pytest
from django.db import connection

from messages_app.audit import services as audit
from messages_app.messages import services
from messages_app.messages.inspecting.detail import MAX_ROWS, message_detail, parents_among
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveRequest,
    ArchiveResponse,
    Message,
)
from tests.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    make_response,
    next_id,
)

pytestmark = pytest.mark.django_db

ADA = audit.Actor(username="ada")


class TestMessageDetail:
    def test_gives_the_sizes_of_payload_and_envelope_and_reads_neither(self):
        message = make_message(payload="žluťoučký", envelope=None)
        found = message_detail(message.pk).message
        assert (found.payload_bytes, found.envelope_bytes) == (13, None)
        assert {"payload", "envelope"} <= found.get_deferred_fields()

    def test_pairs_requests_with_none_one_or_several_responses(self):
        message = make_message()
        first, second, third = (make_request(message) for _ in range(3))
        one = make_response(first)
        two, three = make_response(second), make_response(second)
        pairs = [
            (exchange.request.pk, [row.pk for row in exchange.responses])
            for exchange in message_detail(message.pk).exchanges
        ]
        assert pairs == [(first.pk, [one.pk]), (second.pk, [two.pk, three.pk]), (third.pk, [])]

    def test_shows_responses_that_name_the_message_but_no_request(self):
        message = make_message()
        lone = make_response(None, msg_id=message.pk)
        make_response(None)
        exchanges = message_detail(message.pk).exchanges.rows
        assert [(exchange.request, exchange.responses) for exchange in exchanges] == [(None, [lone])]

    def test_takes_funnel_values_from_the_table_and_else_from_the_message(self):
        new, old, free = make_message(), make_message(funnel_value="A"), make_message()
        make_funnel(new, funnel_value="B")
        make_funnel(new, funnel_value="C")
        values = [message_detail(message.pk).funnel_values for message in (new, old, free)]
        assert values == [["B", "C"], ["A"], []]

    def test_finds_parent_and_children_live_and_archived(self):
        root = make_message(state="WAITING")
        message = make_message(parent_msg_id=root.pk)
        live = make_message(parent_msg_id=message.pk, state="FAILED")
        old = make_archived_message(parent_msg_id=message.pk)
        detail = message_detail(message.pk)
        assert (detail.parent.pk, detail.parent.state) == (root.pk, "WAITING")
        assert [(child.pk, child.archived) for child in detail.children] == [(live.pk, False), (old.pk, True)]
        assert sorted(detail.child_states) == [("FAILED", 1), ("OK", 1)]

    def test_has_no_parent_where_the_parent_is_gone(self):
        assert message_detail(make_message(parent_msg_id=1).pk).parent is None

    def test_bounds_what_hangs_on_a_message(self):
        parent = make_message()
        for _ in range(MAX_ROWS + 1):
            make_message(parent_msg_id=parent.pk)
        children = message_detail(parent.pk).children
        assert (len(children), children.more) == (MAX_ROWS, True)

    def test_reads_an_archived_message_from_the_archive(self):
        message = make_archived_message()
        request_id = next_id()
        ArchiveExternalCall.objects.create(
            call_id=next_id(),
            msg_id=message.pk,
            operation_name="direct:x",
            state="OK",
            entity_id="e",
            msg_timestamp=NOON,
            creation_timestamp=NOON,
            last_update_timestamp=NOON,
        )
        ArchiveRequest.objects.create(
            req_id=request_id,
            msg_id=message.pk,
            res_join_id="j",
            uri="u",
            req_envelope="",
            req_timestamp=NOON,
        )
        ArchiveResponse.objects.create(res_id=next_id(), req_id=request_id, res_timestamp=NOON)
        ArchiveFunnel.objects.create(funnel_id=next_id(), msg_id=message.pk, funnel_value="V")
        detail = message_detail(message.pk)
        assert detail.archived
        assert len(detail.calls) == 1
        assert [len(exchange.responses) for exchange in detail.exchanges] == [1]
        assert detail.funnel_values == ["V"]

    def test_joins_state_changes_and_actions_in_time_order(self):
        message = make_message(state="FAILED")
        services.restart_message(msg_id=message.pk, actor=ADA, reason="the gateway is back")
        _become_the_hub()
        Message.objects.filter(pk=message.pk).update(state="PROCESSING")
        audit.record(actor=ADA, action="view_payload", msg_id=message.pk)
        history = message_detail(message.pk).history
        assert [moment.at for moment in history] == sorted(moment.at for moment in history)
        told = [(moment.text, moment.state, moment.who, moment.note) for moment in history]
        assert ("FAILED became", "PARTLY_FAILED", "ada", "") in told
        assert ("Restart", "done", "ada", "the gateway is back") in told
        assert ("PARTLY_FAILED became", "PROCESSING", "", "") in told
        assert not any("View" in moment.text for moment in history)

    def test_groups_every_column_but_payload_and_envelope(self):
        detail = message_detail(make_message(state="OK", custom_data="x").pk)
        filled = {column.name for group in detail.groups for column in group.filled}
        empty = {name for group in detail.groups for name in group.empty}
        columns = {field.name for field in Message._meta.concrete_fields}
        assert filled | empty == columns - {"payload", "envelope"}
        assert "custom_data" in filled
        assert "process_id" in empty

    def test_asks_a_bounded_number_of_questions(self, django_assert_max_num_queries):
        message = make_message()
        for _ in range(20):
            make_response(make_request(message))
            make_external_call(message)
            make_message(parent_msg_id=message.pk)
        with django_assert_max_num_queries(12):
            assert message_detail(message.pk).history

    def test_reads_every_table_by_an_index(self):
        message = make_message(parent_msg_id=make_message().pk)
        make_response(make_request(message))
        for plan in _plans(lambda: message_detail(message.pk)):
            assert "Seq Scan" not in plan, plan

    def test_raises_for_an_id_that_nobody_has(self):
        with pytest.raises(services.MessageNotFound):
            message_detail(2**63 - 1)


class TestParentsAmong:
    def test_names_those_that_have_a_child(self):
        parent, other = make_message(), make_message()
        child = make_message(parent_msg_id=parent.pk)
        assert parents_among([parent, other, child]) == {parent.pk}

    def test_is_empty_for_no_rows(self):
        assert parents_among([]) == set()


def _become_the_hub() -> None:
    """Forget the operator's name, as the end of a transaction would."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('hubconsole.actor', '', true)")


def _plans(ask) -> list[str]:
    """Return the plans of what `ask` asks the database, on tables too small for an index to be worth it."""
    statements: list[tuple[str, tuple]] = []

    def note(execute, sql, params, many, context):
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        ask()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plans = []
        for sql, params in statements:
            cursor.execute(f"EXPLAIN {sql}", params)
            plans.append("\n".join(row[0] for row in cursor))
    return plans
