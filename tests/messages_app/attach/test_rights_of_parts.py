"""`grant` on an attached hub: a role for each part of the console, with what it needs and nothing else."""

from collections.abc import Iterator
from io import StringIO

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from hubconsole.checks.database import check_rights, check_spark_role
from messages_app.audit.privileges import Part
from messages_app.audit.services import Actor
from messages_app.erasure.keys import Key
from messages_app.erasure.services import erase_subject
from messages_app.jobs.connections import own_dsn
from messages_app.messages import services
from messages_app.messages.attachment import Feature, forget_attachment, refusal_of
from messages_app.messages.corrections.services import resend_message
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobState
from tests.messages_app.attach.test_services import FAILED, PAGES
from tests.messages_app.audit.parts import address_of, refused, role_of, running_as
from tests.support import jobs
from tests.support.attached import AttachedHub, attached_hub
from tests.support.cold import undo
from tests.support.factories import make_user
from tests.support.hub_digests import digests
from tests.support.parameters import quick_first

ADA = Actor(username="ada")
TABLES = [
    f"{prefix}{table}"
    for prefix in ("", "archive_")
    for table in ("message", "external_call", "request", "response")
]
LOCKED_BY = {
    "message": "failed_count",
    "external_call": "failed_count",
    "request": "res_join_id",
    "response": "failed_reason",
}
HELD = """
SELECT relname, word
  FROM pg_class
 CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS word
 WHERE relnamespace = %s::regnamespace AND relkind = 'r' AND has_table_privilege(%s, pg_class.oid, word)
 UNION ALL
SELECT relname, format('UPDATE (%%s)', attname)
  FROM pg_attribute
  JOIN pg_class ON pg_class.oid = attrelid
 WHERE relnamespace = %s::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
   AND has_column_privilege(%s, attrelid, attnum, 'UPDATE')
"""


def grant(role: str, part: Part) -> None:
    call_command("grant", role, "--as", part, stdout=StringIO())


@pytest.fixture(
    scope="module",
    params=[pytest.param("CleverBus 2.0 with archive 0.6", marks=pytest.mark.slow), "OpenHub 2.3"],
)
def hub(request, django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[AttachedHub]:
    """Give an attached hub, and a role for each part."""
    with (
        django_db_blocker.unblock(),
        pytest.MonkeyPatch.context() as patch,
        attached_hub(request.param, "--create-triggers", more_rows=["rows_to_archive"]) as hub,
    ):
        patch.setattr("django.conf.settings.OWNER_DATABASE_URL", own_dsn())
        patch.setattr("django.conf.settings.HUBCONSOLE_ARCHIVE_URI", str(tmp_path_factory.mktemp("archive")))
        hub.run(f"REVOKE TEMPORARY ON DATABASE {connection.settings_dict['NAME']} FROM PUBLIC")
        for part in Part:
            hub.run(f"CREATE ROLE {role_of(part)} LOGIN PASSWORD 'of the tests'")
            grant(role_of(part), part)
        yield hub
        for part in Part:
            hub.run(f"DROP OWNED BY {role_of(part)}; DROP ROLE {role_of(part)}")


@pytest.fixture(autouse=True)
def _own_rights(hub: AttachedHub) -> Iterator[None]:
    forget_attachment()
    yield
    forget_attachment()


def held(hub: AttachedHub, part: Part) -> set[tuple[str, str]]:
    """Return the privileges of a part on the hub's own tables."""
    role = role_of(part)
    places = {hub.place, *(place for (place,) in hub.run("SELECT archive_schema FROM attachment"))}
    return {row for place in places for row in hub.run(HELD, place, role, place, role)}


def test_web_and_workers_read_the_tables_of_the_hub_for_samples_and_web_resends_messages(hub: AttachedHub):
    expected = {(table, "SELECT") for table in [*TABLES, *(["funnel"] if hub.place == "public" else [])]}
    assert held(hub, Part.WORKER) == expected
    assert held(hub, Part.WEB) == expected | {("message", "INSERT")}


def test_erasing_has_no_rights_on_the_tables_of_the_hub(hub: AttachedHub):
    assert held(hub, Part.ERASE) == set()


def test_tasks_of_spark_cannot_change_rows_of_the_hub_but_move_them(hub: AttachedHub):
    funnel = {("funnel", word) for word in ("SELECT", "INSERT", "DELETE", "UPDATE (funnel_value)")}
    expected = {(table, word) for table in TABLES for word in ("SELECT", "INSERT", "DELETE")}
    expected |= {(table, f"UPDATE ({LOCKED_BY[table.removeprefix('archive_')]})") for table in TABLES}
    assert held(hub, Part.SPARK) == expected | (funnel if hub.place == "public" else set())


@pytest.mark.parametrize("part", [Part.WEB, Part.WORKER, Part.SPARK, Part.ERASE])
def test_doctor_finds_exactly_the_rights_of_each_part(hub: AttachedHub, part: Part, monkeypatch, settings):
    if part == Part.SPARK:
        settings.SPARK_DATABASE = address_of(part)
        check_spark_role()
        return
    monkeypatch.setenv("HUBCONSOLE_PROCESS", {Part.WEB: "web", Part.WORKER: "beat"}.get(part, ""))
    with running_as(part):
        check_rights()


@pytest.mark.parametrize(
    ("part", "statement"),
    [
        (Part.WEB, "UPDATE message SET service_name = 'x'"),
        (Part.WEB, "DELETE FROM message"),
        (Part.WEB, "DELETE FROM archive_message"),
        (Part.WEB, "SELECT FROM {hub}.message FOR UPDATE"),
        (Part.WEB, "UPDATE {hub}.message SET state = 'OK'"),
        (Part.WEB, "CREATE TABLE more (id int)"),
        (Part.WEB, "DROP VIEW message"),
        (Part.WORKER, "UPDATE message SET state = 'OK'"),
        (Part.WORKER, "DELETE FROM external_call"),
        (Part.WORKER, "DELETE FROM {hub}.message"),
        (Part.SPARK, "UPDATE {hub}.message SET state = 'OK'"),
        (Part.SPARK, "TRUNCATE {hub}.message"),
        (Part.SPARK, "SELECT FROM auth_user"),
        (Part.SPARK, "DELETE FROM audit_entry"),
        (Part.ERASE, "UPDATE message SET state = 'OK'"),
        (Part.ERASE, "DELETE FROM {hub}.message"),
    ],
)
def test_the_database_refuses_everything_else(hub: AttachedHub, part: Part, statement: str):
    address = address_of(part)
    with psycopg.connect(
        host=address["HOST"],
        port=address["PORT"],
        dbname=address["NAME"],
        user=address["USER"],
        password=address["PASSWORD"],
        options="-c search_path=hubconsole",
        autocommit=True,
    ) as session:
        assert refused(session, statement.replace("{hub}", hub.place))


class TestAtWork:
    def test_web_shows_pages_and_restarts_and_cancels(self, hub: AttachedHub):
        user = make_user(username="admin", is_superuser=True)
        ((changed_at,),) = hub.run(
            "SELECT last_update_timestamp FROM {hub}.message WHERE msg_id = %s", FAILED
        )
        with running_as(Part.WEB):
            client = Client()
            client.force_login(user)
            for address in PAGES:
                assert client.get(address).status_code == 200, address
            assert services.restart_message(msg_id=FAILED, total=True, actor=ADA, reason="back")
            assert services.cancel_message(msg_id=FAILED, actor=ADA, reason="old")
        assert Message.objects.get(pk=FAILED).state == "CANCEL"
        again = "UPDATE {hub}.message SET state = 'FAILED', last_update_timestamp = %s WHERE msg_id = %s"
        hub.run(again, changed_at, FAILED)

    def test_web_resends_a_message_with_a_corrected_payload(self, hub: AttachedHub):
        before = digests()
        hub.run("CREATE TABLE kept AS SELECT * FROM {hub}.message WHERE msg_id = %s", FAILED)
        sequence = "hibernate_sequence" if hub.place == "public" else "openhub_sequence"
        hub.run(f"SELECT setval('{{hub}}.{sequence}', 5000)")
        with running_as(Part.WEB):
            assert refusal_of(Feature.RESEND) is None
            sent = resend_message(msg_id=FAILED, payload="<a>2</a>", actor=ADA, reason="wrong customer")
        assert Message.objects.get(pk=sent.pk).payload == "<a>2</a>"
        assert Message.objects.get(pk=FAILED).state == "CANCEL"
        if hub.layout.startswith("CleverBus 2"):
            hub.run("DELETE FROM {hub}.funnel WHERE msg_id = %s", sent.pk)
        hub.run("DELETE FROM {hub}.message WHERE msg_id = %s", sent.pk)
        again = (
            "UPDATE {hub}.message SET state = kept.state, last_update_timestamp = kept.last_update_timestamp"
            "  FROM kept WHERE message.msg_id = kept.msg_id"
        )
        hub.run(f"{again}; DROP TABLE kept")
        assert digests() == before

    @pytest.mark.usefixtures("spark_remote")
    @pytest.mark.parametrize("to", quick_first(["tables", "parquet"]))
    def test_spark_archives_and_restores_for_the_worker(self, hub: AttachedHub, to: str, settings):
        before = digests()
        settings.SPARK_DATABASE = address_of(Part.SPARK)
        new = jobs.new_job("archive", {}, to=to)
        with running_as(Part.WORKER):
            job = jobs.work(new).job
        assert (job.state, job.error) == (JobState.DONE, "")
        assert jobs.done_by(job) == [2, 4, 5, 20, 21, 22]
        undo(job)
        assert digests() == before

    def test_erase_removes_a_message_with_its_rows_and_no_other(self, hub: AttachedHub):
        others = digests(without_messages=[4])
        assert digests() != others
        with running_as(Part.ERASE):
            assert erase_subject(key=Key("object-4"), actor=ADA, reason="asked by letter").left == []
        assert digests() == others


class TestWithoutTheOwner:
    """The address of the owner is not known: the statements are printed."""

    @pytest.fixture(autouse=True)
    def _console(self, hub: AttachedHub, settings) -> Iterator[None]:
        settings.OWNER_DATABASE_URL = "postgresql://nobody@127.0.0.1:1/hub"
        hub.run("CREATE ROLE tasks")
        yield
        hub.run("DROP OWNED BY tasks; DROP ROLE tasks")

    def test_the_printed_statements_are_enough(self, hub: AttachedHub):
        with pytest.raises(CommandError) as told:
            grant("tasks", Part.SPARK)
        assert told.value.returncode == 1
        forget_attachment()
        assert f"GRANT DELETE ON {hub.place}.request TO tasks" in str(refusal_of(Feature.ARCHIVE))
        hub.run(str(told.value).partition("must still run: ")[2])
        forget_attachment()
        assert refusal_of(Feature.ARCHIVE) is None
        grant("tasks", Part.SPARK)
        with pytest.raises(CommandError, match=r"REVOKE DELETE, INSERT, SELECT.*GRANT SELECT ON") as told:
            grant("tasks", Part.WEB)
        hub.run(str(told.value).partition("must still run: ")[2])
        grant("tasks", Part.WEB)
