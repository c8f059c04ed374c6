import re

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.messages.detail.buttons import AdvisedButton, advised_buttons
from messages_app.messages.detail.views import explanation_of, messages_named
from messages_app.messages.diagnosis.explain import explain_by_id
from messages_app.messages.diagnosis.explanation import Explanation
from messages_app.messages.diagnosis.reasons import NextStep
from messages_app.messages.models import ArchiveMessage, Message
from tests.messages_app.messages.diagnosis.explanations import make_child
from tests.messages_app.messages.funnels.rows import stored
from tests.support.factories import make_archived_message, make_message, make_user
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


def buttons(msg_id: int, *roles: str) -> list[tuple[str, str]]:
    """Return the address and the label of each button below the explanation on a message's page."""
    page = text_of(client_of(*roles).get(f"/messages/{msg_id}/"))
    advice = re.search(r'<p class="c-lead-advice">(.*?)</p>', page)
    return re.findall(r'href="([^"]+)">.*?</svg>([^<]+)</a>', advice[1]) if advice else []


def failed_by_archived_child() -> tuple[Message, ArchiveMessage]:
    """Store a failed parent, and in the archive the failed HARD child that made it fail."""
    failure = {"failed_count": 4, "failed_error_code": "E103"}
    parent = stored("FAILED", age=500, **failure)
    bad = make_archived_message(
        state="FAILED", parent_msg_id=parent.pk, parent_binding_type="HARD", **failure
    )
    return parent, bad


class TestAdvisedButtons:
    def test_offers_to_restart_the_child_that_keeps_a_parent_waiting(self):
        parent = stored("WAITING", age=500)
        make_child(parent, "PROCESSING")
        bad = make_child(parent, "CANCEL")
        assert buttons(parent.pk, "operator") == [(f"/messages/{bad.pk}/restart/", f"Restart {bad.pk}…")]

    def test_offers_to_restore_the_archived_child_that_made_a_parent_fail(self):
        parent, bad = failed_by_archived_child()
        address = f"/jobs/new/?kind=restore&amp;archived=true&amp;msg_id={bad.pk}"
        assert buttons(parent.pk, "admin") == [(address, f"Restore {bad.pk}…")]

    def test_does_not_offer_to_restore_without_permission(self):
        parent, _ = failed_by_archived_child()
        assert buttons(parent.pk, "operator") == []

    def test_does_not_repeat_actions_on_the_message_itself(self):
        message = stored("FAILED", age=500, failed_count=4, failed_error_code="E103")
        page = text_of(client_of("operator").get(f"/messages/{message.pk}/"))
        assert "c-lead-advice" not in page
        assert f'href="/messages/{message.pk}/restart/"' in page

    def test_does_not_offer_to_restart_without_permission(self):
        parent = stored("WAITING", age=500)
        make_child(parent, "CANCEL")
        assert buttons(parent.pk, "support") == []

    def test_leaves_out_a_message_that_is_gone_or_must_not_be_restarted(self):
        failed, done = make_message(msg_id=7_001, state="FAILED"), make_message(msg_id=7_002, state="OK")
        advice = Explanation(
            reason="waits",
            summary="It waits.",
            blocked_by=[7_000, done.pk, failed.pk],
            next={"what": NextStep.RESTART_BLOCKER},
            mentions=[],
            job_id=None,
        )
        assert advised_buttons(advice, user=make_user("operator")) == [
            AdvisedButton(label="Restart 7001", icon="restart", url="/messages/7001/restart/")
        ]
        assert advised_buttons(None, user=make_user("operator", username="ben")) == []

    def test_offers_nothing_if_nothing_is_advised(self):
        assert buttons(stored("OK").pk, "operator") == []

    def test_offers_nothing_for_a_completed_archived_message(self):
        assert buttons(make_archived_message(state="OK").pk, "operator") == []


class TestArchivedMessage:
    def test_can_be_restored_from_its_page(self):
        message = make_archived_message()
        page = text_of(client_of("admin").get(f"/messages/{message.pk}/"))
        assert f'href="/jobs/new/?kind=restore&amp;archived=true&amp;msg_id={message.pk}"' in page

    def test_shows_who_can_restore_it(self):
        page = text_of(client_of("operator").get(f"/messages/{make_archived_message().pk}/"))
        assert "An administrator can restore it to the live tables." in page
        assert "kind=restore" not in page


class TestExplanationOf:
    def test_returns_the_explanation(self):
        message = make_message(state="FAILED", failed_count=4, failed_error_code="E103")
        assert explanation_of(message, at=timezone.now()).reason == explain_by_id(message.pk).reason

    def test_is_missing_if_the_explanation_fails(self, caplog):
        message = make_message(state="OK")
        # Rename a column that the rules read.
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE message_event RENAME COLUMN to_state TO renamed")
        assert explanation_of(message, at=timezone.now()) is None
        (line,) = caplog.records
        assert (line.levelname, line.getMessage()) == ("ERROR", f"message {message.pk} was not explained")
        assert line.exc_info
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert cursor.fetchone() == (1,)


class TestMessagesNamed:
    def test_returns_numbers_that_are_ids_of_messages(self):
        live = make_message(msg_id=881234).pk
        old = make_archived_message(msg_id=991234).pk
        texts = [f"message {live} waits for {old}, port 8080", None, "message 771234 is gone"]
        assert messages_named(texts) == {live, old}

    @pytest.mark.parametrize("text", ["a-881234", "881234-1", "10.881234", "881234.5", "/881234/", "x881234"])
    def test_ignores_numbers_within_words(self, text):
        make_message(msg_id=881234)
        assert messages_named([text]) == set()

    @pytest.mark.parametrize("text", ["881234", "(881234)", "881234.", "881234, then", "message #881234!"])
    def test_finds_numbers_next_to_punctuation(self, text):
        make_message(msg_id=881234)
        assert messages_named([text]) == {881234}

    def test_runs_no_query_without_numbers(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert messages_named(["nothing", None, "42", "9" * 40]) == set()
