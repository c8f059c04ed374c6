"""`attach`: its dry run writes nothing, and it refuses what it cannot attach to."""

import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from hubconsole import suitability
from messages_app.attach import services
from messages_app.jobs.connections import own_dsn
from tests.support.attached import ZONE, attached_hub, detach
from tests.support.databases import run_in_psql, schema
from tests.support.hubs import LAYOUTS, hub_database
from tests.support.parameters import quick_first

FIRST, SECOND = "CleverBus 0.4-1.x or OpenHub 1.0", "CleverBus 2.x"
RELEASES = {
    "CleverBus 1.1": FIRST,
    "CleverBus 1.1 without archive": FIRST,
    "CleverBus 2.0": SECOND,
    "CleverBus 2.0 with archive 0.5": SECOND,
    "CleverBus 2.0 with archive 0.6": SECOND,
    "CleverBus 2.0 without archive": SECOND,
    "OpenHub 1.0": FIRST,
    "OpenHub 2.3": "OpenHub 2.x (2.2 or newer)",
}
SEEN = [
    f"{prefix}{table}"
    for prefix in ("", "archive_")
    for table in ("message", "external_call", "request", "response")
]
ROWS = "SELECT md5(string_agg(xmin::text || m::text, ',' ORDER BY msg_id)) FROM {}.message AS m"
OWN_INDEXES = "SELECT 1 FROM pg_class WHERE relkind = 'i' AND starts_with(relname, 'hubc_')"
WRITTEN = "SELECT pg_current_xact_id_if_assigned()"


@pytest.fixture(autouse=True)
def _unblocked(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        yield


def run(statement: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def attach(*words: str) -> str:
    output = StringIO()
    call_command("attach", *words, time_zone=ZONE, stdout=output, stderr=StringIO())
    return output.getvalue()


class TestDryRun:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_writes_nothing_and_reports_the_release(self, layout: str):
        place = LAYOUTS[layout].schema
        with hub_database(layout):
            before = schema(), run(ROWS.format(place)), run(WRITTEN)
            found = json.loads(attach(place, "--dry-run", "--json"))
            words = attach(place, "--dry-run")
            assert (schema(), run(ROWS.format(place)), run(WRITTEN)) == before
        assert found["schema"] == place
        assert found["release"] == RELEASES[layout]
        assert [archive["schema"] for archive in found["archives"]] == [
            place for place in [LAYOUTS[layout].archive] if place
        ]
        assert not any(found["missing"].values())
        assert f"time zone  {ZONE}" in words
        assert 'CREATE INDEX CONCURRENTLY IF NOT EXISTS "hubc_message_received_idx"' in words

    def test_names_the_indexes_and_tables_that_an_archive_has_and_lacks(self):
        with hub_database("CleverBus 2.0 with archive 0.6"):
            found = json.loads(attach("public", "--dry-run", "--json"))
            words = attach("public", "--dry-run")
        assert found["archives"] == [
            {"schema": "cleverbus_archive", "script": "0.6", "missing": ["archive_funnel"]}
        ]
        assert found["replaced_indexes"] == {
            "hubc_external_call_msg_idx": "external_call__message_id_idx",
            "hubc_request_msg_idx": "request__message_id_idx",
            "hubc_response_req_idx": "response__request_id_idx",
            "hubc_archive_response_res_id_idx": "response_pkey",
        }
        assert not [text for text in found["indexes"] if "hubc_request_msg_idx" in text]
        assert "hubc_request_msg_idx exists already as request__message_id_idx" in words

    def test_names_the_grants_that_a_new_role_lacks(self):
        with hub_database("OpenHub 2.3"):
            run("CREATE ROLE newcomer; SET ROLE newcomer")
            try:
                found = json.loads(attach("openhub", "--dry-run", "--json"))
                with pytest.raises(CommandError, match="the role newcomer needs CREATE SCHEMA hubconsole"):
                    attach("openhub")
            finally:
                run("RESET ROLE; DROP ROLE newcomer")
        assert found["ahead"] is None
        assert found["missing"]["read"] == [
            'CREATE SCHEMA hubconsole AUTHORIZATION "newcomer"',
            'GRANT USAGE ON SCHEMA "openhub" TO "newcomer"',
            *(f'GRANT SELECT ON "openhub"."{table}" TO "newcomer"' for table in SEEN),
        ]

    def test_lists_the_times_of_the_hub(self):
        with hub_database("OpenHub 2.3"):
            found = json.loads(attach("openhub", "--dry-run", "--json"))
            words = attach("openhub", "--dry-run")
        assert len(found["times"]) == 9
        assert "times      ohf.asynch.partlyFailedIntervalSec: 2 min, as the hub is configured\n" in words
        assert "rights     times: all\n" in words
        with hub_database("CleverBus 2.0"):
            words = attach("public", "--dry-run")
        assert "times      ohf.asynch.partlyFailedIntervalSec: 60 s, the hub's default\n" in words
        assert "rights     times" not in words

    @pytest.mark.slow
    def test_does_not_need_the_settings_of_the_hub(self):
        with hub_database("OpenHub 2.3"):
            run("CREATE ROLE reader; CREATE SCHEMA hubconsole AUTHORIZATION reader")
            run("GRANT USAGE ON SCHEMA openhub TO reader")
            run("GRANT SELECT ON ALL TABLES IN SCHEMA openhub TO reader")
            run("REVOKE SELECT ON openhub.configuration_item FROM reader; SET ROLE reader")
            try:
                found = json.loads(attach("openhub", "--dry-run", "--json"))
                assert "Attached to OpenHub 2.x" in attach("openhub")
            finally:
                run("RESET ROLE; DROP OWNED BY reader; DROP ROLE reader")
        assert found["missing"]["times"] == [
            'GRANT SELECT (code, current_value, default_value) ON "openhub"."configuration_item" TO "reader"'
        ]
        assert found["missing"]["read"] == []
        assert found["warnings"] == [
            "The times are the hub's defaults, because the console cannot read configuration_item."
        ]

    def test_names_the_missing_grants(self):
        with hub_database("CleverBus 2.0"):
            run("CREATE ROLE reader; CREATE SCHEMA hubconsole AUTHORIZATION reader")
            run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader; SET ROLE reader")
            try:
                found = json.loads(attach("public", "--dry-run", "--json"))
                with pytest.raises(CommandError, match="the role reader needs GRANT TRIGGER"):
                    attach("public", "--create-triggers")
            finally:
                run("RESET ROLE; DROP OWNED BY reader; DROP ROLE reader")
        assert found["missing"]["read"] == []
        assert found["missing"]["act"] == [
            'GRANT UPDATE (state, last_update_timestamp) ON "public"."message" TO "reader"',
            'GRANT DELETE ON "public"."external_call" TO "reader"',
        ]
        assert found["missing"]["resend"] == [
            'GRANT INSERT ON "public"."message" TO "reader"',
            'GRANT UPDATE (state) ON "public"."message" TO "reader"',
            'GRANT UPDATE (failed_count) ON "public"."message" TO "reader"',
            'GRANT INSERT ON "public"."funnel" TO "reader"',
            'GRANT USAGE ON SEQUENCE "public"."hibernate_sequence" TO "reader"',
        ]
        assert found["missing"]["live"] == ['GRANT TRIGGER ON "public"."message" TO "reader"']


class TestRefuses:
    def test_a_zone_in_which_rows_are_in_the_future(self):
        with hub_database("CleverBus 1.1"):
            run("UPDATE message SET last_update_timestamp = timezone('Asia/Tokyo', now()) WHERE msg_id = 10")
            before = schema()
            with pytest.raises(CommandError, match=rf"time is [678] h( \d+ min)? in the future of {ZONE}"):
                attach("public")
            assert schema() == before

    @pytest.mark.parametrize(
        ("change", "text"),
        [
            ("ALTER TABLE message DROP service", "message.service is missing"),
            (
                "ALTER TABLE message DROP guaranteed_order, DROP exclude_failed_state,"
                " DROP parent_binding_type, DROP funnel_component_id",
                "older than CleverBus 0.4",
            ),
            ("ALTER SCHEMA public RENAME TO elsewhere", "there is no schema public"),
        ],
    )
    def test_unknown_tables(self, change: str, text: str):
        with hub_database("CleverBus 1.1"):
            run(change)
            before = schema()
            with pytest.raises(CommandError, match=f"Nothing was created: .*{text}"):
                attach("public")
            assert schema() == before

    def test_a_schema_without_tables(self):
        with hub_database("CleverBus 1.1"):
            run("CREATE SCHEMA bare")
            before = schema()
            with pytest.raises(CommandError, match="Nothing was created: it has no table message of a hub"):
                attach("bare")
            assert schema() == before

    def test_an_older_server(self, monkeypatch):
        with hub_database("CleverBus 1.1"):
            version, *_ = connection.get_database_version()
            monkeypatch.setattr(suitability, "OLDEST_POSTGRESQL", version + 1)
            before = schema()
            with pytest.raises(CommandError, match=f"Nothing was created: PostgreSQL {version} is too old"):
                attach("public")
            assert schema() == before

    def test_a_table_that_the_hub_holds_for_long(self, monkeypatch):
        monkeypatch.setattr(services, "_MAX_WAIT", "100ms")
        monkeypatch.setattr(services, "_SECONDS_BETWEEN", 0.01)
        with hub_database("CleverBus 1.1"), psycopg.connect(own_dsn()) as session:
            before = schema()
            session.execute("UPDATE public.message SET failed_count = failed_count WHERE msg_id = 1")
            with pytest.raises(CommandError, match="Nothing was created: Transactions of the hub held"):
                attach("public", "--create-triggers")
            session.rollback()
            assert schema() == before

    def test_detach_without_an_attachment(self):
        with hub_database("CleverBus 1.1"), pytest.raises(CommandError, match="is not attached"):
            detach()


@pytest.mark.parametrize("layout", quick_first(["OpenHub 2.3", "CleverBus 2.0"]))
def test_detaching_says_how_to_take_every_right_away(layout: str):
    guide = Path("docs/howto/attach.md").read_text()
    (rights,) = re.findall(r"```sql\n(CREATE ROLE console.*?)```", guide, re.DOTALL)
    place = LAYOUTS[layout].schema
    with hub_database(layout):
        run("CREATE ROLE console")
        before = schema()
        run(rights.replace("public", place).replace("CREATE ROLE console", "ALTER ROLE console"))
        run("SET ROLE console")
        try:
            attach(place, "--create-triggers")
            printed = detach().partition("until the owner of the tables takes them away:")[2]
            run("RESET ROLE")
            assert schema() != before
            run(printed)  # as it can be pasted into psql
            assert schema() == before
        finally:
            run("RESET ROLE; DROP OWNED BY console; DROP ROLE console")


@pytest.mark.parametrize("layout", quick_first(["OpenHub 2.3", "CleverBus 2.0"]))
def test_a_role_with_the_rights_of_the_guide_attaches_and_detaches(layout: str):
    guide = Path("docs/howto/attach.md").read_text()
    (rights,) = re.findall(r"```sql\n(CREATE ROLE console.*?)```", guide, re.DOTALL)
    place = LAYOUTS[layout].schema
    with hub_database(layout):
        run(rights.replace("public", place))
        before = schema()
        run("SET ROLE console")
        try:
            attach(place, "--create-triggers")
            assert "is as it was before" in detach()
        finally:
            run("RESET ROLE; CREATE SCHEMA hubconsole AUTHORIZATION console")
            after = schema()
            run("DROP OWNED BY console; DROP ROLE console")
        assert after == before


@pytest.mark.parametrize("layout", quick_first(sorted(LAYOUTS, reverse=True)))
def test_without_options_it_adds_nothing_to_the_schemas_of_the_hub(layout: str):
    with attached_hub(layout) as hub:
        detached = detach()
        assert "is as it was before" in detached
        assert schema() == hub.before


@pytest.mark.parametrize("layout", quick_first(["OpenHub 2.3", "CleverBus 2.0 with archive 0.6"]))
def test_creates_its_indexes_once_and_repairs_incomplete_ones(layout: str):
    counted = (
        "SELECT count(*), bool_and(indisvalid) FROM pg_index WHERE indexrelid::regclass::text LIKE '%hubc_%'"
    )
    with attached_hub(layout, "--create-indexes") as hub:
        ((count, are_valid),) = run(counted)
        assert count > 40
        assert are_valid
        run(
            "UPDATE pg_index SET indisvalid = false"
            f" WHERE indexrelid = '{hub.place}.hubc_message_received_idx'::regclass"
        )
        attach(hub.place, "--create-indexes")
        assert run(counted) == [(count, True)]
        times = "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%timezone(''%s''%%'"
        ((of_zone,),) = run(times.replace("%s", ZONE))
        call_command("attach", hub.place, "--create-indexes", time_zone="Europe/Berlin", stderr=StringIO())
        assert of_zone > 5
        assert run(times.replace("%s", "Europe/Berlin")) == [(of_zone,)]
        assert run(counted) == [(count, True)]
        assert "is as it was before" in detach()
        assert schema() == hub.before


class TestOwner:
    """The console's role does not own the hub's tables, as a DBA sets it up."""

    @pytest.fixture
    def before(self) -> Iterator[str]:
        """Let the console use such a role, and return the schema from before."""
        with hub_database("OpenHub 2.3"):
            run("CREATE ROLE console; CREATE SCHEMA hubconsole AUTHORIZATION console")
            run("GRANT USAGE ON SCHEMA openhub TO console")
            run("GRANT SELECT ON ALL TABLES IN SCHEMA openhub TO console")
            run("GRANT UPDATE (state, last_update_timestamp), TRIGGER ON openhub.message TO console")
            run("GRANT DELETE ON openhub.external_call TO console")
            before = schema()
            run("SET ROLE console")
            yield before
            run("RESET ROLE; DROP OWNED BY console; DROP ROLE console")

    @pytest.mark.slow
    def test_creates_and_drops_the_indexes(self, before: str, settings):
        with pytest.raises(CommandError, match="set HUBCONSOLE_OWNER_DATABASE_URL"):
            attach("openhub", "--create-indexes")
        assert not run(OWN_INDEXES)
        settings.OWNER_DATABASE_URL = own_dsn()
        attach("openhub", "--create-indexes")
        assert len(run(OWN_INDEXES)) > 40
        assert "is as it was before" in detach()
        run("RESET ROLE; CREATE SCHEMA hubconsole AUTHORIZATION console")
        assert schema() == before

    def test_names_what_to_drop_if_the_console_may_not(self, before: str, settings):
        settings.OWNER_DATABASE_URL = own_dsn()
        attach("openhub", "--create-indexes")
        settings.OWNER_DATABASE_URL = "postgresql://nobody@127.0.0.1:1/hub"
        script = detach()
        run("RESET ROLE")
        assert "-- The owner of the hub's tables must still run these statements" in script
        assert "still has what the statements below remove" in script
        assert script.count("\nDROP INDEX CONCURRENTLY openhub.hubc_") > 40
        assert "\nREVOKE " in script
        run_in_psql(script)
        assert not run(OWN_INDEXES)
        run("GRANT USAGE ON SCHEMA openhub TO console")
        run("GRANT SELECT ON ALL TABLES IN SCHEMA openhub TO console")
        run("GRANT UPDATE (state, last_update_timestamp), TRIGGER ON openhub.message TO console")
        run("GRANT DELETE ON openhub.external_call TO console")
        run("CREATE SCHEMA hubconsole AUTHORIZATION console")
        assert schema() == before
