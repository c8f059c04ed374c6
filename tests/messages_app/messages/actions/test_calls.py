from datetime import timedelta

import pytest

from messages_app.messages.actions.external_calls import MAX_CALLS, planned_calls
from messages_app.messages.models import ExternalCall
from tests.support.factories import NOON, make_external_call, make_message, make_request, next_id

pytestmark = pytest.mark.django_db

EARLIER, LATER = timedelta(minutes=-1), timedelta(minutes=1)


def fates(message, *, total: bool = False) -> list[str]:
    return [str(call.will_be) for call in planned_calls(message, total=total)[0]]


class TestPlannedCalls:
    def test_shows_what_is_sent_twice(self):
        message = make_message(state="FAILED")
        make_external_call(message, state="OK")
        make_external_call(message, state="FAILED")
        assert [call.is_repeated for call in planned_calls(message, total=True)[0]] == [True, False]
        assert [call.is_repeated for call in planned_calls(message, total=False)[0]] == [False, False]

    def test_names_the_last_request_to_the_same_target(self):
        message = make_message(state="FAILED")
        make_external_call(message, operation_name="spring-ws:http://a.example/ws")
        make_request(message, uri="spring-ws:http://a.example/ws")
        last = make_request(message, uri="spring-ws:http://a.example/ws")
        make_request(message, uri="spring-ws:http://b.example/ws")
        calls, _ = planned_calls(message, total=False)
        assert calls[0].last_request.req_id == last.req_id

    def test_has_no_request_where_none_was_kept(self):
        message = make_message(state="FAILED")
        make_external_call(message)
        assert planned_calls(message, total=False)[0][0].last_request is None

    @pytest.mark.parametrize("key", ["A-7", "ACCOUNT_A-7"])
    def test_finds_the_call_of_a_newer_message_of_the_object(self, key):
        older = make_message(state="FAILED", msg_timestamp=NOON, object_id="A-7", entity_type="ACCOUNT")
        newer = make_message(state="OK", msg_timestamp=NOON + LATER, object_id="A-7")
        make_request(older, uri="direct:billing")
        make_external_call(newer, entity_id=key)
        calls, _ = planned_calls(older, total=True)
        assert [(call.msg_id, str(call.will_be)) for call in calls] == [(newer.pk, "skipped")]

    def test_leaves_out_what_the_message_never_asked_or_an_older_one_owns(self):
        message = make_message(state="FAILED", msg_timestamp=NOON, object_id="A-7")
        make_request(message, uri="direct:billing")
        older = make_message(state="OK", msg_timestamp=NOON + EARLIER, object_id="A-7")
        newer = make_message(state="OK", msg_timestamp=NOON + LATER, object_id="A-7")
        make_external_call(older, entity_id="A-7")
        make_external_call(newer, entity_id="A-7", operation_name="direct:other")
        assert fates(message) == []

    def test_is_bounded(self):
        message = make_message(state="FAILED")
        ExternalCall.objects.bulk_create(
            ExternalCall(
                call_id=next_id(),
                msg_id=message.pk,
                operation_name="direct:billing",
                state="OK",
                entity_id=f"e-{number}",
                msg_timestamp=message.msg_timestamp,
                creation_timestamp=NOON,
                last_update_timestamp=NOON,
            )
            for number in range(MAX_CALLS + 1)
        )
        calls, more = planned_calls(message, total=False)
        assert (len(calls), more) == (MAX_CALLS, True)
