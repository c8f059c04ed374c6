"""`detach --keep-data`: a later `attach` finds the console's own data, and the hub is as before."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from hubconsole.suitability import refusal_of_database
from messages_app.audit.models import AuditEntry
from messages_app.jobs.connections import own_dsn
from messages_app.jobs.models import Job
from messages_app.messages.attachment import current_attachment
from messages_app.messages.models import Message, MessageEvent
from messages_app.shared.job_states import JobState
from tests.support.attached import ZONE, AttachedHub, attached_hub, detach
from tests.support.databases import schema
from tests.support.eventually import eventually
from tests.support.factories import make_user
from tests.support.jobs import new_job
from tests.support.workers import database_of_tests

TRIGGERS = ("--create-triggers",)
WIDER = "ALTER TABLE {hub}.message ALTER COLUMN state TYPE varchar(25)"
WAITING = """
SELECT pid FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE %s
"""


def attach(place: str) -> None:
    call_command("attach", place, *TRIGGERS, time_zone=ZONE, stdout=StringIO(), stderr=StringIO())


@pytest.fixture(params=[pytest.param("CleverBus 2.0", marks=pytest.mark.slow), "OpenHub 2.3"])
def hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub(request.param, *TRIGGERS) as hub:
        yield hub


def change_state(hub: AttachedHub, state: str) -> None:
    hub.run("UPDATE {hub}.message SET state = %s WHERE msg_id = 1", state)


def assert_detached(hub: AttachedHub) -> None:
    """Check that the hub is as it was, and that the console says so in one line."""
    assert schema(without="hubconsole") == hub.before
    views = "SELECT viewname FROM pg_views WHERE schemaname = 'hubconsole' AND viewname = 'message'"
    assert hub.run(views) == []
    assert f"attach {hub.place} --dry-run" in refusal_of_database()


def test_a_later_attach_finds_the_data(hub: AttachedHub):
    ada = make_user("operator")
    job = new_job("restart", {"state": "FAILED"})
    change_state(hub, "FAILED")
    events, entries = MessageEvent.objects.count(), AuditEntry.objects.count()
    found = json.loads(detach("--keep-data", "--json"))
    assert found["is_same"]
    assert_detached(hub)
    hub.run(WIDER)
    change_state(hub, "OK")  # not recorded
    with pytest.raises(CommandError, match=f"`attach {hub.place}` finds it again"):
        detach()
    attach(hub.place)
    assert refusal_of_database() is None
    assert User.objects.get(pk=ada.pk).username == ada.username
    # The job was waiting. A worker must not continue it when the hub is attached again.
    assert Job.objects.get(pk=job.pk).state == JobState.STOPPED
    assert AuditEntry.objects.count() == entries + 1
    assert MessageEvent.objects.count() == events
    assert Message.objects.get(pk=1).state == "OK"
    change_state(hub, "FAILED")
    assert MessageEvent.objects.filter(msg_id=1, from_state="OK", to_state="FAILED").exists()
    assert "is as it was before" in detach()


@pytest.mark.slow
def test_the_data_is_not_mixed_with_that_of_another_hub(hub: AttachedHub):
    detach("--keep-data")
    hub.run("ALTER SCHEMA {hub} RENAME TO renamed")
    with pytest.raises(CommandError, match=f"has the data of a console of the hub in the schema {hub.place}"):
        attach("renamed")
    assert current_attachment() is None


@pytest.mark.slow
@pytest.mark.parametrize("waits_for", ["DROP FUNCTION%", "DROP INDEX%"])
def test_it_is_killed_and_run_again(hub: AttachedHub, waits_for: str, tmp_path):
    hub.run("CREATE INDEX hubc_message_received_idx ON {hub}.message (receive_timestamp)")
    change_state(hub, "FAILED")
    events = MessageEvent.objects.count()
    if waits_for.startswith("DROP FUNCTION"):
        hub.run("DROP INDEX {hub}.hubc_message_received_idx")
    with psycopg.connect(own_dsn()) as session:
        session.execute(f"UPDATE {hub.place}.message SET failed_count = failed_count WHERE msg_id = 1")
        process = subprocess.Popen(
            [sys.executable, "manage.py", "detach", "--keep-data", "--yes"],
            env=os.environ | database_of_tests() | {"HUBCONSOLE_HOME": str(settings.HUBCONSOLE_HOME)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        ((pid,),) = eventually(lambda: hub.run(WAITING, waits_for), seconds=60)
        process.kill()
        process.wait()
    eventually(
        lambda: hub.run("SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s)", pid)
    )
    assert refusal_of_database() is None
    change_state(hub, "OK")
    assert MessageEvent.objects.count() == events + 1
    assert "stays in the schema hubconsole" in detach("--keep-data")
    assert_detached(hub)
    attach(hub.place)
    assert MessageEvent.objects.count() == events + 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'hubc_%'")
        assert cursor.fetchone() == (4,)


def test_archived_rows_that_only_the_console_has_are_kept(hub: AttachedHub):
    hub.run("INSERT INTO archive_funnel VALUES (1, 77, 'vip')")
    with pytest.raises(CommandError, match="would lose archived rows that only the console has: 1 "):
        detach()
    detach("--keep-data")
    attach(hub.place)
    assert hub.run("SELECT msg_id, funnel_value FROM archive_funnel") == [(77, "vip")]
