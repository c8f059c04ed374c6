"""The overview of a console whose role lacks rights on some tables of the hub names the missing GRANT."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client

from messages_app.dashboard import tiles as tiles_module
from messages_app.messages.attachment import forget_attachment
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.passes import fold_changes
from tests.messages_app.attach.test_services import FAILED
from tests.support.attached import AttachedHub, hub_read_by_guest
from tests.support.factories import make_user
from tests.support.page_client import text_of

TABLES = ("message", "external_call", "request", "response")
# The parts of the overview that read each table of the hub. Others are read from the console's counts.
UNREAD = {
    "message": {"failing", "incidents", "groups", "funnels"},
    "external_call": {"systems"},
    "request": {"systems"},
    "response": {"systems"},
}


@pytest.fixture(scope="module")
def hub(django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), hub_read_by_guest("OpenHub 2.3", "--create-triggers") as hub:
        yield hub


def client_of_admin() -> Client:
    client = Client()
    User.objects.filter(username="ada").delete()
    client.force_login(make_user(is_superuser=True, username="ada"))
    return client


@contextmanager
def without_right(hub: AttachedHub, table: str) -> Iterator[None]:
    """Take the right to read a table away."""
    hub.run(f"REVOKE SELECT ON {{hub}}.{table} FROM guest")
    forget_attachment()
    try:
        yield
    finally:
        hub.run(f"GRANT SELECT ON {{hub}}.{table} TO guest")


@pytest.mark.parametrize("table", TABLES)
def test_every_address_of_the_overview_answers_and_names_what_it_lacks(hub: AttachedHub, table: str):
    lack = f"cannot read messages without GRANT SELECT ON {hub.place}.{table} TO guest."
    client = client_of_admin()
    with without_right(hub, table):
        for address in ("/", "/dashboard/part/"):
            page = text_of(client.get(address))
            assert page.count(lack) == len(UNREAD[table] - {"funnels"})
            assert "read in time" not in page
            assert "Completed per minute" in page
        tiles = client.get("/api/v1/dashboard/").json()["tiles"]
    faults = {tile["name"]: tile["fault"] for tile in tiles if tile["fault"]}
    assert set(faults) == UNREAD[table]
    assert all(fault.endswith(lack) for fault in faults.values())


def test_groups_that_were_read_before_a_right_was_lost_are_shown_without_the_guide(
    hub: AttachedHub, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tiles_module, "_SLOW_SECONDS", 0)
    monkeypatch.setattr(tiles_module, "_KEPT_TIMES", 1_000_000)
    groups = replace(tiles_module._OF_CONSOLE["groups"], max_age=60)
    monkeypatch.setitem(tiles_module._OF_CONSOLE, "groups", groups)
    for state in ("PROCESSING", "FAILED"):
        hub.run("UPDATE {hub}.message SET state = %s WHERE msg_id = %s", state, FAILED)
    fold_changes()
    group_new_failures()
    client = client_of_admin()
    assert "New here?" in text_of(client.get("/"))
    with without_right(hub, "message"):
        page = text_of(client.get("/"))
    assert "Current failures" in page
    assert "New here?" not in page


def test_an_overview_with_all_rights_lacks_nothing(hub: AttachedHub):
    assert "GRANT" not in text_of(client_of_admin().get("/"))
