"""Every address of the console answers on an attached hub, and so does every operation of its API."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import Client

from messages_app.access.models import ApiToken, UserSession
from messages_app.access.users.views import DECISIONS
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.business_keys.models import KeyDefinition
from messages_app.core.api_docs import describe_api
from messages_app.core.table_admin.model_admin import TableAdmin
from messages_app.cp_queue.models import CpMessage
from messages_app.document_history.models import DocumentInDoubt
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.webhooks.models import Webhook
from messages_app.message_store.models import MessageProcess, SourceDefinition
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.failures.models import ErrorCode, FailureGroup
from messages_app.messages.listing.models import SavedView
from messages_app.notes.models import Note, NoteKind
from messages_app.notes.services import add_note
from tests.openapi.test_walk import NOT_WALKED
from tests.openapi.walker import Walker
from tests.openapi.world import make_incidents, make_jobs, make_other_stores
from tests.support.api_client import caller
from tests.support.attached import AttachedHub, attached_hub
from tests.support.factories import NOON, make_user
from tests.support.hubs import LAYOUTS
from tests.support.key_definitions import define_key
from tests.support.page_client import show_values
from tests.support.parameters import quick_first
from tests.support.routes import all_patterns

FAILED, REQUEST, RESPONSE = 4, 204, 304


PARAMS = quick_first(sorted(LAYOUTS, key="OpenHub 2.3".__ne__))


@contextmanager
def filled_hub(layout: str) -> Iterator[AttachedHub]:
    """Attach to a hub, of which one message fails then, and fill the tables of the console."""
    with attached_hub(layout, "--create-triggers") as attached:
        for state in ("PROCESSING", "FAILED"):
            attached.run("UPDATE {hub}.message SET state = %s WHERE msg_id = %s", state, FAILED)
        attached.run("UPDATE {hub}.message SET object_id = '4711' WHERE msg_id = 1")  # of CP messages
        make_jobs(2, 5)
        make_other_stores()
        when = {"cron": "30 2 * * *", "zone": "UTC", "reason": "r"}
        JobSchedule.objects.create(kind="archive_history", options={"older_than_months": 12}, **when)
        Webhook.objects.create(name="ended", url="https://hooks.example.org/", event="job_ended")
        Incident.objects.create(title="No answer", began_at=NOON, last_failure_at=NOON)
        define_key(SourceDefinition.objects.earliest("pk").pk)
        ErrorCode.objects.create(code="X900", description="Ours", action="Call ada.")
        add_note(kind=NoteKind.MESSAGE, subject=FAILED, text="Ask @admin.", actor=Actor(username="admin"))
        yield attached


@pytest.fixture(scope="module", params=PARAMS)
def hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), filled_hub(request.param) as attached:
        yield attached


@pytest.fixture(scope="module")
def admin(hub: AttachedHub) -> Client:
    client = Client()
    user = make_user(username="admin", is_staff=True, is_superuser=True)
    client.force_login(user)
    show_values(client)
    SavedView.objects.create(owner=user, name="night", query="state=FAILED")
    caller("support", username="sam")  # creates a token
    return client


# For each name in an address, the id of a row that exists.
IDS: dict[str, Callable[[], object]] = {
    "msg_id": lambda: FAILED,
    "req_id": lambda: REQUEST,
    "res_id": lambda: RESPONSE,
    "group_id": lambda: first(FailureGroup),
    "rule_id": lambda: first(WatchRule),
    "webhook_id": lambda: first(Webhook),
    "view_id": lambda: first(SavedView),
    "job_id": lambda: first(Job.objects.filter(state="done")),
    "schedule_id": lambda: first(JobSchedule),
    "kind": lambda: NoteKind.MESSAGE,
    "subject": lambda: FAILED,
    "session_id": lambda: first(UserSession),
    "token_id": lambda: first(ApiToken),
    "trigger_id": lambda: "shop",
    "in_doubt_id": lambda: first(DocumentInDoubt),
    "identifier": lambda: first(MessageProcess),
    "definition_id": lambda: first(SourceDefinition),
    "guid": lambda: first(CpMessage),
    "osid": lambda: 1,
    "incident_id": lambda: first(Incident),
    "code": lambda: "X900",
    "note_id": lambda: first(Note),
    "business_key_id": lambda: first(KeyDefinition),
    "user_id": lambda: first(User),
    "mapping_id": lambda: 1,
    "entry_id": lambda: first(AuditEntry),
    "uidb64": lambda: "MQ",
    "token": lambda: "a-token",
    "value": lambda: "N0047",
    "path": lambda: "howto/attach/",
    "name": lambda: "billing",
    "service_name": lambda: "billing",
    "external_system": lambda: "bank.example",
}
# Parameters that an address requires.
QUERIES = {
    "jobs/new/": "kind=restart&state=FAILED",
    "cp-queue/queue/": "queuename=RENDITION",
    "cp-queue/services/dispatch/": "service=rendition-1",
    "api/v1/cp-queue/preview/": "QueueNames=RENDITION",
    "api/v1/document-history/triggers/<str:trigger_id>/expiring/": "history_ttl_seconds=60",
    "api/v1/handover/": "since=2024-07-01T00:00Z",
    "api/v1/search/": "q=billing",
}
# Answers other than 200, and why.
OTHERS = {
    "login/": 302,  # the user is logged in
    "login/code/": 302,  # the same
    "login/no-role/": 302,  # the user has one
    # no identity provider is set up
    **{f"login/with/<slug:key>/{page}": 404 for page in ("", "callback/")},
    **{f"users/groups/{page}": 404 for page in ("", "<id:mapping_id>/remove/")},
    "reveal/": 302,  # values are shown already
    "messages/views/<id:view_id>/": 302,  # to the list with the view
    "messages/find/": 302,  # to the list: no id was given
    "messages/<id:msg_id>/cancel/": 409,  # this state cannot be cancelled: the page says so
    "jobs/new/duration/": 400,  # it requires a number of messages
    "first-minutes/": 204,  # nothing is being loaded or counted
    "messages/newer/": 400,  # it requires the cursor of a list
    "message-store/messages/<key:identifier>/file/download/": 404,  # the message has no file
    "jobs/<id:job_id>/counted/": 404,  # not a preview
    "jobs/<id:job_id>/download/": 404,  # not an export
    "api/v1/jobs/<str:job_id>/download/": 404,  # the same
    # nothing was counted
    **{f"{kind}s/<key:name>/{page}": 404 for kind in ("service", "system") for page in ("", "targets/")},
    "api/v1/services/<key:service_name>/": 404,
    "api/v1/systems/<key:external_system>/": 404,
    "health/": 503,  # no worker runs
    "set-password/<uidb64>/<token>/": 404,  # the link is not valid
    # no user changes their own account
    **{f"users/<id:user_id>/{how}/": 409 for how in DECISIONS},
}


def first(rows: object) -> object:
    return getattr(rows, "objects", rows).order_by("pk").values_list("pk", flat=True)[0]


def address_of(route: str) -> str:
    def value(match: re.Match[str]) -> str:
        key = REQUEST if "requests/" in route else RESPONSE
        return str(key if match[1] == "key" else IDS[match[1]]())

    path = re.sub(r"<(?:\w+:)?(\w+)>", value, route)
    return f"/{path}?{QUERIES[route]}" if route in QUERIES else f"/{path}"


def test_every_address_answers(hub: AttachedHub, admin: Client):
    unexpected = {}
    for route, _ in all_patterns():
        if route.startswith("admin/"):
            continue
        answer = admin.get(address_of(route))
        is_for_post = answer.status_code == 405 and "GET" not in answer["Allow"]
        if not is_for_post and answer.status_code != OTHERS.get(route, 200):
            unexpected[route] = (answer.status_code, answer.content[:300])
    assert unexpected == {}


def test_every_list_of_the_admin_pages_answers(hub: AttachedHub, admin: Client):
    options = [model._meta for model in site._registry]
    answers = {
        one.label: admin.get(f"/admin/{one.app_label}/{one.model_name}/").status_code for one in options
    }
    assert answers == dict.fromkeys(answers, 200)


def test_every_row_of_the_admin_pages_answers(hub: AttachedHub, admin: Client):
    shown, unexpected = set(), {}
    for model, table in site._registry.items():
        if not isinstance(table, TableAdmin):
            continue
        page = admin.get(table.list_url()).context["cl"]
        for row in page.result_list[:1]:
            shown.add(model._meta.model_name)
            answer = admin.get(table.url_of(row))
            if answer.status_code != 200:
                unexpected[model._meta.model_name] = (answer.status_code, answer.content[:300])
    assert unexpected == {}
    assert shown >= {"message", "externalcall", "request", "response", "cpmessage", "messagestore"}


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_operation_of_the_api_succeeds_as_it_is_described(
    layout, transactional_db, live_server, settings
):
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    with filled_hub(layout):
        make_incidents()
        admin = caller("admin", "view_payload", "edit_payload", "history_service")
        describe_api()  # It may take longer than a request on a busy machine.
        walker = Walker(live_server.url, admin.headers, "/api/v1/schema/")
        walker.walk()
    faults = [fault for operation in walker.operations for fault in operation.faults]
    assert not faults, "\n".join(faults[:50])
    # The messages left in the CP queue, which is not the hub's, depend on the order of the calls.
    undone = {
        each.name: each.answers[-2:]
        for each in walker.operations
        if not each.is_done and not each.address.startswith("/api/v1/cp-queue/")
    }
    # The hub has no indexes of the console; and the example of a schedule archives to tables.
    refused = ["POST /api/v1/analyses/"] + ["POST /api/v1/schedules/"] * ("without archive" in layout)
    for name in refused:
        (status, problem), *_ = undone.pop(name)
        assert (status, problem["code"]) == (403, "not_attached_for_this")
    assert set(undone) <= NOT_WALKED, undone
    assert len(walker.operations) > 90
