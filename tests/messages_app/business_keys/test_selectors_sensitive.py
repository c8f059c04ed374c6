"""Users without the permission for payloads find, see and infer no value of a sensitive key."""

import html
import re
from collections.abc import Iterator
from itertools import product
from urllib.parse import quote, unquote

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.access.person.services import pin_place
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.business_keys.passes import extract_new_keys
from messages_app.jobs.models import Job
from messages_app.jobs.services.create import create_job
from messages_app.messages.listing.models import SavedView
from messages_app.messages.models import Message
from messages_app.notes.models import Note
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of, show_values
from tests.support.routes import all_patterns

pytestmark = pytest.mark.django_db

# Both have the same form; no message has the second one.
SECRET, UNKNOWN = "XQ-471199-K", "XQ-900388-K"
SET = {
    "state": "FAILED",
    "payload_contains": SECRET,
    "receive_timestamp_from": "2026-11-01T00:00:00+00:00",
    "receive_timestamp_to": "2026-11-02T00:00:00+00:00",
}
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
# Calls that end the session, or that describe the API in seconds.
_LEFT_OUT = ("logout/", "api/v1/schema/", "reveal/", "sessions/")
_SEARCHES = (
    "/messages/find/?id={}",
    "/messages/find/part/?id={}",
    "/messages/find/part/?recent=/keys/{}/",
    "/api/v1/search/?q={}",
    "/api/v1/keys/?value={}",
    "/api/v1/keys/?prefix={}",
    "/keys/{}/",
    "/messages/suggest/?q={}",
    "/audit/?reason_contains={}",
    "/api/v1/audit/?reason_contains={}",
    "/docs/search/?q={}",
)


@pytest.fixture
def message() -> Message:
    """Store a message with a sensitive and an open key, and let a user who sees payloads use the first."""
    extract_new_keys()
    for name, path, is_sensitive in (("customer", "//customer", True), ("order", "//id", False)):
        operation = {"service_name": "billing", "operation_name": "createInvoice"}
        KeyDefinition.objects.create(name=name, path=path, sensitive=is_sensitive, **operation)
    payload = f"<order><customer>{SECRET}</customer><id>N004711</id></order>"
    message = make_message(state="FAILED", payload=payload, failed_desc="E102: not valid")
    extract_new_keys()
    assert set(BusinessKey.objects.values_list("value", flat=True)) == {SECRET, "N004711"}
    _use_number(message)
    return message


def _use_number(message: Message) -> None:
    """Search, pin, save, export and correct by the number, as a user may who sees payloads."""
    eve = make_user("operator", "admin", "view_payload", "edit_payload", username="eve")
    client = Client()
    client.force_login(eve)
    show_values(client)
    for address in _SEARCHES:
        client.get(address.format(SECRET))
    assert SECRET in client.get(f"/keys/{SECRET}/").content.decode()
    pin_place(user=eve, address=f"/keys/{SECRET}/", missing=[])
    query = "&".join(f"{name}={quote(value)}" for name, value in SET.items())
    SavedView.objects.create(owner=eve, name="their orders", query=query, shared=True)
    assert client.get(f"/messages/?{query}").status_code == 200
    why = {"actor": Actor(username="eve"), "user": eve, "reason": "asked by letter"}
    create_job(kind="export", filter=SET, options={"format": "csv"}, dry_run=False, **why)
    options = {"find": SECRET, "replace": "1"}
    create_job(kind="resend", filter={"msg_id": [message.pk]}, options=options, dry_run=False, **why)
    Note.objects.create(kind="message", subject=message.pk, author="eve", text="Ask the customer.")


def _iterate_addresses(message: Message) -> Iterator[str]:
    """Yield the addresses of pages and calls, with the keys of the rows of this test."""
    keys = {
        "msg_id": message.pk,
        "job_id": Job.objects.order_by("pk")[0].pk,
        "view_id": SavedView.objects.get().pk,
        "business_key_id": KeyDefinition.objects.order_by("pk")[0].pk,
        "definition_id": KeyDefinition.objects.order_by("pk")[0].pk,
        "entry_id": AuditEntry.objects.order_by("pk")[0].pk,
        "value": "N004711",
        "name": "billing",
        "service_name": "billing",
        "kind": "message",
        "subject": message.pk,
    }
    for route, _ in all_patterns():
        names = _PARAMETER.findall(route)
        if "(?P" in route or route.startswith(_LEFT_OUT) or not set(names) <= keys.keys():
            continue
        yield "/" + _PARAMETER.sub(lambda match: str(keys[match[1]]), route)
    yield from (f"/jobs/{job_id}/" for job_id in Job.objects.values_list("pk", flat=True))
    yield from (f"/api/v1/jobs/{job_id}/" for job_id in Job.objects.values_list("pk", flat=True))
    yield from (f"/audit/{entry_id}/" for entry_id in AuditEntry.objects.values_list("pk", flat=True))


def _read_plain(answer: HttpResponse) -> str:
    content = b"".join(answer) if answer.streaming else answer.content
    return unquote(html.unescape(content.decode("utf-8", "replace")))


@pytest.fixture
def reader() -> Client:
    """Log in a user with every role and without the permission for payloads."""
    return client_of("support", "operator", "admin", username="bob")


def test_no_page_and_no_call_shows_the_value(message, reader):
    opened, shown = 0, []
    for address in _iterate_addresses(message):
        answer = reader.get(address)
        opened += answer.status_code == 200
        if SECRET in _read_plain(answer) + str(answer.headers):
            shown.append(address)
    assert shown == []
    assert opened > 100


def test_each_search_answers_as_if_no_message_had_the_value(message, reader):
    different = []
    for address, size in product(_SEARCHES, (len(SECRET), 6)):
        known, unknown = (
            (answer.status_code, _without(_read_plain(answer), text[:size]))
            for text in (SECRET, UNKNOWN)
            for answer in [reader.get(address.format(text[:size]))]
        )
        if known != unknown:
            different.append((address, size))
    assert different == []


def _without(text: str, entered: str) -> str:
    """Return an answer without what was entered, and without what differs in each request."""
    text = text.replace(entered, "…")
    for name in ("nonce=", 'csrfmiddlewaretoken" value=', "request_id"):
        text = re.sub(rf'{name}[": ]*[^" >]+', name, text)
    return text


def test_the_same_searches_find_it_for_a_user_who_may_see_payloads(message):
    client = Client()
    client.force_login(make_user("support", "view_payload", username="carol"))
    show_values(client)
    found = [
        address
        for address in _SEARCHES
        if f"/messages/{message.pk}/" in str(client.get(address.format(SECRET)).content)
    ]
    assert found == ["/keys/{}/"]
    assert client.get(f"/api/v1/keys/?value={SECRET}").json()["results"][0]["msg_id"] == message.pk
    assert client.get(f"/api/v1/search/?q={SECRET[:6]}").json()["results"][0]["id"] == SECRET


def test_the_keys_of_the_message_are_the_open_ones(message, reader):
    shown = _read_plain(reader.get(f"/keys/of-message/{message.pk}/"))
    assert ("N004711" in shown, "customer" in shown) == (True, False)
