"""
The rules of docs/contributing/spec/cleverbus.md, "External calls", "Acceptance cases" case 18, on real rows.
"""

from datetime import timedelta

import pytest

from messages_app.demo import failures
from messages_app.demo.hub import calls
from messages_app.demo.hub.outcomes import Failed
from messages_app.demo.world import TARGETS
from messages_app.messages.models import ExternalCall, Message, Request, Response
from messages_app.shared.message_states import ExternalCallState, MessageState
from tests.messages_app.demo.hub.playing import done, make_stage, stored
from tests.support.factories import make_external_call

pytestmark = pytest.mark.django_db

BILLING_API, ERP_API, LEDGER, MAIL_GATE = (
    TARGETS[name] for name in ("billing", "erp", "ledger", "mail_gate")
)

OLDER, SAME, NEWER = (timedelta(seconds=seconds) for seconds in (-5, 0, 5))
OK, FAILED, FAILED_END = ExternalCallState.OK, ExternalCallState.FAILED, ExternalCallState.FAILED_END


def meeting(state: str, age: timedelta) -> tuple[Message, ExternalCall]:
    """Return a message, and the call that another one made with its key, which is `age` older than it."""
    message = stored(MessageState.PROCESSING)
    other = stored(MessageState.OK)
    call = make_external_call(
        other,
        operation_name=BILLING_API.uri,
        entity_id=f"{message.source_system}_{message.correlation_id}",
        state=state,
        msg_timestamp=message.msg_timestamp - age,
    )
    return message, call


class TestBegin:
    def test_records_a_new_call_and_its_request(self, stage):
        message = stored(MessageState.PROCESSING)
        begun = calls.begin_call(stage, message, BILLING_API)
        call = ExternalCall.objects.get()
        assert call.pk == begun.call.pk
        assert (call.state, call.failed_count, call.msg_id) == ("PROCESSING", 0, message.pk)
        assert call.msg_timestamp == message.msg_timestamp
        request = Request.objects.get()
        assert (request.msg_id, request.res_join_id, request.uri) == (
            message.pk,
            message.correlation_id,
            BILLING_API.uri,
        )

    def test_uses_the_object_as_key_if_the_target_requires_it(self, stage):
        message = stored(MessageState.PROCESSING, object_id="O7", entity_type="ORDER")
        assert calls.begin_call(stage, message, ERP_API).call.entity_id == "ORDER_O7"

    @pytest.mark.parametrize(
        ("state", "age"), [(OK, NEWER), (FAILED, SAME), (FAILED, NEWER), (FAILED_END, SAME)]
    )
    def test_takes_over_an_earlier_call(self, stage, state, age):
        message, call = meeting(state, age)
        assert calls.begin_call(stage, message, BILLING_API).call.pk == call.pk
        call.refresh_from_db()
        assert (call.state, call.msg_id, call.msg_timestamp) == (
            ExternalCallState.PROCESSING,
            message.pk,
            message.msg_timestamp,
        )

    @pytest.mark.parametrize(
        ("state", "age"), [(OK, OLDER), (OK, SAME), (FAILED, OLDER), (FAILED_END, OLDER)]
    )
    def test_skips_a_duplicate_and_an_obsolete_one_silently(self, stage, state, age):
        message, call = meeting(state, age)
        assert calls.begin_call(stage, message, BILLING_API) is None
        call.refresh_from_db()
        assert call.state == state
        assert not Request.objects.exists()

    @pytest.mark.parametrize("age", [OLDER, SAME, NEWER])
    def test_fails_while_the_call_is_being_made(self, stage, age):
        message, _ = meeting(ExternalCallState.PROCESSING, age)
        with pytest.raises(Failed, match="E112"):
            calls.begin_call(stage, message, BILLING_API)


class TestEnd:
    def test_records_success_and_the_response(self, stage):
        message = stored(MessageState.PROCESSING)
        begun = calls.begin_call(stage, message, BILLING_API)
        calls.end_call(stage, message, BILLING_API, begun, None)
        assert ExternalCall.objects.get().state == OK
        response = Response.objects.get()
        assert (response.failed, response.failed_reason, response.msg_id) == (False, None, message.pk)
        assert "<result>OK</result>" in response.res_envelope

    def test_records_failure_without_counting_it(self, stage):
        message = stored(MessageState.PROCESSING)
        begun = calls.begin_call(stage, message, BILLING_API)
        calls.end_call(stage, message, BILLING_API, begun, failures.NO_CONNECTION)
        call = ExternalCall.objects.get()
        assert (call.state, call.failed_count) == (FAILED, 0)
        for response in Response.objects.all():
            assert response.failed
            assert "ConnectException" in response.failed_reason
            assert "\n\tat " in response.failed_reason

    def test_fails_when_the_row_was_deleted_or_repaired_meanwhile(self, stage):
        message = stored(MessageState.PROCESSING)
        for meddle in (
            lambda rows: rows.delete(),
            lambda rows: rows.update(last_update_timestamp=message.msg_timestamp),
        ):
            begun = calls.begin_call(stage, message, LEDGER)
            meddle(ExternalCall.objects.filter(pk=begun.call.pk))
            with pytest.raises(Failed, match="E100"):
                calls.end_call(stage, message, LEDGER, begun, None)

    def test_has_no_response_of_a_one_way_target(self, stage):
        message = stored(MessageState.PROCESSING, operation_name="sendEmail")
        calls.end_call(stage, message, MAIL_GATE, calls.begin_call(stage, message, MAIL_GATE), None)
        assert Request.objects.exists()
        assert not Response.objects.exists()


class TestMakeCalls:
    def test_makes_all_of_a_route(self, stage):
        message = stored(MessageState.PROCESSING)
        done(calls.make_calls(stage, message))
        made = ExternalCall.objects.order_by("call_id").values_list("operation_name", "state")
        assert list(made) == [(BILLING_API.uri, OK), (LEDGER.uri, OK)]

    def test_omits_calls_that_the_pattern_skips(self):
        stage = make_stage(skip_uris="billing")
        done(calls.make_calls(stage, stored(MessageState.PROCESSING)))
        assert ExternalCall.objects.get().operation_name == LEDGER.uri

    def test_makes_none_after_bad_input(self, stage):
        message = stored(MessageState.PROCESSING, failed_error_code="E102", failed_count=1)
        with pytest.raises(Failed, match="E102"):
            done(calls.make_calls(stage, message))
        assert not ExternalCall.objects.exists()
