from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.messages.diagnosis.explain import explain_by_id
from messages_app.messages.tables import MessageNotFound
from messages_app.shared.message_states import MessageState
from tests.messages_app.messages.diagnosis.explanations import explanation_of
from tests.messages_app.messages.funnels.rows import AT, in_funnel, ordered, stored
from tests.support.factories import make_archived_message

pytestmark = pytest.mark.django_db


class TestExplain:
    def test_explains_the_requested_time(self):
        message = stored("PROCESSING", age=300)
        assert explain_by_id(message.pk, at=AT).reason == "processing"
        assert explain_by_id(message.pk, at=AT + timedelta(seconds=1)).reason == "stuck"

    def test_uses_the_clock_of_the_database_by_default(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            now = cursor.fetchone()[0]
        message = stored("PROCESSING", start_process_timestamp=now)
        assert explain_by_id(message.pk).reason == "processing"

    def test_rejects_an_unknown_id(self):
        with pytest.raises(MessageNotFound):
            explain_by_id(1)

    def test_shows_an_unknown_state_unchanged(self):
        explanation = explanation_of(stored("ARCHIVING"))
        assert explanation.reason == "unknown_state"
        assert "its state ARCHIVING" in explanation.summary

    @pytest.mark.parametrize("state", list(MessageState))
    @pytest.mark.parametrize("rules", ["cleverbus", "openhub"])
    def test_needs_only_columns_that_are_never_null(self, settings, rules, state):
        settings.HUB_RULES = rules
        message = stored(state, start_process_timestamp=None, last_process_timestamp=None)
        assert explanation_of(message).summary

    @pytest.mark.parametrize("state", ["OK", "CANCEL"])
    def test_says_that_it_is_archived(self, state):
        explanation = explanation_of(make_archived_message(state=state))
        assert explanation.summary.endswith("It is in the archive.")
        assert explanation.next["what"] == "nothing"

    def test_says_that_a_failed_message_must_be_restored_first(self):
        explanation = explanation_of(
            make_archived_message(state="FAILED", failed_count=4, failed_error_code="E103")
        )
        assert (explanation.reason, explanation.next["what"]) == ("failed_after_tries", "restore")

    def test_says_that_an_archived_message_was_not_finished(self):
        explanation = explanation_of(make_archived_message(state="POSTPONED"))
        assert (explanation.reason, explanation.next["what"]) == ("archived_unfinished", "restore")

    def test_does_not_read_wide_columns(self):
        message = in_funnel("POSTPONED")
        with CaptureQueriesContext(connection) as sent:
            explain_by_id(message.pk, at=AT)
        assert not any('"message"."payload"' in query["sql"] for query in sent)

    def test_sends_a_bounded_number_of_queries(self):
        ordered("FAILED", age=900, failed_error_code="E103")
        message = ordered("FAILED", age=800, failed_error_code="E121")
        with CaptureQueriesContext(connection) as sent:
            explain_by_id(message.pk, at=AT)
        assert len(sent) <= 12
