"""A corrected message: the new row of the hub, the original, and refusals."""

from datetime import timedelta

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.core.problems import Problem
from messages_app.messages.corrections.services import AlreadyResent, resend_message
from messages_app.messages.models import Funnel, Message, MessageEvent, ResentMessage
from messages_app.messages.services import (
    ExpectedStateNotMet,
    MessageArchived,
    MessageNotFound,
    StateConflict,
    restart_message,
)
from tests.messages_app.messages.corrections.expected import expected_message
from tests.support.factories import (
    NOON,
    PAYLOAD,
    make_archived_message,
    make_external_call,
    make_message,
    next_id,
)
from tests.support.rule_table import STATES
from tests.support.transaction_time import transaction_time

ADA = Actor(username="ada", token_name="laptop", address="192.0.2.7", request_id="r-1")
WHY = {"actor": ADA, "reason": "wrong customer"}
CORRECTED = PAYLOAD.replace("Ada Lovelace", "Grace Hopper")
FULL = {
    "process_id": "p-1",
    "object_id": "o-1",
    "entity_type": "ORDER",
    "funnel_value": "f-1",
    "funnel_component_id": "orders",
    "guaranteed_order": True,
    "exclude_failed_state": True,
    "failed_count": 4,
    "failed_desc": "E102: not valid",
    "failed_error_code": "E102",
    "custom_data": "c",
    "business_error": "b",
    "node_id": 3,
    "start_in_queue_timestamp": NOON,
    "start_process_timestamp": NOON,
    "last_process_timestamp": NOON,
}

pytestmark = pytest.mark.django_db


def columns(msg_id: int) -> dict[str, object]:
    return Message.objects.filter(pk=msg_id).values().get()


def assert_as_expected(original: dict[str, object], msg_id: int, *, payload: str = CORRECTED) -> None:
    """Compare every column; times that are now are within the transaction of the test."""
    stored, start = columns(msg_id), transaction_time()
    expected = expected_message(original, msg_id=msg_id, payload=payload, now=start)
    now = {name for name, value in expected.items() if value == start}
    assert {name: stored[name] for name in stored if name not in now} == {
        name: value for name, value in expected.items() if name not in now
    }
    assert all(start <= stored[name] < start + timedelta(minutes=1) for name in now)


def make_failed(**more: object) -> Message:
    return make_message(state="FAILED", **more)


class TestResendMessage:
    @pytest.mark.parametrize("hub", ["cleverbus", "openhub"])
    def test_stores_a_message_as_the_hub_expects_it(self, hub, settings):
        settings.HUB_RULES = hub
        before = columns(make_failed(**FULL).msg_id)
        sent = resend_message(msg_id=before["msg_id"], payload=CORRECTED, **WHY)
        assert_as_expected(before, sent.msg_id)
        assert sent.msg_id > before["msg_id"]

    def test_keeps_parent_and_times_of_a_child(self):
        parent = make_message(state="FAILED")
        child = make_failed(parent_msg_id=parent.msg_id, parent_binding_type="HARD", envelope=None)
        before = columns(child.msg_id)
        sent = resend_message(msg_id=child.msg_id, payload=CORRECTED, **WHY)
        assert_as_expected(before, sent.msg_id)
        assert columns(sent.msg_id)["parent_msg_id"] == parent.msg_id
        assert columns(sent.msg_id)["receive_timestamp"] == before["receive_timestamp"]

    def test_copies_every_funnel_value(self):
        message = make_failed()
        for value in ("a", "b"):
            Funnel.objects.create(funnel_id=next_id(), msg_id=message.msg_id, funnel_value=value)
        Funnel.objects.create(funnel_id=next_id(), msg_id=make_message().msg_id, funnel_value="other")
        sent = resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)
        values = Funnel.objects.filter(msg_id=sent.msg_id).order_by("funnel_id")
        assert list(values.values_list("funnel_value", flat=True)) == ["a", "b"]
        assert Funnel.objects.filter(msg_id=message.msg_id).count() == 2

    @pytest.mark.parametrize("length", [1, 99, 100])
    def test_gives_a_correlation_id_of_at_most_100_characters(self, length):
        message = make_failed(correlation_id="ř" * length)
        sent = resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)
        ending = f"_r{sent.msg_id}"
        kept = min(length, 100 - len(ending))
        assert columns(sent.msg_id)["correlation_id"] == "ř" * kept + ending

    def test_cancels_the_original_and_changes_nothing_else_of_it(self):
        message = make_failed(**FULL)
        call = make_external_call(message, state="FAILED")
        before = columns(message.msg_id)
        resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)
        assert columns(message.msg_id) == before | {"state": "CANCEL"}
        call.refresh_from_db()
        assert (call.msg_id, call.state) == (message.msg_id, "FAILED")

    def test_leaves_the_original_as_it_is_if_asked(self):
        message = make_failed(**FULL)
        before = columns(message.msg_id)
        resend_message(msg_id=message.msg_id, payload=CORRECTED, cancel_original=False, **WHY)
        assert columns(message.msg_id) == before

    @pytest.mark.parametrize("is_cancelled", [True, False])
    def test_links_both_messages_and_records_both(self, is_cancelled):
        message = make_failed()
        sent = resend_message(msg_id=message.msg_id, payload=CORRECTED, cancel_original=is_cancelled, **WHY)
        link = ResentMessage.objects.get()
        assert (link.original_id, link.msg_id, link.job_id) == (message.msg_id, sent.msg_id, None)
        of_original, of_new = AuditEntry.objects.order_by("entry_id")
        after = "CANCEL" if is_cancelled else "FAILED"
        assert (of_original.msg_id, of_original.action) == (message.msg_id, "resend")
        assert (of_original.before_state, of_original.after_state) == ("FAILED", after)
        assert of_original.details == {"resent_as": sent.msg_id, "cancel_original": is_cancelled}
        assert (of_new.msg_id, of_new.action) == (sent.msg_id, "resend")
        assert (of_new.before_state, of_new.after_state) == ("", "POSTPONED")
        assert of_new.details == {"resent_from": message.msg_id}
        assert {entry.reason for entry in (of_original, of_new)} == {"wrong customer"}
        assert {entry.actor for entry in (of_original, of_new)} == {"ada"}

    def test_names_the_actor_in_the_history(self):
        message = make_failed()
        resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)
        event = MessageEvent.objects.get(msg_id=message.msg_id)
        assert (event.actor, event.from_state, event.to_state) == ("ada", "FAILED", "CANCEL")

    def test_records_no_content(self):
        message = make_failed()
        resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)
        with connection.cursor() as cursor:
            cursor.execute("SELECT string_agg(audit_entry::text, '') FROM audit_entry")
            assert "Grace" not in cursor.fetchone()[0]


class TestRefusals:
    @pytest.mark.parametrize("hub", ["cleverbus", "openhub"])
    @pytest.mark.parametrize("state", [*STATES, "ON_HOLD"])
    def test_only_a_failed_message_is_sent(self, hub, state, settings):
        settings.HUB_RULES = hub
        message = make_message(state=state)
        if state == "FAILED":
            assert resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY).state == "POSTPONED"
            return
        with pytest.raises(
            StateConflict, match=f"is {state}; correct and resend is possible only from FAILED"
        ):
            resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)
        assert Message.objects.count() == 1
        assert not ResentMessage.objects.exists()
        entry = AuditEntry.objects.get()
        assert (entry.outcome, entry.before_state, entry.reason) == ("refused", state, "wrong customer")

    @pytest.mark.parametrize("is_cancelled", [True, False])
    def test_a_message_is_sent_once(self, is_cancelled):
        message = make_failed()
        sent = resend_message(msg_id=message.msg_id, payload=CORRECTED, cancel_original=is_cancelled, **WHY)
        for text in (CORRECTED, CORRECTED.replace("7", "8")):
            with pytest.raises(AlreadyResent, match=f"already corrected and resent as message {sent.msg_id}"):
                resend_message(msg_id=message.msg_id, payload=text, **WHY)
        assert Message.objects.count() == 2

    def test_a_message_is_not_sent_again_after_a_restart(self):
        message = make_failed()
        resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)
        restart_message(msg_id=message.msg_id, actor=ADA, reason="r", also_resent=True)
        Message.objects.filter(pk=message.pk).update(state="FAILED")
        with pytest.raises(AlreadyResent):
            resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)

    @pytest.mark.parametrize("is_cancelled", [True, False])
    @pytest.mark.parametrize("expected_state", [None, "same"])
    def test_an_original_is_restarted_only_on_request(self, is_cancelled, expected_state):
        message = make_failed()
        sent = resend_message(msg_id=message.msg_id, payload=CORRECTED, cancel_original=is_cancelled, **WHY)
        state = "CANCEL" if is_cancelled else "FAILED"
        options = {"msg_id": message.msg_id, "actor": ADA, "reason": "r"}
        options |= {"expected_state": state} if expected_state else {}
        with pytest.raises(
            AlreadyResent, match=f"was corrected and resent as message {sent.msg_id}"
        ) as refused:
            restart_message(**options)
        assert (refused.value.resent_as, refused.value.current_state) == (sent.msg_id, state)
        assert Message.objects.get(pk=message.pk).state == state
        assert AuditEntry.objects.get(action="restart").outcome == "refused"

        assert restart_message(also_resent=True, **options).state == "PARTLY_FAILED"

    def test_the_new_message_is_restarted_as_any_other(self):
        message = make_failed()
        sent = resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)
        Message.objects.filter(pk=sent.pk).update(state="FAILED")
        assert restart_message(msg_id=sent.msg_id, actor=ADA, reason="r").state == "PARTLY_FAILED"

    def test_a_corrected_message_that_fails_can_be_corrected(self):
        first = make_failed()
        second = resend_message(msg_id=first.msg_id, payload=CORRECTED, **WHY)
        Message.objects.filter(pk=second.pk).update(state="FAILED")
        third = resend_message(msg_id=second.msg_id, payload=CORRECTED.replace("7", "8"), **WHY)
        assert sorted(ResentMessage.objects.values_list("original_id", "msg_id")) == [
            (first.msg_id, second.msg_id),
            (second.msg_id, third.msg_id),
        ]

    def test_an_expected_state_must_hold(self):
        message = make_failed()
        with pytest.raises(ExpectedStateNotMet):
            resend_message(msg_id=message.msg_id, payload=CORRECTED, expected_state="OK", **WHY)
        assert Message.objects.count() == 1

    def test_an_archived_message_is_not_sent(self):
        message = make_archived_message(state="FAILED")
        with pytest.raises(MessageArchived):
            resend_message(msg_id=message.msg_id, payload=CORRECTED, **WHY)

    def test_an_unknown_id_is_not_found(self):
        with pytest.raises(MessageNotFound):
            resend_message(msg_id=777, payload=CORRECTED, **WHY)

    def test_nothing_is_stored_if_the_payload_is_refused(self):
        message = make_failed()
        with pytest.raises(Problem):
            resend_message(msg_id=message.msg_id, payload="<order>", **WHY)
        assert columns(message.msg_id)["state"] == "FAILED"
        assert not ResentMessage.objects.exists()
        assert Message.objects.count() == 1
