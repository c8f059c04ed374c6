"""Calls of the API by a session are masked like its pages until the user gives a reason."""

import pytest
from django.conf import settings as project
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from messages_app.access.models import UserSession
from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job
from tests.messages_app.access.unmasking.test_reading import SEARCH, hide
from tests.support.api_client import BASE, ApiClient, problem
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of, reader_of, show_values
from tests.support.stores import store

pytestmark = pytest.mark.django_db

# Each of these searches payloads or would reveal them.
FILTER = {
    "payload_contains": "Ada",
    "receive_timestamp_from": "2026-11-20T00:00:00Z",
    "receive_timestamp_to": "2026-11-21T00:00:00Z",
}
JOBS = (
    {"kind": "export", "filter": {"state": "OK"}, "options": {"payload": True}, "reason": "r"},
    {"kind": "export", "filter": FILTER, "reason": "r"},
    {"kind": "cancel", "filter": FILTER, "reason": "r", "dry_run": True},
)
ACTIONS = {"view_payload", "view_envelope", "view_stored_data"}


def contents() -> list[str]:
    """Store contents, and return the addresses that return one."""
    message = f"{BASE}messages/{make_message().pk}/"
    return [
        f"{message}payload/",
        f"{message}envelope/",
        f"{BASE}message-store/{store([{'name': 'Ada Lovelace'}])}/data/",
    ]


def is_clear(client: Client, address: str, **headers: str) -> bool:
    """
    Return whether a content is returned as stored. Otherwise check that it is masked and marked as masked.
    """
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    is_masked = answer.json()["masked"]
    assert is_masked is ("Lovelace" not in answer.content.decode())
    return not is_masked


def searches() -> list[str]:
    query = SEARCH.replace("2026-11-01", "2026-11-20")
    return [f"{BASE}messages/?{query}", f"{BASE}messages/count/?{query}"]


def post(client: Client, body: object, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(f"{BASE}jobs/", body, content_type="application/json", headers=named)


def wants_reason(answer: HttpResponse) -> bool:
    body = problem(answer)
    return (body["status"], body["code"]) == (403, "reveal_required") and "/reveal/" in body["detail"]


def told(answer: HttpResponse) -> tuple[int, dict]:
    """Return a problem without the parts that differ each time."""
    return answer.status_code, problem(answer) | {"request_id": ""}


class TestSession:
    def test_reads_masked_until_there_is_a_reason(self):
        client, addresses = client_of("support", "view_payload"), contents()
        assert not any(is_clear(client, address) for address in addresses)
        views = AuditEntry.objects.filter(action__startswith="view_")
        assert not views.exists()
        show_values(client)
        assert all(is_clear(client, address) for address in addresses)
        assert set(views.values_list("action", "actor", "token_name")) == {
            (action, "ada", "") for action in ACTIONS
        }

    def test_reads_masked_after_the_end_and_after_masking_again(self):
        client, addresses = reader_of("support"), contents()
        hide()
        assert not any(is_clear(client, address) for address in addresses)
        show_values(client)
        assert all(is_clear(client, address) for address in addresses)
        client.post("/reveal/end/")
        assert not any(is_clear(client, address) for address in addresses)

    def test_shows_nothing_in_another_session_of_the_same_user(self):
        here, there, address = client_of("support", "view_payload"), Client(), contents()[0]
        there.force_login(UserSession.objects.get().user)
        show_values(here)
        assert (is_clear(here, address), is_clear(there, address)) == (True, False)
        assert [wants_reason(there.get(search)) for search in searches()] == [True] * 2

    def test_asks_a_superuser_too(self):
        client, address = Client(), contents()[0]
        client.force_login(make_user(is_superuser=True, is_staff=True))
        assert not is_clear(client, address)
        assert wants_reason(client.get(searches()[0]))
        show_values(client)
        assert is_clear(client, address)

    def test_searches_payloads_only_while_they_are_shown(self):
        client = client_of("support", "view_payload")
        make_message(receive_timestamp="2026-11-20T12:00:00Z")
        assert [wants_reason(client.get(search)) for search in searches()] == [True] * 2
        show_values(client)
        rows, count = [client.get(search) for search in searches()]
        assert (rows.status_code, count.status_code, len(rows.json()["results"])) == (200, 200, 1)

    def test_lists_and_refuses_other_input_as_before(self):
        client = client_of("support", "view_payload")
        assert client.get(f"{BASE}messages/?state=OK").status_code == 200
        assert problem(client.get(f"{BASE}messages/?stat=OK"))["code"] == "unknown_parameter"
        assert problem(client.get(f"{BASE}messages/count/?payload=Ada"))["code"] == "unknown_parameter"

    @pytest.mark.parametrize("body", JOBS)
    def test_makes_a_job_with_payloads_only_while_they_are_shown(self, body):
        client = client_of("operator", "view_payload")
        assert wants_reason(post(client, body, Idempotency_Key="k"))
        assert not Job.objects.exists()
        entry = AuditEntry.objects.get(action="create_job")
        assert (entry.actor, entry.outcome) == ("ada", "refused")
        assert entry.details == {"refusal": "reveal_required", "path": f"{BASE}jobs/"}
        show_values(client)
        assert post(client, body, Idempotency_Key="k").status_code == 202
        assert Job.objects.get().created_by == "ada"

    def test_makes_other_jobs_as_before(self):
        client = client_of("operator", "view_payload")
        body = {"kind": "export", "filter": {"state": "OK"}, "reason": "r"}
        assert post(client, body).status_code == 202
        assert told(post(client, body | {"kind": "archive"}))[1]["code"] == "permission_denied"
        of_the_store = {"kind": "reprocess", "filter": FILTER, "reason": "r"}
        assert problem(post(client, of_the_store))["code"] == "unknown_parameter"

    def test_is_not_asked_if_the_setting_is_0(self, settings):
        settings.REVEAL_MINUTES = 0
        client = client_of("operator", "view_payload")
        assert all(is_clear(client, address) for address in contents())
        assert [client.get(search).status_code for search in searches()] == [200] * 2
        assert post(client, JOBS[0]).status_code == 202

    def test_gives_a_reason_and_masks_again_like_a_page(self):
        client, address = Client(enforce_csrf_checks=True), contents()[0]
        client.force_login(make_user("support", "view_payload"))
        client.cookies[project.CSRF_COOKIE_NAME] = "a" * 32
        headers = {"X-CSRFToken": "a" * 32}
        assert client.post("/reveal/", {"reason": "a call"}, headers=headers).status_code == 302
        assert is_clear(client, address)
        assert client.post("/reveal/end/", headers=headers).status_code == 302
        assert not is_clear(client, address)


class TestSessionWithoutTheRight:
    def test_is_answered_as_a_token_without_it(self):
        client, address = client_of("operator"), contents()[0]
        caller = ApiClient(UserSession.objects.get().user)
        assert not is_clear(client, address)
        for search in searches():
            assert told(client.get(search)) == told(caller.client.get(search, headers=caller.headers))
            assert told(client.get(search))[1]["code"] == "unknown_parameter"
        for body in JOBS:
            assert told(post(client, body)) == told(caller.post("jobs/", body))
        assert told(post(client, JOBS[0]))[1]["code"] == "permission_denied"
        assert {entry.details["refusal"] for entry in AuditEntry.objects.filter(outcome="refused")} == {
            "permission_denied"
        }

    def test_costs_the_same_if_no_one_is_asked(self, settings):
        client, addresses = client_of("operator"), [*contents(), *searches()]

        def queries() -> list[int]:
            counted = []
            for address in addresses:
                with CaptureQueriesContext(connection) as caught:
                    client.get(address)
                counted.append(len(caught))
            return counted

        queries()  # the first ones also fill caches
        asked = queries()
        settings.REVEAL_MINUTES = 0
        assert queries() == asked


class TestToken:
    def test_depends_only_on_the_permission(self):
        user, addresses = make_user("operator", "view_payload"), contents()
        caller = ApiClient(user)
        assert all(is_clear(caller.client, address, **caller.headers) for address in addresses)
        for search in searches():
            assert caller.client.get(search, headers=caller.headers).status_code == 200
        assert caller.post("jobs/", JOBS[0]).status_code == 202
        views = AuditEntry.objects.filter(action__in=ACTIONS)
        assert set(views.values_list("token_name", flat=True)) == {"test"}

    def test_is_the_caller_even_with_a_session(self):
        user, address = make_user("support", "view_payload"), contents()[0]
        clear, masked = ApiClient(user), ApiClient(user, scopes=["messages:read"])
        browser = Client()
        browser.force_login(user)
        assert is_clear(browser, address, **clear.headers)
        assert not is_clear(browser, address)
        show_values(browser)
        assert not is_clear(browser, address, **masked.headers)
        refused = browser.get(searches()[0], headers=masked.headers)
        assert problem(refused)["code"] == "unknown_parameter"
        assert is_clear(browser, address)

    def test_is_refused_if_it_is_invalid_whatever_the_session_shows(self):
        browser, address = reader_of("support"), contents()[0]
        answer = browser.get(address, headers={"Authorization": "Token hubc_nope"})
        assert problem(answer)["code"] == "not_authenticated"
