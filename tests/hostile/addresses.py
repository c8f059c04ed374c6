"""Every address of pages and API with the keys of stored rows."""

import re
from collections.abc import Iterator
from itertools import product
from urllib.parse import quote

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import ApiToken, UserSession
from messages_app.audit.models import AuditEntry
from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.document_history.models import DocumentInDoubt
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.webhooks.models import Webhook
from messages_app.message_store.models import SourceDefinition
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.models import Message
from messages_app.notes.models import Note
from messages_app.urls import KeyConverter
from tests.hostile.world import Keys
from tests.support.factories import NOON
from tests.support.key_definitions import define_key
from tests.support.routes import all_patterns

_PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
_OWN = {
    "group_id": FailureGroup,
    "rule_id": WatchRule,
    "webhook_id": Webhook,
    "job_id": Job,
    "schedule_id": JobSchedule,
    "session_id": UserSession,
    "token_id": ApiToken,
    "in_doubt_id": DocumentInDoubt,
    "definition_id": SourceDefinition,
    "business_key_id": KeyDefinition,
    "incident_id": Incident,
    "note_id": Note,
    "user_id": User,
    "entry_id": AuditEntry,
}
_MAX_OF_OWN = 10
_RANGES = ("receive_timestamp_from=2026-01-01T00:00Z", "msg_timestamp_to=2026-12-01T00:00Z")
_EVER = "receive_timestamp_from=0001-01-01T00:00Z&receive_timestamp_to=9999-12-31T23:59:59Z"
_NEWEST = ("ordering=receive_timestamp", "ordering=-receive_timestamp")
# Queries of a list or form; others are opened without one.
QUERIES = {
    "messages/": (
        "",
        *_NEWEST,
        "state=FAILED",
        "archived=any",
        "archived=true",
        *_RANGES,
        _EVER,
        "msg_id=-5",
    ),
    "messages/histogram/": ("", _EVER, "state=FAILED", "archived=any"),
    "messages/count/": ("", _EVER, "state=FAILED", "msg_id=-5"),
    "messages/export/": ("format=csv", "format=jsonl", "format=jsonl&archived=true"),
    "messages/suggest/": ("q=service:", "q=source:", "q=operation:&state=FAILED"),
    "messages/find/": ("id=-5", "id=o-1", "id=~"),
    "api/v1/messages/": (
        *(f"page_size=500{one}" for one in ("", "&archived=true", "&archived=any")),
        *_NEWEST,
        *_RANGES,
        "parent_msg_id=-5",
    ),
    "api/v1/requests/": ("page_size=500", "archived=true"),
    "api/v1/responses/": ("page_size=500", "archived=true"),
    "api/v1/external-calls/": ("page_size=500", "archived=true"),
    "cp-queue/messages/": ("", "ordering=created", "queuename=RENDITION"),
    "api/v1/cp-queue/messages/": ("page_size=500", "ordering=created"),
    "message-store/messages/": ("", "ordering=message_timestamp", "orphaned=true"),
    "api/v1/message-store/": ("page_size=500", "ordering=message_timestamp"),
    "document-history/entries/": ("", "ordering=time", "state=both"),
    "api/v1/document-history/entries/": ("page_size=500", "ordering=time"),
    "jobs/new/": tuple(
        f"kind={kind}"
        for kind in (
            "restart&state=FAILED",
            "cancel&state=FAILED",
            "archive&older_than_months=2",
            "export&state=FAILED",
            "restore&receive_timestamp_to=2026-12-01T00:00Z",
            "reprocess&status=20",
        )
    ),
    "cp-queue/queue/": ("queuename=RENDITION",),
    "cp-queue/services/dispatch/": ("service=svc",),
    "cp-queue/preview/": ("queue=RENDITION",),
    "api/v1/cp-queue/preview/": ("QueueNames=RENDITION",),
    "document-history/dry-run/": ("trigger_id=shop&uuid=open-1",),
    "api/v1/document-history/triggers/<str:trigger_id>/expiring/": ("history_ttl_seconds=60",),
    "api/v1/handover/": ("since=2024-07-01T00:00Z",),
    "map/": ("", "window=7d", "service_name=svc", "external_system=%25", "failing=true"),
    "api/v1/map/": ("", "window=7d", "service_name=svc", "external_system=%25", "failing=true"),
    "api/v1/search/": ("q=o-1", "q=-5", "q=svc"),
    "docs/search/": ("", "q=svc", "q=%00"),
}
# Not opened: they end the session of the test, or describe the API, which takes seconds.
_LEFT_OUT = ("admin/", "logout/", "sessions/", "reveal/", "api/v1/schema/")
# Answers without a row at fault: no worker runs in tests, a list's cursor is required, and jobs of these
# kinds have no file.
EXPECTED = {
    "first-minutes/": 204,  # nothing is being loaded or counted
    # No service or system has the name of a chapter.
    **{f"{kind}s/<key:name>/{page}": 404 for kind in ("service", "system") for page in ("", "targets/")},
    "api/v1/services/<key:service_name>/": 404,
    "api/v1/systems/<key:external_system>/": 404,
    "health/": 503,
    # There are no identity providers.
    **{f"login/with/<slug:key>/{page}": 404 for page in ("", "callback/")},
    **{f"users/groups/{page}": 404 for page in ("", "<id:mapping_id>/remove/")},
    # There are no saved views.
    "messages/views/<id:view_id>/": 404,
    "set-password/<uidb64>/<token>/": 404,
    "jobs/new/duration/": 400,
    "messages/newer/": 400,
    "jobs/<id:job_id>/counted/": 404,
    "jobs/<id:job_id>/download/": 404,
    "api/v1/jobs/<str:job_id>/download/": 404,
    "message-store/messages/<key:identifier>/file/download/": 404,
    # Some messages have a status and no data.
    "api/v1/message-store/<str:identifier>/data/": 404,
    "message-store/messages/<key:identifier>/data/": 404,
    "message-store/messages/<key:identifier>/data/download/": 404,
}
# The state of the row does not allow it.
_HARMLESS = {200, 302, 409}


def add_own_keys(keys: Keys) -> None:
    """Add the keys of the console's own rows."""
    Webhook.objects.get_or_create(name="f", url="https://hooks.example.org/", event="messages_final")
    Incident.objects.get_or_create(title="<b>\u202e", began_at=NOON, last_failure_at=NOON)
    _add_business_keys(keys)
    for kind, subject in (("message", keys["msg_id"][0]), ("shift", 0)):
        Note.objects.get_or_create(kind=kind, subject=subject, author="<b>", text="@ada <b>\u202e")
    keys["kind"], keys["subject"] = ["message"], [keys["msg_id"][0]]
    for name, model in _OWN.items():
        keys[name] = list(model.objects.order_by("pk").values_list("pk", flat=True)[:_MAX_OF_OWN])
    # In the API, definitions of sources and of keys have the same parameter.
    for definition_id in keys["definition_id"]:
        if not KeyDefinition.objects.filter(pk=definition_id).exists():
            define_key(definition_id)
    keys["view_id"], keys["trigger_id"], keys["path"] = [1], ["shop"], ["glossary/", "tutorial/map.webp"]
    keys["code"] = ["E103"]
    # Keys of identity providers, which are not set up, and of roles of their groups.
    keys["key"], keys["mapping_id"] = ["oidc", "a-b"], [1, 2**63]
    keys["uidb64"], keys["token"] = ["MQ", "\u202e"], ["x", "<b>"]
    keys["name"] = [
        *Message.objects.order_by("msg_id").values_list("service_name", flat=True).distinct()[:9],
        "\0",
    ]
    keys["service_name"] = keys["external_system"] = keys["name"]


def _add_business_keys(keys: Keys) -> None:
    """Give each message the same key, and one a key that is as awkward as a key can be."""
    definition, _ = KeyDefinition.objects.get_or_create(
        service_name="svc", operation_name="op", name="order", path="//id"
    )
    values = ["N1", "../<a&b>%2F\u202e?#", "."]
    for value, msg_ids in zip(values, (keys["msg_id"], keys["msg_id"][:1], keys["msg_id"][:1]), strict=True):
        for msg_id in msg_ids:
            BusinessKey.objects.get_or_create(
                definition_id=definition.pk, value=value, msg_id=msg_id, receive_timestamp=NOON
            )
    keys["value"] = [*values, "N", "nobody", "", "\0", "x" * 300]


def unexpected_answers(
    client: Client, keys: Keys, *, only: tuple[str, ...] = ("",), share: int = 1
) -> list[str]:
    """
    Open the addresses of every route; return a line for the first answer of each route that no row may cause.

    Args:
        only: the beginnings of the routes to open.
        share: opens every n-th address. The first differs by route, so that each row meets some routes.
    """
    wrong: dict[tuple[str, int], str] = {}
    for number, (route, _) in enumerate(all_patterns()):
        if route.startswith(_LEFT_OUT) or not route.startswith(only):
            continue
        paths = list(_paths(route, keys))
        for path in paths[number % min(share, len(paths)) :: share]:
            answer = client.get(path)
            if answer.streaming:
                list(answer)  # Its rows are read only now.
            status = answer.status_code
            if status == 405:  # All others of the route would answer the same.
                break
            if status not in _HARMLESS | {EXPECTED.get(route)}:
                wrong.setdefault((route, status), f"{status} {path}: {_reason(answer)}")
    return list(wrong.values())


def _reason(answer: HttpResponse) -> object:
    error = getattr(answer, "exc_info", None)
    return repr(error[1])[:300] if error else ""


def _paths(route: str, keys: Keys) -> Iterator[str]:
    for values in _values(route, keys):
        path = _path(route, iter(values))
        yield from (f"/{path}?{query}" if query else f"/{path}" for query in QUERIES.get(route, ("",)))


def _path(route: str, values: Iterator[object]) -> str:
    return _PARAMETER.sub(lambda match: _quoted(match[1], next(values)), route)


def _values(route: str, keys: Keys) -> list[tuple[object, ...]]:
    names = [match[2] for match in _PARAMETER.finditer(route)]
    if names == ["msg_id", "key"]:
        return keys["of req_id" if "/requests/" in route else "of res_id"]
    assert all(keys[name] for name in names), f"no key for {route}"
    known = (keys[name] for name in names)
    if route.startswith("api/"):
        # An address of the API has the key itself, so it cannot name an empty one or one with a slash.
        known = ([key for key in some if key != "" and "/" not in str(key)] for some in known)
    return list(product(*known))


def _quoted(kind: str, value: object) -> str:
    return quote(KeyConverter().to_url(value) if kind == "key" else str(value), safe="")
