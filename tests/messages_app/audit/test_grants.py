from functools import partial

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.audit.grants import grant_privileges, may_rewrite
from messages_app.audit.models import AuditEntry
from messages_app.audit.privileges import Part
from messages_app.messages.models import Message
from tests.messages_app.audit.parts import logged_in, refused, roles, running_as  # noqa: F401 (a fixture)
from tests.support.api_client import caller
from tests.support.factories import make_message
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

ROLE = "hubconsole_tests_app"
REWRITING = [
    "UPDATE audit_entry SET actor = 'nobody'",
    "UPDATE audit_entry SET reason = '' WHERE false",
    "DELETE FROM audit_entry",
    "TRUNCATE audit_entry",
    "DELETE FROM audit_seal",
    "DROP TABLE audit_entry",
    "ALTER TABLE audit_entry DISABLE TRIGGER ALL",
    "ALTER TABLE audit_entry DROP COLUMN actor",
    "ALTER TABLE audit_entry OWNER TO CURRENT_USER",
    "DROP TRIGGER audit_entry_stays ON audit_entry",
    "DROP FUNCTION audit_entry_stays() CASCADE",
    "CREATE OR REPLACE FUNCTION audit_entry_stays() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'",
    "CREATE RULE nothing AS ON INSERT TO audit_entry DO INSTEAD NOTHING",
    "SET session_replication_role = replica",
    "INSERT INTO audit_entry SELECT * FROM audit_entry ON CONFLICT (entry_id) DO UPDATE SET actor = 'x'",
    "MERGE INTO audit_entry USING audit_entry AS o ON false WHEN MATCHED THEN DELETE",
    "SET ROLE hubconsole",
]
# Statements on tables of the hub and of the console that are refused to the web's role
# (docs/contributing/spec/promises.md, S-6).
OF_THE_WEB = [
    "CREATE TABLE own (id int)",
    "CREATE TABLE own AS SELECT * FROM message",
    "CREATE TEMPORARY TABLE own (id int)",
    "CREATE VIEW own AS SELECT 1",
    "CREATE SCHEMA own",
    "CREATE SEQUENCE own",
    "CREATE FUNCTION own() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE ROLE own",
    "CREATE INDEX ON message (state)",
    "CREATE TRIGGER own AFTER INSERT ON message EXECUTE FUNCTION audit_entry_stays()",
    "ALTER TABLE message ADD COLUMN own int",
    "ALTER TABLE message DISABLE TRIGGER ALL",
    "ALTER TABLE message OWNER TO CURRENT_USER",
    "ALTER FUNCTION note_updated_messages() RENAME TO own",
    "DROP TABLE message",
    "DROP VIEW job_ledger",
    "DROP INDEX message_event_msg_idx",
    "TRUNCATE message CASCADE",
    "LOCK TABLE message IN EXCLUSIVE MODE",
    "DELETE FROM message",
    "UPDATE message SET payload = ''",
    "UPDATE message SET state = 'OK', msg_id = 0",
    "UPDATE message SET failed_count = 0 WHERE state = 'FAILED'",
    "UPDATE external_call SET state = 'OK'",
    "INSERT INTO external_call SELECT * FROM external_call",
    "UPDATE request SET uri = ''",
    "DELETE FROM request",
    "INSERT INTO response SELECT * FROM response",
    "DELETE FROM response",
    "DELETE FROM funnel",
    "DELETE FROM archive_message",
    "INSERT INTO archive_message SELECT * FROM archive_message",
    "UPDATE archive_request SET uri = ''",
    "UPDATE cold_message SET state = 'OK'",
    "DELETE FROM cold_file",
    "UPDATE message_event SET actor = 'nobody'",
    "DELETE FROM message_event",
    "DELETE FROM message_store",
    "UPDATE message_store SET data = ''",
    "DELETE FROM message_history",
    "UPDATE oscpmqueue SET osid = 0",
    "DELETE FROM job",
    "DELETE FROM job_item",
    "INSERT INTO audit_seal SELECT * FROM audit_seal",
    "INSERT INTO audit_tombstone SELECT * FROM audit_tombstone",
    "UPDATE api_token SET key_sha256 = ''",
    "UPDATE django_migrations SET name = ''",
    "SELECT nextval('hibernate_sequence')",
    "SELECT setval('hibernate_sequence', 1)",
    "COPY message TO PROGRAM 'cat'",
    "SELECT pg_read_file('postgresql.conf')",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hubconsole'",
]


@pytest.fixture
def role(transactional_db):
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD 'of the tests'")
    yield ROLE
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")


def connected(role: str) -> psycopg.Connection:
    url = database_of_tests()["DATABASE_URL"]
    where = psycopg.conninfo.make_conninfo(url, user=role, password="of the tests")
    return psycopg.connect(where, autocommit=True)


class TestGrant:
    def test_lets_a_role_run_the_console_and_never_rewrite_the_audit(self, role):
        call_command("grant", role)
        operator, message = caller("operator", "view_payload"), make_message(state="FAILED")
        with connection.cursor() as cursor:
            cursor.execute(f"SET ROLE {role}")
        try:
            assert not may_rewrite()
            answer = operator.post(f"messages/{message.pk}/restart/", {"reason": "r"}, Idempotency_Key="k")
            assert answer.status_code == 200
            assert operator.get(f"messages/{message.pk}/payload/").status_code == 200
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET ROLE")
        assert Message.objects.get(pk=message.pk).state == "PARTLY_FAILED"
        before = list(AuditEntry.objects.order_by("pk").values())
        assert {each["action"] for each in before} >= {"restart", "view_payload"}

        with connected(role) as app:
            for statement in REWRITING:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    app.execute(statement)
        assert list(AuditEntry.objects.order_by("pk").values()) == before

    @pytest.mark.usefixtures("roles")
    def test_refuses_the_web_what_it_does_not_need(self, transactional_db):
        with logged_in(Part.WEB) as web:
            assert [each for each in OF_THE_WEB + REWRITING if not refused(web, each)] == []

    @pytest.mark.usefixtures("roles")
    @pytest.mark.parametrize("part", Part)
    def test_lets_no_part_rewrite_the_audit(self, transactional_db, part):
        with logged_in(part) as database:
            assert [each for each in REWRITING if not refused(database, each)] == []
        with running_as(part):
            assert not may_rewrite()

    def test_revokes_the_privileges_of_another_part(self, role):
        database = connected(role)
        call_command("grant", role)
        assert not refused(database, "DELETE FROM message")
        call_command("grant", role, "--as", "erase")
        assert not refused(database, "DELETE FROM message_event")
        call_command("grant", role, "--as", "worker")
        assert not refused(database, "DELETE FROM message_change")
        for taken in (
            "DELETE FROM message",
            "DELETE FROM message_event",
            "SELECT nextval('hibernate_sequence')",
        ):
            assert refused(database, taken)
        call_command("grant", role, "--as", "all")
        assert not refused(database, "SELECT nextval('hibernate_sequence')")

    @pytest.mark.parametrize(
        ("elsewhere", "could"),
        [
            ("GRANT pg_write_all_data TO {role}", "DELETE alert"),
            ("GRANT DELETE ON message TO PUBLIC", "DELETE message"),
            ("GRANT CREATE ON SCHEMA public TO PUBLIC", "CREATE TABLE in public"),
        ],
    )
    def test_refuses_a_role_with_more_privileges_from_elsewhere(self, role, elsewhere, could):
        with connection.cursor() as cursor:
            cursor.execute(elsewhere.format(role=role))
        try:
            with pytest.raises(CommandError, match=could):
                call_command("grant", role, "--as", "web")
            with connected(role) as database:
                assert refused(database, "SELECT FROM auth_user")  # no privilege for it was granted
        finally:
            with connection.cursor() as cursor:
                cursor.execute(
                    "REVOKE DELETE ON message FROM PUBLIC; REVOKE CREATE ON SCHEMA public FROM PUBLIC"
                )

    def test_lets_spark_move_an_additional_archived_table(self, role, settings):
        settings.ARCHIVED_TABLES = ["message", "message_note.note_id"]
        with pytest.raises(CommandError, match='Nothing was granted: relation "message_note" does not exist'):
            call_command("grant", role, "--as", "spark")
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE message_note (note_id bigint, msg_id bigint)")
            cursor.execute("CREATE TABLE archive_message_note (LIKE message_note)")
        try:
            call_command("grant", role, "--as", "spark")
            with connected(role) as database:
                for table in ("message_note", "archive_message_note"):
                    assert not refused(database, f"SELECT FROM {table} FOR UPDATE")
                    assert not refused(database, f"INSERT INTO {table} VALUES (1)")
                    assert not refused(database, f"DELETE FROM {table}")
        finally:
            with connection.cursor() as cursor:
                cursor.execute("DROP TABLE message_note, archive_message_note")

    def test_is_only_for_existing_parts(self, role):
        with pytest.raises(CommandError, match="invalid choice: 'everything'"):
            call_command("grant", role, "--as", "everything")

    def test_is_only_for_suitable_roles(self, role):
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
            owner = cursor.fetchone()[0]
        for unfit, said in ((owner, "superuser"), ("nobody-there", "There is no role")):
            with pytest.raises(CommandError, match=said):
                call_command("grant", unfit)
        assert may_rewrite()


@pytest.mark.django_db
class TestAuditEntry:
    @pytest.mark.parametrize("statement", REWRITING[:5])
    def test_is_changed_by_no_one(self, statement):
        connection.ensure_connection()
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="never changed"):
            connection.connection.execute(statement)


class TestGrantsAtTheSameTime:
    def test_take_turns(self, role):
        """A second set-up, or a job that adds a month to the archive, may change the same tables."""
        work = partial(_grant_often, role)
        assert in_threads(work, work, work) == [None, None, None]


def _grant_often(role: str) -> None:
    for _ in range(4):
        grant_privileges(role, Part.WEB)
