"""
Every POST of the pages and the API, on existing rows: a user without permission changes nothing
(docs/contributing/spec/promises.md, S-20).
"""

import json
import re

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.test import Client

from messages_app.access.provider_settings import Provider
from messages_app.access.providers.models import GroupMapping
from messages_app.access.users.views import DECISIONS
from messages_app.business_keys.models import KeyDefinition
from messages_app.cp_queue.models import CpMessage
from messages_app.document_history.models import DocumentInDoubt
from messages_app.jobs.models import Job, JobSchedule
from messages_app.message_store.models import MessageStore, SourceDefinition
from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.models import Message
from tests.messages_app.access.test_permissions import MAY
from tests.messages_app.service_map.counted import count_calls, count_messages
from tests.openapi.world import FIRST_INCIDENT, make_world
from tests.support.api_client import BASE
from tests.support.factories import NOON
from tests.support.page_client import client_of, confirm_password
from tests.support.routes import page_addresses

pytestmark = pytest.mark.django_db

ROLES = ("", "support", "operator", "admin")
NOBODY, ADMINS, OPERATORS = set(), {"admin"}, {"operator", "admin"}
EVERYBODY, READERS = set(ROLES), {"support", "operator", "admin"}
_OF_JOB = ("pause", "resume", "stop", "approve", "refuse", "undo", "retry", "rate")
_STORED = ("reprocess", "retry-now", "release", "mute", "unmute")
# Roles that may POST to each page. A page may refuse an allowed role for another reason.
PAGES = {
    **dict.fromkeys(
        {
            *(
                "dashboard/guide/",
                "login/",
                "login/code/",
                "login/with/777/log-out/",
                "logout/",
                "policy-reports/",
                "me/",
                "me/pin/",
                "me/unpin/",
                "password/",
            ),
            *(f"second-factor/{what}/" for what in ("start", "confirm", "change")),
            *("login/passkey/", "second-factor/passkeys/new/", "second-factor/passkeys/add/"),
            # Their own tokens, and a link that is its own permission.
            *("tokens/777/revoke/", "set-password/777/777/"),
            *("sessions/left/", "sessions/end-others/", "sessions/777/end/", "reveal/end/"),
        },
        EVERYBODY,
    ),
    **dict.fromkeys(
        # The kind of a new job decides: support may export.
        {
            *("messages/table/", "messages/export/", "messages/views/", "messages/views/777/", "jobs/new/"),
            "messages/views/777/undo/",
            "jobs/analyses/new/",
            *(
                f"incidents/777/{what}/"
                for what in ("acknowledge", "assign", "undo-acknowledge", "undo-assign")
            ),
            *("notes/777/777/", "notes/777/delete/", "notes/777/undo-delete/", "handover/send/"),
        },
        READERS,
    ),
    **dict.fromkeys(
        {
            "deployments/new/",
            *(
                f"incidents/777/{what}/"
                for what in ("close", "undo-close", "reopen", "undo-reopen", "merge", "split")
            ),
            *(f"failures/777/{what}/" for what in ("mark", "undo-mark", "describe")),
            *("messages/act/", "messages/777/cancel/", "messages/777/restart/"),
            *(f"jobs/777/{what}/" for what in _OF_JOB),
            *(f"document-history/in-doubt/777/{what}/" for what in ("resubmit", "settle", "take")),
            *(f"cp-queue/queue/{what}/" for what in ("pause", "resume")),
            *(f"cp-queue/messages/777/{what}/" for what in ("reset", "dispatch", "delete", "send-on")),
            *(f"cp-queue/{what}/" for what in ("services/dispatch", "poll", "create", "reset")),
            *(f"message-store/messages/777/{what}/" for what in _STORED),
        },
        OPERATORS,
    ),
    **dict.fromkeys(
        {
            *("business-keys/new/", "business-keys/777/", "business-keys/777/remove/"),
            *("error-codes/new/", "error-codes/777/", "error-codes/777/delete/"),
            *("watch-rules/new/", "watch-rules/777/", "watch-rules/777/delete/", "watch-rules/777/test/"),
            "webhooks/777/test/",
            *("document-history/new-trigger/", "document-history/triggers/777/"),
            *(f"document-history/triggers/777/{what}/" for what in ("resume", "delete")),
            *("document-history/statistics/clear/", "document-history/sweeper/"),
            *("schedules/new/", "schedules/preview/", "schedules/777/"),
            *(f"schedules/777/{what}/" for what in ("run", "pause", "resume", "delete")),
            *("setup/away/", "setup/back/"),
            *("message-store/monitor/settings/", "message-store/definitions/new/"),
            *("users/groups/", "users/groups/777/remove/"),
            *("tokens/new/", "users/new/", "users/777/", *(f"users/777/{how}/" for how in DECISIONS)),
            *("message-store/definitions/777/", "message-store/definitions/777/remove/"),
            *("services/777/targets/", "systems/777/targets/"),
        },
        ADMINS,
    ),
    "reveal/": NOBODY,
    "messages/777/resend/": NOBODY,
    "jobs/corrections/777/": NOBODY,
}
# Valid fields of a form or body, so that only the permission is missing.
FORM = {
    "reason": "r",
    "kind": "restart",
    "state": "FAILED",
    "name": "n",
    "trigger_id": "shop",
    "uuid": "order-9",
    "Reason": "OK",
    "ServiceName": "rendition-1",
    "QueueName": "RENDITION",
    "QueueNames": "RENDITION",
    "queuename": "RENDITION",
    "service": "rendition-1",
    "confirm": "on",
    "action": "restart",
}
# Tables that record the requests themselves.
_UNTOUCHED = {"audit_entry", "request_window", "user_session", "first_page_visit", "login_failure"}


@pytest.fixture
def ids(settings) -> dict[str, object]:
    """Store rows of every kind. Return the id of one for each prefix of addresses."""
    make_world()
    provider = Provider(key="bank", name="Bank", issuer="https://a.example", client_id="c", client_secret="s")
    settings.OIDC_PROVIDERS = {provider.key: provider}
    role = Group.objects.get(name="support")
    mapping = GroupMapping.objects.create(issuer=provider.issuer, group_name="readers", role=role)
    schedule = JobSchedule.objects.create(
        kind="restart", filter={"state": "FAILED"}, options={}, cron="30 2 * * *", zone="UTC", reason="r"
    )
    count_messages("billing", "OK", 1, at=NOON)
    count_calls("billing", "bank.example", ok=1, at=NOON)
    job = Job.objects.filter(kind="restart", state="running").earliest("pk")
    key = KeyDefinition.objects.create(
        service_name="billing", operation_name="createInvoice", name="customer", path="//customer/@no"
    )
    return {
        "messages/": Message.objects.filter(state="FAILED").earliest("pk").pk,
        "schedules/": schedule.pk,
        "jobs/": job.pk,
        "failures/": FailureGroup.objects.earliest("pk").pk,
        "failure-groups/": FailureGroup.objects.earliest("pk").pk,
        "error-codes/": "E103",
        "incidents/": FIRST_INCIDENT,
        "watch-rules/": WatchRule.objects.earliest("pk").pk,
        "document-history/in-doubt/": DocumentInDoubt.objects.earliest("pk").pk,
        "document-history/triggers/": "shop",
        "cp-queue/messages/": CpMessage.objects.earliest("pk").pk,
        "message-store/messages/": MessageStore.objects.earliest("pk").pk,
        "message-store/definitions/": SourceDefinition.objects.earliest("pk").pk,
        "message-store/source-definitions/": SourceDefinition.objects.earliest("pk").pk,
        "message-store/": MessageStore.objects.earliest("pk").pk,
        "business-keys/": key.pk,
        "login/with/": provider.key,
        "users/groups/": mapping.pk,
        "services/": "billing",
        "systems/": "bank.example",
    }


def named(address: str, ids: dict[str, object]) -> str:
    """Return an address of row 777 with the id of an existing row instead."""
    key = next((key for start, key in ids.items() if address.startswith(start)), 777)
    query = "?kind=restart&state=FAILED" if address == "jobs/new/" else ""
    return re.sub(r"\b777\b", str(key), address) + query


class Contents:
    """The contents of all tables, by a digest of each, as they were when this was last asked."""

    def __init__(self) -> None:
        self._writes, self._digests = self._count_writes(), self._digest_tables()

    def changed_tables(self) -> list[str]:
        """Return the tables that have changed. Digests are only made after a write of this transaction."""
        writes = self._count_writes()
        if writes == self._writes:
            return []
        before, self._writes, self._digests = self._digests, writes, self._digest_tables()
        return [table for table, digest in self._digests.items() if digest != before[table]]

    @staticmethod
    def _count_writes() -> list[tuple]:
        """Return the rows that this transaction has written, by table; what was rolled back counts too."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_xact_user_tables"
                " WHERE n_tup_ins + n_tup_upd + n_tup_del > 0 AND NOT relname = ANY (%s) ORDER BY relname",
                [[*_UNTOUCHED]],
            )
            return cursor.fetchall()

    @staticmethod
    def _digest_tables() -> dict[str, str]:
        with connection.cursor() as cursor:
            tables = sorted(set(connection.introspection.table_names(cursor)) - _UNTOUCHED)
            found = {}
            for table in tables:
                cursor.execute(
                    f'SELECT md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM "{table}" AS t'
                )
                found[table] = cursor.fetchone()[0]
            return found


def readers() -> dict[str, Client]:
    clients = {role: client_of(*filter(None, [role]), username=f"one {role}") for role in ROLES}
    for client in clients.values():
        confirm_password(client)
        # Refusals come without the frame of a page, whose rendering costs more than all else here.
        client.defaults["HTTP_HX_REQUEST"] = "true"
    return clients


class TestPages:
    def test_accept_a_post_of_the_roles_of_the_table_and_change_nothing_for_others(self, ids, settings):
        settings.PAGES_PER_MINUTE = 100_000
        clients = readers()
        contents, wrong, posts = Contents(), [], set()
        for address in page_addresses():
            answered = {}
            for role in ROLES:
                if role in PAGES.get(address, NOBODY) or "logout" in address:
                    continue
                answered[role] = clients[role].post(f"/{named(address, ids)}", FORM).status_code
            if 405 in answered.values() and set(answered.values()) <= {403, 405}:
                continue  # it accepts no POST from roles that may open it
            posts.add(address)
            wrong += [(address, role, status) for role, status in answered.items() if status != 403]
            if changed := contents.changed_tables():
                wrong.append((address, "changed", changed))
        assert wrong == []
        assert posts | {address for address in PAGES if PAGES[address] == EVERYBODY} == set(PAGES)
        assert len(posts) > 50

    @pytest.mark.parametrize("role", ["operator", "admin"])
    def test_allow_the_roles_of_the_table(self, ids, role, settings):
        settings.PAGES_PER_MINUTE = 100_000
        addresses = [address for address, roles in PAGES.items() if role in roles and roles != EVERYBODY]
        client = client_of(role)
        confirm_password(client)
        assert len(addresses) > 30
        refused = [
            address
            for address in addresses
            if client.post(f"/{named(address, ids)}", FORM).status_code in {403, 405}
        ]
        assert refused == []


class TestApi:
    def test_changes_nothing_for_roles_outside_the_table_of_permissions(self, ids):
        clients = readers()
        contents, wrong, tried = Contents(), [], 0
        for (method, address), roles in MAY.items():
            if method == "GET":
                continue
            path = BASE + named(address, ids)
            for role in set(ROLES) - roles:
                tried += 1
                answer = clients[role].generic(method, path, json.dumps(FORM), "application/json")
                status = answer.status_code
                if status != 403:
                    wrong.append((method, address, role, status))
            if changed := contents.changed_tables():
                wrong.append((method, address, "changed", changed))
        assert wrong == []
        assert tried > 90

    def test_changes_no_job_of_a_kind_that_a_role_may_not_make(self, ids):
        client = client_of("support")
        contents = Contents()
        for method, address in MAY:
            # Support may write notes on jobs.
            if address.startswith("jobs/") and method != "GET" and not address.endswith("/notes/"):
                path = BASE + named(address, ids)
                answer = client.generic(method, path, json.dumps(FORM), "application/json")
                assert answer.status_code == 403, address
        assert contents.changed_tables() == []
