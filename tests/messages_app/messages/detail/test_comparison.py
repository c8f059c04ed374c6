import pytest

from messages_app.messages.detail import comparison
from messages_app.messages.detail.comparison import Partner, partner_of, side_of_exchange, side_of_message
from messages_app.messages.models import ArchiveMessage, ArchiveRequest, Message
from tests.support.factories import make_archived_message, make_message, make_request, make_response

pytestmark = pytest.mark.django_db


def last_ok(message, kind: str = "payload") -> int | None:
    side = partner_of(side_of_message(kind, message.pk), Partner.LAST_OK)
    return side and side.key


def partner(kind: str, row, which: Partner) -> int | None:
    side = partner_of(side_of_exchange(kind, row.pk), which)
    return side and side.key


class TestSideOfMessage:
    def test_is_missing_for_an_unknown_id(self):
        assert side_of_message("payload", 1) is None

    def test_finds_an_archived_message(self):
        assert side_of_message("payload", make_archived_message().pk).is_archived


class TestSideOfExchange:
    def test_belongs_to_its_message(self):
        message = make_message()
        request = make_request(message)
        assert side_of_exchange("request", request.pk).msg_id == message.pk
        assert side_of_exchange("response", make_response(request, msg_id=None).pk).msg_id == message.pk

    def test_may_belong_to_no_message(self):
        assert side_of_exchange("request", make_request(None).pk).message is None

    def test_is_missing_for_an_unknown_key(self):
        assert side_of_exchange("request", 1) is None


class TestPartnerOf:
    def test_is_the_last_ok_before_the_message(self):
        make_message(state="OK")
        wanted = make_message(state="OK")
        make_message(state="FAILED")
        make_message(state="OK", service_name="other")
        make_message(state="OK", operation_name="other")
        message = make_message(state="FAILED")
        make_message(state="OK")
        assert last_ok(message) == wanted.pk

    def test_is_the_newest_ok_message_if_there_is_no_earlier_one(self):
        message = make_message(state="FAILED")
        make_message(state="OK")
        newest = make_message(state="OK")
        assert last_ok(message) == newest.pk

    def test_is_an_archived_message_if_no_live_one_is_ok(self):
        wanted = make_archived_message(state="OK")
        make_archived_message(state="FAILED")
        message = make_message(state="FAILED")
        assert last_ok(message) == wanted.pk
        assert last_ok(make_archived_message(state="FAILED")) == wanted.pk

    def test_is_another_message_of_the_same_operation(self):
        make_message(state="OK", operation_name="aaa")
        make_message(state="OK", operation_name="zzz")
        make_archived_message(state="OK", operation_name="aaa")
        message = make_message(state="OK")
        assert last_ok(message) is None
        archived = make_archived_message(state="OK")
        assert last_ok(message) == archived.pk
        assert last_ok(archived) == message.pk
        Message.objects.filter(pk=message.pk).delete()
        assert last_ok(archived) is None

    def test_is_the_newest_archived_message_before_it_or_else_the_newest_after_it(self):
        ids = [make_archived_message(state="OK").pk for _ in range(5)]
        assert last_ok(ArchiveMessage.objects.get(pk=ids[2])) == ids[1]
        assert last_ok(ArchiveMessage.objects.get(pk=ids[0])) == ids[4]

    def test_is_missing_without_an_archived_ok_message_nearby(self, monkeypatch):
        monkeypatch.setattr(comparison, "NEAREST_MESSAGES", 2)
        ids = [make_archived_message(state=state).pk for state in ("OK", "FAILED", "FAILED", "FAILED")]
        assert last_ok(ArchiveMessage.objects.get(pk=ids[2])) == ids[0]
        assert last_ok(ArchiveMessage.objects.get(pk=ids[3])) is None

    def test_is_missing_without_an_ok_message_nearby(self, monkeypatch):
        message = make_message(state="FAILED")
        assert last_ok(message) is None
        make_message(state="OK")
        for _ in range(3):
            message = make_message(state="FAILED")
        assert last_ok(message) is not None
        monkeypatch.setattr(comparison, "NEAREST_MESSAGES", 2)
        assert last_ok(message) is None

    def test_is_the_neighbouring_attempt_at_the_same_address(self):
        message = make_message()
        first, other, second, third = (
            make_request(message, uri=uri) for uri in ("http://a", "http://b", "http://a", "http://a")
        )
        make_request(make_message(), uri="http://a")
        assert partner("request", second, Partner.PREVIOUS) == first.pk
        assert partner("request", second, Partner.NEXT) == third.pk
        assert partner("request", first, Partner.PREVIOUS) is None
        assert partner("request", other, Partner.NEXT) is None

    def test_is_the_last_response_of_the_nearest_attempt_that_has_one(self):
        message = make_message()
        first, second, third = (make_request(message) for _ in range(3))
        make_response(first)
        last = make_response(first)
        response = make_response(third)
        assert partner("response", response, Partner.PREVIOUS) == last.pk
        assert partner("response", last, Partner.NEXT) == response.pk
        assert partner("response", last, Partner.PREVIOUS) is None
        assert second.pk > first.pk

    def test_is_the_request_of_the_last_ok_message_to_the_same_address(self):
        good, bad = make_message(state="OK"), make_message(state="FAILED")
        wanted = make_request(good)
        make_request(good, uri="http://other")
        response = make_response(wanted)
        request = make_request(bad)
        assert partner("request", request, Partner.LAST_OK) == wanted.pk
        assert partner("response", make_response(request), Partner.LAST_OK) == response.pk
        assert partner("request", make_request(bad, uri="http://new"), Partner.LAST_OK) is None

    def test_finds_attempts_in_the_archive(self):
        message = make_archived_message()
        columns = {"msg_id": message.pk, "res_join_id": "j", "uri": "u", "req_envelope": "<a/>"}
        first, second = (
            ArchiveRequest.objects.create(req_id=req_id, req_timestamp=message.receive_timestamp, **columns)
            for req_id in (901, 902)
        )
        assert partner("request", second, Partner.PREVIOUS) == first.pk

    def test_is_missing_for_an_exchange_without_a_message(self):
        request, response = make_request(None), make_response(None)
        for which in Partner:
            assert partner("request", request, which) is None
            assert partner("response", response, which) is None
