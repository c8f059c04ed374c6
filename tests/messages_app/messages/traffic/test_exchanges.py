import pytest

from messages_app.messages.models import ArchiveRequest, ArchiveResponse
from messages_app.messages.tables import ARCHIVE, LIVE
from messages_app.messages.traffic.exchanges import list_exchanges
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_message,
    make_request,
    make_response,
    next_id,
)

pytestmark = pytest.mark.django_db


def pairs(tables: dict, msg_id: int, *, each_end: int = 50) -> list[tuple]:
    return [
        (exchange.request and exchange.request.pk, [row.pk for row in exchange.responses])
        for exchange in list_exchanges(tables, msg_id, each_end=each_end)
    ]


class TestExchanges:
    def test_pair_requests_with_none_one_or_several_responses(self):
        message = make_message()
        first, second, third = (make_request(message) for _ in range(3))
        one = make_response(first)
        two, three = make_response(second), make_response(second)
        assert pairs(LIVE, message.pk) == [
            (first.pk, [one.pk]),
            (second.pk, [two.pk, three.pk]),
            (third.pk, []),
        ]

    def test_end_with_responses_that_name_the_message_but_no_request(self):
        message = make_message()
        request, lone = make_request(message), make_response(None, msg_id=message.pk)
        make_response(None)
        assert pairs(LIVE, message.pk) == [(request.pk, []), (None, [lone.pk])]

    def test_leave_out_the_middle(self):
        message = make_message()
        requests = [make_request(message) for _ in range(5)]
        answer = make_response(requests[-1])
        assert pairs(LIVE, message.pk, each_end=1) == [(requests[0].pk, []), (requests[-1].pk, [answer.pk])]

    def test_are_read_from_the_archive(self):
        message, req_id = make_archived_message(), next_id()
        ArchiveRequest.objects.create(
            req_id=req_id,
            msg_id=message.pk,
            res_join_id="j",
            uri="u",
            req_envelope="",
            req_timestamp=NOON,
        )
        answer = ArchiveResponse.objects.create(res_id=next_id(), req_id=req_id, res_timestamp=NOON)
        assert pairs(ARCHIVE, message.pk) == [(req_id, [answer.pk])]


class TestExchange:
    def test_has_failed_where_one_response_has(self):
        message = make_message()
        request = make_request(message)
        make_response(request)
        make_response(request, failed=True, failed_reason="Refused\n\tat a.b")
        (exchange,) = list_exchanges(LIVE, message.pk, each_end=5)
        assert (exchange.has_failed, exchange.failed_line) == (True, "Refused")

    def test_begins_with_its_earliest_response(self):
        message = make_message()
        request = make_request(message)
        make_response(request, res_timestamp=None)
        earliest = make_response(request)
        (exchange,) = list_exchanges(LIVE, message.pk, each_end=5)
        assert exchange.first_response.pk == earliest.pk
