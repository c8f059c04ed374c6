"""The times of an attached OpenHub, which has them in its table configuration_item."""

import time
from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from messages_app.jobs.connections import own_dsn
from messages_app.messages import attachment
from messages_app.messages.attachment import forget_attachment
from messages_app.messages.hub_times import hub_times
from tests.support.attached import ZONE, AttachedHub, attached_hub
from tests.support.factories import make_user

PROCESSING, RETRIED, FAILED, POSTPONED = 1, 3, 4, 8
CHANGED = {
    "partlyFailedRepeatTimeSec": "45",
    "partlyFailedIntervalSec": "600",
    "postponedIntervalSec": "20",
    "postponedIntervalWhenFailedSec": "86400",
    "repairRepeatTimeSec": "2147483647",
    "countPartlyFailsBeforeFailed": " 9 ",
}
# One attempt has failed, a moment ago.
TRY_NOW = (
    "UPDATE {hub}.message SET last_update_timestamp = timezone(%s, clock_timestamp())"
    f" WHERE msg_id = {RETRIED}"
)
SET = "UPDATE {hub}.configuration_item SET current_value = %s WHERE code = 'ohf.asynch.' || %s"


@pytest.fixture(scope="module")
def module_hub(django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub("OpenHub 2.3") as hub:
        yield hub


@pytest.fixture
def hub(module_hub: AttachedHub) -> Iterator[AttachedHub]:
    """Give the attached hub, and put its settings back after the test."""
    module_hub.run(TRY_NOW, ZONE)
    module_hub.run("CREATE TEMP TABLE kept AS SELECT * FROM {hub}.configuration_item")
    forget_attachment()
    yield module_hub
    module_hub.run("TRUNCATE {hub}.configuration_item")
    module_hub.run("INSERT INTO {hub}.configuration_item SELECT * FROM kept")
    module_hub.run("DROP TABLE kept")
    forget_attachment()


@pytest.fixture
def reader(hub: AttachedHub) -> Iterator[AttachedHub]:
    """Give the hub to a role that may read every table but that of the settings."""
    hub.run("CREATE ROLE reader")
    for kind in ("SCHEMA", "ALL TABLES IN SCHEMA", "ALL SEQUENCES IN SCHEMA"):
        hub.run(f"GRANT ALL ON {kind} hubconsole TO reader")
    hub.run("GRANT USAGE ON SCHEMA {hub} TO reader")
    hub.run("SET ROLE reader")
    yield hub
    hub.run("RESET ROLE; DROP OWNED BY reader; DROP ROLE reader")


@pytest.fixture(scope="module")
def admin(module_hub: AttachedHub) -> Client:
    client = Client()
    client.force_login(make_user(username="admin", is_superuser=True))
    return client


def change(hub: AttachedHub, **values: str | None) -> None:
    for code, value in values.items():
        hub.run(SET, value, code)
    forget_attachment()


def explained(admin: Client, msg_id: int) -> dict:
    answer = admin.get(f"/api/v1/messages/{msg_id}/explain/")
    assert answer.status_code == 200
    return answer.json()


def window(hub: AttachedHub, admin: Client) -> tuple[float, float]:
    """Return the seconds from the last change of the retried message to its next poll, and the poll's."""
    planned = explained(admin, RETRIED)["next"]
    ((rest, period),) = hub.run(
        "SELECT extract(epoch FROM %s::timestamptz - last_process_timestamp)::float8,"
        f" extract(epoch FROM %s::timestamptz - %s)::float8 FROM message WHERE msg_id = {RETRIED}",
        planned["at"],
        planned["latest"],
        planned["at"],
    )
    return rest, period


def text_of(admin: Client, address: str, **body: object) -> str:
    answer = admin.post(address, body) if body else admin.get(address)
    return " ".join(answer.content.decode().split())


def settings_read(queries: CaptureQueriesContext) -> int:
    return sum("configuration_item" in query["sql"] for query in queries.captured_queries)


class TestExplanations:
    def test_use_the_times_of_the_hub(self, hub: AttachedHub, admin: Client):
        assert window(hub, admin) == (120, 30)
        assert "it has 3 of 4 attempts left" in explained(admin, RETRIED)["summary"]
        assert explained(admin, PROCESSING)["reason"] == "stuck"
        assert explained(admin, FAILED)["reason"] == "failed_after_tries"
        every = "The hub polls every {} s (as the hub is configured) while it runs"
        assert every.format(30) in explained(admin, POSTPONED)["summary"]
        change(hub, **CHANGED)
        assert window(hub, admin) == (600, 45)
        assert "it has 9 of 10 attempts left" in explained(admin, RETRIED)["summary"]
        assert explained(admin, PROCESSING)["reason"] == "processing"
        assert "4 of 10 attempts used" in explained(admin, FAILED)["summary"]
        assert every.format(45) in explained(admin, POSTPONED)["summary"]

    def test_have_no_note_if_all_times_are_read(self, hub: AttachedHub):
        assert hub_times().note == ""
        assert hub_times().source_of("repair_after") == "as the hub is configured"

    def test_use_the_default_of_the_table_without_a_current_value(self, hub: AttachedHub, admin: Client):
        hub.run("UPDATE {hub}.configuration_item SET default_value = '75'")
        change(hub, partlyFailedIntervalSec=None)
        assert window(hub, admin) == (75, 30)

    def test_use_a_setting_of_the_console_first(self, hub: AttachedHub, admin: Client, settings):
        settings.HUB_POLL_SECONDS = 7
        assert window(hub, admin) == (120, 7)
        assert "every 7 s (as HUB_POLL_SECONDS says)" in explained(admin, POSTPONED)["summary"]


class TestPages:
    def test_use_the_times_of_the_hub(self, hub: AttachedHub, admin: Client):
        change(hub, **CHANGED)
        assert "4 of 10" in text_of(admin, f"/messages/{FAILED}/")
        several = text_of(admin, "/messages/act/", action="restart", msg_id=[str(FAILED)])
        assert "The hub picks them up 600 to 645 s after the restart" in several
        preview = admin.get(f"/api/v1/messages/{FAILED}/restart-preview/").json()
        assert preview["tries_left"] == 6

    def test_show_the_largest_values(self, hub: AttachedHub, admin: Client):
        change(hub, **dict.fromkeys(CHANGED, "2147483647"))
        assert f"4 of {2**31}" in text_of(admin, f"/messages/{FAILED}/")
        for address in (f"/messages/{RETRIED}/", f"/messages/{FAILED}/restart/", "/funnels/"):
            assert admin.get(address).status_code == 200
        assert explained(admin, POSTPONED)["reason"] == "free_to_go"


class TestUnusableValues:
    @pytest.mark.parametrize("value", ["60 seconds", "-5", "", "99999999999", "1.5", "\u0661\u0662"])
    def test_are_replaced_by_the_default_and_named(self, hub: AttachedHub, admin: Client, value: str):
        change(hub, partlyFailedIntervalSec=value)
        assert window(hub, admin) == (60, 30)
        assert explained(admin, RETRIED)["summary"].endswith(
            "Defaults are used for settings of the hub without a usable value:"
            f" ohf.asynch.partlyFailedIntervalSec is \u201c{value}\u201d."
        )

    def test_are_named_if_they_are_missing(self, hub: AttachedHub, admin: Client):
        hub.run("DELETE FROM {hub}.configuration_item WHERE code LIKE '%%RepeatTimeSec'")
        forget_attachment()
        assert window(hub, admin) == (120, 60)
        assert explained(admin, RETRIED)["summary"].endswith(
            ": ohf.asynch.partlyFailedRepeatTimeSec is missing and ohf.asynch.repairRepeatTimeSec is missing."
        )


class TestUnreadableTable:
    NOTE = "The times are the hub's defaults, because the console cannot read configuration_item."

    def test_gives_the_defaults_and_says_so(self, reader: AttachedHub, admin: Client):
        assert window(reader, admin) == (60, 60)
        assert explained(admin, RETRIED)["summary"].endswith(self.NOTE)
        assert "every 60 s (the hub's default)" in explained(admin, POSTPONED)["summary"]
        assert self.NOTE in text_of(admin, f"/messages/{RETRIED}/").replace("&#x27;", "'")

    def test_is_not_waited_for(self, hub: AttachedHub, admin: Client):
        with psycopg.connect(own_dsn()) as session:
            session.execute(f"LOCK TABLE {hub.place}.configuration_item IN ACCESS EXCLUSIVE MODE")
            began = time.monotonic()
            assert explained(admin, RETRIED)["summary"].endswith(self.NOTE)
            assert explained(admin, RETRIED)["summary"].endswith(self.NOTE)
            assert time.monotonic() - began < 2.5
            session.rollback()

    def test_is_read_soon_after_it_can_be(self, hub: AttachedHub, monkeypatch):
        monkeypatch.setattr(attachment, "_SECONDS_KEPT", 0.05)
        monkeypatch.setattr(attachment, "_SETTINGS_WAIT_MS", 20)
        with psycopg.connect(own_dsn()) as session:
            session.execute(f"LOCK TABLE {hub.place}.configuration_item IN ACCESS EXCLUSIVE MODE")
            assert hub_times().note == self.NOTE
            session.rollback()
        time.sleep(0.1)
        assert hub_times().note == ""


class TestStatements:
    def test_are_the_same_for_many_requests(self, hub: AttachedHub, admin: Client, monkeypatch):
        monkeypatch.setattr(attachment, "_SETTINGS_KEPT_SECONDS", 600)
        with CaptureQueriesContext(connection) as first:
            explained(admin, RETRIED)
        with CaptureQueriesContext(connection) as further:
            for address in (
                f"/messages/{RETRIED}/",
                f"/messages/{FAILED}/restart/",
                "/funnels/",
                "/messages/",
            ):
                assert admin.get(address).status_code == 200
            explained(admin, POSTPONED)
        assert (settings_read(first), settings_read(further)) == (1, 0)

    def test_are_repeated_after_a_time(self, hub: AttachedHub, admin: Client, monkeypatch):
        monkeypatch.setattr(attachment, "_SETTINGS_KEPT_SECONDS", 0.05)
        assert window(hub, admin) == (120, 30)
        hub.run(SET, "90", "partlyFailedIntervalSec")
        time.sleep(0.1)
        assert window(hub, admin) == (90, 30)

    def test_use_the_primary_key(self, hub: AttachedHub):
        hub.run("SET enable_seqscan = off")
        plan = hub.run(
            "EXPLAIN SELECT code, coalesce(current_value, default_value) FROM {hub}.configuration_item"
            " WHERE code = ANY (%s)",
            ["ohf.asynch.repairRepeatTimeSec"],
        )
        hub.run("RESET enable_seqscan")
        assert "configuration_item_pkey" in str(plan)
