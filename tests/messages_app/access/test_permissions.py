"""Permissions of every address, method and role of the API."""

import json
import re

import pytest
from django.test import Client
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import AllowAny

from messages_app.access.permissions import HasRight, IsLoggedIn, is_reason_missing
from messages_app.access.roles import CAN_ARCHIVE, CAN_VIEW_PAYLOAD, ROLES
from messages_app.audit.models import AuditEntry
from messages_app.core.representation import validate_value
from messages_app.jobs.models import Job
from tests.messages_app.access.test_calls import ACTIONS
from tests.support.api_client import ApiClient, caller, problem
from tests.support.page_client import client_of, reader_of
from tests.support.routes import addresses, api_views

pytestmark = pytest.mark.django_db

MESSAGE, JOB, GROUP = "messages/777/", "jobs/777/", "failure-groups/777/"
INCIDENT = "incidents/777/"
HISTORY, QUEUE = "document-history/", "cp-queue/"
DOUBT, TRIGGER = f"{HISTORY}in-doubt/777/", f"{HISTORY}triggers/777/"
TOKEN, SCHEDULE = "tokens/777/", "schedules/777/"
STORED, DEFINITIONS = "message-store/777/", "message-store/source-definitions/"
# Allowed roles by method and address. An allowed call finds nothing, or lacks a reason.
MAY = {
    ("GET", "messages/"): {"support", "operator", "admin"},
    ("GET", "messages/count/"): {"support", "operator", "admin"},
    ("GET", MESSAGE): {"support", "operator", "admin"},
    ("GET", f"{MESSAGE}payload/"): {"support", "operator", "admin"},
    ("GET", f"{MESSAGE}envelope/"): {"support", "operator", "admin"},
    ("GET", f"{MESSAGE}restart-preview/"): {"support", "operator", "admin"},
    ("GET", f"{MESSAGE}timeline/"): {"support", "operator", "admin"},
    ("GET", f"{MESSAGE}tree/"): {"support", "operator", "admin"},
    ("GET", f"{MESSAGE}explain/"): {"support", "operator", "admin"},
    ("GET", "external-calls/"): {"support", "operator", "admin"},
    ("GET", "requests/"): {"support", "operator", "admin"},
    ("GET", "responses/"): {"support", "operator", "admin"},
    ("GET", "requests/777/"): {"support", "operator", "admin"},
    ("GET", "responses/777/"): {"support", "operator", "admin"},
    ("GET", "funnels/"): {"support", "operator", "admin"},
    ("GET", "failure-groups/"): {"support", "operator", "admin"},
    ("GET", GROUP): {"support", "operator", "admin"},
    ("POST", f"{GROUP}mark/"): {"operator", "admin"},
    ("POST", f"{GROUP}describe/"): {"operator", "admin"},
    ("GET", "incidents/"): {"support", "operator", "admin"},
    ("GET", INCIDENT): {"support", "operator", "admin"},
    ("GET", f"{INCIDENT}messages/"): {"support", "operator", "admin"},
    ("POST", f"{INCIDENT}close/"): {"operator", "admin"},
    ("POST", f"{INCIDENT}reopen/"): {"operator", "admin"},
    ("POST", f"{INCIDENT}acknowledge/"): {"support", "operator", "admin"},
    ("POST", f"{INCIDENT}assign/"): {"support", "operator", "admin"},
    ("POST", f"{INCIDENT}note/"): {"support", "operator", "admin"},
    ("POST", f"{INCIDENT}merge/"): {"operator", "admin"},
    ("POST", f"{INCIDENT}split/"): {"operator", "admin"},
    ("GET", "deployments/"): {"support", "operator", "admin"},
    ("POST", "deployments/"): {"deployment_pipeline", "operator", "admin"},
    ("GET", "keys/"): {"support", "operator", "admin"},
    ("GET", "business-keys/"): {"support", "operator", "admin"},
    ("POST", "business-keys/"): {"admin"},
    ("POST", "business-keys/preview/"): {"admin"},
    ("POST", "business-keys/suggestions/"): {"admin"},
    ("GET", "business-keys/777/"): {"support", "operator", "admin"},
    ("PATCH", "business-keys/777/"): {"admin"},
    ("DELETE", "business-keys/777/"): {"admin"},
    ("GET", "error-codes/"): {"support", "operator", "admin"},
    ("GET", "messages/777/notes/"): {"support", "operator", "admin"},
    ("POST", "messages/777/notes/"): {"support", "operator", "admin"},
    ("GET", "incidents/777/notes/"): {"support", "operator", "admin"},
    ("POST", "incidents/777/notes/"): {"support", "operator", "admin"},
    ("GET", "jobs/777/notes/"): {"support", "operator", "admin"},
    ("POST", "jobs/777/notes/"): {"support", "operator", "admin"},
    ("GET", "notes/"): {"support", "operator", "admin"},
    ("GET", "notes/777/"): {"support", "operator", "admin"},
    ("DELETE", "notes/777/"): {"support", "operator", "admin"},
    ("GET", "watch-rules/"): {"support", "operator", "admin"},
    ("POST", "watch-rules/"): {"admin"},
    ("GET", "watch-rules/777/"): {"support", "operator", "admin"},
    ("PATCH", "watch-rules/777/"): {"admin"},
    ("POST", "watch-rules/777/test/"): {"admin"},
    ("GET", "alerts/"): {"support", "operator", "admin"},
    ("GET", "dashboard/"): {"support", "operator", "admin"},
    ("GET", "map/"): {"support", "operator", "admin"},
    ("GET", "services/777/"): {"support", "operator", "admin"},
    ("GET", "systems/777/"): {"support", "operator", "admin"},
    ("GET", "search/"): {"support", "operator", "admin"},
    ("GET", "handover/"): {"support", "operator", "admin"},
    ("GET", "stats/"): {"support", "operator", "admin"},
    ("POST", f"{MESSAGE}cancel/"): {"operator", "admin"},
    ("POST", f"{MESSAGE}restart/"): {"operator", "admin"},
    # Needs edit_payload and view_payload, which are in no role.
    ("POST", f"{MESSAGE}resend/"): set(),
    ("GET", "jobs/"): {"support", "operator", "admin"},
    # The kind of job also decides: see tests/messages_app/jobs/api.
    ("POST", "jobs/"): {"support", "operator", "admin"},
    ("POST", "analyses/"): {"support", "operator", "admin"},
    ("PATCH", JOB): {"support", "operator", "admin"},
    ("POST", f"{JOB}pause/"): {"support", "operator", "admin"},
    ("POST", f"{JOB}resume/"): {"support", "operator", "admin"},
    ("POST", f"{JOB}stop/"): {"support", "operator", "admin"},
    ("POST", f"{JOB}approve/"): {"support", "operator", "admin"},
    ("POST", f"{JOB}refuse/"): {"support", "operator", "admin"},
    ("POST", f"{JOB}undo/"): {"support", "operator", "admin"},
    ("POST", f"{JOB}retry-failed/"): {"support", "operator", "admin"},
    ("GET", JOB): {"support", "operator", "admin"},
    ("GET", f"{JOB}items/"): {"support", "operator", "admin"},
    ("GET", "webhooks/"): {"admin"},
    ("POST", "webhooks/"): {"admin"},
    ("GET", "webhooks/777/"): {"admin"},
    ("PATCH", "webhooks/777/"): {"admin"},
    ("DELETE", "webhooks/777/"): {"admin"},
    ("GET", "webhooks/777/deliveries/"): {"admin"},
    ("POST", "webhooks/777/test/"): {"admin"},
    ("GET", f"{JOB}download/"): {"support", "operator", "admin"},
    ("POST", f"{HISTORY}check/"): {"operator", "admin", "history_service"},
    ("POST", f"{HISTORY}check-many/"): {"operator", "admin", "history_service"},
    ("POST", f"{HISTORY}complete-many/"): {"operator", "admin", "history_service"},
    ("POST", f"{HISTORY}complete/"): {"operator", "admin", "history_service"},
    ("POST", f"{HISTORY}abandon/"): {"operator", "admin", "history_service"},
    ("POST", f"{HISTORY}take/"): {"history_service"},
    ("POST", f"{HISTORY}dry-run/"): {"support", "operator", "admin"},
    ("GET", f"{HISTORY}sweep/"): {"support", "operator", "admin"},
    ("POST", f"{HISTORY}sweep/"): {"admin"},
    ("GET", f"{HISTORY}entries/"): {"support", "operator", "admin"},
    ("GET", f"{HISTORY}statistics/"): {"support", "operator", "admin"},
    ("POST", f"{HISTORY}statistics/clear/"): {"admin"},
    ("GET", f"{HISTORY}in-doubt/"): {"support", "operator", "admin"},
    ("GET", DOUBT): {"support", "operator", "admin"},
    ("GET", f"{DOUBT}document/"): {"support", "operator", "admin"},
    ("POST", f"{DOUBT}resubmit/"): {"operator", "admin"},
    ("POST", f"{DOUBT}settle/"): {"operator", "admin"},
    ("GET", f"{HISTORY}triggers/"): {"support", "operator", "admin"},
    ("POST", f"{HISTORY}triggers/"): {"admin"},
    ("GET", TRIGGER): {"support", "operator", "admin"},
    ("PATCH", TRIGGER): {"admin"},
    ("GET", f"{TRIGGER}expiring/"): {"support", "operator", "admin"},
    ("POST", f"{TRIGGER}resume/"): {"admin"},
    ("POST", f"{TRIGGER}delete/"): {"admin"},
    ("POST", f"{QUEUE}create-messages/"): {"operator", "admin", "cp_service"},
    ("POST", f"{QUEUE}get-next/"): {"operator", "admin", "cp_service"},
    ("POST", f"{QUEUE}dispatch/"): {"operator", "admin", "cp_service"},
    ("POST", f"{QUEUE}get-next-many/"): {"operator", "admin", "cp_service"},
    ("POST", f"{QUEUE}dispatch-many/"): {"operator", "admin", "cp_service"},
    ("POST", f"{QUEUE}reset-service/"): {"operator", "admin", "cp_service"},
    ("POST", f"{QUEUE}object-info/"): {"operator", "admin", "cp_service"},
    # Also needs view_payload, which is in no role.
    ("POST", f"{QUEUE}object-full-text/"): set(),
    ("POST", f"{QUEUE}rendition-changed/"): {"operator", "admin", "cp_service"},
    ("POST", f"{QUEUE}process-page-count/"): {"operator", "admin", "cp_service"},
    ("POST", f"{QUEUE}dispatch-for-service/"): {"operator", "admin"},
    ("POST", f"{QUEUE}dispatch-all-for-service/"): {"operator", "admin"},
    ("POST", f"{QUEUE}reset/"): {"operator", "admin"},
    ("POST", f"{QUEUE}reset-selective/"): {"operator", "admin"},
    ("POST", f"{QUEUE}delete/"): {"operator", "admin"},
    ("POST", f"{QUEUE}send-on/"): {"operator", "admin"},
    ("POST", f"{QUEUE}pause-queue/"): {"operator", "admin"},
    ("POST", f"{QUEUE}resume-queue/"): {"operator", "admin"},
    ("GET", f"{QUEUE}messages/"): {"support", "operator", "admin"},
    ("GET", f"{QUEUE}statistics/"): {"support", "operator", "admin"},
    ("GET", f"{QUEUE}preview/"): {"support", "operator", "admin"},
    ("GET", f"{QUEUE}dispatches/"): {"support", "operator", "admin"},
    ("GET", f"{QUEUE}objects/777/"): {"support", "operator", "admin"},
    ("GET", "message-store/"): {"support", "operator", "admin"},
    ("POST", "message-store/"): {"operator", "admin"},
    ("GET", "message-store/count/"): {"support", "operator", "admin"},
    ("GET", "message-store/summary/"): {"support", "operator", "admin"},
    ("GET", "message-store/error-groups/"): {"support", "operator", "admin"},
    ("GET", "message-store/missing-references/"): {"support", "operator", "admin"},
    ("GET", DEFINITIONS): {"support", "operator", "admin"},
    ("POST", DEFINITIONS): {"admin"},
    ("GET", f"{DEFINITIONS}777/"): {"support", "operator", "admin"},
    ("POST", f"{DEFINITIONS}777/remove/"): {"admin"},
    ("GET", STORED): {"support", "operator", "admin"},
    ("GET", f"{STORED}history/"): {"support", "operator", "admin"},
    ("GET", f"{STORED}explain/"): {"support", "operator", "admin"},
    ("GET", f"{STORED}rehearsal/"): {"operator", "admin"},
    ("GET", f"{STORED}data/"): {"support", "operator", "admin"},
    ("POST", f"{STORED}reprocess/"): {"operator", "admin"},
    ("POST", f"{STORED}retry-now/"): {"operator", "admin"},
    ("POST", f"{STORED}release/"): {"operator", "admin"},
    ("POST", f"{STORED}mute/"): {"operator", "admin"},
    ("POST", f"{STORED}unmute/"): {"operator", "admin"},
    ("GET", "schedules/"): {"support", "operator", "admin"},
    ("POST", "schedules/"): {"admin"},
    ("GET", SCHEDULE): {"support", "operator", "admin"},
    ("PATCH", SCHEDULE): {"admin"},
    ("DELETE", SCHEDULE): {"admin"},
    ("GET", "audit/"): {"support", "operator", "admin"},
    ("GET", "tokens/"): {"admin"},
    ("POST", "tokens/"): {"admin"},
    ("GET", TOKEN): {"admin"},
    ("DELETE", TOKEN): {"admin"},
    ("GET", "me/"): set(ROLES) | {""},
    ("GET", ""): set(ROLES) | {""},
    ("GET", "schema/"): set(ROLES) | {""},
}


class TestRefusals:
    """The error for a caller without the permission."""

    def test_name_the_permission_and_its_roles(self):
        refused = problem(caller("support").post(f"{MESSAGE}cancel/", {"reason": "r"}))
        text = "You need the permission cancel_message (role operator or admin). Ask an administrator."
        assert (refused["status"], refused["code"], refused["detail"]) == (403, "permission_denied", text)

    def test_name_it_if_the_kind_of_job_decides(self):
        body = {"kind": "archive", "filter": {}, "options": {"older_than_months": 3}, "reason": "r"}
        refused = problem(caller("operator").post("jobs/", body))
        text = "You need the permission archive_messages (role admin). Ask an administrator."
        assert (refused["status"], refused["detail"]) == (403, text)

    def test_name_it_to_a_session_too(self):
        client = client_of("support")
        refused = problem(client.post(f"/api/v1/{MESSAGE}cancel/", {"reason": "r"}, "application/json"))
        assert "cancel_message (role operator or admin)" in refused["detail"]

    def test_name_it_for_a_filter(self):
        week = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-02T00:00:00Z"
        refused = problem(caller("support").get(f"messages/?payload_contains=x&{week}"))
        assert (refused["status"], refused["code"]) == (400, "unknown_parameter")
        assert refused["detail"] == (
            "payload_contains: You need the permission view_payload. Ask an administrator."
        )


class TestEveryAddress:
    def test_is_closed_to_strangers(self, client):
        routes = addresses()
        answers = {route: client.get(f"/{route}") for route in routes if route != "health/"}
        told = {
            route: answer.status_code
            for route, answer in answers.items()
            if not answer.headers.get("Location", "").startswith(("/login/", "/admin/login/"))
            and answer.status_code not in {401, 405}
        }
        assert len(routes) > 150
        assert told == {
            "login/": 200,
            "admin/login/": 200,
            "admin/logout/": 302,
            "login/with/777/": 404,
            "login/with/777/callback/": 404,
            "set-password/777/777/": 404,
            # The manual has no data.
            "docs/": 200,
            "docs/search/": 200,
            "docs/777": 404,
        }


class TestEveryView:
    def test_requires_a_permission(self):
        for route, view in api_views():
            assert view.permission_classes, route
            assert AllowAny not in view.permission_classes, route
            assert set(view.permission_classes) <= {HasRight, IsLoggedIn}, route
            if HasRight in view.permission_classes:
                offered = {name.upper() for name in view.http_method_names if hasattr(view, name)}
                offered -= {"HEAD", "OPTIONS"}  # They need the permission of GET.
                assert set(view.rights) == offered, route

    def test_has_a_row_in_the_table_of_this_test(self):
        routes = {
            re.sub("<(str|key):[a-z_]+>", "777", route.removeprefix("api/v1/")) for route, _ in api_views()
        }
        assert routes == {address for _, address in MAY}


class TestEveryChange:
    def test_accepts_no_unknown_field(self):
        # Undocumented fields that a caller might try to set (docs/contributing/spec/promises.md, S-27).
        hoped = {"is_superuser": True, "entry_id": 1, "zzz": 1}
        client = caller("admin", "view_payload", "history_service")
        job = Job.objects.create(kind="restart", state="running", reason="r", attempt=1, chunk_count=1)
        changes = [(method, address) for method, address in MAY if method != "GET" and "777" not in address]
        assert len(changes) > 25
        for method, address in changes:
            found = address.replace(JOB, f"jobs/{job.pk}/")
            body = problem(client.send(method, found, json.dumps(hoped).encode()))
            refused = {error["field"] for error in body["errors"] if error["code"] == "unknown_field"}
            assert refused, (method, address)
            assert refused <= set(hoped), (method, address)
        done = AuditEntry.objects.exclude(action="create_token")
        assert not done.filter(outcome="done")
        assert Job.objects.get().state == "running"

    def test_of_an_object_accepts_no_unknown_field(self):
        calls = [call for path, call in ACTIONS if "<" in path]
        assert len(calls) > 25
        for call in calls:
            with pytest.raises(ValidationError) as refused:
                validate_value(call.body, {"is_superuser": True, "zzz": 1})
            codes = refused.value.get_codes()
            assert (codes["is_superuser"], codes["zzz"]) == (["unknown_field"], ["unknown_field"]), call.path


class TestLacksReason:
    def user_of(self, client: Client) -> object:
        return client.get("/api/v1/messages/").wsgi_request.user

    def test_is_reported_for_the_permission_that_was_checked_last(self):
        user = self.user_of(client_of("operator", "view_payload"))
        assert not user.has_perm(CAN_VIEW_PAYLOAD)
        assert is_reason_missing(user)
        assert not user.has_perm(CAN_ARCHIVE)
        assert not is_reason_missing(user)

    def test_is_not_reported_without_the_permission_or_with_a_reason(self):
        for client in (client_of("operator"), reader_of("operator", username="bob")):
            user = self.user_of(client)
            user.has_perm(CAN_VIEW_PAYLOAD)
            assert not is_reason_missing(user)


class TestHasRight:
    @pytest.mark.parametrize("role", [*ROLES, ""])
    def test_allows_the_roles_of_the_table(self, role):
        client = caller(*([role] if role else []))
        wrong = []
        for (method, address), roles in MAY.items():
            response = client.send(method, address, b"{}")
            if role in roles:
                is_right = response.status_code in {200, 400, 404}
            else:
                is_right = problem(response)["code"] == "permission_denied"
            if not is_right:
                wrong.append((method, address, response.status_code))
        assert not wrong

    def test_refuses_every_call_without_a_log_in(self):
        for method, address in MAY:
            assert problem(ApiClient().send(method, address, b"{}"))["code"] == "not_authenticated"

    def test_asks_the_same_for_head(self):
        clients = {role: caller(role, username=role) for role in ("support", "operator")}
        for address, roles in [
            (address, roles) for (method, address), roles in MAY.items() if method == "GET"
        ]:
            assert ApiClient().send("HEAD", address).status_code == 401
            for role, client in clients.items():
                expected = {200, 400, 404} if role in roles else {403}
                assert client.send("HEAD", address).status_code in expected, address

    def test_does_not_show_strangers_the_methods(self):
        for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
            assert ApiClient().send(method, "messages/").status_code == 401
