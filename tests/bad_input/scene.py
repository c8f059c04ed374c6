"""The rows and callers that the catalogue's requests are about, made once for all of them."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.utils.http import urlencode

from messages_app.access.models import ApiToken
from messages_app.access.roles import CAN_VIEW_PAYLOAD
from messages_app.access.token_services import create_token, revoke_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from messages_app.core.clock import database_clock
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.jobs.models import Job
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.bad_input.cases import NOTHING, Case
from tests.support.api_client import BASE, ApiClient, caller
from tests.support.factories import make_archived_message, make_message, make_request, make_user
from tests.support.histories import make_trigger, store_both, store_entry
from tests.support.ledgers import store_ledger
from tests.support.page_client import show_values
from tests.support.queues import store as store_cp
from tests.support.stores import define
from tests.support.stores import store as store_message

# No answer shows an internal error, whatever was sent (docs/contributing/spec/promises.md, S-3).
LEAKS = (b"Traceback", b"psycopg", b"SELECT ", b"site-packages", b"django.")
SECONDS = 10.0  # on a machine that does much else
ROLES = {
    "support": ("support",),
    "operator": ("operator", "view_payload"),
    "admin": ("admin", "view_payload"),
    "masked": ("admin",),
    "service": ("cp_service",),
    "other": ("operator",),
    "reader": ("operator", "cp_service"),
}
# Of the token of a role; the others have all rights of their user.
SCOPES = {"reader": ["messages:read", "queue:read"]}


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as it is sent; the client has the session, if there is one."""

    client: Client
    method: str
    address: str
    raw: bytes
    content_type: str
    headers: Mapping[str, str]


class Scene:
    """The stored objects, by their names in the calls of the cases."""

    def __init__(self) -> None:
        self.names = {**_messages(), **_jobs(), **_stores()}
        self.callers = {
            name: caller(*roles, username=name, scopes=SCOPES.get(name)) for name, roles in ROLES.items()
        } | {"": ApiClient()}
        self.pages = {name: _logged_in(one) for name, one in self.callers.items()}
        self.names |= _tokens()
        self.names |= {f"token_{name}": one.token for name, one in self.callers.items()}

    def faults(self, case: Case) -> Iterator[str]:
        """Make the request, undo its changes, and yield the faults of its answer."""
        began = time.monotonic()
        with transaction.atomic():
            names = self.names | self._prepared(case)
            done_before = _done()
            answer, text = self._answer(case, names)
            changed = _done() > done_before
            transaction.set_rollback(True)
        stated = replace(case, says=tuple(_filled(word, names) for word in case.says))
        yield from wrong(stated, answer, text)
        if answer.status_code >= 400 and changed:
            yield "it was refused, and yet something was done"
        if (took := time.monotonic() - began) > SECONDS:
            yield f"it took {took:.1f} s"

    def _prepared(self, case: Case) -> dict[str, object]:
        """Do what comes before the request; return the names that this gives."""
        names: dict[str, object] = {}
        if case.payload is not None:
            Message.objects.filter(pk=self.names["payload"]).update(payload=case.payload)
        for call, body in case.after:
            known = self.names | names
            step = Case(
                row=case.row, call=call, answer="200", body=body, role=case.role, headers=case.headers
            )
            answer, text = self._answer(step, known)
            assert answer.status_code < 300, (case.row, call, text[:300])
            names |= json.loads(text)
        return names

    def request(self, case: Case, names: Mapping[str, object]) -> Request:
        """Return what a case sends, with the scene's names in it."""
        method, _, address = _filled(case.call, names).partition(" ")
        is_page = address.startswith("/")
        who = self.callers[case.role]
        raw, content_type = _raw(case, names)
        named = {name: _filled(value, names) for name, value in case.headers.items()}
        return Request(
            client=self.pages[case.role] if is_page else who.client,
            method=method,
            address=address if is_page else BASE + address,
            raw=raw,
            content_type=content_type,
            headers=({} if is_page else who.headers) | named,
        )

    def _answer(self, case: Case, names: Mapping[str, object]) -> tuple[HttpResponse, bytes]:
        asked = self.request(case, names)
        answer = asked.client.generic(
            asked.method,
            asked.address,
            asked.raw,
            content_type=asked.content_type,
            headers=asked.headers,
            **case.environ,
        )
        is_stream = isinstance(answer, StreamingHttpResponse)
        return answer, b"".join(answer.streaming_content) if is_stream else answer.content


def wrong(case: Case, answer: HttpResponse, text: bytes) -> Iterator[str]:
    """Yield what an answer has otherwise than the case says."""
    if answer.status_code not in case.statuses:
        yield f"{answer.status_code} instead of {case.answer}: {text[:200]!r}"
        return
    if leaks := [word for word in LEAKS if word in text and answer.status_code >= 400]:
        yield f"it reveals {leaks}"
    if case.code:
        yield from _wrong_problem(case, answer, text)
    shown = text.decode(errors="replace")
    yield from (f"it does not say {word!r}: {shown[:300]!r}" for word in case.says if word not in shown)
    yield from (f"it says {word!r}" for word in case.hides if word in shown)


def _wrong_problem(case: Case, answer: HttpResponse, text: bytes) -> Iterator[str]:
    if answer.headers["Content-Type"] != "application/problem+json":
        yield f"no problem, but {answer.headers['Content-Type']}"
        return
    body = json.loads(text)
    found = (
        {(each["field"], each["code"]) for each in body.get("errors", [])}
        if case.field
        else {("", body["code"])}
    )
    if (case.field, case.code) not in found:
        yield f"{sorted(found)} instead of {case.answer}"


def _raw(case: Case, names: Mapping[str, object]) -> tuple[bytes, str]:
    """Return the bytes of the body, and what they are."""
    if case.form is not None:
        fields = {name: _filled(value, names) for name, value in case.form.items()}
        return urlencode(fields, doseq=True).encode(), "application/x-www-form-urlencoded"
    if case.body is NOTHING:
        return b"", case.content_type
    if isinstance(case.body, bytes):
        return case.body, case.content_type
    return _filled(json.dumps(case.body), names).encode(), case.content_type


def _filled(value: object, names: Mapping[str, object]) -> object:
    if isinstance(value, list):
        return [_filled(each, names) for each in value]
    text = str(value)
    for name, known in names.items():
        text = text.replace("{" + name + "}", str(known))
    return text


def _done() -> int:
    return AuditEntry.objects.filter(outcome=AuditEntry.Outcome.DONE).count()


def _messages() -> dict[str, object]:
    names = {str(state).lower(): make_message(state=state).pk for state in MessageState}
    held, payload = make_message(state="FAILED"), make_message(state="OK", correlation_id="caller-1")
    job = Job.objects.create(kind="restart", state="running", reason="r")
    store_ledger(job, {held.pk: None})
    return names | {
        "held": held.pk,
        "payload": payload.pk,
        "request": make_request(payload).pk,
        "archived": make_archived_message().pk,
        "unknown": 999_999_999_999,
    }


def _jobs() -> dict[str, object]:
    of = {"kind": "restart", "reason": "r", "filter": {"state": "FAILED"}, "chunk_count": 1}
    ended = {**of, "finished_at": database_clock()}
    return {
        "job_running": Job.objects.create(state="running", attempt=1, **of).pk,
        "job_done": Job.objects.create(state="done", **ended).pk,
        "job_export": Job.objects.create(state="done", created_by="admin", **(ended | {"kind": "export"})).pk,
    }


def _stores() -> dict[str, object]:
    make_trigger("t-1", history_ttl_seconds=86_400)
    store_entry("processing", uuid="started")
    store_both(uuid="ended")
    store_entry("processing", uuid="doubted", age="2 hours")
    check_document(trigger_id="t-1", uuid="doubted", redelivery_count=1)
    define()
    return {
        "doubt": DocumentInDoubt.objects.get().pk,
        "free": store_cp("free", osid=1),
        "mine": store_cp("mine", osid=2, lock="W1"),
        "theirs": store_cp("theirs", osid=3, lock="W2"),
        "stored": store_message(),
    }


def _tokens() -> dict[str, object]:
    """Return keys that are not any more."""
    user = make_user("operator", username="gone", is_active=False)
    alive = make_user("operator", username="alive")
    keys = {
        name: create_token(user=one, name=name, actor=SYSTEM)[1]
        for name, one in {"expired": alive, "revoked": alive, "disabled": user}.items()
    }
    revoke_token(token_id=ApiToken.objects.get(name="revoked").pk, actor=SYSTEM)
    ApiToken.objects.filter(name="expired").update(expires_at=Now() - timedelta(seconds=1))
    return keys


def _logged_in(one: ApiClient) -> Client:
    client = Client(raise_request_exception=False)
    if one.user:
        client.force_login(one.user)
        if one.user.has_perm(CAN_VIEW_PAYLOAD):
            show_values(client)
    return client
