"""The entries of the audit log about a cancel or restart of one message, compared as a whole."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.messages.services import ActionRefused, cancel_message, restart_message
from messages_app.shared.message_states import CONFIRMATION_OPERATION
from tests.support.factories import make_archived_message, make_external_call, make_message

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada", token_name="laptop", address="192.0.2.7", request_id="r-1")
OF_ADA = {"actor": "ada", "token_name": "laptop", "address": "192.0.2.7", "request_id": "r-1"}


def entries() -> list[dict[str, object]]:
    names = (
        *OF_ADA,
        "action",
        "outcome",
        "msg_id",
        "job_id",
        "before_state",
        "after_state",
        "reason",
        "details",
    )
    return list(AuditEntry.objects.order_by("entry_id").values(*names))


def entry(action: str, msg_id: int, **columns: object) -> dict[str, object]:
    defaults = {"outcome": "done", "job_id": None, "after_state": "", "reason": "the bank is back"}
    return OF_ADA | defaults | {"action": action, "msg_id": msg_id} | columns


class TestCancel:
    def test_is_recorded(self):
        message = make_message(state="POSTPONED")
        cancel_message(msg_id=message.pk, actor=ADA, reason="the bank is back")
        assert entries() == [
            entry("cancel", message.pk, before_state="POSTPONED", after_state="CANCEL", details={})
        ]

    @pytest.mark.parametrize(
        ("is_archived", "expected_state", "refusal"),
        [
            (True, None, "Message {} is archived: restore it first."),
            (False, "NEW", "Message {} is OK, not NEW."),
        ],
    )
    def test_that_is_refused_is_recorded_with_its_refusal(self, is_archived, expected_state, refusal):
        message = (make_archived_message if is_archived else make_message)(state="OK")
        with pytest.raises(ActionRefused) as refused:
            cancel_message(
                msg_id=message.pk, actor=ADA, reason="the bank is back", expected_state=expected_state
            )
        assert str(refused.value) == refusal.format(message.pk)
        details = {"refusal": refusal.format(message.pk)}
        assert entries() == [
            entry("cancel", message.pk, outcome="refused", before_state="OK", details=details)
        ]

    def test_that_the_rules_do_not_allow_names_the_states_that_they_allow(self):
        message = make_message(state="PROCESSING")
        with pytest.raises(ActionRefused):
            cancel_message(msg_id=message.pk, actor=ADA, reason="the bank is back")
        ((found),) = entries()
        assert found["before_state"] == "PROCESSING"
        assert found["details"]["refusal"].startswith(
            f"Message {message.pk} is PROCESSING; cancel is possible only from "
        )


class TestRestart:
    @pytest.mark.parametrize("total", [False, True])
    def test_is_recorded_with_the_calls_that_it_deleted(self, total):
        message = make_message(state="FAILED")
        route = make_external_call(message, operation_name="direct:a", state="OK")
        confirmation = make_external_call(message, operation_name=CONFIRMATION_OPERATION, state="FAILED")
        restart_message(msg_id=message.pk, actor=ADA, reason="the bank is back", total=total)
        (found,) = entries()
        details = found.pop("details")
        expected = entry("restart", message.pk, before_state="FAILED", after_state="PARTLY_FAILED")
        assert found == expected
        assert (set(details), details["total"]) == ({"total", "deleted_external_calls"}, total)
        deleted = {call["call_id"]: call for call in details["deleted_external_calls"]}
        assert set(deleted) == {confirmation.pk} | ({route.pk} if total else set())
        call = deleted[confirmation.pk]
        assert (call["msg_id"], call["operation_name"], call["state"], call["entity_id"]) == (
            message.pk,
            CONFIRMATION_OPERATION,
            "FAILED",
            confirmation.entity_id,
        )
