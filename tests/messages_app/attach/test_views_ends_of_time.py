"""Times that PostgreSQL refuses to convert from a zone, next to the other rows of an attached hub."""

from collections.abc import Iterator
from io import StringIO

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_attachment
from messages_app.core.trigger_gaps import TriggerGap
from messages_app.jobs.connections import own_dsn
from messages_app.messages.attachment import current_attachment, has_index_of_changes
from messages_app.messages.metrics.polling import poll_messages
from tests.support.attached import AttachedHub, attached_hub
from tests.support.factories import make_user
from tests.support.hubs import LAYOUTS
from tests.support.parameters import quick_first
from tests.support.plans import faults_of, reads_of

EARLIEST, LATEST = "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999"
# PostgreSQL cannot convert the earliest time from a zone in the east, or the latest from one in the west.
ZONES = ("Europe/Prague", "America/New_York")
MESSAGE = """
INSERT INTO {hub}.message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service, source_system,
                           state, operation_name, payload, failed_count, start_process_timestamp,
                           last_update_timestamp)
SELECT id, 'end-' || id, %s::timestamp, %s::timestamp, 'CUSTOMER', 'CRM', 'FAILED', 'op', 'p', 0,
       %s::timestamp, %s::timestamp
  FROM unnest(%s::bigint[]) AS id
"""
CHILDREN = (
    "INSERT INTO {hub}.external_call (call_id, creation_timestamp, last_update_timestamp, msg_timestamp,"
    " entity_id, failed_count, msg_id, operation_name, state)"
    " VALUES (%(key)s, %(time)s, %(time)s, %(time)s, 'end-' || %(key)s, 0, 1, 'op', 'OK')",
    "INSERT INTO {hub}.request (req_id, msg_id, res_join_id, uri, req_envelope, req_timestamp)"
    " VALUES (%(key)s, 1, 'end', 'u', 'e', %(time)s)",
    "INSERT INTO {hub}.response (res_id, msg_id, res_envelope, res_timestamp, failed)"
    " VALUES (%(key)s, 1, 'e', %(time)s, true)",
)
MANY = """
INSERT INTO {hub}.message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service, source_system,
                           state, operation_name, payload, failed_count, last_update_timestamp)
SELECT id, 'many-' || id, at, at, 'CUSTOMER', 'CRM', 'OK', 'op', 'p', 0, at
  FROM (SELECT id, timestamp '2024-01-01' + id * interval '1 minute' AS at
          FROM generate_series(100000, 120000) AS id) AS many;
ANALYZE {hub}.message;
"""
OPTIONS = ("--create-triggers", "--create-indexes")


def attach_again(hub: AttachedHub, *options: str, zone: str) -> None:
    call_command("attach", hub.place, *options, time_zone=zone, stdout=StringIO(), stderr=StringIO())


@pytest.fixture(scope="module", params=quick_first(["OpenHub 2.3", *LAYOUTS]))
def module_hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub(request.param, *OPTIONS) as attached:
        yield attached


@pytest.fixture(scope="module", params=ZONES)
def hub(request, module_hub: AttachedHub) -> AttachedHub:
    """Give the hub with times of a zone."""
    if request.param != current_attachment().time_zone:
        attach_again(module_hub, *OPTIONS, zone=request.param)
    return module_hub


@pytest.fixture
def hub_session(hub: AttachedHub) -> Iterator[psycopg.Connection]:
    """Give a session of the hub itself. Its rows are deleted after the test."""
    with psycopg.connect(own_dsn(), autocommit=True) as session:
        yield session
    for table, key in (("external_call", "call_id"), ("response", "res_id"), ("request", "req_id")):
        hub.run(f"DELETE FROM {{hub}}.{table} WHERE {key} >= 9000")
    for table in ("{hub}.message", "message_event", "new_failure"):
        hub.run(f"DELETE FROM {table} WHERE msg_id >= 9000")
    hub.run("DELETE FROM trigger_gap")


@pytest.fixture(scope="module")
def client(module_hub: AttachedHub) -> Client:
    client = Client()
    client.force_login(
        make_user("view_payload", username=f"admin-{current_attachment().time_zone}", is_superuser=True)
    )
    return client


def insert_messages(session: psycopg.Connection, hub: AttachedHub, time: str, *msg_ids: int) -> None:
    session.execute(MESSAGE.replace("{hub}", hub.place), [time, time, time, time, list(msg_ids)])


def events(hub: AttachedHub, *msg_ids: int) -> list[tuple]:
    return hub.run(
        "SELECT msg_id, from_state, to_state FROM message_event WHERE msg_id = ANY (%s) ORDER BY msg_id",
        list(msg_ids),
    )


def test_the_hub_stores_them_in_every_table_and_its_changes_are_recorded(
    hub: AttachedHub, hub_session: psycopg.Connection
):
    for msg_id, time in ((9000, EARLIEST), (9001, LATEST)):
        insert_messages(hub_session, hub, time, msg_id)
        for statement in CHILDREN:
            values = {"key": msg_id, "time": time}
            hub_session.execute(statement.replace("{hub}", hub.place), values)
        change = "UPDATE {hub}.message SET state = 'OK', last_update_timestamp = %s WHERE msg_id = %s"
        hub_session.execute(change.replace("{hub}", hub.place), [time, msg_id])
        assert events(hub, msg_id) == [(msg_id, "FAILED", "OK")]
    assert not TriggerGap.objects.exists()


def test_a_statement_that_has_one_is_recorded_for_the_others(
    hub: AttachedHub, hub_session: psycopg.Connection
):
    for msg_id, time in ((9010, EARLIEST), (9020, LATEST)):
        insert_messages(hub_session, hub, "2024-07-01", msg_id)
        insert_messages(hub_session, hub, time, msg_id + 1)
        both = [[msg_id, msg_id + 1]]
        hub_session.execute(f"UPDATE {hub.place}.message SET state = 'CANCEL' WHERE msg_id = ANY (%s)", both)
        assert events(hub, *both[0]) == [(one, "FAILED", "CANCEL") for one in both[0]]
        hub_session.execute(f"DELETE FROM {hub.place}.message WHERE msg_id = ANY (%s)", both)
    assert not TriggerGap.objects.exists()


def test_pages_show_them_as_infinite_and_the_others_as_before(
    hub: AttachedHub, hub_session: psycopg.Connection, client: Client
):
    insert_messages(hub_session, hub, EARLIEST, 9000)
    insert_messages(hub_session, hub, LATEST, 9001)
    insert_messages(hub_session, hub, "2026-11-01", 9002)
    page = client.get("/api/v1/messages/?page_size=500&ordering=-receive_timestamp").json()["results"]
    times = {one["msg_id"]: one["receive_timestamp"] for one in page}
    hour = {"Europe/Prague": "2026-10-31T23", "America/New_York": "2026-11-01T04"}[
        current_attachment().time_zone
    ]
    assert (times[9000], times[9001], times[9002]) == ("-infinity", "infinity", f"{hour}:00:00Z")
    assert [one["msg_id"] for one in page][:2] == [9001, 9002]
    assert page[-1]["msg_id"] == 9000
    assert 1 in times
    for msg_id in (9000, 9001, 9002):
        assert client.get(f"/messages/{msg_id}/").status_code == 200
        assert client.get(f"/api/v1/messages/{msg_id}/explain/").status_code == 200
        answer = client.post(f"/api/v1/messages/{msg_id}/restart/", {"reason": "r"}, "application/json")
        assert (answer.status_code, answer.json()["state"]) == (200, "PARTLY_FAILED")


def test_lists_by_time_are_read_by_the_indexes(
    hub: AttachedHub, hub_session: psycopg.Connection, client: Client
):
    hub.run(MANY)
    insert_messages(hub_session, hub, LATEST, 9001)
    times = "_from=2024-03-15T00:00Z&{}_to=2024-03-15T03:00Z"
    assert has_index_of_changes(current_attachment())
    for column in ("receive_timestamp", "msg_timestamp", "last_process_timestamp"):
        sent: list = []
        with connection.execute_wrapper(reads_of(sent)):
            address = f"/api/v1/messages/?{column}{times.format(column)}"
            assert len(client.get(address).json()["results"]) == 50
            address = f"/api/v1/messages/?ordering={column}"
            if column != "msg_timestamp":
                assert client.get(address).json()["results"][-1]["msg_id"] == 100049
        assert [faults for statement in sent if (faults := faults_of(*statement))] == []


def test_an_attachment_of_an_earlier_version_is_named_and_repaired(
    hub: AttachedHub, hub_session: psycopg.Connection, settings
):
    settings.HUB_RULES = ""
    zone, place = current_attachment().time_zone, hub.place
    time = EARLIEST if zone == "Europe/Prague" else LATEST
    earlier = f"timezone('{zone}', receive_timestamp)"
    hub.run(f"DROP INDEX {place}.hubc_message_received_idx")
    hub.run(f"CREATE INDEX hubc_message_received_idx ON {place}.message (({earlier}), msg_id)")
    hub.run("DROP VIEW request")
    hub.run(
        f"CREATE VIEW request AS SELECT req_id, msg_id, res_join_id, uri, req_envelope,"
        f" timezone('{zone}', req_timestamp) AS req_timestamp, xmin, ctid FROM {place}.request"
    )
    hub.run(
        "CREATE OR REPLACE FUNCTION note_deleted_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
        f" AS $$ BEGIN PERFORM timezone('{zone}', receive_timestamp) FROM hub_before; RETURN NULL; END $$"
    )
    with pytest.raises(psycopg.errors.DatetimeFieldOverflow):
        insert_messages(hub_session, hub, time, 9000)
    with pytest.raises(Unhealthy) as unhealthy:
        check_attachment()
    assert unhealthy.value.why == (
        "views of this version are missing: request; triggers are missing: hubc_message_deleted;"
        " indexes are missing: hubc_message_received_idx"
    )
    attach_again(hub, *OPTIONS, zone=zone)
    check_attachment()
    insert_messages(hub_session, hub, time, 9000)
    assert not TriggerGap.objects.exists()


def test_polls_get_past_them_and_attach_takes_no_notice(hub: AttachedHub, hub_session: psycopg.Connection):
    zone = current_attachment().time_zone
    attach_again(hub, zone=zone)
    poll_messages(seconds=30)
    for msg_id, time in ((9000, EARLIEST), (9002, LATEST)):
        insert_messages(hub_session, hub, time, msg_id)
        insert_messages(hub_session, hub, "2026-11-01", msg_id + 1)
    assert poll_messages() == 4
    ids = range(9000, 9004)
    hub_session.execute(f"UPDATE {hub.place}.message SET state = 'OK' WHERE msg_id >= 9000")
    assert poll_messages() == 4
    assert events(hub, *ids) == [(msg_id, "FAILED", "OK") for msg_id in ids]
    # Their time is in the future of every zone.
    attach_again(hub, "--create-triggers", zone=zone)
