"""A console that is attached to a hub: its pages and actions, and their effects on the hub."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import StringIO

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from hubconsole.checks.database import check_gaps, check_indexes, check_server
from hubconsole.suitability import refusal_of_database
from messages_app.audit.services import Actor
from messages_app.jobs.connections import own_dsn
from messages_app.messages import services
from messages_app.messages.attachment import hub_time_zone, rules_of_hub
from messages_app.messages.metrics.models import MessageRollup
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message, MessageEvent
from messages_app.messages.services import StateConflict
from messages_app.shared.message_states import RULE_SETS, MessageState
from tests.messages_app.messages.metrics.counting import counted_by_day, counts_by_day
from tests.support import jobs
from tests.support.attached import ZONE, AttachedHub, attached_hub, detach
from tests.support.databases import schema
from tests.support.eventually import eventually
from tests.support.factories import make_user
from tests.support.parameters import quick_first
from tests.support.routes import page_addresses

WHY = {"actor": Actor(username="ada"), "reason": "the target is back"}
LAYOUTS = ("OpenHub 2.3", "CleverBus 1.1", "CleverBus 2.0")
FAILED, OPEN, RECEIVED_AT = 4, 3, datetime(2024, 7, 1, 14, tzinfo=UTC)
PAGES = (
    "/",
    "/messages/",
    "/messages/?state=FAILED",
    "/messages/?archived=true",
    "/messages/?receive_timestamp_from=2024-01-01T00:00Z&ordering=receive_timestamp",
    f"/messages/{FAILED}/",
    "/failures/",
    "/funnels/",
    "/jobs/",
    "/archive/",
    "/jobs/new/?kind=restart&state=FAILED",
    "/api/v1/messages/",
    f"/api/v1/messages/{FAILED}/",
    f"/api/v1/messages/{FAILED}/explain/",
)
TYPICAL_UPDATE = (
    "UPDATE {hub}.message SET state = %s, last_update_timestamp = localtimestamp WHERE msg_id = %s"
)
COPY = (
    "INSERT INTO {hub}.message"
    " SELECT (jsonb_populate_record(m, jsonb_build_object('msg_id', 90, 'correlation_id', 'new'))).*"
    "   FROM {hub}.message AS m WHERE msg_id = 1"
)
# Counts the messages that are already there, as rebuild_counts does.
COUNTED = """
INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                            present, entered)
SELECT date_trunc('minute', coalesce(last_process_timestamp, receive_timestamp), 'UTC'), state, service_name,
       operation_name, source_system, coalesce(failed_error_code, ''), count(*), 0
  FROM message GROUP BY 1, 2, 3, 4, 5, 6
"""


@pytest.fixture(scope="module", params=quick_first(LAYOUTS))
def module_hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub(request.param, "--create-triggers") as hub:
        yield hub
        detach()
        assert schema() == hub.before


@pytest.fixture
def hub(module_hub: AttachedHub, settings) -> Iterator[AttachedHub]:
    """Give the attached hub, and put its rows back after the test."""
    settings.HUB_RULES = "openhub" if module_hub.layout.startswith("OpenHub") else "cleverbus"
    module_hub.run("CREATE TABLE {hub}.kept AS SELECT * FROM {hub}.message")
    yield module_hub
    module_hub.run("DELETE FROM {hub}.message WHERE msg_id NOT IN (SELECT msg_id FROM {hub}.kept)")
    module_hub.run(
        "UPDATE {hub}.message AS now"
        "   SET state = kept.state, last_update_timestamp = kept.last_update_timestamp"
        "  FROM {hub}.kept WHERE kept.msg_id = now.msg_id"
    )
    module_hub.run("DROP TABLE {hub}.kept")


@pytest.fixture(scope="module")
def admin(module_hub: AttachedHub) -> Client:
    client = Client()
    client.force_login(make_user(username="admin", is_superuser=True))
    return client


def row(hub: AttachedHub, msg_id: int) -> dict[str, object]:
    ((found,),) = hub.run("SELECT to_jsonb(m) FROM {hub}.message AS m WHERE msg_id = %s", msg_id)
    return json.loads(found)


def in_own_connection(act: Callable, *words: object, **values: object) -> object:
    try:
        return act(*words, **values)
    finally:
        connection.close()


def cancel(client: Client) -> HttpResponse:
    return client.post(
        f"/api/v1/messages/{OPEN}/cancel/", {"reason": "not needed"}, content_type="application/json"
    )


def wait_for_lock(hub: AttachedHub) -> None:
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    eventually(lambda: hub.run(waiting) == [(1,)])


class TestPages:
    @pytest.mark.parametrize("address", PAGES)
    def test_answer_on_an_attached_hub(self, hub, admin: Client, address: str):
        assert admin.get(address).status_code == 200

    @pytest.mark.slow
    def test_none_fails(self, hub, admin: Client):
        failed = {
            address: status
            for address in page_addresses()
            if (status := admin.get("/" + address.replace("777", str(FAILED))).status_code) >= 500
        }
        assert failed == {}

    def test_show_times_of_the_zone_of_the_hub(self, hub, admin: Client):
        found = admin.get(f"/api/v1/messages/{FAILED}/").json()
        assert found["receive_timestamp"].startswith("2024-07-01T14:00:00")
        at = {"first": "2024-07-01T14:00:00Z", "later": "2024-07-01T14:00:01Z"}
        listed = {
            name: [one["msg_id"] for one in admin.get(address).json()["results"]]
            for name, time in at.items()
            for address in (f"/api/v1/messages/?state=FAILED&receive_timestamp_from={time}",)
        }
        assert FAILED in listed["first"]
        assert FAILED not in listed["later"]


class TestActions:
    def test_a_lost_cancel_is_a_conflict_for_the_api(self, hub, admin: Client):
        with psycopg.connect(own_dsn()) as session, ThreadPoolExecutor(1) as console:
            session.execute(f"UPDATE {hub.place}.message SET state = 'OK' WHERE msg_id = {OPEN}")
            answer = console.submit(in_own_connection, cancel, admin)
            wait_for_lock(hub)
            session.commit()
            assert answer.result().status_code == 409
        assert row(hub, OPEN)["state"] == "OK"

    def test_the_rules_are_those_of_the_release(self, hub, admin: Client):
        finished = admin.get("/api/v1/messages/2/").json()
        is_openhub = hub.layout.startswith("OpenHub 2")
        assert ("restart" in finished["allowed_actions"]) is is_openhub
        queued = admin.get("/api/v1/messages/?state=IN_QUEUE").json()["results"]
        assert [message["msg_id"] for message in queued] == ([12] if is_openhub else [])

    def test_restart_writes_the_local_time_and_nothing_else(self, hub):
        before = row(hub, FAILED)
        services.restart_message(msg_id=FAILED, **WHY)
        after = row(hub, FAILED)
        changed = {name for name in before if before[name] != after[name]}
        assert changed == {"state", "last_update_timestamp"}
        assert after["state"] == "PARTLY_FAILED"
        ((behind,),) = hub.run(
            f"SELECT timezone('{ZONE}', clock_timestamp()) - last_update_timestamp FROM {{hub}}.message"
            " WHERE msg_id = %s",
            FAILED,
        )
        assert abs(behind) < timedelta(seconds=5)
        assert MessageEvent.objects.filter(msg_id=FAILED, actor="ada").exists()

    def test_cancel_changes_the_state_only(self, hub):
        before = row(hub, OPEN)
        services.cancel_message(msg_id=OPEN, **WHY)
        after = row(hub, OPEN)
        assert {name for name in before if before[name] != after[name]} == {"state"}

    def test_cancel_loses_against_an_uncommitted_change_of_the_hub(self, hub):
        with psycopg.connect(own_dsn()) as session, ThreadPoolExecutor(1) as console:
            session.execute(f"UPDATE {hub.place}.message SET state = 'OK' WHERE msg_id = {OPEN}")
            cancelled = console.submit(in_own_connection, services.cancel_message, msg_id=OPEN, **WHY)
            wait_for_lock(hub)
            session.commit()
            assert isinstance(cancelled.exception(), StateConflict)
        assert row(hub, OPEN)["state"] == "OK"

    @pytest.mark.usefixtures("spark_remote")
    def test_jobs_restart_cancel_and_put_back(self, hub):
        assert jobs.done_by(jobs.work(jobs.new_job("restart", {"state": ["FAILED"]})).job) == [FAILED]
        assert row(hub, FAILED)["state"] == "PARTLY_FAILED"
        cancelled = jobs.work(jobs.new_job("cancel", {"state": ["PARTLY_FAILED"]})).job
        assert FAILED in jobs.done_by(cancelled)
        assert row(hub, FAILED)["state"] == "CANCEL"


class TestOfTheHub:
    @pytest.mark.parametrize("state", ["FAILED", "OK"])  # with a failure, and by single inserts
    def test_its_changes_are_recorded(self, hub, state):
        hub.run("DELETE FROM message_change; DELETE FROM message_rollup")
        hub.run(COUNTED)
        hub.run(f"SET timezone = '{ZONE}'")  # of the hub's sessions, which write local times
        hub.run(TYPICAL_UPDATE, state, 1)
        hub.run(COPY)
        hub.run("RESET timezone")
        event = MessageEvent.objects.filter(msg_id=1).latest("at")
        assert (event.from_state, event.to_state, event.actor) == ("PROCESSING", state, None)
        fold_changes()
        assert counts_by_day() == counted_by_day()
        entered = MessageRollup.objects.filter(entered__gt=0, state=state).latest("minute")
        assert abs(entered.minute - event.at) < timedelta(minutes=1)

    def test_a_role_without_rights_on_the_console_writes(self, hub):
        hub.run("CREATE ROLE hub_role; GRANT USAGE ON SCHEMA {hub} TO hub_role")
        hub.run("GRANT ALL ON ALL TABLES IN SCHEMA {hub} TO hub_role; SET ROLE hub_role")
        try:
            hub.run(f"SET search_path = {hub.place}")
            hub.run(TYPICAL_UPDATE, "FAILED", 1)
            hub.run("DELETE FROM response; DELETE FROM request; DELETE FROM external_call WHERE msg_id = 5")
            hub.run(COPY)
            hub.run("DELETE FROM message WHERE msg_id = 90")
            hub.run("BEGIN; TRUNCATE message CASCADE; ROLLBACK")
        finally:
            hub.run('RESET ROLE; SET search_path = hubconsole, "$user", public')
            hub.run("DROP OWNED BY hub_role; DROP ROLE hub_role")
        assert MessageEvent.objects.filter(msg_id=1, to_state="FAILED").exists()

    def test_a_broken_table_of_the_console_does_not_fail_its_update(self, hub):
        hub.run("ALTER TABLE message_event RENAME TO elsewhere")
        try:
            hub.run(TYPICAL_UPDATE, "FAILED", 1)
        finally:
            hub.run("ALTER TABLE elsewhere RENAME TO message_event")
        assert row(hub, 1)["state"] == "FAILED"
        assert check_gaps().startswith("1 statements since ")
        hub.run("DELETE FROM trigger_gap")
        assert check_gaps() is None


class TestSuitability:
    def test_an_attached_hub_is_suitable(self, hub):
        assert refusal_of_database() is None
        check_server()
        check_indexes()

    def test_without_the_setting_the_rules_are_those_of_the_hub(self, hub, settings):
        expected, settings.HUB_RULES = RULE_SETS[settings.HUB_RULES], ""
        rules_of_hub.cache_clear()
        assert refusal_of_database() is None
        assert services.hub_rules() is expected
        rules_of_hub.cache_clear()

    def test_other_rules_are_refused(self, hub, settings):
        settings.HUB_RULES = "cleverbus" if settings.HUB_RULES == "openhub" else "openhub"
        assert "but the console is attached to" in refusal_of_database()

    def test_the_hub_decides_the_zone_of_schedules(self, hub, admin: Client):
        assert f'value="{ZONE}"' in admin.get("/schedules/new/?kind=archive_history").content.decode()

    def test_its_own_zone_is_accepted_and_another_one_refused(self, hub, settings):
        settings.HUB_TIME_ZONE = ZONE
        assert refusal_of_database() is None
        settings.HUB_TIME_ZONE = "Asia/Tokyo"
        assert f"Set HUB_TIME_ZONE={ZONE}" in refusal_of_database()

    def test_attaching_again_keeps_the_zone(self, hub):
        call_command("attach", hub.place, "--create-triggers", stdout=StringIO())
        assert hub_time_zone() == ZONE

    def test_an_added_column_does_not_count_as_a_change(self, hub):
        hub.run("ALTER TABLE {hub}.request ADD COLUMN further text")
        try:
            assert refusal_of_database() is None
        finally:
            hub.run("ALTER TABLE {hub}.request DROP COLUMN further")

    def test_a_dropped_view_is_a_change_that_attaching_again_repairs(self, hub):
        hub.run("DROP VIEW request")
        assert "have changed since the console was attached: request was replaced" in refusal_of_database()
        call_command("attach", hub.place, "--create-triggers", time_zone=ZONE)
        assert refusal_of_database() is None


class TestRefused:
    @pytest.mark.parametrize(
        "words",
        [
            ("load_messages", "."),
            ("demo",),
            ("demo_hub",),
        ],
        ids=lambda words: words[0],
    )
    def test_commands_that_make_messages_of_their_own(self, hub, words):
        with pytest.raises(CommandError, match="This console is attached to a running hub") as refused:
            call_command(*words)
        assert refused.value.returncode == 1


def test_message_states_are_those_of_the_hub(hub):
    assert set(Message.objects.values_list("state", flat=True)) <= set(MessageState)


class TestArchiveProcedureOfTheHub:
    """The last tests of this module: it moves the rows of all others away."""

    def test_makes_no_new_failures(self, hub):
        hub.run("DELETE FROM new_failure; DELETE FROM message_change; DELETE FROM message_rollup")
        hub.run(COUNTED)
        hub.run("SET search_path = {hub}; SELECT archive_records(2)")
        hub.run('SET search_path = hubconsole, "$user", public')
        assert hub.run("SELECT count(*) FROM new_failure") == [(0,)]
        assert hub.run("SELECT coalesce(sum(entered), 0) FROM message_change") == [(0,)]
        fold_changes()
        assert counts_by_day() == counted_by_day()
        assert hub.run("SELECT count(*) < 10 FROM {hub}.message") == [(True,)]
