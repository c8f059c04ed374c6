import pytest

from messages_app.messages.models import ArchiveExternalCall, Message
from tests.messages_app.messages.diagnosis.explanations import explanation_of, reason_of
from tests.messages_app.messages.funnels.rows import ago, stored
from tests.support.factories import make_archived_message, make_external_call, next_id

pytestmark = pytest.mark.django_db


def confirmation(message, *, state: str, failed_count: int = 1, age: float = 20):
    return make_external_call(
        message,
        operation_name="confirmation",
        entity_id=message.correlation_id,
        state=state,
        failed_count=failed_count,
        last_update_timestamp=ago(age),
    )


class TestExplainConfirmation:
    def test_says_that_the_source_could_not_be_notified(self):
        message = stored("OK")
        confirmation(message, state="FAILED", failed_count=2)
        explanation = explanation_of(message)
        assert explanation.reason == "confirmation_failing"
        assert "2 of 4 attempts to confirm failed" in explanation.summary
        assert (explanation.next["what"], explanation.next["at"]) == ("confirmation", "2026-11-02T12:00:40Z")

    def test_says_that_the_hub_gave_up_the_notification(self):
        message = stored("OK")
        confirmation(message, state="FAILED_END", failed_count=4)
        assert reason_of(message) == "confirmation_given_up"

    @pytest.mark.parametrize("state", ["OK", "PROCESSING"])
    def test_ignores_a_confirmation_that_did_not_fail(self, state):
        message = stored("OK")
        confirmation(message, state=state)
        assert reason_of(message) == "done"

    def test_ignores_the_confirmation_of_another_message_with_its_correlation_id(self):
        message, other = stored("OK"), stored("OK")
        Message.objects.filter(pk=other.pk).update(
            correlation_id=message.correlation_id, source_system="OTHER"
        )
        other.refresh_from_db()
        confirmation(other, state="FAILED_END")
        assert reason_of(message) == "done"

    def test_finds_the_confirmation_of_an_archived_message(self):
        message = make_archived_message()
        ArchiveExternalCall.objects.create(
            call_id=next_id(),
            msg_id=message.pk,
            operation_name="confirmation",
            state="FAILED_END",
            entity_id=message.correlation_id,
            msg_timestamp=ago(60),
            creation_timestamp=ago(60),
            last_update_timestamp=ago(60),
        )
        assert reason_of(message) == "confirmation_given_up"
