"""On an attached hub, corrections are offered only if the owner of the hub allows to insert messages."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client

from messages_app.messages.attachment import forget_attachment
from messages_app.messages.corrections.services import resend_message
from messages_app.messages.models import Message, ResentMessage
from messages_app.messages.services import AlreadyResent, restart_message
from tests.messages_app.messages.corrections.test_services_attached import FAILED, SEQUENCES, WHY
from tests.support.api_client import caller, problem
from tests.support.attached import AttachedHub, attached_hub, hub_read_by_guest
from tests.support.page_client import client_of, show_values, text_of
from tests.support.parameters import quick_first

EDITOR = ("operator", "view_payload", "edit_payload")
ADDRESS = f"/messages/{FAILED}/resend/"


@pytest.fixture(autouse=True)
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def hub() -> Iterator[AttachedHub]:
    """A hub whose tables the console only reads, with a message that failed."""
    with hub_read_by_guest("OpenHub 2.3") as hub:
        hub.run("UPDATE {hub}.message SET state = 'FAILED', payload = '<a>1</a>' WHERE msg_id = %s", FAILED)
        forget_attachment()
        yield hub


def editor() -> Client:
    client = client_of(*EDITOR)
    show_values(client)
    return client


def test_a_missing_right_is_named_where_the_correction_would_be_offered(hub):
    grant = f"GRANT INSERT ON {hub.place}.message TO guest"
    client = editor()
    page = text_of(client.get(f"/messages/{FAILED}/"))
    assert ADDRESS not in page
    assert "It cannot be corrected and resent." in page
    assert grant in page
    menu = text_of(client.get("/messages/?state=FAILED"))
    assert ("kind=restart" in menu, "kind=resend" in menu) == (True, False)
    assert grant in text_of(client.get("/jobs/new/?kind=resend&state=FAILED"))
    refused = client.get(ADDRESS)
    assert refused.status_code == 409
    assert grant in text_of(refused)
    assert client.post(ADDRESS, {"payload": "<a>2</a>", "step": "review"}).status_code == 409
    assert not ResentMessage.objects.exists()


@pytest.mark.parametrize(
    ("call", "body"),
    [
        (f"messages/{FAILED}/resend/", {"payload": "<a>2</a>", "reason": "r"}),
        (
            "jobs/",
            {
                "kind": "resend",
                "filter": {"state": "FAILED"},
                "options": {"find": "1", "replace": "2"},
                "reason": "r",
            },
        ),
    ],
)
def test_a_missing_right_refuses_calls_with_the_grant(hub, call, body):
    refused = problem(caller(*EDITOR).post(call, body))
    assert (refused["status"], refused["code"]) == (403, "not_attached_for_this")
    assert f"GRANT INSERT ON {hub.place}.message TO guest" in str(refused)
    assert not ResentMessage.objects.exists()


def test_a_given_right_lets_the_page_send(hub):
    hub.run("GRANT INSERT, UPDATE (failed_count) ON {hub}.message TO guest")
    hub.run("SELECT setval('{hub}.openhub_sequence', 5000)")
    forget_attachment()
    client = editor()
    assert ADDRESS in text_of(client.get(f"/messages/{FAILED}/"))
    assert "kind=resend" in text_of(client.get("/messages/?state=FAILED"))
    body = {"payload": "<a>2</a>", "step": "review"}
    reviewed = re.search(r'name="reviewed" value="(\w+)"', text_of(client.post(ADDRESS, body)))[1]
    send = {"step": "send", "reviewed": reviewed, "reason": "wrong customer", "cancel_original": "on"}
    assert client.post(ADDRESS, body | send).url == "/messages/5001/"
    assert hub.run("SELECT state, payload FROM {hub}.message WHERE msg_id = 5001") == [
        ("POSTPONED", "<a>2</a>")
    ]
    assert Message.objects.get(pk=FAILED).state == "CANCEL"


@pytest.mark.parametrize("layout", quick_first([*SEQUENCES]))
@pytest.mark.parametrize("is_cancelled", [True, False])
def test_an_original_on_an_attached_hub_is_restarted_only_on_request(layout, is_cancelled):
    with attached_hub(layout) as hub:
        forget_attachment()
        hub.run(f"SELECT setval('{{hub}}.{SEQUENCES[layout]}', 5000)")
        hub.run("UPDATE {hub}.message SET state = 'FAILED', payload = '<a>1</a>' WHERE msg_id = %s", FAILED)
        resend_message(msg_id=FAILED, payload="<a>2</a>", cancel_original=is_cancelled, **WHY)
        state = "CANCEL" if is_cancelled else "FAILED"
        with pytest.raises(AlreadyResent):
            restart_message(msg_id=FAILED, **WHY)
        assert hub.run("SELECT state FROM {hub}.message WHERE msg_id = %s", FAILED) == [(state,)]
        restart_message(msg_id=FAILED, also_resent=True, **WHY)
        assert hub.run("SELECT state FROM {hub}.message WHERE msg_id = %s", FAILED) == [("PARTLY_FAILED",)]
