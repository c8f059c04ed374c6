"""The calls of each scope: every call of the API, with only its scope, and with all others."""

from pathlib import Path

import pytest

from messages_app.access import roles
from messages_app.access.models import ApiToken
from messages_app.access.scopes import OF_PAGES_ALONE, SCOPES, rights_of, scope_of
from messages_app.audit.models import AuditEntry
from tests.messages_app.access.test_permissions import (
    DEFINITIONS,
    DOUBT,
    GROUP,
    HISTORY,
    INCIDENT,
    JOB,
    MAY,
    MESSAGE,
    QUEUE,
    SCHEDULE,
    STORED,
    TOKEN,
    TRIGGER,
)
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_message, make_user
from tests.support.stores import store

ROOT = Path(__file__).parents[3]
# The calls that each scope allows on its own, by method and address; the rows of MAY.
CALLS = {
    "messages:read": {
        *("GET messages/", "GET messages/count/", f"GET {MESSAGE}", f"GET {MESSAGE}payload/"),
        *(f"GET {MESSAGE}envelope/", f"GET {MESSAGE}restart-preview/", f"GET {MESSAGE}timeline/"),
        *(f"GET {MESSAGE}tree/", f"GET {MESSAGE}explain/", "GET external-calls/", "GET requests/"),
        *("GET requests/777/", "GET responses/777/"),
        *("GET responses/", "GET funnels/", "GET failure-groups/", f"GET {GROUP}", "GET error-codes/"),
        *("GET notes/", "GET notes/777/", "GET messages/777/notes/", "GET incidents/777/notes/"),
        *("GET watch-rules/", "GET watch-rules/777/", "GET alerts/", "GET dashboard/", "GET stats/"),
        *("GET search/", "GET map/", "GET services/777/", "GET systems/777/"),
        *("GET deployments/", "GET keys/", "GET business-keys/", "GET business-keys/777/"),
        *("GET incidents/", f"GET {INCIDENT}", f"GET {INCIDENT}messages/"),
    },
    "payload:read": set(),
    # It also needs payload:read.
    "payload:edit": set(),
    "messages:act": {f"POST {MESSAGE}cancel/", f"POST {MESSAGE}restart/"},
    "deployments:write": {"POST deployments/"},
    "failures:act": {
        *(f"POST {GROUP}mark/", f"POST {GROUP}describe/"),
        *(f"POST {INCIDENT}{how}/" for how in ("close", "reopen", "acknowledge", "assign", "note")),
        *(f"POST {INCIDENT}{how}/" for how in ("merge", "split")),
        *(f"POST {one}/777/notes/" for one in ("messages", "incidents", "jobs")),
        "DELETE notes/777/",
    },
    "alerts:manage": {"POST watch-rules/", "PATCH watch-rules/777/", "POST watch-rules/777/test/"},
    "webhooks:manage": {
        *("GET webhooks/", "POST webhooks/", "GET webhooks/777/", "PATCH webhooks/777/"),
        *("DELETE webhooks/777/", "GET webhooks/777/deliveries/", "POST webhooks/777/test/"),
    },
    "keys:manage": {
        *("POST business-keys/", "POST business-keys/preview/"),
        "POST business-keys/suggestions/",
        *("PATCH business-keys/777/", "DELETE business-keys/777/"),
    },
    "audit:read": {"GET audit/"},
    "tokens:manage": {"GET tokens/", "POST tokens/", f"GET {TOKEN}", f"DELETE {TOKEN}"},
    "jobs:run": {
        *(
            "GET schedules/",
            f"GET {SCHEDULE}",
            "GET jobs/",
            "POST jobs/",
            f"GET {JOB}",
            f"PATCH {JOB}",
            f"GET {JOB}items/",
            "GET jobs/777/notes/",
            f"GET {JOB}download/",
        ),
        *(f"POST {JOB}{step}/" for step in ("pause", "resume", "stop", "approve", "refuse", "undo")),
        f"POST {JOB}retry-failed/",
    },
    "archive:run": set(),
    "history:read": {
        *(f"GET {HISTORY}sweep/", f"GET {HISTORY}entries/", f"GET {HISTORY}statistics/"),
        *(f"GET {DOUBT}", f"GET {DOUBT}document/"),
        *(f"GET {HISTORY}in-doubt/", f"GET {HISTORY}triggers/", f"GET {TRIGGER}", f"GET {TRIGGER}expiring/"),
        f"POST {HISTORY}dry-run/",
    },
    "history:use": {
        *(f"POST {HISTORY}{call}/" for call in ("check", "complete", "abandon")),
        *(f"POST {HISTORY}{call}/" for call in ("check-many", "complete-many")),
    },
    "history:take": {f"POST {HISTORY}take/"},
    "history:act": {f"POST {DOUBT}resubmit/", f"POST {DOUBT}settle/"},
    "history:manage": {
        *(f"POST {HISTORY}sweep/", f"POST {HISTORY}statistics/clear/", f"POST {HISTORY}triggers/"),
        *(f"PATCH {TRIGGER}", f"POST {TRIGGER}resume/", f"POST {TRIGGER}delete/"),
    },
    "store:read": {
        *("GET message-store/", "GET message-store/count/", "GET message-store/summary/"),
        *("GET message-store/error-groups/", "GET message-store/missing-references/", f"GET {DEFINITIONS}"),
        *(f"GET {DEFINITIONS}777/", f"GET {STORED}", f"GET {STORED}history/", f"GET {STORED}explain/"),
        f"GET {STORED}data/",
    },
    "store:send": {"POST message-store/"},
    "store:act": {
        f"GET {STORED}rehearsal/",
        *(f"POST {STORED}{act}/" for act in ("reprocess", "retry-now", "release", "mute", "unmute")),
    },
    "store:manage": {f"POST {DEFINITIONS}", f"POST {DEFINITIONS}777/remove/"},
    "queue:read": {
        *(f"GET {QUEUE}messages/", f"GET {QUEUE}statistics/", f"GET {QUEUE}preview/"),
        *(f"GET {QUEUE}dispatches/", f"GET {QUEUE}objects/777/"),
    },
    "queue:consume": {
        *(f"POST {QUEUE}{call}/" for call in ("get-next-many", "dispatch-many")),
        *(f"POST {QUEUE}{call}/" for call in ("create-messages", "get-next", "dispatch", "reset-service")),
        *(f"POST {QUEUE}{call}/" for call in ("object-info", "rendition-changed", "process-page-count")),
    },
    "queue:act": {
        *(f"POST {QUEUE}dispatch-for-service/", f"POST {QUEUE}dispatch-all-for-service/"),
        *(f"POST {QUEUE}{call}/" for call in ("reset", "reset-selective", "delete", "send-on")),
        *(f"POST {QUEUE}pause-queue/", f"POST {QUEUE}resume-queue/"),
    },
}
# Calls that need two scopes, and calls that any scope allows.
OF_TWO = {
    f"POST {MESSAGE}resend/": ("payload:edit", "payload:read"),
    "POST analyses/": ("jobs:run", "messages:read"),
    f"POST {QUEUE}object-full-text/": ("queue:consume", "payload:read"),
    "GET handover/": ("jobs:run", "messages:read"),
    "POST schedules/": ("jobs:run", "archive:run"),
    f"PATCH {SCHEDULE}": ("jobs:run", "archive:run"),
    f"DELETE {SCHEDULE}": ("jobs:run", "archive:run"),
}
OF_ALL = {"GET schema/", "GET me/", "GET "}
# Every GET is also allowed as HEAD.
METHODS = [*MAY, *(("HEAD", address) for method, address in MAY if method == "GET")]


def wanting(call: str) -> set[str]:
    """Return the scopes that a call requires."""
    call = call.replace("HEAD ", "GET ")
    return set(OF_TWO.get(call, ())) or {scope for scope, calls in CALLS.items() if call in calls}


def administrators(*scopes: str | None) -> ApiClient:
    """Return a client whose token has these scopes, for a user with all permissions."""
    client = caller("admin", "view_payload", "edit_payload", "cp_service", "history_service")
    give(*scopes)
    return client


def give(*scopes: str | None) -> None:
    ApiToken.objects.update(scopes=list(scopes))


class TestScopes:
    def test_have_each_permission_once_or_leave_it_to_pages(self):
        every = frozenset().union(*roles.ROLES.values())
        given = [right for scope in SCOPES.values() for right in scope.rights]
        assert sorted([*given, *OF_PAGES_ALONE]) == sorted(every)

    def test_open_every_call(self):
        calls = [call for calls in CALLS.values() for call in calls]
        assert sorted([*calls, *OF_TWO, *OF_ALL]) == sorted(f"{method} {address}" for method, address in MAY)


@pytest.mark.django_db
class TestScopedToken:
    def test_opens_each_call_with_only_the_scopes_of_the_table(self):
        client, wrong = administrators(), []
        for method, address in METHODS:
            give(*wanting(f"{method} {address}"))
            status = client.send(method, address, b"{}").status_code
            if status not in {200, 400, 404}:
                wrong.append((method, address, status))
        assert not wrong

    def test_opens_no_call_without_one_of_those_scopes(self):
        client, wrong = administrators(), []
        for method, address in METHODS:
            for scope in wanting(f"{method} {address}"):
                give(*(name for name in SCOPES if name != scope))
                response = client.send(method, address, b"{}")
                is_right = response.status_code == 403 if method == "HEAD" else wanted(response) == scope
                if not is_right:
                    wrong.append((method, address, scope, response.status_code))
        assert not wrong

    @pytest.mark.parametrize("names", [["messages:erase"], [None], [], ["MESSAGES:READ"], [""]])
    def test_opens_nothing_with_an_unknown_scope(self, names):
        client = administrators(*names)
        assert wanted(client.get("messages/")) == "messages:read"
        assert wanted(client.post("messages/777/cancel/", {"reason": "r"})) == "messages:act"
        assert client.get("schema/").status_code == 200

    def test_keeps_known_scopes_next_to_an_unknown_one(self):
        client = administrators("messages:read", "messages:erase")
        assert client.get("messages/").status_code == 200
        assert wanted(client.get("jobs/")) == "jobs:run"

    @pytest.mark.parametrize("scopes", [SCOPES, ["messages:read"]], ids=["all", "one"])
    def test_opens_nothing_that_its_user_may_not(self, scopes):
        client = caller("support", scopes=scopes)
        assert client.get("messages/").status_code == 200
        body = problem(client.post("messages/777/cancel/", {"reason": "r"}))
        assert (body["code"], "scope" in body) == ("permission_denied", False)

    def test_loses_immediately_what_its_user_loses(self):
        client = caller("operator", scopes=["messages:read", "messages:act"])
        client.user.groups.clear()
        for response in (client.get("messages/"), client.post("messages/777/cancel/", {"reason": "r"})):
            assert "scope" not in problem(response)

    def test_also_applies_to_a_superuser(self):
        client = ApiClient(make_user(is_superuser=True, is_staff=True), scopes=["messages:read"])
        assert client.get("messages/").status_code == 200
        assert wanted(client.post("messages/777/cancel/", {"reason": "r"})) == "messages:act"
        client.user.is_active = False
        client.user.save()
        assert client.get("messages/").status_code == 401

    def test_reads_contents_masked_without_their_scope(self):
        message, stored = make_message(), store([{"name": "Ada"}])
        client = administrators("messages:read", "store:read")
        places = [f"messages/{message.pk}/{column}/" for column in ("payload", "envelope")]
        places.append(f"message-store/{stored}/data/")
        assert [client.get(place).json()["masked"] for place in places] == [True] * 3
        assert not any(b"Ada" in client.get(place).content for place in places)
        give("messages:read", "store:read", "payload:read")
        assert [client.get(place).json()["masked"] for place in places] == [False] * 3

    @pytest.mark.parametrize("address", ["messages/", "messages/count/"])
    def test_searches_contents_only_with_their_scope(self, address):
        client = administrators("messages:read")
        query = (
            "payload_contains=x&receive_timestamp_from=2026-11-01T00:00:00Z"
            "&receive_timestamp_to=2026-11-02T00:00:00Z"
        )
        assert problem(client.get(f"{address}?{query}"))["code"] == "unknown_parameter"
        give("messages:read", "payload:read")
        assert client.get(f"{address}?{query}").status_code == 200

    def test_sees_the_tiles_of_its_scopes(self):
        client = administrators("messages:read")
        of_others = {"jobs", "cp_queue", "documents", "store"}
        assert not {tile["name"] for tile in client.get("dashboard/").json()["tiles"]} & of_others
        give("messages:read", "jobs:run", "queue:read")
        tiles = {tile["name"] for tile in client.get("dashboard/").json()["tiles"]}
        assert tiles & of_others == {"jobs", "cp_queue"}

    def test_opens_the_metrics_with_the_scope_of_messages(self):
        client = administrators("queue:consume")
        assert client.client.get("/metrics", headers=client.headers).status_code == 403
        give("messages:read")
        assert client.client.get("/metrics", headers=client.headers).status_code == 200

    def test_opens_no_page(self):
        client = administrators(*SCOPES)
        for address in ("/", "/audit/", "/messages/", "/admin/"):
            assert client.client.get(address, headers=client.headers).status_code == 302, address

    def test_answers_other_methods_like_any_token(self):
        client = administrators("queue:consume")
        for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
            assert client.send(method, "messages/").status_code in {403, 405}, method


@pytest.mark.django_db
class TestRefusal:
    def test_of_an_action_is_remembered_with_its_scope(self):
        client = administrators("messages:read")
        wanted(client.post("messages/777/restart/", {"reason": "r"}))
        entry = AuditEntry.objects.get(outcome="refused")
        assert (entry.action, entry.actor, entry.token_name) == ("restart", "ada", "test")
        assert entry.details == {
            "refusal": "permission_denied",
            "path": "/api/v1/messages/777/restart/",
            "scope": "messages:act",
        }

    def test_of_reading_is_remembered_once_a_minute(self):
        client = administrators("messages:read")
        for _ in range(3):
            wanted(client.get("jobs/"))
        entry = AuditEntry.objects.get(outcome="refused")
        assert (entry.action, entry.token_name) == ("use_token", "test")
        assert entry.details["scope"] == "jobs:run"

    def test_of_reading_without_a_permission_is_as_before(self):
        problem(caller("cp_service", scopes=["messages:read"]).get("messages/"))
        assert not AuditEntry.objects.filter(outcome="refused")


class TestRightsOf:
    def test_returns_the_permissions_of_all_scopes(self):
        found = rights_of(["messages:act", "jobs:run"])
        assert found == {roles.CAN_CANCEL, roles.CAN_RESTART, roles.CAN_VIEW_JOBS}

    def test_returns_none_for_an_invalid_scope(self):
        assert rights_of(["", None, "messages", "messages:*", "*"]) == frozenset()


class TestScopeOf:
    def test_names_the_scope_that_gives_a_permission(self):
        assert scope_of(roles.CAN_RESTART) == "messages:act"

    def test_names_no_scope_if_none_gives_it(self):
        assert scope_of(roles.CAN_CHANGE_SHARED_VIEWS) == ""


def wanted(response: object) -> str:
    """Return the scope that a refusal names."""
    body = problem(response)
    assert (body["status"], body["code"]) == (403, "permission_denied")
    assert body["scope"] in body["detail"]
    return body["scope"]
