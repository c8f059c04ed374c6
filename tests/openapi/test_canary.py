"""A masked value is in no answer of the API to any call: the calls of test_walk.py, masked."""

import json

import pytest
from django.conf import settings

from messages_app.access.scopes import SCOPES
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.in_doubt import resubmit_document
from tests.openapi.walker import Walker
from tests.openapi.world import make_world
from tests.support.api_client import ApiClient, caller
from tests.support.canaries import CANARY, hide_canaries
from tests.support.factories import make_user
from tests.support.histories import ADA
from tests.support.page_client import client_of

ROLES = ("admin", "cp_service", "history_service")
MASKED = sorted(set(SCOPES) - {"payload:read", "history:take"})


def without_view_payload() -> dict[str, str]:
    """Return the headers of a token without scopes, of a user with the roles that read no contents."""
    return caller("admin", "cp_service", username="grace").headers


def without_the_scope() -> dict[str, str]:
    """Return the headers of a token that has every scope but the ones that give contents."""
    return ApiClient(make_user(*ROLES, "view_payload", username="grace"), scopes=MASKED).headers


def without_a_reason() -> dict[str, str]:
    """Return the headers of a session that has every role, and has given no reason."""
    client = client_of(*ROLES, "view_payload", username="grace")
    token = client.get("/").wsgi_request.META["CSRF_COOKIE"]
    client.cookies[settings.CSRF_COOKIE_NAME] = token
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    return {"Cookie": cookies, "X-CSRFToken": token}


@pytest.mark.slow  # tests/bad_input/test_canary.py reads every call of a user who gave no reason
@pytest.mark.django_db(transaction=True)
class TestCanary:
    @pytest.mark.parametrize(
        "headers_of",
        [without_the_scope, without_a_reason, without_view_payload],
    )
    def test_is_in_no_answer_to_a_masked_caller(self, live_server, settings, headers_of):
        settings.API_REQUESTS_PER_MINUTE = 100_000
        make_world()
        waiting = DocumentInDoubt.objects.filter(trigger_id="shop").earliest("pk")
        resubmit_document(in_doubt_id=waiting.pk, actor=ADA, reason="r", takes=False)
        hide_canaries()
        walker = Walker(live_server.url, headers_of(), "/api/v1/schema/")

        walker.walk()

        answers = [
            (each.name, status, json.dumps(answer, ensure_ascii=False))
            for each in walker.operations
            for status, answer in each.answers
        ]
        assert sum(each.is_done for each in walker.operations) > 85
        assert [answer for answer in answers if CANARY in answer[2]] == []
        assert caller("history_service", username="shop").post(
            "document-history/take/", {"trigger_id": "shop"}
        ).json()["document"] == [{"id": 1, "name": CANARY}]
