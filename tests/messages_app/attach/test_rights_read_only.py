"""A console whose role has only SELECT on the tables of the hub: it reads everything and changes nothing."""

import html
from collections.abc import Iterator
from io import StringIO

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_attachment, check_polling
from messages_app.audit.services import Actor
from messages_app.jobs.connections import own_dsn
from messages_app.messages import services
from messages_app.messages.attachment import NotAttachedForThis, forget_attachment
from messages_app.messages.metrics.tasks import fold_counts
from messages_app.messages.models import Message, MessageEvent
from tests.messages_app.attach.test_services import FAILED, PAGES
from tests.messages_app.messages.metrics.counting import counted_by_day, counts_by_day
from tests.support.attached import ZONE
from tests.support.factories import make_user
from tests.support.hubs import LAYOUTS, hub_database
from tests.support.parameters import quick_first

ACT = {"actor": Actor(username="ada"), "reason": "the target is back"}
SELECT_ONLY = """
CREATE ROLE reader;
CREATE SCHEMA hubconsole AUTHORIZATION reader;
GRANT USAGE ON SCHEMA {hub} TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA {hub} TO reader;
SET ROLE reader
"""


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture(scope="module", params=quick_first(["OpenHub 2.3", "CleverBus 2.0"]))
def place(request, django_db_setup, django_db_blocker) -> Iterator[str]:
    place = LAYOUTS[request.param].schema
    with django_db_blocker.unblock(), hub_database(request.param):
        run(SELECT_ONLY.replace("{hub}", place))
        call_command("attach", place, time_zone=ZONE, stdout=StringIO(), stderr=StringIO())
        try:
            yield place
        finally:
            run("RESET ROLE; DROP OWNED BY reader CASCADE; DROP ROLE reader")


@pytest.fixture(autouse=True)
def _rules_of_the_hub(settings) -> None:
    settings.HUB_RULES = ""


@pytest.fixture(scope="module")
def admin(place: str) -> Client:
    client = Client()
    client.force_login(make_user(username="admin", is_superuser=True))
    return client


def missing(place: str) -> list[str]:
    return [
        f"GRANT UPDATE (state) ON {place}.message TO reader",
        f"GRANT UPDATE (last_update_timestamp) ON {place}.message TO reader",
        f"GRANT DELETE ON {place}.external_call TO reader",
    ]


@pytest.mark.parametrize("address", [page for page in PAGES if "kind=restart" not in page])
def test_pages_answer(admin: Client, address: str):
    assert admin.get(address).status_code == 200


def test_pages_do_not_offer_actions(admin: Client):
    page = admin.get(f"/messages/{FAILED}/").content.decode()
    assert f"/messages/{FAILED}/restart/" not in page
    assert f"/messages/{FAILED}/cancel/" not in page
    listed = admin.get("/messages/?state=FAILED").content.decode()
    assert "kind=restart" not in listed
    assert 'value="restart"' not in listed
    assert admin.get(f"/api/v1/messages/{FAILED}/").json()["allowed_actions"] == []


REVOKED = {
    "message": ("/messages/", f"/messages/{FAILED}/", "/api/v1/messages/"),
    "external_call": (f"/api/v1/external-calls/?msg_id={FAILED}", f"/messages/{FAILED}/"),
    "request": (f"/messages/{FAILED}/", f"/api/v1/messages/{FAILED}/timeline/"),
    "response": (f"/api/v1/responses/?msg_id={FAILED}",),
    "archive_message": ("/messages/?archived=true", "/api/v1/messages/?archived=any"),
}


@pytest.mark.parametrize("table", REVOKED)
def test_a_revoked_right_to_read_is_named(place: str, admin: Client, table: str):
    run(f"RESET ROLE; REVOKE SELECT ON {place}.{table} FROM reader; SET ROLE reader")
    try:
        for address in REVOKED[table]:
            answer = admin.get(address)
            assert answer.status_code == 403
            assert f"GRANT SELECT ON {place}.{table} TO" in html.unescape(answer.content.decode())
        with pytest.raises(Unhealthy) as found:
            check_attachment()
    finally:
        run(f"RESET ROLE; GRANT SELECT ON {place}.{table} TO reader; SET ROLE reader")
    assert f'GRANT SELECT ON "{place}"."{table}" TO "reader"' in found.value.do
    check_attachment()


@pytest.mark.parametrize("action", ["cancel", "restart"])
def test_calls_name_the_missing_grants(place: str, admin: Client, action: str):
    address = f"/api/v1/messages/{FAILED}/{action}/"
    answer = admin.post(address, {"reason": "back"}, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_attached_for_this")
    assert answer.json()["detail"].endswith(f" without {'; '.join(missing(place))}.")
    assert Message.objects.get(pk=FAILED).state == "FAILED"


@pytest.mark.parametrize("kind", ["cancel", "restart"])
def test_jobs_name_the_missing_grants(place: str, admin: Client, kind: str):
    body = {"kind": kind, "filter": {"state": ["FAILED"]}, "reason": "back"}
    answer = admin.post("/api/v1/jobs/", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_attached_for_this")
    assert missing(place)[0] in answer.json()["detail"]
    assert admin.get(f"/jobs/new/?kind={kind}&state=FAILED").status_code == 403
    with pytest.raises(CommandError, match="GRANT UPDATE"):
        call_command(kind, "state=FAILED", "--reason", "back")


def test_pages_of_actions_name_the_missing_grants(place: str, admin: Client):
    page = admin.get(f"/messages/{FAILED}/restart/")
    assert page.status_code == 409
    assert missing(place)[0] in page.content.decode()
    several = admin.post("/messages/act/", {"action": "restart", "msg_id": [str(FAILED)]})
    assert missing(place)[0] in several.content.decode()


def test_changes_are_polled_and_pages_name_the_missing_grant(place: str, admin: Client):
    fold_counts()
    with psycopg.connect(own_dsn(), autocommit=True) as hub:
        hub.execute(
            f"UPDATE {place}.message SET state = 'FAILED',"
            f" last_update_timestamp = timezone('{ZONE}', clock_timestamp()) WHERE msg_id = 1"
        )
    fold_counts()
    assert MessageEvent.objects.get(msg_id=1).to_state == "FAILED"
    assert counts_by_day() == counted_by_day()
    grant = f"GRANT TRIGGER ON {place}.message TO reader"
    remedy = (
        f"To record changes as the hub makes them, run `{grant}`, then"
        f" `python manage.py attach {place} --create-triggers`."
    )
    for address in ("/", "/failures/", "/messages/1/"):
        page = admin.get(address).content.decode()
        assert "Changes of the hub are noticed by polling, last" in page
        assert remedy in page
    for address in ("/api/v1/dashboard/", "/api/v1/messages/1/timeline/"):
        polled = admin.get(address).json()["polling"]
        assert polled["remedy"] == remedy
        assert polled["seconds"] < 60
    assert check_polling().endswith(remedy)
    run("UPDATE polling SET polled_at = polled_at - interval '10 minutes'")
    with pytest.raises(Unhealthy, match="the hub's changes were last polled 10 min ago"):
        check_polling()


def test_a_granted_right_is_used(place: str, admin: Client):
    run("RESET ROLE")
    run("; ".join(missing(place)))
    run("SET ROLE reader")
    forget_attachment()
    assert f"/messages/{FAILED}/restart/" in admin.get(f"/messages/{FAILED}/").content.decode()
    services.restart_message(msg_id=FAILED, **ACT)
    run("RESET ROLE")
    run(f"REVOKE DELETE ON {place}.external_call FROM reader")
    run("SET ROLE reader")
    forget_attachment()
    with pytest.raises(NotAttachedForThis, match="cannot restart or cancel messages without GRANT DELETE ON"):
        services.cancel_message(msg_id=FAILED, **ACT)
