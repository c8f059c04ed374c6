import pytest

from messages_app.messages import services
from messages_app.messages.detail.selectors import (
    CALLS_SHOWN,
    EXCHANGES_SHOWN,
    SHOWN_CHARS,
    Column,
    call_rows,
    exchange_rows,
    message_detail,
)
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveMessage,
    ArchiveRequest,
    ArchiveResponse,
    Message,
)
from messages_app.messages.parquet_archive.reader import ColdRows
from tests.messages_app.messages.detail.rows import plans
from tests.support.factories import (
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    make_response,
    next_id,
)

pytestmark = pytest.mark.django_db


class TestMessageDetail:
    def test_returns_the_sizes_of_payload_and_envelope_without_their_texts(self):
        message = make_message(payload="žluťoučký", envelope=None)
        found = message_detail(message.pk).message
        assert (found.payload_bytes, found.envelope_bytes) == (13, None)
        assert {"payload", "envelope"} <= found.get_deferred_fields()

    def test_takes_funnel_values_from_the_table_or_the_message(self):
        new, old, free = make_message(), make_message(funnel_value="A"), make_message()
        for value in ("B", "C", "B"):
            make_funnel(new, funnel_value=value)
        values = [message_detail(message.pk).funnel_values for message in (new, old, free)]
        assert values == [["B", "C"], ["A"], []]

    def test_reads_an_archived_message_from_the_archive(self):
        message = make_archived_message()
        ArchiveFunnel.objects.create(funnel_id=next_id(), msg_id=message.pk, funnel_value="V")
        detail = message_detail(message.pk)
        assert (detail.archived, detail.funnel_values) == (True, ["V"])

    def test_groups_every_column_except_payload_and_envelope(self):
        detail = message_detail(make_message(state="OK", custom_data="x").pk)
        filled = {column.name for group in detail.groups for column in group.filled}
        empty = {name for group in detail.groups for name in group.empty}
        columns = {field.name for field in Message._meta.concrete_fields}
        assert filled | empty == columns - {"payload", "envelope"}
        assert "custom_data" in filled
        assert "process_id" in empty

    def test_reads_every_table_by_an_index(self):
        message = make_message(parent_msg_id=make_message().pk)
        make_response(make_request(message))
        for plan in plans(lambda: message_detail(message.pk)):
            assert "Seq Scan" not in plan, plan

    def test_reads_calls_and_exchanges_once_for_the_page_and_its_timeline(self, django_assert_num_queries):
        message = make_message()
        call, request = make_external_call(message), make_request(message)
        answer, lone = make_response(request), make_response(None, msg_id=message.pk)
        # The message, its calls, requests, lone responses, responses to requests, and funnel values.
        with django_assert_num_queries(6):
            detail = message_detail(message.pk)
        assert (detail.calls.rows, detail.calls.after) == ([call], None) == ([*detail.traffic.calls], None)
        pairs = [(pair.request, pair.responses) for pair in detail.exchanges.rows]
        assert (pairs, detail.exchanges.after) == ([(request, [answer]), (None, [lone])], None)
        assert [*detail.traffic.exchanges] == detail.exchanges.rows

    def test_shows_only_the_first_calls_and_exchanges_of_many(self):
        message = make_message()
        calls = [make_external_call(message).pk for _ in range(CALLS_SHOWN + 1)]
        requests = [make_request(message).pk for _ in range(EXCHANGES_SHOWN + 1)]
        detail = message_detail(message.pk)
        assert ([row.pk for row in detail.calls.rows], detail.calls.after) == (calls[:-1], calls[-2])
        shown = [row.request.pk for row in detail.exchanges.rows]
        assert (shown, detail.exchanges.after) == (requests[:-1], requests[-2])

    def test_raises_for_an_unknown_id(self):
        with pytest.raises(services.MessageNotFound):
            message_detail(2**63 - 1)


class TestCallRows:
    def test_are_returned_page_by_page(self):
        message = make_message()
        ids = [make_external_call(message).pk for _ in range(CALLS_SHOWN + 1)]
        first = call_rows(message)
        assert ([row.pk for row in first.rows], first.after) == (ids[:-1], ids[-2])
        second = call_rows(message, after=first.after)
        assert ([row.pk for row in second.rows], second.after) == (ids[-1:], None)


class TestExchangeRows:
    def test_are_returned_page_by_page_with_lone_responses_last(self):
        message = make_message()
        ids = [make_request(message).pk for _ in range(EXCHANGES_SHOWN + 1)]
        lone = make_response(None, msg_id=message.pk)
        first = exchange_rows(message)
        assert ([row.request.pk for row in first.rows], first.after) == (ids[:-1], ids[-2])
        second = exchange_rows(message, after=first.after)
        assert [row.request and row.request.pk for row in second.rows] == [ids[-1], None]
        assert (second.rows[-1].responses, second.after) == ([lone], None)


class TestRowsInFiles:
    """Rows of a message in files, with its reader filled as after a read."""

    @pytest.fixture
    def message(self) -> ArchiveMessage:
        message = ArchiveMessage(pk=7)
        message.cold = ColdRows(7, 1)
        message.cold.calls = [ArchiveExternalCall(pk=number) for number in range(CALLS_SHOWN + 2)]
        message.cold.requests = [ArchiveRequest(pk=number) for number in range(EXCHANGES_SHOWN + 2)]
        answers = [(1, 0), (2, EXCHANGES_SHOWN + 1), (3, None)]
        message.cold.responses = [ArchiveResponse(pk=number, req_id=req_id) for number, req_id in answers]
        return message

    def test_are_calls_page_by_page(self, message):
        first = call_rows(message)
        assert ([row.pk for row in first.rows], first.after) == ([*range(CALLS_SHOWN)], CALLS_SHOWN - 1)
        second = call_rows(message, after=first.after)
        assert ([row.pk for row in second.rows], second.after) == ([CALLS_SHOWN, CALLS_SHOWN + 1], None)

    def test_are_exchanges_page_by_page_with_lone_responses_last(self, message):
        first = exchange_rows(message)
        pairs = [(row.request.pk, [one.pk for one in row.responses]) for row in first.rows]
        assert pairs == [(0, [1]), *((number, []) for number in range(1, EXCHANGES_SHOWN))]
        assert first.after == EXCHANGES_SHOWN - 1
        second = exchange_rows(message, after=first.after)
        pairs = [(row.request and row.request.pk, [one.pk for one in row.responses]) for row in second.rows]
        assert pairs == [(EXCHANGES_SHOWN, []), (EXCHANGES_SHOWN + 1, [2]), (None, [3])]
        assert second.after is None

    def test_are_all_on_one_page_up_to_its_limit(self, message):
        message.cold.calls, message.cold.requests = message.cold.calls[:-2], message.cold.requests[:-2]
        calls, exchanges = call_rows(message), exchange_rows(message)
        assert (len(calls.rows), calls.after) == (CALLS_SHOWN, None)
        assert (len(exchanges.rows), exchanges.after) == (EXCHANGES_SHOWN + 1, None)


class TestColumn:
    def test_is_shown_in_full_up_to_the_limit(self):
        column = Column("custom_data", "x" * SHOWN_CHARS)
        assert (column.shown_value, column.is_cut) == (column.value, False)

    def test_is_cut_above_the_limit(self):
        column = Column("custom_data", "x" * (SHOWN_CHARS + 1))
        assert (len(column.shown_value), column.is_cut) == (SHOWN_CHARS, True)

    def test_is_shown_unchanged_if_it_is_not_a_text(self):
        assert (Column("failed_count", 0).shown_value, Column("failed_count", 0).is_cut) == (0, False)
