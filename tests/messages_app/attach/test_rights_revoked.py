"""Rights that the owner of the hub revokes while requests run: answers name the GRANT, and none is a 500."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from messages_app.messages.attachment import forget_attachment, refusal_of_denied
from tests.messages_app.attach.test_services import FAILED
from tests.support.attached import AttachedHub, hub_read_by_guest
from tests.support.eventually import eventually
from tests.support.factories import make_user

Answer = tuple[int, str]


@pytest.fixture(autouse=True)
def _known_rights(hub: AttachedHub) -> None:
    forget_attachment()


@pytest.fixture(scope="module", params=[pytest.param("CleverBus 2.0", marks=pytest.mark.slow), "OpenHub 2.3"])
def hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    """Give a hub whose views belong to a role with the rights of the guide."""
    with django_db_blocker.unblock(), hub_read_by_guest(request.param) as hub:
        make_user(username="admin", is_staff=True, is_superuser=True)
        yield hub


@contextmanager
def repeated(ask: Callable[[Client], Answer]) -> Iterator[list[Answer]]:
    """Repeat a request as an administrator on another connection during the block; give the answers."""
    client, ended, found = Client(raise_request_exception=False), threading.Event(), []
    client.force_login(User.objects.get(username="admin"))

    def repeat() -> None:
        try:
            while not ended.is_set():
                found.append(ask(client))
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(repeat)
        try:
            yield found
        finally:
            ended.set()
            running.result()


def get(address: str) -> Callable[[Client], Answer]:
    def ask(client: Client) -> Answer:
        answer = client.get(address)
        return answer.status_code, answer.content.decode()

    return ask


def cancel(hub: AttachedHub) -> Callable[[Client], Answer]:
    def ask(client: Client) -> Answer:
        hub.run("UPDATE {hub}.message SET state = 'PARTLY_FAILED' WHERE msg_id = %s", FAILED)
        address = f"/api/v1/messages/{FAILED}/cancel/"
        answer = client.post(address, {"reason": "old"}, content_type="application/json")
        return answer.status_code, answer.content.decode()

    return ask


@pytest.mark.parametrize(
    "address",
    [
        "/messages/",
        f"/messages/{FAILED}/",
        "/admin/messages_app/message/",
        f"/admin/messages_app/message/{FAILED}/change/",
        "/api/v1/messages/",
        f"/api/v1/messages/{FAILED}/",
    ],
)
def test_reading_continues_when_the_right_is_back(hub: AttachedHub, address: str):
    with repeated(get(address)) as answers:
        eventually(lambda: answers)
        hub.run("REVOKE SELECT ON {hub}.message FROM guest")
        eventually(lambda: sum(status != 200 for status, _ in answers) > 1)
        hub.run("GRANT SELECT ON {hub}.message TO guest")
        eventually(lambda: answers[-1][0] == 200)
    refused = [text for status, text in answers if status != 200]
    assert {status for status, _ in answers} == {200, 403}
    # When the last one looked for the missing right, it may have been granted again.
    assert all(
        f"cannot read messages without GRANT SELECT ON {hub.place}.message TO guest" in text
        for text in refused[:-1]
    )


def test_a_cancel_without_its_right_names_the_grant(hub: AttachedHub):
    with repeated(cancel(hub)) as answers:
        eventually(lambda: answers)
        hub.run("REVOKE UPDATE (state) ON {hub}.message FROM guest")
        eventually(lambda: answers[-1][0] != 200)
    hub.run("GRANT UPDATE (state) ON {hub}.message TO guest")
    refused = [text for status, text in answers if status != 200]
    assert {status for status, _ in answers} == {200, 403}
    assert all('"code": "not_attached_for_this"' in text for text in refused)
    assert all(f"without GRANT UPDATE (state) ON {hub.place}.message TO guest." in text for text in refused)


def test_of_two_missing_rights_the_one_on_the_refused_table_is_named(hub: AttachedHub):
    missing = "SELECT ON {hub}.response", "UPDATE (state) ON {hub}.message"
    for right in missing:
        hub.run(f"REVOKE {right} FROM guest")
    refusal = refusal_of_denied("message")
    for right in missing:
        hub.run(f"GRANT {right} TO guest")
    assert refusal.detail.endswith(f"without GRANT UPDATE (state) ON {hub.place}.message TO guest.")
