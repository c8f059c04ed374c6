"""The preview of a restart over REST. The tests of the restart itself are in test_api_actions.py."""

import pytest

from messages_app.audit.models import AuditEntry
from tests.messages_app.messages.test_api import NO_IDS
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_archived_message, make_external_call, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def support() -> ApiClient:
    return caller("support")


def preview(client: ApiClient, message, query: str = "") -> dict:
    return client.get(f"messages/{message.pk}/restart-preview/{query}").json()


class TestRestartPreviewView:
    def test_reports_calls_attempts_and_effects(self, support):
        message = make_message(state="FAILED", failed_count=4)
        call = make_external_call(message, state="OK")
        body = preview(support, message)
        assert (body["msg_id"], body["allowed"], body["total"]) == (message.pk, True, False)
        assert (body["failed_count"], body["tries_left"]) == (4, 1)
        assert [(each["call_id"], each["will_be"]) for each in body["calls"]] == [(call.pk, "skipped")]
        assert preview(support, message, "?total=true")["calls"][0]["will_be"] == "sent_again"
        assert (body["parent"], body["order"], body["funnel"]) == (None, None, None)
        assert body["children"]["code"] == "children_none"
        assert body["archive"]["code"] == "archive_later"
        assert body["picked_up_from"] < body["picked_up_until"]

    @pytest.mark.parametrize("make", [make_message, make_archived_message])
    def test_previews_a_restart_that_is_not_allowed(self, support, make):
        body = preview(support, make(state="OK"))
        assert body["allowed"] is False
        assert body["why_not"]

    def test_does_not_change_or_record_anything(self, support):
        preview(support, make_message(state="FAILED"))
        assert not AuditEntry.objects.filter(msg_id__isnull=False).exists()

    @pytest.mark.parametrize("text", NO_IDS)
    def test_rejects_an_unknown_id(self, support, text):
        assert problem(support.get(f"messages/{text}/restart-preview/"))["status"] == 404

    @pytest.mark.parametrize(
        ("query", "field"), [("total=1", "total"), ("totl=true", "totl"), ("total=true&total=true", "total")]
    )
    def test_rejects_unknown_parameters(self, support, query, field):
        answer = problem(support.get(f"messages/{make_message().pk}/restart-preview/?{query}"))
        assert (answer["status"], answer["errors"][0]["field"]) == (400, field)

    def test_is_forbidden_without_a_role(self):
        assert caller().get(f"messages/{make_message().pk}/restart-preview/").status_code == 403
